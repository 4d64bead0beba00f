"""Arguments as torch accepts them: binding to schemas, overloads, conversions, and torch's TypeErrors."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import Any

from . import _dtype
from . import _runtime as rt
from ._tensor_type import Tensor

NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other", "from": "from_"}
LONGEST_LIST = 60000
PYTHON_NAMES = {"self": "input", "from": "from_", "lambda": "lambd"}


class Parameter:
    """One argument of a schema."""

    __slots__ = ("type", "name", "default", "required", "keyword_only", "list_size", "number")

    def __init__(self, text: str, keyword_only: bool, numbers: tuple[str, ...]) -> None:
        match = re.fullmatch(r"(\S+)\s+(\w+)(?:\s*=\s*(.+))?", text)
        assert match
        kind, name, default = match.groups()
        size = re.search(r"\[(\d+)\]", kind)
        self.list_size = int(size[1]) if size else None
        self.type = re.sub(r"\[\d+\]", "[]", kind)
        self.number = name in numbers
        self.name = PYTHON_NAMES.get(name, name)
        self.required = default is None
        self.default = None if default is None else float(default) if default in ("inf", "-inf") else ast.literal_eval(default)
        self.keyword_only = keyword_only


class Signature:
    """A parsed schema."""

    def __init__(self, index: int) -> None:
        from ._generated.schemas import SCHEMAS  # not before the first slow call

        text, numbers, self.writes_out = SCHEMAS[index]
        head, _, self.returns = text.rpartition("->")
        self.name = head.partition("(")[0].partition(".")[0]
        self.returns = self.returns.strip()
        inside = head[head.index("(") + 1 : head.rindex(")")]
        self.parameters: list[Parameter] = []
        keyword_only, depth, start = False, 0, 0
        for i, c in enumerate(inside + ","):
            depth += (c in "[(") - (c in "])")
            if c == "," and depth == 0:
                part, start = inside[start:i].strip(), i + 1
                if part == "*":
                    keyword_only = True
                elif part:
                    self.parameters.append(Parameter(part, keyword_only, numbers))

    def describe(self) -> str:
        parts, star = [], False
        for p in self.parameters:
            if p.keyword_only and not star:
                parts.append("*")
                star = True
            kind = p.type.replace("int[]", "tuple of ints").replace("Tensor[]", "tuple of Tensors").replace("Scalar", "Number").replace("NumberType", "torch.dtype")
            parts.append(f"{kind} {p.name}" + ("" if p.required else f" = {p.default}"))
        return f"({', '.join(parts)})"


@cache
def signature(index: int) -> Signature:
    return Signature(index)


def type_name(value: Any) -> str:
    """As torch names types in messages."""
    return "Tensor" if isinstance(value, Tensor) and type(value) is Tensor else type(value).__name__


def is_int(value: Any) -> bool:
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return True
    if isinstance(value, Tensor):
        return value.numel() == 1 and not value.is_floating_point() and not value.is_complex() and value.dtype is not _dtype.bool_
    return hasattr(value, "__index__") and not isinstance(value, (str, bytes, list, tuple)) and getattr(value, "shape", ()) == ()


def is_number(value: Any) -> bool:
    if isinstance(value, (bool, int, float, complex)):
        return True
    return type(value).__module__ == "numpy" and getattr(value, "shape", None) == ()


def accepts(p: Parameter, value: Any) -> bool:
    """Whether torch's parser would take the value for this parameter."""
    kind = p.type
    if value is None:
        return kind.endswith("?")
    kind = kind.removesuffix("?")
    if kind == "Tensor":
        return isinstance(value, Tensor) or (p.number and is_number(value))
    if kind in ("Tensor[]", "Tensor?[]"):
        return isinstance(value, (list, tuple)) and all(isinstance(v, Tensor) or (v is None and "?" in kind) for v in value)
    if kind == "int":
        return is_int(value)
    if kind == "bool":
        return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")
    if kind == "float":
        return (is_number(value) and not isinstance(value, complex)) or (isinstance(value, Tensor) and value.numel() == 1)
    if kind == "Scalar":
        return is_number(value) or (isinstance(value, Tensor) and value.ndim == 0)
    if kind == "int[]":
        if is_int(value):
            return p.list_size is not None
        return is_sequence(value) and all(is_int(v) for v in value)
    if kind == "float[]":
        return is_sequence(value) and all(is_number(v) for v in value)
    if kind == "ScalarType":
        return isinstance(value, _dtype.dtype) or _dtype.of_python_type(value) is not None
    if kind == "str":
        return isinstance(value, str)
    if kind == "Generator":
        return hasattr(value, "_id")
    return False


def is_sequence(value: Any) -> bool:
    return isinstance(value, (list, tuple)) or (hasattr(value, "__len__") and hasattr(value, "__getitem__") and not isinstance(value, (str, bytes, dict, Tensor)))


def wanted(p: Parameter) -> str:
    names = {"Scalar": "Number", "ScalarType": "torch.dtype", "int[]": "tuple of ints", "float[]": "tuple of floats", "Tensor[]": "tuple of Tensors", "Tensor?[]": "tuple of Tensors"}
    kind = p.type.removesuffix("?")
    return names.get(kind, kind)


def put(i: int, p: Parameter, value: Any) -> int:
    kind = p.type.removesuffix("?")
    if kind == "Tensor":
        if value is None:
            rt.words[i] = 0
            return i + 1
        if isinstance(value, Tensor):
            rt.words[i] = value._h
            return i + 1
        return rt.put_number(i, checked_number(p, value))
    if kind in ("Tensor[]", "Tensor?[]"):
        return rt.put_maybe_tensors(i, value) if kind == "Tensor?[]" else rt.put_tensors(i, value)
    if kind == "int[]":
        if value is not None:
            value = [int(value)] * (p.list_size or 1) if is_int(value) else [int(v) for v in value]
            for v in value:
                in_range(p, v)
        return rt.put_ints(i, value)
    if kind == "float[]":
        return rt.put_floats(i, None if value is None else [float(v) for v in value])
    if kind in ("int", "bool"):
        value = value if value is None else in_range(p, int(value))
        if p.type.endswith("?"):
            return rt.put_optional_int(i, value)
        rt.words[i] = value
        return i + 1
    if kind == "float":
        if p.type.endswith("?"):
            return rt.put_optional_float(i, None if value is None else float(value))
        rt.doubles[i] = float(value)
        return i + 1
    if kind == "Scalar":
        return rt.put_scalar(i, None if value is None else checked_number(p, value))
    if kind == "ScalarType":
        rt.words[i] = -1 if value is None else (value if isinstance(value, _dtype.dtype) else _dtype.of_python_type(value))._code
        return i + 1
    if kind == "str":
        return rt.put_text(i, value)
    rt.words[i] = 0 if value is None else value._id
    return i + 1


def in_range(p: Parameter, value: int) -> int:
    if not rt.INT64_MIN <= value <= rt.INT64_MAX:
        kind = RuntimeError if p.type.startswith(("Scalar", "Tensor")) else ValueError
        raise kind(f"Overflow when unpacking long long: argument '{p.name}' is {value}")
    return value


def checked_number(p: Parameter, value: Any) -> Any:
    number = rt.number_of(value)
    if isinstance(number, int) and not rt.INT64_MIN <= number <= rt.INT64_MAX:
        raise OverflowError(f"int too big to convert: argument '{p.name}' is {number}")
    return number


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


def check_out(s: Signature, arguments: tuple[Any, ...], out: Any) -> None:
    """torch's refusals of tensors given as out= that the core, which makes the result apart, does not need."""
    from ._generated import ops

    given = [v for a in arguments for v in (a if isinstance(a, (list, tuple)) else (a,)) if isinstance(v, Tensor)]
    for target in out if isinstance(out, (list, tuple)) else (out,):
        if not isinstance(target, Tensor):
            continue
        if s.name in SAME_DTYPE and target.dtype is not given[0].dtype:
            raise RuntimeError(f"{s.name}(): Expected out tensor to have dtype {given[0].dtype}, but got {target.dtype} instead")
        if s.name == "multinomial" and target.dtype is not _dtype.int64:
            raise RuntimeError(f"multinomial expects Long tensor out, got: {target.dtype}")
        if any(ops._overlaps(target, t) for t in given):
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


WRAPPING = set("add sub rsub mul remainder fmod floor_divide eq ne lt le gt ge".split())


def with_unsigned(s: Signature, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers of 2**63 to 2**64 - 1 are unsigned for torch: floats beside floats and for quotients, else they wrap around."""
    numbers = [p.name != "alpha" and p.type.removesuffix("?") in ("Scalar", "Tensor") and type(v) is int and rt.INT64_MAX < v < 1 << 64 for p, v in zip(s.parameters, arguments)]
    if not any(numbers):
        return arguments
    dtypes = [v.dtype if isinstance(v, Tensor) else v for v in arguments if isinstance(v, (Tensor, _dtype.dtype))]
    as_float = s.name == "div" or any(d.is_floating_point or d.is_complex for d in dtypes)
    if not as_float and (s.name not in WRAPPING or _dtype.bool_ in dtypes):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return tuple((float(v) if as_float else v - (1 << 64)) if big else v for big, v in zip(numbers, arguments))


def call(index: int, form: int, arguments: tuple[Any, ...], out: Any) -> Any:
    s = signature(index)
    name = s.name + ("_" if form else "")
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
        if isinstance(out, Tensor) and not s.writes_out and s.returns == "Tensor":
            return into_many(name, (call(index, form, arguments, None),), (out,))[0]
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be Tensor, not {type_name(out)}")
        if s.name in BOOL_OUT and out.dtype is not _dtype.bool_:
            raise RuntimeError(f"Expected out tensor to have dtype bool, but got {out.dtype} instead")
        if s.name in OUT_SETS_DTYPE:
            arguments = in_dtype_of(s, arguments, out)
        before = out.shape  # type: ignore[attr-defined]
        rt.words[0] = out._h
        i, form = 1, rt.FORM_OUT
    for p, value in zip(s.parameters, arguments):
        if i > rt.FRAME_SLOTS - 16:
            raise ValueError(f"{name}(): the arguments are too long for one call")
        i = put(i, p, value)
    if rt.dead:
        rt.flush()
    handle = rt.invoke(index | form | len(arguments) << 16)
    if not handle:
        rt.raise_error()
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
    from ._generated.ops import FUNCTIONS

    return FUNCTIONS["cat"](parts, dim, out=out)


def take(s: Signature, handle: int) -> Any:
    from . import return_types

    if s.returns.startswith("("):
        return rt.take_many(getattr(return_types, s.name, tuple), s.returns.count(",") + 1)
    if s.returns == "Tensor":
        return rt.take_tensor(handle)
    if s.returns == "Tensor[]":
        return rt.take_list()
    if s.returns == "Scalar":
        return rt.take_scalar()
    if s.returns == "ScalarType":
        return rt.take_dtype()
    return {"int": lambda: rt.words[0], "float": lambda: rt.doubles[0], "bool": lambda: rt.words[0] != 0}[s.returns]()


def warn_of_resize(before: Any, out: Any) -> None:
    """torch's warning where `out=` had elements and another size."""
    if before != out.shape and 0 not in before:
        import warnings

        warnings.warn(f"An output with one or more elements was resized since it had shape {list(before)}, which does not match the required output "
                      f"shape {list(out.shape)}. This behavior is deprecated, and in a future PyTorch release outputs will not be resized unless they "
                      "have zero elements. You can explicitly reuse an out tensor t by resizing it, inplace, to zero elements with t.resize_(0).",
                      stacklevel=4)


def records() -> bool:
    from ._generated import ops

    return ops._is_grad_enabled()


def into_many(name: str, results: Any, outs: Any) -> Any:
    """out=(values, indices): each result goes into the tensor given for it. RuntimeError for another dtype."""
    from ._ops_extra import write_out

    if len(outs) != len(results):
        raise TypeError(f"{name}(): argument 'out' must be tuple of {len(results)} Tensors, but got {len(outs)}")
    for result, out in zip(results, outs):
        if not isinstance(out, Tensor):
            raise TypeError(f"{name}(): argument 'out' must be tuple of Tensors, not tuple of {type_name(out)}")
        if result.requires_grad or (out.requires_grad and records()):
            raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic differentiation, but one of the arguments requires "
                               "grad.")
    for out, result in zip(outs, results):
        if len(outs) > 1 and out.dtype is not result.dtype:
            raise RuntimeError(f"Expected out tensor to have dtype {result.dtype}, but got {out.dtype} instead")
    return type(results)([write_out(out, result) for out, result in zip(outs, results)])


def bind(s: Signature, arguments: tuple[Any, ...], names: dict[str, Any]) -> list[Any] | None:
    """The values in the signature's order, or None where these arguments do not fit it."""
    positional = [p for p in s.parameters if not p.keyword_only]
    if len(arguments) > len(positional):
        # f(x, 2, 3) for f(x, (2, 3))
        if not (positional and positional[-1].type.startswith("int[]") and all(is_int(a) for a in arguments[len(positional) - 1 :])):
            return None
        arguments = (*arguments[: len(positional) - 1], tuple(arguments[len(positional) - 1 :]))
    rest, values = dict(names), []
    for i, p in enumerate(s.parameters):
        if not p.keyword_only and i < len(arguments):
            if p.name in rest:
                return None
            value = arguments[i]
        elif p.name in rest:
            value = rest.pop(p.name)
        elif p.required:
            return None
        else:
            values.append(p.default)
            continue
        if not accepts(p, value):
            return None
        values.append(value)
    return None if rest else values


def torch_names(names: dict[str, Any]) -> dict[str, Any]:
    return {NUMPY_NAMES.get(k, k): v for k, v in names.items()}


def dispatch(name: str, table: tuple[tuple[int, Any], ...], arguments: tuple[Any, ...], names: dict[str, Any]) -> Any:
    if names:
        names = torch_names(names)
    out = names.pop("out", None) if names else None
    for index, _ in table:
        values = bind(signature(index), arguments, names)
        if values is not None:
            return call(index, rt.FORM_INPLACE if name.endswith("_") else 0, tuple(values), out)
    got = ", ".join([type_name(a) for a in arguments] + [f"{k}={type_name(v)}" for k, v in names.items()])
    lines = "\n".join(f" * {signature(index).describe()}" for index, _ in table)
    raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{lines}\n")


def with_torch_names(function: Any, names: dict[str, Any], given: dict[str, Any]) -> Any:
    renamed = torch_names(names)
    unknown = [k for k in names if k not in NUMPY_NAMES]
    if unknown:
        raise TypeError(f"{function.__name__}() got an unexpected keyword argument '{unknown[0]}'")
    code = function.__code__
    parameters = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    call_with = {k: given[k] for k in parameters}
    call_with.update(renamed)
    return function(**call_with)
