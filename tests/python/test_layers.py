"""The layers of the package: each module imports only its own layer and lower ones, without cycles; READMEs list every file."""
import ast
import re
from pathlib import Path

import pytest

from tests.cycles import cycles

PACKAGE = "pywasmtorch"
FOLDER = Path(__file__).parents[2] / PACKAGE
#: From the ground up. A module may import its own layer and those before it in this list, at its top or inside a function.
ORDER = ("_core", "_tensor", "_functions", "autograd", "public", "_compat")
#: Names that torch has at two heights: `torch.autograd.profiler` is `torch.profiler`, and the root gathers.
BOTH_PLACES = {(PACKAGE, f"{PACKAGE}._compat.as_torch"), (f"{PACKAGE}.__main__", f"{PACKAGE}._compat.installed"), (f"{PACKAGE}.autograd.profiler", f"{PACKAGE}.profiler")}
#: Calls of a layer above, imported when they are called (`_core/lazy_import.py`).
LAZY = {("_tensor.storage", "storage", "_plain_pickle"), ("_tensor.special_methods", "_compat.array_api", "namespace_of_tensor"),
        ("_core.tensor_type", "overrides", "_of_new_subclass"), ("_core.overriding", "overrides", "resolve_name"), ("_core.dispatch", "overrides", "_ask_late"),
    ("_core.dispatch", "sparse._operators", "run"), ("_tensor.sparse_methods", "sparse._tensor", "from_dense"), ("_tensor.sparse_methods", "sparse._tensor", "masked"),
    ("_tensor.rebuild", "sparse._construct", "rebuilt"), ("nn.functional.sparse", "sparse._embedding", "embedding"), ("nn.functional.sparse", "sparse._embedding", "bags"),
    ("ops", "_compat.native_libraries", "load"),
}
#: The package's root beside its private folders: names that torch has, and three that it has not.
PUBLIC = set(
    "accelerator amp autograd backends compiler cpu cuda datasets distributed distributions fft func functional futures fx hub jit library linalg masked mps mtia multiprocessing nn onnx "
    "ops optim overrides profiler random return_types safetensors serialization signal sparse special storage testing torch_version types utils version xpu __main__".split()
)
MOST_LINES = 800
#: Folders whose README has a table of files.
LISTED = (
    *(f"pywasmtorch/{name}" for name in ("_compat", "_core", "_functions", "_tensor")), "core-c/codegen", "core-c/src/autograd", "core-c/src/base", "core-c/src/kernels",
    "core-c/src/tensor", "tests/fuzz", "tests/golden", "wasm", "benchmarks", "web-demo",
)
#: Not listed: built, or the same everywhere.
IGNORED = {"README.md", "__init__.py", "__pycache__/", "generated/"}

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="needs the sources, which are not beside the tests here")


def sources() -> dict[str, str]:
    """The package's modules: name -> text. A package's name ends with a dot here."""
    found = {}
    for path in sorted(FOLDER.rglob("*.py")):
        parts = path.relative_to(FOLDER.parent).with_suffix("").parts
        name = ".".join(parts[:-1]) + "." if parts[-1] == "__init__" else ".".join(parts)
        found[name] = path.read_text(encoding="utf-8")
    return found


class _Runs(ast.NodeTransformer):
    """Leaves out what is there for type checkers alone."""

    def visit_If(self, node: ast.If) -> ast.AST | None:
        return None if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING" else self.generic_visit(node)


def imported(module: str, text: str, known: set[str]) -> set[str]:
    """The modules of this package that a module imports, wherever in it."""
    found: set[str] = set()
    package = module.rstrip(".") if module.endswith(".") else module.rpartition(".")[0]
    for node in ast.walk(_Runs().visit(ast.parse(text))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.split(".")[0] == PACKAGE}
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            base = ".".join(filter(None, (base, node.module)))
            if base.split(".")[0] == PACKAGE:
                found |= {f"{base}.{alias.name}" if f"{base}.{alias.name}" in known else base for alias in node.names}
    return found - {module.rstrip(".")}


def layer(module: str) -> int:
    first = (module.split(".") + [""])[1]
    return ORDER.index(first if first in ORDER else "public")


def problems(files: dict[str, str]) -> list[str]:
    """What is wrong with the imports of these modules."""
    known = {name.rstrip(".") for name in files}
    edges = {name.rstrip("."): imported(name, text, known) for name, text in files.items()}
    found = []
    for module, targets in edges.items():
        for to in sorted(targets):
            if to not in known and not to.startswith(f"{PACKAGE}._core.generated"):
                found.append(f"{module} imports {to}, which is not there")
            if layer(to) > layer(module) and (module, to) not in BOTH_PLACES:
                found.append(f"{module} imports {to}, of a layer above it")
    return found + cycles(edges)


def called_lazily(files: dict[str, str]) -> set[tuple[str, str, str]]:
    calls = [(name, node) for name, text in files.items() for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return {(name.removeprefix(f"{PACKAGE}."), *(a.value for a in node.args)) for name, node in calls if isinstance(node.func, ast.Name) and node.func.id == "lazy_import"}


def unlisted(folder: Path) -> list[str]:
    """Names that stand either in the folder or in the first column of its README's tables."""
    rows = [line.split("|")[1] for line in (folder / "README.md").read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall(r"`([^`]+)`", row)}
    there = {path.name + "/" * path.is_dir() for path in folder.iterdir() if path.name[0] != "."} - IGNORED
    return sorted(listed - IGNORED ^ there)


def test_imports_run_one_way():
    assert not problems(sources())


@pytest.mark.parametrize(
    "module, line, told",
    [
        ("_core.frame", "from .._tensor import metadata", "pywasmtorch._core.frame imports pywasmtorch._tensor.metadata, of a layer above it"),
        ("_tensor.metadata", "from .._functions.creation import zeros", "of a layer above it"),
        ("_functions.norms", "from .. import linalg", "pywasmtorch._functions.norms imports pywasmtorch.linalg, of a layer above it"),
        ("_functions.stft", "def f():\n    import pywasmtorch", "pywasmtorch._functions.stft imports pywasmtorch, of a layer above it"),
        ("autograd.graph", "from ..nn import Module", "of a layer above it"),
        ("optim.adam", "from .._compat import as_torch", "of a layer above it"),
        ("_functions.creation", "from .random import rand", "a cycle: pywasmtorch._functions.creation -> pywasmtorch._functions.random -> pywasmtorch._functions.creation"),
        ("_core.dtype", "def f():\n    from . import frame", "a cycle: pywasmtorch._core.dtype -> pywasmtorch._core.frame -> pywasmtorch._core.dtype"),
        ("nn.modules.module", "from ._absent import Module", "which is not there"),
    ],
)
def test_an_import_turned_round_is_found(module, line, told):
    files = sources()
    files[f"{PACKAGE}.{module}"] += f"\n{line}\n"
    assert any(told in problem for problem in problems(files))


def test_a_layer_calls_a_higher_one_only_by_lazy_import():
    assert called_lazily(sources()) == LAZY


def test_the_root_holds_names_that_torch_has_and_private_folders():
    private = {path.name for path in FOLDER.iterdir() if path.is_dir() and path.name.startswith("_") and path.name != "__pycache__"}
    assert private == {name for name in ORDER if name.startswith("_")}
    assert {path.stem for path in FOLDER.iterdir() if path.is_dir() or path.suffix == ".py"} - private - {"__pycache__", "__init__"} == PUBLIC


@pytest.mark.parametrize("folder", LISTED)
def test_a_readme_lists_every_file_of_its_folder(folder):
    assert not unlisted(FOLDER.parent / folder)


def test_a_file_that_no_table_lists_is_found(tmp_path):
    (tmp_path / "README.md").write_text("| file | contents |\n|---|---|\n| `a.py`, `b/` | `c.py` |\n")
    for name in ("a.py", "d.py", "__init__.py"):
        (tmp_path / name).touch()
    assert unlisted(tmp_path) == ["b/", "d.py"]


def test_a_module_says_first_what_it_is_for():
    silent = [name for name, text in sources().items() if ast.get_docstring(ast.parse(text)) is None and text.strip()]
    assert not silent


def test_no_module_is_long():
    assert not [name for name, text in sources().items() if text.count("\n") > MOST_LINES and ".generated." not in name]
