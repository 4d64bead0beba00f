"""WasmtimeHost: the core run by wasmtime in CPython.

wasmtime's Python package sets everything up; calls go straight to `wasmtime_func_call_unchecked` of its C library, with
the arguments prepared once, which is forty times quicker than the package's own `Func.__call__`.
"""
from __future__ import annotations

import _thread
import ctypes
import os
import platform
import sys
import threading
import time
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any

import wasmtime
from wasmtime import _ffi as ffi

from . import cache, settings
from .cache import sha256
from .caller import DROPPING_LOCK, Caller, GlobalReader, NewCallback, address_of, signed
from .common import RELEASE_SLOTS, START_THREADS, HostBase, make_release
from .interrupts import shield
from .protocol import ABI_VERSION, FRAME_SLOTS
from .worker_pool import WorkerPool

PATIENCE_SECONDS = 0.001
SMALLER_MEMORIES = (2 << 30, 1 << 30, 512 << 20, 256 << 20, 128 << 20)

class SharedMemory(wasmtime.SharedMemory):
    """wasmtime-py 50.0.1 wraps the pointer once too often when a shared memory is an import."""

    def _as_extern(self) -> Any:
        union = ffi.wasmtime_extern_union(sharedmemory=self.ptr())
        return ffi.wasmtime_extern_t(ffi.WASMTIME_EXTERN_SHAREDMEMORY, union)


def new_engine(reservation: int | None) -> wasmtime.Engine:
    """An engine with threads; with a reservation, one that asks the system for that much address space only."""
    config = wasmtime.Config()
    config.wasm_threads = True
    config.shared_memory = True
    if sys.platform == "darwin":
        # exception ports do not survive fork
        ffi.dll.wasmtime_config_macos_use_mach_ports_set(config.ptr(), False)
    if reservation is not None:
        ffi.wasmtime_config_memory_reservation_set(config.ptr(), reservation)
        ffi.wasmtime_config_memory_guard_size_set(config.ptr(), 0)
        ffi.wasmtime_config_memory_reservation_for_growth_set(config.ptr(), 0)
    return wasmtime.Engine(config)


def compile_module(engine: wasmtime.Engine, binary: bytes, variant: str) -> wasmtime.Module:
    """Compiles the core, or loads it compiled from the cache."""
    library = os.stat(ffi.dll._name)
    identity = f"{library.st_size} {library.st_mtime_ns} {sys.platform} {platform.machine()} {variant}\n".encode()
    name = f"{sha256(identity + binary)[:40]}.cwasm"
    compiled = cache.load(name)
    if compiled is not None:
        try:
            return wasmtime.Module.deserialize(engine, compiled)
        except wasmtime.WasmtimeError:
            pass  # made by another build of wasmtime, or for another processor
    module = wasmtime.Module(engine, binary)
    if not cache.store(name, bytes(module.serialize())):
        cache.warn_if_unused()
    return module


def wasmtime_version() -> str:
    """The version of the wasmtime package that is in use."""
    from importlib.metadata import version

    return version("wasmtime")


def minimum_pages(module: wasmtime.Module) -> int:
    """The number of pages that the core's memory has at the start."""
    memory, = (i.type for i in module.imports if isinstance(i.type, wasmtime.MemoryType))
    return memory.limits.min


class CoreThread:
    """What one thread of Python calls the core with: an instance on the shared memory, with a stack, a state and a frame of its own."""

    def __init__(self, host: WasmtimeHost, top: int) -> None:
        self._host = weakref.ref(host)
        self.pending: BaseException | None = None
        self.store = wasmtime.Store(host.engine)
        self.context = address_of(self.store._context())
        self._trampoline = NewCallback(self._on_host_call)
        self.exports = host.instantiate(self.store, self._trampoline)
        self._stack_pointer = self.exports["__stack_pointer"]
        self._stack_top = GlobalReader(self.context, self._stack_pointer)
        self._stack_tops = [self._stack_top()]
        if top:
            self.stand_on(top)
        self._callers: dict[str, Caller] = {}
        self._invoke_caller = Caller(self.context, self.exports["pwt_invoke"])
        self.invoke = self._make_invoke()

    def stand_on(self, top: int) -> None:
        """Moves to the stack that ends at `top`, while no call is at work."""
        self._stack_pointer.set_value(self.store, wasmtime.Val.i32(signed(top)))
        self._stack_tops = [self._stack_top()]

    def look_at(self, frame: memoryview, error_address: int) -> None:
        self.words, self.doubles, self.error_address = frame.cast("q"), frame.cast("d"), error_address
        self.direct = (self.words, self._invoke_caller.words, self._invoke_caller.call)

    def _make_invoke(self) -> Callable[[int], int]:
        words, call, settle = self._invoke_caller.words, self._invoke_caller.call, self.settle

        def invoke(op_and_count: int) -> int:
            words[0] = op_and_count
            call()
            result = words[0]
            return settle(op_and_count) if result == op_and_count else result

        return invoke

    def settle(self, op_and_count: int) -> int:
        """What the call gave that found this number in the first slot: a trap leaves it there."""
        result = self._invoke_caller.words[0]
        return self._recover() if result == op_and_count and self._invoke_caller.trap.value else result

    def _recover(self) -> int:
        if (host := self._host()) is not None:
            host.pool.stop()  # one of them may be at work for the call that is gone
        self._stack_pointer.set_value(self.store, wasmtime.Val.i32(self._stack_tops[-1]))
        return 0

    def take_trap(self) -> str | None:
        return self._invoke_caller.take_trap()

    def call_export(self, name: str, *arguments: int) -> int:
        caller = self._callers.get(name)
        if caller is None:
            caller = self._callers[name] = Caller(self.context, self.exports[name])
        return caller(*arguments)

    def _on_host_call(self, env: int, caller: int, slots: Any, n: int) -> None:
        # the first slot still holds the kind, which is no success, should an interrupt strike before it is replaced
        kind, id = slots[0], slots[4]
        host = self._host()
        self._stack_tops.append(self._stack_top())
        try:
            slots[0] = host.run_callback(kind, id) if host is not None else 1
        finally:
            self._stack_tops.pop()


class Visit:
    """A thread's use of its part of the core, until the thread ends."""

    def __init__(self, host: WasmtimeHost, thread: CoreThread) -> None:
        self._host, self._thread = weakref.ref(host), thread
        self.words, self.doubles, self.invoke, self.direct = thread.words, thread.doubles, thread.invoke, thread.direct

    def __del__(self) -> None:
        if (host := self._host()) is not None:
            host.leave_thread(self._thread)


class WasmtimeHost(HostBase):
    """See `Host`. One instance of the core per process."""

    def __init__(self) -> None:
        super().__init__()
        # tensors and NumPy arrays may outlive this module when the interpreter ends: the core's memory is never unmapped
        ctypes.pythonapi.Py_IncRef(ctypes.py_object(self))
        self._binary = settings.read_binary()
        self._create_memory(settings.memory_limit())
        self._base = address_of(self.memory.data_ptr())
        self._look_at_memory()
        self._threads = threading.local()
        self._resting: list[CoreThread] = []  # of threads that ended
        self._starting = threading.Lock()
        self._main = self._threads.it = CoreThread(self, 0)
        frame = self.view(self.start_core(ABI_VERSION), 8 * FRAME_SLOTS)
        self._main.look_at(frame, self.call_export("pwt_error"))
        self._starter_stack = self.call_export("pwt_starter_stack")
        self.words, self.doubles, self.invoke = self._main.words, self._main.doubles, self._main.invoke
        release = self.view(self.call_export("pwt_release_area"), 8 * RELEASE_SLOTS).cast("q")
        self.finalize, self.flush = make_release(self.dead, release, partial(self.call_export, "pwt_release_dead"))
        self.set_memory_limit(self.memory_limit)
        self.call_export("pwt_set_may_block", 1)
        self.pool = WorkerPool(self)
        shield(wasmtime)

    @property
    def sha256(self) -> str:
        return sha256(self._binary)

    @property
    def description(self) -> str:
        return f"wasmtime {wasmtime_version()}"

    def _create_memory(self, limit: int) -> None:
        """Makes engine, module and memory: the memory as large as asked for, or as the system grants."""
        failure: Exception | None = None
        for size, reservation in [(limit, None), *((min(size, limit), min(size, limit)) for size in
                                                   (limit, *SMALLER_MEMORIES))]:
            self.engine = new_engine(reservation)
            self.module = compile_module(self.engine, self._binary, f"reservation {reservation}")
            minimum = minimum_pages(self.module)
            if size // settings.PAGE < minimum:
                raise ValueError(f"PYWASMTORCH_MEMORY: the core needs at least {minimum * settings.PAGE} bytes, "
                                 f"got {size}")
            limits = wasmtime.Limits(minimum, size // settings.PAGE)
            try:
                self.memory = SharedMemory(self.engine, wasmtime.MemoryType(limits, shared=True))
            except wasmtime.WasmtimeError as error:
                failure = failure or error
            else:
                self.memory_limit = size
                return
        raise MemoryError(f"the system grants no memory for the tensor core: {failure}")

    def instantiate(self, store: wasmtime.Store, trampoline: Any) -> Any:
        """An instance of the core on the shared memory, for one thread; returns its exports."""
        kind = wasmtime.FuncType([wasmtime.ValType.i32()] * 2, [wasmtime.ValType.i32()])
        function = ffi.wasmtime_func_t()
        new = DROPPING_LOCK._FuncPtr(("wasmtime_func_new_unchecked", DROPPING_LOCK))
        new.restype = None
        new(store._context(), kind.ptr(), trampoline, None, None, ctypes.byref(function))
        imports: dict[str | None, Any] = {"memory": self.memory, "call": wasmtime.Func._from_raw(function)}
        return wasmtime.Instance(store, self.module, [imports[i.name] for i in self.module.imports]).exports(store)

    # ---- threads of the program ----

    def this_thread(self) -> CoreThread:
        thread = getattr(self._threads, "it", None)
        if thread is None:
            try:
                thread = self._resting.pop()
            except IndexError:
                thread = self._new_thread()
            self._threads.it = thread
        return thread

    def _new_thread(self) -> CoreThread:
        with self._starting:
            thread = CoreThread(self, self._starter_stack)
            top = thread.call_export("pwt_thread_new")
            if not top:
                raise MemoryError("out of memory: no stack for another thread")
            thread.stand_on(top)
        thread.look_at(self.view(thread.call_export("pwt_thread_enter", top), 8 * FRAME_SLOTS), thread.call_export("pwt_error"))
        return thread

    def enter_thread(self) -> Visit:
        return Visit(self, self.this_thread())

    def leave_thread(self, thread: CoreThread) -> None:
        if thread is not self._main:
            thread.call_export("pwt_thread_leave")
            self._resting.append(thread)

    def _take_trap(self) -> str | None:
        return self.this_thread().take_trap()

    def call_export(self, name: str, *arguments: int) -> int:
        return self.this_thread().call_export(name, *arguments)

    def serve_threads(self, kind: int) -> None:
        try:
            if kind == START_THREADS:
                self.pool.start()
            else:
                time.sleep(PATIENCE_SECONDS)
        except KeyboardInterrupt:
            # this call cannot end here; the interrupt comes again as soon as it has ended
            threading.Timer(0, _thread.interrupt_main).start()

    # ---- memory ----

    def _look_at_memory(self) -> None:
        size = self.memory.data_len()
        self._bytes = memoryview((ctypes.c_char * size).from_address(self._base)).cast("B")

    def view(self, address: int, nbytes: int) -> memoryview:
        end = address + nbytes
        if end > len(self._bytes):
            self._look_at_memory()
        if not 0 <= address <= end <= len(self._bytes):
            raise IndexError(f"{nbytes} bytes at {address} are outside the core's memory of {len(self._bytes)} bytes")
        return self._bytes[address:end]

    def address(self, pointer: int) -> int:
        """Where a byte of the core's memory stands in this process."""
        return self._base + pointer

    def read(self, address: int, nbytes: int) -> bytes:
        return bytes(self.view(address, nbytes))

    def write(self, address: int, buffer: Any) -> None:
        data = memoryview(buffer).cast("B")
        self.view(address, len(data))[:] = data

    def read_i64(self, address: int, n: int) -> tuple[int, ...]:
        return tuple(self.view(address, 8 * n).cast("q"))

    # ---- threads ----

    @property
    def num_threads(self) -> int:
        """The number of threads that work, or will once there is work for them; the caller among them."""
        return self.pool.wanted

    def set_num_threads(self, n: int) -> None:
        """Lets n threads work. They start when there is work for them."""
        self.pool.want(n)

    def start_threads(self, n: int) -> None:
        self.pool.want(n)
        self.pool.start()
