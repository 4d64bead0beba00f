"""`install_as_torch()` and `python -m pywasmtorch`: what `import torch` finds, and errors for absent names."""

import json
import subprocess
import sys

import pytest
from golden import scripts

ROOT = scripts.FOLDER.parents[2]
IMPORTS = """
import torch
import torch, torch as t; assert t is torch
import torch, torch.nn as nn; assert nn is torch.nn and nn.Linear is torch.nn.Linear
import torch, torch.nn.functional as F; assert F is torch.nn.functional
import torch.optim as optim
import torch.utils.data as data
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.backends.cudnn as cudnn; cudnn.benchmark = True
import torch.utils._pytree as p; assert p.tree_map(lambda x: x + 1, [1, (2,)]) == [2, (3,)]
import torch.autograd.variable
from torch import nn, optim, Tensor, FloatTensor, LongTensor, einsum, device, no_grad
from torch import *
from torch.nn import Module, Parameter, Sequential, functional as F, init
from torch.nn.modules.conv import _ConvNd, Conv2d
from torch.nn.modules.module import Module
from torch.nn.modules.utils import _pair, _single
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.parameter import Parameter
from torch.nn.init import xavier_uniform_, _calculate_fan_in_and_fan_out
from torch.nn.utils import clip_grad_norm_, parameters_to_vector
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, PackedSequence
from torch.optim import Adam, lr_scheduler, Optimizer
from torch.optim.lr_scheduler import StepLR, LambdaLR, _LRScheduler
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
from torch.utils.data.dataset import Dataset, Subset
from torch.utils.data.dataloader import default_collate
from torch.utils.data.sampler import SubsetRandomSampler
from torch.utils.checkpoint import checkpoint
from torch.utils._pytree import tree_flatten, tree_unflatten, tree_map
from torch.autograd import Function, Variable, grad, gradcheck
from torch.autograd.function import once_differentiable
from torch.types import Number, Device, _size
from torch.testing import assert_close
from torch.functional import norm
from torch.jit import Final
from torch._jit_internal import boolean_dispatch, List, Optional
from torch.distributions import Categorical, Normal
from torch.amp import autocast
from torch.cuda.amp import GradScaler
from torch.fft import rfft
from torch.serialization import add_safe_globals
from torch._utils import _rebuild_tensor_v2
from torch.storage import TypedStorage
import importlib.util; assert importlib.util.find_spec("torch") is not None
import pickle, torch; assert pickle.loads(pickle.dumps(torch.nn.Linear)) is torch.nn.Linear
import inspect, torch; assert inspect.getmodule(torch.nn.Linear.forward)
""".strip().splitlines()
ABSENT = {
    "import torch.foo.bar": "pywasmtorch has no torch.foo; see docs/differences.md",
    "from torch import foo": "pywasmtorch has no torch.foo; see docs/differences.md",
    "from torch.distributed.fsdp import Foo": "pywasmtorch has no torch.distributed.fsdp.Foo; see docs/differences.md",
    "from torch.nn import Foo": "pywasmtorch has no torch.nn.Foo; see docs/differences.md",
    "from torch.nn.functional import relu, foo": "pywasmtorch has no torch.nn.functional.foo; see docs/differences.md",
    "from torch.nn.modules.conv import Foo": "cannot import name 'Foo' from 'torch.nn.modules.conv'",
    "from torch.utils.data import Foo": "pywasmtorch has no torch.utils.data.Foo; see docs/differences.md",
    "import torch; torch.foo": "pywasmtorch has no torch.foo; see docs/differences.md",
    "import torch; torch.nn.Foo": "pywasmtorch has no torch.nn.Foo; see docs/differences.md",
    "import torch; torch.nn.functional.foo": "pywasmtorch has no torch.nn.functional.foo; see docs/differences.md",
    "import torch; torch.optim.lr_scheduler.Foo": "pywasmtorch has no torch.optim.lr_scheduler.Foo; see docs/differences.md",
    "import torch; torch.linalg.foo": "pywasmtorch has no torch.linalg.foo; see docs/differences.md",
    "import torch; torch.ones(2).foo": "'Tensor' object has no attribute 'foo'",
}
TRY = """
import json, sys
import pywasmtorch
pywasmtorch.install_as_torch()
pywasmtorch.install_as_torch()
said = {}
for line in json.load(sys.stdin):
    try:
        exec(line, {})
        said[line] = None
    except Exception as error:
        said[line] = [type(error).__name__, str(error)]
print(json.dumps(said))
"""


def run(*arguments, **options):
    if sys.platform == "emscripten":
        pytest.skip("there are no processes in Pyodide")
    return subprocess.run([sys.executable, *map(str, arguments)], text=True, capture_output=True, cwd=ROOT, **options)


@pytest.fixture(scope="module")
def said(request):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch finds itself")
    done = run("-c", TRY, input=json.dumps([*IMPORTS, *ABSENT]))
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_imports(said):
    assert {line: said[line] for line in IMPORTS if said[line]} == {}


def test_what_is_missing_is_named(said):
    for line, text in ABSENT.items():
        kind, message = said[line]
        assert text in message and kind == ("AttributeError" if ";" in line else "ImportError" if text.startswith("cannot") else "ModuleNotFoundError")


def test_names_are_tried_as_with_torch(lib):
    assert not hasattr(lib, "foo") and not hasattr(lib.nn, "Foo") and not hasattr(lib.nn.functional, "foo")
    assert getattr(lib.optim, "Foo", None) is None


def test_arguments_reach_the_program(request, tmp_path):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch has no such command")
    (tmp_path / "helper.py").write_text("import torch\nhalf = torch.tensor(0.5)\n")
    program = tmp_path / "train.py"
    program.write_text(
        "import sys\nimport torch\nfrom helper import half\nimport helper\nif __name__ == '__main__':\n"
        "    print(sys.argv[1:], (half * 2).item(), helper.torch is torch, __file__ == sys.argv[0])\n    sys.exit(3)\n"
    )
    done = run("-m", "pywasmtorch", program, "--lr", "0.1", "-m", "x")
    assert (done.returncode, done.stdout) == (3, "['--lr', '0.1', '-m', 'x'] 1.0 True True\n"), done.stderr


def test_a_program_that_fails_shows_its_own_line(request, tmp_path):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch has no such command")
    program = tmp_path / "wrong.py"
    program.write_text("import torch\ntorch.ones(2) + torch.ones(3)\n")
    done = run("-m", "pywasmtorch", program)
    assert done.returncode == 1 and "wrong.py" in done.stderr and "line 2" in done.stderr
    assert "RuntimeError: The size of tensor a (2) must match the size of tensor b (3)" in done.stderr
    assert run("-m", "pywasmtorch", tmp_path / "none.py").returncode == 2
