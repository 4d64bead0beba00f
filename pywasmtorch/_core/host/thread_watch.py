"""Notices that Python is about to run another thread, which then must not share what one thread alone used."""
from __future__ import annotations

import _thread
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_STARTERS = [(module, name) for module in (_thread, threading)
             for name in ("start_new_thread", "start_new", "start_joinable_thread", "_start_new_thread", "_start_joinable_thread") if hasattr(module, name)]
_own = 0  # threads of this package, which run no program


@contextmanager
def own_threads() -> Iterator[None]:
    """Threads that start in here run nothing but the core's loops."""
    global _own
    _own += 1
    try:
        yield
    finally:
        _own -= 1


def before_another_thread(action: Callable[[], None]) -> None:
    """Calls `action` before the first thread of the program beside this one starts: at once where there is one already."""
    if threading.active_count() > 1:
        action()
        return

    def watched(start: Any) -> Any:
        def start_thread(*arguments: Any, **names: Any) -> Any:
            if not _own:
                action()
            return start(*arguments, **names)

        return start_thread

    for module, name in _STARTERS:
        setattr(module, name, watched(getattr(module, name)))
