"""torch.cuda.amp: autocast and GradScaler, which warn and have no effect."""

from __future__ import annotations

import functools
import warnings
from typing import Any

import pywasmtorch as torch

from ... import amp as _amp
from . import autocast_mode, grad_scaler
from .common import amp_definitely_not_available

__all__ = ["GradScaler", "amp_definitely_not_available", "autocast", "custom_bwd", "custom_fwd"]


class autocast(_amp.autocast):
    """Deprecated: `torch.amp.autocast("cuda", …)`."""

    def __init__(self, enabled: bool = True, dtype: Any = torch.float16, cache_enabled: bool = True) -> None:
        warnings.warn("`torch.cuda.amp.autocast(args...)` is deprecated. Please use `torch.amp.autocast('cuda', args...)` instead.", FutureWarning, stacklevel=2)
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(_amp.GradScaler):
    """Deprecated: `torch.amp.GradScaler("cuda", …)`."""

    def __init__(self, init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5, growth_interval: int = 2000, enabled: bool = True) -> None:
        warnings.warn("`torch.cuda.amp.GradScaler(args...)` is deprecated. Please use `torch.amp.GradScaler('cuda', args...)` instead.", FutureWarning, stacklevel=2)
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval, enabled)


def custom_fwd(fwd: Any = None, *, cast_inputs: Any = None) -> Any:
    """Deprecated: `torch.amp.custom_fwd(…, device_type="cuda")`."""
    return functools.partial(_amp.custom_fwd, device_type="cuda")(fwd, cast_inputs=cast_inputs)


def custom_bwd(bwd: Any = None) -> Any:
    """Deprecated: `torch.amp.custom_bwd(…, device_type="cuda")`."""
    return functools.partial(_amp.custom_bwd, device_type="cuda")(bwd)


for _module in (autocast_mode, grad_scaler):
    _module.autocast, _module.GradScaler, _module.custom_fwd, _module.custom_bwd = autocast, GradScaler, custom_fwd, custom_bwd  # type: ignore[attr-defined]
