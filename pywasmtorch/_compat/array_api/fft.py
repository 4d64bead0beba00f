"""Array API: the Fourier transform extension."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from ._promotion import Tensor, array, dtype

__all__ = ["fft", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifftn", "ifftshift", "ihfft", "irfft", "irfftn", "rfft", "rfftfreq", "rfftn"]


def along_one(name: str) -> Any:
    def transform(x: Tensor, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Tensor:
        return getattr(torch.fft, name)(array(x), n, axis, norm)

    transform.__name__ = transform.__qualname__ = name
    return transform


def along_several(name: str) -> Any:
    def transform(x: Tensor, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Tensor:
        return getattr(torch.fft, name)(array(x), s, axes, norm)

    transform.__name__ = transform.__qualname__ = name
    return transform


fft, ifft, rfft, irfft, hfft, ihfft = map(along_one, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"))
fftn, ifftn, rfftn, irfftn = map(along_several, ("fftn", "ifftn", "rfftn", "irfftn"))


def fftfreq(n: int, /, *, d: float = 1.0, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.fft.fftfreq(n, d, dtype=dtype, device=device)


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: dtype | None = None, device: Any = None) -> Tensor:
    return torch.fft.rfftfreq(n, d, dtype=dtype, device=device)


def fftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    return torch.fft.fftshift(array(x), axes)


def ifftshift(x: Tensor, /, *, axes: Any = None) -> Tensor:
    return torch.fft.ifftshift(array(x), axes)
