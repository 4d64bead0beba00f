"""Threads, memory, default dtype and device; deterministic mode and other settings without effect."""

from __future__ import annotations

import warnings
from typing import Any

from .._core import device as _device
from .._core import dtype as _dtype
from .._core import frame, warning
from .._core.arguments import is_int, type_name
from .._core.checks import tensors_checked
from .._core.device import CPU, device, is_meta_device
from .._core.generated import ops
from .._core.memory import max_memory_allocated, memory_allocated, reset_peak_memory_stats
from .._tensor.unwritten import state as unwritten
from .tensor_types import TENSOR_TYPES

_PRECISIONS = ("highest", "high", "medium")
_now: dict[str, Any] = {"deterministic": False, "warn_only": False, "precision": "highest"}


# ---- threads and memory ----
def set_num_threads(n: int) -> None:
    """At most `n` threads work on one operator; in a page, of those that `await start_threads()` started. RuntimeError for n < 1."""
    if isinstance(n, bool) or not isinstance(n, int):
        raise TypeError(f"set_num_threads expects an int, but got {type(n).__name__}")
    if n < 1:
        raise RuntimeError("set_num_threads expects a positive integer")
    frame.host.set_num_threads(n)


def get_num_threads() -> int:
    """How many threads may work on one operator, the caller among them."""
    pool = getattr(frame.host, "pool", None)
    return pool.wanted if pool is not None else int(frame.host.call_export("pwt_get_num_threads"))


# ---- defaults ----
def set_default_dtype(d: _dtype.dtype) -> None:
    """The dtype of Python floats. TypeError for anything but a floating dtype."""
    if not isinstance(d, _dtype.dtype) or not d.is_floating_point:
        raise TypeError(f"only floating-point types are supported as the default type, got {d}")
    ops._set_default_dtype(d)
    _dtype.keep_default_dtype(d)


def get_default_device() -> device:
    return _device.chosen.device or CPU


def set_default_device(device: Any) -> None:
    """The device of creation functions that are given none; None is the CPU again. RuntimeError or NotImplementedError for absent ones."""
    is_meta_device(device)
    _device.choose(None if device is None else _device.device(device))


def set_default_tensor_type(t: Any) -> None:
    """The dtype of Python floats, by a tensor type or its name. TypeError for types that are not floating."""
    warning.warn("torch.set_default_tensor_type() is deprecated as of PyTorch 2.1; use torch.set_default_dtype() and torch.set_default_device()")
    if isinstance(t, str):
        t = TENSOR_TYPES.get(t.rpartition(".")[2])
    if getattr(t, "is_cuda", False) is True:
        raise TypeError(f"type torch.cuda.{t.__name__} not available. Torch not compiled with CUDA enabled.")
    kind = getattr(t, "dtype", None)
    if not isinstance(kind, _dtype.dtype) or not kind.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    set_default_dtype(kind)


def get_num_interop_threads() -> int:
    return 1


def set_num_interop_threads(num: int) -> None:
    """Nothing to switch: operators run one after the other."""
    if not is_int(num) or num < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def set_flush_denormal(mode: bool) -> bool:
    """False: WebAssembly keeps denormal numbers."""
    return False


# ---- without effect ----
def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Every algorithm here is deterministic; what nobody has written (`torch.empty`) is the same in each run as well, once `mode` is True and
    `torch.utils.deterministic.fill_uninitialized_memory` is."""
    if not isinstance(mode, bool):
        raise TypeError(f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {type_name(mode)}")
    _now.update(deterministic=mode, warn_only=bool(warn_only))
    unwritten["deterministic"] = mode


def are_deterministic_algorithms_enabled() -> bool:
    """What `use_deterministic_algorithms` was given; programs give the same bits in either case."""
    return _now["deterministic"]


def is_deterministic_algorithms_warn_only_enabled() -> bool:
    return _now["warn_only"]


def set_deterministic_debug_mode(debug_mode: int | str) -> None:
    """0 or "default", 1 or "warn", 2 or "error". RuntimeError for others, TypeError for other types."""
    if not isinstance(debug_mode, (int, str)):
        raise TypeError(f"debug_mode must be str or int, but got {type(debug_mode)}")
    if isinstance(debug_mode, str):
        names = ("default", "warn", "error")
        if debug_mode not in names:
            raise RuntimeError(f"invalid value of debug_mode, expected one of `default`, `warn`, `error`, but got {debug_mode}")
        debug_mode = names.index(debug_mode)
    if debug_mode not in (0, 1, 2):
        raise RuntimeError(f"invalid value of debug_mode, expected 0, 1, or 2, but got {debug_mode}")
    use_deterministic_algorithms(debug_mode > 0, warn_only=debug_mode == 1)


def get_deterministic_debug_mode() -> int:
    return 0 if not _now["deterministic"] else 1 if _now["warn_only"] else 2


def set_float32_matmul_precision(precision: str) -> None:
    """Nothing to switch: float32 products are computed in float32. Warns of names that it does not know."""
    if precision not in _PRECISIONS:
        warnings.warn(f"{precision} is not one of 'highest', 'high', or 'medium'; the current setFloat32MatmulPrecision call has no effect.", stacklevel=2)
        return
    _now["precision"] = precision


def get_float32_matmul_precision() -> str:
    return _now["precision"]


def set_warn_always(b: bool) -> None:
    """Whether what is said once in a process is said each time."""
    warning.set_always(bool(b))


def is_warn_always_enabled() -> bool:
    return warning.is_always()


FUNCTIONS = [
    _dtype.get_default_dtype, set_default_dtype,
    *map(tensors_checked, (
        get_default_device, get_num_interop_threads, get_num_threads, max_memory_allocated, memory_allocated, reset_peak_memory_stats, set_default_device,
        set_default_tensor_type, set_flush_denormal, set_num_interop_threads, set_num_threads,
    )),
    use_deterministic_algorithms, are_deterministic_algorithms_enabled, is_deterministic_algorithms_warn_only_enabled, set_deterministic_debug_mode,
    get_deterministic_debug_mode, set_float32_matmul_precision, get_float32_matmul_precision, set_warn_always, is_warn_always_enabled,
]
