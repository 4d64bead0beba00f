"""DataLoader."""

import sys
import warnings
from types import GenericAlias
from typing import Any

import pywasmtorch as torch

from ._utils.collate import default_collate, default_convert
from ._utils.fetch import _IterableDatasetFetcher, _MapDatasetFetcher
from ._utils.worker import context_of, get_worker_info
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler

__all__ = ["DataLoader", "default_collate", "default_convert", "get_worker_info"]


class _DatasetKind:
    """How samples are got: by index, or one after the other."""

    Map = 0
    Iterable = 1

    @staticmethod
    def create_fetcher(kind, dataset, auto_collation, collate_fn, drop_last):
        fetcher = _MapDatasetFetcher if kind == _DatasetKind.Map else _IterableDatasetFetcher
        return fetcher(dataset, auto_collation, collate_fn, drop_last)


class _InfiniteConstantSampler(Sampler):
    def __iter__(self):
        while True:
            yield None


class DataLoader:
    """Batches of a dataset.

    Args:
        dataset (Dataset): samples by index, or an :class:`IterableDataset`.
        batch_size (int or None): how many samples a batch has; None gives single samples. Default: 1.
        shuffle (bool, optional): take the samples in random order. Default: ``False``.
        sampler (iterable, optional): the order, in place of ``shuffle``.
        batch_sampler (iterable, optional): lists of indices, in place of the arguments above and ``drop_last``.
        num_workers (int): processes that fetch batches; in Pyodide there are none. Default: 0.
        collate_fn (callable, optional): makes a batch of a list of samples. Default: :func:`default_collate`, or
            :func:`default_convert` of a sample where there are no batches.
        pin_memory (bool): accepted; warns, for there is no accelerator. Default: ``False``.
        drop_last (bool): leave out a last batch that is too short. Default: ``False``.
        timeout (float): seconds to wait for a batch of a worker; 0 is for ever.
        worker_init_fn (callable, optional): called in each worker with its number.
        multiprocessing_context (str or context, optional): how processes start.
        prefetch_factor (int, optional): batches that each worker fetches ahead. Default: 2.
        persistent_workers (bool): keep the processes for the next pass.
        in_order (bool): batches come in the sampler's order; otherwise as they are ready.
        pin_memory_device: accepted.
        generator (Generator, optional): the source of the order and of the iterator's seed. Default: the default one.
    """

    __class_getitem__: Any = classmethod(GenericAlias)

    _fixed_attributes = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
    _initialized = False

    def __init__(
        self,
        dataset,
        batch_size=1,
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        num_workers=0,
        collate_fn=None,
        pin_memory=False,
        drop_last=False,
        timeout=0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
        *,
        prefetch_factor=None,
        persistent_workers=False,
        pin_memory_device="",
        in_order=True,
    ):
        _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context)
        is_iterable = isinstance(dataset, IterableDataset)
        if is_iterable:
            _check_iterable(shuffle, sampler, batch_sampler)
        _check_batching(batch_size, shuffle, sampler, batch_sampler, drop_last)
        if batch_sampler is not None:
            batch_size = None
        if sampler is None:
            if is_iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        if collate_fn is None:
            collate_fn = default_convert if batch_sampler is None else default_collate
        self.dataset = dataset
        self.num_workers = num_workers
        self.prefetch_factor = 2 if num_workers > 0 and prefetch_factor is None else prefetch_factor
        self.pin_memory = pin_memory
        self.pin_memory_device = pin_memory_device
        self.timeout = timeout
        self.worker_init_fn = worker_init_fn
        self.multiprocessing_context = multiprocessing_context
        self.in_order = in_order
        self.batch_size = batch_size
        self.drop_last = drop_last
        self.sampler = sampler
        self.batch_sampler = batch_sampler
        self.generator = generator
        self.collate_fn = collate_fn
        self.persistent_workers = persistent_workers
        self._is_iterable = is_iterable
        self._iterable_length = None
        self._iterator = None
        self._initialized = True

    def __setattr__(self, name, value):
        if self._initialized and name in self._fixed_attributes:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    def __iter__(self):
        if not self.persistent_workers:
            return _DataLoaderIter(self)
        if self._iterator is None:
            self._iterator = _DataLoaderIter(self)
        else:
            self._iterator._again(self)
        return self._iterator

    def __getstate__(self):
        return {**self.__dict__, "_iterator": None}

    def __len__(self):
        if not self._is_iterable:
            return len(self._index_sampler)
        self._iterable_length = length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


def _check_workers(num_workers, timeout, prefetch_factor, persistent_workers, multiprocessing_context):
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0:
        if prefetch_factor is not None:
            raise ValueError(
                "prefetch_factor option could only be specified in multiprocessing."
                "let num_workers > 0 to enable multiprocessing, otherwise set prefetch_factor to None."
            )
        if persistent_workers:
            raise ValueError("persistent_workers option needs num_workers > 0")
        if multiprocessing_context is not None:
            raise ValueError(
                "multiprocessing_context can only be used with multi-process loading (num_workers > 0), "
                f"but got num_workers={num_workers}"
            )
        return
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if sys.platform == "emscripten":
        raise NotImplementedError(f"a page has no worker processes for DataLoader: num_workers must be 0 in Pyodide, but got {num_workers}")
    context_of(multiprocessing_context)


def _check_iterable(shuffle, sampler, batch_sampler):
    given = {"shuffle": shuffle or None, "sampler": sampler, "batch_sampler": batch_sampler}
    for name, value in given.items():
        if value is not None:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}")


def _check_batching(batch_size, shuffle, sampler, batch_sampler, drop_last):
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None:
        if batch_size != 1 or shuffle or sampler is not None or drop_last:
            raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    elif batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


class _DataLoaderIter:
    """One pass over a loader's dataset."""

    def __init__(self, loader):
        if loader.num_workers == 0 and loader.timeout != 0:
            raise AssertionError(f"loading without worker processes requires timeout == 0, but got {loader.timeout}")
        if loader.pin_memory:
            warnings.warn(
                "'pin_memory' argument is set as true but no accelerator is found, then device pinned memory won't be used.",
                stacklevel=3,
            )
        self._dataset = loader.dataset
        self._index_sampler = loader._index_sampler
        self._sampler_iter = iter(self._index_sampler)
        # Workers derive their seeds from it; without any it still moves the generator on, as in torch.
        self._base_seed = torch.empty((), dtype=torch.int64).random_(generator=loader.generator).item()
        self._workers = None
        if loader.num_workers > 0:
            from ._workers import Workers

            self._workers = Workers(loader, self._base_seed)
            self._workers.begin(self._sampler_iter)
        fetcher = None if self._workers else _IterableDatasetFetcher if loader._is_iterable else _MapDatasetFetcher
        self._fetcher = fetcher and fetcher(loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last)
        self._expected_length = loader._iterable_length
        self._num_yielded = 0

    def __iter__(self):
        return self

    def _again(self, loader):
        self._sampler_iter = iter(self._index_sampler)
        self._expected_length, self._num_yielded = loader._iterable_length, 0
        self._workers.begin(self._sampler_iter, again=True)

    def __next__(self):
        batch = self._workers.next() if self._workers else self._fetcher.fetch(next(self._sampler_iter))
        self._num_yielded += 1
        if self._expected_length is not None and self._num_yielded > self._expected_length:
            warnings.warn(
                f"Length of IterableDataset {self._dataset} was reported to be {self._expected_length}"
                f"(when accessing len(dataloader)), but {self._num_yielded} samples have been fetched. ",
                stacklevel=2,
            )
        return batch

    def __len__(self):
        return len(self._index_sampler)

    def __getstate__(self):
        raise NotImplementedError(f"{type(self).__name__} cannot be pickled")
