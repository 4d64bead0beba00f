"""What torch's modules for devices have in common where there is no device."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn


class OutOfMemoryError(RuntimeError):
    """A device's memory is exhausted. Programs catch it; the core's own memory raises MemoryError."""


class Guard:
    """A context that changes nothing: the device that it names is not there."""

    def __init__(self, device: Any = None) -> None:
        self.idx = -1

    def __enter__(self) -> Guard:
        return self

    def __exit__(self, *_: Any) -> bool:
        return False


def dummy(name: str, message: str) -> type:
    """A class that programs name and cannot make: RuntimeError."""

    def __new__(cls: type, *_: Any, **__: Any) -> NoReturn:
        raise RuntimeError(message)

    return type(name, (), {"__new__": __new__, "__doc__": "Needs a device."})


def type_of_device(module: str, name: str) -> type:
    """`torch.cuda.FloatTensor` and its like: no tensor is one, and none can be made."""

    class _Nothing(type):
        def __instancecheck__(cls, instance: Any) -> bool:
            return False

        def __call__(cls, *_: Any, **__: Any) -> NoReturn:
            raise TypeError(f"type torch.{module}.{name} not available. Torch not compiled with {module.upper()} enabled.")

    made = _Nothing(name, (), {"__module__": f"torch.{module}", "is_cuda": module == "cuda"})
    return made


def refusing(names: Iterable[str], error: type[Exception], message: str) -> dict[str, Any]:
    """Functions that raise, by name."""

    def one(name: str) -> Any:
        def refuse(*_: Any, **__: Any) -> NoReturn:
            raise error(message)

        refuse.__name__ = refuse.__qualname__ = name
        return refuse

    return {name: one(name) for name in names}
