"""torch.mps on a machine without Metal."""

from ._core.device_stubs import refusing


def is_available() -> bool:
    return False


def device_count() -> int:
    return 0


def manual_seed(seed: int) -> None:
    """Seeds nothing: there is no device."""


def seed() -> None:
    """Seeds nothing: there is no device."""


globals().update(refusing(
    "synchronize empty_cache set_per_process_memory_fraction current_allocated_memory driver_allocated_memory recommended_max_memory get_rng_state set_rng_state "
    "compile_shader".split(), RuntimeError, "Cannot execute this without MPS backend."))
