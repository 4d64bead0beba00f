"""Put the page together in a folder that any static file server can serve."""

import hashlib
import json
import platform
import shutil
import zipfile
from importlib.metadata import version
from pathlib import Path

import demo_tools

PAGE = Path(__file__).resolve().parent
SCRIPT = PAGE / "train_digits.py"
OUTPUT = demo_tools.ROOT / "build" / "site"
RECORDS = demo_tools.ROOT / "build" / "recorded-runs.json"

PAGE_FILES = ("index.html", "icon.svg", "style.css", "*.js", SCRIPT.name)
PYODIDE_FILES = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json")
VENDOR_FILES = {
    "uplot": ("dist/uPlot.esm.js", "dist/uPlot.min.css"),
    "@fontsource-variable/newsreader": ("files/newsreader-latin-wght-normal.woff2",),
    "@fontsource/ibm-plex-mono": (
        "files/ibm-plex-mono-latin-400-normal.woff2",
        "files/ibm-plex-mono-latin-500-normal.woff2",
    ),
}
# what the worker downloads with its progress shown
COUNTED = ("pyodide/pyodide.asm.wasm", "pyodide/python_stdlib.zip", "pyodide/pyodide-lock.json", SCRIPT.name)
# the runs (seed, epochs) whose weights the page can compare with CPython's
RECORDED = ((0, 12), (1, 12), (2, 12), (0, 3))


def assemble(output=OUTPUT):
    """Fill `output` with the page, Pyodide, the wheel and CPython's results; return it."""
    shutil.rmtree(output, ignore_errors=True)
    for pattern in PAGE_FILES:
        for file in PAGE.glob(pattern):
            place(file, output / file.name)
    pyodide = demo_tools.npm_package("pyodide")
    for name in PYODIDE_FILES:
        place(pyodide / name, output / "pyodide" / name)
    for package, names in VENDOR_FILES.items():
        for name in names:
            folder = "vendor/fonts" if name.endswith(".woff2") else "vendor"
            place(demo_tools.npm_package(package) / name, output / folder / Path(name).name)
    wheel = demo_tools.wheel()
    place(wheel, output / wheel.name)
    description = {
        "wheel": wheel.name,
        "binary_sha256": binary_sha256(wheel),
        "sizes": {name: (output / name).stat().st_size for name in (*COUNTED, wheel.name)},
        "expected": recorded_runs(wheel),
    }
    (output / "site.json").write_text(json.dumps(description, indent=1) + "\n")
    return output


def place(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, target)


def binary_sha256(wheel):
    """The SHA-256 of the WebAssembly file in a wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return hashlib.sha256(archive.read("pywasmtorch/pywasmtorch.wasm")).hexdigest()


def recorded_runs(wheel):
    """What CPython gets for the runs in RECORDED; kept until the wheel or the script changes."""
    host = f"CPython {platform.python_version()}, wasmtime {version('wasmtime')}"
    of = hashlib.sha256(wheel.read_bytes() + SCRIPT.read_bytes() + host.encode()).hexdigest()
    if RECORDS.is_file():
        kept = json.loads(RECORDS.read_text())
        if kept["of"] == of and len(kept["runs"]) == len(RECORDED):
            return kept["runs"]
    runs = [record(host, seed, epochs) for seed, epochs in RECORDED]
    RECORDS.write_text(json.dumps({"of": of, "runs": runs}))
    return runs


def record(host, seed, epochs):
    output = demo_tools.run_in_cpython(SCRIPT, "--seed", seed, "--epochs", epochs)
    return {"host": host, "seed": seed, "epochs": epochs, "sha256": demo_tools.printed("sha256", output)}


if __name__ == "__main__":
    print(assemble())
