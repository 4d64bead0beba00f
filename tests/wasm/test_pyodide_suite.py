"""The whole Python suite once more, inside Pyodide under Node, on both kinds of memory."""
import re

import pyodide_suite
import pytest


@pytest.mark.parametrize("kind", pyodide_suite.OPTIONS)
def test_python_suite(pyodide, kind):
    done = pyodide_suite.outcome(kind)
    if isinstance(done, str):
        pytest.skip(done)
    summary = re.findall(r"\d+ passed.*", done.stdout)
    print(done.stdout[done.stdout.rfind("short test summary"):])
    assert done.returncode == 0 and summary, (done.stdout + done.stderr)[-6000:]
