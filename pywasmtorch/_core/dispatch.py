"""Slow path of operator calls: binds any arguments to schemas, selects overloads, writes `out=`."""

from __future__ import annotations

import warnings
from typing import Any

from . import dtype as _dtype
from . import frame
from .arguments import (
    MISSING,
    Signature,
    accepts,
    bind,
    is_int,
    missing,
    put,
    signature,
    torch_names,
    type_name,
    wanted,
    with_unsigned,
)
from .generated import structs
from .lazy_import import lazy_import
from .operators import NUMBERS
from .overriding import originals, overloaded, state
from .tensor_type import Tensor

#: operators that take two numbers; of the others one must be a tensor
OF_NUMBERS = {"add", "sub", "mul", "div", "floor_divide"}
#: operators that read all of their input after they began to write
READS_LATE = {"cat", "gather", "index_select", "kthvalue", "masked_select", "scatter", "scatter_add", "take", "multinomial"}
#: operators whose out= says in which dtype they compute
OUT_SETS_DTYPE = {"cumsum", "cumprod", "sum", "prod"}
#: operators whose out= is of these dtypes and no other
OUT_DTYPES = {
    "isin": (_dtype.bool_,), "all": (_dtype.bool_, _dtype.uint8), "any": (_dtype.bool_, _dtype.uint8), "multinomial": (_dtype.int64,), "argmax": (_dtype.int64,),
    "argmin": (_dtype.int64,),
}
#: operators whose out= is of the input's dtype
SAME_DTYPE = {
    "gather", "index_select", "masked_select", "take", "mm", "mv", "dot", "vdot", "bmm", "matmul", "addmm", "addmv", "addbmm", "baddbmm", "tril", "triu", "amax", "amin",
    "renorm", "scatter", "scatter_add", "scatter_reduce", "index_add", "index_copy", "index_reduce", "inverse", "histc",
}


ask_late = lazy_import("overrides", "_ask_late")


def asks(arguments: tuple[Any, ...]) -> bool:
    """Whether an argument that is no tensor has a `__torch_function__`."""
    return state.subclasses and any(not isinstance(value, Tensor) for value in overloaded(arguments))


def is_sparse(value: Any) -> bool:
    """Whether an argument is a sparse tensor or a list with one."""
    if isinstance(value, (list, tuple)):
        return any(isinstance(v, Tensor) and v._sparse for v in value)
    return isinstance(value, Tensor) and value._sparse


run_sparse = lazy_import("sparse._operators", "run")


def call(index: int, form: int, arguments: tuple[Any, ...], out: Any = None) -> Any:
    """Runs operator `index` with arguments as torch accepts them; raises TypeError as torch does for what it refuses."""
    s = signature(index)
    name = s.name + ("_" if form else "")
    if any(value is MISSING for value in arguments):
        raise missing(name, [p.name for p, value in zip(s.parameters, arguments) if value is MISSING])
    if any(map(is_sparse, arguments)):
        return run_sparse(s.name, form == frame.FORM_INPLACE, arguments, out)
    for position, (p, value) in enumerate(zip(s.parameters, arguments), 1):
        if not accepts(p, value):
            if asks(arguments):
                return ask_late(name, arguments, tuple(p.default for p in s.parameters))
            at = "" if p.keyword_only else f" (position {position})"
            detail = type_name(value)
            if isinstance(value, (list, tuple)) and p.type.removesuffix("?") in ("int[]", "Tensor[]", "Tensor?[]"):
                place = next((k for k, v in enumerate(value) if not (is_int(v) if p.type.startswith("int") else isinstance(v, Tensor))), 0)
                if value:
                    detail = f"{'tuple' if isinstance(value, tuple) else 'list'} of {type_name(value[place])} (found element of type {type_name(value[place])} at pos {place})"
                    raise TypeError(f"{name}(): argument '{p.name}'{at} must be {wanted(p)}, but found element of type {type_name(value[place])} at pos {place}")
            raise TypeError(f"{name}(): argument '{p.name}'{at} must be {wanted(p)}, not {detail}")
        if p.number and p is s.parameters[0] and s.name not in OF_NUMBERS and s.name[0] != "_" and not any(isinstance(a, Tensor) for a in arguments):
            got = ", ".join(type_name(a) for a in arguments)
            raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n * {s.describe()}\n")
    arguments = with_unsigned(s, arguments)
    i = 0
    if out is not None:
        if s.name in READS_LATE:
            check_out(s, arguments, out)
        if s.returns.startswith("("):
            if not isinstance(out, (tuple, list)):
                raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not {type_name(out)}")
            return into_many(name, call(index, form, arguments, None), out)
        if s.name == "bernoulli" and isinstance(out, Tensor) and len(arguments) == 2:  # 0 and 1 are of every dtype
            result = call(index, form, arguments, None)
            return write_out(out, result.to(out.dtype))
        if isinstance(out, Tensor):
            check_out_dtype(s, arguments, out)
            if s.name in ("all", "any") and out.dtype is _dtype.bool_:  # of uint8 the answer is uint8 otherwise
                arguments = (call(NUMBERS["_to_dtype"], 0, (arguments[0], _dtype.bool_)), *arguments[1:])
        if isinstance(out, Tensor) and not s.writes_out and s.returns == "Tensor":
            return into_many(name, (call(index, form, arguments, None),), (out,))[0]
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
        if s.name in OUT_SETS_DTYPE:
            arguments = in_dtype_of(s, arguments, out)
        before = out.shape  # type: ignore[attr-defined]
        i, form = 1, frame.FORM_OUT
    words, doubles, invoke = frame.here()
    if out is not None:
        words[0] = out._h
    for p, value in zip(s.parameters, arguments):
        i = put(words, doubles, i, p, value)
    if frame.dead:
        frame.flush()
    handle = invoke(index | form | len(arguments) << 16)
    if not handle:
        frame.raise_error()
    if out is not None:
        warn_of_resize(before, out)
        return out
    if form:
        return arguments[0]
    return take(s, words, doubles, handle)


def take(s: Signature, words: Any, doubles: Any, handle: int) -> Any:
    if s.returns.startswith("("):
        return frame.take_many(words, getattr(structs, s.name, tuple), s.returns.count(",") + 1)
    if s.returns == "Tensor":
        return frame.take_tensor(words, handle)
    if s.returns == "Tensor[]":
        return frame.take_list(words)
    if s.returns == "Scalar":
        return frame.take_scalar(words, doubles)
    if s.returns == "ScalarType":
        return frame.take_dtype(words)
    return {"int": lambda: words[0], "float": lambda: doubles[0], "bool": lambda: words[0] != 0}[s.returns]()


def dispatch(name: str, table: tuple[tuple[int, Any], ...], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """Calls the first overload whose signature takes these arguments."""
    if names:
        names = torch_names(name.rstrip("_"), {p.name for index, _ in table for p in signature(index).parameters}, names)
    out = names.pop("out", None) if names else None
    for index, _ in table:
        values = bind(signature(index), arguments, names)
        if values is not None:
            return call(index, frame.FORM_INPLACE if name.endswith("_") else 0, tuple(values), out)
    if asks(arguments):
        return ask_late(name, arguments, ())
    got = ", ".join([type_name(a) for a in arguments] + [f"{k}={type_name(v)}" for k, v in names.items()])
    lines = "\n".join(f" * {signature(index).describe()}" for index, _ in table)
    raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{lines}\n")


def kind_of(value: Any) -> str:
    """The schema type that an argument of a function of lists goes by."""
    if isinstance(value, (list, tuple)):
        return "Tensor[]" if not value or isinstance(value[0], Tensor) else "Scalar[]"
    return "Tensor" if isinstance(value, Tensor) else "Scalar" if isinstance(value, (int, float, complex)) else "other"


def dispatch_lists(name: str, table: tuple[tuple[int, Any], ...], kinds: dict[tuple[str, ...], Any], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """As `dispatch`, without a look at every item where kinds and names tell the overload."""
    function = kinds.get((*map(kind_of, arguments), *names))
    return dispatch(name, table, arguments, names) if function is None else function(*arguments, **names)


def with_torch_names(function: Any, names: dict[str, Any], given: dict[str, Any]) -> Any:
    """Calls again with other names (axis, keepdims, x) under torch's; TypeError for unknown names."""
    code, name = originals.get(function, function).__code__, function.__name__.removesuffix("_function")
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    defaults = {**dict(zip(reversed(parameters[: code.co_argcount]), reversed(function.__defaults__ or ()))), **(function.__kwdefaults__ or {})}
    call_with = {k: given[k] for k in parameters}
    for k, (torch_name, value) in zip(names, torch_names(name.rstrip("_"), parameters, names).items()):
        if torch_name not in parameters or call_with[torch_name] is not defaults.get(torch_name):
            raise TypeError(f"{name}() got an unexpected keyword argument '{k}'")
        call_with[torch_name] = value
    return function(**call_with)


# ---- out= ----
OVERLAPS, CAN_CAST, RESIZE = (NUMBERS[name] for name in ("_overlaps", "_can_cast", "_resize"))
IS_GRAD_ENABLED, COPY = NUMBERS["_is_grad_enabled"], NUMBERS["copy_"] | frame.FORM_INPLACE


def asked(number: int, *slots: int) -> int:
    """What an operator answers that takes these slots."""
    words, _, invoke = frame.here()
    if frame.dead:
        frame.flush()
    for i, value in enumerate(slots):
        words[i] = value
    if not invoke(number | len(slots) << 16):
        frame.raise_error()
    return words[0]


def records_gradients() -> bool:
    return asked(IS_GRAD_ENABLED) != 0


def overlap(a: Tensor, b: Tensor) -> bool:
    return asked(OVERLAPS, a._h, b._h) != 0


def write_out(out: Tensor, result: Tensor) -> Tensor:
    """What `out=` means: resized to the result, then filled with it. RuntimeError where the dtype cannot hold it."""
    if records_gradients() and (result.requires_grad or out.requires_grad):
        raise RuntimeError("functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.")
    if not asked(CAN_CAST, result.dtype._code, out.dtype._code):
        raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {out.dtype}")
    before, size = out.shape, result.shape
    if before != size:
        call(RESIZE, 0, (out, size))
        warn_of_resize(before, out)
    asked(COPY, out._h, result._h)
    return out


def written(result: Tensor, out: Tensor | None) -> Tensor:
    """The result itself, or `out` that holds it."""
    return result if out is None else write_out(out, result)


def warn_of_resize(before: Any, out: Any) -> None:
    """torch's warning where `out=` had elements and another size."""
    if before != out.shape and 0 not in before:
        warnings.warn(f"An output with one or more elements was resized since it had shape {list(before)}, which does not match the required output "
                      f"shape {list(out.shape)}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
                      "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                      stacklevel=4)


def into_many(name: str, results: Any, outs: Any) -> Any:
    """out=(values, indices): each result goes into the tensor given for it. RuntimeError for another dtype."""
    if len(outs) != len(results):
        raise TypeError(f"{name}(): argument 'out' must be tuple of {len(results)} Tensors, but got {len(outs)}")
    for result, out in zip(results, outs):
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not tuple of {type_name(out)}")
        if result.requires_grad or (out.requires_grad and records_gradients()):
            raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
                               "grad.")
    for out, result in zip(outs, results):
        if len(outs) > 1 and out.dtype is not result.dtype:
            raise RuntimeError(f"Expected out tensor to have dtype {result.dtype}, but got {out.dtype} instead")
    return type(results)([write_out(out, result) for out, result in zip(outs, results)])


def check_out_dtype(s: Signature, arguments: tuple[Any, ...], out: Tensor) -> None:
    """RuntimeError where out= is of a dtype that the operator does not write."""
    if s.name in SAME_DTYPE:
        dtypes: tuple[Any, ...] = (next(a.dtype for a in arguments if isinstance(a, Tensor)),)
    elif s.name in ("searchsorted", "bucketize"):
        at = next(k for k, p in enumerate(s.parameters) if p.name == "out_int32")
        dtypes = (_dtype.int32 if at < len(arguments) and arguments[at] else _dtype.int64,)
    else:
        dtypes = OUT_DTYPES.get(s.name, ())
    if dtypes and out.dtype not in dtypes:
        raise RuntimeError(f"{s.name}(): Expected out tensor to have dtype {' or '.join(map(repr, dtypes))}, but got {out.dtype} instead")


def check_out(s: Signature, arguments: tuple[Any, ...], out: Any) -> None:
    """torch's refusals of tensors given as out= that the core, which makes the result apart, does not need."""
    given = [v for a in arguments for v in (a if isinstance(a, (list, tuple)) else (a,)) if isinstance(v, Tensor)]
    for target in out if isinstance(out, (list, tuple)) else (out,):
        if not isinstance(target, Tensor):
            continue
        if any(overlap(target, t) for t in given):
            raise RuntimeError("unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory location. "
                               "Please clone() the tensor before performing the operation.")


def in_dtype_of(s: Signature, arguments: tuple[Any, ...], out: Any) -> tuple[Any, ...]:
    """The arguments with out's dtype for `dtype`; RuntimeError where another is given."""
    at = next(k for k, p in enumerate(s.parameters) if p.name == "dtype")
    given = arguments[at] if at < len(arguments) else None
    given = given if given is None or isinstance(given, _dtype.dtype) else _dtype.of_python_type(given)
    if given is not None and given is not out.dtype:
        raise RuntimeError(f"Expected out tensor to have dtype {given}, but got {out.dtype} instead")
    return (*arguments[:at], out.dtype, *arguments[at + 1 :])
