"""Programs like PyTorch's tutorials and well-known public models run with this package with the same output."""

import subprocess
import sys

import pytest
from golden import scripts


def test_texts_are_compared():
    assert scripts.first_difference("loss 1.0001\nend", "loss 1.0002\nend") is None
    assert scripts.first_difference("[1, 2]", "[1,   2]") is None
    assert scripts.first_difference("0.0012 1.5e-05", "0.0011 1.4e-05") is None
    assert "line 1 is 'loss 1.10', expected 'loss 1.00'" in scripts.first_difference("loss 1.00", "loss 1.10")
    assert scripts.first_difference("loss 0.012000", "loss 0.012020")
    assert scripts.first_difference("[1000]", "[1001]")
    assert "line 2" in scripts.first_difference("a\nb", "a\nc")
    assert scripts.first_difference("a\nb", "a") == "1 lines, expected 2"


@pytest.mark.parametrize("name", scripts.NAMES)
def test_imported_as_torch(name, lib):
    if "import numpy" in scripts.source(name):
        pytest.importorskip("numpy")
    text = scripts.with_package(scripts.source(name), lib.__name__)
    assert scripts.first_difference(scripts.expected(name), scripts.output_of(text)) is None


@pytest.mark.parametrize("name", scripts.NAMES)
def test_unchanged_script(name, request):
    if sys.platform == "emscripten":
        pytest.skip("there are no processes in Pyodide")
    package = request.config.getoption("--target")
    runner = ["-m", "pywasmtorch"] if package == "pywasmtorch" else []
    command = [sys.executable, *runner, str(scripts.FOLDER / f"{name}.py")]
    done = subprocess.run(command, text=True, capture_output=True, cwd=scripts.FOLDER.parents[2])
    assert done.returncode == 0, done.stderr
    assert scripts.first_difference(scripts.expected(name), done.stdout) is None
