"""torch.__config__: what this package is built of."""

from __future__ import annotations

from ..._core.host.settings import default_threads
from ..._core.version import __version__

__all__ = ["parallel_info", "show"]


def show() -> str:
    """What it is built with, as text. There is no MKL, no CUDA."""
    return "\n".join((
        "PyTorch built with:", f"  - pywasmtorch {__version__}, its core in C compiled to WebAssembly with SIMD of 128 bits",
        "  - Build settings: USE_CUDA=0, USE_MKL=OFF, USE_MKLDNN=OFF, USE_MPI=OFF, USE_NCCL=OFF, USE_OPENMP=OFF, \n"))


def parallel_info() -> str:
    """How many threads work on operators by default."""
    return f"pywasmtorch: at most {default_threads()} threads of its own, no OpenMP\n"
