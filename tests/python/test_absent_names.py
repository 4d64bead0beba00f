"""Names that packages import as torch and that are not here, and private names with a true answer: values are PyTorch's."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

PROGRAM = """
import torch
from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard
from torch.distributed.algorithms.join import Join
from torch.distributed.tensor import DTensor, Partial, Replicate, Shard
from torch._dynamo.eval_frame import OptimizedModule
import torch.distributed.checkpoint as checkpoint
assert not isinstance(torch.ones(1), DTensor) and not isinstance(torch.nn.Linear(1, 1), (FullyShardedDataParallel, OptimizedModule))
assert ShardingStrategy.FULL_SHARD.name == "FULL_SHARD" and FullyShardedDataParallel.__module__ == "torch.distributed.fsdp"
class Derived(FullyShardedDataParallel): pass
for name, use in {"torch.distributed.fsdp.FullyShardedDataParallel": lambda: Derived(torch.nn.Linear(1, 1)), "torch.distributed.fsdp.fully_shard": lambda: fully_shard(1),
                  "torch.distributed.checkpoint.save": lambda: checkpoint.save({}), "torch.distributed.algorithms.join.Join": Join}.items():
    try:
        use()
    except NotImplementedError as error:
        assert str(error) == f"pywasmtorch has no {name}; see docs/differences.md", error
    else:
        raise SystemExit(name)
assert [str(Shard(1)), str(Replicate()), repr(Partial()), repr(Shard(1))] == ["S(1)", "R", "Partial(sum)", "Shard(dim=1)"]
assert torch._C._nn._parse_to("cpu", torch.float64) == (torch.device("cpu"), torch.float64, False, None)
from torch._dynamo._trace_wrapped_higher_order_op import TransformGetItemToIndex
with TransformGetItemToIndex():
    seen = torch.tensor([[True, False], [True, True]])
    assert torch.vmap(torch.vmap(lambda row, column: seen[row, column], (None, 0)), (0, None))(torch.arange(2), torch.arange(2)).equal(seen)
assert "USE_CUDA=0" in torch.__config__.show() and torch.Future is torch.futures.Future
"""


@pytest.mark.skipif(sys.platform == "emscripten", reason="needs a process")
def test_importing_succeeds_and_using_says_what_is_absent(request):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch has them")
    done = subprocess.run([sys.executable, "-c", f"import pywasmtorch; pywasmtorch.install_as_torch()\n{PROGRAM}"], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name, error", [
    ("_check", RuntimeError), ("_check_index", IndexError), ("_check_value", ValueError), ("_check_type", TypeError), ("_check_not_implemented", NotImplementedError)])
def test_checks(lib, name, error):
    check = getattr(lib, name)
    check(True)
    with pytest.raises(error, match="^m$"):
        check(False, lambda: "m")
    with pytest.raises(error, match="Expected cond to be True, but got False"):
        check(False)
    for wrong in (1, 1.5, "a", lib.tensor([True])):
        with pytest.raises(TypeError, match="cond must be a bool"):
            check(wrong)
    with pytest.raises(TypeError, match="message must be a callable"):
        check(False, "m")


def test_checks_of_tensors(lib):
    lib._check_tensor_all(lib.tensor([True, True]))
    with pytest.raises(RuntimeError, match="Expected cond to be True"):
        lib._check_tensor_all(lib.tensor([True, False]))
    with pytest.raises(TypeError, match="cond must be a tensor, but got <class 'bool'>"):
        lib._check_tensor_all(False)
    with pytest.raises(ValueError, match="^q$"):
        lib._check_tensor_all_with(ValueError, lib.tensor([False]), lambda: "q")
    with pytest.raises(AssertionError, match="^m$"):
        lib._assert(False, "m")
    lib._assert_async(lib.tensor(True))
    with pytest.raises(RuntimeError, match="^msg$"):
        lib._assert_async(lib.tensor(0), "msg")


def test_futures(lib):
    future = lib.futures.Future()
    after = future.then(lambda f: f.value() + 1)
    both = lib.futures.collect_all([future, after])
    assert not future.done()
    future.set_result(3)
    assert (future.wait(), after.wait(), both.done(), lib.futures.wait_all([future, after])) == (3, 4, True, [3, 4])
    with pytest.raises(RuntimeError):
        future.set_result(4)
    failed = lib.futures.Future()
    failed.set_exception(ValueError("no"))
    with pytest.raises(ValueError, match="no"):
        failed.wait()


def test_paths_of_containers(lib):
    import importlib

    pytree = importlib.import_module(f"{lib.__name__}.utils._pytree")
    tree = {"a": [1, (2, None)], "b": 3}
    assert [(pytree.keystr(path), leaf) for path, leaf in pytree.tree_leaves_with_path(tree)] == [("['a'][0]", 1), ("['a'][1][0]", 2), ("['a'][1][1]", None), ("['b']", 3)]
    assert pytree.tree_map_with_path(lambda path, x: len(path), tree) == {"a": [2, (3, 3)], "b": 1}
    assert pytree._get_node_type([1]) is list and pytree._get_node_type(5) is int and pytree.SUPPORTED_NODES[dict].flatten_fn({"x": 1}) == ([1], ["x"])
