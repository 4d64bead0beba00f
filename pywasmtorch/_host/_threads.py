"""The core's workers in CPython: Python threads that enter the core and stay there."""
from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

import wasmtime

from . import _settings

if TYPE_CHECKING:
    from ._wasmtime import WasmtimeHost

STOP_SECONDS = 2.0


class WorkerPool:
    """Threads that work for the core. Once started they stay; fewer may be used. After `fork` they start afresh."""

    def __init__(self, host: WasmtimeHost) -> None:
        self.host = host
        self.threads: list[threading.Thread] = []
        self.traps: list[str] = []
        atexit.register(self.stop)
        _watch_forks(self)

    @property
    def size(self) -> int:
        """The number of threads that are there, the caller among them."""
        return len(self.threads) + 1

    def start(self, n: int) -> None:
        """Makes n threads work, the caller among them: at least 1, at most 16."""
        if not isinstance(n, int) or n < 1:
            raise ValueError(f"expected a positive number of threads, got {n!r}")
        n = min(n, _settings.MAX_THREADS)
        with self.host.lock:
            while self.size < n and self._start_one(self.size):
                pass
            self.host.call_export("pwt_set_num_threads", n)

    def _start_one(self, id: int) -> bool:
        stack = self.host.call_export("pwt_worker_stack", id)
        if not stack:
            return False  # no memory for another stack: fewer threads do the same work
        thread = threading.Thread(target=self._work, args=(id, stack), name=f"pywasmtorch-{id}", daemon=True)
        try:
            thread.start()
        except RuntimeError:
            return False  # the system refuses more threads
        self.threads.append(thread)
        return True

    def _work(self, id: int, stack: int) -> None:
        from ._wasmtime import Caller, Trap, _dropping_lock, address_of, refuse_callback

        store = wasmtime.Store(self.host.engine)
        exports = self.host.instantiate(store, refuse_callback)
        exports["__stack_pointer"].set_value(store, wasmtime.Val.i32(_signed(stack)))
        try:
            Caller(address_of(store._context()), exports["pwt_worker_loop"], _dropping_lock)(id)
        except Trap as trap:
            self.traps.append(str(trap))

    def stop(self) -> None:
        """Sends the workers home and waits for them."""
        if not self.threads:
            return
        self.host.call_export("pwt_workers_stop")
        deadline = time.monotonic() + STOP_SECONDS
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self.threads = []

    def restart_in_child(self) -> None:
        """Starts as many threads as there were before `fork`, which leaves all but one behind."""
        started = self.size
        self.threads, self.traps = [], []
        self.host.call_export("pwt_workers_stop")
        while self.size < started and self._start_one(self.size):
            pass


def _signed(address: int) -> int:
    return address - (1 << 32) if address >= 1 << 31 else address


def _watch_forks(pool: WorkerPool) -> None:
    if not hasattr(os, "register_at_fork"):
        return
    reference = weakref.ref(pool)

    def with_pool(action: Any) -> Any:
        def hook() -> None:
            if (alive := reference()) is not None:
                action(alive)
        return hook

    def after_in_child(pool: WorkerPool) -> None:
        pool.host.lock.release()
        pool.restart_in_child()

    os.register_at_fork(before=with_pool(lambda pool: pool.host.lock.acquire()),
                        after_in_parent=with_pool(lambda pool: pool.host.lock.release()),
                        after_in_child=with_pool(after_in_child))
