"""torch.cuda stub: is_available() is False, device_count() is 0; functions of a device raise."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from typing import Any, NoReturn

from .._core.device_stubs import Guard, dummy, type_of_device
from .._core.device_stubs import OutOfMemoryError as OutOfMemoryError

device = device_of = StreamContext = Guard


def _quiet(name: str, value: Any = None) -> Any:
    """A function that takes anything and answers as a build without CUDA does."""

    def answer(*_: Any, **__: Any) -> Any:
        return value() if callable(value) else value

    answer.__name__ = answer.__qualname__ = name
    answer.__doc__ = "There is no CUDA device."
    return answer


is_available, is_initialized, is_bf16_supported = (_quiet(n, False) for n in ("is_available", "is_initialized", "is_bf16_supported"))
is_tf32_supported = _quiet("is_tf32_supported", False)
device_count = _quiet("device_count", 0)
manual_seed, manual_seed_all, seed, seed_all = (_quiet(n) for n in ("manual_seed", "manual_seed_all", "seed", "seed_all"))
empty_cache, set_stream, set_rng_state, set_rng_state_all = (_quiet(n) for n in ("empty_cache", "set_stream", "set_rng_state", "set_rng_state_all"))
get_rng_state_all, get_arch_list, get_gencode_flags = _quiet("get_rng_state_all", list), _quiet("get_arch_list", list), _quiet("get_gencode_flags", "")
memory_allocated, max_memory_allocated, memory_reserved, max_memory_reserved = (
    _quiet(n, 0) for n in ("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"))
memory_stats = _quiet("memory_stats", OrderedDict)
has_half, has_magma = True, False


def memory_cached(device: Any = None) -> int:
    warnings.warn("`torch.cuda.memory_cached` has been renamed to `torch.cuda.memory_reserved`", FutureWarning, stacklevel=2)
    return 0


def max_memory_cached(device: Any = None) -> int:
    warnings.warn("`torch.cuda.max_memory_cached` has been renamed to `torch.cuda.max_memory_reserved`", FutureWarning, stacklevel=2)
    return 0


def stream(stream: Any) -> Guard:
    """A context that changes nothing."""
    return Guard(stream)


Event, CUDAGraph = dummy("Event", "Tried to instantiate dummy base class Event"), dummy("CUDAGraph", "Tried to instantiate dummy base class CUDAGraph")
Stream = ExternalStream = dummy("Stream", "torch.cuda.Stream requires CUDA support")


def _types() -> dict[str, type]:
    names = "Float Double Half BFloat16 Long Int Short Char Byte Bool".split()
    return {f"{n}Tensor": type_of_device("cuda", f"{n}Tensor") for n in names}


globals().update(_types())


def __getattr__(name: str) -> Any:
    if name in ("amp", "nvtx", "random", "memory", "streams", "comm", "nccl"):
        import importlib

        try:
            return importlib.import_module(f"{__name__}.{name}")
        except ModuleNotFoundError:
            raise AttributeError(f"pywasmtorch has no torch.cuda.{name}; see docs/differences.md") from None
    if name.startswith("__"):
        raise AttributeError(name)
    if name not in _NEED_A_DEVICE:
        raise AttributeError(f"pywasmtorch has no torch.cuda.{name}; see docs/differences.md")

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("Torch not compiled with CUDA enabled")

    refuse.__name__ = refuse.__qualname__ = name
    return refuse


_NEED_A_DEVICE = set(
    "can_device_access_peer cudart current_blas_handle current_device current_stream default_stream get_device_capability get_device_name get_device_properties "
    "get_rng_state get_sync_debug_mode graph graph_pool_handle init initial_seed ipc_collect is_current_stream_capturing list_gpu_processes make_graphed_callables "
    "mem_get_info memory_snapshot memory_summary memory_usage power_draw clock_rate temperature utilization reset_accumulated_memory_stats reset_max_memory_allocated "
    "reset_max_memory_cached reset_peak_memory_stats set_device set_per_process_memory_fraction set_sync_debug_mode synchronize".split()
)
