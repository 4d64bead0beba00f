"""pywasmtorch: PyTorch's API over a tensor core in one WebAssembly file.

Collects the layers; see README.md beside this file. Large modules are loaded on first access.
"""

from __future__ import annotations

from typing import Any as _Any

from ._core import dtype as _dtype
from ._core.dtype import bfloat16, complex64, complex128, dtype, finfo, float16, float32, float64, iinfo, int8, int16, int32, int64, uint8, uint16, uint32, uint64
from ._core.size import Size
from ._core.device import device
from ._core.layout import (
    channels_last, channels_last_3d, contiguous_format, layout, memory_format, preserve_format, sparse_bsc, sparse_bsr, sparse_coo, sparse_csc, sparse_csr, strided,
)
from ._core.device_stubs import OutOfMemoryError
from ._core.names import typename
from ._core.version import __version__
from ._tensor import Tensor
from ._tensor.printing import set_printoptions
from ._functions import FUNCTIONS as _FUNCTIONS
from ._functions.random import Generator, default_generator
from ._functions.tensor_types import TENSOR_TYPES as _TENSOR_TYPES
from . import autograd
from .autograd import enable_grad, inference_mode, no_grad, set_grad_enabled
from .autograd.anomaly_mode import is_anomaly_check_nan_enabled, is_anomaly_enabled
from .autograd.grad_mode import is_grad_enabled, is_inference_mode_enabled
from ._compat.as_torch import install_as_torch

bool = _dtype.bool_
short, int, long, half, float, double, cfloat, cdouble = int16, int32, int64, float16, float32, float64, complex64, complex128
inf, nan, pi, e = _dtype.inf, _dtype.nan, _dtype.pi, _dtype.e

globals().update({kind._name: kind for kind in (*_dtype.FLOAT8, *_dtype.NAMES_ONLY)})
globals().update(_FUNCTIONS)
globals().update(_TENSOR_TYPES)


class AcceleratorError(RuntimeError):
    """What programs may catch of other devices; the CPU raises none."""


#: modules that are loaded when they are first asked for, so that importing the package stays quick
_SUBMODULES = set(
    "accelerator amp backends compiler cpu cuda datasets distributed distributions fft func functional futures fx hub jit library linalg masked mps mtia multiprocessing nn onnx optim "
    "ops overrides profiler random return_types safetensors serialization signal sparse special storage testing types utils version xpu".split()
)

#: names whose modules are loaded when they are first asked for
_ELSEWHERE = {
    **dict.fromkeys(
        "affine_grid_generator batch_norm binary_cross_entropy_with_logits channel_shuffle cosine_embedding_loss cosine_similarity ctc_loss embedding_renorm_ "
        "hinge_embedding_loss instance_norm kl_div margin_ranking_loss pairwise_distance pixel_shuffle pixel_unshuffle poisson_nll_loss rrelu rrelu_ triplet_margin_loss".split(),
        "nn.functional.torch_namespace",
    ),
    **dict.fromkeys("gru gru_cell lstm lstm_cell rnn_relu rnn_relu_cell rnn_tanh rnn_tanh_cell".split(), "nn.functional.recurrent"),
    **dict.fromkeys(["TypedStorage", "UntypedStorage", *(f"{kind._scalar_name}Storage" for kind in _dtype.DTYPES)], "storage"),
    **dict.fromkeys(["load", "save"], "serialization"),
    **dict.fromkeys([f"sparse_{kind}_tensor" for kind in ("coo", "csr", "csc", "bsr", "bsc", "compressed")], "sparse._construct"),
    "autocast": "amp", "GradScaler": "amp", "Future": "futures", "vmap": "func", "compile": "compiler",
    **dict.fromkeys("_assert_async _check _check_index _check_is_size _check_not_implemented _check_tensor_all _check_tensor_all_with _check_type _check_value _check_with".split(), "_functions.assertions"),
    **dict.fromkeys(["_C", "__config__", "_dynamo", "_jit_internal", "_ops", "_subclasses", "_tensor_str", "_utils"], "_compat.torch_private"),
}


def __getattr__(name: str) -> _Any:
    from importlib import import_module

    if name in _ELSEWHERE:
        place = _ELSEWHERE[name]
        module = import_module(f"{__package__ if place.startswith('_') else __name__}.{place}")  # as torch this module has another name
        return globals().setdefault(name, getattr(module, "FUNCTIONS", {}).get(name) or getattr(module, name))
    if name in _SUBMODULES:
        return import_module(f"{__name__}.{name}")
    if name == "Storage":
        return __getattr__("FloatStorage")
    if name == "torch":  # PyTorch's module has itself for an attribute
        return import_module(__name__)
    raise AttributeError(f"pywasmtorch has no torch.{name}; see docs/differences.md")


def start_threads(threads: object = None) -> object:
    """Makes `threads` threads work on operators (default: one per core). In a page, await it; RuntimeError where workers
    cannot share memory (no cross-origin isolation)."""
    from ._core.frame import host
    from ._core.host.settings import default_threads

    return host.start_threads(default_threads() if threads is None else threads)
