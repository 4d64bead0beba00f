"""einops, as published for PyTorch, runs on this package's tensors with the same output."""

import importlib.util
import subprocess
import sys

import pytest
from golden import scripts

PROGRAM = scripts.FOLDER.parent / "einops_program.py"


def test_functions_layers_and_gradients(request):
    if sys.platform == "emscripten":
        pytest.skip("there are no processes in Pyodide")
    if importlib.util.find_spec("einops") is None:
        pytest.skip("einops is not installed (pip install --group test)")
    runner = ["-m", "pywasmtorch"] if request.config.getoption("--target") == "pywasmtorch" else []
    done = subprocess.run([sys.executable, *runner, str(PROGRAM)], text=True, capture_output=True, cwd=PROGRAM.parents[2])
    assert done.returncode == 0, done.stderr
    assert scripts.first_difference(PROGRAM.with_suffix(".txt").read_text(), done.stdout) is None
