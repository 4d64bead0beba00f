"""Sampler, SequentialSampler, RandomSampler, SubsetRandomSampler, WeightedRandomSampler, BatchSampler."""

from itertools import chain, islice, repeat
from types import GenericAlias
from typing import Any

import pywasmtorch as torch

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]


class Sampler:
    """An iterable of indices: subclasses define ``__iter__`` and, for most uses, ``__len__``."""

    __class_getitem__: Any = classmethod(GenericAlias)

    def __iter__(self):
        raise NotImplementedError(f"{type(self).__name__} should implement __iter__.")


class SequentialSampler(Sampler):
    """0, 1, … up to the length of ``data_source``."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """Permutations of the indices, or independent draws.

    Args:
        data_source (sized): what the indices belong to.
        replacement (bool): draw each index from all of them. Default: ``False``.
        num_samples (int, optional): how many. Default: the length of ``data_source``.
        generator (Generator, optional): the source. Default: a new one, seeded from the default generator each time.
    """

    _DRAWN_AT_ONCE = 32

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={self.num_samples}")

    @property
    def num_samples(self):
        """How many indices an iteration gives."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        generator = self.generator
        if generator is None:
            seed = int(torch.empty((), dtype=torch.int64).random_().item())
            generator = torch.Generator()
            generator.manual_seed(seed)
        n = len(self.data_source)
        if self.replacement:
            yield from self._draws(n, generator)
        else:
            yield from self._permutations(n, generator)

    def _draws(self, n, generator):
        whole, rest = divmod(self.num_samples, self._DRAWN_AT_ONCE)
        for size in chain(repeat(self._DRAWN_AT_ONCE, whole), [rest]):
            yield from torch.randint(high=n, size=(size,), dtype=torch.int64, generator=generator).tolist()

    def _permutations(self, n, generator):
        whole, rest = divmod(self.num_samples, n)
        for size in chain(repeat(n, whole), [rest]):
            # The last permutation is drawn even where none of it is used, as torch does.
            yield from torch.randperm(n, generator=generator).tolist()[:size]

    def __len__(self):
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """The given indices in random order."""

    def __init__(self, indices, generator=None):
        self.indices = indices
        self.generator = generator

    def __iter__(self):
        for i in torch.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self):
        return len(self.indices)


class WeightedRandomSampler(Sampler):
    """Indices drawn with the given probabilities.

    Args:
        weights (sequence): one for each index; they need not sum to 1.
        num_samples (int): how many to draw.
        replacement (bool): draw each from all. Default: ``True``.
        generator (Generator, optional): the source. Default: the default generator.
    """

    def __init__(self, weights, num_samples, replacement=True, generator=None):
        if not isinstance(num_samples, int) or isinstance(num_samples, bool) or num_samples <= 0:
            raise ValueError(f"num_samples should be a positive integer value, but got num_samples={num_samples}")
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        self.weights = torch.as_tensor(weights, dtype=torch.double)
        if self.weights.dim() != 1:
            raise ValueError(f"weights should be a 1d sequence but given weights have shape {tuple(self.weights.shape)}")
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self):
        drawn = torch.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator)
        yield from drawn.tolist()

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Lists of ``batch_size`` indices of another sampler; with ``drop_last`` all of them are that long."""

    def __init__(self, sampler, batch_size, drop_last):
        if not isinstance(batch_size, int) or isinstance(batch_size, bool) or batch_size <= 0:
            raise ValueError(f"batch_size should be a positive integer value, but got batch_size={batch_size}")
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self):
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if self.drop_last and len(batch) < self.batch_size:
                return
            yield batch

    def __len__(self):
        size = len(self.sampler)
        return size // self.batch_size if self.drop_last else -(-size // self.batch_size)
