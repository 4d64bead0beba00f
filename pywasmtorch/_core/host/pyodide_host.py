"""PyodideHost: the core run by the browser's or Node's WebAssembly engine.

Storing a word in another module's memory costs a call into JavaScript. So the frame has a stand-in in Python's memory:
stores are as quick as anywhere, and `invoke`, which is a JavaScript function, moves them over.
"""
from __future__ import annotations

import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import js
from pyodide.code import run_js
from pyodide.ffi import JsException, create_proxy, to_js

from . import settings
from .cache import sha256
from .common import BREATHE, PATIENCE, RELEASE, RELEASE_SLOTS, START_THREADS, HostBase, make_release
from .protocol import ABI_VERSION, FRAME_SLOTS, SHORT_FRAME

SCRATCH_BYTES = 4096
START_SECONDS = 20.0


def javascript(name: str) -> str:
    """The text of a JavaScript file of this package."""
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


def given_binary() -> Any:
    """What the page handed in: `pyodide.registerJsModule("pywasmtorch_binary", {bytes, module})`; else None."""
    try:
        import pywasmtorch_binary
    except ImportError:
        return None
    return pywasmtorch_binary


class PyodideHost(HostBase):
    """See `Host`. One instance of the core per page or worker."""

    direct = None

    def __init__(self) -> None:
        super().__init__()
        given = given_binary()
        self._binary = given.bytes.to_bytes() if given else settings.read_binary()
        limit = settings.memory_limit()
        layout = find_memory_import(self._binary)
        if limit < layout.minimum_pages * settings.PAGE:
            raise ValueError(f"PYWASMTORCH_MEMORY: the core needs at least {layout.minimum_pages * settings.PAGE} "
                             f"bytes, got {limit}")
        self._staging = bytearray(8 * (FRAME_SLOTS + RELEASE_SLOTS) + SCRATCH_BYTES)
        self._scratch_at = len(self._staging) - SCRATCH_BYTES
        whole = memoryview(self._staging)
        frame = whole[:8 * FRAME_SLOTS]
        self._scratch = whole[self._scratch_at:]
        self.words = frame.cast("q")
        self.doubles = frame.cast("d")
        release = whole[8 * FRAME_SLOTS:self._scratch_at].cast("q")
        self._proxies = [create_proxy(whole), create_proxy(self.run_callback)]
        source = {"bytes": to_js(self._binary), "module": getattr(given, "module", None)}
        options = {"flagOffset": layout.flag_offset, "minimumPages": layout.minimum_pages,
                   "maximumPages": limit // settings.PAGE, "onCall": self._proxies[1]}
        sizes = {"slots": FRAME_SLOTS, "shortSlots": SHORT_FRAME, "releaseSlots": RELEASE_SLOTS,
                 "quietCalls": to_js([START_THREADS, RELEASE, PATIENCE, BREATHE])}
        self._core = run_js(javascript("loader.js"))(
            to_object(source), self._proxies[0], to_object(sizes), to_object(options))
        self._call = self._core.callExport
        self.finalize, self.flush = make_release(self.dead, release, self._core.releaseDead)
        self._workers: list[Any] = []
        self.invoke = self._core.invoke
        self.pending: BaseException | None = None
        self.start_core(ABI_VERSION)
        self.error_address = self.call_export("pwt_error")
        self.memory_limit = min(limit, self._core.maximumPages * settings.PAGE)
        self.set_memory_limit(self.memory_limit)

    def this_thread(self) -> PyodideHost:
        return self  # there is one

    def enter_thread(self) -> PyodideHost:
        return self

    @property
    def sha256(self) -> str:
        return sha256(self._binary)

    @property
    def shared(self) -> bool:
        """Whether the memory is shared, so that there may be threads."""
        return self._core.shared

    @property
    def description(self) -> str:
        where = f"Node {js.process.version}" if self._core.isNode else js.navigator.userAgent
        return f"Pyodide in {where}, {'shared' if self.shared else 'plain'} memory"

    def set_memory_limit(self, nbytes: int) -> None:
        self.memory_limit = nbytes
        self._core.setMemoryLimit(nbytes)

    def call_export(self, name: str, *arguments: int) -> int:
        result = self._call(name, *arguments)
        if not result and (trap := self._take_trap()) is not None:
            self.raise_trap(trap)
        return result

    def _take_trap(self) -> str | None:
        trap = self._core.takeTrap()
        if trap:
            self.stop_threads()  # one of them may be at work for the call that is gone
        return trap or None

    # ---- memory ----

    def view(self, address: int, nbytes: int) -> memoryview:
        raise NotImplementedError("the core's memory cannot be viewed from Python in Pyodide; read or write it")

    def read(self, address: int, nbytes: int) -> bytes:
        if nbytes > SCRATCH_BYTES:
            return self._in_bounds(self._core.window, address, nbytes).to_bytes()
        self._in_bounds(self._core.fetch, address, nbytes, self._scratch_at)
        return self._scratch[:nbytes].tobytes()

    def write(self, address: int, buffer: Any) -> None:
        data = memoryview(buffer).cast("B")
        nbytes = len(data)
        if nbytes > SCRATCH_BYTES:
            self._in_bounds(self._core.window, address, nbytes).assign(data)
        else:
            self._scratch[:nbytes] = data
            self._in_bounds(self._core.store, address, nbytes, self._scratch_at)

    def _in_bounds(self, action: Callable[..., Any], address: int, nbytes: int, *rest: int) -> Any:
        if address < 0 or nbytes < 0 or address + nbytes > settings.MAX_MEMORY:
            raise IndexError(f"{nbytes} bytes at {address} are outside the core's memory")
        try:
            return action(address, nbytes, *rest)
        except JsException as error:
            raise IndexError(str(error)) from None

    def read_i64(self, address: int, n: int) -> tuple[int, ...]:
        return struct.unpack(f"<{n}q", self.read(address, 8 * n))

    # ---- threads ----

    @property
    def num_threads(self) -> int:
        """The number of threads that work, the caller among them."""
        return self.call_export("pwt_get_num_threads")

    def set_num_threads(self, n: int) -> None:
        """Lets at most n of the started threads work."""
        self.call_export("pwt_set_num_threads", settings.thread_count(n))

    async def start_threads(self, n: int) -> int:
        """Makes n threads work, the caller among them, where the page is isolated; returns how many do."""
        n = settings.thread_count(n)
        if self.shared:
            await self._start_workers(n - 1)
        self.set_num_threads(n)
        return self.num_threads

    async def _start_workers(self, n: int) -> None:
        import asyncio

        starter = await self._worker_starter()
        for id in range(len(self._workers) + 1, n + 1):
            stack = self.call_export("pwt_worker_stack", id)
            if not stack:
                break
            self._workers.append(starter.start(to_object({"module": self._core.module, "memory": self._core.memory,
                                                          "id": id, "stack": stack})))
        deadline = time.monotonic() + START_SECONDS
        while self.call_export("pwt_workers_ready") < len(self._workers):
            if starter.errors.length or time.monotonic() > deadline:
                self.stop_threads()
                reason = starter.errors[0] if starter.errors.length else f"none within {START_SECONDS:.0f} seconds"
                raise RuntimeError(f"{n} workers did not start: {reason}")
            await asyncio.sleep(0.001)

    async def _worker_starter(self) -> Any:
        """An object that starts workers with the data that they are given, and collects their errors."""
        text = javascript("worker.js")
        if self._core.isNode:
            threads = await run_js("import('node:worker_threads')")
            return run_js("""(threads, text) => {
                const errors = [];
                const start = (data) => {
                    const worker = new threads.Worker(text, {eval: true, workerData: data});
                    worker.on("error", (error) => errors.push(String(error)));
                    worker.unref();
                    return worker;
                };
                return {start, errors};
            }""")(threads, text)
        return run_js("""(text) => {
            const errors = [];
            const url = URL.createObjectURL(new Blob([text], {type: "text/javascript"}));
            const start = (data) => {
                const worker = new Worker(url);
                worker.onerror = (event) => errors.push(event.message);
                worker.postMessage(data);
                return worker;
            };
            return {start, errors};
        }""")(text)

    def stop_threads(self) -> None:
        """Ends all workers."""
        if self._workers:
            self.call_export("pwt_workers_stop")
            for worker in self._workers:
                worker.terminate()
            self._workers = []


def to_object(items: dict[str, Any]) -> Any:
    """A JavaScript object with these properties."""
    made = js.Object.new()
    for name, value in items.items():
        setattr(made, name, value)
    return made


class MemoryImport:
    """Where a module's memory import has its flags, and how many pages it starts with."""

    def __init__(self, flag_offset: int, minimum_pages: int) -> None:
        self.flag_offset, self.minimum_pages = flag_offset, minimum_pages


def find_memory_import(binary: bytes) -> MemoryImport:
    """Finds `env.memory` in a module. Raises RuntimeError when it is not there."""
    name = b"\x03env\x06memory\x02"
    at = binary.find(name, 8, 4096)
    if at < 0:
        raise RuntimeError("the WebAssembly file has no memory import")
    at += len(name)
    pages = shift = 0
    for byte in binary[at + 1:at + 6]:
        pages |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            break
    return MemoryImport(at, pages)
