"""torch.xpu on a machine without one."""

from typing import Any

from ._core.device_stubs import Guard, refusing


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def device_count() -> int:
    return 0


def manual_seed(seed: int) -> None:
    """Seeds nothing: there is no device."""


manual_seed_all = manual_seed
device = Guard


def empty_cache() -> None:
    """Frees nothing: there is no device."""


def memory_allocated(device: Any = None) -> int:
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated
globals().update(refusing(
    "current_device current_stream get_device_capability get_device_name get_device_properties get_rng_state init initial_seed mem_get_info set_device synchronize "
    "Stream Event".split(), AssertionError, "Torch not compiled with XPU enabled"))
