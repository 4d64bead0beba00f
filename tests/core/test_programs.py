"""Runs the core's own C tests, built for this machine with the address and undefined-behaviour sanitizers."""
import subprocess
from pathlib import Path

import pytest

from wasm.build import ROOT, build_native

NAMES = sorted(path.stem for path in (ROOT / "tests" / "core").glob("*.c"))


@pytest.fixture(scope="module")
def programs() -> dict[str, Path]:
    return {path.name: path for path in build_native()}


@pytest.mark.parametrize("name", NAMES)
def test_program(programs, name):
    done = subprocess.run([str(programs[name])], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]
