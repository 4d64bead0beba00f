"""Fuzzer: tensors of random shapes and layouts to measure with. It draws with NumPy, as PyTorch's does."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pywasmtorch as torch


class ParameterAlias:
    """The value of another parameter, among the choices of a distribution."""

    def __init__(self, alias_to: str) -> None:
        self.alias_to = alias_to

    def __repr__(self) -> str:
        return f"ParameterAlias[alias_to: {self.alias_to}]"


class FuzzedParameter:
    """A number to draw: between two bounds, "uniform" (floats where a bound is one) or "loguniform" (integers), or one of a dict's keys, whose
    values are their probabilities. A `strict` one is drawn once and kept while the others are drawn again."""

    def __init__(self, name: str, minval: float | None = None, maxval: float | None = None, distribution: Any = None, strict: bool = False) -> None:
        if isinstance(distribution, dict):
            if any(p < 0 for p in distribution.values()):
                raise AssertionError("Probabilities cannot be negative")
            if abs(sum(distribution.values()) - 1) > 1e-5:
                raise AssertionError("Distribution is not normalized")
            if minval is not None or maxval is not None:
                raise AssertionError("When passing a custom distribution, 'minval' and 'maxval' must be None")
        elif distribution not in ("loguniform", "uniform"):
            raise AssertionError(f"Unknown distribution: {distribution}")
        self.name, self.strict = name, strict
        self._low, self._high, self._distribution = minval, maxval, distribution

    def sample(self, state: Any) -> Any:
        if isinstance(self._distribution, dict):
            choices = list(self._distribution)
            return choices[state.choice(len(choices), p=tuple(self._distribution.values()))]
        low, high = self._low, self._high
        if low is None or high is None:
            raise ValueError(f"{self.name}: a {self._distribution} distribution needs minval and maxval")
        if self._distribution == "loguniform":
            return min(max(int(2 ** state.uniform(low=math.log2(low), high=math.log2(high))), low), high)
        if isinstance(low, int) and isinstance(high, int):
            return int(state.randint(low=low, high=high + 1))
        return state.uniform(low=low, high=high)


class FuzzedTensor:
    """A tensor to make: its sizes are numbers or names of parameters; with `steps` it is a slice of a larger one; with a probability its
    dimensions lie in another order than they are counted in."""

    def __init__(self, name: str, size: Sequence[str | int], steps: Sequence[str | int] | None = None, probability_contiguous: float = 0.5,
                 min_elements: int | None = None, max_elements: int | None = None, max_allocation_bytes: int | None = None,
                 dim_parameter: str | None = None, roll_parameter: str | None = None, dtype: Any = torch.float32, cuda: bool = False,
                 tensor_constructor: Callable[..., Any] | None = None) -> None:
        self.name = name
        self._size, self._steps, self._dim, self._dtype, self._cuda = size, steps or (), dim_parameter, dtype, cuda
        self._contiguous, self._constructor = probability_contiguous, tensor_constructor or self.default_tensor_constructor
        self._least, self._most, self._bytes = min_elements, max_elements, max_allocation_bytes

    @staticmethod
    def default_tensor_constructor(size: Any, dtype: Any, **_: Any) -> Any:
        if dtype.is_floating_point or dtype.is_complex:
            return torch.rand(size=size, dtype=dtype)
        return torch.randint(1, 127, size=size, dtype=dtype)

    def _sizes(self, params: dict[str, Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
        dim = len(self._size) if self._dim is None else params[self._dim]

        def settled(values: Sequence[str | int]) -> tuple[int, ...]:
            return tuple([params.get(v, v) for v in values][:dim] + [1] * (dim - len(values)))

        return settled(self._size), settled(self._steps)

    def satisfies_constraints(self, params: dict[str, Any]) -> bool:
        size, steps = self._sizes(params)
        elements = math.prod(size)
        taken = elements * math.prod(steps) * self._dtype.itemsize
        return (self._least or 0) <= elements and (self._most is None or elements <= self._most) and (self._bytes is None or taken <= self._bytes)

    def _make_tensor(self, params: dict[str, Any], state: Any) -> tuple[Any, dict[str, Any]]:
        import numpy

        size, steps = self._sizes(params)
        tensor = self._constructor(size=tuple(n * step for n, step in zip(size, steps)), dtype=self._dtype, **params)
        if self._cuda:
            tensor = tensor.cuda()
        order = numpy.arange(len(size))
        if state.rand() > self._contiguous:
            while len(size) > 1 and (order == numpy.arange(len(size))).all():
                order = state.permutation(len(size))
            tensor = tensor.permute(order.tolist()).contiguous().permute(numpy.argsort(order).tolist())
        tensor = tensor[tuple(slice(0, n * step, step) for n, step in zip(size, steps))]
        return tensor, {"numel": tensor.numel(), "order": order, "steps": steps, "is_contiguous": tensor.is_contiguous(), "dtype": str(self._dtype)}


def unpacked(values: Sequence[Any], kind: type) -> list[Any]:
    return [each for value in values for each in ([value] if isinstance(value, kind) else value)]


class Fuzzer:
    """Draws parameters until all constraints hold, then makes the tensors: `take(n)` yields n times tensors, their properties and the parameters,
    by name."""

    def __init__(self, parameters: Sequence[Any], tensors: Sequence[Any], constraints: Sequence[Callable[..., Any]] | None = None, seed: int | None = None) -> None:
        import numpy

        self._seed = int(numpy.random.RandomState().randint(0, 2**32 - 1, dtype=numpy.int64)) if seed is None else seed
        self._parameters, self._tensors = unpacked(parameters, FuzzedParameter), unpacked(tensors, FuzzedTensor)
        self._constraints, self._rejected, self._drawn = constraints or (), 0, 0
        if both := {p.name for p in self._parameters} & {t.name for t in self._tensors}:
            raise ValueError(f"Duplicate names in parameters and tensors: {both}")

    @property
    def rejection_rate(self) -> float:
        return self._rejected / self._drawn if self._drawn else 0.0

    def take(self, n: int) -> Iterator[tuple[dict[str, Any], dict[str, Any], dict[str, Any]]]:
        import numpy

        state = numpy.random.RandomState(self._seed)
        torch.manual_seed(int(state.randint(low=0, high=2**63, dtype=numpy.int64)))
        for _ in range(n):
            params = self._draw(state)
            made = {t.name: t._make_tensor(params, state) for t in self._tensors}
            yield {name: t for name, (t, _) in made.items()}, {name: p for name, (_, p) in made.items()}, params

    def _draw(self, state: Any) -> dict[str, Any]:
        kept: dict[str, Any] = {}
        for _ in range(1000):
            params = {}
            for p in self._parameters:
                params[p.name] = kept[p.name] if p.name in kept else p.sample(state)
                if p.strict:
                    kept[p.name] = params[p.name]
            params = {name: resolved(params, name) for name in params}
            self._drawn += 1
            if all(holds(params) for holds in self._constraints) and all(t.satisfies_constraints(params) for t in self._tensors):
                return params
            self._rejected += 1
        raise ValueError("Failed to generate a set of valid parameters.")


def resolved(params: dict[str, Any], name: str) -> Any:
    """The value of a parameter, whatever aliases lead to it."""
    seen = {name}
    while isinstance(value := params[name], ParameterAlias):
        if value.alias_to in seen:
            raise ValueError(f"Cyclic alias detected\n{params}")
        name = value.alias_to
        seen.add(name)
    return value
