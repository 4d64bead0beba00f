"""torch.overrides: `__torch_function__` of subclasses of Tensor, of other classes and of modes."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

from . import _FUNCTIONS
from . import autograd as _autograd
from ._core import overriding as _overriding
from ._core.arguments import MISSING as _MISSING
from ._core.names import absent as _absent
from ._core.overriding import Shape
from ._core.overriding import state as _state
from ._tensor import Tensor
from ._tensor.operators import METHODS as _OPERATORS

__all__ = [
    "BaseTorchFunctionMode", "TorchFunctionMode", "enable_reentrant_dispatch", "get_default_nowrap_functions", "get_ignored_functions", "get_overridable_functions",
    "get_testing_overrides", "handle_torch_function", "has_torch_function", "has_torch_function_unary", "has_torch_function_variadic", "is_tensor_like",
    "is_tensor_method_or_property", "resolve_name", "wrap_torch_function",
]

#: modes see these, but their arguments are not asked
_TORCH_ONLY_MODES = set("as_tensor asarray from_file from_numpy frombuffer tensor".split())
_FACTORIES = set(
    "arange bartlett_window blackman_window empty empty_permuted empty_strided eye full hamming_window hann_window kaiser_window linspace logspace ones rand randint "
    "randn randperm range scalar_tensor tril_indices triu_indices zeros".split()
)
#: no row of get_overridable_functions: they say or set how torch works, or make tensors of numbers
_IGNORED = set(
    "autocast_decrement_nesting autocast_increment_nesting can_cast clear_autocast_cache compile default_generator from_dlpack get_autocast_cpu_dtype get_autocast_dtype "
    "get_autocast_gpu_dtype get_default_device get_default_dtype get_deterministic_debug_mode get_float32_matmul_precision get_num_interop_threads get_num_threads "
    "get_rng_state initial_seed is_autocast_cache_enabled is_autocast_cpu_enabled is_autocast_enabled is_deterministic_algorithms_warn_only_enabled "
    "are_deterministic_algorithms_enabled is_storage is_tensor is_warn_always_enabled iscomplexobj manual_seed promote_types seed set_autocast_cache_enabled "
    "set_autocast_cpu_dtype set_autocast_cpu_enabled set_autocast_dtype set_autocast_enabled set_autocast_gpu_dtype set_default_device set_default_dtype "
    "set_default_tensor_type set_deterministic_debug_mode set_float32_matmul_precision set_flush_denormal set_num_interop_threads set_num_threads set_printoptions "
    "set_rng_state set_warn_always typename use_deterministic_algorithms sym_float sym_int sym_max sym_min sym_not sym_ite sym_sum sym_sqrt".split()
) | _FACTORIES
_IGNORED_METHODS = set(
    "__new__ __init__ __del__ __hash__ __iter__ __copy__ __torch_function__ __array_namespace__ __getattribute__ __getattr__ __dir__ _bind _make_subclass as_subclass "
    "__array_priority__ __init_subclass__ __subclasshook__ __class_getitem__ __array_wrap__ __dlpack_device__ _is_view new new_tensor".split()
) - {"new_tensor", "__array_wrap__", "__dlpack_device__", "_is_view", "new"}
#: functions that PyTorch has written in Python: they pass on what has a default by name
_WRITTEN_IN_PYTHON = "norm split unique unique_consecutive stft lu cdist tensordot".split()
_METHODS_IN_PYTHON = "norm split unique unique_consecutive stft istft lu backward __array__ __repr__".split()
_IN_CPP = set(
    "adaptive_avg_pool1d avg_pool1d avg_pool2d avg_pool3d bilinear celu_ channel_shuffle conv1d conv2d conv3d conv_tbc conv_transpose1d conv_transpose2d conv_transpose3d "
    "cosine_similarity elu_ gelu hardshrink hardtanh_ leaky_relu_ linear logsigmoid native_channel_shuffle one_hot pairwise_distance pdist pixel_shuffle pixel_unshuffle "
    "prelu relu_ rrelu_ scaled_dot_product_attention selu_ softplus softshrink threshold_".split()
) - {"hardshrink"}
#: which method an operator of Python's is, where it is not the one of its own name
_METHOD_OF = {
    **{f"__{name}__": of for name, of in {"add": "add", "radd": "add", "sub": "sub", "mul": "mul", "rmul": "mul", "truediv": "div", "rtruediv": "__rdiv__", "mod": "remainder", "rand": "bitwise_and",
       "ror": "bitwise_or", "rxor": "bitwise_xor", "matmul": "matmul", "ne": "ne", "lt": "lt", "le": "le", "gt": "gt", "ge": "ge", "iadd": "add_", "isub": "sub_", "imul": "mul_", "itruediv": "div_",
       "ifloordiv": "floor_divide_", "imod": "remainder_", "rdiv": "__rdiv__"}.items()},
    "__div__": "div", "__idiv__": "div_",
}
_nowrap = ("_base", "grad", "_grad")


# ---- which functions ask ----
def _by_name(function: FunctionType, all_of_them: bool = False) -> Any:
    """Has arguments that have defaults passed on by name, as PyTorch's functions written in Python do; or all of them."""
    signature = inspect.signature(function)
    kinds = list(signature.parameters.values())
    if any(p.kind is p.VAR_KEYWORD for p in kinds):
        kinds = [p for p in kinds if p.kind is not p.VAR_KEYWORD]
        signature = signature.replace(parameters=kinds)
    if any(p.kind is p.VAR_POSITIONAL for p in kinds):
        return None

    def shape(arguments: tuple[Any, ...], names: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        try:
            bound = signature.bind(*arguments, **names)
        except TypeError:
            return arguments, names
        bound.apply_defaults()
        values = bound.arguments
        return tuple(values[name] for name in required), {p.name: values[p.name] for p in kinds if p.name not in required}

    required = [] if all_of_them else [p.name for p in kinds if p.default is p.empty or p.default is _MISSING]
    return shape


def _in_tuples(by_name: Shape) -> Shape:
    """Has `autograd.grad` pass on outputs and inputs as tuples."""

    def shape(arguments: tuple[Any, ...], names: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        positional, rest = by_name(arguments, names)
        return tuple((value,) if is_tensor_like(value) else tuple(value) for value in positional), rest

    return shape


def _modules() -> dict[str, Any]:
    """The modules whose functions ask, by their names in torch."""
    from . import fft, linalg, special
    from .nn import functional, init

    return {"torch.nn.functional": functional, "torch.linalg": linalg, "torch.fft": fft, "torch.special": special, "torch.nn.init": init}


@functools.lru_cache(None)
def _public_functions() -> dict[str, dict[str, FunctionType]]:
    """The functions that ask, by module and name; methods under torch.Tensor."""
    found = {"torch": {n: f for n, f in _FUNCTIONS.items() if (n not in _IGNORED or n in _FACTORIES) and isinstance(f, FunctionType)}}
    found["torch.Tensor"] = {n: f for n, f in vars(Tensor).items() if isinstance(f, FunctionType) and n not in _IGNORED_METHODS and n not in _OPERATORS}
    for torch_name, module in _modules().items():
        names = getattr(module, "__all__", None) or [n for n, f in vars(module).items() if isinstance(f, FunctionType)]
        found[torch_name] = {n: f for n in names if n[0] != "_" and isinstance(f := vars(module).get(n), FunctionType)}
    found["torch.autograd"] = {"grad": _autograd.grad}
    found["torch.nn.init"] = {n: f for n, f in found["torch.nn.init"].items() if n in ("constant_", "kaiming_uniform_", "normal_", "uniform_")}
    return found


def _properties() -> dict[str, property]:
    return {n: p for n, p in vars(Tensor).items() if isinstance(p, property) and n != "__class__"}


def _rename(module: str, name: str, function: FunctionType) -> None:
    """Handlers look at names: a function's is the one that torch has it by."""
    own = function.__name__.removesuffix("_function")
    if _FUNCTIONS.get(own) is function or getattr(_modules()["torch.nn.functional"], own, None) is function:
        function.__name__ = function.__qualname__ = own
    elif module != "torch.Tensor":
        function.__name__ = function.__qualname__ = name
    elif vars(Tensor).get(own) is not function:
        function.__name__, function.__qualname__ = name, f"Tensor.{name}"


def _apart(function: Any) -> Any:
    """The function of a property, which no method may share, since they are told apart."""
    return _overriding.original_of(_overriding.originals[function]) if function in _overriding.originals else function


_active = False


def _activate() -> None:
    """From now on functions look at their arguments."""
    global _active
    if _active:
        return
    _active = True
    for module, functions in _public_functions().items():
        for name, function in functions.items():
            shape = None
            if module == "torch.nn.functional" and name not in _IN_CPP and _FUNCTIONS.get(name) is not function:
                shape = _by_name(function)
            elif module == "torch.autograd":
                shape = _in_tuples(_by_name(function))
            elif module == "torch.nn.init":
                shape = _by_name(function, all_of_them=True)
            _rename(module, name, function)
            if module == "torch" and name in _WRITTEN_IN_PYTHON or module == "torch.Tensor" and name in _METHODS_IN_PYTHON:
                shape = _by_name(function)
            _overriding.make_ask(function, shape=shape, only_modes=module == "torch" and name in _TORCH_ONLY_MODES)
    for name, function in _OPERATORS.items():
        _rename("torch.Tensor", name, function)
    Tensor.__pow__.__name__, Tensor.__ipow__.__name__ = "pow", "pow_"
    for name, descriptor in _properties().items():
        accessors = [_apart(function) for function in (descriptor.fget, descriptor.fset, descriptor.fdel)]
        if accessors != [descriptor.fget, descriptor.fset, descriptor.fdel]:
            setattr(Tensor, name, descriptor := property(*accessors))
        for accessor, function in zip(("__get__", "__set__", "__delete__"), accessors):
            if isinstance(function, FunctionType):
                _overriding.make_ask(function, getattr(descriptor, accessor))
    _overriding.unwrapped.update(get_default_nowrap_functions())


def _told_of(name: str) -> Any:
    return getattr(Tensor, _METHOD_OF.get(name, name))


def _asking_operator(name: str) -> Any:
    """An operator of Python's for a subclass. Python tries a subclass's reflected operator first, PyTorch the left operand's."""
    own, told = getattr(Tensor, name), _told_of(name)
    forward = f"__{name[3:]}" if name.startswith("__r") and name not in ("__rshift__",) else None

    def operator(self: Any, other: Any) -> Any:
        if forward is not None and isinstance(other, Tensor) and isinstance(self, type(other)):
            return asked(_told_of(forward), getattr(Tensor, forward), other, self)
        return asked(told, own, self, other)

    def asked(told: Any, own: Any, self: Any, other: Any) -> Any:
        values = _overriding.overloaded((self, other)) if _state.subclasses else []
        if not values and not _state.modes:
            return own(self, other)
        try:
            return _overriding.ask(told, values, (self, other), {})
        except TypeError:
            return NotImplemented

    operator.__name__, operator.__qualname__ = name, f"Tensor.{name}"
    return operator


@functools.lru_cache(None)
def _asking_operators() -> dict[str, Any]:
    return {name: _asking_operator(name) for name in _OPERATORS}


def _of_new_subclass(cls: type) -> None:
    """Called for every new subclass of Tensor."""
    if not _overriding.is_asked(cls):
        return
    _activate()
    for name, operator in _asking_operators().items():
        if getattr(cls, name, None) is vars(Tensor).get(name):
            setattr(cls, name, operator)


def _modes_change(count: int) -> None:
    """While a mode is active, operators of Python's ask as well."""
    _activate()
    before, _overriding.entered = _overriding.entered, _overriding.entered + count
    if bool(before) is bool(_overriding.entered):
        return
    for name, function in _OPERATORS.items():
        if not isinstance(function, FunctionType):
            continue
        if count > 0:
            _overriding.make_ask(function, _told_of(name))
        elif function in _overriding.originals:
            _overriding.restore(function)


def _ask_late(name: str, arguments: tuple[Any, ...], defaults: tuple[Any, ...]) -> Any:
    """For an operator that met, before anything asked, a value that has a `__torch_function__`: with the arguments that are not the defaults."""
    _activate()
    function = _FUNCTIONS.get(name) or vars(Tensor).get(name) or getattr(_modules()["torch.nn.functional"], name)
    given = list(arguments)
    while given and len(given) <= len(defaults) and given[-1] is not None and given[-1] is defaults[len(given) - 1] or given and given[-1] is None:
        given.pop()
    return _overriding.ask(function, _overriding.overloaded(given), tuple(given), {})


# ---- for functions of libraries ----
def has_torch_function(relevant_args: Iterable[Any]) -> bool:
    """Whether a mode is active or one of the arguments has a `__torch_function__`."""
    return bool(_state.modes) or _state.subclasses and any(_overriding.is_asked(type(value)) for value in relevant_args)


def has_torch_function_unary(arg: Any) -> bool:
    return has_torch_function((arg,))


def has_torch_function_variadic(*args: Any) -> bool:
    return has_torch_function(args)


def handle_torch_function(public_api: Callable[..., Any], relevant_args: Iterable[Any], *args: Any, **kwargs: Any) -> Any:
    """What the active mode, or the first `__torch_function__`, gives that does not return NotImplemented, subclasses before their bases.
    TypeError for none."""
    values: list[Any] = []
    if _state.subclasses:
        for value in relevant_args:
            if _overriding.is_asked(type(value)):
                values = _overriding.overloaded((value,), values)
    return _overriding.ask(public_api, values, args, kwargs)


def wrap_torch_function(dispatcher: Callable[..., Iterable[Any]]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator: asks the arguments that `dispatcher` names before it calls the function."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = tuple(dispatcher(*args, **kwargs))
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_like(inp: Any) -> bool:
    """Whether it is a tensor, or has a `__torch_function__`."""
    return isinstance(inp, Tensor) or hasattr(inp, "__torch_function__")


# ---- names ----
@functools.lru_cache(None)
def _overridable() -> tuple[dict[Any, list[Any]], dict[Any, str]]:
    import pywasmtorch as torch

    spaces: dict[Any, list[Any]] = {}
    names: dict[Any, str] = {}
    places = {"torch": torch, "torch.Tensor": Tensor, "torch.autograd": _autograd, **_modules()}
    for place, functions in _public_functions().items():
        space = places[place]
        members: dict[str, Any] = {n: f for n, f in functions.items() if not (place == "torch" and (n in _TORCH_ONLY_MODES or n in _IGNORED or n[0] == "_"))}
        if place == "torch.Tensor":
            members |= {n: getattr(Tensor, n) for n in _OPERATORS}
            for name, descriptor in _properties().items():
                members |= {f"{name}.__get__": descriptor.__get__} | ({f"{name}.__set__": descriptor.__set__} if descriptor.fset else {})
        spaces[space] = list(members.values())
        for name, function in members.items():
            names.setdefault(function, f"{place}.{name}")
    return spaces, names


def get_overridable_functions() -> dict[Any, list[Any]]:
    """The functions that ask `__torch_function__`, by the module or class that has them."""
    return dict(_overridable()[0])


def get_testing_overrides() -> dict[Any, Callable[..., int]]:
    """For each function that asks, a function of the same signature that answers -1."""
    found: dict[Any, Callable[..., int]] = {}
    for functions in _overridable()[0].values():
        for function in functions:
            found.setdefault(function, _answer(function))
    return found


def _answer(function: Any) -> Callable[..., int]:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return lambda *args, **kwargs: -1
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return lambda *args, **kwargs: -1
    text, values = [], {}
    starred = False
    for p in parameters:
        if p.kind is p.KEYWORD_ONLY and not starred:
            starred = True
            text.append("*")
        required = p.default is p.empty or p.default is _MISSING
        values[f"_{p.name}"] = p.default
        text.append(p.name if required else f"{p.name}=_{p.name}")
    try:
        return eval(f"lambda {', '.join(text)}: -1", values)
    except SyntaxError:  # a required argument behind one that is not
        return lambda *args, **kwargs: -1


def get_ignored_functions() -> set[Any]:
    """Functions that do not ask."""
    import pywasmtorch as torch

    names = _IGNORED | _TORCH_ONLY_MODES
    return {_FUNCTIONS[n] for n in names if n in _FUNCTIONS} | {getattr(Tensor, n) for n in _IGNORED_METHODS if hasattr(Tensor, n)} | {
        torch.no_grad, torch.enable_grad, torch.set_grad_enabled, torch.inference_mode, torch.Tensor.__torch_function__,
    }


def get_default_nowrap_functions() -> set[Any]:
    """Functions whose results `Tensor.__torch_function__` returns as they are."""
    return {vars(Tensor)[name].__get__ for name in _nowrap if name in vars(Tensor)}


def is_tensor_method_or_property(func: Any) -> bool:
    """Whether it is a method of Tensor, or what reads or writes a property of it."""
    return func in _overridable()[0][Tensor] or getattr(func, "__name__", "") == "__get__"


def resolve_name(f: Any) -> str | None:
    """The name under which a function is found, such as `torch.add`."""
    name = str(getattr(f, "_name", "")) if type(f).__name__ in ("OpOverload", "OpOverloadPacket") else None
    return name or _overridable()[1].get(f)


# ---- modes ----
class TorchFunctionMode:
    """A context in which `__torch_function__` of this object is asked for every function of torch, whatever its arguments are. While it
    answers, the mode is off."""

    def __init__(self) -> None:
        pass

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> Any:
        _modes_change(1)
        _state.modes = [*_state.modes, self]
        return self

    def __exit__(self, exc_type: Any, exc_val: Any, exc_tb: Any) -> None:
        _state.modes = _state.modes[:-1]
        _modes_change(-1)

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> Any:
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that calls each function as it is."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_function_mode() -> Any:
    return _state.modes[-1] if _state.modes else None


def _get_current_function_mode_stack() -> list[Any]:
    return list(_state.modes)


@contextmanager
def _pop_mode_temporarily() -> Iterator[Any]:
    """The innermost mode, which is off inside."""
    modes = _state.modes
    with _overriding.Without(modes=modes[:-1]):
        yield modes[-1]


def enable_reentrant_dispatch() -> Any:
    """A context in which a `__torch_dispatch__` may call operators that dispatch again. Here it always may."""
    return _overriding.Without()


__getattr__ = _absent(__name__)
