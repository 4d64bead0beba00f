"""Every operator of PyTorch's database on meta tensors: what a call gives has the shape, dtype and strides that it has on the CPU, and so
have the gradients. Other behaviour of meta tensors is recorded in golden/cases/meta.py."""

import json
import sys

import pytest
from golden import meta_runs
from golden.replay import Family, text_of_case

FAMILIES = {name: Family(name) for name in meta_runs.FAMILIES}
CASES = {(name, op): cases for name, family in FAMILIES.items() for op, cases in meta_runs.cases_of(family).items()}
PYTORCH_REFUSES = json.loads(meta_runs.REFUSED.read_text())
#: how many calls of an operator are refused here beyond those that PyTorch refuses
MORE = {"torch.index_put": 4, "torch.tensor_split": 13}


@pytest.mark.parametrize("family, op", CASES, ids=[f"{name}-{op}" for name, op in CASES])
def test_as_on_the_cpu(lib, family, op):
    if lib.__name__ == "torch":
        pytest.skip("PyTorch's own strides differ between the CPU and meta")
    cases = CASES[family, op]
    found = [(text_of_case(case, FAMILIES[family].inputs), meta_runs.compare(lib, FAMILIES[family], case)) for case in cases]
    assert not [pair for pair in found if pair[1] not in (None, "refused")]
    assert sum(what == "refused" for _, what in found) <= PYTORCH_REFUSES.get(op, 0) + MORE.get(op, 0)


#: modules that look at values, here and in PyTorch: counts of batches, variances, masks
LOOK = {"nn.BatchNorm1d", "nn.BatchNorm2d", "nn.BatchNorm3d", "nn.GaussianNLLLoss", "nn.Transformer", "nn.TransformerEncoder"}
MODULES = Family("module_db")


@pytest.mark.parametrize("op", MODULES.operators())
def test_modules_as_on_the_cpu(lib, op):
    if lib.__name__ == "torch":
        pytest.skip("PyTorch's own strides differ between the CPU and meta")
    for case in MODULES.cases(op):
        found = meta_runs.compare_module(lib, MODULES, case)
        assert found is None or (found == "refused" and op in LOOK), text_of_case(case, MODULES.inputs)


def test_calls_compared():
    assert sum(map(len, CASES.values())) > 9000


def test_memory_stays(lib):
    if lib.__name__ == "torch":
        pytest.skip("asks this package how much memory it holds")
    before = lib.memory_allocated()
    held = [lib.empty(2**35, device="meta") @ lib.empty(2**35, 4, device="meta") for _ in range(8)]
    assert lib.memory_allocated() - before < 65536
    del held


@pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide has one thread")
def test_default_device_of_a_thread(lib):
    from threading import Thread

    found = []
    with lib.device("meta"):
        thread = Thread(target=lambda: found.append(lib.zeros(2).device.type))
        thread.start()
        thread.join()
        found.append(lib.zeros(2).device.type)
    assert found == ["cpu", "meta"]


def test_device_after_an_error(lib):
    with pytest.raises(RuntimeError):
        lib.arange(0, 1, -1, device="meta")
    assert lib.zeros(2).device.type == "cpu"


def test_hooks_and_functions(lib):
    class Double(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            seen.append((grad.device.type, x.device.type, lib.zeros(2).device.type))
            return grad * 2

    seen = []
    x = lib.empty(3, device="meta", requires_grad=True)
    y = Double.apply(x)
    y.register_hook(lambda grad: seen.append(grad.device.type))
    y.sum().backward()
    assert x.grad.device.type == "meta"
    assert seen == ["meta", ("meta", "meta", "cpu")]


def test_numbers_of_the_memory(lib):
    """0-d tensors of the CPU take part as numbers; what has dimensions does not."""
    x = lib.empty(3, dtype=lib.int64, device="meta")
    assert (x * lib.tensor(2.5)).dtype == lib.float32
    assert lib.where(x > 0, x, lib.tensor(1)).device.type == "meta"
    with pytest.raises(RuntimeError, match="Tensor on device cpu is not on the expected device meta!"):
        x * lib.tensor([2.5])
