"""Calls by an operator's schema: the slow way, which takes every argument that torch takes, `out=`, overloads and NumPy's names."""

from __future__ import annotations

import warnings
from typing import Any

from . import dtype as _dtype
from . import frame
from .arguments import (
    LONGEST_LIST,
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
from .operators import NUMBERS
from .tensor_type import Tensor

#: operators that take two numbers; of the others one must be a tensor
OF_NUMBERS = {"add", "sub", "mul", "div", "floor_divide"}
#: operators that read all of their input after they began to write
READS_LATE = {"cat", "gather", "index_select", "kthvalue", "masked_select", "scatter", "scatter_add", "take", "multinomial"}
#: operators whose out= says in which dtype they compute
OUT_SETS_DTYPE = {"cumsum", "cumprod", "sum", "prod"}
#: operators whose out= is bool and nothing else
BOOL_OUT = {"isin"}
#: operators whose out= is of the input's dtype
SAME_DTYPE = {"gather", "index_select", "masked_select", "take"}


def call(index: int, form: int, arguments: tuple[Any, ...], out: Any = None) -> Any:
    """Runs operator `index` with arguments as torch accepts them; raises TypeError as torch does for what it refuses."""
    s = signature(index)
    name = s.name + ("_" if form else "")
    if any(value is MISSING for value in arguments):
        raise missing(name, [p.name for p, value in zip(s.parameters, arguments) if value is MISSING])
    for position, (p, value) in enumerate(zip(s.parameters, arguments), 1):
        if not accepts(p, value):
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
    if any(isinstance(v, (list, tuple)) and len(v) > LONGEST_LIST for v in arguments):
        return call_in_parts(s, index, form, arguments, out)
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
        if isinstance(out, Tensor) and not s.writes_out and s.returns == "Tensor":
            return into_many(name, (call(index, form, arguments, None),), (out,))[0]
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
        if s.name in BOOL_OUT and out.dtype is not _dtype.bool_:
            raise RuntimeError(f"Expected out tensor to have dtype bool, but got {out.dtype} instead")
        if s.name in OUT_SETS_DTYPE:
            arguments = in_dtype_of(s, arguments, out)
        before = out.shape  # type: ignore[attr-defined]
        frame.words[0] = out._h
        i, form = 1, frame.FORM_OUT
    for p, value in zip(s.parameters, arguments):
        if i > frame.FRAME_SLOTS - 16:
            raise ValueError(f"{name}(): the arguments are too long for one call")
        i = put(i, p, value)
    if frame.dead:
        frame.flush()
    handle = frame.invoke(index | form | len(arguments) << 16)
    if not handle:
        frame.raise_error()
    if out is not None:
        warn_of_resize(before, out)
        return out
    if form:
        return arguments[0]
    return take(s, handle)


def call_in_parts(s: Signature, index: int, form: int, arguments: tuple[Any, ...], out: Any) -> Any:
    """What joins more tensors than a frame holds joins them in two steps. ValueError for every other long list."""
    if s.name not in ("cat", "stack"):
        raise ValueError(f"{s.name}(): a list of arguments may hold at most {LONGEST_LIST:,} items")
    tensors, dim = arguments
    parts = [call(index, 0, (tensors[i : i + LONGEST_LIST], dim), None) for i in range(0, len(tensors), LONGEST_LIST)]
    return call(NUMBERS["cat"], 0, (parts, dim), out)


def take(s: Signature, handle: int) -> Any:
    if s.returns.startswith("("):
        return frame.take_many(getattr(structs, s.name, tuple), s.returns.count(",") + 1)
    if s.returns == "Tensor":
        return frame.take_tensor(handle)
    if s.returns == "Tensor[]":
        return frame.take_list()
    if s.returns == "Scalar":
        return frame.take_scalar()
    if s.returns == "ScalarType":
        return frame.take_dtype()
    return {"int": lambda: frame.words[0], "float": lambda: frame.doubles[0], "bool": lambda: frame.words[0] != 0}[s.returns]()


def dispatch(name: str, table: tuple[tuple[int, Any], ...], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """Calls the first overload whose signature takes these arguments."""
    if names:
        names = torch_names(name.rstrip("_"), {p.name for index, _ in table for p in signature(index).parameters}, names)
    out = names.pop("out", None) if names else None
    for index, _ in table:
        values = bind(signature(index), arguments, names)
        if values is not None:
            return call(index, frame.FORM_INPLACE if name.endswith("_") else 0, tuple(values), out)
    got = ", ".join([type_name(a) for a in arguments] + [f"{k}={type_name(v)}" for k, v in names.items()])
    lines = "\n".join(f" * {signature(index).describe()}" for index, _ in table)
    raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{lines}\n")


def with_torch_names(function: Any, names: dict[str, Any], given: dict[str, Any]) -> Any:
    """Calls again with other names (axis, keepdims, x) under torch's; TypeError for unknown names."""
    code, name = function.__code__, function.__name__.removesuffix("_function")
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


def asked(number: int, count: int) -> int:
    """What an operator answers whose `count` arguments are in the frame."""
    if frame.dead:
        frame.flush()
    if not frame.invoke(number | count << 16):
        frame.raise_error()
    return frame.words[0]


def records_gradients() -> bool:
    return asked(IS_GRAD_ENABLED, 0) != 0


def overlap(a: Tensor, b: Tensor) -> bool:
    frame.words[0], frame.words[1] = a._h, b._h
    return asked(OVERLAPS, 2) != 0


def write_out(out: Tensor, result: Tensor) -> Tensor:
    """What `out=` means: resized to the result, then filled with it. RuntimeError where the dtype cannot hold it."""
    if records_gradients() and (result.requires_grad or out.requires_grad):
        raise RuntimeError("functions with out=... arguments don't support automatic differentiation, but one of the arguments requires grad.")
    frame.words[0], frame.words[1] = result.dtype._code, out.dtype._code
    if not asked(CAN_CAST, 2):
        raise RuntimeError(f"result type {result.dtype} can't be cast to the desired output type {out.dtype}")
    before = out.shape
    if before != result.shape:
        frame.words[0] = out._h
        frame.put_ints(1, result.shape)
        asked(RESIZE, 2)
        warn_of_resize(before, out)
    frame.words[0], frame.words[1] = out._h, result._h
    asked(COPY, 2)
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


def check_out(s: Signature, arguments: tuple[Any, ...], out: Any) -> None:
    """torch's refusals of tensors given as out= that the core, which makes the result apart, does not need."""
    given = [v for a in arguments for v in (a if isinstance(a, (list, tuple)) else (a,)) if isinstance(v, Tensor)]
    for target in out if isinstance(out, (list, tuple)) else (out,):
        if not isinstance(target, Tensor):
            continue
        if s.name in SAME_DTYPE and target.dtype is not given[0].dtype:
            raise RuntimeError(f"{s.name}(): Expected out tensor to have dtype {given[0].dtype}, but got {target.dtype} instead")
        if s.name == "multinomial" and target.dtype is not _dtype.int64:
            raise RuntimeError(f"multinomial expects Long tensor out, got: {target.dtype}")
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
