"""torch.cuda on a machine without one: it answers what can be asked, and refuses what would need a device."""

from __future__ import annotations

from typing import Any, NoReturn


def is_available() -> bool:
    return False


def is_initialized() -> bool:
    return False


def device_count() -> int:
    return 0


def manual_seed(seed: int) -> None:
    """Seeds nothing: there is no device."""


manual_seed_all = manual_seed


def empty_cache() -> None:
    """Frees nothing: there is no device."""


def is_bf16_supported(including_emulation: bool = True) -> bool:
    return False


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("Torch not compiled with CUDA enabled")

    return refuse
