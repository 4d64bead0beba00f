"""Caller: calls WebAssembly from CPython through wasmtime's C function, with arguments prepared once."""
from __future__ import annotations

import ctypes
from ctypes import c_int32, c_int64, c_size_t, c_void_p
from functools import partial
from typing import Any

import wasmtime
from wasmtime import _ffi as ffi

# PyDLL keeps the interpreter lock during a call, CDLL lets go of it
KEEPING_LOCK = ctypes.PyDLL(ffi.dll._name)
DROPPING_LOCK = ctypes.CDLL(ffi.dll._name)
NewCallback = ctypes.CFUNCTYPE(c_void_p, c_void_p, c_void_p, ctypes.POINTER(c_int32), c_size_t)


@NewCallback
def refuse_callback(env: int, caller: int, slots: Any, n: int) -> None:
    """The callback of workers, which never call back."""
    slots[0] = 1


class Trap(Exception):
    """A call ended in a WebAssembly trap."""


def pointer(address: int) -> Any:
    """An argument for a foreign call, converted once instead of at every call."""
    return c_void_p.from_param(address)


class Caller:
    """Calls one export without checks. `words[0]`, `words[2]`, … are the arguments, then the result."""

    def __init__(self, context: int, function: wasmtime.Func, dll: Any = KEEPING_LOCK) -> None:
        self.function = function
        self.slots = (c_int64 * 16)()
        self.words = memoryview(self.slots).cast("B").cast("q")
        self.trap = c_void_p()
        call = dll._FuncPtr(("wasmtime_func_call_unchecked", dll))
        call.restype = None
        self.call = partial(call, pointer(context), pointer(ctypes.addressof(function._func)),
                            pointer(ctypes.addressof(self.slots)), c_size_t(8),
                            pointer(ctypes.addressof(self.trap)))

    def __call__(self, *arguments: int) -> int:
        for i, argument in enumerate(arguments):
            self.words[2 * i] = argument
        self.call()
        if self.trap.value:
            raise Trap(self.take_trap())
        return self.words[0] & 0xFFFFFFFF

    def take_trap(self) -> str | None:
        """The last call's trap message, once; None when it did not trap."""
        address, self.trap.value = self.trap.value, None
        if not address:
            return None
        trap = wasmtime.Trap._from_ptr(ctypes.cast(address, ctypes.POINTER(ffi.wasm_trap_t)))
        return trap.message.splitlines()[-1].strip() if trap.trap_code is None else trap.trap_code.name


class GlobalReader:
    """Reads a global of type i32 and keeps the interpreter lock: whoever lets go of it for a moment starts the wait of the other threads anew,
    and they ask for the lock only after five milliseconds of waiting."""

    def __init__(self, context: int, variable: wasmtime.Global) -> None:
        self.variable, self.value = variable, ffi.wasmtime_val_t()
        get = KEEPING_LOCK._FuncPtr(("wasmtime_global_get", KEEPING_LOCK))
        get.restype = None
        self.get = partial(get, pointer(context), pointer(ctypes.addressof(variable._global)), pointer(ctypes.addressof(self.value)))

    def __call__(self) -> int:
        self.get()
        return self.value.of.i32


def address_of(thing: Any) -> int:
    """The address that a ctypes pointer holds."""
    return ctypes.cast(thing, c_void_p).value or 0


def signed(address: int) -> int:
    """An address as WebAssembly's i32."""
    return address - (1 << 32) if address >= 1 << 31 else address
