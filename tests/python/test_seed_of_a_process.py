"""Without `manual_seed` each process draws numbers of its own, from a seed that it can tell."""

import os
import subprocess
import sys

import pytest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
pytestmark = pytest.mark.skipif(sys.platform == "emscripten", reason="needs processes")
PROGRAM = """
import pywasmtorch as torch
drawn = torch.rand(4).tolist()
seed = torch.initial_seed()
torch.manual_seed(seed)
print(seed, torch.rand(4).tolist() == drawn, torch.Generator().initial_seed())
"""


def run(seed=None):
    environment = {**os.environ, "PYTHONPATH": ROOT, **({} if seed is None else {"PYWASMTORCH_SEED": seed})}
    return subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, env=environment)


def test_processes_draw_numbers_of_their_own():
    seeds = set()
    for _ in range(3):
        seed, repeats, made = run().stdout.split()
        seeds.add(seed)
        assert repeats == "True" and 0 <= int(seed) < 1 << 53
        assert made == "67280421310721"  # what a new Generator begins with in PyTorch, too
    assert len(seeds) == 3


def test_a_variable_fixes_the_seed():
    assert run("42").stdout.split()[:2] == ["42", "True"]
    assert run(str((1 << 64) - 1)).stdout.split()[0] == str((1 << 64) - 1)


@pytest.mark.parametrize("seed", ["many", "-1", "1.5", str(1 << 64)])
def test_a_variable_that_is_no_seed_is_named(seed):
    done = run(seed)
    assert done.returncode == 1 and f"PYWASMTORCH_SEED: expected an integer from 0 to 2**64 - 1, got '{seed}'" in done.stderr
