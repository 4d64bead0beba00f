"""torch.accelerator where there is none."""

from typing import Any

from ._core.device_stubs import Guard, refusing


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def current_accelerator(check_available: bool = False) -> Any:
    """None: there is no accelerator."""
    return None


device_index = Guard
globals().update(refusing(
    "current_device_index current_device_idx current_stream empty_cache get_device_capability max_memory_allocated max_memory_reserved memory_allocated memory_reserved "
    "memory_stats reset_accumulated_memory_stats reset_peak_memory_stats set_device_index set_device_idx set_stream synchronize".split(),
    RuntimeError, "Cannot access accelerator device when none is available."))
