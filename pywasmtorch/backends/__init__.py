"""torch.backends: settings without effect."""

from __future__ import annotations

import sys as _sys
from contextlib import contextmanager as _contextmanager
from types import ModuleType as _ModuleType
from typing import Any as _Any


def _answer(value: _Any) -> _Any:
    return lambda *_, **__: value


class _Switches(_ModuleType):
    """A module of switches: what a program sets stays, without effect."""

    def flags(self, **settings: _Any) -> _Any:
        """A context with other settings."""

        @_contextmanager
        def within() -> _Any:
            before = {k: getattr(self, k) for k in settings if hasattr(self, k)}
            self.__dict__.update({k: v for k, v in settings.items() if v is not None})
            try:
                yield
            finally:
                self.__dict__.update(before)

        return within()

    def set_flags(self, *values: _Any, **settings: _Any) -> _Any:
        before = tuple(getattr(self, k, None) for k in settings)
        self.__dict__.update({k: v for k, v in settings.items() if v is not None})
        return before


def _module(name: str, **contents: _Any) -> _Switches:
    module = _Switches(f"{__name__}.{name}", "Switches without effect.")
    module.__dict__.update(contents)
    _sys.modules[module.__name__] = module
    return module


class _Matmul:
    """Settings of products on CUDA."""

    def __init__(self, **settings: _Any) -> None:
        self.__dict__.update(settings)


_absent, _there = _answer(False), _answer(True)


def _sdp(kind: str) -> dict[str, _Any]:
    on = {"value": True}
    return {f"{kind}_sdp_enabled": lambda: on["value"], f"enable_{kind}_sdp": lambda enabled: on.update(value=bool(enabled))}


@_contextmanager
def _sdp_kernel(*_: _Any, **__: _Any) -> _Any:
    yield


_KINDS = ("flash", "mem_efficient", "math", "cudnn")
cuda = _module(
    "cuda", is_built=_absent, sdp_kernel=_sdp_kernel, preferred_linalg_library=_answer("default"), preferred_blas_library=_answer("default"), cufft_plan_cache=_Matmul(size=0, max_size=0),
    matmul=_Matmul(allow_tf32=False, allow_fp16_reduced_precision_reduction=True, allow_bf16_reduced_precision_reduction=True, fp32_precision="none"),
    is_flash_attention_available=_absent, **{k: v for kind in _KINDS for k, v in _sdp(kind).items()})
cudnn = _module(
    "cudnn", is_available=_absent, version=_answer(None), is_acceptable=_absent, enabled=True, benchmark=False, benchmark_limit=None, deterministic=False, allow_tf32=True,
    fp32_precision="none", conv=_Matmul(fp32_precision="none"), rnn=_Matmul(fp32_precision="none"))
mps = _module("mps", is_available=_absent, is_built=_absent, is_macos_or_newer=_absent, is_macos13_or_newer=_absent)
mkl = _module("mkl", is_available=_absent)
mkldnn = _module("mkldnn", is_available=_absent, enabled=False, deterministic=False, allow_tf32=False)
openmp = _module("openmp", is_available=_absent)
nnpack = _module("nnpack", is_available=_absent)
opt_einsum = _module("opt_einsum", is_available=_absent, enabled=False, strategy=None, get_opt_einsum=_answer(None))
cpu = _module("cpu", get_cpu_capability=_answer("SIMD128"))
quantized = _module("quantized", engine="none", supported_engines=["none"])
fp32_precision = "none"
