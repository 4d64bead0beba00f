"""Proxy: stands for a value while a program is traced; every operation on it becomes a node."""

from __future__ import annotations

import dis
import enum
import operator
import os
import sys
import traceback
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from types import FrameType
from typing import Any

import pywasmtorch as torch

from .. import overrides
from ._codegen import magic_methods, reflectable_magic_methods
from .graph import Graph
from .immutable_collections import immutable_dict, immutable_list
from .node import Argument, Node, Target, base_types

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "Scope", "ScopeContextManager", "TraceError", "TracerBase"]

#: the folder of this package, whose frames no program wants to see
_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

overrides._activate()


class TraceError(ValueError):
    """What cannot be traced: control flow that depends on a value."""


class Scope:
    """The module in whose forward tracing is."""

    def __init__(self, module_path: str, module_type: Any) -> None:
        self.module_path, self.module_type = module_path, module_type


class ScopeContextManager:
    """Has a scope be another one inside."""

    def __init__(self, scope: Scope, current_scope: Scope) -> None:
        self._before = scope.module_path, scope.module_type
        self._scope = scope
        scope.module_path, scope.module_type = current_scope.module_path, current_scope.module_type

    def __enter__(self) -> Scope:
        return self._scope

    def __exit__(self, *_: Any) -> None:
        self._scope.module_path, self._scope.module_type = self._before


class TracerBase:
    """Makes nodes and proxies."""

    graph: Graph
    record_stack_traces = False
    check_mutable_operations = False
    trace_asserts = False
    proxy_buffer_attributes = False
    traced_func_name = "forward"
    scope: Scope
    module_stack: dict[str, Any]
    node_name_to_scope: dict[str, tuple[str, type]]

    def create_node(self, kind: str, target: Target, args: tuple[Argument, ...], kwargs: dict[str, Argument], name: str | None = None, type_expr: Any = None) -> Node:
        """A new node of the graph, with what is known of its place. RuntimeError for in-place operations with `check_mutable_operations`."""
        if kind == "call_function" and self.check_mutable_operations and callable(target):
            _check_not_mutable(target, kwargs)
        node = self.graph.create_node(kind, target, args, kwargs, name, type_expr)
        scope = getattr(self, "scope", None)
        if scope is not None:
            self.node_name_to_scope[node.name] = (scope.module_path, scope.module_type)
            if self.module_stack:
                node.meta["nn_module_stack"] = dict(self.module_stack)
        return node

    def proxy(self, node: Node) -> Proxy:
        return Proxy(node, self)

    def create_proxy(self, kind: str, target: Target, args: tuple[Any, ...], kwargs: dict[str, Any], name: str | None = None, type_expr: Any = None,
                     proxy_factory_fn: Any = None) -> Any:
        """A node whose arguments are what `create_arg` makes of these, and a proxy for it."""
        arguments, keywords = self.create_arg(args), self.create_arg(kwargs)
        if not isinstance(arguments, tuple) or not isinstance(keywords, dict):
            raise AssertionError("args must stay a tuple and kwargs a dict")
        node = self.create_node(kind, target, arguments, keywords, name, type_expr)
        proxy = proxy_factory_fn(node) if proxy_factory_fn else self.proxy(node)
        if self.record_stack_traces and kind != "placeholder" and not proxy.node.stack_trace:
            frames = [f for f in traceback.extract_stack() if not f.filename.startswith(_PACKAGE)]
            proxy.node.stack_trace = "".join(traceback.StackSummary.from_list(frames).format()).strip()
        return proxy

    def create_arg(self, a: Any) -> Argument:
        """What a value is as an argument of a node: proxies become their nodes. NotImplementedError for what no node may have."""
        if isinstance(a, Proxy):
            return a.node
        if hasattr(a, "__fx_create_arg__"):
            return a.__fx_create_arg__(self)
        if isinstance(a, tuple):
            items = [self.create_arg(item) for item in a]
            return type(a)(*items) if hasattr(a, "_fields") and hasattr(a, "_make") else tuple(items)
        if isinstance(a, list):
            return immutable_list([self.create_arg(item) for item in a])
        if isinstance(a, dict):
            return immutable_dict({self._key(k): self.create_arg(v) for k, v in a.items()})
        if isinstance(a, slice):
            return slice(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if isinstance(a, range):
            return range(self.create_arg(a.start), self.create_arg(a.stop), self.create_arg(a.step))
        if is_dataclass(a) and not isinstance(a, type):
            values = {f.name: self.create_arg(getattr(a, f.name)) for f in fields(a)}
            return self.create_node("call_function", a.__class__, (), values)
        if a is None or a is ... or isinstance(a, base_types) or isinstance(a, (type, enum.Enum)) or type(a).__name__ in ("OpOverload", "OpOverloadPacket"):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def _key(self, key: Any) -> Any:
        made = self.create_arg(key)
        if isinstance(made, Node):
            raise RuntimeError(f"Keys for dictionaries used as an argument cannot contain a Node. Got key: {key}")
        return made

    def to_bool(self, obj: Proxy) -> bool:
        """Called where a proxy decides; may be overridden. TraceError."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator[Any]:
        """Called where a proxy is iterated; `a, b = proxy` is known to take two. TraceError otherwise."""
        frame = _caller(lambda f: f.f_code.co_filename != __file__)
        if frame is not None:
            found = next((i for i in dis.get_instructions(frame.f_code) if i.offset == frame.f_lasti), None)
            if found is not None and found.opname == "UNPACK_SEQUENCE":
                return (obj[i] for i in range(found.argval))
        raise TraceError("Proxy object cannot be iterated. This can be attempted when the Proxy is used in a loop or as a *args or **kwargs function argument. See the "
                         "torch.fx docs on pytorch.org for a more detailed explanation of what types of control flow can be traced, and check out the Proxy docstring "
                         "for help troubleshooting Proxy iteration errors")

    def keys(self, obj: Proxy) -> Any:
        """Called for `**proxy`."""
        return Attribute(obj, "keys")()


def _caller(accept: Any) -> FrameType | None:
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and not accept(frame):
        frame = frame.f_back
    return frame


def _check_not_mutable(target: Any, kwargs: dict[str, Any]) -> None:
    name = getattr(target, "__name__", "")
    if name.endswith("_") and not name.endswith("__") and getattr(target, "__module__", None) != "_operator" or kwargs.get("out") is not None:
        raise RuntimeError(f"Tried to trace mutable operation {name}. FX only supports functional code, so operations that mutate operands in-place (e.g. via `out` "
                           "arguments) are not supported")


class GraphAppendingTracer(TracerBase):
    """Appends to a graph that is there."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.scope = Scope("", None)
        self.module_stack = {}
        self.node_name_to_scope = {}


class Proxy:
    """A value that is not known yet. Operators, methods, attributes and functions of torch that meet one add a node to the graph of
    its tracer; what would need the value itself (`if`, `len`, loops) raises TraceError or RuntimeError."""

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.node.name})"

    def __getattr__(self, k: str) -> Any:
        if k == "_h":  # functions that meet a proxy for a tensor ask it then
            raise AttributeError(k)
        return Attribute(self, k)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__

    def __setstate__(self, d: dict[str, Any]) -> None:
        self.__dict__ = d

    def __deepcopy__(self, memo: dict[int, Any]) -> Proxy:
        import copy

        result = object.__new__(type(self))
        result.__dict__.update({k: v if k == "tracer" else copy.deepcopy(v, memo) if k != "node" else v for k, v in self.__dict__.items()})
        return result

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator[Any]:
        return self.tracer.iter(self)

    def __abs__(self) -> Any:
        return self.tracer.create_proxy("call_function", operator.abs, (self,), {})

    def __bool__(self) -> bool:
        if self.tracer.trace_asserts and self._is_asserted():
            return True
        return self.tracer.to_bool(self)

    def _is_asserted(self) -> bool:
        """Where the program says `assert proxy`, that becomes a node."""
        frame = _caller(lambda f: f.f_code.co_filename != __file__)
        if frame is None:
            return False
        instructions = list(dis.get_instructions(frame.f_code))
        at = next((i for i, found in enumerate(instructions) if found.offset == frame.f_lasti), None)
        if at is None:
            return False
        while at < len(instructions) and not instructions[at].opname.startswith(("POP_JUMP", "JUMP_IF")):
            at += 1
        if at + 1 >= len(instructions) or not any(i.opname == "LOAD_ASSERTION_ERROR" for i in instructions[at + 1 : at + 2]):
            return False
        self.tracer.create_proxy("call_function", torch._assert, (self, "assertion"), {})
        return True

    def keys(self) -> Any:
        return self.tracer.keys(self)

    def __len__(self) -> int:
        raise RuntimeError("'len' is not supported in symbolic tracing by default. If you want this call to be recorded, please call torch.fx.wrap('len') at module scope")

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        tracers: dict[Any, None] = {}

        def find(value: Any) -> None:
            if isinstance(value, Proxy):
                tracers[value.tracer] = None
            elif isinstance(value, (tuple, list)):
                for item in value:
                    find(item)
            elif isinstance(value, dict):
                find(list(value.values()))
            elif isinstance(value, slice):
                find((value.start, value.stop, value.step))

        find(args)
        find(kwargs)
        if len(tracers) > 1:
            raise RuntimeError(f"Found multiple different tracers {list(tracers)} while trying to trace operations {orig_method}")
        tracer = next(iter(tracers))
        name = getattr(orig_method, "__name__", "")
        if getattr(torch, name, None) is not orig_method and getattr(torch.Tensor, name, None) is orig_method:
            return tracer.create_proxy("call_method", name, args, kwargs)
        if not hasattr(orig_method, "__module__") and name == "__get__":
            return tracer.create_proxy("call_function", getattr, (args[0], _property_name(orig_method)), {})
        return tracer.create_proxy("call_function", orig_method, args, kwargs, name=tracer.graph._target_to_str(orig_method))


def _property_name(getter: Any) -> str:
    return next(name for name, value in vars(torch.Tensor).items() if isinstance(value, property) and value.__get__ == getter)


class Attribute(Proxy):
    """An attribute of a proxy: a node only once it is used for something else than a call."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr, (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """Stands for a parameter, whose shape and size are known."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: Any) -> None:
        super().__init__(node, tracer)
        if not isinstance(param, torch.nn.Parameter):
            raise AssertionError(f"{name} is no Parameter")
        self.param, self.name = param, name

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> Any:
        return self.param.shape

    def size(self, *args: Any) -> Any:
        return self.param.size(*args)

    def dim(self) -> int:
        return self.param.dim()

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def numel(self) -> int:
        return self.param.numel()

    def nelement(self) -> int:
        return self.param.nelement()


def _operator_of(name: str) -> Any:
    target = getattr(operator, name)

    def method(*args: Any, **kwargs: Any) -> Any:
        return args[0].tracer.create_proxy("call_function", target, args, kwargs)

    return method


def _reflected(name: str) -> Any:
    target = getattr(operator, name)

    def method(self: Proxy, rhs: Any) -> Any:
        return self.tracer.create_proxy("call_function", target, (rhs, self), {})

    return method


for _name in magic_methods:
    if hasattr(operator, _name):
        setattr(Proxy, f"__{_name.strip('_')}__", _operator_of(_name))
for _name in reflectable_magic_methods:
    if hasattr(operator, _name) and _name != "getitem":
        setattr(Proxy, f"__r{_name.strip('_')}__", _reflected(_name))
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]
