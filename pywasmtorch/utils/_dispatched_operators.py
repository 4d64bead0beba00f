"""Which operators of aten a function of torch runs, for modes that look at operators."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import pywasmtorch as torch

#: what no operator is: it asks for shapes, types and numbers, or is made of Python alone
_NO_OPERATORS = set(
    "size dim ndimension numel nelement stride storage_offset is_contiguous is_floating_point is_complex is_signed element_size get_device is_same_size data_ptr item tolist numpy "
    "backward register_hook retain_grad requires_grad_ is_nonzero __bool__ __int__ __float__ __complex__ __index__ __len__ __repr__ __format__ __array__ __reduce_ex__ __deepcopy__ "
    "__setstate__ untyped_storage storage type is_pinned pin_memory share_memory_ is_shared tensor as_tensor asarray from_numpy frombuffer result_type broadcast_shapes "
    "is_inference _is_view is_view is_conj is_neg resolve_conj resolve_neg cpu cuda _assert __dlpack__ __dlpack_device__ __contains__ __setitem__ __nonzero__".split()
)


def name_of(function: Any) -> str | None:
    """The operator that a function is; None for what is none."""
    name = getattr(function, "__name__", "")
    if name == "__get__":
        return None
    name = {"__and__": "bitwise_and", "__or__": "bitwise_or", "__xor__": "bitwise_xor", "__eq__": "eq", "__invert__": "bitwise_not", "__rpow__": "pow",
            "__lshift__": "bitwise_left_shift", "__rshift__": "bitwise_right_shift", "__floordiv__": "floor_divide", "__pow__": "pow"}.get(name, name)
    return None if name in _NO_OPERATORS or name.startswith("__") and name not in PARTS else name


def is_method(function: Any, name: str) -> bool:
    """Whether it is an operator of Python's or a method that takes what the function of its name takes."""
    own = getattr(function, "__name__", "")
    return own != name or vars(torch.Tensor).get(f"__{name}__") is function or name not in ("where", "norm", "nonzero") and vars(torch.Tensor).get(name) is function


def with_list(name: str, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Sizes or dimensions that a method takes one by one, as the list that the operator takes."""
    several = name in ("expand", "flip", "permute", "repeat", "reshape", "tile", "view") and len(args) > 1 and all(isinstance(a, int) for a in args[1:])
    return (args[0], list(args[1:])) if several else args


def _linear(original: Any, input: Any, weight: Any, bias: Any = None) -> Any:
    if weight.dim() != 2 or input.dim() < 2:
        return NotImplemented
    columns = weight.t()
    rows = input if input.dim() == 2 else input.view(-1, input.size(-1)) if input.is_contiguous() else input.reshape(-1, input.size(-1))
    result = torch.mm(rows, columns) if bias is None else torch.addmm(bias, rows, columns)
    return result if input.dim() == 2 else torch.ops.aten._unsafe_view(result, [*input.shape[:-1], weight.size(0)])


def _matmul(original: Any, input: Any, other: Any, *, out: Any = None) -> Any:
    if out is not None:
        return NotImplemented
    a, b = input.dim(), other.dim()
    if (a, b) in ((2, 2), (2, 1), (1, 1)):
        return {2: torch.mm, 1: torch.mv}[b](input, other) if a == 2 else torch.dot(input, other)
    if a == 1 and b == 2:
        return torch.ops.aten.squeeze(torch.mm(input.unsqueeze(0), other), 0)
    if a > 2 and b <= 2:  # rows of all matrices at once
        rows = input.reshape(-1, input.size(-1))
        result = torch.mm(rows, other) if b == 2 else torch.mv(rows, other)
        return torch.ops.aten._unsafe_view(result, [*input.shape[:-1], *other.shape[1:]])
    if a >= 3 and b >= 3:
        batch = list(torch.broadcast_shapes(input.shape[:-2], other.shape[:-2]))
        left = input.expand([*batch, *input.shape[-2:]]).reshape(-1, *input.shape[-2:])
        right = other.expand([*batch, *other.shape[-2:]]).reshape(-1, *other.shape[-2:])
        return torch.ops.aten._unsafe_view(torch.bmm(left, right), [*batch, input.size(-2), other.size(-1)])
    return NotImplemented


def _several(value: Any, n: int) -> list[int]:
    return [value] * n if isinstance(value, int) else list(value) * (n if len(value) == 1 else 1)


def _conv(n: int) -> Callable[..., Any]:
    def parts(original: Any, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
        if isinstance(padding, str) or input.dim() != n + 2:
            return NotImplemented
        return torch.ops.aten.convolution(input, weight, bias, _several(stride, n), _several(padding, n), _several(dilation, n), False, [0] * n, groups)

    return parts


def _conv_transpose(n: int) -> Callable[..., Any]:
    def parts(original: Any, input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, output_padding: Any = 0, groups: int = 1, dilation: Any = 1) -> Any:
        if input.dim() != n + 2:
            return NotImplemented
        return torch.ops.aten.convolution(input, weight, bias, _several(stride, n), _several(padding, n), _several(dilation, n), True, _several(output_padding, n), groups)

    return parts


def _softmax(name: str) -> Callable[..., Any]:
    def parts(original: Any, input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None, **_: Any) -> Any:
        return NotImplemented if dim is None or dtype is not None else getattr(torch.ops.aten, name)(input, dim, False)

    return parts


def _view(original: Any, self: Any, *shape: Any) -> Any:
    """`reshape` and `view`: a view where that is one."""
    sizes = shape[0] if len(shape) == 1 and not isinstance(shape[0], int) else shape
    if isinstance(sizes, torch.dtype) or not self.is_contiguous():
        return NotImplemented
    return torch.ops.aten.view(self, list(sizes))


def _sizes(name: str) -> Callable[..., Any]:
    def parts(original: Any, self: Any, *sizes: Any, **names: Any) -> Any:
        if names or len(sizes) == 1 and not isinstance(sizes[0], int):
            return NotImplemented
        return getattr(torch.ops.aten, name)(self, list(sizes))

    return parts


def _converted(original: Any, self: Any, *args: Any, **names: Any) -> Any:
    result = original(self, *args, **names)
    if result is self or result.dtype is self.dtype:
        return result
    return torch.ops.aten._to_copy(self, dtype=result.dtype)


def _item(original: Any, self: Any, index: Any) -> Any:
    parts = list(index) if isinstance(index, tuple) else [index]
    plain = all(p is None or p is ... or isinstance(p, slice) or isinstance(p, int) and not isinstance(p, bool) for p in parts)
    if not plain:
        if isinstance(index, torch.Tensor):
            return torch.ops.aten.index(self, [index])
        return original(self, index)
    if ... in parts:
        at = parts.index(...)
        parts[at : at + 1] = [slice(None)] * (self.dim() - sum(p is not None and p is not ... for p in parts))
    result, dim = self, 0
    for p in parts:
        if p is None:
            result = torch.ops.aten.unsqueeze(result, dim)
        elif isinstance(p, int):
            result = torch.ops.aten.select(result, dim, p)
            continue
        elif p != slice(None):
            result = torch.ops.aten.slice(result, dim, p.start or 0, p.stop if p.stop is not None else 2**63 - 1, p.step or 1)
        dim += 1
    return original(self, index) if result is self else result


def _embedding(original: Any, input: Any, weight: Any, padding_idx: Any = None, max_norm: Any = None, norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False) -> Any:
    if input.is_floating_point() or max_norm is not None or padding_idx is not None:
        return NotImplemented
    return torch.ops.aten.embedding(weight, input) if not scale_grad_by_freq and not sparse else NotImplemented


def _einsum(original: Any, equation: Any, *operands: Any) -> Any:
    """Of two operands: one `bmm` of what both keep, what each has alone, and what is summed."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    if not isinstance(equation, str) or len(operands) != 2 or "." in equation:
        return NotImplemented
    inputs, arrow, result = equation.replace(" ", "").partition("->")
    left, comma, right = inputs.partition(",")
    if not arrow:
        result = "".join(sorted(c for c in {*left, *right} if (left + right).count(c) == 1))
    if not comma or any(len(set(part)) != len(part) for part in (left, right, result)) or not set(result) <= {*left, *right}:
        return NotImplemented
    sizes = {**dict(zip(left, operands[0].shape)), **dict(zip(right, operands[1].shape))}
    batch, summed = [c for c in left if c in right and c in result], [c for c in left if c in right and c not in result]
    alone = [[c for c in part if c not in other] for part, other in ((left, right), (right, left))]
    if not all(c in result for part in alone for c in part) or any(t.size(i) != sizes[c] for t, part in zip(operands, (left, right)) for i, c in enumerate(part)):
        return NotImplemented

    def count(names: list[str]) -> int:
        return prod(sizes[c] for c in names)

    a = operands[0].permute([left.index(c) for c in (*batch, *alone[0], *summed)]).reshape(count(batch), count(alone[0]), count(summed))
    b = operands[1].permute([right.index(c) for c in (*batch, *summed, *alone[1])]).reshape(count(batch), count(summed), count(alone[1]))
    made = [*batch, *alone[0], *alone[1]]
    return torch.bmm(a, b).view([sizes[c] for c in made]).permute([made.index(c) for c in result])


#: functions that run other operators than the one of their name
PARTS: dict[str, Callable[..., Any]] = {
    "linear": _linear, "matmul": _matmul, "__matmul__": _matmul, **{f"conv{n}d": _conv(n) for n in (1, 2, 3)}, **{f"conv_transpose{n}d": _conv_transpose(n) for n in (1, 2, 3)},
    "softmax": _softmax("_softmax"), "log_softmax": _softmax("_log_softmax"), "reshape": _view, "view": _view, "expand": _sizes("expand"), "permute": _sizes("permute"),
    "__getitem__": _item, **dict.fromkeys("to float double half bfloat16 int long short char bool type_as".split(), _converted),
    "einsum": _einsum, "embedding": _embedding, "relu": lambda original, input, inplace=False: torch.ops.aten.relu_(input) if inplace else torch.ops.aten.relu(input),
    "mse_loss": lambda original, input, target, size_average=None, reduce=None, reduction="mean", weight=None: original(
        input, target, size_average, reduce, reduction, weight) if weight is not None else torch.ops.aten.mse_loss(input, target, reduction=reduction),
    "__rsub__": lambda original, self, other: torch.ops.aten.rsub(self, other),
}
