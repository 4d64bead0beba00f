"""torch.multiprocessing: spawn and start_processes; tensors are copied between processes."""

from __future__ import annotations

import multiprocessing as _standard
import sys
import traceback
from collections.abc import Callable
from multiprocessing import *  # noqa: F403
from typing import Any

from .._core.names import absent as _absent

__all__ = [*_standard.__all__, "get_all_sharing_strategies", "get_sharing_strategy", "set_sharing_strategy", "spawn", "start_processes"]

_STRATEGIES = ("file_system", "file_descriptor")
_strategy = "file_descriptor"


class ProcessException(Exception):
    """A process of `spawn` failed: `error_index` is its number, `pid` its process's."""

    def __init__(self, msg: str, error_index: int, pid: int | None) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, pid


class ProcessRaisedException(ProcessException):
    """Its function raised an exception, whose traceback is in the message."""


class ProcessExitedException(ProcessException):
    """It ended with an exit code."""

    def __init__(self, msg: str, error_index: int, error_pid: int | None, exit_code: int, signal_name: str | None = None) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name


def _call(fn: Callable[..., Any], index: int, args: tuple[Any, ...], failures: Any) -> None:
    try:
        fn(index, *args)
    except Exception:
        failures.send(traceback.format_exc())
        sys.exit(1)


def get_all_sharing_strategies() -> set[str]:
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Remembered; tensors are copied under every strategy."""
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise AssertionError(f"invalid sharing strategy {new_strategy!r}, expected one of {_STRATEGIES}")
    _strategy = new_strategy


class ProcessContext:
    """The processes that `spawn(join=False)` started."""

    def __init__(self, processes: list[Any], failures: list[Any]) -> None:
        self.processes, self._failures = processes, failures

    def pids(self) -> list[int | None]:
        return [p.pid for p in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Waits for all; True when all have ended. ProcessException for one that failed, after the others are stopped."""
        from multiprocessing.connection import wait

        waiting = {p.sentinel: p for p in self.processes if p.is_alive()}
        for sentinel in wait(list(waiting), timeout) if waiting else ():
            waiting[sentinel].join()
        for index, process in enumerate(self.processes):
            if process.exitcode:
                for other in self.processes:
                    if other.is_alive():
                        other.terminate()
                    other.join()
                if self._failures[index].poll():
                    text = f"\n\n-- Process {index} terminated with the following error:\n{self._failures[index].recv()}"
                    raise ProcessRaisedException(text, index, process.pid)
                text = f"process {index} terminated with exit code {process.exitcode}"
                raise ProcessExitedException(text, index, process.pid, process.exitcode)
        return not any(p.is_alive() for p in self.processes)


def start_processes(
    fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn",
) -> ProcessContext | None:
    """Calls `fn(i, *args)` in `nprocs` processes; their context where `join` is False."""
    context = _standard.get_context(start_method)
    pipes = [context.Pipe(duplex=False) for _ in range(nprocs)]
    processes = [context.Process(target=_call, args=(fn, i, args, pipes[i][1]), daemon=daemon) for i in range(nprocs)]  # type: ignore[attr-defined]
    for process in processes:
        process.start()
    started = ProcessContext(processes, [receiver for receiver, _ in pipes])
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(fn: Callable[..., Any], args: tuple[Any, ...] = (), nprocs: int = 1, join: bool = True, daemon: bool = False, start_method: str = "spawn") -> ProcessContext | None:
    """`start_processes` by spawning."""
    return start_processes(fn, args, nprocs, join, daemon, "spawn")

__getattr__ = _absent(__name__)
