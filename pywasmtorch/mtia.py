"""torch.mtia on a machine without one."""

from typing import Any

from ._core.device_stubs import Guard, refusing


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def device_count() -> int:
    return 0


device = Guard


def memory_allocated(device: Any = None) -> int:
    return 0


globals().update(refusing("current_device current_stream get_device_capability init set_device synchronize Stream Event".split(), AssertionError, "Torch not compiled with MTIA enabled"))
