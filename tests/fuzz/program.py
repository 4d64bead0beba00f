"""A case: a small Python program in terms of ``T``, which stands for either package."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass, field
from typing import Any

PRELUDE = '''
import math
from math import inf, nan


def ramp(*shape, dtype, step=37):
    """Multiples of a quarter between -12 and 12, in no order; integers from 0 to 96 by turns."""
    places = T.arange(math.prod(shape))
    places = (places * places * 11 + places * step) % 97
    floating = dtype.is_floating_point or dtype.is_complex
    return (((places - 48) / 4).to(dtype) if floating else (places % 2 == 1) if dtype is T.bool else places.to(dtype)).reshape(shape)


def spread(base, dim, extent):
    """The same values where neighbours along one dimension do not lie side by side."""
    return T.stack([base, base], dim + 1).flatten(dim, dim + 1).narrow(dim, 0, 2 * extent)[(slice(None),) * dim + (slice(None, None, 2),)]


def offset(base):
    """The same values, behind others in memory."""
    return T.cat([base[:1], base])[1:]


def gradients(result, leaves, twice=False):
    """The gradients of what can be differentiated, with weights 1, 2, 3, 1, ...; then those of their squares' sum."""
    results = result if isinstance(result, (tuple, list)) else [result]
    ends = [t for t in results if isinstance(t, T.Tensor) and t.requires_grad]
    weights = [(T.arange(t.numel()) % 3 + 1).reshape(t.shape).to(t.dtype) for t in ends]
    first = T.autograd.grad(ends, leaves, weights, allow_unused=True, create_graph=twice)
    if not twice:
        return first
    squares = [(g * g.conj()).real.sum() for g in first if g is not None and g.requires_grad]
    second = T.autograd.grad(squares, leaves, allow_unused=True) if squares else [None] * len(leaves)
    return [[g if g is None else g.detach() for g in first], second]
'''.lstrip()


@dataclass
class Raw:
    """An expression as it stands."""

    text: str


@dataclass
class Composed(Raw):
    """An expression of tensors that stand before it."""

    names: list[str]


@dataclass
class Tensor:
    """A tensor made from values, or from ``ramp`` where there are none; ``layout`` says how it lies in memory."""

    dtype: str
    shape: list[int]
    values: list[Any] | None
    layout: str = "plain"
    grad: bool = False

    def text(self) -> str:
        shape, tail = list(self.shape), ""
        order = list(range(len(shape)))
        if self.layout == "transposed" and len(shape) > 1:
            order[0], order[-1], tail = order[-1], order[0], ".transpose(0, -1)"
        elif self.layout == "step" and shape:
            tail = ("spread", len(shape) - 1, shape[-1])
        elif self.layout == "narrowed" and shape and shape[0]:
            tail = ("offset",)
        elif self.layout == "expanded" and shape:
            tail = f".narrow(0, 0, {min(shape[0], 1)}).expand({', '.join(map(str, shape))})"
        base = self._base([shape[n] for n in order], order)
        if isinstance(tail, tuple):
            base, tail = f"{tail[0]}({', '.join([base, *map(str, tail[1:])])})", ""
        return base + tail + (".requires_grad_()" if self.grad else "")

    def _base(self, shape: list[int], order: list[int]) -> str:
        if self.values is None:
            return f"ramp({', '.join([*map(str, shape), f'dtype=T.{self.dtype}'])})"
        if math.prod(shape) == 0:
            return f"T.empty({tuple(shape)!r}, dtype=T.{self.dtype})"
        return f"T.tensor({literal(nested(self.values, shape))}, dtype=T.{self.dtype})"


@dataclass
class Ref:
    name: str


@dataclass
class Call:
    """``target`` is a path such as ``T.linalg.inv``, or ``.sum``: a method (or property) of the first argument."""

    target: str
    args: list[Any] = field(default_factory=list)
    kwargs: dict[str, Any] = field(default_factory=dict)

    def text(self) -> str:
        args, head = self.args, self.target
        if head in OPERATORS:
            return OPERATORS[head].format(*(show(value) for value in args))
        if head.startswith("."):
            head, args = f"{show(args[0])}{head}", args[1:]
        if head.endswith("?"):
            return head[:-1]
        return f"{head}({', '.join([*map(show, args), *(f'{key}={show(value)}' for key, value in self.kwargs.items())])})"


OPERATORS = {
    "getitem": "{0}[{1}]", "setitem": "{0}.__setitem__({1}, {2})", "+": "{0} + {1}", "-": "{0} - {1}", "*": "{0} * {1}", "/": "{0} / {1}", "//": "{0} // {1}",
    "%": "{0} % {1}", "**": "{0} ** {1}", "@": "{0} @ {1}", "&": "{0} & {1}", "|": "{0} | {1}", "^": "{0} ^ {1}", "<<": "{0} << {1}", ">>": "{0} >> {1}",
    "==": "{0} == {1}", "!=": "{0} != {1}", "<": "{0} < {1}", ">=": "{0} >= {1}", "neg": "-{0}", "~": "~{0}", "abs": "abs({0})", "bool": "bool({0})",
    "int": "int({0})", "float": "float({0})", "complex": "complex({0})", "len": "len({0})", "iter": "list({0})", "in": "{1} in {0}", "index": "range(9)[{0}]",
}  # fmt: skip


@dataclass
class Program:
    tensors: dict[str, Tensor]
    calls: list[tuple[str, Call]]
    grads: int = 0  # how many times the last result is differentiated

    def used(self) -> list[str]:
        found: set[str] = set()
        for _, call in self.calls:
            found.update(names_in(call.args), names_in(list(call.kwargs.values())))
        return [name for name in self.tensors if name in found]

    def statements(self) -> list[tuple[str, str]]:
        """Names and the expressions they are given."""
        lines = [(name, self.tensors[name].text()) for name in self.used()]
        return lines + [(name, call.text()) for name, call in self.calls]

    def leaves(self) -> list[str]:
        return [name for name in self.used() if self.tensors[name].grad]

    def gradient_text(self) -> str:
        leaves = self.leaves()
        if not self.grads or not leaves:
            return ""
        return f"gradients({self.calls[-1][0]}, [{', '.join(leaves)}]{', twice=True' if self.grads > 1 else ''})"

    def text(self) -> str:
        lines = [f"{name} = {value}" for name, value in self.statements()]
        gradient = self.gradient_text()
        return "\n".join(lines + ([f"g = {gradient}"] if gradient else []))

    def copy(self) -> Program:
        def copied(value: Any) -> Any:
            if isinstance(value, (list, tuple)):
                return type(value)(copied(item) for item in value)
            if isinstance(value, dict):
                return {key: copied(item) for key, item in value.items()}
            if isinstance(value, Call):
                return Call(value.target, copied(value.args), copied(value.kwargs))
            return dataclasses.replace(value, values=value.values and list(value.values), shape=list(value.shape)) if isinstance(value, Tensor) else value

        return Program(copied(self.tensors), copied(self.calls), self.grads)


def names_in(value: Any) -> list[str]:
    if isinstance(value, Ref):
        return [value.name]
    if isinstance(value, Composed):
        return value.names
    if isinstance(value, (list, tuple)):
        return [name for item in value for name in names_in(item)]
    return []


def nested(values: list[Any], shape: list[int]) -> Any:
    if not shape:
        return values[0]
    size = math.prod(shape[1:])
    return [nested(values[n * size : (n + 1) * size], shape[1:]) for n in range(shape[0])]


def literal(value: Any) -> str:
    return "[" + ", ".join(map(literal, value)) + "]" if isinstance(value, list) else number(value)


def number(value: Any) -> str:
    """``complex(0.0, -inf)`` where Python's own text of a number would not read back."""
    if isinstance(value, complex):
        return f"complex({value.real!r}, {value.imag!r})"
    return repr(value)


def show(value: Any) -> str:
    if isinstance(value, Ref):
        return value.name
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(show, value)) + ("," if len(value) == 1 else "") + ")"
    return number(value)
