"""Calls, errors, traps, callbacks and memory: host_programs.py in CPython, and in Node on both kinds of memory."""
import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("host_programs.py")
ROOT = PROGRAM.parents[2]
NAMES = [node.name for node in ast.parse(PROGRAM.read_text()).body
         if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test_")]
HOSTS = {"cpython": [sys.executable], "pyodide": ["node", "wasm/pyodide.mjs"],
         "pyodide-plain-memory": ["node", "wasm/pyodide.mjs", "--plain"]}


@pytest.fixture(scope="module", params=HOSTS)
def outcomes(request, mock_binary, tmp_path_factory) -> dict[str, str | None]:
    """What each test of the program said: None for well, else the failure."""
    binary = str(mock_binary)
    if request.param != "cpython":
        request.getfixturevalue("pyodide")
        binary = "/project/" + mock_binary.relative_to(ROOT).as_posix()
    cache = str(tmp_path_factory.mktemp("cache"))
    settings = {**os.environ, "PYWASMTORCH_BINARY": binary, "PYWASMTORCH_CACHE": cache, "PYTHONPATH": ""}
    settings.pop("PYWASMTORCH_NUM_THREADS", None)
    done = subprocess.run([*HOSTS[request.param], PROGRAM.relative_to(ROOT).as_posix()], cwd=ROOT, env=settings,
                          capture_output=True, text=True, timeout=300)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("[")]
    assert done.returncode == 0 and lines, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr[-2000:]}"
    return dict(lines)


@pytest.mark.parametrize("name", NAMES)
def test_host(outcomes, name):
    assert name in outcomes, "did not run"
    assert outcomes[name] is None, outcomes[name]
