"""torch.signal.windows: windows of M points, symmetric or (sym=False) periodic (Harris, "On the use of windows for harmonic analysis", 1978).

Every one takes `dtype` (float32 or float64), `layout`, `device` and `requires_grad`, and raises ValueError for a negative M or another dtype.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from ..._core import dtype as _dtype
from ..._core.device import CPU, META
from ..._core.dtype import dtype as DType
from ..._core.dtype import float32, float64
from ..._core.generated import ops
from ..._core.layout import strided
from ..._core.tensor_type import Tensor
from ..._functions import creation as _creation
from ..._functions.windows import bessel_i0, cosine_sum


def _window(name: str, M: int, sym: bool, options: dict[str, Any], values: Callable[[Tensor, int], Tensor], one: bool = True) -> Tensor:
    """`values(points, last)` of the points 0 … M-1, where `last` is the place of the symmetric window's last point; `one`: a single point is 1."""
    kind: DType = options.pop("dtype", None) or _dtype.get_default_dtype()
    layout, device, grad = options.pop("layout", strided), options.pop("device", None), options.pop("requires_grad", False)
    if options:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(options))}'")
    if type(M) is not int:
        raise TypeError(f"{name}(): M must be int, not {type(M).__name__}")
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout is not strided:
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if kind not in (float32, float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {kind}")
    meta = _creation.check_options(device, layout, False)
    points = _creation.arange(M, dtype=float64, device=META if meta else CPU)
    plain = not M or (one and M == 1)
    result = ops.ones_like(points) if plain else values(points, M - 1 if sym or M == 1 else M)
    return _creation.settle(ops._to_dtype(result, kind), grad)


def exponential(M: int, *, center: float | None = None, tau: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """`exp(-|n - center| / tau)`; the centre may be set where `sym` is False. ValueError for tau <= 0."""
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return _window("exponential", M, sym, options, lambda n, last: ops.exp(ops.abs_function(n - (last / 2 if center is None else center)) / -tau), one=False)


def cosine(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """`sin(pi (n + 1/2) / M)`."""
    return _window("cosine", M, sym, options, lambda n, last: ops.sin((n + 0.5) * (math.pi / (last + 1))), one=False)


def gaussian(M: int, *, std: float = 1.0, sym: bool = True, **options: Any) -> Tensor:
    """`exp(-((n - middle) / std)^2 / 2)`. ValueError for std <= 0."""
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")

    def values(n: Tensor, last: int) -> Tensor:
        away = (n - last / 2) / std
        return ops.exp(away * away * -0.5)

    return _window("gaussian", M, sym, options, values, one=False)


def kaiser(M: int, *, beta: float = 12.0, sym: bool = True, **options: Any) -> Tensor:
    """`I0(beta sqrt(1 - (2n / (M - 1) - 1)^2)) / I0(beta)`. ValueError for beta < 0."""
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")
    return _window("kaiser", M, sym, options, lambda n, last: bessel_i0(n / last * (1 - n / last) * 4, beta))


def general_cosine(M: int, *, a: Iterable[float], sym: bool = True, **options: Any) -> Tensor:
    """`a[0] - a[1] cos(2 pi n / (M - 1)) + a[2] cos(4 pi n / (M - 1)) - …`. TypeError where `a` cannot be iterated, ValueError where it is empty."""
    return _cosine_sum("general_cosine", M, a, sym, options)


def _cosine_sum(name: str, M: int, a: Any, sym: bool, options: dict[str, Any]) -> Tensor:
    several = type(M) is int and M > 1
    if several and not isinstance(a, Iterable):
        raise TypeError("Coefficients must be a list/tuple")
    if several and not a:
        raise ValueError("Coefficients cannot be empty")
    return _window(name, M, sym, options, lambda n, last: cosine_sum(n / last, *((-1) ** k * w for k, w in enumerate(a))))


def general_hamming(M: int, *, alpha: float = 0.54, sym: bool = True, **options: Any) -> Tensor:
    """`alpha - (1 - alpha) cos(2 pi n / (M - 1))`."""
    return _cosine_sum("general_cosine", M, [alpha, 1.0 - alpha], sym, options)


def hamming(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """`general_hamming` with alpha = 0.54."""
    return _cosine_sum("general_cosine", M, [0.54, 0.46], sym, options)


def hann(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """`general_hamming` with alpha = 0.5."""
    return _cosine_sum("general_cosine", M, [0.5, 0.5], sym, options)


def blackman(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """`general_cosine` with 0.42, 0.5 and 0.08."""
    return _cosine_sum("blackman", M, [0.42, 0.5, 0.08], sym, options)


def nuttall(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """`general_cosine` with the four terms of Nuttall, "Some windows with very good sidelobe behavior" (1981), as Heinzel (2002) lists them."""
    return _cosine_sum("general_cosine", M, [0.3635819, 0.4891775, 0.1365995, 0.0106411], sym, options)


def bartlett(M: int, *, sym: bool = True, **options: Any) -> Tensor:
    """`1 - |2n / (M - 1) - 1|`, a triangle."""
    return _window("bartlett", M, sym, options, lambda n, last: 1 - ops.abs_function(n / last * 2 - 1))


__all__ = ["bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine", "general_hamming", "hamming", "hann", "kaiser", "nuttall"]
