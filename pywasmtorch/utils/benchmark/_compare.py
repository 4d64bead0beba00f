"""Compare: measurements side by side, as text."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable, Sequence
from typing import Any

from ._measurement import Measurement, select_unit

UNITS = {"ns": "nanosecond", "us": "microsecond", "ms": "millisecond", "s": "second"}
BEST, GOOD, BAD, VERY_BAD, BOLD, END = "\033[92m", "\033[34m", "\033[2m\033[91m", "\033[31m", "\033[1m", "\033[0m\033[0m"


class Colorize(enum.Enum):
    NONE = "none"
    COLUMNWISE = "columnwise"
    ROWWISE = "rowwise"


def trim_sigfig(x: float, n: int) -> float:
    """`x` with `n` significant figures."""
    if not x:
        return x
    scale = 10 ** (math.ceil(math.log10(x)) - n)
    return float(round(x / scale) * scale)


def colored(text: str, time: float, best: float) -> str:
    if time <= max(best * 1.01, best + 100e-9):
        return BEST + BOLD + text + END
    if time <= best * 1.1:
        return GOOD + BOLD + text + END
    if time >= best * 5:
        return VERY_BAD + BOLD + text + END
    return BAD + text + END if time >= best * 2 else text


class Compare:
    """A table of measurements for each label: a row for each `sub_label` (or statement) and `env`, in groups by the number of threads, and a
    column for each `description`."""

    def __init__(self, results: Sequence[Measurement]) -> None:
        self._results: list[Measurement] = []
        self._trim, self._warn, self._color = False, False, Colorize.NONE
        self.extend_results(results)

    def extend_results(self, results: Sequence[Measurement]) -> None:
        """More measurements. ValueError for anything else."""
        for result in results:
            if not isinstance(result, Measurement):
                raise ValueError(f"Expected an instance of `Measurement`, got {type(result)} instead.")
        self._results.extend(results)

    def trim_significant_figures(self) -> None:
        self._trim = True

    def colorize(self, rowwise: bool = False) -> None:
        """Shows which times are the best of their column, or row, and which are far from it."""
        self._color = Colorize.ROWWISE if rowwise else Colorize.COLUMNWISE

    def highlight_warnings(self) -> None:
        """Shows the spread of times where it is large."""
        self._warn = True

    def print(self) -> None:
        print(str(self))

    def __str__(self) -> str:
        by_label: dict[Any, list[Measurement]] = {}
        for result in Measurement.merge(self._results):
            by_label.setdefault(result.label, []).append(result)
        return "\n".join(self._table(label, results) for label, results in by_label.items())

    def _column(self, cells: Iterable[Measurement | None], size: float, warn: bool) -> list[str]:
        cells = list(cells)
        have = [m for m in cells if m is not None]
        whole = [math.ceil(math.log10(m.median / size)) for m in have]
        places = min(max(m.significant_figures - w, 0) for m, w in zip(have, whole)) if self._trim else 1
        width = max(whole) + places + (places > 0)

        def text(m: Measurement | None) -> str:
            if m is None:
                return " " * len(f"{1:>{width}.{places}f}" + " " * 7 * warn)
            shown = trim_sigfig(m.median / size, m.significant_figures) if self._trim else m.median / size
            spread = f" (! {m.iqr / m.median * 100:.0f}%)" if warn and m.has_warnings else ""
            return f"{shown:>{width}.{places}f}{spread:>{7 * warn}}"

        return [text(m) for m in cells]

    def _table(self, label: str | None, results: list[Measurement]) -> str:
        unit, size = select_unit(min(m.median for m in results))
        cells = {((m.num_threads, m.env, m.as_row_name), m.description): m for m in results}
        keys = sorted(dict.fromkeys(key for key, _ in cells), key=lambda key: (key[0], key[1] or ""))
        names = list(dict.fromkeys(m.description for m in results))
        found = [[cells.get((key, name)) for name in names] for key in keys]
        warn = self._warn and any(m.has_warnings for m in results)
        environments = {m.env for m in results}
        room = max(len(env or "") for env in environments) + 4 if len(environments) > 1 else 4
        titles, before = [""], None
        for threads, env, name in keys:
            shown = f"({env})" if len(environments) > 1 and (threads, env) != before else ""
            titles.append(f"  {shown.ljust(room)}{name}")
            before = (threads, env)
        columns = [titles, *([name or "", *self._column(column, size, warn)] for name, column in zip(names, zip(*found)))]
        widths = [max(map(len, column)) for column in columns]
        lines = ["  |  ".join(column[0].center(width) for column, width in zip(columns, widths))]
        overall, threads_before = len(lines[0]), None
        for i, key in enumerate(keys):
            if key[0] != threads_before:
                lines.append(f"{key[0]} threads: ".ljust(overall, "-"))
                threads_before = key[0]
            group = [row for other, row in zip(keys, found) if other[0] == key[0]]
            parts = [columns[0][i + 1].ljust(widths[0])]
            for j, m in enumerate(found[i]):
                part = columns[j + 1][i + 1].center(widths[j + 1])
                rivals = found[i] if self._color is Colorize.ROWWISE else [row[j] for row in group]
                if m is not None and self._color is not Colorize.NONE:
                    part = colored(part, m.median, min(r.median for r in rivals if r is not None))
                parts.append(part)
            lines.append("  |  ".join(parts))
        top = f"[{f' {label or str()} '.center(overall - 2, '-')}]"
        notes = "(! XX%) Measurement has high variance, where XX is the IQR / median * 100.\n" if warn else ""
        return "\n".join([top, *lines, "", f"Times are in {UNITS[unit]}s ({unit}).", notes])
