"""The first difference between two outcomes of one program."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy

from .outcome import Failure, Outcome, Seen, scale

#: Relative tolerances, of the greatest value of a result as well: orders of summation are each package's own.
TOLERANCES = {"float64": 1e-9, "float32": 3e-5, "float16": 4e-3, "bfloat16": 3e-2, "complex64": 3e-5, "complex128": 1e-9}
OUT_OF_MEMORY = re.compile(r"can't allocate|not enough memory|out of memory|too large|storage size calculation|overflow|invalid array size|exceeds", re.IGNORECASE)
SERIOUS = ["trap", "death", "hang", "leak", "value", "gradient", "shape", "dtype", "structure", "raises", "does not raise", "gradient raises", "gradient does not raise",
           "requires_grad", "sign of zero", "stride", "error type"]  # fmt: skip


@dataclass
class Difference:
    kind: str
    target: str
    theirs: str
    ours: str
    where: Any = None  # the pair that a computation in double may settle

    @property
    def key(self) -> tuple[str, str]:
        return self.target, self.kind


def text(value: Any) -> str:
    if isinstance(value, Seen):
        data = "" if value.data is None else " " + numpy.array2string(value.data, threshold=40, precision=9).replace("\n", "")
        return f"{value.dtype}{list(value.shape)} strides {value.stride}{data}"[:400]
    if isinstance(value, Failure):
        return f"{value.kind.__name__}: {value.message.splitlines()[0] if value.message else ''}"[:300]
    if isinstance(value, tuple):
        return "(" + ", ".join(map(text, value)) + ")"
    return repr(value)


def differences(theirs: Outcome, ours: Outcome) -> list[Difference]:
    found: list[Difference] = []
    last = ""
    for (target, _, other), (_, _, mine) in zip(theirs.results, ours.results):
        last = target or last
        kind, where = difference(other, mine)
        if kind:
            found.append(Difference(kind, last if not target else target, text(other), text(mine), where))
            return found
    last = next((target for target, _, _ in reversed(theirs.results) if target), "")
    pair = [outcome.gradients for outcome in (theirs, ours)]
    if all(isinstance(value, tuple) and len(value) == 2 and isinstance(value[1], tuple) for value in pair):
        pair = [(value[0], gradient_of_nothing(value[1])) for value in pair]
    kind, where = difference(*pair)
    if kind == "structure":
        kind, where = difference(*map(gradient_of_nothing, pair))
    if kind == "sign of zero":
        return found
    if kind:
        renamed = {"value": "gradient", "raises": "gradient raises", "does not raise": "gradient does not raise"}.get(kind, f"gradient {kind}")
        found.append(Difference(renamed, last, text(theirs.gradients), text(ours.gradients), where))
    return found


def gradient_of_nothing(value: Any) -> Any:
    """A gradient that is 0 throughout may as well be none."""
    if isinstance(value, tuple):
        return tuple(map(gradient_of_nothing, value))
    return None if isinstance(value, Seen) and value.data is not None and not numpy.any(numpy.abs(value.data) > 1e-4) else value


def difference(theirs: Any, ours: Any) -> tuple[str, Any]:
    if isinstance(theirs, Failure) and isinstance(ours, Failure):
        return ("", None) if issubclass(ours.kind, theirs.builtin) else ("error type", None)
    if isinstance(ours, Failure):
        return ("trap" if ours.kind.__name__ == "CoreTrap" else "raises"), None
    if isinstance(theirs, Failure):
        return "does not raise", None
    if isinstance(theirs, Seen) and isinstance(ours, Seen):
        return of_tensors(theirs, ours)
    if isinstance(theirs, tuple) and isinstance(ours, tuple):
        if len(theirs) != len(ours):
            return "structure", None
        return next((found for pair in zip(theirs, ours) if (found := difference(*pair))[0]), ("", None))
    if isinstance(theirs, (int, float, complex)) and type(theirs) is type(ours):
        return of_data(numpy.asarray(theirs), numpy.asarray(ours), "float64" if isinstance(theirs, (float, complex)) else "int64", theirs, ours)
    return ("", None) if type(theirs) is type(ours) and theirs == ours else ("structure", None)


def of_tensors(theirs: Seen, ours: Seen) -> tuple[str, Any]:
    if theirs.shape != ours.shape:
        return "shape", None
    if theirs.dtype != ours.dtype:
        return "dtype", None
    if theirs.data is not None and ours.data is not None:
        found = of_data(theirs.data, ours.data, theirs.dtype, theirs, ours)
        if found[0]:
            return found
    if theirs.requires_grad != ours.requires_grad:
        return "requires_grad", None
    if theirs.data is not None and theirs.data.size and any(a != b and n > 1 for a, b, n in zip(theirs.stride, ours.stride, theirs.shape)):
        return "stride", None
    return "", None


def of_data(theirs: Any, ours: Any, dtype: str, whole: Any, mine: Any) -> tuple[str, Any]:
    if theirs.dtype.kind not in "fc":
        return ("", None) if numpy.array_equal(theirs, ours) else ("value", None)
    if not numpy.all(near(theirs, ours, TOLERANCES[dtype])):
        return "value", (whole, mine)
    if theirs.dtype.kind == "f":
        zeros = (theirs == 0) & (ours == 0)
        if numpy.any(numpy.signbit(theirs[zeros]) != numpy.signbit(ours[zeros])):
            return "sign of zero", None
    return "", None


def near(theirs: Any, ours: Any, tolerance: float) -> Any:
    with numpy.errstate(all="ignore"):
        allowed = tolerance * (numpy.abs(theirs) + scale(theirs) + (1e-30 if tolerance < 1e-8 else 1e-12))
        bounded = numpy.isfinite(theirs) & numpy.isfinite(ours)
        equal = (theirs == ours) | bounded & (numpy.abs(theirs - ours) <= allowed)
        if theirs.dtype.kind == "c":  # which part of a complex number is infinite or undefined, C leaves open as well
            return equal | ~numpy.isfinite(theirs) & ~numpy.isfinite(ours)
        return equal | numpy.isnan(theirs) & numpy.isnan(ours)


def settled(reference: Any, where: Any) -> bool:
    """Whether ours is as near to PyTorch's result in double as PyTorch's own is."""
    theirs, ours = where
    if not all(isinstance(value, Seen) for value in (reference, theirs, ours)) or reference.shape != theirs.shape or reference.data is None:
        return False
    with numpy.errstate(all="ignore"):
        exact = reference.data
        good = near(exact, ours.data.astype(exact.dtype), TOLERANCES.get(theirs.dtype, 1e-9))
        off, error = numpy.abs(ours.data - exact), numpy.abs(theirs.data - exact)
        worst = numpy.max(error / numpy.abs(exact), initial=0, where=numpy.isfinite(error) & (exact != 0))
        allowed = 4 * numpy.maximum(error, min(worst, 1e-5) * numpy.abs(exact))
        return bool(numpy.all(good | (off <= allowed) | (numpy.isnan(allowed) & ~numpy.isnan(off)) | (numpy.isinf(allowed))))


def settled_anywhere(reference: Outcome, where: Any) -> bool:
    """The same, for the part of the reference that has the shape of what differs."""

    def parts(value: Any) -> list[Seen]:
        if isinstance(value, Seen):
            return [value]
        return [part for item in value for part in parts(item)] if isinstance(value, tuple) else []

    values = [part for _, _, result in reference.results for part in parts(result)] + parts(reference.gradients)
    return any(settled(part, where) for part in values)


def out_of_memory(outcome: Outcome) -> bool:
    failures = [value for _, _, value in outcome.results if isinstance(value, Failure)]
    return any(issubclass(f.kind, MemoryError) or OUT_OF_MEMORY.search(f.message) for f in failures)
