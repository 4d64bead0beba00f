"""Train the digits network in CPython, then the same file in Pyodide under Node, and compare the weights: make demo"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import tools

SCRIPT = Path(__file__).resolve().parent / "train_digits.py"


def train_here(options):
    """Run the script with its progress bar on the terminal; returns what it printed."""
    command = [sys.executable, str(SCRIPT), *options]
    environment = {**os.environ, "PYTHONPATH": str(tools.unpacked_wheel())}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        lines = []
        for line in process.stdout:
            print(line, end="", flush=True)
            lines.append(line)
    if process.returncode:
        sys.exit(process.returncode)
    return "".join(lines)


def main():
    parser = argparse.ArgumentParser(description="Train the digits network in CPython and in Pyodide, and compare.")
    _, options = parser.parse_known_args()
    print("CPython, through wasmtime:", flush=True)
    here = tools.printed("sha256", train_here(options))
    print("\nPyodide, under Node:", flush=True)
    try:
        output = tools.run_in_node(SCRIPT, *options)
    except tools.Missing as missing:
        print(f"not run: {missing}")
        return 0
    print(output, end="")
    there = tools.printed("sha256", output)
    print("\nThe weights are equal, bit for bit." if here == there else "\nThe weights DIFFER.")
    return int(here != there)


if __name__ == "__main__":
    sys.exit(main())
