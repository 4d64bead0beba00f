"""detect_anomaly and set_detect_anomaly: tracebacks of forward calls, errors for NaN gradients."""

from __future__ import annotations

import traceback
import warnings
from typing import Any

from .._core.generated import ops
from .._core.warning import HERE

__all__ = ["detect_anomaly", "is_anomaly_check_nan_enabled", "is_anomaly_enabled", "set_detect_anomaly"]

_enabled, _check_nan = False, True


def is_anomaly_enabled() -> bool:
    """Whether anomaly mode is on."""
    return _enabled


def is_anomaly_check_nan_enabled() -> bool:
    """Whether anomaly mode, where it is on, refuses NaN gradients."""
    return _check_nan


def _set(enabled: bool, check_nan: bool) -> None:
    global _enabled, _check_nan
    ops._set_anomaly_mode(enabled, check_nan)
    _enabled, _check_nan = enabled, check_nan


def current_trace() -> dict[str, Any]:
    """The metadata of a node that is being recorded: the calls that led to it, without those of this package."""
    frames = [f for f in traceback.walk_stack(None) if not f[0].f_code.co_filename.startswith(HERE)]
    lines = traceback.StackSummary.extract(reversed(frames), lookup_lines=False).format()
    return {"traceback_": lines}


def report(address: int, metadata: dict[str, Any]) -> None:
    """Warns with the calls that led to a node whose backward failed."""
    name = bytes(ops._node_name(address).tolist()).decode()
    if "traceback_" not in metadata:
        warnings.warn(f"Error detected in {name}. No forward pass information available. Enable detect anomaly during "
                      "forward pass for more information.", stacklevel=4)
        return
    trace = "".join(metadata["traceback_"])
    warnings.warn(f"Error detected in {name}. Traceback of forward call that caused the error:\n{trace}", stacklevel=4)


class set_detect_anomaly:
    """Turns anomaly mode on or off: at once, or as a context manager for a block.

    Args:
        mode (bool): True turns it on.
        check_nan (bool): whether a NaN in a gradient is an error (RuntimeError).
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self._before = _enabled, _check_nan
        _set(mode, check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: Any) -> None:
        _set(*self._before)


class detect_anomaly:
    """A context manager that turns anomaly mode on, with a warning that it is slow.

    Args:
        check_nan (bool): whether a NaN in a gradient is an error (RuntimeError).
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.check_nan = check_nan
        self._before = _enabled, _check_nan
        warnings.warn("Anomaly Detection has been enabled. This mode will increase the runtime and should only be enabled "
                      "for debugging.", stacklevel=2)

    def __enter__(self) -> None:
        self._before = _enabled, _check_nan
        _set(True, self.check_nan)

    def __exit__(self, *exception: Any) -> None:
        _set(*self._before)
