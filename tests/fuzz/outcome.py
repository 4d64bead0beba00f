"""Running a program with one package, and what can be seen of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy

from .program import PRELUDE


@dataclass
class Failure:
    kind: type
    message: str

    @property
    def builtin(self) -> type:
        return next(base for base in self.kind.__mro__ if base.__module__ == "builtins")


@dataclass
class Seen:
    """A tensor as it was: ``data`` is a NumPy array, 16-bit floats as float32."""

    dtype: str
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    requires_grad: bool
    data: Any


@dataclass
class Outcome:
    results: list[tuple[str, str, Any]]  # target, name, what is seen
    gradients: Any = None
    trapped: bool = False


CODE = compile(PRELUDE, "prelude", "exec")


def see(lib: Any, value: Any, undefined: bool = False) -> Any:
    if isinstance(value, lib.Tensor):
        plain = value.detach()
        str(plain.dtype).rpartition(".")[2]
        if undefined:
            return Outcome(results)
        results += [("", name, see(lib, space[name])) for name in space if isinstance(space[name], lib.Tensor) and name not in targets]
        results += [(targets[name], name + " at the end", see(lib, space[name])) for name in targets if len(targets) > 1 and isinstance(space[name], lib.Tensor)]
        gradient = program.gradient_text()
        if not gradient:
            return Outcome(results)
        try:
            found = see(lib, eval(gradient, space))
        except Exception as error:
            return Outcome(results, Failure(type(error), str(error)), type(error).__name__ == "CoreTrap")
    return Outcome(results, found)


def finite(data: Any) -> bool:
    return bool(numpy.all(numpy.isfinite(data))) if data is not None else True


def scale(data: Any) -> float:
    if data is None or data.size == 0 or data.dtype.kind not in "fc":
        return 0.0
    magnitudes = numpy.abs(data)
    magnitudes = magnitudes[numpy.isfinite(magnitudes)]
    return float(magnitudes.max()) if magnitudes.size and math.isfinite(float(magnitudes.max())) else 0.0
