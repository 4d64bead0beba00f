"""Smaller programs with the same difference: fewer calls, arguments and elements, simpler numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from .program import OPERATORS, Program, Raw, Ref, Tensor

MOST_TRIES = 250


def shrunk(program: Program, still: Callable[[Program], bool], most: int = MOST_TRIES) -> Program:
    tries = 0
    improved = True
    while improved and tries < most:
        improved = False
        for candidate in candidates(program):
            if tries >= most:
                break
            if candidate.text() == program.text():
                continue
            tries += 1
            if still(candidate):
                program, improved = candidate, True
                break
    return program


def candidates(program: Program) -> Iterator[Program]:
    """Where nothing is empty, nothing becomes empty: that is another question."""
    empty = any(0 in program.tensors[name].shape for name in program.used())
    for candidate in all_candidates(program):
        if empty or not any(0 in candidate.tensors[name].shape for name in candidate.used()):
            yield candidate


def all_candidates(program: Program) -> Iterator[Program]:
    yield from fewer_calls(program)
    if program.grads:
        for grads in range(program.grads):
            copy = program.copy()
            copy.grads = grads
            yield copy
    yield from fewer_arguments(program)
    for name in program.used():
        for smaller in smaller_tensors(program.tensors[name]):
            copy = program.copy()
            copy.tensors[name] = smaller
            yield copy
    used = program.used()
    for extent in range(5):  # one extent of all tensors at once
        for dim in range(4):
            if any(dim < len(t.shape) and t.shape[-1 - dim] > extent for t in (program.tensors[name] for name in used)):
                copy = program.copy()
                for name in used:
                    tensor = copy.tensors[name]
                    if dim < len(tensor.shape) and tensor.shape[-1 - dim] > extent:
                        copy.tensors[name] = cut(tensor, len(tensor.shape) - 1 - dim, extent)
                yield copy
    yield from simpler_arguments(program)


def fewer_calls(program: Program) -> Iterator[Program]:
    for number in range(len(program.calls) - 1, -1, -1):
        if len(program.calls) == 1:
            return
        copy = program.copy()
        name, call = copy.calls.pop(number)
        first = next((arg for arg in call.args if isinstance(arg, Ref)), None)
        for _, other in copy.calls[number:]:
            other.args = [replaced(arg, name, first) for arg in other.args]
            other.kwargs = {key: replaced(arg, name, first) for key, arg in other.kwargs.items()}
        yield copy


def replaced(value: Any, name: str, by: Ref | None) -> Any:
    if isinstance(value, Ref) and value.name == name:
        return by or value
    return type(value)(replaced(item, name, by) for item in value) if isinstance(value, (list, tuple)) else value


def fewer_arguments(program: Program) -> Iterator[Program]:
    for number, (_, call) in enumerate(program.calls):
        for key in call.kwargs:
            copy = program.copy()
            del copy.calls[number][1].kwargs[key]
            yield copy
        if len(call.args) > 1 and call.target not in OPERATORS:
            copy = program.copy()
            copy.calls[number][1].args.pop()
            yield copy


def smaller_tensors(tensor: Tensor) -> Iterator[Tensor]:
    def changed(**fields: Any) -> Tensor:
        return Tensor(**{**tensor.__dict__, **fields})

    if tensor.grad:
        yield changed(grad=False)
    if tensor.layout != "plain":
        yield changed(layout="plain")
    for dim in range(len(tensor.shape)):
        for extent in {0, 1, tensor.shape[dim] // 2, tensor.shape[dim] - 1}:
            if 0 <= extent < tensor.shape[dim]:
                yield cut(tensor, dim, extent)
        if tensor.shape[dim] == 1:
            yield changed(shape=tensor.shape[:dim] + tensor.shape[dim + 1 :])
    if tensor.dtype in ("complex128", "bfloat16", "float16", "float64"):
        values = tensor.values and [value.real if isinstance(value, complex) else value for value in tensor.values]
        yield changed(dtype="float32", values=values)
    if tensor.values and tensor.dtype != "bool":
        for plain in ([1] * len(tensor.values), list(range(len(tensor.values)))):
            if tensor.values != plain and not all(value == old for value, old in zip(plain, tensor.values)):
                yield changed(values=plain if tensor.dtype.startswith(("int", "uint")) else [float(value) for value in plain])
        for number, value in enumerate(tensor.values):
            if value not in (0, 1):
                values = list(tensor.values)
                values[number] = type(value)(1)
                yield changed(values=values)


def cut(tensor: Tensor, dim: int, extent: int) -> Tensor:
    """The first elements along one dimension."""
    shape = list(tensor.shape)
    values = tensor.values
    if values is not None:
        inner = math.prod(shape[dim + 1 :])
        block = shape[dim] * inner
        values = [values[at] for at in range(len(values)) if block and at % block < extent * inner]
    shape[dim] = extent
    return Tensor(tensor.dtype, shape, values, tensor.layout, tensor.grad)


def simpler_arguments(program: Program) -> Iterator[Program]:
    for number, (_, call) in enumerate(program.calls):
        places: list[Any] = [*range(len(call.args)), *call.kwargs]
        for place in places:
            value = call.args[place] if isinstance(place, int) else call.kwargs[place]
            for simpler in simpler_values(value):
                copy = program.copy()
                target: Any = copy.calls[number][1].args if isinstance(place, int) else copy.calls[number][1].kwargs
                target[place] = simpler
                yield copy


def simpler_values(value: Any) -> list[Any]:
    if isinstance(value, bool) or isinstance(value, (Ref, Raw, str)):
        return []
    if isinstance(value, (int, float)):
        return [plain for plain in (0, 1, 2) if abs(plain) < abs(value) and isinstance(plain, type(value))] + ([-value] if value < 0 else [])
    if isinstance(value, (list, tuple)):
        shorter = [value[:at] + value[at + 1 :] for at in range(len(value))]
        return shorter + [type(value)([*value[:at], item, *value[at + 1 :]]) for at in range(len(value)) for item in simpler_values(value[at])]
    return []
