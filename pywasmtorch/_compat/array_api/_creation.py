"""Array API: asarray, arange, zeros and other creation functions; astype, can_cast, finfo, iinfo."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from ._promotion import Tensor, array, dtype, isdtype, result_type

__all__ = [
    "arange", "asarray", "astype", "can_cast", "empty", "empty_like", "eye", "finfo", "from_dlpack", "full", "full_like", "iinfo", "isdtype", "linspace", "meshgrid",
    "ones", "ones_like", "result_type", "tril", "triu", "zeros", "zeros_like",
]


def asarray(obj: Any, /, *, dtype: dtype | None = None, device: Any = None, copy: bool | None = None) -> Tensor:
    """An array of a number, nested sequences, a buffer or an array. ValueError where `copy` is False and a copy is needed."""
    if copy is False and not (isinstance(obj, Tensor) and (dtype is None or dtype is obj.dtype)):
        raise ValueError("a copy is needed to make this array, but copy is False")
    return torch.asarray(obj, dtype=dtype, device=device, copy=copy)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    return torch.from_dlpack(x, device=device, copy=copy)


def arange(start: Any, /, stop: Any = None, step: Any = 1, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """Numbers from start (0 where stop is not given) up to but without stop; none where step leads away from it."""
    if stop is None:
        start, stop = 0, start
    if step and (stop - start) * step <= 0:
        kind = dtype or (torch.int64 if all(isinstance(v, int) for v in (start, stop, step)) else None)
        return torch.empty((0,), dtype=kind, device=device)
    return torch.arange(start, stop, step, dtype=dtype, device=device)


def linspace(start: Any, stop: Any, /, num: int, *, dtype: dtype | None = None, device: Any = None, endpoint: bool = True) -> Tensor:
    if isinstance(start, complex) or isinstance(stop, complex):
        start, stop = complex(start), complex(stop)
        kind = dtype or torch.get_default_dtype().to_complex()
        part = torch.float32 if kind is torch.complex64 else torch.float64
        return torch.complex(linspace(start.real, stop.real, num, dtype=part, endpoint=endpoint), linspace(start.imag, stop.imag, num, dtype=part, endpoint=endpoint))
    return torch.linspace(start, stop, num, dtype=dtype, device=device) if endpoint else torch.linspace(start, stop, num + 1, dtype=dtype, device=device)[:num]


def eye(n_rows: int, n_cols: int | None = None, /, *, k: int = 0, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """Ones on the k-th diagonal."""
    columns = n_rows if n_cols is None else n_cols
    result = torch.zeros((n_rows, columns), dtype=dtype, device=device)
    if -n_rows < k < columns:
        torch.diagonal(result, k).fill_(1)
    return result


def empty(shape: Any, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.empty(sizes(shape), dtype=dtype, device=device)


def zeros(shape: Any, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.zeros(sizes(shape), dtype=dtype, device=device)


def ones(shape: Any, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.ones(sizes(shape), dtype=dtype, device=device)


def full(shape: Any, fill_value: Any, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.full(sizes(shape), fill_value, dtype=dtype, device=device)


def sizes(shape: Any) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(shape)


def empty_like(x: Tensor, /, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.empty_like(array(x), dtype=dtype, device=device)


def zeros_like(x: Tensor, /, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.zeros_like(array(x), dtype=dtype, device=device)


def ones_like(x: Tensor, /, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.ones_like(array(x), dtype=dtype, device=device)


def full_like(x: Tensor, /, fill_value: Any, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.full_like(array(x), fill_value, dtype=dtype, device=device)


def meshgrid(*arrays: Tensor, indexing: str = "xy") -> tuple[Tensor, ...]:
    """The coordinates of a grid, an array for each axis. ValueError for other words than 'xy' and 'ij'."""
    if indexing not in ("xy", "ij"):
        raise ValueError(f"indexing must be 'xy' or 'ij', not {indexing!r}")
    return tuple(torch.meshgrid(*arrays, indexing=indexing)) if arrays else ()


def tril(x: Tensor, /, *, k: int = 0) -> Tensor:
    return torch.tril(array(x), k)


def triu(x: Tensor, /, *, k: int = 0) -> Tensor:
    return torch.triu(array(x), k)


# ---- dtypes ----
def astype(x: Tensor, dtype: dtype, /, *, copy: bool = True, device: Any = None) -> Tensor:
    """x with another dtype, x itself where nothing changes and `copy` is False. TypeError from complex to real."""
    if array(x).dtype.is_complex and not dtype.is_complex and dtype is not torch.bool:
        raise TypeError("complex arrays cannot be cast to real dtypes; take real() or imag()")
    return x.to(dtype, device=device, copy=copy)


def can_cast(from_: Any, to: dtype, /) -> bool:
    """Whether promotion leads from a dtype, or an array's, to another."""
    return torch.promote_types(from_.dtype if isinstance(from_, Tensor) else from_, to) is to


class Limits:
    """What `finfo` and `iinfo` answer."""

    def __init__(self, **facts: Any) -> None:
        self.__dict__.update(facts)

    def __repr__(self) -> str:
        return f"Limits({', '.join(f'{name}={value}' for name, value in vars(self).items())})"


def finfo(type: Any, /) -> Limits:
    """Limits of a floating dtype, of an array's, or of the parts of a complex one."""
    kind = type.dtype if isinstance(type, Tensor) else type
    if kind.is_complex:
        kind = torch.float32 if kind is torch.complex64 else torch.float64
    info = torch.finfo(kind)
    return Limits(bits=info.bits, eps=info.eps, max=info.max, min=info.min, smallest_normal=info.smallest_normal, dtype=kind)


def iinfo(type: Any, /) -> Limits:
    """Limits of an integer dtype, or of an array's."""
    kind = type.dtype if isinstance(type, Tensor) else type
    info = torch.iinfo(kind)
    return Limits(bits=info.bits, max=info.max, min=info.min, dtype=kind)
