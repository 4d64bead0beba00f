"""Train the digits network in CPython, then with the same file in Pyodide under Node, and compare the weights.

Uses the package of this source tree, built: make demo. Options go on to train_digits.py.
"""

import subprocess
import sys
from pathlib import Path

import demo_tools

SCRIPT = Path(__file__).resolve().parent / "train_digits.py"


def shown(command, environment=None):
    """Run a command, show what it prints as it comes, and return it. Ends the program where the command fails."""
    lines = []
    with subprocess.Popen(command, cwd=demo_tools.ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        sys.exit(process.returncode)
    return "".join(lines)


def main():
    options = sys.argv[1:]
    print("In CPython, through wasmtime:", flush=True)
    here = shown(demo_tools.cpython_command(SCRIPT, *options), demo_tools.cpython_environment(demo_tools.ROOT))
    print("\nIn Pyodide, under Node:", flush=True)
    try:
        command = demo_tools.node_command(SCRIPT, *options, threads=2)
    except demo_tools.Missing as missing:
        print(f"not run: {missing}")
        return 0
    there = shown(command)
    equal = demo_tools.printed("sha256", here) == demo_tools.printed("sha256", there)
    print("\nThe weights are equal, bit for bit." if equal else "\nThe weights DIFFER: this is a bug, please report it.")
    return int(not equal)


if __name__ == "__main__":
    sys.exit(main())
