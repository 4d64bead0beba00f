"""einsum: subscripts parsed into diagonals, sums, matrix products and permutations."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from .._core.generated import ops
from .._core.names import scalar_name
from .._core.tensor_type import Tensor

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
ELLIPSIS = "."  # in lists of labels: all dimensions that an ellipsis covers

#: a label: a letter, or the place (from the right, negative) of a dimension under the ellipsis
Label = Any


def einsum(*args: Any) -> Tensor:
    """Sums products of the operands over the subscripts that the output lacks.

    ``einsum("ij,jk->ik", a, b)``, or with lists of numbers below 52: ``einsum(a, [0, 1], b, [1, 2], [0, 2])``. Without ``->`` the output has the
    subscripts that occur once, in alphabetical order. ``...`` covers dimensions that broadcast; a subscript that an operand has twice is its
    diagonal. Operands are multiplied from left to right, through matrix products. RuntimeError for subscripts that do not fit the operands."""
    if not args or (len(args) == 1 and isinstance(args[0], str)):
        raise ValueError("einsum(): must specify the equation string and at least one operand, or at least one operand and its subscripts list")
    equation, operands = from_lists(args) if isinstance(args[0], Tensor) else (args[0], args[1:])
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = operands[0]
    if not isinstance(equation, str):
        raise TypeError(f"einsum(): argument 'equation' (position 1) must be str, not {type(equation).__name__}")
    for position, operand in enumerate(operands):
        if not isinstance(operand, Tensor):
            raise TypeError(f"einsum(): operand {position} must be Tensor, not {type(operand).__name__}")
    tensors = list(operands)
    for function, slot, other, arguments in plan(equation, tuple([t.shape for t in tensors])):
        tensors[slot] = function(tensors[slot], *arguments) if other is None else function(tensors[slot], tensors[other])
    return tensors[0]


# ---- reading the equation ----
def from_lists(args: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    def text(numbers: Any) -> str:
        return "".join(["..." if n is Ellipsis else letter(n) for n in numbers])

    def letter(n: Any) -> str:
        if not isinstance(n, int) or not 0 <= n < 52:
            raise ValueError("einsum(): subscript in subscript list is not within the valid range [0, 52)")
        return LETTERS[n]

    equation = ",".join([text(numbers) for numbers in args[1::2]])
    if len(args) % 2:
        equation = ",".join([text(numbers) for numbers in args[1:-1:2]]) + "->" + text(args[-1])
        return equation, args[:-1:2]
    return equation, args[::2]


def tokens(text: str, start: int, end: int, found: str, what: str) -> list[str]:
    """The letters between start and end, and ELLIPSIS for '...'."""
    labels: list[str] = []
    i = start
    while i < end:
        c = text[i]
        if c == ".":
            if ELLIPSIS in labels:
                raise RuntimeError(f"einsum(): found '.' for {what} {found}")
            if text[i : i + 3] != "..." or i + 3 > end:
                raise RuntimeError(f"einsum(): found '.' for {what} that is not part of any ellipsis" + (" (...)" if what == "output" else ""))
            labels.append(ELLIPSIS)
            i += 3
            continue
        if c != " ":
            if c not in LETTERS:
                raise RuntimeError(f"einsum(): invalid subscript given at index {i} in the equation string, subscripts must be in [a-zA-Z]")
            labels.append(c)
        i += 1
    return labels


def subscripts(equation: str, ndims: tuple[int, ...]) -> tuple[tuple[tuple[Label, ...], ...], tuple[Label, ...]]:
    """The labels of each operand's dimensions and of the output's."""
    arrow = equation.find("->")
    end = len(equation) if arrow < 0 else arrow
    commas = [i for i in range(end) if equation[i] == ","]
    starts, ends = [0, *(i + 1 for i in commas)], [*commas, end]
    if len(starts) > len(ndims):
        for position, (a, b) in enumerate(zip(starts[: len(ndims)], ends)):
            tokens(equation, a, b, "for which an ellipsis was already found", f"operand {position}")
        raise RuntimeError("einsum(): fewer operands were provided than specified in the equation")
    parsed = [tokens(equation, a, b, "for which an ellipsis was already found", f"operand {k}") for k, (a, b) in enumerate(zip(starts, ends))]
    if len(starts) < len(ndims):
        raise RuntimeError("einsum(): more operands were provided than specified in the equation")
    operands, covered = [], 0
    for position, (labels, ndim) in enumerate(zip(parsed, ndims)):
        has_ellipsis = ELLIPSIS in labels
        letters = len(labels) - has_ellipsis
        if letters > ndim if has_ellipsis else letters != ndim:
            if has_ellipsis:
                raise RuntimeError(f"einsum(): the number of subscripts in the equation ({letters}) is more than the number of dimensions ({ndim}) for operand {position}")
            raise RuntimeError(f"einsum(): the number of subscripts in the equation ({letters}) does not match the number of dimensions ({ndim}) for operand {position} and no ellipsis was given")
        covered = max(covered, ndim - letters)
        operands.append(spread(labels, ndim - letters))
    return tuple(operands), tuple(output_labels(equation, arrow, operands, covered))


def spread(labels: list[str], count: int) -> tuple[Label, ...]:
    """The ellipsis as the dimensions that it covers."""
    result: list[Label] = []
    for label in labels:
        result += range(-count, 0) if label == ELLIPSIS else [label]
    return tuple(result)


def output_labels(equation: str, arrow: int, operands: list[tuple[Label, ...]], covered: int) -> tuple[Label, ...]:
    given = [label for labels in operands for label in labels if isinstance(label, str)]
    if arrow < 0:
        once = sorted(label for label in set(given) if given.count(label) == 1)
        return (*range(-covered, 0), *once)
    output = tokens(equation, arrow + 2, len(equation), "but an ellipsis (...) was already found", "output")
    for label in output:
        if label != ELLIPSIS and output.count(label) > 1:
            raise RuntimeError(f"einsum(): output subscript {label} appears more than once in the output")
        if label != ELLIPSIS and label not in given:
            raise RuntimeError(f"einsum(): output subscript {label} does not appear in the equation for any input operand")
    return spread(output, covered)


# ---- planning ----
class Sketch:
    """The shape of a tensor that the steps so far leave in a slot; each step is (function, slot, other slot or None, arguments)."""

    def __init__(self, shape: Any, slot: int, steps: list[Any]) -> None:
        self.shape, self.slot, self.steps = tuple(shape), slot, steps

    def then(self, function: Any, shape: Any, *arguments: Any) -> Sketch:
        self.steps.append((function, self.slot, None, arguments))
        return Sketch(shape, self.slot, self.steps)

    def times(self, function: Any, other: Sketch, shape: Any) -> Sketch:
        self.steps.append((function, self.slot, other.slot, ()))
        return Sketch(shape, self.slot, self.steps)

    def reshape(self, shape: list[int]) -> Sketch:
        return self.then(ops.reshape, shape, shape)

    def sum(self, dims: list[int], keepdim: bool) -> Sketch:
        kept = [1 if d in dims else size for d, size in enumerate(self.shape) if keepdim or d not in dims]
        return self.then(ops.sum_function, kept, dims, keepdim)


@lru_cache(maxsize=512)
def plan(equation: str, shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    """The steps from operands of these shapes to the result in slot 0."""
    steps: list[Any] = []
    labels, output = subscripts(equation, tuple([len(shape) for shape in shapes]))
    check_sizes(shapes, labels)
    result, have = diagonals(Sketch(shapes[0], 0, steps), labels[0])
    for k in range(1, len(shapes)):
        later = set(output).union(*labels[k + 1 :])
        result, have = multiply(result, have, *diagonals(Sketch(shapes[k], k, steps), labels[k]), later)
    result, have = sum_out(result, have, set(output))
    result = arranged(result, have, output)
    if not steps:  # never the operand itself
        result.then(ops.permute, result.shape, list(range(len(have))))
    return steps


def check_sizes(shapes: tuple[tuple[int, ...], ...], labels: tuple[tuple[Label, ...], ...]) -> None:
    known: dict[Label, int] = {}
    for position, (shape, names) in enumerate(zip(shapes, labels)):
        own: dict[Label, int] = {}
        for label, size in zip(names, shape):
            if own.setdefault(label, size) != size:
                raise RuntimeError(f"einsum(): subscript {label} is repeated for operand {position} but the sizes don't match, {size} != {own[label]}")
        for label, size in own.items():
            seen = known.get(label, 1)
            if seen != size and seen != 1 and size != 1:
                if isinstance(label, str):
                    raise RuntimeError(f"einsum(): subscript {label} has size {size} for operand {position} which does not broadcast with previously seen size {seen}")
                place = label + sum(not isinstance(n, str) for n in names)
                raise RuntimeError(f"einsum(): dimension {place} covered by ellipsis in operand {position} has size {size} which does not broadcast with previously seen ellipsis with size {seen} for the respective dimension")
            known[label] = size if seen == 1 else seen


def diagonals(t: Sketch, labels: tuple[Label, ...]) -> tuple[Sketch, list[Label]]:
    """A repeated label becomes one dimension, the last."""
    have = list(labels)
    for label in labels:
        while have.count(label) > 1:
            first = have.index(label)
            second = have.index(label, first + 1)
            rest = [size for d, size in enumerate(t.shape) if d not in (first, second)]
            t = t.then(ops.diagonal, [*rest, t.shape[first]], 0, first, second)
            have = [n for d, n in enumerate(have) if d not in (first, second)] + [label]
    return t, have


def sum_out(t: Sketch, labels: list[Label], wanted: set[Label]) -> tuple[Sketch, list[Label]]:
    dims = [i for i, label in enumerate(labels) if label not in wanted]
    if not dims:
        return t, labels
    return t.sum(dims, False), [label for label in labels if label in wanted]


def arranged(t: Sketch, have: list[Label], wanted: Any) -> Sketch:
    """Dimensions in the wanted order; labels that t lacks become dimensions of size 1."""
    order = [have.index(label) for label in wanted if label in have]
    if order != list(range(len(have))):
        t = t.then(ops.permute, [t.shape[d] for d in order], order)
    for place, label in enumerate(wanted):
        if label not in have:
            t = t.then(ops.unsqueeze, [*t.shape[:place], 1, *t.shape[place:]], place)
    return t


def multiply(a: Sketch, a_labels: list[Label], b: Sketch, b_labels: list[Label], later: set[Label]) -> tuple[Sketch, list[Label]]:
    """The product of two operands, summed over what neither the output nor a later operand has."""
    a, a_labels = sum_out(a, a_labels, later.union(b_labels))
    b, b_labels = sum_out(b, b_labels, later.union(a_labels))
    size_a, size_b = dict(zip(a_labels, a.shape)), dict(zip(b_labels, b.shape))
    for label in [n for n in a_labels if n in size_b and n not in later and size_a[n] != size_b[n]]:  # 1 against n
        if size_a[label] == 1:
            b = b.sum([b_labels.index(label)], True)
        else:
            a = a.sum([a_labels.index(label)], True)
        size_a[label] = size_b[label] = 1
    both = [n for n in a_labels if n in size_b]
    batch, summed = [n for n in both if n in later], [n for n in both if n not in later]
    only_a, only_b = [n for n in a_labels if n not in size_b], [n for n in b_labels if n not in size_a]
    result = [*batch, *only_a, *only_b]
    sizes = [size_b[n] if size_a.get(n, 1) == 1 and n in size_b else size_a[n] for n in result]
    if not summed:
        return arranged(a, a_labels, result).times(ops.mul, arranged(b, b_labels, result), sizes), result
    rows, columns, depth = [[sized[n] for n in names] for sized, names in ((size_a, only_a), (size_b, only_b), (size_a, summed))]
    left = matrices(arranged(a, a_labels, [*batch, *only_a, *summed]), len(batch), rows, depth)
    right = matrices(arranged(b, b_labels, [*batch, *summed, *only_b]), len(batch), depth, columns)
    done = left.times(product, right, [*sizes[: len(batch)], count(rows), count(columns)])
    return done if len(rows) == 1 and len(columns) == 1 else done.reshape(sizes), result


def matrices(t: Sketch, batch: int, rows: list[int], columns: list[int]) -> Sketch:
    if len(rows) == 1 and len(columns) == 1:
        return t
    return t.reshape([*t.shape[:batch], count(rows), count(columns)])


def count(sizes: list[int]) -> int:
    total = 1
    for size in sizes:
        total *= size
    return total


# ---- computing ----
def product(a: Tensor, b: Tensor) -> Tensor:
    if a.dtype is not b.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(a.dtype)} but found {scalar_name(b.dtype)}")
    return ops.matmul(a, b)


FUNCTIONS = [einsum]
