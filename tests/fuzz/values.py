"""Arguments drawn at random: shapes, tensors, numbers."""

from __future__ import annotations

import math
from random import Random
from typing import Any

from .program import Raw, Ref, Tensor

FLOATS = ["float32"] * 6 + ["float64"] * 4 + ["float16", "bfloat16"]
COMPLEX = ["complex64", "complex128"]
INTEGERS = ["int64"] * 4 + ["int32"] * 2 + ["int16", "int8", "uint8"]
LIMITS = {"int64": 2**63 - 1, "int32": 2**31 - 1, "int16": 2**15 - 1, "int8": 127, "uint8": 255}
SPECIAL = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1e30, -1e30, 1e-40, 0.5, 1.0, -1.0, 65504.0]
LAYOUTS = ["plain"] * 8 + ["transposed", "step", "narrowed", "expanded"]
LISTED = 24  # values of longer tensors are not written out
WRONG = [Raw("None"), "x", 1.5, True, -1, [1], [], Raw("T.float32"), (2, 3), Raw("T.tensor([1.0, 2.0])"), Raw("object()"), 2**40, [Raw("T.ones(2)")], 2j]


class Maker:
    """Draws one program's arguments; ``tensors`` are those made so far."""

    def __init__(self, random: Random):
        self.random = random
        self.tensors: dict[str, Tensor] = {}
        self.shape = self.some_shape()
        group = random.choices(["float", "int", "bool", "complex"], [66, 16, 5, 13])[0]
        self.dtype = {"float": random.choice(FLOATS), "int": random.choice(INTEGERS), "bool": "bool", "complex": random.choice(COMPLEX)}[group]
        self.mixed = random.random() < 0.12
        self.special = random.random() < 0.12
        self.grads = random.choices([0, 1, 2], [5, 4, 2])[0]
        self.low, self.high = random.choice([(-12, 12), (-12, 12), (0, 12), (1, 7), (-4, 4)])

    def chance(self, share: float) -> bool:
        return self.random.random() < share

    def between(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def pick(self, *values: Any) -> Any:
        return self.random.choice(values)

    def some_shape(self, least: int = 0, most: int = 4) -> list[int]:
        dims = self.random.choices(range(5), [10, 22, 34, 22, 12])[0]
        dims = min(max(dims, least), most)
        return [self.random.choices([0, 1, 2, 3, 4, 5, 17], [4, 16, 28, 28, 12, 10, 2])[0] for _ in range(dims)]

    def like(self, shape: list[int]) -> list[int]:
        """A shape that mostly goes with another."""
        share = self.random.random()
        if share < 0.62:
            return list(shape)
        if share < 0.8:
            return [1 if self.chance(0.35) else extent for extent in shape[self.between(0, len(shape)) :]]
        return [] if share < 0.9 else self.some_shape()

    def add(self, tensor: Tensor) -> Ref:
        name = "abcdefghijklmnopqrst"[len(self.tensors) % 20] + ("" if len(self.tensors) < 20 else str(len(self.tensors)))
        self.tensors[name] = tensor
        return Ref(name)

    def other_dtype(self) -> str:
        return self.random.choice([*FLOATS, *COMPLEX, *INTEGERS, "bool"])

    def floating(self) -> str:
        return self.dtype if self.dtype in FLOATS or self.dtype in COMPLEX else self.random.choice(FLOATS)

    def tensor(self, shape: list[int], dtype: str | None = None, low: float | None = None, high: float | None = None, plain: bool = False) -> Ref:
        """``low`` and ``high`` bound the values strictly (an index, a probability); otherwise anything goes."""
        if dtype is None:
            dtype = self.other_dtype() if self.mixed and self.chance(0.5) else self.dtype
        count = math.prod(shape)
        bounded = low is not None
        values: list[Any] | None = None
        if count <= LISTED or bounded:
            values = self.values(count, dtype, low, high)
        layout = "plain" if plain else self.random.choice(LAYOUTS)
        if layout == "expanded" and bounded and not dtype.startswith("int"):
            layout = "plain"
        return self.add(Tensor(dtype, list(shape), values, layout, self.differentiable(dtype) and self.chance(0.7)))

    def differentiable(self, dtype: str) -> bool:
        return bool(self.grads) and (dtype in FLOATS or dtype in COMPLEX)

    def values(self, count: int, dtype: str, low: float | None, high: float | None) -> list[Any]:
        if dtype == "bool":
            return [self.chance(0.5) for _ in range(count)]
        if dtype in LIMITS:
            first, last = (self.low, self.high) if low is None or high is None else (int(low), int(high))
            if dtype == "uint8":
                first, last = max(first, 0), max(last, 0)
            found: list[Any] = [self.between(first, max(first, last)) for _ in range(count)]
            if low is None and self.special:
                least = 0 if dtype == "uint8" else -LIMITS[dtype] - 1
                found = [self.pick(least, LIMITS[dtype], 0, 1) if self.chance(0.4) else value for value in found]
            return found
        if dtype in COMPLEX:
            return [complex(real, imaginary) for real, imaginary in zip(self.reals(count, low, high), self.reals(count, low, high))]
        return self.reals(count, low, high)

    def reals(self, count: int, low: float | None, high: float | None) -> list[Any]:
        if low is not None and high is not None:
            return [round(low + (high - low) * self.random.random(), 3) for _ in range(count)]
        quarters = range(self.low * 4, self.high * 4 + 1)
        distinct = count <= len(quarters) and self.chance(0.6)
        found = self.random.sample(quarters, count) if distinct else [self.random.choice(quarters) for _ in range(count)]
        return [self.random.choice(SPECIAL) if self.special and self.chance(0.3) else value / 4 for value in found]

    def number(self) -> Any:
        share = self.random.random()
        if share < 0.4:
            return self.between(-3, 4)
        if share < 0.8:
            return self.between(-12, 12) / 4
        if share < 0.93:
            return self.pick(0, 1, 2, True, False, 0.0, -0.0, 1e-3, 100)
        return self.pick(Raw("inf"), Raw("-inf"), Raw("nan"), 1e30, 2**40, -(2**63), 2j, complex(1, -1), 2**31, 1e-30)

    def dim(self, count: int | None = None) -> int:
        count = len(self.shape) if count is None else count
        if self.chance(0.06):
            return self.pick(-count - 1, count, 7, -9)
        return self.between(-count, count - 1) if count else self.pick(0, -1, -1)

    def size(self) -> int:
        if self.chance(0.02):
            return self.pick(-1, -2, 2**40, 2**63 - 1, -(2**63))
        return self.random.choices([0, 1, 2, 3, 4, 5], [1, 4, 5, 4, 3, 2])[0]

    def maybe(self, value: Any, share: float = 0.5) -> Any:
        return value if self.chance(share) else Raw("None")
