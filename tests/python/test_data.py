"""Datasets, samplers and the loader. Orders and batches are PyTorch 2.13's for the same seeds."""

import collections
import warnings
from collections import OrderedDict, namedtuple

import pytest

import pywasmtorch as torch
from pywasmtorch.utils import data

Point = namedtuple("Point", ["x", "y"])


class Squares(data.Dataset):
    def __init__(self, size):
        self.size = size

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        if index >= self.size:
            raise IndexError(index)
        return index * index


class Countdown(data.IterableDataset):
    def __init__(self, size, claimed=None):
        self.size = size
        self.claimed = size if claimed is None else claimed

    def __len__(self):
        return self.claimed

    def __iter__(self):
        return iter(range(self.size, 0, -1))


class Counted(data.Dataset):
    """A dataset that gives whole batches."""

    def __init__(self):
        self.asked = []

    def __len__(self):
        return 5

    def __getitems__(self, indices):
        self.asked.append(indices)
        return [index * 10 for index in indices]


def batches(loader):
    return [batch.tolist() for batch in loader]


class TestDatasets:
    def test_tensors(self):
        dataset = data.TensorDataset(torch.arange(6).reshape(3, 2), torch.tensor([5, 6, 7]))
        assert len(dataset) == 3
        row, number = dataset[1]
        assert row.tolist() == [2, 3] and number.item() == 6
        assert [part.tolist() for part in dataset[1:]] == [[[2, 3], [4, 5]], [6, 7]]
        with pytest.raises(AssertionError, match="Size mismatch between tensors"):
            data.TensorDataset(torch.ones(2), torch.ones(3))

    def test_concatenation(self):
        joined = Squares(3) + Squares(2) + Squares(4)
        assert isinstance(joined, data.ConcatDataset) and len(joined) == 9
        assert [joined[i] for i in range(9)] == [0, 1, 4, 0, 1, 0, 1, 4, 9]
        assert joined[-1] == 9 and joined[-9] == 0
        flat = data.ConcatDataset([Squares(2), Squares(3)])
        assert flat.cumulative_sizes == [2, 5] and data.ConcatDataset.cumsum([[1], [2, 3]]) == [1, 3]
        with pytest.raises(ValueError, match="absolute value of index should not exceed dataset length"):
            flat[-6]
        with pytest.raises(IndexError):
            flat[5]
        with pytest.raises(AssertionError, match="datasets should not be an empty iterable"):
            data.ConcatDataset([])
        with pytest.raises(AssertionError, match="ConcatDataset does not support IterableDataset"):
            data.ConcatDataset([Countdown(2)])

    def test_chain(self):
        chain = Countdown(2) + Countdown(3)
        assert isinstance(chain, data.ChainDataset) and list(chain) == [2, 1, 3, 2, 1] and len(chain) == 5
        with pytest.raises(AssertionError, match="ChainDataset only supports IterableDataset"):
            list(data.ChainDataset([Squares(2)]))

    def test_stack(self):
        pairs = data.StackDataset(Squares(3), [7, 8, 9])
        assert len(pairs) == 3 and pairs[2] == (4, 9)
        named = data.StackDataset(a=Squares(5), b=Counted())
        assert named.__getitems__([1, 2]) == [{"a": 1, "b": 10}, {"a": 4, "b": 20}]
        assert data.StackDataset(a=Squares(2), b=[1, 2])[1] == {"a": 1, "b": 2}
        with pytest.raises(ValueError, match="Size mismatch between datasets"):
            data.StackDataset(Squares(3), [1])
        with pytest.raises(ValueError, match="At least one dataset should be passed"):
            data.StackDataset()
        with pytest.raises(ValueError, match="but both types are given"):
            data.StackDataset([1], a=[1])

    def test_subset(self):
        subset = data.Subset(Squares(5), [4, 0, 2])
        assert len(subset) == 3 and [subset[i] for i in range(3)] == [16, 0, 4]
        assert subset.__getitems__([2, 0]) == [4, 16]
        assert data.Subset(torch.arange(5), [3, 1, 0])[[0, 2]].tolist() == [3, 0]

        class Half(data.Subset):
            def __getitem__(self, idx):
                return 0

        with pytest.raises(NotImplementedError, match="Half overrides __getitem__ but not __getitems__"):
            Half(Squares(5), [1])

    def test_missing_methods(self):
        with pytest.raises(NotImplementedError, match="Subclasses of Dataset should implement __getitem__."):
            data.Dataset()[0]

    def test_subscripted_bases(self):
        class Typed(data.Dataset[int]):
            def __getitem__(self, index):
                return index

        class Order(data.Sampler[int]):
            def __iter__(self):
                return iter([1])

        assert Typed()[3] == 3 and list(Order()) == [1]
        assert data.DataLoader[int] is not None


class TestRandomSplit:
    def test_lengths(self):
        torch.manual_seed(0)
        first, second = data.random_split(Squares(6), [4, 2])
        assert first.indices == [2, 5, 3, 0] and second.indices == [1, 4]
        assert isinstance(first, data.Subset) and first[0] == 4

    def test_fractions(self):
        parts = data.random_split(Squares(10), [0.5, 0.25, 0.25], generator=torch.Generator().manual_seed(1))
        assert [len(part) for part in parts] == [6, 2, 2]
        assert sorted(index for part in parts for index in part.indices) == list(range(10))

    def test_refused(self):
        with pytest.raises(ValueError, match="Sum of input lengths does not equal the length of the input dataset!"):
            data.random_split(Squares(6), [4, 3])
        with pytest.raises(ValueError, match="Fraction at index 0 is not between 0 and 1"):
            data.random_split(Squares(6), [-0.5, 1.5])
        with pytest.warns(UserWarning, match="Length of split at index 1 is 0"):
            data.random_split(Squares(2), [0.9, 0.1])


class TestSamplers:
    def test_sequential(self):
        assert list(data.SequentialSampler(Squares(3))) == [0, 1, 2] and len(data.SequentialSampler("ab")) == 2

    def test_random(self):
        torch.manual_seed(0)
        sampler = data.RandomSampler(range(6))
        assert list(sampler) == [0, 1, 2, 3, 5, 4]
        assert len(sampler) == sampler.num_samples == 6
        generator = torch.Generator().manual_seed(2)
        assert list(data.RandomSampler(range(4), num_samples=6, generator=generator)) == [0, 1, 3, 2, 0, 3]

    def test_random_with_replacement(self):
        generator = torch.Generator().manual_seed(2)
        drawn = list(data.RandomSampler(range(100), replacement=True, num_samples=35, generator=generator))
        assert drawn[:4] == [48, 87, 1, 44] and drawn[-3:] == [46, 61, 66] and len(drawn) == 35

    def test_subset_and_weighted(self):
        generator = torch.Generator().manual_seed(2)
        assert list(data.SubsetRandomSampler([5, 6, 7, 8], generator)) == [5, 6, 8, 7]
        generator = torch.Generator().manual_seed(2)
        weighted = data.WeightedRandomSampler([0.0, 3.0, 1.0], 5, generator=generator)
        assert list(weighted) == [2, 1, 1, 1, 2] and len(weighted) == 5
        only = data.WeightedRandomSampler([0.0, 3.0, 1.0], 2, replacement=False)
        assert sorted(only) == [1, 2]

    def test_batches(self):
        assert list(data.BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]]
        assert list(data.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
        assert len(data.BatchSampler(range(5), 2, False)) == 3 and len(data.BatchSampler(range(5), 2, True)) == 2
        assert list(data.BatchSampler([], 2, False)) == []

    def test_refused(self):
        for make, kind, message in (
            (
                lambda: data.RandomSampler(range(3), replacement=1),
                TypeError,
                "should be a boolean value, but got replacement=1",
            ),
            (lambda: data.RandomSampler([]), ValueError, "should be a positive integer value, but got num_samples=0"),
            (lambda: data.RandomSampler([1], num_samples=0.5), ValueError, "but got num_samples=0.5"),
            (lambda: data.WeightedRandomSampler([1], 0), ValueError, "but got num_samples=0"),
            (lambda: data.WeightedRandomSampler([1], True), ValueError, "but got num_samples=True"),
            (
                lambda: data.WeightedRandomSampler([1], 1, 0),
                ValueError,
                "should be a boolean value, but got replacement=0",
            ),
            (lambda: data.WeightedRandomSampler([[1]], 1), ValueError, r"but given weights have shape \(1, 1\)"),
            (lambda: data.BatchSampler([1], 0, False), ValueError, "but got batch_size=0"),
            (lambda: data.BatchSampler([1], True, False), ValueError, "but got batch_size=True"),
            (lambda: data.BatchSampler([1], 1, 0), ValueError, "should be a boolean value, but got drop_last=0"),
        ):
            with pytest.raises(kind, match=message):
                make()


class TestCollation:
    def test_numbers(self):
        for batch, dtype in (([1, 2], torch.int64), ([0.5, 2.0], torch.float64), ([True, False], torch.bool)):
            collated = data.default_collate(batch)
            assert collated.tolist() == batch and collated.dtype == dtype
        assert data.default_collate([torch.ones(2), torch.zeros(2)]).tolist() == [[1, 1], [0, 0]]
        assert data.default_collate(["a", "b"]) == ["a", "b"] and data.default_collate([b"a"]) == [b"a"]

    def test_nested(self):
        samples = [
            {"p": Point(1, [2, "s"]), "t": (torch.ones(1), 3.0)},
            {"p": Point(5, [6, "u"]), "t": (torch.zeros(1), 7.0)},
        ]
        collated = data.default_collate(samples)
        assert type(collated["p"]) is Point and collated["p"].x.tolist() == [1, 5]
        assert (
            type(collated["p"].y) is list and collated["p"].y[0].tolist() == [2, 6] and collated["p"].y[1] == ("s", "u")
        )
        assert type(collated["t"]) is list and collated["t"][0].tolist() == [[1.0], [0.0]]

    def test_kinds_of_containers(self):
        ordered = data.default_collate([OrderedDict(b=1, a=2), OrderedDict(b=3, a=4)])
        assert type(ordered) is OrderedDict and list(ordered) == ["b", "a"]
        default = data.default_collate([collections.defaultdict(int, a=1)])
        assert type(default) is collections.defaultdict and default.default_factory is int
        assert type(data.default_collate([range(2), range(2)])) is list
        queue = data.default_collate([collections.deque([1, 2])])
        assert type(queue) is collections.deque and queue[1].tolist() == [2]

    def test_refused(self):
        with pytest.raises(TypeError, match="found <class 'object'>"):
            data.default_collate([object()])
        with pytest.raises(TypeError, match="found <class 'NoneType'>"):
            data.default_collate([{"a": None}])
        with pytest.raises(RuntimeError, match="each element in list of batch should be of equal size"):
            data.default_collate([[1, 2], [1]])
        with pytest.raises(RuntimeError, match="stack expects each tensor to be equal size"):
            data.default_collate([torch.ones(2), torch.ones(3)])

    def test_own_functions(self):
        class Word(str):
            pass

        def join(batch, *, collate_fn_map):
            return "".join(batch)

        assert data._utils.collate.collate(["a", Word("b")], collate_fn_map={str: join}) == "ab"
        assert data._utils.collate.collate([Word("b")], collate_fn_map={str: join}) == "b"
        with pytest.raises(TypeError):
            data._utils.collate.collate([1])

    def test_conversion(self):
        converted = data.default_convert({"a": (1, "b"), "p": Point(1, [2.0])})
        assert converted == {"a": [1, "b"], "p": Point(1, [2.0])}
        tensor = torch.ones(1)
        assert data.default_convert([tensor])[0] is tensor

    def test_numpy(self):
        numpy = pytest.importorskip("numpy")
        assert data.default_collate([numpy.ones(2), numpy.zeros(2)]).dtype == torch.float64
        assert data.default_collate([numpy.float32(1.5), numpy.float32(2)]).dtype == torch.float32
        assert data.default_collate([numpy.int64(3)]).tolist() == [3]
        assert data.default_collate([numpy.bool_(True)]).dtype == torch.bool
        assert data.default_convert({"a": numpy.arange(3)})["a"].tolist() == [0, 1, 2]
        text = numpy.array(["a"])
        assert data.default_convert(text) is text
        with pytest.raises(TypeError, match="default_collate: batch must contain tensors"):
            data.default_collate([text])


class TestLoader:
    def test_batches(self):
        assert batches(data.DataLoader(Squares(5), batch_size=2)) == [[0, 1], [4, 9], [16]]
        assert batches(data.DataLoader(Squares(5), batch_size=2, drop_last=True)) == [[0, 1], [4, 9]]
        assert len(data.DataLoader(Squares(5), 2)) == 3 and len(data.DataLoader(Squares(5), 2, drop_last=True)) == 2
        assert list(data.DataLoader(Squares(3), batch_size=None)) == [0, 1, 4]
        assert len(data.DataLoader(Squares(3), batch_size=None)) == 3
        assert batches(data.DataLoader([])) == []

    def test_shuffled(self):
        torch.manual_seed(0)
        loader = data.DataLoader(Squares(6), batch_size=4, shuffle=True)
        assert batches(loader) == [[0, 16, 9, 25], [4, 1]]
        assert batches(loader) == [[4, 9, 1, 25], [16, 0]]

    def test_generator(self):
        loader = data.DataLoader(range(6), 3, shuffle=True, generator=torch.Generator().manual_seed(4))
        assert batches(loader) == [[1, 4, 3], [5, 2, 0]]
        assert batches(loader) == [[4, 3, 5], [0, 1, 2]]

    def test_each_iterator_moves_the_generator_on(self):
        torch.manual_seed(0)
        iter(data.DataLoader(range(2)))
        assert round(torch.rand(1).item(), 4) == 0.0885

    def test_samplers(self):
        assert batches(data.DataLoader(range(9), 2, sampler=[5, 3, 8])) == [[5, 3], [8]]
        loader = data.DataLoader(range(9), batch_sampler=[[1], [7, 2]])
        assert batches(loader) == [[1], [7, 2]] and loader.batch_size is None and len(loader) == 2

    def test_whole_batches(self):
        dataset = Counted()
        assert batches(data.DataLoader(dataset, 2)) == [[0, 10], [20, 30], [40]]
        assert dataset.asked == [[0, 1], [2, 3], [4]]
        assert batches(data.DataLoader(data.Subset(dataset, [4, 0]), 2)) == [[40, 0]]

    def test_own_collation(self):
        assert list(data.DataLoader(range(3), 2, collate_fn=tuple)) == [(0, 1), (2,)]
        assert list(data.DataLoader(range(2), None, collate_fn=str)) == ["0", "1"]

    def test_iterable(self):
        assert batches(data.DataLoader(Countdown(5), 2)) == [[5, 4], [3, 2], [1]]
        assert batches(data.DataLoader(Countdown(5), 2, drop_last=True)) == [[5, 4], [3, 2]]
        assert list(data.DataLoader(Countdown(2), None)) == [2, 1]
        loader = data.DataLoader(Countdown(5), 2)
        assert len(loader) == 3 and len(data.DataLoader(Countdown(5), 2, drop_last=True)) == 2
        assert len(data.DataLoader(Countdown(5), None)) == 5
        assert batches(data.DataLoader(Countdown(4), 2)) == [[4, 3], [2, 1]]

    def test_a_wrong_length_warns(self):
        loader = data.DataLoader(Countdown(3, claimed=1), None)
        assert len(loader) == 1
        with pytest.warns(UserWarning, match="was reported to be 1.when accessing len.dataloader.., but . samples"):
            list(loader)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            list(data.DataLoader(Countdown(3, claimed=1), None))

    def test_next(self):
        iterator = iter(data.DataLoader(range(2)))
        assert iter(iterator) is iterator and len(iterator) == 2
        assert next(iterator).tolist() == [0] and next(iterator).tolist() == [1]
        for _ in range(2):
            with pytest.raises(StopIteration):
                next(iterator)

    def test_fixed_attributes(self):
        loader = data.DataLoader(range(2))
        for name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers"):
            with pytest.raises(ValueError, match=f"{name} attribute should not be set after DataLoader is initialized"):
                setattr(loader, name, 1)
        loader.collate_fn = tuple
        assert list(loader) == [(0,), (1,)]

    def test_pinning_warns(self):
        with pytest.warns(UserWarning, match="'pin_memory' argument is set as true but no accelerator is found"):
            assert batches(data.DataLoader(range(2), 2, pin_memory=True)) == [[0, 1]]

    def test_no_worker(self):
        assert data.get_worker_info() is None

    @pytest.mark.parametrize(
        "options, kind, message",
        [
            ({"num_workers": -1}, ValueError, "num_workers option should be non-negative"),
            ({"timeout": -1}, ValueError, "timeout option should be non-negative"),
            ({"prefetch_factor": 2}, ValueError, "prefetch_factor option could only be specified in multiprocessing"),
            ({"num_workers": 1, "prefetch_factor": -2}, ValueError, "prefetch_factor option should be non-negative"),
            ({"persistent_workers": True}, ValueError, "persistent_workers option needs num_workers > 0"),
            ({"multiprocessing_context": "fork"}, ValueError, "can only be used with multi-process loading"),
            ({"shuffle": True, "sampler": [1]}, ValueError, "sampler option is mutually exclusive with shuffle"),
            (
                {"batch_sampler": [[1]], "batch_size": 2},
                ValueError,
                "batch_sampler option is mutually exclusive with batch_size",
            ),
            ({"batch_size": None, "drop_last": True}, ValueError, "mutually exclusive with drop_last"),
            ({"batch_size": 0}, ValueError, "batch_size should be a positive integer value, but got batch_size=0"),
        ],
    )
    def test_refused(self, options, kind, message):
        with pytest.raises(kind, match=message):
            data.DataLoader(range(3), **options)

    def test_refused_for_iterables(self):
        for options in ({"shuffle": True}, {"sampler": [1]}, {"batch_sampler": [[1]]}):
            ((name, value),) = options.items()
            with pytest.raises(ValueError) as caught:
                data.DataLoader(Countdown(2), **options)
            assert str(caught.value) == (
                f"DataLoader with IterableDataset: expected unspecified {name} option, but got {name}={value}"
            )
        assert batches(data.DataLoader(Countdown(2), 2, shuffle=False)) == [[2, 1]]

    def test_timeout_needs_workers(self):
        with pytest.raises(AssertionError, match="requires timeout == 0"):
            iter(data.DataLoader(range(2), timeout=3))
