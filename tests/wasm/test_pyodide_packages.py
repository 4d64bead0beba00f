"""Packages by others, with the weights that they carry, in Pyodide under Node, where numpy is not."""

import subprocess

import pytest
from packages import fetch, runs

ROOT = runs.ROOT


@pytest.mark.parametrize("name", ["pitch_tiny", "faces", "digits_some", "voice", "words"])
def test_as_with_torch(pyodide, name):
    run = runs.RUNS[name]
    try:
        run.fetch()
    except fetch.Unavailable as reason:
        pytest.skip(str(reason))
    command = ["node", "wasm/pyodide.mjs", "--threads", "2", "-m", "pywasmtorch", *run.command]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, (done.stdout[-2000:] + done.stderr)[-4000:]
    assert runs.difference(run.recorded.read_text(), runs.summary(done.stdout)) is None
