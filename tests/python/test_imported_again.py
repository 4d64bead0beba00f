"""Modules removed from sys.modules and imported again: tensors of the first import belong to a core that is gone."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
pytestmark = pytest.mark.skipif(sys.platform == "emscripten", reason="needs a process of its own")
PROGRAM = """
import sys
import pywasmtorch as before

old, others = before.arange(5.0) + 10, [before.ones(3) for _ in range(10)]
layer = before.nn.Linear(5, 2)
for name in [name for name in sys.modules if name.partition(".")[0] == "pywasmtorch"]:
    del sys.modules[name]
import pywasmtorch as torch

new = torch.zeros(5)
uses = [
    lambda: old + 1, lambda: 1 + old, lambda: new + old, lambda: old + new, lambda: torch.add(new, old), lambda: torch.cat([new, old]), lambda: old.sum(),
    lambda: torch.tensor(old), lambda: layer(new), lambda: layer(old), lambda: old.tolist(), lambda: before.ones(2), lambda: new.copy_(old),
]
for number, use in enumerate(uses):
    try:
        found = use()
    except RuntimeError as error:
        assert "imported again" in str(error), (number, error)
    except TypeError as error:
        assert "Tensor" in str(error), (number, error)
    else:
        sys.exit(f"use {number} gave {found}")
del old, others, layer, use, uses
assert (new + 1).tolist() == [1] * 5
"""


def test_old_tensors_are_refused():
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ROOT})
    assert done.returncode == 0 and not done.stderr, done.stderr
