"""worker_loop, get_worker_info and ExceptionWrapper: code of worker processes."""

import os
import pickle
import queue
import random
import sys
import traceback

import pywasmtorch as torch

CHECK_INTERVAL = 5.0  # seconds between looks at whether the other side still lives

_info = None


class WorkerInfo:
    """What a worker knows of itself: `id`, `num_workers`, `seed`, and its copy of `dataset`."""

    _keys = ("id", "num_workers", "seed", "dataset")
    _initialized = False

    def __init__(self, **values):
        self.__dict__.update(values)
        self._initialized = True

    def __setattr__(self, name, value):
        if self._initialized:
            raise RuntimeError(f"Cannot assign attributes to {type(self).__name__} objects")
        super().__setattr__(name, value)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{key}={getattr(self, key)}' for key in self._keys)})"


def get_worker_info():
    """The :class:`WorkerInfo` in a worker process; None in the main process."""
    return _info


class KeyErrorMessage(str):
    """A KeyError's message whose lines stay lines."""

    def __repr__(self):
        return str(self)


class ExceptionWrapper:
    """An exception of a worker with its traceback as text."""

    def __init__(self, where):
        kind, value, trace = sys.exc_info()
        self.exc_type, self.where = kind, where
        self.exc_msg = "".join(traceback.format_exception(kind, value, trace))

    def reraise(self):
        """Raises an exception of the same class, or a RuntimeError where that takes other arguments."""
        message = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            message = KeyErrorMessage(message)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=message)
        try:
            exception = self.exc_type(message)
        except Exception:
            raise RuntimeError(message) from None
        raise exception


class Ended:
    """A worker's iterable dataset has no more."""

    def __init__(self, worker_id):
        self.worker_id = worker_id


class Resume:
    """To workers that persist: another pass begins."""


def dumps(value):
    """Pickled here and now: a queue's own thread must not call the core."""
    from multiprocessing.reduction import ForkingPickler  # not in a page

    return bytes(ForkingPickler.dumps(value))


def _seed_all(seed, base_seed, worker_id):
    random.seed(seed)
    torch.manual_seed(seed)
    if "numpy" in sys.modules:
        numpy = sys.modules["numpy"]
        words = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32, 0]
        numpy.random.seed(numpy.random.SeedSequence(words).generate_state(4))


def worker_loop(make_fetcher, dataset, indices, results, done, base_seed, init_fn, worker_id, num_workers):
    """Fetches batches until it is told to end, or the main process is gone."""
    global _info
    parent, failure, fetcher, ended = os.getppid(), None, None, False
    torch.set_num_threads(1)
    seed = base_seed + worker_id
    _info = WorkerInfo(id=worker_id, num_workers=num_workers, seed=seed, dataset=dataset)
    try:
        _seed_all(seed, base_seed, worker_id)
        if init_fn is not None:
            init_fn(worker_id)
        fetcher = make_fetcher(dataset)
    except Exception:
        failure = ExceptionWrapper(f"in DataLoader worker process {worker_id}")
    while True:
        try:
            task = indices.get(timeout=CHECK_INTERVAL)
        except queue.Empty:
            if os.getppid() != parent or done.is_set():
                break
            continue
        except (EOFError, OSError, KeyboardInterrupt):
            break
        task = pickle.loads(task)
        if task is None:
            break
        if isinstance(task, Resume):
            ended = False
            results.put(dumps((task, None)))
            try:
                fetcher = fetcher and make_fetcher(dataset)
            except Exception:
                failure = ExceptionWrapper(f"in DataLoader worker process {worker_id}")
            continue
        if done.is_set() or ended:
            continue
        number, index = task
        if failure is not None:
            data, failure = failure, None
        else:
            try:
                data = fetcher.fetch(index)
            except StopIteration as stop:
                if fetcher is not None and getattr(fetcher, "dataset_iter", None) is not None:
                    data, ended = Ended(worker_id), True
                else:
                    del stop
                    data = ExceptionWrapper(f"in DataLoader worker process {worker_id}")
            except Exception:
                data = ExceptionWrapper(f"in DataLoader worker process {worker_id}")
        try:
            message = dumps((number, data))
        except Exception:
            message = dumps((number, ExceptionWrapper(f"in DataLoader worker process {worker_id}")))
        results.put(message)
        del data, message
    if done.is_set():
        results.cancel_join_thread()
        results.close()


def context_of(wanted):
    """A start method's context. ValueError for a name that this system has not, TypeError for other things."""
    import multiprocessing

    if wanted is None:
        return multiprocessing.get_context()
    if isinstance(wanted, str):
        valid = multiprocessing.get_all_start_methods()
        if wanted not in valid:
            raise ValueError(f"multiprocessing_context option should specify a valid start method in {valid!r}, but got multiprocessing_context={wanted!r}")
        return multiprocessing.get_context(wanted)
    if not isinstance(wanted, multiprocessing.context.BaseContext):
        raise TypeError(f"multiprocessing_context option should be a valid context object or a string specifying the start method, but got multiprocessing_context={wanted}")
    return wanted
