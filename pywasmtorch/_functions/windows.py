"""hann_window, hamming_window, blackman_window, bartlett_window, kaiser_window (Harris, 1978)."""

from __future__ import annotations

from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import is_int, type_name
from .._core.checks import tensors_checked
from .._core.device import CPU, META
from .._core.generated import ops
from .._core.tensor_type import Tensor
from . import creation as _creation


def positions(name: str, length: int, periodic: bool, options: dict[str, Any]) -> tuple[Tensor, _dtype.dtype, bool]:
    """Where in the window each sample stands, from 0 to 1, in float64."""
    kind = options.pop("dtype", None) or _dtype.get_default_dtype()
    requires_grad = options.pop("requires_grad", False)
    meta = _creation.check_options(options.pop("device", None), options.pop("layout", None), options.pop("pin_memory", False))
    if options:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(options))}'")
    if not (kind.is_floating_point or kind.is_complex and length == 1):
        raise RuntimeError(f"{name} expects floating point dtypes, got: {kind}")
    if not is_int(length):
        raise TypeError(f"{name}(): argument 'window_length' (position 1) must be int, not {type_name(length)}")
    if not isinstance(periodic, bool):
        raise TypeError(f"{name}(): argument 'periodic' (position 2) must be bool, not {type_name(periodic)}")
    length = int(length)
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got window_length={length}")
    last = length if periodic else length - 1
    steps = _creation.arange(length, dtype=_dtype.float64, device=META if meta else CPU)
    return steps / max(last, 1), kind, requires_grad


def finish(window: Tensor, kind: _dtype.dtype, requires_grad: bool) -> Tensor:
    if window.numel() == 1:
        window = ops.ones_like(window)
    return _creation.settle(ops._to_dtype(window, kind), requires_grad)


def cosine_sum(at: Tensor, *weights: float) -> Tensor:
    total = ops.ones_like(at) * weights[0]
    for k, weight in enumerate(weights[1:], 1):
        total = total + weight * ops.cos(at * (2 * k * _dtype.pi))
    return total


def hann_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    at, kind, grad = positions("hann_window", window_length, periodic, options)
    return finish(cosine_sum(at, 0.5, -0.5), kind, grad)


def hamming_window(window_length: int, periodic: bool = True, alpha: float = 0.54, beta: float = 0.46, **options: Any) -> Tensor:
    at, kind, grad = positions("hamming_window", window_length, periodic, options)
    return finish(cosine_sum(at, alpha, -beta), kind, grad)


def blackman_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    at, kind, grad = positions("blackman_window", window_length, periodic, options)
    return finish(cosine_sum(at, 0.42, -0.5, 0.08), kind, grad)


def bartlett_window(window_length: int, periodic: bool = True, **options: Any) -> Tensor:
    at, kind, grad = positions("bartlett_window", window_length, periodic, options)
    return finish(1 - ops.abs_function(2 * at - 1), kind, grad)


def bessel_i0(share: Tensor, beta: float) -> Tensor:
    """I0(beta sqrt(share)) / I0(beta) by the power series (Abramowitz and Stegun 9.6.12), for shares from 0 to 1."""
    if not beta < 713:  # where I0 leaves the range of float64; NaN, as in PyTorch
        return share * float("nan")
    quarter = beta * beta / 4
    term = total = ops.ones_like(share)
    reached, whole, k = 1.0, 1.0, 0
    while reached > 1e-18 * whole or k < beta / 2:
        k += 1
        term = term * share * (quarter / (k * k))
        total = total + term
        reached *= quarter / (k * k)
        whole += reached
    return total / whole


def kaiser_window(window_length: int, periodic: bool = True, beta: float = 12.0, **options: Any) -> Tensor:
    at, kind, grad = positions("kaiser_window", window_length, periodic, options)
    return finish(bessel_i0(at * (1 - at) * 4, beta), kind, grad)


FUNCTIONS = [*map(tensors_checked, (bartlett_window, blackman_window, hamming_window, hann_window, kaiser_window))]
