"""symbolic_trace and Tracer: run a program with proxies for its inputs, and keep what it does."""

from __future__ import annotations

import builtins
import collections
import functools
import inspect
import math
import warnings
from collections.abc import Callable
from types import FunctionType, ModuleType
from typing import Any

import pywasmtorch as torch

from ..utils import _pytree as pytree
from ._codegen import torch_module
from .graph import Graph
from .graph_module import GraphModule, _default_tracer
from .node import Argument, Node, base_types
from .proxy import ParameterProxy, Proxy, Scope, ScopeContextManager, TracerBase

__all__ = ["PHBase", "ProxyableClassMeta", "Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]

_module_call, _module_getattr = torch.nn.Module.__call__, torch.nn.Module.__getattr__
_tracing = 0
#: (a module's globals, a name in them): what `wrap` was called for
_wrapped_functions: dict[tuple[int, str], dict[str, Any]] = {}
_wrapped_methods: list[tuple[type, str]] = []


def is_fx_tracing() -> bool:
    return _tracing > 0


class PHBase:
    """In `concrete_args`: a value that stays an input."""

    def __repr__(self) -> str:
        return "PH"


PH = PHBase()


class PHWithMeta(PHBase):
    """A value that stays an input, whose attributes the node's ``meta`` gets."""

    def __init__(self, ph_key: str | None = None) -> None:
        super().__init__()
        self.ph_key = ph_key

    def transfer_attrs(self, fr: Any, to: Any) -> None:
        for name, value in vars(fr).items():
            setattr(to, name, value)


class ProxyableClassMeta(type):
    """Of a class whose constructor becomes a node where it is given proxies."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        instance = cls.__new__(cls)  # type: ignore[call-overload]
        if not is_fx_tracing():
            cls.__init__(instance, *args, **kwargs)  # type: ignore[misc]
            return instance
        found: list[Proxy] = []
        pytree.tree_map(lambda x: found.append(x) if isinstance(x, Proxy) else x, (args, kwargs))
        if found:
            return found[0].tracer.create_proxy("call_function", cls, args, kwargs)
        cls.__init__(instance, *args, **kwargs)  # type: ignore[misc]
        return instance


def _assert_is_none(value: Any, msg: str) -> None:
    if value is not None:
        raise AssertionError(msg)


class _Patches:
    """Attributes and globals that have other values while a program is traced."""

    def __init__(self) -> None:
        self._undo: list[Callable[[], None]] = []
        self._seen: set[int] = set()

    def attribute(self, owner: Any, name: str, value: Any) -> None:
        before = getattr(owner, name)
        self._undo.append(lambda: setattr(owner, name, before))
        setattr(owner, name, value)

    def entry(self, names: dict[str, Any], name: str, value: Any) -> None:
        had, before = name in names, names.get(name)
        self._undo.append(lambda: names.__setitem__(name, before) if had else names.pop(name))
        names[name] = value

    def first_visit(self, thing: Any) -> bool:
        if id(thing) in self._seen:
            return False
        self._seen.add(id(thing))
        return True

    def __enter__(self) -> _Patches:
        return self

    def __exit__(self, *_: Any) -> None:
        for undo in reversed(self._undo):
            undo()


def _find_proxy(*values: Any) -> Proxy | None:
    found: list[Proxy] = []
    for leaf in pytree.tree_leaves(values):
        parts = (leaf.start, leaf.stop, leaf.step) if isinstance(leaf, slice) else (leaf,)
        found += [part for part in parts if isinstance(part, Proxy)]
    return found[0] if found else None


def _recording(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that becomes one node where it is given proxies."""

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        if proxy is None:
            return function(*args, **kwargs)
        result = proxy.tracer.create_proxy("call_function", function, args, kwargs)
        result.node.meta["is_wrapped"] = True
        return result

    return wrapped


def _recording_method(owner: type, name: str) -> Callable[..., Any]:
    method = getattr(owner, name)

    @functools.wraps(method)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        proxy = _find_proxy(args, kwargs)
        return method(*args, **kwargs) if proxy is None else proxy.tracer.create_proxy("call_method", name, args, kwargs)

    return wrapped


def wrap(fn_or_name: str | Callable[..., Any]) -> Any:
    """At the top of a module, with a function or the name of a global one: calls of it that meet a proxy become one node, and tracing
    does not look inside. Also a decorator. RuntimeError for what is no function, NotImplementedError elsewhere than at the top of a module."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    frame = inspect.currentframe()
    frame = frame.f_back if frame is not None else None
    if frame is None or frame.f_code.co_name != "<module>":
        raise NotImplementedError("wrap must be called at the top level of a module")
    _wrapped_functions[(id(frame.f_globals), name)] = frame.f_globals
    return fn_or_name


def _patch_wrapped(patches: _Patches) -> None:
    for (_, name), names in list(_wrapped_functions.items()):
        if name not in names and hasattr(builtins, name):
            original = getattr(builtins, name)
        elif name in names:
            original = names[name]
        else:
            continue
        patches.entry(names, name, _recording(original))
    for owner, name in _wrapped_methods:
        patches.attribute(owner, name, _recording_method(owner, name))


def _autowrap(patches: _Patches, names: dict[str, Any], functions: set[int]) -> None:
    """Has the globals of a module record what `autowrap_functions` and `autowrap_modules` name."""
    if not patches.first_visit(names):
        return
    for name, value in list(names.items()):
        if not name.startswith("_") and callable(value) and id(value) in functions:
            patches.entry(names, name, _recording(value))


class Tracer(TracerBase):
    """Traces modules and functions; subclasses decide what is a leaf.

    Functions of `autowrap_modules` (default: ``math``) and `autowrap_functions` become one node each where they meet a proxy; with
    `param_shapes_constant` the shapes of parameters are numbers.
    """

    def __init__(self, autowrap_modules: tuple[ModuleType, ...] = (math,), autowrap_functions: tuple[Callable[..., Any], ...] = (), param_shapes_constant: bool = False) -> None:
        super().__init__()
        self._autowrap_function_ids = {id(value) for module in autowrap_modules for name, value in vars(module).items() if not name.startswith("_") and callable(value)}
        self._autowrap_function_ids |= {id(f) for f in autowrap_functions}
        self._autowrap_search = list(autowrap_modules)
        self.param_shapes_constant = param_shapes_constant
        self.submodule_paths: dict[Any, str] | None = None
        self.root_module_name = ""
        self.scope = Scope("", None)
        self.module_stack = collections.OrderedDict()
        self.num_calls: dict[str, int] = {}
        self.node_name_to_scope = {}

    def __deepcopy__(self, memo: dict[int, Any]) -> Tracer:
        result = type(self).__new__(type(self))
        result.__dict__.update({k: v for k, v in self.__dict__.items() if k != "_autowrap_search"})
        result._autowrap_search = list(self._autowrap_search)
        return result

    # ---- what subclasses override ----
    def is_leaf_module(self, m: Any, module_qualified_name: str) -> bool:
        """Whether a module becomes one node. Those of torch.nn do, but Sequential."""
        return torch_module(type(m).__module__).startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, torch.nn.Sequential)

    def path_of_module(self, mod: Any) -> str:
        """The path of a submodule. NameError where it is none."""
        if self.submodule_paths:
            path = self.submodule_paths.get(mod)
            if path is None:
                raise NameError(f"module {mod.__class__.__name__} is not installed as a submodule")
            return path
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError(f"module {mod.__class__.__name__} is not installed as a submodule")

    def call_module(self, m: Any, forward: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Called for each call of a module: one node for a leaf, else what its forward does."""
        path = self.path_of_module(m)
        with ScopeContextManager(self.scope, Scope(path, type(m))):
            count = self.num_calls.get(path, 0)
            self.num_calls[path] = count + 1
            key = path if count == 0 else f"{path}@{count}"
            self.module_stack[key] = (path, type(m))
            try:
                if self.is_leaf_module(m, path):
                    return self.create_proxy("call_module", path, args, kwargs)
                return forward(*args, **kwargs)
            finally:
                self.module_stack.pop(key, None)

    def get_fresh_qualname(self, prefix: str) -> str:
        """A name that the root module has not got."""
        i = 0
        while hasattr(self.root, f"{prefix}{i}"):
            i += 1
        return f"{prefix}{i}"

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict[str, Any]) -> Any:
        """Called for each attribute of a module that is read: parameters become nodes."""

        def proxy_of(values: Any) -> Any:
            for name, value in values:
                if attr_val is value:
                    if name not in parameter_proxy_cache:
                        factory = {}  # left out where it is not needed: subclasses may not take it
                        if self.param_shapes_constant and isinstance(attr_val, torch.nn.Parameter):
                            factory = {"proxy_factory_fn": lambda node: ParameterProxy(self, node, name, attr_val)}
                        parameter_proxy_cache[name] = self.create_proxy("get_attr", name, (), {}, **factory)
                    return parameter_proxy_cache[name]
            return None

        found = None
        if isinstance(attr_val, torch.nn.Parameter):
            found = proxy_of(self.root.named_parameters())
        elif self.proxy_buffer_attributes and isinstance(attr_val, torch.Tensor):
            found = proxy_of(self.root.named_buffers())
        return attr_val if found is None else found

    def create_arg(self, a: Any) -> Argument:
        """Parameters and buffers become nodes that read them; tensors become attributes of the module."""
        if isinstance(a, torch.nn.Parameter):
            for name, value in self.root.named_parameters():
                if a is value:
                    return self.create_node("get_attr", name, (), {})
            raise NameError("parameter is not a member of this module")
        if isinstance(a, torch.Tensor):
            for name, value in self.root.named_buffers():
                if a is value:
                    return self.create_node("get_attr", name, (), {})
            return self._constant(a, "_tensor_constant")
        if isinstance(a, torch.nn.Module):
            try:
                return self.create_node("get_attr", self.path_of_module(a), (), {})
            except NameError:
                return self._constant(a, f"_{type(a).__name__.lower()}_constant")
        if isinstance(a, tuple) and hasattr(a, "_fields") and hasattr(a, "_make"):
            return self.create_node("call_function", a.__class__, tuple(self.create_arg(item) for item in a), {})
        if isinstance(type(a), ProxyableClassMeta):
            return self._constant(a, f"_{type(a).__name__}_constant_")
        return super().create_arg(a)

    def _constant(self, value: Any, prefix: str) -> Node:
        name = self.tensor_attrs.get(value)
        if name is None:
            name = self.tensor_attrs[value] = self.get_fresh_qualname(prefix)
            setattr(self.root, name, value)
        return self.create_node("get_attr", name, (), {})

    # ---- inputs ----
    def create_args_for_root(self, root_fn: Callable[..., Any], is_module: bool, concrete_args: Any = None) -> tuple[Any, list[Any]]:
        """The function that is run, and proxies for what it is given; what `concrete_args` has a value for is that value."""
        original = inspect.unwrap(root_fn) if not hasattr(root_fn, "__code__") else root_fn
        code = inspect.unwrap(original).__code__
        signature = inspect.signature(inspect.unwrap(original))
        total = code.co_argcount + code.co_kwonlyargcount
        names = list(code.co_varnames)
        args: list[Any] = []
        skip = 0
        if is_module:
            if total == 0:
                raise RuntimeError("``self`` argument cannot be part of *args expansion!")
            skip = 1
            args.append(self.root)
        inputs = names[skip:total]
        if isinstance(concrete_args, tuple):
            if len(inputs) != len(concrete_args):
                raise RuntimeError(f"Tracing expected {len(inputs)} arguments but got {len(concrete_args)} concrete arguments")
            concrete_args = dict(zip(inputs, concrete_args))
        for name in inputs:
            args.append(self._input(name, signature, concrete_args or {}))
        flags = code.co_flags
        if flags & inspect.CO_VARARGS:
            args.append(self.create_proxy("placeholder", f"*{names[total]}", (), {}))
            total += 1
        if flags & inspect.CO_VARKEYWORDS:
            args.append(self.create_proxy("placeholder", f"**{names[total]}", (), {}))
        if flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS) or code.co_kwonlyargcount:
            root_fn = _positional(inspect.unwrap(original), code, flags)
        return root_fn, args

    def _input(self, name: str, signature: inspect.Signature, concrete: dict[str, Any]) -> Any:
        parameter = signature.parameters[name]
        default = () if parameter.default is parameter.empty else (parameter.default,)
        kind = None if parameter.annotation is parameter.empty else parameter.annotation
        if isinstance(kind, str):
            kind = _evaluated(kind)
        if name not in concrete:
            return self.create_proxy("placeholder", name, default, {}, type_expr=kind)
        value = concrete[name]
        if not pytree.tree_is_leaf(value):
            raise NotImplementedError(f"symbolic_trace(): concrete_args with containers ({name}) are not in pywasmtorch; see docs/differences.md")
        proxy = self.create_proxy("placeholder", f"{name}_1", default, {})
        if isinstance(value, PHBase):
            if isinstance(value, PHWithMeta):
                value.transfer_attrs(fr=value, to=proxy.node)
            return proxy
        message = f"{name} has been specialized to have value {value} but got another value"
        if value is None:
            self.create_proxy("call_function", _assert_is_none, (proxy, message), {})
        elif isinstance(value, base_types) and not isinstance(value, torch.Tensor):
            torch._assert(proxy == value, message)
        else:
            warnings.warn(f"Was not able to add assertion to guarantee correct input {name} to specialized function. It is up to the user to make sure that your inputs "
                          "match the inputs you specialized the function with.", stacklevel=2)
        return value

    # ---- tracing ----
    def trace(self, root: Any, concrete_args: Any = None) -> Graph:
        """The graph of a module's forward, or of a function. ValueError (TraceError) for what depends on values."""
        global _tracing
        if isinstance(root, torch.nn.Module):
            self.root = root
            if not hasattr(type(root), self.traced_func_name):
                raise AssertionError(f"traced_func_name={self.traced_func_name} doesn't exist in {type(root).__name__}")
            function = getattr(type(root), self.traced_func_name)
            self.root_module_name = root._get_name()
            self.submodule_paths = {module: name for name, module in root.named_modules()}
        else:
            self.root = torch.nn.Module()
            function = root
        self.graph = Graph(tracer_cls=type(self) if getattr(self, "__module__", "") != "" and "<locals>" not in type(self).__qualname__ else None)
        self.tensor_attrs: dict[Any, str] = {}
        self._collect_tensors(self.root, [])
        if not isinstance(function, FunctionType):
            if not callable(function):
                raise AssertionError("what is traced must be a module or a function")
            function = getattr(function, "__func__", function)
        names = getattr(inspect.unwrap(function), "__globals__", {})
        function, args = self.create_args_for_root(function, isinstance(root, torch.nn.Module), concrete_args)
        cache: dict[str, Any] = {}

        @functools.wraps(_module_getattr)
        def getattr_of_module(module: Any, attr: str) -> Any:
            return self.getattr(attr, _module_getattr(module, attr), cache)

        @functools.wraps(_module_call)
        def call_of_module(module: Any, *args: Any, **kwargs: Any) -> Any:
            def forward(*args: Any, **kwargs: Any) -> Any:
                return _module_call(module, *args, **kwargs)

            _autowrap(patches, getattr(getattr(module, "forward", module), "__globals__", {}), self._autowrap_function_ids)
            return self.call_module(module, forward, args, kwargs)

        _tracing += 1
        try:
            with _Patches() as patches:
                patches.attribute(torch.nn.Module, "__getattr__", getattr_of_module)
                patches.attribute(torch.nn.Module, "__call__", call_of_module)
                _patch_wrapped(patches)
                _autowrap(patches, names, self._autowrap_function_ids)
                for module in self._autowrap_search:
                    _autowrap(patches, vars(module), self._autowrap_function_ids)
                result = self.create_arg(function(*args))
                annotation = getattr(inspect.unwrap(function), "__annotations__", {}).get("return")
                self.create_node("output", "output", (result,), {}, type_expr=_evaluated(annotation) if isinstance(annotation, str) else annotation)
        finally:
            _tracing -= 1
            self.submodule_paths = None
        return self.graph

    def _collect_tensors(self, module: Any, path: list[str]) -> None:
        for name, value in module.__dict__.items():
            if isinstance(value, torch.Tensor):
                self.tensor_attrs[value] = ".".join([*path, name])
        for name, child in module.named_children():
            self._collect_tensors(child, [*path, name])


_default_tracer.append(Tracer)


def _evaluated(annotation: str) -> Any:
    """An annotation that `from __future__ import annotations` left as text, where it is a plain name of Python or torch."""
    value: Any = {"torch": torch, **vars(builtins)}.get(annotation.split(".")[0])
    for part in annotation.split(".")[1:]:
        value = getattr(value, part, None)
    return value if annotation.replace(".", "").isidentifier() else None


def _positional(function: Any, code: Any, flags: int) -> Callable[..., Any]:
    """A function that takes everything by position, `*args` and `**kwargs` as one argument each."""
    positional, keywords = code.co_argcount, code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]

    def call(*args: Any) -> Any:
        values = list(args)
        names = values.pop() if flags & inspect.CO_VARKEYWORDS else {}
        rest = values.pop() if flags & inspect.CO_VARARGS else ()
        by_name = dict(zip(keywords, values[positional:]))
        return _with_collected(function, values[:positional], rest, by_name, names)

    functools.update_wrapper(call, function)
    return call


def _with_collected(function: Any, values: list[Any], rest: Any, by_name: dict[str, Any], names: Any) -> Any:
    """Calls a function whose `args` and `kwargs` are the given objects themselves, which may be proxies."""
    code = function.__code__
    flat = code.replace(
        co_argcount=code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS),
        co_posonlyargcount=0, co_kwonlyargcount=0, co_flags=code.co_flags & ~(inspect.CO_VARARGS | inspect.CO_VARKEYWORDS),
    )
    plain = FunctionType(flat, function.__globals__, function.__name__, None, function.__closure__)
    given = [*values, *by_name.values()]
    if code.co_flags & inspect.CO_VARARGS:
        given.append(rest)
    if code.co_flags & inspect.CO_VARKEYWORDS:
        given.append(names)
    return plain(*given)


def symbolic_trace(root: Any, concrete_args: Any = None) -> GraphModule:
    """A GraphModule of what a module or function does with its inputs; `concrete_args` (name: value) are no inputs."""
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = root.__class__.__name__ if isinstance(root, torch.nn.Module) else root.__name__
    return GraphModule(tracer.root, graph, name)

