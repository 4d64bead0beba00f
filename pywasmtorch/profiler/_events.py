"""Event, Recorder, record_function, and the table of averages."""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

from .._core import frame
from .._core.frame import find_frames
from .._core.generated.schemas import SCHEMAS

_OPERATOR = 0xFFFF  # the bits of a call's code that number the operator
_MEMORY = 1 << 16 | next(i for i, row in enumerate(SCHEMAS) if row[0].startswith("_memory("))
_recorders: list[Any] = []


@functools.cache
def _name(code: int) -> str | None:
    """PyTorch's name of the operator; None for what asks or sets something and computes nothing."""
    name, _, rest = SCHEMAS[code & _OPERATOR][0].partition("(")
    name = name.partition(".")[0]
    if name == "_backward":
        return "autograd::engine::backward"
    if name[0] == "_":
        if "Tensor" not in rest.rpartition("->")[2] or name.startswith(("_node", "_generator", "_grad", "_data", "_base", "_edge", "_function")):
            return None
        name = name if name.endswith("_step") else name[1:]
    return f"aten::{name}{'_' * (bool(code & frame.FORM_INPLACE) and not name.endswith('_'))}"


def _bytes_in_use(words: Any, invoke: Callable[[int], int]) -> int:
    """Asked between a call's arguments and the call, or its results and their reader."""
    kept, words[0] = words[0], 0
    invoke(_MEMORY)
    found, words[0] = words[0], kept
    return found


class Event:
    """One call: `name`, `start` in seconds, its time with (`total`) and without (`own`) the calls inside, and the bytes by which memory grew."""

    __slots__ = ("children", "cpu_memory_usage", "inner_memory", "is_user_annotation", "name", "own", "start", "total")

    def __init__(self, name: str, is_user_annotation: bool) -> None:
        self.name, self.is_user_annotation, self.children = name, is_user_annotation, 0.0
        self.cpu_memory_usage = self.inner_memory = 0
        self.start, self.total, self.own = time.perf_counter(), 0.0, 0.0

    key = property(lambda self: self.name)
    cpu_time_total = property(lambda self: self.total * 1e6)
    self_cpu_time_total = property(lambda self: self.own * 1e6)
    self_cpu_memory_usage = property(lambda self: self.cpu_memory_usage - self.inner_memory)


class Recorder:
    """Keeps events while it is active."""

    def __init__(self, memory: bool = False) -> None:
        self.memory = memory
        self.events: list[Event] = []
        self.stack: list[Event] = []
        self.active = False

    def begin(self) -> None:
        if self.active:
            return
        self.active = True
        _recorders.append(self)
        if len(_recorders) == 1:
            _watch()

    def end(self) -> None:
        if not self.active:
            return
        self.active = False
        _recorders.remove(self)
        while self.stack:
            self.close()
        if not _recorders:
            _unwatch()

    def clear(self) -> None:
        self.events, self.stack = [], []

    def open(self, name: str, is_user_annotation: bool = False) -> None:
        self.stack.append(Event(name, is_user_annotation))

    def close(self, memory: int = 0) -> None:
        event = self.stack.pop()
        event.cpu_memory_usage = memory or event.inner_memory
        event.total = time.perf_counter() - event.start
        event.own = event.total - event.children
        if self.stack:
            self.stack[-1].children += event.total
            self.stack[-1].inner_memory += event.cpu_memory_usage
        self.events.append(event)


def _timed(frame: Any) -> Any:
    """A frame whose calls are recorded."""
    words, doubles, invoke = frame

    def timed(code: int) -> int:
        name = _name(code)
        if name is None:
            return invoke(code)
        recorders = list(_recorders)
        measured = any(recorder.memory for recorder in recorders)
        before = after = _bytes_in_use(words, invoke) if measured else 0
        for recorder in recorders:
            recorder.open(name)
        try:
            result = invoke(code)
            if measured and result:
                after = _bytes_in_use(words, invoke)
            return result
        finally:
            for recorder in recorders:
                if recorder.stack:
                    recorder.close(after - before if recorder.memory else 0)

    return words, doubles, timed


def _watch() -> None:
    find_frames(around=_timed)


def _unwatch() -> None:
    find_frames(around=None)


class record_function:
    """A context or decorator: a region with a name in what a profiler records."""

    def __init__(self, name: str, args: str | None = None) -> None:
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        self._where = list(_recorders)
        for recorder in self._where:
            recorder.open(self.name, True)
        return self

    def __exit__(self, *_: Any) -> None:
        for recorder in self._where:
            if recorder.active and recorder.stack:
                recorder.close()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*arguments: Any, **names: Any) -> Any:
            with record_function(self.name, self.args):
                return function(*arguments, **names)

        return inside


def shown(microseconds: float) -> str:
    for limit, unit in ((1e6, "s"), (1e3, "ms")):
        if microseconds >= limit:
            return f"{microseconds / limit:.3f}{unit}"
    return f"{microseconds:.3f}us"


def shown_bytes(count: int) -> str:
    for size, unit in ((1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB")):
        if abs(count) >= size:
            return f"{count / size:.2f} {unit}"
    return f"{count} B"


class Average:
    """The calls of one name; times in microseconds, memory in bytes."""

    def __init__(self, key: str) -> None:
        self.key, self.count, self.cpu_time_total, self.self_cpu_time_total = key, 0, 0.0, 0.0
        self.device_time_total = self.self_device_time_total = self.device_time = 0.0
        self.cpu_memory_usage = self.self_cpu_memory_usage = self.device_memory_usage = self.self_device_memory_usage = 0
        self.input_shapes: list[Any] = []
        self.is_user_annotation = False

    @property
    def cpu_time(self) -> float:
        return self.cpu_time_total / self.count if self.count else 0.0

    cpu_time_str = property(lambda self: shown(self.cpu_time))
    cpu_time_total_str = property(lambda self: shown(self.cpu_time_total))
    self_cpu_time_total_str = property(lambda self: shown(self.self_cpu_time_total))
    name = property(lambda self: self.key)

    def __repr__(self) -> str:
        return f"<FunctionEventAvg key={self.key} self_cpu_time={self.self_cpu_time_total_str} cpu_time={self.cpu_time_str} count={self.count}>"


class Table(list):  # type: ignore[type-arg]
    """Averages by name; `table()` shows them."""

    @classmethod
    def of(cls, events: list[Event]) -> Table:
        by_name: dict[str, Average] = {}
        for event in events:
            average = by_name.setdefault(event.name, Average(event.name))
            average.count += 1
            average.is_user_annotation = event.is_user_annotation
            average.cpu_time_total += event.total * 1e6
            average.self_cpu_time_total += event.own * 1e6
            average.cpu_memory_usage += event.cpu_memory_usage
            average.self_cpu_memory_usage += event.self_cpu_memory_usage
        return cls(sorted(by_name.values(), key=lambda a: -a.self_cpu_time_total))

    @property
    def self_cpu_time_total(self) -> float:
        return sum(a.self_cpu_time_total for a in self)

    def total_average(self) -> Average:
        total = Average("Total")
        for average in self:
            total.count += average.count
            total.cpu_time_total += average.cpu_time_total
            total.self_cpu_time_total += average.self_cpu_time_total
            total.self_cpu_memory_usage += average.self_cpu_memory_usage
        total.cpu_memory_usage = total.self_cpu_memory_usage
        return total

    def table(self, sort_by: str | None = None, row_limit: int = 100, max_src_column_width: int = 75, max_name_column_width: int = 55,
              max_shapes_column_width: int = 80, header: str | None = None, top_level_events_only: bool = False, time_unit: str | None = None) -> str:
        """The averages as text, sorted by an attribute. AttributeError for one that they have not."""
        rows = sorted(self, key=lambda a: -getattr(a, sort_by.replace("cuda_", "device_"))) if sort_by else list(self)
        whole = self.self_cpu_time_total or 1.0
        with_memory = any(a.cpu_memory_usage for a in self)
        memory = ["CPU Mem", "Self CPU Mem"] * with_memory
        lines = [["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", *memory, "# of Calls"]]
        for a in rows[:row_limit] if row_limit >= 0 else rows:
            lines.append([
                a.key if len(a.key) <= max_name_column_width else a.key[: max_name_column_width - 3] + "...", f"{100 * a.self_cpu_time_total / whole:.2f}%",
                a.self_cpu_time_total_str, f"{100 * a.cpu_time_total / whole:.2f}%", a.cpu_time_total_str, a.cpu_time_str,
                *[shown_bytes(a.cpu_memory_usage), shown_bytes(a.self_cpu_memory_usage)] * with_memory, str(a.count),
            ])
        widths = [max(len(line[i]) for line in lines) + 2 for i in range(len(lines[0]))]
        rule = "  ".join("-" * width for width in widths)
        body = ["  ".join(cell.rjust(width) for cell, width in zip(line, widths)) for line in lines]
        top = [header] if header else []
        return "\n".join([*top, rule, body[0], rule, *body[1:], rule, f"Self CPU time total: {shown(self.self_cpu_time_total)}", ""])

    def __str__(self) -> str:
        return self.table()
