"""torch.fft: fft, rfft, hfft, their inverses and n-dimensional forms, fftfreq, fftshift."""

from __future__ import annotations

import operator
from typing import Any

from ._core import dtype as _dtype
from ._core.checks import tensors_checked
from ._core.device import CPU, META
from ._core.generated import ops
from ._core.names import absent as _absent
from ._core.names import scalar_name
from ._core.tensor_type import Tensor
from ._functions import creation as _creation
from ._functions.fft_common import mode_of as _mode
from ._functions.fft_common import promoted as _promoted


def _wrapped(x: Tensor, dim: int) -> int:
    if not x.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    if not -x.ndim <= dim < x.ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-x.ndim}, {x.ndim - 1}], but got {dim})")
    return dim % x.ndim


def _resized(x: Tensor, dims: list[int], sizes: list[int]) -> Tensor:
    """Cut, or filled up with zeros, to these sizes."""
    for dim, size in zip(dims, sizes):
        have = x.shape[dim]
        if size < have:
            x = ops.narrow(x, dim, 0, size)
        elif size > have:
            shape = [*x.shape]
            shape[dim] = size
            x = ops.slice_backward(x, shape, dim, 0, have, 1)
    return x


def _int(function: str, name: str, value: Any) -> int:
    try:
        return operator.index(value)
    except TypeError:
        raise TypeError(f"fft_{function}(): argument '{name}' must be int, not {type(value).__name__}") from None


def _ints(function: str, name: str, value: Any) -> list[int] | None:
    if value is None:
        return None
    return [_int(function, name, v) for v in (value if isinstance(value, (tuple, list)) else [value])]


def _points(n: int) -> int:
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")
    return n


def _written(function: str, result: Tensor, out: Tensor | None) -> Tensor:
    if out is None:
        return result
    if result.dtype.is_complex and not out.dtype.is_complex:
        raise RuntimeError(f"{function} expects a complex output tensor, but got {scalar_name(out.dtype)}")
    if not result.dtype.is_complex and not out.dtype.is_floating_point:
        raise RuntimeError(f"{function} expects a floating point output tensor, but got {scalar_name(out.dtype)}")
    if out.shape != result.shape:
        ops._resize(out, result.shape)
    return ops.copy__(out, result)


# ---- one dimension ----
def _full(function: str, x: Tensor, n: Any, dim: Any, norm: str | None, out: Tensor | None, forward: bool) -> Tensor:
    dim = _wrapped(x, _int(function, "dim", dim))
    n = _points(x.shape[dim] if n is None else _int(function, "n", n))
    mode = _mode(norm, forward)
    x = _promoted(x, not forward)
    x = _resized(x, [dim], [n])
    result = ops._fft_c2c(x, [dim], mode, forward) if x.dtype.is_complex else ops._fft_r2c(x, [dim], mode, False)
    return _written(function, result, out)


def _to_half(function: str, x: Tensor, n: Any, dim: Any, norm: str | None, out: Tensor | None, forward: bool) -> Tensor:
    if x.dtype.is_complex:
        raise RuntimeError(f"{function} expects a real input tensor, but got {scalar_name(x.dtype)}")
    dim = _wrapped(x, _int(function, "dim", dim))
    n = _points(x.shape[dim] if n is None else _int(function, "n", n))
    result = ops._fft_r2c(_resized(_promoted(x, False), [dim], [n]), [dim], _mode(norm, forward), True)
    return _written(function, result if forward else ops.conj(result), out)


def _from_half(function: str, x: Tensor, n: Any, dim: Any, norm: str | None, out: Tensor | None, forward: bool) -> Tensor:
    dim = _wrapped(x, _int(function, "dim", dim))
    n = _points(2 * (x.shape[dim] - 1) if n is None else _int(function, "n", n))
    mode = _mode(norm, forward)
    x = _resized(_promoted(x, True), [dim], [n // 2 + 1])
    return _written(function, ops._fft_c2r(ops.conj(x) if forward else x, [dim], mode, n), out)


def fft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform sum(x[j] exp(-2πi jk/n)) along `dim`, complex, of `n` points: the input is cut or filled up with zeros.
    norm: "backward" (no factor here, 1/n for the inverse), "forward" (1/n here) or "ortho" (1/sqrt(n) for both).
    RuntimeError for float16 and bfloat16, as for a number of points below 1."""
    return _full("fft", input, n, dim, norm, out, True)


def ifft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `fft`."""
    return _full("ifft", input, n, dim, norm, out, False)


def rfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The first n/2 + 1 points of the transform of real input; the others are their conjugates. RuntimeError for complex input."""
    return _to_half("rfft", input, n, dim, norm, out, True)


def irfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `rfft`: real, of `n` points, by default 2 (size - 1)."""
    return _from_half("irfft", input, n, dim, norm, out, False)


def hfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The real transform of a Hermitian signal, of which `input` is the first half."""
    return _from_half("hfft", input, n, dim, norm, out, True)


def ihfft(input: Tensor, n: int | None = None, dim: int = -1, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `hfft`: the first half of the Hermitian signal that real input is the transform of."""
    return _to_half("ihfft", input, n, dim, norm, out, False)


# ---- several dimensions ----
def _axes(function: str, x: Tensor, s: Any, dim: Any) -> tuple[list[int], list[int]]:
    """The dimensions and the number of points that each is to have."""
    sizes, dims = _ints(function, "s", s), _ints(function, "dim", dim)
    if dims is not None:
        dims = [_wrapped(x, d) for d in dims]
        if len(set(dims)) < len(dims):
            raise RuntimeError("FFT dims must be unique")
    if sizes is None:
        dims = list(range(x.ndim)) if dims is None else dims
        return dims, [x.shape[d] for d in dims]
    if dims is not None and len(dims) != len(sizes):
        raise RuntimeError("When given, dim and shape arguments must have the same length")
    if len(sizes) > x.ndim:
        raise RuntimeError(f"Got shape with {len(sizes)} values but input tensor only has {x.ndim} dimensions.")
    dims = list(range(x.ndim - len(sizes), x.ndim)) if dims is None else dims
    return dims, [x.shape[d] if n == -1 else n for d, n in zip(dims, sizes)]


def _complex_n(function: str, x: Tensor, s: Any, dim: Any, norm: str | None, out: Tensor | None, forward: bool) -> Tensor:
    dims, sizes = _axes(function, x, s, dim)
    for n in sizes:
        _points(n)
    mode = _mode(norm, forward)
    return _written(function, ops._fft_c2c(_resized(_promoted(x, True), dims, sizes), dims, mode, forward), out)


def _to_half_n(function: str, x: Tensor, s: Any, dim: Any, norm: str | None, out: Tensor | None, forward: bool) -> Tensor:
    if x.dtype.is_complex:
        if forward:
            raise RuntimeError(f"{function} expects a real-valued input tensor, but got {scalar_name(x.dtype)}")
        raise RuntimeError(f"Only supports floating-point dtypes, but found: {scalar_name(x.dtype)}")
    dims, sizes = _axes(function, x, s, dim)
    if not dims:
        raise RuntimeError(f"{function} must transform at least one axis")
    for n in sizes:
        _points(n)
    mode = _mode(norm, forward)
    x = _resized(_promoted(x, False), dims, sizes)
    if forward:
        return _written(function, ops._fft_r2c(x, dims, mode, True), out)
    result = ops.conj(ops._fft_r2c(x, dims[-1:], mode, True))
    return _written(function, ops._fft_c2c(result, dims[:-1], mode, False) if len(dims) > 1 else result, out)


def _from_half_n(function: str, x: Tensor, s: Any, dim: Any, norm: str | None, out: Tensor | None, forward: bool) -> Tensor:
    dims, sizes = _axes(function, x, s, dim)
    if not dims:
        raise RuntimeError(f"{function} must transform at least one axis")
    given = _ints(function, "s", s)
    last = 2 * (x.shape[dims[-1]] - 1) if given is None or given[-1] == -1 else given[-1]
    for n in (*sizes[:-1], last):
        _points(n)
    mode = _mode(norm, forward)
    x = _resized(_promoted(x, True), dims, [*sizes[:-1], last // 2 + 1])
    if not forward:
        return _written(function, ops._fft_c2r(x, dims, mode, last), out)
    if len(dims) > 1:
        x = ops._fft_c2c(x, dims[:-1], mode, True)
    return _written(function, ops._fft_c2r(ops.conj(x), dims[-1:], mode, last), out)


def fftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The transform along the dimensions `dim` (default: the last len(s), or all), of `s` points each; -1 keeps a size."""
    return _complex_n("fftn", input, s, dim, norm, out, True)


def ifftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `fftn`."""
    return _complex_n("ifftn", input, s, dim, norm, out, False)


def rfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`rfft` along the last of the dimensions, `fft` along the others."""
    return _to_half_n("rfftn", input, s, dim, norm, out, True)


def irfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `rfftn`."""
    return _from_half_n("irfftn", input, s, dim, norm, out, False)


def hfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fft` along all but the last of the dimensions, `hfft` along that."""
    return _from_half_n("hfftn", input, s, dim, norm, out, True)


def ihfftn(input: Tensor, s: Any = None, dim: Any = None, norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `hfftn`."""
    return _to_half_n("ihfftn", input, s, dim, norm, out, False)


def fft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`fftn` along the last two dimensions."""
    return _complex_n("fftn", input, s, dim, norm, out, True)


def ifft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `fft2`."""
    return _complex_n("ifftn", input, s, dim, norm, out, False)


def rfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`rfftn` along the last two dimensions."""
    return _to_half_n("rfftn", input, s, dim, norm, out, True)


def irfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `rfft2`."""
    return _from_half_n("irfftn", input, s, dim, norm, out, False)


def hfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """`hfftn` along the last two dimensions."""
    return _from_half_n("hfftn", input, s, dim, norm, out, True)


def ihfft2(input: Tensor, s: Any = None, dim: Any = (-2, -1), norm: str | None = None, *, out: Tensor | None = None) -> Tensor:
    """The inverse of `hfft2`."""
    return _to_half_n("ihfftn", input, s, dim, norm, out, False)


# ---- frequencies and shifts ----
def fftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, **options: Any) -> Tensor:
    """The frequencies of the points of `fft`, [0, 1, …, -2, -1] / (n d), for samples `d` apart."""
    n, made, grad = _start("fftfreq", n, out, options)
    steps = _creation.arange(n, **made)
    steps = steps - ops._to_dtype(ops.ge(steps, (n + 1) // 2), made["dtype"]) * n
    return _creation.placed(_scaled(steps, n, d), out, grad)


def rfftfreq(n: int, d: float = 1.0, *, out: Tensor | None = None, **options: Any) -> Tensor:
    """The frequencies of the points of `rfft`, [0, 1, …, n/2] / (n d), for samples `d` apart."""
    n, made, grad = _start("rfftfreq", n, out, options)
    return _creation.placed(_scaled(_creation.arange(n // 2 + 1, **made), n, d), out, grad)


def _start(function: str, n: Any, out: Tensor | None, options: dict[str, Any]) -> tuple[int, dict[str, Any], bool]:
    try:
        n = operator.index(n)
    except TypeError:
        raise TypeError(f"fft_{function}(): argument 'n' (position 1) must be int, not {type(n).__name__}") from None
    kind = options.pop("dtype", None) or (out.dtype if out is not None else _dtype.get_default_dtype())
    grad = options.pop("requires_grad", False)
    meta = _creation.check_options(options.pop("device", None), options.pop("layout", None), options.pop("pin_memory", False))
    if options:
        raise TypeError(f"fft_{function}() got an unexpected keyword argument '{next(iter(options))}'")
    if not (kind.is_floating_point or kind.is_complex):
        raise RuntimeError(f"{function} requires a floating point or complex dtype")
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    return n, {"dtype": kind, "device": META if meta else CPU}, grad


def _scaled(steps: Tensor, n: int, d: float) -> Tensor:
    width = n * d
    return steps * (1.0 / width if width else float("inf"))


def _shift_axes(function: str, x: Tensor, dim: Any) -> list[int]:
    dims = _ints(function, "dim", dim)
    return list(range(x.ndim)) if dims is None else [_wrapped(x, d) for d in dims]


def fftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The frequency 0 in the middle of the dimensions `dim`, by default of all."""
    dims = _shift_axes("fftshift", input, dim)
    return ops.roll(input, [input.shape[d] // 2 for d in dims], dims)


def ifftshift(input: Tensor, dim: Any = None) -> Tensor:
    """The inverse of `fftshift`."""
    dims = _shift_axes("ifftshift", input, dim)
    return ops.roll(input, [(input.shape[d] + 1) // 2 for d in dims], dims)


__all__ = [
    "fft", "ifft", "fft2", "ifft2", "fftn", "ifftn", "rfft", "irfft", "rfft2", "irfft2", "rfftn", "irfftn", "hfft", "ihfft", "hfft2", "ihfft2", "hfftn", "ihfftn",
    "fftfreq", "rfftfreq", "fftshift", "ifftshift",
]


for _name in __all__:
    if "freq" not in _name:
        globals()[_name] = tensors_checked(globals()[_name])


__getattr__ = _absent(__name__)
