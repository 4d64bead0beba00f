"""Published packages run here with their weights and give PyTorch's results."""

import json
import subprocess
import sys

import pytest

from . import fetch, runs


def run(name):
    run = runs.RUNS[name]
    try:
        run.fetch()
    except fetch.Unavailable as reason:
        pytest.skip(str(reason))
    done = subprocess.run([sys.executable, "-m", "pywasmtorch", *run.command], capture_output=True, text=True, cwd=runs.ROOT)
    assert done.returncode == 0, done.stderr[-4000:]
    return runs.summary(done.stdout), run.recorded.read_text()


@pytest.mark.parametrize("name", runs.RUNS)
def test_as_with_torch(name):
    got, expected = run(name)
    assert runs.difference(expected, got) is None
    if name == "digits_all":
        result = json.loads(got)
        assert result["total"] == 10000 and result["right"] >= 9970


def test_reports_are_compared():
    def report(values, **more):
        return json.dumps({"x": {"dtype": "torch.float32", "shape": [2], "values": values}, **more})

    assert runs.difference(report([1.0, float("nan")]), report([1.00009, float("nan")])) is None
    assert runs.difference(report([1.0, 1e-9]), report([1.0, 5e-6])) is None
    assert "differs at 1" in runs.difference(report([1.0, 1e-2]), report([1.0, 1.002e-2]))
    assert "differs at 0" in runs.difference(report([float("inf"), 0.0]), report([1e30, 0.0]))
    assert "expected ['x', 'y']" in runs.difference(report([0.0], y=1), report([0.0]))
    assert runs.difference(report([0.0], y=[1]), report([0.0], y=[2])) == "y is [2], expected [1]"


@pytest.mark.parametrize("name", fetch.PINS)
def test_downloads_are_pinned(name):
    assert "==" in fetch.PINS[name] and "--hash=sha256:" in fetch.PINS[name]
