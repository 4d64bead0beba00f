"""Settings that change nothing here; each answers what was set last."""

from __future__ import annotations

import warnings
from typing import Any

from ._arguments import type_name

_PRECISIONS = ("highest", "high", "medium")
_now: dict[str, Any] = {"deterministic": False, "warn_only": False, "precision": "highest", "warn_always": False}


def use_deterministic_algorithms(mode: bool, *, warn_only: bool = False) -> None:
    """Nothing to switch: every algorithm here is deterministic."""
    if not isinstance(mode, bool):
        raise TypeError(f"_set_deterministic_algorithms(): argument 'mode' (position 1) must be bool, not {type_name(mode)}")
    _now.update(deterministic=mode, warn_only=bool(warn_only))


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
    """Nothing to switch: warnings follow Python's filters."""
    _now["warn_always"] = bool(b)


def is_warn_always_enabled() -> bool:
    return _now["warn_always"]


FUNCTIONS = (
    use_deterministic_algorithms, are_deterministic_algorithms_enabled, is_deterministic_algorithms_warn_only_enabled, set_deterministic_debug_mode,
    get_deterministic_debug_mode, set_float32_matmul_precision, get_float32_matmul_precision, set_warn_always, is_warn_always_enabled,
)
