"""The mock core, which misbehaves on purpose, and a fixture that runs it in its own process."""
from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pyodide_suite
import pytest

ROOT = Path(__file__).resolve().parents[2]

# The package's own __init__ wants the real core, so a bare package stands in for it.
BARE_PACKAGE = """
import sys, types
sys.modules["pywasmtorch"] = types.ModuleType("pywasmtorch")
sys.modules["pywasmtorch"].__path__ = [{package!r}]
from pywasmtorch._core import host as _host
"""

PRELUDE = """
(SUM, FAIL, UNREACHABLE, OUT_OF_BOUNDS, RECURSE, CALL_HOST, NEW, LIVE, HALVE, PARALLEL, GROW, HIGH,
 WORKER_TRAP) = range(1, 14)
host = _host.load()

def call(op, *arguments, count=None):
    if host.dead:
        host.flush()
    for i, argument in enumerate(arguments):
        host.words[i] = argument
    result = host.invoke(op | (len(arguments) if count is None else count) << 16)
    if not result:
        host.raise_error()
    return result

def value(op, *arguments):
    call(op, *arguments)
    return host.words[0]

def error_of(action):
    try:
        action()
    except BaseException as error:
        return error
    raise AssertionError("no exception")
"""


@pytest.fixture(scope="session")
def mock_binary() -> Path:
    """The mock core's WebAssembly file."""
    from wasm.build import compile_and_link

    folder = ROOT / "build" / "mock"
    data = compile_and_link(["tests/wasm/mock_core.c", "core-c/src/base/parallel.c"], ROOT, folder)
    path = folder / "mock.wasm"
    path.write_bytes(data)
    return path


@pytest.fixture(scope="session")
def pyodide() -> None:
    """Skips a test where Node or npm's Pyodide is not installed."""
    if reason := pyodide_suite.what_is_missing():
        pytest.skip(reason)


def pytest_collection_finish(session: pytest.Session) -> None:
    """The suites inside of Pyodide run on a core of their own meanwhile."""
    if session.config.option.collectonly:
        return
    for item in session.items:
        if item.path.name == "test_pyodide_suite.py":
            pyodide_suite.start(item.callspec.params["kind"])  # type: ignore[attr-defined]


def pytest_sessionfinish() -> None:
    pyodide_suite.stop()


@pytest.fixture
def run_python(mock_binary: Path, tmp_path: Path):
    """Runs a program on the mock core in a new process; returns what it printed. Fails when it does not end well."""
    def run(program: str, load: bool = True, expect: int = 0, timeout: float = 60, **environment: str) -> str:
        text = BARE_PACKAGE.format(package=str(ROOT / "pywasmtorch")) + PRELUDE * load + textwrap.dedent(program)
        settings = {"PYWASMTORCH_BINARY": str(mock_binary), "PYWASMTORCH_CACHE": str(tmp_path / "cache"), **environment}
        done = subprocess.run([sys.executable, "-c", text], env={**os.environ, **settings}, text=True,
                              capture_output=True, timeout=timeout)
        assert done.returncode == expect, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done.stdout
    return run
