"""normalize_function, normalize_module: arguments as a signature names them."""

from __future__ import annotations

import builtins
import inspect
import operator
from collections.abc import Callable
from typing import Any, NamedTuple

import pywasmtorch as torch

from .._core import overriding as _overriding

__all__ = ["ArgsKwargsPair", "get_signature_for_torch_op", "normalize_function", "normalize_module"]


class ArgsKwargsPair(NamedTuple):
    """Arguments by position, and by name."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]


def _signature(target: Callable[..., Any]) -> inspect.Signature | None:
    original = _overriding.originals.get(target, target)  # type: ignore[call-overload]
    try:
        signature = inspect.signature(original)
    except (TypeError, ValueError):
        return None
    parameters = list(signature.parameters.values())
    if parameters and parameters[-1].kind is inspect.Parameter.VAR_KEYWORD and parameters[-1].name == "names":
        signature = signature.replace(parameters=parameters[:-1])
    return None if any(p.kind is p.VAR_POSITIONAL for p in signature.parameters.values()) else signature


def get_signature_for_torch_op(op: Callable[..., Any], return_schemas: bool = False) -> Any:
    """The signatures of a function of torch; None for what has none."""
    if return_schemas:
        raise NotImplementedError("get_signature_for_torch_op(return_schemas=True) is not in pywasmtorch; see docs/differences.md")
    signature = _signature(op)
    return None if signature is None else [signature]


def normalize_function(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, arg_types: Any = None, kwarg_types: Any = None,
                       normalize_to_only_use_kwargs: bool = False) -> ArgsKwargsPair | None:
    """The arguments of a call with all defaults filled in; None where the function's signature is not known."""
    kwargs = {} if kwargs is None else kwargs
    if target in vars(operator).values() or target in vars(builtins).values():
        return None
    signature = _signature(target)
    return None if signature is None else _bound(signature, args, kwargs, normalize_to_only_use_kwargs)


def normalize_module(root: Any, target: str, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, normalize_to_only_use_kwargs: bool = False) -> ArgsKwargsPair | None:
    """The arguments of a module's call with all defaults filled in; None for modules that are not torch.nn's."""
    try:
        module = root.get_submodule(target)
    except AttributeError as error:
        raise RuntimeError(f"Tried to normalize node with target {target} but root did not have that target!") from error
    if getattr(torch.nn, type(module).__name__, None) is not type(module):
        return None
    return _bound(inspect.signature(module.forward), args, {} if kwargs is None else kwargs, normalize_to_only_use_kwargs)


def _bound(signature: inspect.Signature, args: Any, kwargs: Any, by_name: bool) -> ArgsKwargsPair | None:
    try:
        bound = signature.bind(*args, **kwargs)
    except TypeError:
        return None
    bound.apply_defaults()
    names, given = {}, []
    for i, (name, value) in enumerate(bound.arguments.items()):
        if not by_name and i < len(args):
            given.append(value)
        else:
            names[name] = value
    return ArgsKwargsPair(tuple(given), names)
