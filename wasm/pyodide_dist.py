"""Makes a folder with Pyodide and this package in its lock: `import pywasmtorch` then needs no other server.

`python wasm/pyodide_dist.py WHEEL [OUTPUT [PACKAGE…]]` copies npm's Pyodide, adds the wheel, and enters it in the lock file with
pyodide-lock's `add-wheels`, the command that pyodide-build offers as `pyodide lockfile add-wheels`. Packages are files of the same release
of Pyodide, as NumPy's wheel, which `tensor.numpy()` needs: they stay in the lock.
"""
from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from wasm.toolchain import BuildError, run  # noqa: E402

# called by module: the `pyodide` program around it needs Python 3.12
ADD_WHEELS = [sys.executable, "-c", "from pyodide_lock.cli import main; main()", "add-wheels"]
UNUSED = (".d.ts", ".map", ".md", ".html")


def make(wheel: Path, output: Path, packages: Sequence[Path] = ()) -> Path:
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
    for file in (wheel, *packages):
        shutil.copy(file, output)
    add_to_lock(wheel.name, output)
    return output


def add_to_lock(wheel: str, folder: Path) -> None:
    """Enters a wheel of the folder in the folder's lock, and drops packages that lie on a server of Pyodide's."""
    lock, draft = folder / "pyodide-lock.json", folder / "draft.json"
    content = json.loads(lock.read_text())
    present = {name: package for name, package in content["packages"].items()
               if (folder / package["file_name"]).exists()}
    # the command that Python 3.10 and 3.11 get demands a version here, newer ones ignore it
    info = {"version": "0", **content["info"]}
    draft.write_text(json.dumps({"info": info, "packages": {}}))
    run([*ADD_WHEELS, "--input", draft.name, "--output", draft.name, "--base-path", ".", wheel], folder)
    content["packages"] = present | json.loads(draft.read_text())["packages"]
    lock.write_text(json.dumps(content, indent=1))
    draft.unlink()


def main(arguments: list[str]) -> int:
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        output = make(Path(arguments[0]).resolve(), Path(arguments[1] if len(arguments) > 1 else "dist/pyodide").resolve(),
                      [Path(argument).resolve() for argument in arguments[2:]])
    except BuildError as error:
        print(f"pyodide-dist: {error}", file=sys.stderr)
        return 1
    size = sum(file.stat().st_size for file in output.iterdir())
    print(f"{output}: {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
