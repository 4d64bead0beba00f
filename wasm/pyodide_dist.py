"""Makes a folder that serves Pyodide and this package together: `import pywasmtorch` then needs no other server.

`python wasm/pyodide_dist.py WHEEL [OUTPUT]` copies npm's Pyodide, adds the wheel, and enters it in the lock file with
pyodide-lock's `pyodide lockfile add-wheels`.
"""
from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from wasm.toolchain import BuildError, run  # noqa: E402

UNUSED = (".d.ts", ".map", ".md", ".html")


def pyodide_command() -> list[str]:
    """The `pyodide` program that belongs to this Python."""
    folder = Path(sys.executable).parent
    for name in ("pyodide", "pyodide.exe"):
        if (folder / name).exists():
            return [str(folder / name)]
    raise BuildError("the pyodide command is missing: pip install 'pyodide-lock[cli,wheel]'")


def make(wheel: Path, output: Path) -> Path:
    """Writes the folder anew and returns it. Raises BuildError when Pyodide or the wheel is not there."""
    pyodide = ROOT / "node_modules" / "pyodide"
    if not (pyodide / "pyodide-lock.json").exists():
        raise BuildError("npm's pyodide package is missing: npm ci")
    if not wheel.is_file():
        raise BuildError(f"{wheel} is missing: make wheel")
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    for file in sorted(pyodide.iterdir()):
        if file.is_file() and not file.name.endswith(UNUSED):
            shutil.copy(file, output)
    shutil.copy(wheel, output)
    keep_only_present_packages(output / "pyodide-lock.json", output)
    # dependencies with a marker for CPython only are no dependencies here
    run([*pyodide_command(), "lockfile", "add-wheels", "--input", "pyodide-lock.json", "--output", "pyodide-lock.json",
         "--base-path", ".", wheel.name], output)
    return output


def keep_only_present_packages(lock: Path, folder: Path) -> None:
    """npm's lock names packages that lie on a server of Pyodide's; those would be asked for there."""
    content = json.loads(lock.read_text())
    content["packages"] = {name: package for name, package in content["packages"].items()
                           if (folder / package["file_name"]).exists()}
    lock.write_text(json.dumps(content))


def main(arguments: list[str]) -> int:
    if not 1 <= len(arguments) <= 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        output = make(Path(arguments[0]).resolve(), Path(arguments[1] if len(arguments) > 1 else "dist/pyodide").resolve())
    except BuildError as error:
        print(f"pyodide-dist: {error}", file=sys.stderr)
        return 1
    size = sum(file.stat().st_size for file in output.iterdir())
    print(f"{output}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
