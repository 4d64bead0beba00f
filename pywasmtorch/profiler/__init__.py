"""torch.profiler: profile, schedule, record_function; wall-clock time by operator."""

from __future__ import annotations

import enum
import json
import os
import socket
import time
from collections.abc import Callable, Iterable
from typing import Any

from .._core.names import absent as _absent
from ._events import Recorder, Table, record_function

__all__ = [
    "ProfilerAction", "ProfilerActivity", "kineto_available", "profile", "record_function", "schedule", "supported_activities", "tensorboard_trace_handler",
]


class ProfilerActivity(enum.Enum):
    CPU = 0
    CUDA = 1
    XPU = 2
    MTIA = 3
    HPU = 4
    PrivateUse1 = 5


class ProfilerAction(enum.Enum):
    """What a step does: nothing, warm up, record, record and hand over."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def kineto_available() -> bool:
    return False


def supported_activities() -> set[ProfilerActivity]:
    return {ProfilerActivity.CPU}


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0, skip_first_wait: int = 0) -> Callable[[int], ProfilerAction]:
    """What each step does: `skip_first` steps of nothing, then cycles of `wait`, `warmup` and `active` steps, `repeat` times (0: for ever).
    `skip_first_wait`: the first cycle does not wait."""
    if min(wait, warmup, active, repeat, skip_first) < 0 or active == 0:
        raise AssertionError("Invalid profiler schedule arguments. Parameters wait, warmup, repeat, skip_first must be non-negative and active must be positive.")

    def of_step(step: int) -> ProfilerAction:
        if step < 0:
            raise AssertionError(f"Step must be non-negative. Got {step}.")
        if step < skip_first:
            return ProfilerAction.NONE
        step -= skip_first
        if skip_first_wait:
            step += wait
        cycle, place = divmod(step, wait + warmup + active)
        if repeat > 0 and cycle >= repeat:
            return ProfilerAction.NONE
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < wait + warmup + active - 1 else ProfilerAction.RECORD_AND_SAVE

    return of_step


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None, use_gzip: bool = False) -> Callable[[Any], None]:
    """For `on_trace_ready`: writes each trace into a folder, as `worker.time.pt.trace.json`."""

    def handle(profiler: Any) -> None:
        os.makedirs(dir_name, exist_ok=True)
        worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"
        stamp, ending = time.time_ns(), ".pt.trace.json" + (".gz" if use_gzip else "")
        while os.path.exists(path := os.path.join(dir_name, f"{worker}.{stamp}{ending}")):  # where the clock is coarse
            stamp += 1
        profiler.export_chrome_trace(path)

    return handle


class profile:
    """A context that records how long each operator and each `record_function` region takes.

    With a `schedule`, `step()` goes on to its next step; `on_trace_ready(profiler)` is called after each cycle's last one. `profile_memory`
    records by how many bytes each grows the core's memory. Shapes, stacks and flops are accepted and not recorded.
    """

    def __init__(
        self, *, activities: Iterable[Any] | None = None, schedule: Callable[[int], ProfilerAction] | None = None, on_trace_ready: Callable[..., Any] | None = None,
        record_shapes: bool = False, profile_memory: bool = False, with_stack: bool = False, with_flops: bool = False, with_modules: bool = False,
        experimental_config: Any = None, execution_trace_observer: Any = None, acc_events: bool = False, use_cuda: bool | None = None,
        custom_trace_id_callback: Any = None, post_processing_timeout_s: float | None = None,
    ) -> None:
        self.activities = set(activities) if activities is not None else supported_activities()
        self.schedule, self.on_trace_ready = schedule, on_trace_ready
        self.record_shapes, self.profile_memory, self.with_stack, self.with_flops, self.with_modules = record_shapes, profile_memory, with_stack, with_flops, with_modules
        self.step_num = 0
        self.current_action = self._action()
        self._recorder = Recorder(profile_memory)

    def _action(self) -> ProfilerAction:
        return ProfilerAction.RECORD if self.schedule is None else self.schedule(self.step_num)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *_: Any) -> None:
        self.stop()

    def start(self) -> None:
        if self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE):
            self._recorder.begin()

    def stop(self) -> None:
        recorded = self._recorder.active
        self._recorder.end()
        if recorded and self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def step(self) -> None:
        """The next step of the schedule."""
        before, self.step_num = self.current_action, self.step_num + 1
        self.current_action = self._action()
        records = self.current_action in (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
        if before is ProfilerAction.RECORD_AND_SAVE:
            self._recorder.end()
            if self.on_trace_ready is not None:
                self.on_trace_ready(self)
            self._recorder.clear()
        if records and not self._recorder.active:
            self._recorder.clear()
            self._recorder.begin()
        elif not records:
            self._recorder.end()

    def events(self) -> list[Any]:
        """Each call, in the order of their ends."""
        return list(self._recorder.events)

    def key_averages(self, group_by_input_shape: bool = False, group_by_stack_n: int = 0, group_by_overload_name: bool = False) -> Table:
        """The calls summed up by name."""
        return Table.of(self._recorder.events)

    def export_chrome_trace(self, path: str) -> None:
        """Writes the calls as chrome://tracing reads them; compressed where the path ends in .gz."""
        entries = [
            {"ph": "X", "cat": "user_annotation" if e.is_user_annotation else "cpu_op", "name": e.name, "pid": os.getpid(), "tid": 0, "ts": e.start * 1e6, "dur": e.total * 1e6}
            for e in self._recorder.events
        ]
        text = json.dumps({"schemaVersion": 1, "traceEvents": entries})
        if path.endswith(".gz"):
            import gzip

            with gzip.open(path, "wt") as file:
                file.write(text)
        else:
            with open(path, "w") as file:
                file.write(text)

    def add_metadata(self, key: str, value: str) -> None:
        """Accepted."""

    add_metadata_json = add_metadata

    def export_stacks(self, path: str, metric: str = "self_cpu_time_total") -> None:
        raise NotImplementedError("pywasmtorch has no profile.export_stacks; stacks are not recorded")

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        raise NotImplementedError("pywasmtorch has no profile.export_memory_timeline; memory is not recorded")


__getattr__ = _absent(__name__)
