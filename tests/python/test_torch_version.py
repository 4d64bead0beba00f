"""The version that programs see after install_as_torch()."""

import subprocess
import sys

import pytest


def test_versions_compare_as_numbers():
    TorchVersion = pytest.importorskip("pywasmtorch.torch_version").TorchVersion
    version = TorchVersion("2.13.0+cpu")
    assert version > "2.4" and version > (2, 0) and version >= (2, 13) and version < "10.0" and version == "2.13.0+cpu"
    assert version != "2.13.0" and version > "2.13.0rc1" and not version < (2, 13)
    assert version.startswith("2.13") and {version: 1}["2.13.0+cpu"] == 1
    assert TorchVersion("1.10.0a") < (1, 10) and TorchVersion("2.0.0") == (2,) and TorchVersion("2.0.dev3") < "2.0a1"
    assert TorchVersion("parrot") == "parrot" and TorchVersion("parrot") != "2.0"


@pytest.mark.skipif(sys.platform == "emscripten", reason="there are no processes in Pyodide")
def test_version_and_safetensors_of_a_program(request):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch is itself")
    program = """
import importlib.util
import pywasmtorch
installed = importlib.util.find_spec("safetensors")
own = pywasmtorch.__version__
pywasmtorch.install_as_torch()
import torch
assert torch.__version__ >= (2, 13) and str(torch.__version__).endswith("+pywasmtorch" + own), torch.__version__
assert torch.version.__version__ == torch.__version__
if not installed:
    import safetensors
    from safetensors.torch import load_file, save_file
    assert load_file is pywasmtorch.safetensors.load_file is safetensors.load_file
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
