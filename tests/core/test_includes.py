"""The layers of the C core, read from its includes: each file knows only what stands below it, and nothing runs in a circle."""
import re
from pathlib import Path

import pytest

from tests.circles import circles
from wasm.build import GENERATED, ROOT, include_flags

CORE = "core-c/"
#: From the ground up. A file may include its own layer and those above it in this list.
ORDER = (
    ("base", ("core-c/src/base/", "core-c/include/base.h", "core-c/include/math.h", "core-c/include/complex_math.h", "core-c/include/host.h")),
    ("tensor", ("core-c/src/tensor/", "core-c/include/tensor.h", "core-c/include/iterator.h", "core-c/include/rows.h", "core-c/include/history.h")),
    ("graph", ("core-c/include/autograd.h",)),
    ("operators", ("core-c/include/call.h", f"{GENERATED}/ops.h")),
    ("families", ("core-c/src/kernels/", "core-c/src/autograd/", "core-c/src/optim/")),
    ("host", ("wasm/",)),
)
#: What stands in one layer, or in order, and still has nothing to do with each other.
APART = (
    ("core-c/src/kernels/", "core-c/include/autograd.h"),
    ("core-c/src/kernels/", "core-c/src/autograd/"),
    ("core-c/src/kernels/", "core-c/src/optim/"),
    ("core-c/src/autograd/", "core-c/src/kernels/"),
    ("core-c/src/autograd/", "core-c/src/optim/"),
    ("core-c/src/optim/", "core-c/src/kernels/"),
    ("core-c/src/optim/", "core-c/src/autograd/"),
    ("core-c/include/call.h", "core-c/include/autograd.h"),
)
TENSOR_MAY_INCLUDE = {"core-c/include/base.h", "core-c/include/tensor.h", "core-c/include/iterator.h", "core-c/include/rows.h", "core-c/include/history.h",
                      "core-c/src/base/parallel.h"}
#: Headers that the generator writes.
GENERATED_HEADERS = {f"{GENERATED}/ops.h"}
INCLUDE = re.compile(r'^#\s*(?:include|define \w+) "([^"\n]+\.[ch])"', re.MULTILINE)  # a header may be chosen by a macro
MOST_LINES = 800


def sources() -> dict[str, str]:
    """The C of the core and of its entry points: path -> text."""
    paths = [*(ROOT / "core-c").rglob("*.[ch]"), *(ROOT / "wasm").glob("*.[ch]")]
    return {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in paths}


def folder(path: str) -> str:
    return path.rpartition("/")[0]


def resolve(path: str, name: str, files: dict[str, str]) -> str | None:
    """The file that the compiler finds for an include of `path`: beside it, then where the build's flags look."""
    known = files.keys() | GENERATED_HEADERS
    looked = [folder(path), *(flag.removeprefix("-iquote") for flag in include_flags(ROOT)), GENERATED]
    return next((f"{place}/{name}" for place in looked if f"{place}/{name}" in known), None)


def layer(path: str) -> int | None:
    return next((i for i, (_, members) in enumerate(ORDER) if path.startswith(members)), None)


def problems(files: dict[str, str]) -> list[str]:
    """What is wrong with the includes of these files."""
    found: list[str] = []
    by_file: dict[str, set[str]] = {path: set() for path in files}
    for path, text in files.items():
        if layer(path) is None:
            found.append(f"{path} is in no layer of ORDER")
        for name in INCLUDE.findall(text):
            to = resolve(path, name, files)
            if name.endswith(".c"):
                found.append(f"{path} includes {name}, a source")
            elif to is None:
                found.append(f"{path} includes {name}, which is not there")
            else:
                by_file[path].add(to)
    for path, includes in by_file.items():
        for to in sorted(includes):
            if (layer(to) or 0) > (layer(path) or 0):
                found.append(f"{path} includes {to}, of a layer above it")
            if any(path.startswith(a) and to.startswith(b) for a, b in APART):
                found.append(f"{path} includes {to}, which it must not know")
            if path.startswith("core-c/src/tensor/") and to not in TENSOR_MAY_INCLUDE:
                found.append(f"{path} includes {to}, which tensors do not need")
    by_folder: dict[str, set[str]] = {}
    by_part: dict[str, set[str]] = {}  # a source and its header are one part of autograd
    for path, includes in by_file.items():
        for to in includes:
            if folder(path) != folder(to) and "core-c/include" not in (folder(path), folder(to)):  # the headers there belong to several layers
                by_folder.setdefault(folder(path), set()).add(folder(to))
            if path.startswith("core-c/src/autograd/") and path[:-2] != to[:-2]:
                by_part.setdefault(path[:-2], set()).add(to[:-2])
    return found + circles(by_file) + circles(by_folder) + circles(by_part)


def test_includes_run_one_way():
    assert not problems(sources())


@pytest.mark.parametrize(
    "path, include, told",
    [
        ("core-c/src/tensor/tensor.c", "autograd.h", "of a layer above it"),
        ("core-c/include/tensor.h", "history.h", "a circle: core-c/include/history.h -> core-c/include/tensor.h -> core-c/include/history.h"),
        ("core-c/src/base/memory.c", "tensor.h", "of a layer above it"),
        ("core-c/include/call.h", "autograd.h", "which it must not know"),
        ("core-c/src/tensor/copy.c", "ops.h", "of a layer above it"),
        ("core-c/src/tensor/copy.c", "math.h", "which tensors do not need"),
        ("core-c/src/kernels/reduce/sum.c", "autograd.h", "which it must not know"),
        ("core-c/src/kernels/matmul/loops.c", "conv/conv.h", "a circle: core-c/src/kernels/conv -> core-c/src/kernels/matmul -> core-c/src/kernels/conv"),
        ("core-c/src/optim/adam.c", "matmul/gemm.h", "which it must not know"),
        ("core-c/src/autograd/saved.c", "views.h", "a circle: core-c/src/autograd/saved -> core-c/src/autograd/views -> core-c/src/autograd/saved"),
        ("core-c/src/autograd/engine.c", "frame.h", "of a layer above it"),
        ("core-c/src/kernels/fft/fft.c", "raw.c", "a source"),
        ("core-c/src/kernels/fft/fft.c", "sort_raw.h", "which is not there"),
        ("core-c/src/kernels/fft/fft.c", "gemm.h", "which is not there"),
    ],
)
def test_an_include_turned_round_is_found(path, include, told):
    files = sources()
    files[path] += f'#include "{include}"\n'
    assert any(told in line for line in problems(files))


def test_a_header_that_a_macro_names_counts():
    files = sources()
    files["core-c/src/base/dtype.c"] += '#define CHOSEN "tensor.h"\n#include CHOSEN\n'
    assert "core-c/src/base/dtype.c includes core-c/include/tensor.h, of a layer above it" in problems(files)


def family_folder(table: str) -> Path:
    return ROOT / "core-c" / "src" / table if table in ("autograd", "optim") else ROOT / "core-c" / "src" / "kernels" / table


TABLES = sorted((ROOT / "core-c" / "ops").glob("*.yaml"))


@pytest.mark.parametrize("table", TABLES, ids=lambda path: path.stem)
def test_a_table_finds_its_c_in_the_folder_of_its_name(table):
    named = set(re.findall(r"^  (?:kernel|composite|view): (\w+\.c)$", table.read_text(encoding="utf-8"), re.MULTILINE))
    assert named
    assert not {name for name in named if not (family_folder(table.stem) / name).is_file()}


def test_a_folder_of_kernels_has_a_table():
    folders = {path.name for path in (ROOT / "core-c" / "src" / "kernels").iterdir() if path.is_dir()}
    assert folders <= {table.stem for table in TABLES}


def test_a_file_says_first_what_it_is_for():
    assert not [path for path, text in sources().items() if path.startswith(CORE) and not text.startswith("/* ")]


def test_no_file_is_long():
    assert not [path for path, text in sources().items() if text.count("\n") > MOST_LINES]
