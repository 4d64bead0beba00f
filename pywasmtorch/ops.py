"""torch.ops: operators by namespace, name and overload. `torch.ops.aten` has the functions of torch, other namespaces what torch.library
was given."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any

from . import _FUNCTIONS
from ._core import overriding as _overriding
from ._core.lazy_import import lazy_import
from ._core.overriding import state as _state
from ._tensor import Tensor

__all__ = ["Argument", "FunctionSchema", "OpOverload", "OpOverloadPacket", "load_library"]


# ---- schemas ----
class Argument:
    """One argument or result of a schema; `is_write`: the operator changes it."""

    def __init__(self, type: str, name: str = "", default: Any = ..., kwarg_only: bool = False) -> None:
        alias = re.search(r"\((\w+)(!?)( ?->.*)?\)", type)
        self.alias_info = alias and _Alias(alias[1], bool(alias[2]))
        self.text = type
        self.type = re.sub(r"\([^)]*\)", "", type)
        self.name, self.kwarg_only, self.is_write = name, kwarg_only, bool(alias and alias[2])
        self._default = default

    def has_default_value(self) -> bool:
        return self._default is not ...

    @property
    def default_value(self) -> Any:
        return None if self._default is ... else self._default

    def __str__(self) -> str:
        return f"{self.text} {self.name}".strip() + (f"={_text(self._default)}" if self.has_default_value() else "")

    def __repr__(self) -> str:
        return str(self)


class _Alias:
    def __init__(self, name: str, is_write: bool) -> None:
        self.before_set = self.after_set = {name}
        self.is_write = is_write


def _text(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_text, value))}]"
    if isinstance(value, float):
        return f"{value:g}" + ("." if value == int(value) else "") if abs(value) < 1e16 else str(value)
    return f'"{value}"' if isinstance(value, str) else str(value)


def _value(text: str) -> Any:
    import ast

    named = {"True": True, "False": False, "None": None, "inf": float("inf"), "-inf": float("-inf")}
    return named[text] if text in named else ast.literal_eval(text)


def _split(text: str) -> list[str]:
    """At commas that are in no bracket."""
    parts, depth, start = [], 0, 0
    for i, c in enumerate(text + ","):
        depth += (c in "[(") - (c in "])")
        if c == "," and not depth:
            parts.append(text[start:i].strip())
            start = i + 1
    return [part for part in parts if part]


class FunctionSchema:
    """A parsed schema such as `f(Tensor x, int n=3) -> Tensor`. ValueError for what is none."""

    def __init__(self, text: str) -> None:
        match = re.fullmatch(r"\s*(?:(\w+)::)?(\w+)(?:\.(\w+))?\s*\((.*)\)\s*->\s*(.+?)\s*", text, re.DOTALL)
        if match is None:
            raise ValueError(f"not a schema: {text!r}")
        self.namespace, self._name, overload, inside, results = match.groups()
        self.overload_name = overload or ""
        self.arguments: list[Argument] = []
        keyword_only = False
        for part in _split(inside):
            if part == "*":
                keyword_only = True
                continue
            head, _, default = part.partition("=")
            kind, _, name = head.strip().rpartition(" ")
            if not kind:
                raise ValueError(f"not a schema: {text!r}; {part!r} has a type or a name only")
            self.arguments.append(Argument(kind.strip(), name, _value(default.strip()) if default else ..., keyword_only))
        several = results.startswith("(") and results.endswith(")")
        self.returns = [Argument(*_result(part)) for part in (_split(results[1:-1]) if several else [results])]
        self._several = several

    @property
    def name(self) -> str:
        return f"{self.namespace}::{self._name}" if self.namespace else self._name

    @property
    def is_mutable(self) -> bool:
        return any(a.is_write for a in self.arguments)

    def __str__(self) -> str:
        parts, starred = [], False
        for a in self.arguments:
            if a.kwarg_only and not starred:
                starred = True
                parts.append("*")
            parts.append(str(a))
        overload = f".{self.overload_name}" if self.overload_name else ""
        results = ", ".join(map(str, self.returns))
        return f"{self.name}{overload}({', '.join(parts)}) -> {f'({results})' if self._several else results}"

    __repr__ = __str__

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[Any]:
        """The value of each argument. RuntimeError where one is missing or is not there."""
        known = {a.name for a in self.arguments}
        for name in kwargs:
            if name not in known:
                raise RuntimeError(f"{self.name}() got an unknown keyword argument '{name}'.\nDeclaration: {self}")
        positional = [a for a in self.arguments if not a.kwarg_only]
        if len(args) > len(positional):
            raise RuntimeError(f"{self.name}() expected at most {len(positional)} argument(s) but received {len(args)} argument(s). Declaration: {self}")
        values: list[Any] = []
        for i, a in enumerate(self.arguments):
            if not a.kwarg_only and i < len(args):
                values.append(args[i])
            elif a.name in kwargs:
                values.append(kwargs[a.name])
            elif a.has_default_value():
                values.append(a.default_value)
            else:
                raise RuntimeError(f"{self.name}() is missing value for argument '{a.name}'. Declaration: {self}")
        return values


def _result(text: str) -> tuple[str, str]:
    kind, _, name = text.rpartition(" ")
    return (kind, name) if kind else (text, "")


# ---- operators ----
class OpOverload:
    """One overload of an operator, which is called with its arguments."""

    def __init__(self, packet: OpOverloadPacket, overload: str, call: Callable[..., Any], schema: FunctionSchema | None) -> None:
        self._packet, self._overloadname, self._op, self._known_schema = packet, overload, call, schema
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__module__ = f"torch._ops.{packet._namespace}"
        self.__qualname__ = self._name = f"{packet._qualified_op_name}" + (f".{overload}" if overload != "default" else "")
        self.tags: list[Any] = []

    @property
    def _schema(self) -> FunctionSchema:
        if self._known_schema is None:
            raise NotImplementedError(f"{self}._schema: pywasmtorch has no schema of this operator; see docs/differences.md")
        return self._known_schema

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        return self._packet

    @property
    def op(self) -> Callable[..., Any]:
        return self._op

    @property
    def namespace(self) -> str:
        return self._packet._namespace

    def name(self) -> str:
        return self._name

    @property
    def is_view(self) -> bool:
        return False

    def has_kernel_for_dispatch_key(self, key: Any) -> bool:
        return str(key).rpartition(".")[2] in ("CPU", "CompositeImplicitAutograd", "CompositeExplicitAutograd")

    def decompose(self, *_: Any, **__: Any) -> Any:
        return NotImplemented

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _state.modes or _state.subclasses and (args or kwargs):
            values = _overriding.overloaded((*args, *kwargs.values())) if _state.subclasses else []
            if values or _state.modes:
                return _overriding.ask(self, values, args, kwargs)
        if _state.dispatch_modes:
            return _state.dispatch_modes[-1]._of_operator(self, args, kwargs)
        return self._op(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self._packet}.{self._overloadname}"

    def __repr__(self) -> str:
        return f"<OpOverload(op='{self._packet}', overload='{self._overloadname}')>"

    def __hash__(self) -> int:
        return hash(self._name)

    def __deepcopy__(self, memo: Any) -> OpOverload:
        return self

    def __reduce__(self) -> Any:
        return _find, (self._packet._namespace, self._packet.__name__, self._overloadname)


def _find(namespace: str, name: str, overload: str | None = None) -> Any:
    packet = getattr(_namespace(namespace), name)
    return packet if overload is None else getattr(packet, overload)


class OpOverloadPacket:
    """All overloads of an operator; calling it takes the one that fits."""

    def __init__(self, namespace: str, name: str) -> None:
        self._namespace, self.__name__ = namespace, name
        self._qualified_op_name = self._name = f"{namespace}::{name}"
        self.__module__ = f"torch._ops.{namespace}"
        self._overloads: dict[str, OpOverload] = {}

    def _add(self, overload: str, call: Callable[..., Any], schema: FunctionSchema | None) -> OpOverload:
        found = self._overloads[overload] = OpOverload(self, overload, call, schema)
        return found

    def overloads(self) -> list[str]:
        return list(self._overloads)

    def _is(self, function: Any) -> bool:
        """Whether it runs this very function."""
        return any(overload._op is function for overload in self._overloads.values())

    def __getattr__(self, key: str) -> OpOverload:
        if not key.startswith("__") and key in self._overloads:
            return self._overloads[key]
        raise AttributeError(f"The underlying op of '{self}' has no overload name '{key}'")

    def _choose(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> OpOverload:
        if len(self._overloads) == 1:
            return next(iter(self._overloads.values()))
        if self._namespace == "aten":
            return self._overloads[chosen(self.__name__, list(self._overloads), args, kwargs)]
        for overload in self._overloads.values():
            try:
                values = overload._schema.bind(args, kwargs)
            except RuntimeError:
                continue
            if all(isinstance(v, Tensor) == a.type.startswith("Tensor") or v is None or isinstance(v, (list, tuple)) for v, a in zip(values, overload._schema.arguments)):
                return overload
        raise RuntimeError(f"no overload of {self} takes these arguments: {', '.join(self._overloads)}")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _state.modes or _state.subclasses and (args or kwargs):
            values = _overriding.overloaded((*args, *kwargs.values())) if _state.subclasses else []
            if values or _state.modes:
                return _overriding.ask(self, values, args, kwargs)
        return self._choose(args, kwargs)(*args, **kwargs)

    def __str__(self) -> str:
        return self._qualified_op_name.replace("::", ".")

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"

    def __deepcopy__(self, memo: Any) -> OpOverloadPacket:
        return self

    def __reduce__(self) -> Any:
        return _find, (self._namespace, self.__name__)


# ---- aten ----
#: operators with other overloads than `default`: PyTorch's names of them
_OVERLOADS = {
    "Tensor Scalar": "add add_ sub sub_ mul mul_ div div_ eq ne lt le gt ge eq_ ne_ lt_ le_ gt_ ge_ remainder remainder_ fmod fmod_ bitwise_and bitwise_or bitwise_xor "
    "bitwise_and_ bitwise_or_ bitwise_xor_ bitwise_left_shift bitwise_right_shift copysign copysign_ rsub multiply subtract true_divide divide greater greater_equal less "
    "less_equal not_equal bucketize searchsorted fill fill_ lerp lerp_ masked_fill masked_fill_ floor_divide_ pow_",
    "default Scalar": "floor_divide", "Tensor_Tensor Tensor_Scalar Scalar": "pow float_power",
    "default dim_IntList": "sum nansum count_nonzero", "default dim": "mean all any median nanmedian", "default dim_int": "prod", "default dim other": "max min",
    "default dim correction": "std var std_mean var_mean", "int": "transpose select unbind softmax log_softmax unflatten", "default dim dims": "squeeze squeeze_",
    "Tensor": "split slice index unsafe_split", "self": "where", "src value": "scatter scatter_", "default Tensor": "clamp clamp_ clamp_min clamp_max clip narrow",
    "default stable": "sort argsort", "memory_format": "empty", "default start start_step": "arange", "default low": "randint", "int_Scalar int_Tensor": "index_fill index_fill_",
    "using_ints": "flatten", "self_int self_Tensor": "repeat_interleave", "int default": "size stride",
}
_OVERLOADS_OF = {name: kinds.split() for kinds, names in _OVERLOADS.items() for name in names.split()}


def chosen(name: str, overloads: list[str], args: tuple[Any, ...], kwargs: dict[str, Any]) -> str:
    """The overload that takes these arguments."""
    if len(overloads) == 1:
        return overloads[0]
    second = args[1] if len(args) > 1 else next(iter(kwargs.values()), None) if kwargs.keys() & {"other", "exponent", "weight", "value", "end"} else None
    of_tensor = isinstance(second, Tensor)
    if "Tensor_Tensor" in overloads:
        return "Scalar" if not isinstance(args[0], Tensor) else "Tensor_Tensor" if of_tensor else "Tensor_Scalar"
    if name.rstrip("_") in ("add", "sub", "mul", "div", "true_divide", "multiply", "subtract", "divide"):
        return "Tensor"  # which takes numbers
    if "Tensor" in overloads and "Scalar" in overloads:
        last = args[2] if name.startswith(("masked_fill", "lerp")) and len(args) > 2 else second
        return "Tensor" if isinstance(last, Tensor) or last is None else "Scalar"
    if "Scalar" in overloads:
        return "default" if of_tensor else "Scalar"
    if "other" in overloads:
        return "other" if of_tensor else "dim" if second is not None or "dim" in kwargs else "default"
    if "correction" in overloads:
        return "correction" if not isinstance(second, bool) else "default"
    if "src" in overloads:
        return "src" if isinstance(args[3] if len(args) > 3 else kwargs.get("src"), Tensor) else "value"
    if "start" in overloads:
        return ("default", "start", "start_step")[min(len(args), 3) - 1] if args else "default"
    if "low" in overloads:
        return "low" if len(args) > 2 and isinstance(args[1], int) else "default"
    if "stable" in overloads:
        return "stable" if "stable" in kwargs else "default"
    if "int_Scalar" in overloads:
        return "int_Tensor" if isinstance(args[3], Tensor) else "int_Scalar"
    if "self_int" in overloads:
        return "self_Tensor" if of_tensor else "self_int"
    if overloads == ["int", "default"]:
        return "int" if second is not None or "dim" in kwargs else "default"
    if "Tensor" in overloads:
        return "Tensor" if of_tensor else "default"
    given = second is not None or "dim" in kwargs
    if "dims" in overloads and isinstance(second, (tuple, list)):
        return "dims"
    return next(o for o in overloads if o != "default") if given else "default"


@lru_cache(None)
def _schemas() -> dict[str, list[str]]:
    from ._core.generated.schemas import SCHEMAS

    found: dict[str, list[str]] = {}
    for text, *_ in SCHEMAS:
        found.setdefault(text[: text.index("(")].partition(".")[0], []).append(text)
    return found


def _schema_of(name: str, overload: str) -> FunctionSchema | None:
    """An operator's schema, from the tables of operators; None for functions written in Python."""
    in_place = name.endswith("_") and name not in _schemas()
    texts = _schemas().get(name.rstrip("_") if in_place else name)
    if not texts:
        return None
    text = texts[0]
    if len(texts) > 1:
        text = next((t for t in texts if ("dim" in t[t.index("(") : t.rindex("->")]) == overload.startswith("dim")), text)
    suffix = f".{overload}" if overload != "default" else ""
    text = f"aten::{name}{suffix}{text[text.index('('):]}"
    if overload == "Scalar":
        text = re.sub(r"Tensor other\b", "Scalar other", text)
    if in_place:
        text = text.replace("(Tensor self", "(Tensor(a!) self", 1).replace("-> Tensor", "-> Tensor(a!)")
    return FunctionSchema(text)


def _more_of_aten() -> dict[str, Any]:
    """Operators that PyTorch has under a name that no function has."""
    from .nn import functional as F

    def convolution(input: Tensor, weight: Tensor, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: bool, output_padding: Any, groups: int) -> Tensor:
        n = weight.dim() - 2
        if transposed:
            return getattr(F, f"conv_transpose{n}d")(input, weight, bias, stride, padding, output_padding, groups, dilation)
        return getattr(F, f"conv{n}d")(input, weight, bias, stride, padding, dilation, groups)

    def to_copy(self: Tensor, *, dtype: Any = None, **_: Any) -> Tensor:
        return self.to(self.dtype if dtype is None else dtype, copy=True)

    def one_half(half_to_float: bool, dtype: Any) -> Any:
        import pywasmtorch as torch

        return torch.float32 if half_to_float else dtype

    def reduced_product(self: Any, other: Any, reduce: str) -> Any:
        raise NotImplementedError("torch.ops.aten._sparse_mm_reduce_impl: products of sparse matrices that reduce otherwise than by a sum are absent")

    return {
        "alias": lambda self: self.view_as(self), "_pin_memory": lambda self, device=None: self.pin_memory(), "_sparse_mm_reduce_impl": reduced_product,
        "_sparse_addmm": lambda self, mat1, mat2, *, beta=1, alpha=1: beta * self + alpha * (mat1 @ mat2),
        "convolution": convolution, "_to_copy": to_copy, "_unsafe_view": lambda self, size: self.reshape(size),
        "_softmax": lambda self, dim, half_to_float: F.softmax(self, dim, dtype=one_half(half_to_float, self.dtype)),
        "_log_softmax": lambda self, dim, half_to_float: F.log_softmax(self, dim, dtype=one_half(half_to_float, self.dtype)),
        "slice": lambda self, dim=0, start=None, end=None, step=1: self[(slice(None),) * (dim % self.dim()) + (slice(start, end, step),)],
        "index": lambda self, indices: self[tuple(slice(None) if i is None else i for i in indices)],
        "sym_size": lambda self, dim: self.size(dim),
    }


def _aten_function(name: str) -> Any:
    from .nn import functional as F

    for place in (_FUNCTIONS, vars(Tensor), vars(F), _more_of_aten()):
        function = place.get(name)
        if callable(function) and not isinstance(function, type):
            return function
    return None


class _Namespace(ModuleType):
    """The operators of one namespace."""

    def __init__(self, name: str) -> None:
        super().__init__(f"torch.ops.{name}")
        self._of = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if self._of == "aten" and (function := _aten_function(name)) is not None:
            packet = OpOverloadPacket("aten", name)
            for overload in _OVERLOADS_OF.get(name, ["default"]):
                packet._add(overload, function, _schema_of(name, overload))
            self.__dict__[name] = packet
            return packet
        raise AttributeError(f"'_OpNamespace' '{self._of}' object has no attribute '{name}'")


_load_library = lazy_import("_compat.native_libraries", "load")
_namespaces: dict[str, _Namespace] = {}


def _namespace(name: str) -> _Namespace:
    if name not in _namespaces:
        _namespaces[name] = _Namespace(name)
    return _namespaces[name]


def load_library(path: Any) -> None:
    """Defines the operators of a published package's compiled library by those of this package, where it has them: torchvision's. The file
    itself is not read: no code of other machines runs here.

    Raises:
        OSError: there is no such file.
        NotImplementedError: a library of which this package has nothing.
    """
    _load_library(path)


def __getattr__(name: str) -> _Namespace:
    if name.startswith("__") and name.endswith("__"):
        raise AttributeError(name)
    return _namespace(name)
