"""Small programs like PyTorch's tutorials and well-known public models, which say ``import torch``, and their output with PyTorch.

``python -m tests.golden.scripts`` runs them with PyTorch and writes the outputs beside them.
"""

import contextlib
import io
import pathlib
import re
import sys

FOLDER = pathlib.Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("__"))
NUMBER = re.compile(r"-?\d+(?:\.\d*)?(?:e[+-]?\d+)?")


def source(name):
    return (FOLDER / f"{name}.py").read_text()


def expected(name):
    return (FOLDER / f"{name}.txt").read_text()


def with_package(text, package):
    """The program's text with another package for torch."""
    text = re.sub(r"^import torch$", f"import {package} as torch", text, flags=re.MULTILINE)
    return re.sub(r"^(import|from) torch(?=[. ])", rf"\1 {package}", text, flags=re.MULTILINE)


def output_of(text):
    """What a program prints that runs in this interpreter."""
    printed, namespace = io.StringIO(), {"__name__": "__main__"}
    arguments, sys.argv = sys.argv, ["script"]
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(text, "script", "exec"), namespace)
    finally:
        sys.argv = arguments
        namespace.clear()  # as a module's is when an interpreter ends
    return printed.getvalue()


def first_difference(wanted, got, tolerance=1e-3):
    """None where the texts agree but for the last digits of their numbers, else the first pair of lines that do not.

    Numbers with a point may differ by `tolerance` of themselves and one unit of their last digit; others are equal."""
    left, right = wanted.splitlines(), got.splitlines()
    for number, (one, other) in enumerate(zip(left, right)):
        if not _same_line(one, other, tolerance):
            return f"line {number + 1} is {other!r}, expected {one!r}"
    return None if len(left) == len(right) else f"{len(right)} lines, expected {len(left)}"


def _same_line(one, other, tolerance):
    if NUMBER.sub("#", one).split() != NUMBER.sub("#", other).split():
        return False
    return all(_same_number(a, b, tolerance) for a, b in zip(NUMBER.findall(one), NUMBER.findall(other)))


def _same_number(one, other, tolerance):
    if not set(one) & set(".e"):
        return int(one) == float(other)
    digits, _, exponent = one.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2]))
    return abs(float(one) - float(other)) <= tolerance * abs(float(one)) + 1.001 * unit
