"""HostBase, CoreTrap, LinAlgError: errors and the release of dead tensors, shared by both hosts."""
from __future__ import annotations

import struct
import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, NoReturn

from .interrupts import breathe

HOST_ERROR = 7
RELEASE_SLOTS = 4096
LATE = 2
START_THREADS, RELEASE, PATIENCE, BREATHE = 0, 6, 9, 12  # callback kinds that leave the frame as it is


class LinAlgError(RuntimeError):
    """A matrix is singular, or an iteration did not converge."""

    __module__ = "torch.linalg"


ERROR_TYPES: dict[int, type[Exception]] = {
    1: RuntimeError, 2: ValueError, 3: TypeError, 4: IndexError, 5: NotImplementedError, 6: MemoryError, 8: KeyError,
    9: LinAlgError,
}
TRAP_TEXT = ("the tensor core stopped: {}. This is a bug in pywasmtorch; please report it with the lines that led "
             "to it. Later calls work, but tensors of this call may be lost.")


class CoreTrap(RuntimeError):
    """The core hit a WebAssembly trap; always a bug in pywasmtorch."""


def make_release(dead: list[int], release: Any, empty_area: Callable[[], object]) -> tuple[Callable[[Any], None], Callable[[], None]]:
    """`Host.finalize` and `Host.flush` over the release area, which is filled in turn; the core leaves 0 where it took a handle. `empty_area` has it
    take all. Between the choice of a slot and the step to the next there is no call, so that the interpreter switches neither to another thread nor
    to another finalizer there; without its lock it might."""
    slots, last = RELEASE_SLOTS, RELEASE_SLOTS - 1  # the module's names are gone before its last tensors
    take = dead.pop
    at = 0

    def flush() -> None:
        nonlocal at
        while dead:
            try:
                handle = take()
            except IndexError:
                return
            if at < slots:
                release[at] = handle
                at += 1
            elif release[last]:
                dead.append(handle)
                empty_area()
            else:
                release[0] = handle
                at = 1

    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        def finalize_anywhere(tensor: Any) -> None:
            try:
                dead.append(tensor._h)
            except AttributeError:
                pass  # it never got a handle

        return finalize_anywhere, flush

    def finalize(tensor: Any) -> None:
        nonlocal at
        try:
            if at < slots:
                release[at] = tensor._h
                at += 1
            elif release[last]:
                dead.append(tensor._h)
            else:
                release[0] = tensor._h
                at = 1
        except AttributeError:
            pass  # it never got a handle

    return finalize, flush


def no_callback(kind: int, id: int) -> int:
    raise RuntimeError(f"the core called back (kind {kind}, id {id}) but nothing is registered")


class HostBase:
    """State and slow paths that do not depend on the engine."""

    def __init__(self) -> None:
        self.dead: list[int] = []
        self._callback: Callable[[int, int], int] = no_callback
        self._breathed = 0.0
        self._stopped = False  # by a trap, once

    def start_core(self, abi_version: int) -> int:
        """Checks the version and starts the core; returns the frame's address."""
        actual = self.call_export("pwt_abi_version")
        if actual != abi_version:
            raise RuntimeError(f"the binary has ABI version {actual}, this package needs {abi_version}")
        return self.call_export("pwt_start")

    def set_callback(self, callback: Callable[[int, int], int]) -> None:
        self._callback = callback

    def raise_error(self) -> NoReturn:
        thread = self.this_thread()
        pending, thread.pending = thread.pending, None
        if (trap := self._take_trap()) is not None:
            self.raise_trap(trap, pending)
        kind, length = struct.unpack("<2i", self.read(thread.error_address, 8))
        if kind == HOST_ERROR:
            try:
                raise pending or KeyboardInterrupt()
            finally:
                del pending  # else it holds this frame, which holds it, and both the caller's tensors until the collector comes
        message = self.read(thread.error_address + 8, length).decode("utf-8", "replace")
        if self._stopped and message.endswith("is not a living tensor"):
            message = f"this tensor is gone: the tensor core stopped in an earlier call and was restarted without the tensors of that time ({message})"
        raise ERROR_TYPES.get(kind, RuntimeError)(message)

    def raise_trap(self, trap: str, cause: BaseException | None = None) -> NoReturn:
        self._stopped = True
        raise CoreTrap(TRAP_TEXT.format(trap)) from cause

    def run_callback(self, kind: int, id: int) -> int:
        """Runs the registered callback; keeps its exception for `raise_error` and returns non-zero for it. Callbacks that
        succeed while the core unwinds leave the exception where it is."""
        try:
            if kind == BREATHE:
                late = self._breathed + 0.002 < perf_counter()
                breathe()
                self._breathed = perf_counter()
                return LATE if late else 0
            if kind in (START_THREADS, PATIENCE):
                self.serve_threads(kind)
                return 0
            status = self._callback(kind, id) or 0
        except BaseException as error:
            self.this_thread().pending = error
            return 1
        if status:
            self.this_thread().pending = None
        return status

    def serve_threads(self, kind: int) -> None:
        """Does what the core asks for its workers; nothing where they start otherwise."""

    def alloc(self, nbytes: int) -> int:
        """Allocates raw memory in the core; returns its address. Raises MemoryError."""
        if not 0 <= nbytes < 1 << 32:
            raise MemoryError(f"cannot allocate {nbytes} bytes")
        return self.call_export("pwt_alloc_buffer", nbytes) or self.raise_error()

    def lend(self, items: int) -> int:
        """Memory in the core for a list of so many words, until the end of the next call. Raises MemoryError."""
        return self.call_export("pwt_lend", items) or self.raise_error()

    def free(self, address: int) -> None:
        self.call_export("pwt_free", address)

    def set_memory_limit(self, nbytes: int) -> None:
        self.memory_limit = nbytes
        self.call_export("pwt_set_memory_limit", nbytes)

    def this_thread(self) -> Any:
        """What the calling thread keeps: `pending`, the exception of a callback, and `error_address`."""
        raise NotImplementedError

    def _take_trap(self) -> str | None:
        raise NotImplementedError

    def call_export(self, name: str, *arguments: int) -> int:
        raise NotImplementedError

    def read(self, address: int, nbytes: int) -> bytes:
        raise NotImplementedError

    def write(self, address: int, buffer: Any) -> None:
        raise NotImplementedError

    def read_i64(self, address: int, n: int) -> tuple[int, ...]:
        raise NotImplementedError
