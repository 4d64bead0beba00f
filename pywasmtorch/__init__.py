"""pywasmtorch: PyTorch's API over a tensor core in one WebAssembly file."""

from __future__ import annotations

from typing import Any as _Any

from . import _dtype
from ._dtype import finfo, iinfo
from ._dtype import bfloat16, complex64, complex128, dtype, float16, float32, float64, int8, int16, int32, int64, uint8
from ._size import (
    Size, channels_last, channels_last_3d, contiguous_format, device, layout, memory_format, preserve_format, sparse_bsc, sparse_bsr, sparse_coo,
    sparse_csc, sparse_csr, strided,
)
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

from ._checks import tensors_checked as _tensors_checked  # noqa: E402
from . import _toplevel  # noqa: E402

from ._as_torch import install_as_torch  # noqa: E402
from ._correlation import corrcoef, cov  # noqa: E402
from ._conv import conv1d, conv2d, conv3d  # noqa: E402
from ._einsum import einsum  # noqa: E402
from ._lobpcg import lobpcg  # noqa: E402
from ._printing import set_printoptions  # noqa: E402
from ._factors import lu  # noqa: E402
from ._spectral import pca_lowrank, pinverse, svd_lowrank  # noqa: E402
from ._products import cdist, chain_matmul, norm, pdist, tensordot  # noqa: E402
from ._random import (  # noqa: E402
    Generator, alpha_dropout_, default_generator, dropout_, feature_alpha_dropout_, feature_dropout_, get_rng_state, initial_seed, manual_seed, normal, rand,
    rand_like, randint, randint_like, randn, randn_like, randperm, seed, set_rng_state,
)
from . import _autocast, _switches  # noqa: E402
from ._absent_device import OutOfMemoryError  # noqa: E402
from ._sorting import histogram, histogramdd, nanquantile, quantile, unique, unique_consecutive  # noqa: E402

globals().update({f.__name__: _tensors_checked(f) for f in (*_toplevel.FUNCTIONS, cdist, chain_matmul, histogram, histogramdd, lu, nanquantile, norm, quantile, tensordot)})
globals().update({f.__name__: _tensors_checked(f) for f in (corrcoef, cov, lobpcg, pca_lowrank, pinverse, svd_lowrank)})
globals().update({f.__name__: _tensors_checked(f) for f in (alpha_dropout_, dropout_, eye, feature_alpha_dropout_, feature_dropout_, full_like, linspace, logspace, pdist)})

FloatTensor, DoubleTensor, HalfTensor, BFloat16Tensor, LongTensor, IntTensor, ShortTensor, CharTensor, ByteTensor, BoolTensor = map(
    _toplevel.legacy_constructor, (float32, float64, float16, bfloat16, int64, int32, int16, int8, uint8, bool)
)

globals().update({f.__name__: f for f in (*_autocast.FUNCTIONS, *_switches.FUNCTIONS)})


class AcceleratorError(RuntimeError):
    """What programs may catch of other devices; the CPU raises none."""


#: loaded when they are first asked for, so that importing the package stays quick
_SUBMODULES = set(
    "_dynamo _jit_internal _utils accelerator amp backends compiler cpu cuda datasets distributed distributions fft "
    "func functional hub jit linalg masked mps mtia multiprocessing nn onnx optim overrides profiler random "
    "safetensors serialization signal special storage testing types utils version xpu".split()
)

_STORAGES = {"TypedStorage", "UntypedStorage", *(f"{name}Storage" for name in "Bool Byte Char Short Int Long Half BFloat16 Float Double ComplexFloat ComplexDouble".split())}

_NN_FUNCTIONS = set(
    "affine_grid_generator batch_norm binary_cross_entropy_with_logits channel_shuffle cosine_embedding_loss cosine_similarity ctc_loss embedding_renorm_ "
    "hinge_embedding_loss instance_norm kl_div margin_ranking_loss pairwise_distance pixel_shuffle pixel_unshuffle poisson_nll_loss rrelu rrelu_ triplet_margin_loss".split()
)
_RECURRENT = {"gru", "gru_cell", "lstm", "lstm_cell", "rnn_relu", "rnn_relu_cell", "rnn_tanh", "rnn_tanh_cell"}


def __getattr__(name: str) -> _Any:
    if name in _NN_FUNCTIONS:
        from ._nn_toplevel import FUNCTIONS

        return globals().setdefault(name, FUNCTIONS[name])
    if name in _STORAGES or name in ("load", "save"):
        from . import serialization, storage

        return globals().setdefault(name, getattr(storage if name in _STORAGES else serialization, name))
    if name in _RECURRENT:
        from . import _recurrent

        return globals().setdefault(name, _recurrent.FUNCTIONS[name])
    if name in _SUBMODULES:
        import importlib

        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}.{name}":
                raise
    if name == "autocast":
        from .amp import autocast

        return autocast
    if name == "vmap":
        from .func import vmap

        return vmap
    if name == "compile":
        from .compiler import compile

        return compile
    raise AttributeError(f"pywasmtorch has no torch.{name}; see docs/differences.md")


def start_threads(threads: object = None) -> object:
    """Makes `threads` threads work on operators (default: one per core). In a page, await it; RuntimeError where workers
    cannot share memory (no cross-origin isolation)."""
    from ._host._settings import default_threads
    from ._runtime import host

    return host.start_threads(default_threads() if threads is None else threads)
