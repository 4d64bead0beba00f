"""torch.library: operators of a program's own, with gradients."""

from __future__ import annotations

import collections.abc
import contextlib
import inspect
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

import pywasmtorch as torch

from . import ops as _ops
from ._core.names import absent as _absent
from ._tensor import Tensor

__all__ = [
    "CustomOpDef", "Library", "custom_op", "define", "impl", "infer_schema", "opcheck", "register_autograd", "register_fake", "register_kernel", "register_torch_dispatch",
    "register_vmap", "triton_op", "wrap_triton",
]


class OpCheckError(Exception):
    """What `opcheck` found wrong."""


# ---- schemas of functions ----
_SCALARS = {Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool", str: "str", torch.types.Number: "Scalar", torch.dtype: "ScalarType", torch.device: "Device",
            typing.Union[int, float, bool]: "Scalar", int | float | bool: "Scalar"}  # noqa: UP007 -- both ways to write it
_IN_LISTS = {Tensor: "Tensor", int: "SymInt", float: "float", bool: "bool"}


def _type_text(kind: Any) -> str | None:
    """A Python type as schemas write it; None for what no argument may be."""
    with contextlib.suppress(TypeError):
        if kind in _SCALARS:
            return _SCALARS[kind]
    origin, inside = typing.get_origin(kind), typing.get_args(kind)
    if origin in (typing.Union, types.UnionType) and type(None) in inside:
        rest = [a for a in inside if a is not type(None)]
        whole = typing.Union[tuple(rest)]  # noqa: UP007
        text = _type_text(whole)
        return None if text is None else f"{text}?"
    if origin in (list, collections.abc.Sequence) and len(inside) == 1:
        element = inside[0]
        if element in _IN_LISTS:
            return f"{_IN_LISTS[element]}[]"
        if element == typing.Optional[Tensor]:  # noqa: UP045
            return "Tensor?[]"
    return None


def _result_text(kind: Any, refuse: Callable[[str], NoReturn]) -> str:
    known = {Tensor: "Tensor", list[Tensor]: "Tensor[]", int: "SymInt", float: "float", bool: "bool", torch.types.Number: "Scalar"}

    def one(kind: Any) -> str:
        for value in (kind, list[Tensor] if typing.get_origin(kind) is list and typing.get_args(kind) == (Tensor,) else None):
            if value in known:
                return known[value]
        refuse(f"Return has unsupported type {kind}. The valid types are: {list(known)}.")

    if kind is None or kind is type(None):
        return "()"
    if typing.get_origin(kind) is tuple:
        return f"({', '.join(map(one, typing.get_args(kind)))})"
    return one(kind)


def infer_schema(prototype_function: Callable[..., Any], /, *, mutates_args: Any, op_name: str | None = None) -> str:
    """The schema of a function, of its annotations, such as `(Tensor x, float scale=2.) -> Tensor`.

    Args:
        prototype_function: a function with annotations.
        mutates_args: names of the arguments that it changes, or ``"unknown"``: all tensors.
        op_name (str, optional): put before the schema.

    Raises:
        ValueError: for what a schema cannot say.
    """
    signature = inspect.signature(prototype_function)
    hints = typing.get_type_hints(prototype_function) if any(isinstance(p.annotation, str) for p in signature.parameters.values()) or isinstance(
        signature.return_annotation, str) else {}

    def refuse(what: str) -> NoReturn:
        raise ValueError(f"infer_schema(func): {what} Got func with signature {signature})")

    parts: list[str] = []
    seen: set[str] = set()
    starred = False
    for i, (name, p) in enumerate(signature.parameters.items()):
        if p.kind not in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY):
            refuse("We do not support positional-only args, varargs, or varkwargs.")
        if p.kind is p.KEYWORD_ONLY and not starred:
            starred = True
            parts.append("*")
        if p.annotation is p.empty:
            refuse(f"Parameter {name} must have a type annotation.")
        kind = hints.get(name, p.annotation)
        text = _type_text(kind)
        if text is None:
            refuse(f"Parameter {name} has unsupported type {kind}. The valid types are: {list(_SCALARS)}.")
        if mutates_args == "unknown" and text.startswith("Tensor") or mutates_args != "unknown" and name in mutates_args:
            if not text.startswith("Tensor"):
                refuse(f"Parameter {name} is in mutable_args but only Tensors or collections of Tensors can be mutated")
            text = f"Tensor(a{i}!){text[6:]}"
        seen.add(name)
        parts.append(f"{text} {name}" + ("" if p.default is p.empty else f"={_default_text(name, p.default, refuse)}"))
    if mutates_args != "unknown" and (unknown := set(mutates_args) - seen):
        refuse(f"{unknown} in mutates_args were not found in the custom op's signature. mutates_args should contain the names of all args that the custom op mutates, or "
               "just the string \"unknown\" if you don't know.")
    if signature.return_annotation is signature.empty:
        refuse("No return type annotation was provided. Please add one.")
    result = _result_text(hints.get("return", signature.return_annotation), refuse)
    return f"{op_name or ''}({', '.join(parts)}) -> {result}"


def _default_text(name: str, value: Any, refuse: Callable[[str], NoReturn]) -> str:
    if value is None or isinstance(value, (bool, int)):
        return str(value)
    if isinstance(value, float):
        return str(value)
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, torch.dtype):
        return str(value).removeprefix("torch.")
    refuse(f"Parameter {name} has an unsupported default value type {type(value)}.")


# ---- operators ----
class _Operator:
    """What a program said about one operator."""

    def __init__(self, qualname: str, schema: _ops.FunctionSchema) -> None:
        self.qualname, self.schema = qualname, schema
        self.kernels: dict[str, Callable[..., Any]] = {}
        self.fake: Callable[..., Any] | None = None
        self.backward: Callable[..., Any] | None = None
        self.setup_context: Callable[..., Any] | None = None
        self.vmap: Callable[..., Any] | None = None
        self.checks_aliases = False
        self.text = qualname.replace("::", ".") + f".{schema.overload_name or 'default'}"

    def kernel(self) -> Callable[..., Any]:
        for key in ("CPU", "CompositeExplicitAutograd", "CompositeImplicitAutograd"):
            if key in self.kernels:
                return self.kernels[key]
        raise NotImplementedError(f"Could not run '{self.qualname}' with arguments from the 'CPU' backend. This could be because the operator doesn't exist for this backend.")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        values = self.schema.bind(args, kwargs)
        self.check(values)
        if "AutocastCPU" in self.kernels and torch.is_autocast_enabled("cpu"):
            return self.kernels["AutocastCPU"](*args, **kwargs)
        for key in ("Autograd", "AutogradCPU"):
            if key in self.kernels:
                return self.kernels[key](*args, **kwargs)
        if "CompositeImplicitAutograd" in self.kernels and "CPU" not in self.kernels:
            return self.kernels["CompositeImplicitAutograd"](*args, **kwargs)
        tensors = [t for value in values for t in (value if isinstance(value, (list, tuple)) else (value,)) if isinstance(t, Tensor)]
        if not torch.is_grad_enabled() or not any(t.requires_grad for t in tensors):
            return self.run(values)
        return self.differentiable(values)

    def check(self, values: list[Any]) -> None:
        for i, (a, value) in enumerate(zip(self.schema.arguments, values)):
            optional = a.type.endswith("?")
            if a.type.startswith("Tensor") and "[" not in a.type and not isinstance(value, Tensor) and not (value is None and optional):
                raise RuntimeError(f"{self.qualname}() Expected a value of type '{a.type}' for argument '{a.name}' but instead found type '{type(value).__name__}'.\n"
                                   f"Position: {i}\nValue: {value!r}\nDeclaration: {self.schema}")

    def run(self, values: list[Any]) -> Any:
        args = [v for v, a in zip(values, self.schema.arguments) if not a.kwarg_only]
        kwargs = {a.name: v for v, a in zip(values, self.schema.arguments) if a.kwarg_only}
        with torch.no_grad():
            result = self.kernel()(*args, **kwargs)
        if self.checks_aliases:
            self.refuse_aliases(values, result)
        return tuple(result) if isinstance(result, list) and len(self.schema.returns) > 1 else result

    def refuse_aliases(self, values: list[Any], result: Any) -> None:
        outputs = [t for t in (result if isinstance(result, (list, tuple)) else (result,)) if isinstance(t, Tensor)]
        inputs = [t for value in values for t in (value if isinstance(value, (list, tuple)) else (value,)) if isinstance(t, Tensor)]
        places = [t.untyped_storage().data_ptr() for t in inputs if t.numel()]
        for output in outputs:
            place = output.untyped_storage().data_ptr() if output.numel() else None
            if place is not None and place in places:
                raise RuntimeError(f"{self.qualname}: The output of this custom operator (1) must not also be an input to this custom operator and (2) may not alias any "
                                   "inputs to this custom operator or other returns. Please return a clone() instead.")
            if place is not None:
                places.append(place)

    def differentiable(self, values: list[Any]) -> Any:
        operator = self
        mutated = [v for v, a in zip(values, self.schema.arguments) if a.is_write and isinstance(v, Tensor)]
        if mutated and any(v.requires_grad for v in mutated):
            raise RuntimeError(f"{self.qualname}: an operator that changes a tensor that requires grad has no gradient here; see docs/differences.md")
        lists = [len(v) if isinstance(v, (list, tuple)) and v and isinstance(v[0], Tensor) else None for v in values]

        def packed(flat: tuple[Any, ...]) -> list[Any]:
            result, i = [], 0
            for length in lists:
                result.append(flat[i] if length is None else list(flat[i : i + length]))
                i += 1 if length is None else length
            return result

        class GeneratedBackwardFor(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, *flat: Any) -> Any:
                inputs = packed(flat)
                result = operator.run(inputs)
                if operator.setup_context is not None:
                    positional = tuple(v for v, a in zip(inputs, operator.schema.arguments) if not a.kwarg_only)
                    named = {a.name: v for v, a in zip(inputs, operator.schema.arguments) if a.kwarg_only}
                    extra = {"keyword_only_inputs": named} if named else {}
                    operator.setup_context(ctx=ctx, inputs=positional, output=result, **extra)
                return tuple(result) if isinstance(result, list) else result

            @staticmethod
            def backward(ctx: Any, *grads: Any) -> Any:
                if operator.backward is None:
                    raise RuntimeError(f"Trying to backward through {operator.text} but no autograd formula was registered. Please use register_autograd to add one.")
                if len(operator.schema.returns) == 1 and operator.schema.returns[0].type == "Tensor[]":
                    grads = (list(grads),)
                found = operator.backward(ctx, *grads)
                found = found if isinstance(found, tuple) else (found,)
                found = (*found, *(None for _ in range(len(lists) - len(found))))
                flat: list[Any] = []
                for grad, length in zip(found, lists):
                    flat += [grad] if length is None else list(grad) if grad is not None else [None] * length
                return tuple(flat)

        GeneratedBackwardFor.__name__ = f"GeneratedBackwardFor_{self.text.replace('.', '_')}"
        flat = [v for value, length in zip(values, lists) for v in ([value] if length is None else value)]
        result = GeneratedBackwardFor.apply(*flat)
        return list(result) if isinstance(result, tuple) and len(self.schema.returns) == 1 and self.schema.returns[0].type == "Tensor[]" else result


_operators: dict[str, _Operator] = {}
_defined: dict[str, Library] = {}


def _key(qualname: str) -> str:
    name, _, overload = qualname.partition(".")
    return f"{name}.{overload}" if overload and overload != "default" else name


def _operator(op: Any) -> _Operator:
    if isinstance(op, CustomOpDef):
        op = op._qualname
    if isinstance(op, (_ops.OpOverload, _ops.OpOverloadPacket)):
        op = op._name
    if not isinstance(op, str):
        raise ValueError(f"expected an operator or its name, got {type(op).__name__}")
    if _key(op) not in _operators:
        raise RuntimeError(f"operator {op} does not exist: pywasmtorch knows what torch.library defined, and changes no operator of its own; see docs/differences.md")
    return _operators[_key(op)]


def _kernel_keys(types: Any) -> list[str]:
    names = [types] if isinstance(types, str) else list(types)
    return ["CompositeExplicitAutograd" if n == "default" else n.upper() if n.islower() else n for n in names]


class Library:
    """Operators of a namespace: `kind` is DEF (the one place that defines it), FRAGMENT or IMPL."""

    def __init__(self, ns: str, kind: str, dispatch_key: str = "") -> None:
        if kind not in ("IMPL", "DEF", "FRAGMENT"):
            raise ValueError(f"Unsupported kind: {kind}")
        if ns in ("prim", "prims") and kind in ("DEF", "FRAGMENT"):
            raise ValueError(f"{ns} is a reserved namespace. Please try creating a library with another name.")
        if ns in ("aten", "prim", "prims"):
            raise NotImplementedError(f"Library({ns!r}, {kind!r}): pywasmtorch changes no operator of its own; see docs/differences.md")
        if kind == "DEF":
            if ns in _defined:
                raise RuntimeError(f"Only a single TORCH_LIBRARY can be used to register the namespace {ns}; please put all of your definitions in a single TORCH_LIBRARY block.")
            _defined[ns] = self
        self.ns, self.kind, self.dispatch_key = ns, kind, dispatch_key
        self._mine: list[str] = []

    def __repr__(self) -> str:
        return f"Library(kind={self.kind}, ns={self.ns}, dispatch_key={self.dispatch_key})>"

    def define(self, schema: str, alias_analysis: str = "", *, tags: Any = ()) -> str:
        """Makes an operator, without an implementation; its name with the overload's. RuntimeError where it is there already."""
        if self.kind == "IMPL":
            raise RuntimeError("define: a library of kind IMPL defines nothing")
        parsed = _ops.FunctionSchema(schema)
        parsed.namespace = self.ns
        qualname = f"{self.ns}::{parsed._name}" + (f".{parsed.overload_name}" if parsed.overload_name else "")
        if qualname in _operators:
            raise RuntimeError(f"Tried to register an operator ({parsed}) with the same name and overload name multiple times.")
        operator = _operators[qualname] = _Operator(f"{self.ns}::{parsed._name}", parsed)
        space = _ops._namespace(self.ns)
        packet = space.__dict__.get(parsed._name) or _ops.OpOverloadPacket(self.ns, parsed._name)
        packet._add(parsed.overload_name or "default", operator, parsed)
        space.__dict__[parsed._name] = packet
        self._mine.append(qualname)
        return parsed._name + (f".{parsed.overload_name}" if parsed.overload_name else "")

    def impl(self, op_name: Any, fn: Callable[..., Any], dispatch_key: str = "", *, with_keyset: bool = False, allow_override: bool = False) -> None:
        """Gives an operator a function, for CPU, CompositeImplicitAutograd, CompositeExplicitAutograd, Autograd or AutocastCPU (called while
        autocast is on); those of other devices are kept and not called."""
        if not callable(fn):
            raise TypeError(f"Input function is required to be a callable but found type {type(fn)}")
        if with_keyset:
            raise NotImplementedError("Library.impl(with_keyset=True): pywasmtorch has no dispatch keys; see docs/differences.md")
        name = op_name._schema._name if isinstance(op_name, _ops.OpOverload) else str(op_name).rpartition("::")[2]
        if isinstance(op_name, _ops.OpOverload) and op_name._schema.overload_name:
            name += f".{op_name._schema.overload_name}"
        key = dispatch_key or self.dispatch_key or "CompositeImplicitAutograd"
        operator = _operator(f"{self.ns}::{name}")
        if key == "Meta":
            operator.fake = fn
            return
        if key in operator.kernels and not allow_override:
            raise RuntimeError(f"This is not allowed since there's already a kernel registered from python overriding {name}'s behavior for {key} dispatch key and {self.ns} namespace.")
        operator.kernels[key] = fn

    def fallback(self, fn: Any, dispatch_key: str = "", *, with_keyset: bool = False) -> NoReturn:
        raise NotImplementedError("Library.fallback: pywasmtorch has no dispatch keys; see docs/differences.md")

    def _register_fake(self, op_name: str, fn: Callable[..., Any], _stacklevel: int = 1, *, allow_override: bool = False) -> None:
        _operator(f"{self.ns}::{op_name}").fake = fn

    def _destroy(self) -> None:
        """Takes away what this library defined."""
        for qualname in self._mine:
            operator = _operators.pop(qualname, None)
            space = _ops._namespace(self.ns)
            if operator is not None:
                space.__dict__.pop(operator.schema._name, None)
        self._mine.clear()
        if _defined.get(self.ns) is self:
            del _defined[self.ns]


@contextlib.contextmanager
def _scoped_library(*args: Any, **kwargs: Any) -> Iterator[Library]:
    lib = Library(*args, **kwargs)
    try:
        yield lib
    finally:
        lib._destroy()


def define(qualname: str, schema: str, *, lib: Library | None = None, tags: Any = ()) -> None:
    """Makes the operator `qualname`, such as `mylib::f`, of a schema without a name, such as `(Tensor x) -> Tensor`."""
    if not isinstance(qualname, str):
        raise ValueError(f"define(qualname, schema): expected qualname to be instance of str, got {type(qualname)}")
    namespace, name = _names(qualname)
    if not schema.lstrip().startswith("("):
        raise ValueError(f'define(qualname, schema, ...): expected schema to look like e.g. "(Tensor x) -> Tensor" but got "{schema}"')
    (lib or Library(namespace, "FRAGMENT")).define(name + schema.strip(), tags=tags)


def _names(qualname: str) -> tuple[str, str]:
    namespace, found, name = qualname.partition("::")
    if not found or not namespace or not name:
        raise ValueError(f"Expected `name` to be of the form `namespace::name`, got {qualname!r}")
    return namespace, name


def impl(qualname: Any, types: Any = "default", func: Callable[..., Any] | None = None, *, lib: Library | None = None) -> Any:
    """Gives an operator a function for some devices ("cpu") or all ("default"); without `func`, a decorator."""
    if isinstance(types, str) and types == "default":
        keys = ["CompositeExplicitAutograd"]
    else:
        keys = _kernel_keys(types)

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        operator = _operator(qualname)
        for key in keys:
            operator.kernels[key] = function
        return function

    return register if func is None else (register(func), None)[1]


def register_kernel(op: Any, device_types: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """As `impl`; `device_types=None`: for all."""
    return impl(op, "default" if device_types is None else device_types, func, lib=lib)


def register_fake(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None, _stacklevel: int = 1, allow_override: bool = False) -> Any:
    """Says what shape and dtype an operator's results have; `opcheck` compares that with the results. Without `func`, a decorator."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        operator = _operator(op)
        if operator.fake is not None and not allow_override and not isinstance(op, CustomOpDef):
            raise RuntimeError(f"{operator.qualname} already has a fake impl registered")
        operator.fake = function
        return function

    return register if func is None else register(func)


impl_abstract = register_fake


def register_autograd(op: Any, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None, lib: Library | None = None) -> None:
    """Gives an operator a gradient: `setup_context(ctx, inputs, output)` keeps what `backward(ctx, *grads)` needs, which returns a gradient
    (or None) for each input."""
    operator = _operator(op)
    if operator.schema.is_mutable:
        raise RuntimeError(f"Cannot register autograd formula for non-functional operator {operator.text} with schema {operator.schema}. Please create a functional operator "
                           "and register an autograd formula for that.")
    operator.backward, operator.setup_context = backward, setup_context


def register_vmap(op: Any, func: Callable[..., Any] | None = None, /, *, lib: Library | None = None) -> Any:
    """Keeps a rule for `torch.vmap`, which here calls the operator for each sample and needs none. Without `func`, a decorator."""

    def register(function: Callable[..., Any]) -> Callable[..., Any]:
        _operator(op).vmap = function
        return function

    return register if func is None else (register(func), None)[1]


def register_torch_dispatch(op: Any, torch_dispatch_class: Any, func: Any = None, /, *, lib: Library | None = None) -> NoReturn:
    raise NotImplementedError("torch.library.register_torch_dispatch is not in pywasmtorch; see docs/differences.md")


def triton_op(name: str, fn: Any = None, /, *, mutates_args: Any, schema: str | None = None) -> NoReturn:
    raise NotImplementedError("torch.library.triton_op: pywasmtorch runs no Triton kernels; see docs/differences.md")


def wrap_triton(triton_kernel: Any, /) -> NoReturn:
    raise NotImplementedError("torch.library.wrap_triton: pywasmtorch runs no Triton kernels; see docs/differences.md")


def get_ctx() -> NoReturn:
    raise NotImplementedError("torch.library.get_ctx: pywasmtorch has no tensors without values; see docs/differences.md")


class CustomOpDef:
    """A function that is an operator: `torch.ops.NAMESPACE.NAME`."""

    def __init__(self, namespace: str, name: str, schema: str, fn: Callable[..., Any]) -> None:
        self._namespace, self._name, self._init_fn = namespace, name, fn
        self._qualname = f"{namespace}::{name}"
        if self._qualname in _operators:
            Library._destroy(_of_function(self._qualname))
        self._lib = Library(namespace, "FRAGMENT")
        self._lib.define(name + schema)
        self._operator = _operators[self._qualname]
        self._operator.checks_aliases = not self._operator.schema.is_mutable
        self._opoverload = getattr(_ops._namespace(namespace), name).default
        self.__name__, self.__doc__ = name, fn.__doc__

    def __repr__(self) -> str:
        return f"<CustomOpDef({self._qualname})>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._opoverload(*args, **kwargs)

    def register_kernel(self, device_types: Any, fn: Callable[..., Any] | None = None, /) -> Any:
        """An implementation for a kind of device, or for all (None)."""
        return register_kernel(self._qualname, device_types, fn)

    def register_fake(self, fn: Callable[..., Any], /) -> Callable[..., Any]:
        """What shape and dtype the results have."""
        self._operator.fake = fn
        return fn

    def register_autograd(self, backward: Callable[..., Any], /, *, setup_context: Callable[..., Any] | None = None) -> None:
        """The gradient; see :func:`register_autograd`."""
        register_autograd(self, backward, setup_context=setup_context)

    def register_vmap(self, func: Callable[..., Any] | None = None) -> Any:
        return register_vmap(self._qualname, func)

    def register_torch_dispatch(self, torch_dispatch_class: Any, fn: Any = None, /) -> NoReturn:
        register_torch_dispatch(self, torch_dispatch_class, fn)

    @contextlib.contextmanager
    def set_kernel_enabled(self, device_type: str, enabled: bool = True) -> Iterator[None]:
        """Inside, the implementation for a kind of device is (or is not) used."""
        kernels, key = self._operator.kernels, device_type.upper()
        kept = kernels.get(key)
        if not enabled:
            kernels.pop(key, None)
        try:
            yield
        finally:
            if kept is not None:
                kernels[key] = kept


def _of_function(qualname: str) -> Any:
    lib = Library.__new__(Library)
    lib.ns, lib._mine = qualname.partition("::")[0], [qualname]
    return lib


def custom_op(name: str, fn: Callable[..., Any] | None = None, /, *, mutates_args: str | Iterable[str], device_types: Any = None, schema: str | None = None, tags: Any = None) -> Any:
    """Makes an operator of a function, which stays opaque: its gradient is what `register_autograd` says.

    Args:
        name (str): ``namespace::name``.
        fn: the function, with annotations; without it, a decorator.
        mutates_args: names of the arguments that it changes, or ``"unknown"``.
        device_types: the kinds of devices that the function is for. Default: all.
        schema (str, optional): instead of the annotations.
    """

    def make(function: Callable[..., Any]) -> CustomOpDef:
        namespace, short = _names(name)
        text = infer_schema(function, mutates_args=mutates_args) if schema is None else schema
        result = CustomOpDef(namespace, short, text, function)
        if schema is not None and mutates_args != "unknown":
            written = {a.name for a in result._operator.schema.arguments if a.is_write}
            if written != set(mutates_args):
                raise ValueError(f"Attempted to create a custom op with `mutates_args={mutates_args}` and `schema={schema}`. The schema suggests that the op mutates {written}, "
                                 "which is different from what was provided to us in `mutates_args`. Please make these consistent.")
        register_kernel(result._qualname, device_types, function)
        return result

    return make if fn is None else make(fn)


# ---- checks ----
def _same_values(a: Any, b: Any) -> bool:
    return a.shape == b.shape and bool(torch.isclose(a, b, rtol=0, atol=0, equal_nan=True).all())


def _check_schema(operator: _Operator, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    values = operator.schema.bind(args, kwargs)
    before = [v.detach().clone() if isinstance(v, Tensor) else None for v in values]
    with torch.no_grad():
        call(*args, **kwargs)
    for a, value, old in zip(operator.schema.arguments, values, before):
        if old is not None and not a.is_write and not _same_values(value.detach(), old):
            raise RuntimeError(f"Argument {a.name} is not defined as mutable but was mutated")


def _check_autograd(operator: _Operator, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if any(key.startswith("Autograd") for key in operator.kernels) and operator.backward is not None:
        raise RuntimeError(f"{operator.text} has both an Autograd kernel and a formula")


def _check_fake(operator: _Operator, call: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    if operator.fake is None:
        if "CompositeImplicitAutograd" in operator.kernels:
            return
        raise RuntimeError(f"{operator.text}: no fake implementation was registered; use register_fake")
    with torch.no_grad():
        real, fake = call(*args, **kwargs), operator.fake(*args, **kwargs)
    pairs = zip(*(x if isinstance(x, (list, tuple)) else (x,) for x in (real, fake)))
    for a, b in pairs:
        if isinstance(a, Tensor) and (a.shape != b.shape or a.dtype is not b.dtype or a.stride() != b.stride()):
            raise RuntimeError(f"{operator.text}: the fake implementation gives shape {tuple(b.shape)}, stride {b.stride()} and {b.dtype}, the operator {tuple(a.shape)}, "
                               f"{a.stride()} and {a.dtype}")


_CHECKS = {"test_schema": _check_schema, "test_autograd_registration": _check_autograd, "test_faketensor": _check_fake}
_WITHOUT = "test_aot_dispatch_dynamic"


def opcheck(op: Any, args: tuple[Any, ...], kwargs: dict[str, Any] | None = None, *, test_utils: Any = tuple(_CHECKS), raise_exception: bool = True, atol: Any = None,
            rtol: Any = None) -> dict[str, Any]:
    """Whether an operator does what its schema and its fake implementation say, for these arguments: name of the check -> ``"SUCCESS"`` or
    what went wrong, which is raised as OpCheckError unless ``raise_exception=False``."""
    operator = _operator(op)
    names = [test_utils] if isinstance(test_utils, str) else list(test_utils)
    results: dict[str, Any] = {}
    for name in names:
        if name == _WITHOUT:
            raise NotImplementedError(f"opcheck(test_utils={name!r}): pywasmtorch compiles nothing; see docs/differences.md")
        if name not in _CHECKS:
            raise ValueError(f"unknown check {name!r}; there are {', '.join(_CHECKS)}")
        try:
            _CHECKS[name](operator, operator, args, kwargs or {})
            results[name] = "SUCCESS"
        except Exception as error:
            if raise_exception:
                raise OpCheckError(f"opcheck(op, ...): {name} failed with {error}") from error
            results[name] = error
    return results


__getattr__ = _absent(__name__)
