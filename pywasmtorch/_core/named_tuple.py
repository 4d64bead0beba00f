"""Named tuple types for operators with several results."""

from __future__ import annotations

from typing import Any


class _ReturnType(tuple):
    __slots__ = ()
    _fields: tuple[str, ...] = ()

    def __repr__(self) -> str:
        inside = ",\n".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"torch.return_types.{type(self).__name__}(\n{inside})"

    def __reduce__(self) -> Any:
        return type(self), (tuple(self),)


def return_type(name: str, fields: tuple[str, ...]) -> type:
    members = {f: property(lambda self, i=i: self[i]) for i, f in enumerate(fields)}
    return type(name, (_ReturnType,), {"__slots__": (), "_fields": fields, "__module__": "torch.return_types", **members})
