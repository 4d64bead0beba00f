"""Workers: one epoch of batches fetched by worker processes."""

import functools
import itertools
import os
import pickle
import queue
import sys
import time

from ._utils.fetch import _IterableDatasetFetcher, _MapDatasetFetcher
from ._utils.worker import CHECK_INTERVAL, Ended, ExceptionWrapper, Resume, context_of, dumps, worker_loop

JOIN_SECONDS = 5.0


def _fetcher(is_iterable, auto_collation, collate_fn, drop_last, dataset):
    return (_IterableDatasetFetcher if is_iterable else _MapDatasetFetcher)(dataset, auto_collation, collate_fn, drop_last)


class Workers:
    """The processes, their queues, and the numbers of what was asked for and what has come.

    Batch `n` goes to worker `n` modulo their number (those that have ended are passed over) and comes out as the n-th one.
    """

    def __init__(self, loader, base_seed):
        self.count, self.timeout, self.in_order = loader.num_workers, loader.timeout, loader.in_order
        self.persistent, self.is_iterable = loader.persistent_workers, loader._is_iterable
        self.limit = loader.prefetch_factor * loader.num_workers
        self.owner, self.open = os.getpid(), True
        context = context_of(loader.multiprocessing_context)
        self.results, self.done = context.Queue(), context.Event()
        self.queues, self.processes = [], []
        make = functools.partial(_fetcher, loader._is_iterable, loader._auto_collation, loader.collate_fn, loader.drop_last)
        for i in range(self.count):
            indices = context.Queue()
            indices.cancel_join_thread()
            process = context.Process(
                target=worker_loop, daemon=True,
                args=(make, loader.dataset, indices, self.results, self.done, base_seed, loader.worker_init_fn, i, self.count))
            process.start()
            self.queues.append(indices)
            self.processes.append(process)

    def begin(self, sampler, again=False):
        """Starts a pass over the indices of `sampler`."""
        self.sampler = sampler
        self.sent, self.wanted, self.waiting = 0, 0, 0
        self.tasks = {}  # number: [worker, data where it has come]
        self.active = [True] * self.count
        self.turn = itertools.cycle(range(self.count))
        if again:
            for indices in self.queues:
                indices.put(dumps(Resume()))
            left = self.count
            while left:
                number, _ = self._receive()
                left -= isinstance(number, Resume)
        for _ in range(self.limit):
            self._ask()

    def _ask(self):
        if self.waiting >= self.limit:
            return
        try:
            index = next(self.sampler)
        except StopIteration:
            return
        for _ in range(self.count):
            worker = next(self.turn)
            if self.active[worker]:
                break
        else:
            return
        self.queues[worker].put(dumps((self.sent, index)))
        self.tasks[self.sent] = [worker]
        self.sent += 1
        self.waiting += 1

    def _receive(self):
        limit = time.monotonic() + self.timeout if self.timeout else None
        while True:
            wait = CHECK_INTERVAL if limit is None else max(min(CHECK_INTERVAL, limit - time.monotonic()), 0.0)
            try:
                return pickle.loads(self.results.get(timeout=wait))
            except queue.Empty:
                pass
            dead = [p for i, p in enumerate(self.processes) if self.active[i] and not p.is_alive()]
            if dead:
                for p in dead:
                    self.active[self.processes.index(p)] = False
                raise RuntimeError(f"DataLoader worker (pid(s) {', '.join(str(p.pid) for p in dead)}) exited unexpectedly")
            if limit is not None and time.monotonic() >= limit:
                raise RuntimeError(f"DataLoader timed out after {self.timeout} seconds")

    def next(self):
        """The next batch. StopIteration at the end; what a worker raised; RuntimeError for dead workers and after the timeout."""
        while True:
            while self.wanted < self.sent:
                task = self.tasks.get(self.wanted)
                if task is not None and (len(task) == 2 or self.active[task[0]]):
                    break
                self.tasks.pop(self.wanted, None)
                self.wanted += 1
            else:
                if not self.persistent:
                    self.close()
                raise StopIteration
            if len(self.tasks[self.wanted]) == 2:
                data = self.tasks.pop(self.wanted)[1]
                self.wanted += 1
                return self._given(data)
            number, data = self._receive()
            self.waiting -= 1
            if isinstance(data, Ended):
                self.active[data.worker_id] = False
                if not self.persistent:
                    self.queues[data.worker_id].put(dumps(None))
                self.tasks.pop(number, None)
                # what else it was asked for does not come
                self.waiting -= sum(1 for t in self.tasks.values() if t[0] == data.worker_id and len(t) == 1)
                self._ask()
            elif number == self.wanted or not self.in_order:
                del self.tasks[number]
                self.wanted += number == self.wanted
                return self._given(data)
            else:
                self.tasks[number].append(data)

    def _given(self, data):
        self._ask()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data

    def close(self):
        """Ends the processes."""
        if not self.open or os.getpid() != self.owner:
            return
        self.open = False
        self.done.set()
        for indices in self.queues:
            try:
                indices.put(dumps(None))
            except (OSError, ValueError):
                pass
        for process in self.processes:
            process.join(timeout=JOIN_SECONDS)
            if process.is_alive():
                process.terminate()
                process.join()
        for indices in (*self.queues, self.results):
            indices.cancel_join_thread()
            indices.close()

    def __del__(self):
        # at the interpreter's end its processes, daemons, have been ended already
        if getattr(self, "open", False) and not sys.is_finalizing():
            self.close()
