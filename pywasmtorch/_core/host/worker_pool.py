"""WorkerPool: the core's worker threads in CPython."""
from __future__ import annotations

import atexit
import os
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any

import wasmtime

from . import settings
from .caller import DROPPING_LOCK, Caller, Trap, address_of, refuse_callback, signed
from .thread_watch import own_threads

if TYPE_CHECKING:
    from .wasmtime_host import WasmtimeHost

START_SECONDS = 0.5
STOP_SECONDS = 2.0


class WorkerPool:
    """Threads that work for the core. Once started they stay; fewer may be used. After `fork` they start afresh."""

    def __init__(self, host: WasmtimeHost) -> None:
        self.host = host
        self.threads: list[threading.Thread] = []
        self.lost = 0  # threads that would not stop: their stacks are still in use
        self.traps: list[str] = []
        self.want(settings.default_threads())
        atexit.register(self.stop)
        _watch_forks(self)

    def want(self, n: int) -> None:
        """Lets n threads work, the caller among them: at least 1, at most 16. They start when they are needed."""
        self.wanted = settings.thread_count(n)
        self.host.call_export("pwt_set_num_threads", self.wanted)
        if self.threads:
            self.start()

    def start(self) -> None:
        """Starts what is missing of the wanted threads."""
        while len(self.threads) + 1 < self.wanted and self._start_one(self.lost + len(self.threads) + 1):
            pass
        # a thread needs the interpreter to enter the core, and the calls that follow would keep it
        deadline = time.monotonic() + START_SECONDS
        while self.host.call_export("pwt_workers_ready") < len(self.threads) and time.monotonic() < deadline:
            time.sleep(0.0005)

    def _start_one(self, id: int) -> bool:
        stack = self.host.call_export("pwt_worker_stack", id)
        if not stack:
            return False  # no memory for another stack: fewer threads do the same work
        thread = threading.Thread(target=self._work, args=(id, stack), name=f"pywasmtorch-{id}", daemon=True)
        try:
            with own_threads():
                thread.start()
        except RuntimeError:
            return False  # the system refuses more threads
        self.threads.append(thread)
        return True

    def _work(self, id: int, stack: int) -> None:
        store = wasmtime.Store(self.host.engine)
        exports = self.host.instantiate(store, refuse_callback)
        exports["__stack_pointer"].set_value(store, wasmtime.Val.i32(signed(stack)))
        context = address_of(store._context())
        try:
            Caller(context, exports["pwt_worker_loop"], DROPPING_LOCK)(id)
        except Trap as trap:
            self.traps.append(str(trap))
            Caller(context, exports["pwt_worker_failed"])()

    def stop(self) -> None:
        """Sends the workers home and waits for them."""
        if not self.threads:
            return
        self.host.call_export("pwt_workers_stop")
        deadline = time.monotonic() + STOP_SECONDS
        for thread in self.threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self.lost += sum(thread.is_alive() for thread in self.threads)
        self.threads = []

    def forget(self) -> None:
        """In a forked child: the threads stayed with the parent; new ones start when they are needed."""
        self.threads, self.traps, self.lost = [], [], 0
        self.host.call_export("pwt_workers_stop")


def _watch_forks(pool: WorkerPool) -> None:
    if not hasattr(os, "register_at_fork"):
        return
    reference = weakref.ref(pool)

    def with_pool(action: Any) -> Any:
        def hook() -> None:
            if (alive := reference()) is not None:
                action(alive)
        return hook

    os.register_at_fork(after_in_child=with_pool(WorkerPool.forget))
