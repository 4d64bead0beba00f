"""torch.futures: Future, collect_all, wait_all: a value that a thread or a callback sets once."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Any

from ._core.names import absent as _absent

__all__ = ["Future", "collect_all", "wait_all"]


class _FutureMeta(type):
    def __getitem__(cls, item: Any) -> type:
        return cls


class Future(metaclass=_FutureMeta):
    """A value, or an exception, that is set once. `devices` may be empty or name the CPU."""

    def __init__(self, *, devices: Sequence[Any] | None = None) -> None:
        self._done_event, self._lock = threading.Event(), threading.Lock()
        self._value: Any = None
        self._error: BaseException | None = None
        self._callbacks: list[Callable[[Future], Any]] = []

    def done(self) -> bool:
        return self._done_event.is_set()

    def wait(self) -> Any:
        """Waits until it is set; the value, or the exception raised."""
        self._done_event.wait()
        if self._error is not None:
            raise self._error
        return self._value

    def value(self) -> Any:
        """The value of a future that is done; RuntimeError of one that is not, the exception of one that failed."""
        if not self.done():
            raise RuntimeError("value() needs a future that is done")
        return self.wait()

    def _set(self, value: Any, error: BaseException | None) -> None:
        with self._lock:
            if self.done():
                raise RuntimeError("Future can only be marked completed once.")
            self._value, self._error = value, error
            self._done_event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback(self)

    def set_result(self, result: Any) -> None:
        """RuntimeError where it is set already."""
        self._set(result, None)

    def set_exception(self, result: BaseException) -> None:
        """AssertionError for anything but an exception."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._set(None, result)

    def add_done_callback(self, callback: Callable[[Future], Any]) -> None:
        """Calls `callback(self)` when it is set, or at once where it is."""
        with self._lock:
            if not self.done():
                self._callbacks.append(callback)
                return
        callback(self)

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """A future of what `callback(self)` gives."""
        after = Future()

        def run(before: Future) -> None:
            try:
                value = callback(before)
            except Exception as error:  # what a callback raises is the next future's
                after.set_exception(error)
            else:
                after.set_result(value)

        self.add_done_callback(run)
        return after


def collect_all(futures: Sequence[Future]) -> Future:
    """A future of the list, which is set when all of them are."""
    all_of_them, left, lock = Future(), [len(futures)], threading.Lock()

    def one(_: Future) -> None:
        with lock:
            left[0] -= 1
            last = not left[0]
        if last:
            all_of_them.set_result(list(futures))

    for future in futures:
        future.add_done_callback(one)
    if not futures:
        all_of_them.set_result([])
    return all_of_them


def wait_all(futures: Sequence[Future]) -> list[Any]:
    """The values, when all of them are there; the first exception raised."""
    return [future.wait() for future in collect_all(futures).wait()]


__getattr__ = _absent(__name__)
