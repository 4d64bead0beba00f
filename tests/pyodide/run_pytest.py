"""Run the Python tests in Pyodide under Node: the same files that CPython runs, against the built wheel.

usage: python tests/pyodide/run_pytest.py [--threads N] [PYTEST ARGUMENTS]     (without arguments: tests/python)
"""

import argparse
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WHEELS = ROOT / "build" / "pyodide-wheels"
sys.path.insert(0, str(ROOT / "web-demo"))

import tools  # noqa: E402


def download_wheels():
    """Pytest and what it needs, as wheels; downloaded once for each version of requirements.txt."""
    wanted = (HERE / "requirements.txt").read_text()
    stamp = WHEELS / "requirements.txt"
    if stamp.is_file() and stamp.read_text() == wanted:
        return WHEELS
    WHEELS.mkdir(parents=True, exist_ok=True)
    for old in WHEELS.glob("*.whl"):
        old.unlink()
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:",
               "--platform=any", "--python-version=3.14", "-d", str(WHEELS), "-r", str(HERE / "requirements.txt")]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise tools.Missing(f"pytest's wheels could not be downloaded:\n{done.stderr.strip()}")
    stamp.write_text(wanted)
    return WHEELS


def command(arguments, threads=1):
    """The command that runs pytest with these arguments in Pyodide. Raises tools.Missing."""
    node = tools.node()
    tools.npm_package("pyodide")
    return [node, str(HERE / "run_pytest.mjs"), "--wheel", str(tools.wheel()), "--wheels", str(download_wheels()),
            "--threads", str(threads), *arguments]


def main():
    parser = argparse.ArgumentParser(description="Run the Python tests in Pyodide under Node.")
    parser.add_argument("--threads", type=int, default=1)
    options, arguments = parser.parse_known_args()
    try:
        line = command(arguments or ["-q", "tests/python"], options.threads)
    except tools.Missing as missing:
        print(f"not run in Pyodide: {missing}")
        return 0
    return subprocess.run(line, cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
