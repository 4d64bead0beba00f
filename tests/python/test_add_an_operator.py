"""docs/add-an-operator.md works as it stands: its entry, its build command and its program."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "add-an-operator.md"

if sys.platform == "emscripten":
    pytest.skip("building needs a compiler, which Pyodide has not", allow_module_level=True)
pytest.importorskip("ziglang", reason="building needs the compiler: pip install ziglang")


def block(language: str) -> str:
    return re.search(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]


def copy_of_sources(to: Path) -> Path:
    for name in ("core-c", "wasm", "pywasmtorch"):
        shutil.copytree(ROOT / name, to / name, ignore=shutil.ignore_patterns("__pycache__"))
    return to


def test_page(tmp_path):
    root = copy_of_sources(tmp_path)
    (root / "core-c" / "ops" / "example.yaml").write_text(block("yaml"), encoding="utf-8")
    command = block("sh").split()
    assert command[0] == "python"
    build = subprocess.run([sys.executable, *command[1:]], cwd=root, capture_output=True, text=True)
    assert build.returncode == 0, build.stderr
    run = subprocess.run([sys.executable, "-c", block("python")], cwd=root, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    stub = (root / "pywasmtorch" / "_core" / "generated" / "ops.pyi").read_text(encoding="utf-8")
    assert "def softcap(input: Tensor, cap: Number = 10, *, out: Tensor | None = None) -> Tensor: ..." in stub
    reference = (root / "build" / "generated" / "operators.md").read_text(encoding="utf-8")
    assert "softcap(Tensor self, Scalar cap=10) -> Tensor" in reference


@pytest.mark.parametrize(
    "entry, message",
    [
        (block("yaml").replace("tanh(self / cap)", "tanh(self / capp)"), "example.yaml:1: softcap: the expression names 'capp', which is no argument"),
        (block("yaml").replace("grad: {self:", "grad: {selff:"), "example.yaml:1: softcap: 'grad' names 'selff', which is no argument"),
        (block("yaml").replace("Scalar cap", "Number cap"), "example.yaml:1: softcap: the argument 'Number cap=10' has the unknown type 'Number'"),
        (block("yaml").replace("types: float", "types: floating"), "example.yaml:1: softcap: unknown type group 'floating'"),
        (block("yaml").replace("result / cap)", "resultt / cap)", 1), "example.yaml:1: softcap: gradient: unknown name 'resultt'"),
        ("\n" + block("yaml").replace("doc:", "docs:"), "example.yaml:2: softcap: unknown key 'docs'"),
        (block("yaml").replace("pointwise: cap * tanh(self / cap)", "kernel: softcap.c"),
         "example.yaml:1: softcap: 'kernel' names 'softcap.c', which is not in core-c/src/kernels/example"),
        (block("yaml").replace("pointwise: cap * tanh(self / cap)", "composite: matmul.c"),
         "example.yaml:1: softcap: 'composite' names 'matmul.c', which is not in core-c/src/kernels/example"),
        (block("yaml").replace("pointwise: cap * tanh(self / cap)", "view: views.c"),
         "example.yaml:1: softcap: 'view' names 'views.c', which is not in core-c/src/kernels/example"),
    ],
)
def test_mistakes_are_named(tmp_path, entry, message):
    table = tmp_path / "example.yaml"
    table.write_text(entry, encoding="utf-8")
    result = subprocess.run([sys.executable, str(ROOT / "core-c" / "codegen"), "--out", str(tmp_path / "out"), "--tables", str(table)], capture_output=True, text=True)
    assert result.returncode == 1
    assert message in result.stderr
