"""torch.cpu: is_available() is True, device_count() is 1, Stream and Event complete at once."""

from __future__ import annotations

from typing import Any

from .._core.device_stubs import Guard


class Stream:
    """Work on the CPU is done when a call returns."""

    def __init__(self, priority: int = -1) -> None:
        pass

    def wait_stream(self, stream: Any) -> None:
        return None

    def record_event(self) -> None:
        return None

    def wait_event(self, event: Any) -> None:
        return None


class Event:
    """A moment that is past already."""

    def query(self) -> bool:
        return True

    def record(self, stream: Any = None) -> None:
        return None

    def synchronize(self) -> None:
        return None

    def wait(self, stream: Any = None) -> None:
        return None


StreamContext = Guard
_default = Stream()


def is_available() -> bool:
    return True


def is_initialized() -> bool:
    return True


def device_count() -> int:
    return 1


def current_device() -> str:
    return "cpu"


def set_device(device: Any) -> None:
    return None


def synchronize(device: Any = None) -> None:
    return None


def current_stream(device: Any = None) -> Stream:
    return _default


def stream(stream: Any) -> Guard:
    return Guard(stream)


def __getattr__(name: str) -> Any:
    if name == "amp":
        import importlib

        return importlib.import_module(f"{__name__}.amp")
    raise AttributeError(f"pywasmtorch has no torch.cpu.{name}; see docs/differences.md")
