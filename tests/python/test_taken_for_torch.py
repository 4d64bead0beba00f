"""What a program sees that runs here as torch: modules under functions of their name, PyTorch's names, children with the same torch."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
pytestmark = pytest.mark.skipif(sys.platform == "emscripten", reason="needs processes")

SHADOWED = """
from torch.autograd.gradcheck import gradcheck, GradcheckError
from torch.nn.utils.weight_norm import weight_norm
from torch.nn.utils.spectral_norm import spectral_norm
from torch.nn.parallel.data_parallel import data_parallel
import torch, torch.autograd.gradcheck, torch.nn.utils.weight_norm, torch.nn.utils.spectral_norm
x = torch.ones(2, dtype=torch.float64, requires_grad=True)
assert torch.autograd.gradcheck is gradcheck and torch.autograd.gradcheck(torch.sin, (x,))
torch.nn.utils.weight_norm(torch.nn.Linear(2, 2)), torch.nn.utils.spectral_norm(torch.nn.Linear(2, 2))
assert callable(torch.nn.parallel.data_parallel)
"""

NAMES = """
import torch, torch.nn as nn, torch.nn.functional as F, torch.optim, torch.utils.data, pickle, copy, io
for value, name in {
    torch.add: "torch", torch.sum: "torch", torch.tensor: "torch", torch.Tensor: "torch", torch.Size: "torch", torch.device: "torch", torch.dtype: "torch",
    torch.finfo: "torch", torch.is_tensor: "torch", F.conv2d: "torch", nn.Linear: "torch.nn.modules.linear", nn.Parameter: "torch.nn.parameter", F.relu: "torch.nn.functional",
    torch.optim.Adam: "torch.optim.adam", torch.optim.lr_scheduler.StepLR: "torch.optim.lr_scheduler", torch.no_grad: "torch.autograd.grad_mode", torch.Generator: "torch._C",
    torch.UntypedStorage: "torch.storage", torch.utils.data.DataLoader: "torch.utils.data.dataloader", torch.autograd.Function: "torch.autograd.function",
    torch.nn.init.xavier_uniform_: "torch.nn.init", torch.save: "torch.serialization",
}.items():
    assert value.__module__ == name, (value, value.__module__)
for module, name in {torch: "torch", nn: "torch.nn", F: "torch.nn.functional", torch.optim: "torch.optim", torch.utils.data: "torch.utils.data"}.items():
    assert module.__name__ == name, module
assert torch.sum.__name__ == "sum" and torch.max.__name__ == "max" and torch.Tensor.__add__.__name__ == "__add__"
assert repr(torch.Tensor) == "<class 'torch.Tensor'>" and repr(nn.Linear) == "<class 'torch.nn.modules.linear.Linear'>"
assert type(torch.ones(1)).__module__ == "torch"
for value in (torch.add, torch.sum, torch.Tensor, nn.Linear, torch.float32, torch.optim.Adam, torch.distributions.Normal, torch.Tensor.backward, torch.Size([2]), F.linear, torch.Generator):
    assert pickle.loads(pickle.dumps(value)) in (value,), value
model = pickle.loads(pickle.dumps(nn.Sequential(nn.Linear(2, 2), nn.ReLU())))
assert torch.equal(copy.deepcopy(model)(torch.ones(2)), model(torch.ones(2)))
normal = torch.distributions.LogNormal(torch.zeros(2), torch.ones(2)).expand((3, 2))
assert normal.batch_shape == (3, 2) and type(normal) is torch.distributions.LogNormal
assert torch.distributions.transforms.ExpTransform().with_cache(1)._cache_size == 1
assert torch.torch is torch and torch._C.Generator is torch.Generator
file = io.BytesIO()
torch.save({"a": torch.arange(3.0)}, file, _use_new_zipfile_serialization=False)
file.seek(0)
assert torch.load(file)["a"].tolist() == [0, 1, 2] and torch.FloatStorage.__module__ == "torch"
"""

CHILDREN = """
import multiprocessing, sys
import torch
import torch.multiprocessing as mp
from torch.utils import data

class Numbers(data.Dataset):
    def __len__(self):
        return 3

    def __getitem__(self, i):
        return torch.full((2,), float(i))

def work(i, queue):
    queue.put((i, torch.__version__, torch.nn.Linear(2, 2)))

def fail(i):
    raise ValueError(f"child {i}")

if __name__ == "__main__":
    method = sys.argv[1]
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=work, args=(7, queue))
    child.start()
    number, version, layer = queue.get(timeout=120)
    child.join()
    assert (number, version, child.exitcode) == (7, torch.__version__, 0) and layer(torch.ones(2)).shape == (2,)
    assert [batch.tolist() for batch in data.DataLoader(Numbers(), num_workers=1, multiprocessing_context=method)] == [[[0, 0]], [[1, 1]], [[2, 2]]]
    mp.start_processes(fail, nprocs=1, start_method=method)
"""


def run(program, *arguments, tmp_path):
    file = tmp_path / "program.py"
    file.write_text(program)
    environment = {**os.environ, "PYTHONPATH": ROOT}
    return subprocess.run([sys.executable, "-m", "pywasmtorch", str(file), *arguments], capture_output=True, text=True, env=environment, cwd=tmp_path)


@pytest.mark.parametrize("program", [SHADOWED, NAMES], ids=["modules under functions", "names"])
def test_programs_see_pytorchs_names(program, tmp_path):
    done = run(program, tmp_path=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("method", ["spawn", pytest.param("forkserver", marks=pytest.mark.skipif(sys.platform == "win32", reason="no forkserver"))])
def test_children_have_the_torch_of_their_parent_and_their_failure_is_the_programs(method, tmp_path):
    done = run(CHILDREN, method, tmp_path=tmp_path)
    assert done.returncode == 1 and "ValueError: child 0" in done.stderr and "AssertionError" not in done.stderr, done.stderr


def test_files_name_what_pytorch_names(tmp_path):
    program = """
import io, torch, pickletools, zipfile
file = io.BytesIO()
torch.save({"a": torch.ones(2), "p": torch.nn.Parameter(torch.ones(1)), "d": torch.float16, "o": torch.nn.Linear(1, 1)}, file)
data = zipfile.ZipFile(file).read([n for n in zipfile.ZipFile(file).namelist() if n.endswith("data.pkl")][0])
print(sorted({text for code, text, _ in pickletools.genops(data) if code.name == "GLOBAL"}))
"""
    plain = program.replace("torch, pick", "pywasmtorch as torch, pick")
    assert run(program, tmp_path=tmp_path).stdout == run(plain, tmp_path=tmp_path).stdout == (
        "['__builtin__ set', 'collections OrderedDict', 'torch FloatStorage', 'torch float16', 'torch._utils _rebuild_parameter', 'torch._utils _rebuild_tensor_v2', "
        "'torch.nn.modules.linear Linear']\n")
