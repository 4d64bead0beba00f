"""The Python tests, the same files that CPython runs, in Pyodide under Node with the built wheel."""

import re
import subprocess

import demo_tools
import pytest

WHEELS = demo_tools.ROOT / "build" / "pyodide-wheels"
RUNNER = demo_tools.ROOT / "tests" / "pyodide" / "run_suite.py"


def test_python_tests_in_pyodide():
    if not any(WHEELS.glob("pytest-*.whl")):
        pytest.skip("pytest's wheels for Pyodide are not downloaded: make pyodide-wheels")
    options = ("--wheel", str(demo_tools.wheel()), "--wheels", str(WHEELS))
    try:
        command = demo_tools.node_command(RUNNER, "-q", "-rs", "tests/python", threads=2, options=options)
    except demo_tools.Missing as missing:
        pytest.skip(f"not run in Pyodide: {missing}")
    done = subprocess.run(command, cwd=demo_tools.ROOT, capture_output=True, text=True)
    print(done.stdout, done.stderr)
    assert done.returncode == 0, f"pytest in Pyodide ended with {done.returncode}"
    assert int(re.search(r"(\d+) passed", done.stdout)[1]) > 0
