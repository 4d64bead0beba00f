"""Lists and dicts that cannot be changed: the arguments of nodes."""

from __future__ import annotations

from typing import Any, NoReturn

from ..utils import _pytree

__all__ = ["immutable_dict", "immutable_list"]


def _refusing(name: str, kind: type, instead: str) -> Any:
    def refuse(self: Any, *_: Any, **__: Any) -> NoReturn:
        raise TypeError(f"{kind.__name__!r} object does not support mutation. {instead}")

    refuse.__name__ = name
    return refuse


_HINT = "Assign a new value to the node's args or kwargs, so that its users are kept up to date"


class immutable_list(list):
    """A list whose mutating methods raise TypeError."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(self))

    def __reduce__(self) -> Any:
        return immutable_list, (tuple(self),)


class immutable_dict(dict):
    """A dict whose mutating methods raise TypeError."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(frozenset(self.items()))

    def __reduce__(self) -> Any:
        return immutable_dict, (dict(self),)


for _kind, _methods in (
    (immutable_list, "__delitem__ __iadd__ __imul__ __setitem__ append clear extend insert pop remove reverse sort"),
    (immutable_dict, "__delitem__ __ior__ __setitem__ clear pop popitem setdefault update"),
):
    for _name in _methods.split():
        setattr(_kind, _name, _refusing(_name, _kind, _HINT))

_pytree.register_pytree_node(immutable_list, lambda x: (list(x), None), lambda c, _: immutable_list(c))
_pytree.register_pytree_node(immutable_dict, lambda x: (list(x.values()), list(x)), lambda c, keys: immutable_dict(zip(keys, c)))
