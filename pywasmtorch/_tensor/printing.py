"""repr of tensors, identical to PyTorch's; set_printoptions."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from .._core import dtype as _dtype
from .._core.dtype import get_default_dtype
from .._core.generated import ops
from .._core.overriding import is_asked
from .._core.tensor_type import Tensor
from .values import flat_values, nest


@dataclass(frozen=True)
class Options:
    precision: int = 4
    threshold: float = 1000
    edgeitems: int = 3
    linewidth: int = 80
    sci_mode: bool | None = None


PROFILES = {"default": Options(), "short": Options(precision=2, edgeitems=2), "full": Options(threshold=math.inf)}
_options = PROFILES["default"]


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None, linewidth: int | None = None, profile: str | None = None,
                     sci_mode: bool | None = None) -> None:
    """How tensors print: digits after the point, when to summarise, how many items at the edges, characters per line, scientific notation."""
    global _options
    chosen = PROFILES[profile] if profile is not None else _options
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    _options = replace(chosen, **{k: v for k, v in given.items() if v is not None}, sci_mode=sci_mode)


def get_printoptions() -> dict[str, Any]:
    return dict(vars(_options))


@contextlib.contextmanager
def printoptions(**options: Any) -> Iterator[None]:
    global _options
    before = _options
    set_printoptions(**options)
    try:
        yield
    finally:
        _options = before


class Format:
    """One width and one notation for all the numbers of a tensor."""

    def __init__(self, values: list[Any], floating: bool) -> None:
        self.floating, self.whole, self.scientific, self.width = floating, True, False, 1
        if not floating:
            self.width = max((len(str(v)) for v in values), default=1)
            return
        finite = [v for v in values if v and math.isfinite(v)]
        if not finite:
            return
        largest, smallest = max(map(abs, finite)), min(map(abs, finite))
        self.whole = all(v == math.ceil(v) for v in finite)
        self.scientific = largest / smallest > 1000 or largest > 1e8 or (not self.whole and smallest < 1e-4)
        if _options.sci_mode is not None:
            self.scientific = _options.sci_mode
        if self.scientific:
            self.width = max(len(f"{v:.{_options.precision}e}") for v in finite)
        elif self.whole:
            self.width = max(len(f"{v:.0f}") + 1 for v in finite)
        else:
            self.width = max(len(f"{v:.{_options.precision}f}") for v in finite)

    def text(self, value: Any) -> str:
        if not self.floating:
            written = str(value)
        elif self.scientific:
            written = f"{value:{self.width}.{_options.precision}e}"
        elif self.whole:
            written = f"{value:.0f}" + ("." if math.isfinite(value) else "")
        else:
            written = f"{value:.{_options.precision}f}"
        return written.rjust(self.width)


class ComplexFormat:
    def __init__(self, values: list[complex]) -> None:
        self.real, self.imaginary = Format([v.real for v in values], True), Format([v.imag for v in values], True)
        self.width = self.real.width + self.imaginary.width + 1

    def text(self, value: complex) -> str:
        real, imaginary = self.real.text(value.real), (self.imaginary.text(value.imag) + "j").lstrip()
        return real + imaginary if imaginary[0] in "+-" else f"{real}+{imaginary}"


def edges(t: Tensor) -> Tensor:
    """What is left to see of a summarised tensor."""
    e = _options.edgeitems
    for d, size in enumerate(t.shape):
        if size > 2 * e:
            t = ops.cat([ops.narrow(t, d, 0, e), ops.narrow(t, d, size - e, e)], d)
    return t


def written(items: Any, shape: tuple[int, ...], cut: tuple[bool, ...], form: Any, indent: int) -> str:
    """Nested brackets; where `cut` says so, dots stand between the edges of a dimension."""
    if not shape:
        return form.text(items)
    e = _options.edgeitems
    if len(shape) == 1:
        per_line = max(1, (_options.linewidth - indent) // (form.width + 2))
        texts = [form.text(v) for v in items]
        if cut[0]:
            texts = [*texts[:e], " ...", *texts[e:]] if e else ["..."]
        lines = [", ".join(texts[i : i + per_line]) for i in range(0, len(texts), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    parts = [written(i, shape[1:], cut[1:], form, indent + 1) for i in items]
    if cut[0]:
        parts = [*parts[:e], "...", *parts[e:]]
    return "[" + ("," + "\n" * (len(shape) - 1) + " " * (indent + 1)).join(parts) + "]"


def contents(self: Tensor, indent: int) -> str:
    t = self.detach()
    if t.dtype in (_dtype.float16, _dtype.bfloat16, *_dtype.FLOAT8):
        t = ops._to_dtype(t, _dtype.float32)
    summarised = t.numel() > _options.threshold
    cut = tuple(summarised and size > 2 * _options.edgeitems for size in t.shape)
    seen = edges(t) if summarised else t
    values = flat_values(seen)
    telling = [v for v in values if v > 1e-38] if self.dtype is _dtype.FLOAT8[-1] else values  # its smallest value has no say, as in PyTorch
    form = ComplexFormat(values) if t.dtype.is_complex else Format(telling, t.dtype.is_floating_point)
    items = nest(values, seen.shape) if values else []
    return written(items, tuple(seen.shape), cut, form, indent)


def dtype_suffix(kind: _dtype.dtype) -> list[str]:
    """The dtype, where it is not one that values show by themselves."""
    default = get_default_dtype()
    usual = (default, _dtype.complex128 if default is _dtype.float64 else _dtype.complex64, _dtype.int64, _dtype.bool_)
    return [] if kind in usual else [f"dtype={kind}"]


def history_suffix(self: Tensor) -> list[str]:
    if self.grad_fn is not None:
        return [f"grad_fn=<{self.grad_fn.name().rpartition('::')[2]}>"]
    return ["requires_grad=True"] if self.requires_grad else []


def with_suffixes(text: str, suffixes: list[str], indent: int, newline: bool = False) -> str:
    """`text` and what is said after it, on as many lines as it takes."""
    length = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if newline or length + len(suffix) + 2 > _options.linewidth:
            text += ",\n" + " " * indent + suffix
            length, newline = indent + len(suffix), False
        else:
            text += ", " + suffix
            length += len(suffix) + 2
    return text


def tensor_text(self: Tensor) -> str:
    """`repr` of a tensor."""
    prefix: str = f"{type(self).__name__}(" if is_asked(type(self)) else "tensor("
    suffixes: list[str] = []
    if self.is_meta:
        suffixes += ["device='meta'", f"size={tuple(self.shape)}"]
        if self.dtype is not get_default_dtype():
            suffixes.append(f"dtype={self.dtype}")
        body = "..."
    elif self.numel() == 0:
        if self.ndim != 1:
            suffixes.append(f"size={tuple(self.shape)}")
        if self.dtype is not get_default_dtype():
            suffixes.append(f"dtype={self.dtype}")
        body = "[]"
    else:
        if not _options.edgeitems:
            suffixes.append(f"size={tuple(self.shape)}")
        suffixes += dtype_suffix(self.dtype)
        body = contents(self, len(prefix))
    return with_suffixes(prefix + body, [*suffixes, *history_suffix(self)], len(prefix)) + ")"
