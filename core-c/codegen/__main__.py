"""python core-c/codegen --out BUILD [--python PACKAGE] [--tables FILE ...]: writes the C to BUILD, the Python to PACKAGE/_core/generated."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

if __package__ in (None, ""):
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    __package__ = "codegen"

from . import c_abi, c_ops, docs, python_ops, stubs, tables
from .schema import TableError

OPS = Path(__file__).resolve().parents[1] / "ops"


def write(path: Path, text: str) -> None:
    """Leaves a file that already says this alone, so that nothing is rebuilt for it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8", newline="\n")


def generate(out: Path, python: Path, paths: list[Path]) -> None:
    entries = tables.load(paths)
    c_files = c_ops.sources(entries)
    c_files["abi_calls.c"] = c_abi.calls(entries)
    for stale in out.glob("*.[ch]"):
        if stale.name not in c_files:
            stale.unlink()
    for name, text in c_files.items():
        write(out / name, text)
    bindings = python_ops.bindings(entries) | {"ops.pyi": stubs.stubs(entries)}
    for name, text in bindings.items():
        write(python / "_core" / "generated" / name, text)
    write(out / "operators.md", docs.reference(entries))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder for the generated C")
    parser.add_argument("--python", type=Path, help="the package folder that receives _core/generated/")
    parser.add_argument("--tables", type=Path, nargs="*", default=[], help="further tables beside core-c/ops/*.yaml")
    arguments = parser.parse_args()
    try:
        generate(arguments.out, arguments.python or arguments.out, [*OPS.glob("*.yaml"), *arguments.tables])
    except TableError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
