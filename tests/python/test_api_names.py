"""The names that public programs and packages use: they are here, or docs/differences.md says why not."""

import importlib
import pathlib

import pytest

HERE = pathlib.Path(__file__).parent
DIFFERENCES = HERE.parents[1] / "docs" / "differences.md"
PROGRAMS, PACKAGES = (part.splitlines()[1:] for part in (HERE / "api_names.txt").read_text().split("# names")[1:])

#: what a name stands for that no class carries: they are made when instances are
ON_INSTANCES = {
    "torch.optim.Optimizer.param_groups": lambda torch: torch.optim.SGD([torch.ones(1, requires_grad=True)]).param_groups,
    "torch.autograd.graph.Node.next_functions": lambda torch: torch.ones(1, requires_grad=True).exp().grad_fn.next_functions,
    "torch.autograd.function.FunctionCtx.saved_tensors": lambda torch: torch.autograd.function.BackwardCFunction.saved_tensors,
    "torch.autograd.function.FunctionCtx.saved_variables": lambda torch: (
        getattr(torch.autograd.function.FunctionCtx, "saved_variables", None) or torch.autograd.function.BackwardCFunction.saved_variables
    ),
}
QUANTIZED = "torch.ao.quantization.quantize_dynamic torch.quantization.quantize_dynamic torch.qint8".split()
NESTED = "torch.jagged torch.nested.nested_tensor".split()
GRAPHS = "torch.jit.load torch.jit.save torch.jit.freeze torch.onnx.export torch.nn.attention.flex_attention".split()
NOT_IN_TORCH = "torch.hub._download_url_to_file torch.onnx._export torch.cuda.amp.grad_scaler._MultiDeviceReplicator".split()
OTHERS = "torch.utils.tensorboard.SummaryWriter torch.hub.download_url_to_file torch.utils.model_zoo.load_url torch.nn.parallel.scatter torch.Tensor.record_stream".split()
ABSENT = {*QUANTIZED, *NESTED, *GRAPHS, *NOT_IN_TORCH, *OTHERS}


def find(path, lib):
    if path in ON_INSTANCES:
        return ON_INSTANCES[path](lib)
    parts = path.split(".")
    value, name = lib, lib.__name__
    for part in parts[1:]:
        name += "." + part
        try:
            value = getattr(value, part)
        except AttributeError:
            value = importlib.import_module(name)
    return value


def missing(names, lib):
    gone = []
    for name in names:
        try:
            find(name, lib)
        except (AttributeError, ModuleNotFoundError):
            gone.append(name)
    return gone


def test_what_programs_use_is_here(lib):
    assert len(PROGRAMS) == 436
    assert not set(missing(PROGRAMS, lib)) - ABSENT
    assert len(set(PROGRAMS) - ABSENT) >= 415


def test_what_packages_use_is_here(lib):
    assert not set(missing(PACKAGES, lib)) - ABSENT


def test_the_rest_is_listed_with_the_reason():
    if not DIFFERENCES.exists():
        pytest.skip("the documents are not beside the tests")
    text = DIFFERENCES.read_text()
    assert not [name for name in sorted(ABSENT) if f"`{name}`" not in text]
