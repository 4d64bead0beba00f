"""torch._jit_internal stub for code copied from torchvision: types, and decorators that return the function."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Dict, Final, List, Optional, Tuple, Union  # noqa: UP035

from ...jit import _Done as Future
from ...jit import export, ignore, is_scripting, unused

__all__ = ["Any", "Dict", "Final", "Future", "List", "Optional", "Tuple", "Union", "boolean_dispatch", "export", "ignore", "is_scripting", "unused"]


class _BroadcastingList:
    """`BroadcastingList2[int]`: an int or a list of two."""

    def __getitem__(self, element: Any) -> Any:
        return element | list[element]


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = BroadcastingList4 = _BroadcastingList()


def _copy_to_script_wrapper(fn: Callable[..., Any]) -> Callable[..., Any]:
    return fn


def _overload(func: Callable[..., Any]) -> Callable[..., Any]:
    return func


def _overload_method(func: Callable[..., Any]) -> Callable[..., Any]:
    return func


def boolean_dispatch(arg_name: str, arg_index: int, default: bool, if_true: Any, if_false: Any, module_name: Any, func_name: Any) -> Callable[..., Any]:
    """A function that is one of two by a Boolean among its arguments."""

    def chosen(*args: Any, **kwargs: Any) -> Any:
        flag = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if flag else if_false)(*args, **kwargs)

    chosen.__name__ = chosen.__qualname__ = func_name or chosen.__name__
    chosen.__doc__ = if_true.__doc__ or if_false.__doc__
    return chosen
