"""The whole Python suite once more, inside Pyodide under Node, on both kinds of memory."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WHEELS = ROOT / "build" / "pyodide-wheels"
PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")


@pytest.fixture(scope="module")
def wheels(pyodide) -> Path:
    """A folder with pytest and what it needs, as wheels for any platform."""
    if not all(list(WHEELS.glob(f"{name}-*.whl")) for name in PACKAGES):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:",
                   "--dest", str(WHEELS), *PACKAGES]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"pip cannot fetch pytest for Pyodide: {done.stderr.strip()[-200:]}")
    return WHEELS


@pytest.mark.parametrize("options", [("--threads", "2"), ("--plain",)], ids=["threads", "plain-memory"])
def test_python_suite(wheels, options):
    command = ["node", "wasm/pyodide.mjs", *options, "--wheels", str(wheels), "-m", "pytest", "tests/python",
               "-q", "-p", "no:cacheprovider", "--tb=short"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800)
    summary = re.findall(r"\d+ passed.*", done.stdout)
    print(done.stdout[done.stdout.rfind("short test summary"):])
    assert done.returncode == 0 and summary, (done.stdout + done.stderr)[-6000:]
