"""pywasmtorch: PyTorch's API over a tensor core in one WebAssembly file."""

from __future__ import annotations

from . import _dtype
from ._dtype import bfloat16, complex64, complex128, dtype, float16, float32, float64, int8, int16, int32, int64, uint8
from ._size import Size, channels_last, channels_last_3d, contiguous_format, device, layout, memory_format, preserve_format, strided
from ._tensor import Tensor
from ._creation import (
    arange, as_tensor, asarray, empty, empty_like, empty_strided, eye, from_dlpack, from_numpy, frombuffer, full, full_like, get_default_dtype, linspace, logspace, ones, ones_like,
    range_ as range, scalar_tensor, set_default_dtype, tensor, zeros, zeros_like,
)
from ._generated import ops as _ops
from ._names import typename
from ._version import __version__
from . import autograd
from .autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .autograd.grad_mode import is_grad_enabled, is_inference_mode_enabled

bool = _dtype.bool_
short, int, long, half, float, double, cfloat, cdouble = int16, int32, int64, float16, float32, float64, complex64, complex128
inf, nan, pi, e = _dtype.inf, _dtype.nan, _dtype.pi, _dtype.e

globals().update(_ops.FUNCTIONS)
from . import _toplevel  # noqa: E402

globals().update({f.__name__: f for f in _toplevel.FUNCTIONS})
