"""Measurement: what a Timer found."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable
from typing import Any

_UNITS = (("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9))


def select_unit(t: float) -> tuple[str, float]:
    """The unit that shows a time in seconds with one to three digits before the point, and its size."""
    return next(((name, size) for name, size in _UNITS if t >= size), _UNITS[-1])


@dataclasses.dataclass(frozen=True)
class TaskSpec:
    """What was measured, and what the program called it."""

    stmt: str
    setup: str
    global_setup: str = ""
    label: str | None = None
    sub_label: str | None = None
    description: str | None = None
    env: str | None = None
    num_threads: int = 1

    @property
    def title(self) -> str:
        title = self.label or self.stmt
        return f"{title}: {self.sub_label}" if self.sub_label else title


class Measurement:
    """What a `Timer` measured: `raw_times` of `number_per_run` runs each; `times` of one run."""

    def __init__(self, number_per_run: int, raw_times: list[float], task_spec: Any, metadata: Any = None) -> None:
        self.number_per_run, self.raw_times, self.task_spec, self.metadata = number_per_run, raw_times, task_spec, metadata

    @property
    def times(self) -> list[float]:
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self) -> float:
        return statistics.fmean(self.times)

    @property
    def median(self) -> float:
        return statistics.median(self.times)

    @property
    def iqr(self) -> float:
        """The distance between the quartiles."""
        times = sorted(self.times)
        if len(times) < 2:
            return 0.0
        low, _, high = statistics.quantiles(times, n=4, method="inclusive")
        return high - low

    @property
    def significant_figures(self) -> int:
        """How many figures of the median the spread of the middle half leaves, 1 to 4."""
        times = sorted(self.times)
        middle = times[len(times) // 4 : math.ceil(3 * len(times) / 4)]
        doubt = max(1.645 * statistics.pstdev(middle) / math.sqrt(len(middle)), 25e-9)
        return min(max(math.floor(math.log10(self.median / doubt)), 1), 4)

    @property
    def has_warnings(self) -> bool:
        """Whether the times differ by more than a tenth, too much to compare them closely."""
        return len(self.raw_times) > 1 and self.iqr / self.median > 0.1

    @property
    def as_row_name(self) -> str:
        return self.sub_label or self.stmt or "[Unknown]"

    @staticmethod
    def merge(measurements: Iterable[Measurement]) -> list[Measurement]:
        """One measurement for all of the same task, with the least runs that one of them made."""
        groups: dict[TaskSpec, list[Measurement]] = {}
        for m in measurements:
            groups.setdefault(m.task_spec, []).append(m)
        merged = []
        for task, group in groups.items():
            runs = min(m.number_per_run for m in group)
            merged.append(group[0] if len(group) == 1 else Measurement(runs, [t * runs for m in group for t in m.times], task))
        return merged

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name == "task_spec":
            raise AttributeError(name)
        return getattr(self.task_spec, name)

    def __repr__(self) -> str:
        unit, size = select_unit(self.median)
        runs, several = len(self.raw_times), len(self.raw_times) > 1
        lines = [object.__repr__(self), self.title]
        if self.setup not in ("", "pass"):
            lines.append(f"setup: {self.setup}")
        if several:
            lines += [f"  Median: {self.median / size:.2f} {unit}", f"  IQR:    {self.iqr / size:.2f} {unit}"]
        else:
            lines.append(f"  {self.median / size:.2f} {unit}")
        threads = f"{self.num_threads} thread{'s' if self.num_threads > 1 else ''}"
        lines.append(f"  {runs} measurement{'s' if several else ''}, {self.number_per_run} run{'s' if self.number_per_run > 1 else ''} per measurement, {threads}")
        return "\n".join(lines)
