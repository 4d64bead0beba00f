"""Host: the protocol that wasmtime_host and pyodide_host implement."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Protocol

ABI_VERSION = 1
FRAME_SLOTS = 65536
LIST_IN_FRAME = 4096  # items; of a longer list the frame holds the address
SHORT_FRAME = 64  # slots that nearly every call gets along with


class Host(Protocol):
    """One running core.

    Frames are filled from the first slot on, without gaps. A call: let the dead go with `if dead: flush()`, write the arguments to `words` and `doubles`, call `invoke`, and
    where it returns 0 call `raise_error()`.
    Each thread of Python has a frame and an `invoke` of its own: `enter_thread()` gives them, and what stands here are those of the first.
    """

    words: Any  # the frame's slots as integers: memoryviews, indexed like lists
    doubles: Any  # the same slots as floats
    dead: list[int]
    memory_limit: int

    @property
    def sha256(self) -> str:
        """The digest of the WebAssembly file that runs."""

    @property
    def description(self) -> str:
        """The engine, in words."""

    def invoke(self, op_and_count: int) -> int:
        """Runs an operator; returns the first result's handle or 1, and 0 after an error."""

    def enter_thread(self) -> Any:
        """What the calling thread calls the core with, until it ends: an object with `words`, `doubles`, `invoke` and `direct`, which may be None."""

    def finalize(self, tensor: Any) -> None:
        """To be `Tensor.__del__`: hands `tensor._h` to the core, or appends it to `dead` when too many have gone."""

    def flush(self) -> None:
        """Hands the handles in `dead` to the core, which releases them by the next call."""

    def raise_error(self) -> NoReturn:
        """Raises what the last call failed with."""

    def read(self, address: int, nbytes: int) -> bytes: ...
    def write(self, address: int, buffer: Any) -> None: ...
    def read_i64(self, address: int, n: int) -> tuple[int, ...]: ...

    def view(self, address: int, nbytes: int) -> memoryview:
        """A writable view of the core's memory without a copy; NotImplementedError on Pyodide."""

    def alloc(self, nbytes: int) -> int: ...
    def lend(self, items: int) -> int: ...
    def free(self, address: int) -> None: ...

    def set_callback(self, callback: Callable[[int, int], int]) -> None:
        """`callback(kind, id)` runs when the core calls back. An exception in it ends the call and is raised again by
        `raise_error`."""

    @property
    def num_threads(self) -> int:
        """The number of threads that may work on one call, the caller among them."""

    def set_num_threads(self, n: int) -> None:
        """Lets n threads work; on Pyodide at most as many as were started. Raises ValueError when n is below 1."""

    def start_threads(self, n: int) -> Any:
        """Starts threads so that n work. On Pyodide a coroutine; CPython starts them by itself when they are needed."""

    def call_export(self, name: str, *arguments: int) -> int:
        """Calls any other export of the core; for what is called seldom."""
