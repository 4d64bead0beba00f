"""torch.compile, torch.jit and torch.onnx stubs; torch.distributed with a group of one process."""

import os
import subprocess
import sys

import pytest


def double(x):
    return 2 * x


@pytest.fixture
def ours(request, lib):
    if request.config.getoption("--target") == "torch":
        pytest.skip("this package's own meaning")
    return lib


def test_compile_returns_what_it_is_given(ours):
    module = ours.nn.Linear(2, 2)
    assert ours.compile(double) is double
    assert ours.compile(module, mode="max-autotune", dynamic=True) is module
    assert ours.compile(dynamic=True)(double) is double and ours.compile(double, fullgraph=True, disable=True) is double
    assert ours.compiler.disable(double) is double and ours.compiler.disable()(double) is double
    module.compile()
    with pytest.raises(RuntimeError, match="Unrecognized mode=fast"):
        ours.compile(double, mode="fast")
    with pytest.raises(AssertionError):
        ours.compile(3)


def test_one_graph_has_no_branch_on_data(ours):
    def branch(x):
        return x if x.sum() > 0 else -x

    class Branch(ours.nn.Linear):
        def forward(self, x):
            return branch(super().forward(x))

    x = ours.ones(2)
    assert ours.compile(branch, backend="eager")(x).tolist() == [1, 1]
    for compiled in (ours.compile(branch, fullgraph=True, backend="eager"), ours.compile(fullgraph=True)(branch), ours.compile(Branch(2, 2), fullgraph=True)):
        with pytest.raises(ours._dynamo.exc.Unsupported, match="branching"):
            compiled(x)
    assert branch(x).tolist() == [1, 1]
    by_shape = ours.compile(lambda x: x if x.shape[0] > 1 else -x, fullgraph=True)
    assert by_shape(x).tolist() == [1, 1]
    linear = ours.nn.Linear(2, 2)
    compiled = ours.compile(linear, fullgraph=True)
    assert ours.equal(compiled(x), linear(x)) and list(compiled.state_dict()) == ["weight", "bias"]
    assert compiled.weight is linear.weight


def test_a_backend_of_the_programs_own(lib):
    asked = []

    def hundredfold(graph, inputs):
        asked.append([tuple(x.shape) for x in inputs])
        return lambda *tensors: (tensors[0] * 100,)

    f = lib.compile(lambda x: x * 2 + 1, backend=hundredfold)
    assert f(lib.ones(2)).tolist() == f(lib.ones(2)).tolist() == [100, 100]
    assert asked == [[(2,)]]

    def as_it_is(graph, inputs):
        asked.append(len(inputs))
        return graph.forward

    g = lib.compile(lambda x, k, y: {"sum": x + k * y, "pair": (x, y)}, backend=as_it_is)
    found = g(lib.ones(2), 3, lib.ones(2))
    assert found["sum"].tolist() == [4, 4] and found["pair"][1].tolist() == [1, 1] and asked[-1] == 2
    x = lib.ones(2, requires_grad=True)
    lib.compile(lambda x: (x * x).sum(), backend=as_it_is)(x).backward()
    assert x.grad.tolist() == [2, 2]
    with pytest.raises(RuntimeError, match="Invalid backend"):
        lib.compile(lambda x: x, backend="nonsense")(lib.ones(1))


def test_scripting_is_off(ours):
    jit = ours.jit
    assert jit.script(double) is double and jit.trace(double, ours.ones(1)) is double
    assert jit.ignore(double) is double and jit.ignore(drop=True)(double) is double
    assert jit.unused(double) is double and jit.export(double) is double
    assert not jit.is_scripting() and not jit.is_tracing()
    assert jit.wait(jit.fork(double, 3)) == 6
    for refused in (jit.save, jit.load, jit.freeze, ours.onnx.export):
        with pytest.raises(NotImplementedError, match="pywasmtorch has no torch"):
            refused(double, "file")


def test_instances_of_container_types(lib):
    from typing import Dict, List, Optional, Tuple  # noqa: UP035

    of = lib.jit.isinstance
    assert of([1, 2], List[int]) and not of([1, 2.0], List[int])  # noqa: UP006
    assert of({"a": lib.ones(1)}, Dict[str, lib.Tensor]) and not of({1: 2}, Dict[str, int])  # noqa: UP006
    assert of((1, "a"), Tuple[int, str]) and not of((1,), Tuple[int, str])  # noqa: UP006
    assert of(None, Optional[int]) and of(3, Optional[int]) and not of("", Optional[int])  # noqa: UP045


def test_settings_of_compilers_are_taken(ours):
    ours._dynamo.config.suppress_errors = True
    ours._dynamo.reset()
    ours._dynamo.config.suppress_errors = False
    with ours.compiler.set_stance("force_eager"):
        assert not ours.compiler.is_compiling()


def test_a_group_of_one_process(lib, monkeypatch):
    dist = lib.distributed
    for name in ("RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    assert dist.is_available() and not dist.is_initialized() and not dist.is_nccl_available()
    with pytest.raises(ValueError, match="RANK expected, but not set"):
        dist.init_process_group("gloo")
    with pytest.raises(ValueError, match="Default process group has not been initialized"):
        dist.get_rank()
    store = {"store": dist.HashStore()} if hasattr(dist, "HashStore") else {"init_method": "tcp://localhost:1"}
    dist.init_process_group("gloo", rank=0, world_size=1, **store)
    try:
        assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "gloo")
        x = lib.tensor([1.0, 2.0])
        dist.all_reduce(x, op=dist.ReduceOp.SUM)
        dist.broadcast(x, src=0)
        assert dist.all_reduce(x, async_op=True).wait() in (True, None) and x.tolist() == [1, 2]
        gathered, flat = [lib.zeros(2)], lib.zeros(1, 2)
        dist.all_gather(gathered, x)
        dist.all_gather_into_tensor(flat.view(2), x)
        assert gathered[0].tolist() == [1, 2] and flat.tolist() == [[1, 2]]
        out = lib.zeros(2)
        dist.scatter(out, [x], src=0)
        assert out.tolist() == [1, 2]
        objects = [None]
        dist.all_gather_object(objects, {"a": 1})
        assert objects == [{"a": 1}]
        dist.barrier()
        with pytest.raises(ValueError, match="twice"):
            dist.init_process_group("gloo", rank=0, world_size=1, **store)
    finally:
        dist.destroy_process_group()
    assert not dist.is_initialized()


def test_more_processes_are_refused(ours):
    with pytest.raises(NotImplementedError, match="world_size is 2"):
        ours.distributed.init_process_group("gloo", rank=0, world_size=2)
    with pytest.raises(RuntimeError, match="NCCL"):
        ours.distributed.init_process_group("nccl", rank=0, world_size=1)
    assert not ours.distributed.is_initialized()


CHILDREN = """
import pywasmtorch; pywasmtorch.install_as_torch()
import torch
import torch.multiprocessing as mp

def work(rank, queue, size):
    queue.put((rank, torch.full((size,), rank)))

def fail(rank):
    if rank == 1:
        raise SystemExit(3)

def stumble(rank):
    raise ValueError(f"no {rank}")

if __name__ == "__main__":
    queue = mp.get_context("spawn").SimpleQueue()
    mp.spawn(work, args=(queue, 3), nprocs=2)
    print(sorted((rank, x.tolist()) for rank, x in (queue.get(), queue.get())))
    try:
        mp.spawn(fail, nprocs=2)
    except Exception as error:
        print(type(error).__name__, error)
    try:
        mp.spawn(stumble, nprocs=1)
    except Exception as error:
        print(type(error).__name__, str(error).splitlines()[-1])
"""


def test_spawned_processes(ours, tmp_path):
    if sys.platform == "emscripten":
        pytest.skip("there are no processes in Pyodide")
    (tmp_path / "children.py").write_text(CHILDREN)
    root = os.path.dirname(os.path.dirname(ours.__file__))
    environment = {**os.environ, "PYTHONPATH": root}
    done = subprocess.run([sys.executable, str(tmp_path / "children.py")], text=True, capture_output=True, env=environment)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["[(0, [0, 0, 0]), (1, [1, 1, 1])]", "ProcessExitedException process 1 terminated with exit code 3", "ProcessRaisedException ValueError: no 0"]
