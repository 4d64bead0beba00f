"""Batches that worker processes fetch. Orders and seeds are PyTorch 2.13's."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import pywasmtorch as torch
from pywasmtorch.utils import data

IN_PAGE = sys.platform == "emscripten"
pytestmark = pytest.mark.skipif(IN_PAGE or not hasattr(os, "fork"), reason="needs processes that fork")


class Seen(data.Dataset):
    def __len__(self):
        return 7

    def __getitem__(self, index):
        info = data.get_worker_info()
        return index, info.id, info.num_workers, info.seed - info.id, torch.rand(1).item()


class Items(data.Dataset):
    def __init__(self, act):
        self.act = act

    def __len__(self):
        return 4

    def __getitem__(self, index):
        return self.act(index)


class Shards(data.IterableDataset):
    def __iter__(self):
        first = data.get_worker_info().id * 10
        yield from range(first, first + (3 if first == 0 else 5))


def as_it_is(batch):
    return batch


def load(dataset, **options):
    return data.DataLoader(dataset, multiprocessing_context="fork", **options)


LEFT = """
import pywasmtorch as torch

def forever(loader):
    while True:
        yield from loader

batches = forever(torch.utils.data.DataLoader(range(8), num_workers=1, multiprocessing_context="fork"))
print(next(batches).tolist(), flush=True)
"""


def test_a_program_may_end_with_workers_at_work():
    done = subprocess.run([sys.executable, "-c", LEFT], capture_output=True, text=True, timeout=60, cwd=Path(__file__).parents[2])
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "[0]", "")


def test_order_and_seeds_are_those_of_torch():
    torch.manual_seed(5)
    loader = load(Seen(), batch_size=3, shuffle=True, num_workers=2, collate_fn=as_it_is)
    batches = list(loader)
    torch.manual_seed(5)
    alone = list(data.DataLoader(range(7), batch_size=3, shuffle=True, collate_fn=as_it_is))
    assert [[sample[0] for sample in batch] for batch in batches] == alone
    assert [{sample[1] for sample in batch} for batch in batches] == [{0}, {1}, {0}]
    torch.manual_seed(5)
    base = torch.empty((), dtype=torch.int64).random_().item()
    assert {sample[3] for batch in batches for sample in batch} == {base}
    torch.manual_seed(base + 1)
    assert [sample[4] for sample in batches[1]] == [torch.rand(1).item() for _ in range(3)]


def test_tensors_come_back():
    x = torch.arange(12.0).reshape(6, 2)
    loader = load(data.TensorDataset(x, torch.arange(6)), batch_size=4, num_workers=2)
    found = [(a.tolist(), b.tolist()) for a, b in loader]
    assert found == [(x[:4].tolist(), [0, 1, 2, 3]), (x[4:].tolist(), [4, 5])]


def test_iterable_datasets():
    assert [batch.tolist() for batch in load(Shards(), batch_size=2, num_workers=2)] == [[0, 1], [10, 11], [2], [12, 13], [14]]
    assert list(load(Shards(), batch_size=None, num_workers=2)) == [0, 10, 1, 11, 2, 12, 13, 14]


def test_workers_persist():
    loader = load(Items(lambda index: os.getpid()), num_workers=2, persistent_workers=True, collate_fn=as_it_is)
    first, second = list(loader), list(loader)
    assert first == second and len(first) == 4 and first[0] != first[1] != [os.getpid()]
    loader._iterator._workers.close()


def test_errors_come_back():
    def fail(index):
        if index == 2:
            raise ValueError("bad item")
        return index

    loader = iter(load(Items(fail), num_workers=2))
    assert [next(loader).item(), next(loader).item()] == [0, 1]
    with pytest.raises(ValueError, match=r"Caught ValueError in DataLoader worker process 0\.\n(.|\n)*bad item"):
        next(loader)
    with pytest.raises(RuntimeError, match="Caught RuntimeError in DataLoader worker process"):
        list(load(Items(int), num_workers=1, worker_init_fn=lambda worker: torch.zeros(2) @ torch.zeros(3)))
    with pytest.raises(RuntimeError, match=r"worker \(pid\(s\) \d+\) exited unexpectedly"):
        list(load(Items(lambda index: os._exit(3)), num_workers=1, timeout=20))
    with pytest.raises(RuntimeError, match="timed out after 0.2 seconds"):
        list(load(Items(lambda index: time.sleep(1)), num_workers=1, timeout=0.2))
    with pytest.raises(ValueError, match="valid start method"):
        data.DataLoader(range(3), num_workers=1, multiprocessing_context="none")


def test_parts_of_several_processes():
    def part(size, replicas, rank, **options):
        return list(data.DistributedSampler(range(size), replicas, rank, **options))

    assert part(10, 3, 1) == [1, 3, 8, 4]
    assert part(10, 3, 1, shuffle=False, drop_last=True) == [1, 4, 7]
    assert part(2, 5, 4, shuffle=False) == [0]
    with pytest.raises(ValueError, match="Invalid rank 2"):
        part(3, 2, 2)
