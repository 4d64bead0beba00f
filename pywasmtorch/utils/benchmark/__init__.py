"""Timer, Measurement, Compare and Fuzzer."""

from __future__ import annotations

import textwrap
import time
import timeit as _timeit
from collections.abc import Callable
from typing import Any

import pywasmtorch as torch

from ..._core.names import absent as _absent
from ._compare import Colorize, Compare
from ._fuzzer import FuzzedParameter, FuzzedTensor, Fuzzer, ParameterAlias
from ._measurement import Measurement, TaskSpec, select_unit

__all__ = [
    "Colorize", "Compare", "FuzzedParameter", "FuzzedTensor", "Fuzzer", "Measurement", "ParameterAlias", "TaskSpec", "Timer", "select_unit", "timer",
]

timer = time.perf_counter


def dedented(code: str) -> str:
    """Code as it may stand indented in a program."""
    return textwrap.dedent(code).removeprefix("\n").rstrip()


class Timer:
    """Times a statement of Python with `num_threads` threads. ValueError for another language."""

    def __init__(self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer, globals: dict[str, Any] | None = None,
                 label: str | None = None, sub_label: str | None = None, description: str | None = None, env: str | None = None, num_threads: int = 1,
                 language: Any = "python") -> None:
        if language not in ("python", "py", 0):
            raise ValueError(f"pywasmtorch times statements of Python, not of {language}")
        if global_setup:
            raise ValueError(f"global_setup is C++ only, got `{global_setup}`. Most likely this code can simply be moved to `setup`.")
        self._globals = dict(globals or {})
        self._globals.setdefault("torch", torch)
        stmt, setup = dedented(stmt), dedented(setup)
        self._timer = _timeit.Timer(stmt, setup, timer=timer, globals=self._globals)
        self._task_spec = TaskSpec(stmt=stmt, setup=setup, label=label, sub_label=sub_label, description=description, env=env, num_threads=num_threads)

    def _run(self, number: int) -> float:
        return max(self._timer.timeit(number), 1e-9)

    def _measured(self, number: int, times: list[float]) -> Measurement:
        return Measurement(number, times, self._task_spec)

    def timeit(self, number: int = 1_000_000) -> Measurement:
        """One measurement of `number` runs, after some to warm up."""
        self._run(max(number // 100, 2))
        return self._measured(number, [self._run(number)])

    def repeat(self, repeat: int = -1, number: int = -1) -> None:
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def _number(self, least: float) -> int:
        number = 1
        while self._run(number) < least and number < 10**9:
            number *= 2 if number < 8 else 10
        return number

    def autorange(self, callback: Callable[[int, float], Any] | None = None) -> Measurement:
        number = self._number(0.2)
        taken = self._run(number)
        if callback is not None:
            callback(number, taken)
        return self._measured(number, [taken])

    def blocked_autorange(self, callback: Callable[[int, float], Any] | None = None, min_run_time: float = 0.2) -> Measurement:
        """Measurements until they took `min_run_time` seconds together."""
        number = self._number(min_run_time / 1000)
        times: list[float] = []
        while sum(times) < min_run_time:
            times.append(self._run(number))
            if callback is not None:
                callback(number, times[-1])
        return self._measured(number, times)

    def adaptive_autorange(self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0, callback: Callable[[int, float], Any] | None = None) -> Measurement:
        """Measurements until their spread is below `threshold` of the median, or `max_run_time` seconds are over."""
        number = self._number(min_run_time / 100)
        times: list[float] = []
        while sum(times) < max_run_time:
            times.append(self._run(number))
            found = self._measured(number, times)
            if sum(times) >= min_run_time and len(times) > 2 and found.iqr / found.median < threshold:
                break
        return self._measured(number, times)

    def collect_callgrind(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("pywasmtorch has no Timer.collect_callgrind")


__getattr__ = _absent(__name__)
