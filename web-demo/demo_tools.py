"""Finds Node, npm packages and browsers for the demo and the tests, or says how to install them."""

import hashlib
import importlib.util
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ("core-c", "wasm", "pywasmtorch", "pyproject.toml", "hatch_build.py")


class Missing(RuntimeError):
    """Something that is not installed; the message says how to get it."""


def program(names, variable, hint):
    """The first of these programs that is on the path, or the one that the environment variable names."""
    given = os.environ.get(variable)
    if given:
        return given
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise Missing(f"{names[0]} is not installed: {hint}, or set {variable} to where it is")


def node():
    return program(["node"], "NODE", "install Node.js 18 or newer (Debian: apt-get install nodejs npm)")


def chromium():
    names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
    return program(names, "CHROMIUM", "install Chromium (Debian: apt-get install chromium)")


def firefox():
    names = ["firefox-esr", "firefox"]
    return program(names, "FIREFOX", "install Firefox (Debian: apt-get install firefox-esr)")


def npm_package(name):
    """The folder of a package that package.json pins; installs them all the first time."""
    folder = ROOT / "node_modules" / name
    if not folder.is_dir():
        npm = program(["npm"], "NPM", "install Node.js with npm (Debian: apt-get install nodejs npm)")
        command = [npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        if done.returncode:
            raise Missing(f"the npm package {name} is missing, and `npm ci` failed:\n{done.stderr.strip()}")
    return folder


def newest_source():
    """When the newest file that goes into the wheel was changed."""
    files = []
    for source in SOURCES:
        path = ROOT / source
        files += [path] if path.is_file() else [p for p in path.rglob("*") if p.is_file() and not is_built(p)]
    return max((file.stat().st_mtime for file in files), default=0.0)


def is_built(path):
    return "__pycache__" in path.parts or "generated" in path.parts or path.suffix in (".wasm", ".cwasm", ".pyc") or path.name == "pywasmtorch.json"


def wheel():
    """The package's wheel, built anew where the sources are newer."""
    dist = ROOT / "dist"
    found = max(dist.glob("pywasmtorch-*.whl"), key=lambda path: path.stat().st_mtime, default=None)
    if found is None or found.stat().st_mtime < newest_source():
        found = build_wheel(dist)
    return found


def build_wheel(dist):
    command = [sys.executable, "-m", "pip", "wheel", ".", "--no-deps", "--quiet", "-w", str(dist)]
    if all(importlib.util.find_spec(name) for name in ("hatchling", "ziglang", "yaml")):
        command.append("--no-build-isolation")
    for old in dist.glob("pywasmtorch-*.whl"):
        old.unlink()
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    built = list(dist.glob("pywasmtorch-*.whl"))
    if done.returncode or len(built) != 1:
        raise RuntimeError(f"building the wheel failed:\n{done.stdout}{done.stderr}")
    return built[0]


def unpacked_wheel():
    """A folder with the wheel's files, to be put on PYTHONPATH: CPython then runs what the page fetches."""
    package = wheel()
    folder = ROOT / "build" / "wheel"
    stamp = folder / "unpacked-from"
    digest = hashlib.sha256(package.read_bytes()).hexdigest()
    if not stamp.is_file() or stamp.read_text() != digest:
        shutil.rmtree(folder, ignore_errors=True)
        with zipfile.ZipFile(package) as archive:
            archive.extractall(folder)
        stamp.write_text(digest)
    return folder


def cpython_command(script, *arguments):
    return [sys.executable, str(script), *map(str, arguments)]


def cpython_environment(package, threads=None):
    """The environment in which CPython imports pywasmtorch from the folder `package`."""
    environment = {**os.environ, "PYTHONPATH": str(package)}
    if threads:
        environment["PYWASMTORCH_NUM_THREADS"] = str(threads)
    return environment


def node_command(script, *arguments, threads=1, node_options=(), options=()):
    """The command that runs a Python file of this project in Pyodide under Node, from ROOT. Raises Missing."""
    npm_package("pyodide")
    inside = Path(script).relative_to(ROOT).as_posix()
    runner = [str(ROOT / "wasm" / "pyodide.mjs"), "--threads", str(threads), *options]
    return [node(), *node_options, *runner, inside, *map(str, arguments)]


def run_in_cpython(script, *arguments, threads=None):
    """Run a Python file with the wheel's package in this Python and return what it printed."""
    return run(cpython_command(script, *arguments), cpython_environment(unpacked_wheel(), threads))


def run_in_node(script, *arguments, threads=1, node_options=(), options=()):
    """Run a Python file with the wheel in Pyodide under Node and return what it printed. Raises Missing."""
    options = ("--wheel", str(wheel()), *options)
    return run(node_command(script, *arguments, threads=threads, node_options=node_options, options=options))


def run(command, environment=None):
    done = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done.stdout


def printed(name, output):
    """The value of the line `name value` in a program's output."""
    for line in output.splitlines():
        if line.startswith(name + " "):
            return line.removeprefix(name + " ").strip()
    raise RuntimeError(f"the program did not print a line with {name!r}:\n{output}")
