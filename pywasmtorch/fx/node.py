"""Node: one operation of a graph."""

from __future__ import annotations

import builtins
import functools
import types
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pywasmtorch as torch

from .. import overrides
from .._core.names import torch_name_of
from .immutable_collections import immutable_dict, immutable_list

if TYPE_CHECKING:
    from .graph import Graph

__all__ = ["Node", "Argument", "Target", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Any
Target = Callable[..., Any] | str
base_types = (str, int, float, bool, complex, torch.dtype, torch.device, torch.memory_format, torch.layout, torch.Tensor)
_OURS = __name__.partition(".")[0]
_OPS = ("placeholder", "call_method", "call_module", "call_function", "get_attr", "output", "root")
#: functions that PyTorch keeps in private modules, by whose names it prints them
_IN_PRIVATE_MODULE = set("avg_pool2d avg_pool3d elu_ gelu hardtanh_ leaky_relu_ linear log_sigmoid one_hot scaled_dot_product_attention softplus softshrink".split())

_side_effectful_functions: set[Any] = {torch._assert}


def has_side_effect(fn: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: calls of this function stay in a graph though nobody uses their result."""
    _side_effectful_functions.add(fn)
    return fn


@functools.lru_cache(None)
def _random_functions() -> frozenset[Any]:
    names = "bernoulli multinomial normal poisson rand rand_like randint randint_like randn randn_like randperm".split()
    return frozenset(getattr(torch, name) for name in names)


def map_aggregate(a: Argument, fn: Callable[[Argument], Argument]) -> Argument:
    """`a` with `fn` applied to everything inside of tuples, lists, dicts and slices; lists and dicts become immutable ones."""
    if isinstance(a, tuple):
        items = [map_aggregate(item, fn) for item in a]
        return type(a)(*items) if hasattr(a, "_fields") and hasattr(a, "_make") else tuple(items)
    if isinstance(a, list):
        return immutable_list([map_aggregate(item, fn) for item in a])
    if isinstance(a, dict):
        return immutable_dict({key: map_aggregate(value, fn) for key, value in a.items()})
    if isinstance(a, slice):
        return slice(map_aggregate(a.start, fn), map_aggregate(a.stop, fn), map_aggregate(a.step, fn))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Argument]) -> Argument:
    """`a` with `fn` applied to each node inside of it."""
    if not callable(fn):
        raise AssertionError("torch.fx.map_arg(a, fn): fn must be a callable")
    return map_aggregate(a, lambda x: fn(x) if isinstance(x, Node) else x)


def _find_module_of_method(orig_method: Callable[..., Any]) -> str:
    name = orig_method.__name__
    module = getattr(orig_method, "__module__", None)
    if module is not None:
        return module
    for guess, place in (("torch", torch), ("torch.nn.functional", torch.nn.functional)):
        if getattr(place, name, None) is orig_method:
            return guess
    raise RuntimeError(f"cannot find module for {orig_method}")


def _type_repr(obj: object) -> str:
    """A type as source code has it."""
    if isinstance(obj, type) and not isinstance(obj, types.GenericAlias):
        if obj.__module__ == "builtins":
            return obj.__qualname__
        module = torch_name_of(obj.__module__) if obj.__module__.partition(".")[0] == _OURS else obj.__module__
        if module.startswith("torch.") and getattr(torch, obj.__qualname__, None) is obj:
            module = "torch"
        return f"{module}.{obj.__qualname__}"
    if obj is ...:
        return "..."
    if isinstance(obj, types.FunctionType):
        return obj.__name__
    return repr(obj)


def _get_qualified_name(func: Callable[..., Any]) -> str:
    """The dotted name of a function, under which generated code finds it."""
    if getattr(builtins, getattr(func, "__name__", ""), None) is func:
        return func.__name__
    if type(func).__name__ in ("OpOverload", "OpOverloadPacket"):
        return f"torch.ops.{func}"
    name = func.__name__.removesuffix("_function")
    functional = torch.nn.functional
    if getattr(torch, name, None) is func:
        return f"torch.functional.{name}" if getattr(torch.functional, name, None) is func else f"torch.{name}"
    if getattr(functional, name, None) is func:
        if name in _IN_PRIVATE_MODULE:
            return f"torch._C._nn.{name}"
        return f"torch.{name}" if name in overrides._IN_CPP and hasattr(torch, name) else f"torch.nn.functional.{name}"
    for place in ("linalg", "fft", "special"):
        if getattr(getattr(torch, place), name, None) is func:
            return f"torch.{place}.{name}"
    if getattr(torch.Tensor, name, None) is func:
        return f"torch.Tensor.{name}"
    if isinstance(func, types.MethodWrapperType | types.MethodDescriptorType | types.WrapperDescriptorType) and hasattr(func, "__objclass__"):
        return f"{func.__objclass__.__module__}.{func.__objclass__.__qualname__}.{name}"
    module = _find_module_of_method(func)
    if module.partition(".")[0] == _OURS:
        module = torch_name_of(module)
    return f"{module}.{name}" if name != "<lambda>" else f"{module}.{func.__qualname__}"


def _format_arg(arg: object, max_list_len: float = float("inf")) -> str:
    if hasattr(arg, "_custom_fx_repr_fn"):
        return arg._custom_fx_repr_fn()
    if isinstance(arg, (list, tuple)):
        shown = ", ".join(_format_arg(a) for i, a in enumerate(arg) if i < max_list_len)
        more = "" if len(arg) < max_list_len + 1 else f", ...[total_len={len(arg)}]"
        if isinstance(arg, list):
            return f"[{shown}{more}]"
        return f"({shown}{more}{',' if len(arg) == 1 else ''})"
    if isinstance(arg, dict):
        return "{" + ", ".join(f"{k}: {_format_arg(v)}" for k, v in arg.items()) + "}"
    return f"%{arg}" if isinstance(arg, Node) else str(arg)


class Node:
    """One operation of a graph.

    ``op`` says what ``target`` is: an argument's name (``placeholder``), a parameter's or buffer's path (``get_attr``), a function
    (``call_function``), a module's path (``call_module``), a method's name (``call_method``), or nothing (``output``). ``args`` and ``kwargs``
    hold nodes, numbers, text and containers of them; ``users`` the nodes that use this one; ``meta`` what passes write there.
    """

    _args: tuple[Argument, ...]
    _kwargs: dict[str, Argument]

    def __init__(self, graph: Graph, name: str, op: str, target: Target, args: tuple[Argument, ...], kwargs: Mapping[str, Argument], return_type: Any = None) -> None:
        if op not in _OPS:
            raise AssertionError(f"op {op!r} is none of {', '.join(_OPS)}")
        if op == "call_function":
            if not callable(target):
                raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target).__name__} but a Callable is expected")
        elif not isinstance(target, str):
            raise ValueError(f"Node [graph = {graph}, name = '{name}'] target {target} has type {type(target).__name__} but a str is expected")
        self.graph, self.name, self.op, self.target = graph, name, op, target
        self._input_nodes: dict[Node, None] = {}
        self.users: dict[Node, None] = {}
        self._prev = self._next = self
        self._erased = False
        self.type = return_type
        self._repr_fn: Callable[[Node], str] | None = None
        self.meta: dict[str, Any] = {}
        self._args, self._kwargs = (), {}
        self._update(args, kwargs)

    # ---- the list that nodes form ----
    @property
    def next(self) -> Node:
        return self._next

    @property
    def prev(self) -> Node:
        return self._prev

    def prepend(self, x: Node) -> None:
        """Moves a node of the same graph to just before this one."""
        if self.graph is not x.graph:
            raise AssertionError("Attempting to move a Node into a different Graph")
        if self is x:
            return
        x._remove_from_list()
        before = self._prev
        before._next, x._prev = x, before
        x._next, self._prev = self, x

    def append(self, x: Node) -> None:
        """Moves a node of the same graph to just behind this one."""
        self._next.prepend(x)

    def _remove_from_list(self) -> None:
        self._prev._next, self._next._prev = self._next, self._prev

    def _position(self) -> int:
        return next(i for i, node in enumerate(self.graph.nodes) if node is self)

    def __lt__(self, other: Any) -> bool:
        return self._position() < other._position()

    def __gt__(self, other: Any) -> bool:
        return self._position() > other._position()

    def __le__(self, other: Any) -> bool:
        return self is other or self < other

    def __ge__(self, other: Any) -> bool:
        return self is other or self > other

    # ---- arguments and users ----
    @property
    def args(self) -> tuple[Argument, ...]:
        return self._args

    @args.setter
    def args(self, a: tuple[Argument, ...]) -> None:
        self._update(a, self._kwargs)

    @property
    def kwargs(self) -> dict[str, Argument]:
        return self._kwargs

    @kwargs.setter
    def kwargs(self, k: Mapping[str, Argument]) -> None:
        self._update(self._args, k)

    def _update(self, args: Any, kwargs: Any) -> None:
        def used(node: Node) -> Node:
            self._input_nodes.setdefault(node)
            node.users.setdefault(self)
            return node

        for old in self._input_nodes:
            old.users.pop(self, None)
        self._input_nodes = {}
        self._args, self._kwargs = map_arg(tuple(args), used), map_arg(dict(kwargs), used)

    @property
    def all_input_nodes(self) -> list[Node]:
        """The nodes that this one uses, each once."""
        return list(self._input_nodes)

    def update_arg(self, idx: int, arg: Argument) -> None:
        args = list(self.args)
        args[idx] = arg
        self.args = tuple(args)

    def insert_arg(self, idx: int, arg: Argument) -> None:
        if not 0 <= idx <= len(self.args):
            raise AssertionError("insert_args index must be between 0 and len(self.args)")
        self.args = (*self.args[:idx], arg, *self.args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        self.kwargs = {**self.kwargs, key: arg}

    def replace_all_uses_with(self, replace_with: Node, delete_user_cb: Callable[[Node], bool] = lambda user: True, *, propagate_meta: bool = False) -> list[Node]:
        """Has every node that uses this one, and for which `delete_user_cb` is true, use another; returns those nodes."""
        if propagate_meta:
            if replace_with.meta:
                raise AssertionError("Called node.replace_all_uses_with(replace_with, propagate_meta=True), but replace_with already has .meta keys")
            replace_with.meta.update(self.meta)
        changed = []
        for user in list(self.users):
            if not delete_user_cb(user):
                continue
            changed.append(user)
            user._swap(self, replace_with)
        return changed

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Has this node use another node where it uses `old_input`."""
        self._swap(old_input, new_input)

    def _swap(self, old: Node, new: Node) -> None:
        owner = self.graph.owning_module
        for hook in getattr(owner, "_replace_hooks", ()):
            hook(old=old, new=new.name, user=self)
        self._update(map_arg(self.args, lambda n: new if n is old else n), map_arg(self.kwargs, lambda n: new if n is old else n))

    # ---- what it is ----
    @property
    def stack_trace(self) -> str | None:
        return self.meta.get("stack_trace")

    @stack_trace.setter
    def stack_trace(self, trace: str | None) -> None:
        self.meta["stack_trace"] = trace

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether it does something beside giving a result: eliminate_dead_code leaves it."""
        if self.op in ("placeholder", "output"):
            return True
        if self.op == "call_function":
            if self.target in _side_effectful_functions:
                return True
            schema = getattr(self.target, "_schema", None)
            return schema is not None and schema.is_mutable or impure_random and self.target in _random_functions()
        if self.op == "call_module":
            module = self.graph.owning_module
            if module is None:
                raise AssertionError("self.graph.owning_module not set for purity check")
            target = module.get_submodule(self.target)
            return getattr(target, "_is_impure", False)
        return False

    def normalized_arguments(self, root: Any, arg_types: Any = None, kwarg_types: Any = None, normalize_to_only_use_kwargs: bool = False) -> Any:
        """(args, kwargs) as the signature of a function or module names them; None where it is not known."""
        from .operator_schemas import normalize_function, normalize_module

        if self.op == "call_function":
            return normalize_function(self.target, self.args, self.kwargs, arg_types, kwarg_types, normalize_to_only_use_kwargs)
        if self.op == "call_module":
            return normalize_module(root, self.target, self.args, self.kwargs, normalize_to_only_use_kwargs)
        return None

    # ---- text ----
    def __repr__(self) -> str:
        return self._repr_fn(self) if self._repr_fn else self.name

    def _rename(self, candidate: str) -> None:
        if candidate != self.name:
            self.name = self.graph._graph_namespace.create_name(candidate, None)

    def _pretty_print_target(self, target: Any) -> str:
        if isinstance(target, str):
            return target
        if hasattr(target, "__module__"):
            name = getattr(target, "__name__", None)
            if name is None:
                return _get_qualified_name(target) if hasattr(target, "_schema") else str(target)
            if target.__module__ == "builtins":
                return f"builtins.{name}"
            if target.__module__ == "_operator":
                return f"operator.{name}"
        return _get_qualified_name(target)

    def format_node(self, placeholder_names: list[str] | None = None, maybe_return_typename: list[str] | None = None, *, include_tensor_metadata: bool = False) -> str | None:
        """The line that `print(graph)` has for it."""
        of_type = f"{_type_repr(self.type)} " if self.type else ""
        if self.op == "placeholder":
            if placeholder_names is not None:
                name = self.target if isinstance(self.target, str) else str(self.target)
                placeholder_names.append(name + (f": {_type_repr(self.type)}" if self.type else ""))
                return None
            default = f"(default={self.args[0]})" if self.args else ""
            return f"%{self.name} : {of_type}[num_users={len(self.users)}] = {self.op}[target={self.target}]{default}"
        if self.op == "get_attr":
            return f"%{self.name} : {of_type}[num_users={len(self.users)}] = {self.op}[target={self._pretty_print_target(self.target)}]"
        if self.op == "output":
            if self.type and maybe_return_typename:
                maybe_return_typename[0] = f" -> {_type_repr(self.type)}"
            return f"return {self.args[0]}"
        return (f"%{self.name} : {of_type}[num_users={len(self.users)}] = {self.op}[target={self._pretty_print_target(self.target)}]"
                f"(args = {_format_arg(self.args)}, kwargs = {_format_arg(self.kwargs)})")

    def __reduce__(self) -> Any:
        raise TypeError("a torch.fx.Node belongs to its graph: pickle the GraphModule")

