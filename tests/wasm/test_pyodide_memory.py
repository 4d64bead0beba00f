"""In Pyodide Python's own memory grows while tensors are read and written, and the views of it that JavaScript has are then of no use."""

import os
import subprocess
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import pywasmtorch as torch

kept = []
GROWS = [
    lambda n: len(torch.arange(n).tolist()),
    lambda n: len(str(torch.arange(n).tolist())) > n and n,
    lambda n: len(bytes(torch.zeros(8 * n, dtype=torch.uint8).untyped_storage())) // 8,
    lambda n: len(torch.zeros(n).untyped_storage().tolist()) // 4,
    lambda n: torch.tensor(list(range(n))).shape[0],
    lambda n: torch.frombuffer(bytearray(n), dtype=torch.uint8).shape[0],
]
for step, read in enumerate(GROWS):
    for n in (300_000, 600_000, 1_200_000):
        assert read(n) == n, (step, n)

for n in range(16, 26):  # a fact is read after Python's memory grew, and before any call
    t = torch.ones(2, 3)
    kept.append(bytearray(1 << n))
    assert t.shape == (2, 3)
    kept.append(bytearray(1 << n))
    assert t.tolist() == [[1.0] * 3] * 2
    kept.append(bytearray(1 << n))
    t[0] = torch.tensor([1.0, 2.0, 3.0])
    assert t.sum() == 9
print("done")
"""


@pytest.mark.parametrize("options", [("--threads", "1"), ("--plain",)], ids=["shared-memory", "plain-memory"])
def test_reading_much(pyodide, options):
    with tempfile.TemporaryDirectory(dir=ROOT / "build") as folder:
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM)
        command = ["node", "wasm/pyodide.mjs", *options, os.path.relpath(program, ROOT)]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.strip() == "done", (done.stdout + done.stderr)[-4000:]
