"""Running a program with one package, and what can be seen of it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import numpy

from .names import UNDEFINED
from .program import PRELUDE, Program


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
        dtype = str(plain.dtype).rpartition(".")[2]
        if undefined:
            data = None
        else:
            if dtype == "bfloat16" or dtype == "float16":
                plain = plain.to(lib.float32)
            plain = plain.resolve_conj().resolve_neg()
            data = numpy.array(plain.numpy(), copy=True)
        return Seen(dtype, tuple(value.shape), tuple(value.stride()), value.requires_grad, data)
    if isinstance(value, (list, tuple)):
        return tuple(see(lib, item, undefined) for item in value)
    if isinstance(value, dict):
        return {str(key): see(lib, item) for key, item in value.items()}
    if value is None or isinstance(value, (bool, int, float, complex, str)):
        return value
    if isinstance(value, (lib.dtype, lib.device, lib.layout, lib.memory_format)):
        return re.sub(r"^\w+\.", "", str(value))
    return f"an object of {type(value).__name__}"


def run(lib: Any, program: Program) -> Outcome:
    space: dict[str, Any] = {"T": lib}
    exec(CODE, space)
    lib.default_generator.manual_seed(0)
    try:
        return run_in(space, lib, program)
    finally:
        space.clear()  # the functions of the prelude refer to it, and so to all tensors


def run_in(space: dict[str, Any], lib: Any, program: Program) -> Outcome:
    results: list[tuple[str, str, Any]] = []
    undefined = False
    targets = dict((name, call.target) for name, call in program.calls)
    with numpy.errstate(all="ignore"):
        for name, text in program.statements():
            target = targets.get(name, "")
            try:
                space[name] = eval(text, space)
                undefined = undefined or bool(UNDEFINED.search(target))
                if target:
                    results.append((target, name, see(lib, space[name], undefined)))
            except Exception as error:
                results.append((target, name, Failure(type(error), str(error))))
                return Outcome(results, trapped=type(error).__name__ == "CoreTrap")
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


def scale(data: Any) -> float:
    if data is None or data.size == 0 or data.dtype.kind not in "fc":
        return 0.0
    magnitudes = numpy.abs(data)
    magnitudes = magnitudes[numpy.isfinite(magnitudes)]
    return float(magnitudes.max()) if magnitudes.size and math.isfinite(float(magnitudes.max())) else 0.0
