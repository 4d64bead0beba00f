"""Arguments by PyTorch's rules: schemas, overloads, conversions, TypeErrors."""

from __future__ import annotations

import ast
import re
from collections.abc import Container
from functools import cache
from typing import Any

from . import dtype as _dtype
from . import frame
from .tensor_type import Tensor

#: other names that torch's parser takes, of a function that has the one behind them
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "x": "input", "a": "input", "x1": "input", "x2": "other", "axis0": "dim0", "axis1": "dim1", "from": "from_"}
PYTHON_NAMES = {"self": "input", "from": "from_", "lambda": "lambd"}
#: what takes a number for its first argument calls it self
NUMBER_FIRST = set(
    "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor bucketize float_power pow remainder searchsorted where xlogy".split()
)


class _Missing:
    def __repr__(self) -> str:
        return "<required>"


#: stands for a required argument until all names are known
MISSING = _Missing()


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
        from .generated.schemas import SCHEMAS  # not before the first slow call

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
            kind = p.type.replace("int[]", "tuple of ints").replace("Tensor[]", "tuple of Tensors").replace("Scalar[]", "tuple of Numbers").replace("Scalar", "Number").replace("NumberType", "torch.dtype")
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
    if kind == "Scalar[]":
        return isinstance(value, (list, tuple)) and all(is_number(v) for v in value)
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
    names = {"Scalar": "Number", "ScalarType": "torch.dtype", "Scalar[]": "tuple of Scalars", "int[]": "tuple of ints", "float[]": "tuple of floats", "Tensor[]": "tuple of Tensors", "Tensor?[]": "tuple of Tensors"}
    kind = p.type.removesuffix("?")
    return names.get(kind, kind)


def put(words: Any, doubles: Any, i: int, p: Parameter, value: Any) -> int:
    kind = p.type.removesuffix("?")
    if kind == "Tensor":
        if value is None:
            words[i] = 0
            return i + 1
        if isinstance(value, Tensor):
            words[i] = value._h
            return i + 1
        return frame.put_number(words, doubles, i, checked_number(p, value))
    if kind in ("Tensor[]", "Tensor?[]"):
        return frame.put_maybe_tensors(words, i, value) if kind == "Tensor?[]" else frame.put_tensors(words, i, value)
    if kind == "int[]":
        if value is not None:
            value = [int(value)] * (p.list_size or 1) if is_int(value) else [int(v) for v in value]
            for v in value:
                in_range(p, v)
        return frame.put_ints(words, i, value)
    if kind == "float[]":
        return frame.put_floats(words, doubles, i, None if value is None else [float(v) for v in value])
    if kind in ("int", "bool"):
        value = value if value is None else in_range(p, int(value))
        if p.type.endswith("?"):
            return frame.put_optional_int(words, i, value)
        words[i] = value
        return i + 1
    if kind == "float":
        if p.type.endswith("?"):
            return frame.put_optional_float(words, doubles, i, None if value is None else float(value))
        doubles[i] = float(value)
        return i + 1
    if kind == "Scalar":
        return frame.put_scalar(words, doubles, i, None if value is None else checked_number(p, value))
    if kind == "Scalar[]":
        return frame.put_scalars(words, doubles, i, [checked_number(p, v) for v in value])
    if kind == "ScalarType":
        words[i] = -1 if value is None else (value if isinstance(value, _dtype.dtype) else _dtype.of_python_type(value))._code
        return i + 1
    if kind == "str":
        return frame.put_text(words, i, value)
    words[i] = 0 if value is None else value._id
    return i + 1


def in_range(p: Parameter, value: int) -> int:
    if not frame.INT64_MIN <= value <= frame.INT64_MAX:
        kind = RuntimeError if p.type.startswith(("Scalar", "Tensor")) else ValueError
        raise kind(f"Overflow when unpacking long long: argument '{p.name}' is {value}")
    return value


def checked_number(p: Parameter, value: Any) -> Any:
    number = frame.number_of(value)
    if isinstance(number, int) and not frame.INT64_MIN <= number <= frame.INT64_MAX:
        raise OverflowError(f"int too big to convert: argument '{p.name}' is {number}")
    return number


WRAPPING = set("add sub rsub mul remainder fmod floor_divide eq ne lt le gt ge".split())


def with_unsigned(s: Signature, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
    """Numbers of 2**63 to 2**64 - 1 are unsigned for torch: floats beside floats and for quotients, else they wrap around."""
    numbers = [p.name != "alpha" and p.type.removesuffix("?") in ("Scalar", "Tensor") and type(v) is int and frame.INT64_MAX < v < 1 << 64 for p, v in zip(s.parameters, arguments)]
    if not any(numbers):
        return arguments
    dtypes = [v.dtype if isinstance(v, Tensor) else v for v in arguments if isinstance(v, (Tensor, _dtype.dtype))]
    as_float = s.name == "div" or any(d.is_floating_point or d.is_complex for d in dtypes)
    if not as_float and (s.name not in WRAPPING or _dtype.bool_ in dtypes):
        raise RuntimeError("value cannot be converted to type int64_t without overflow")
    return tuple((float(v) if as_float else v - (1 << 64)) if big else v for big, v in zip(numbers, arguments))


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


def torch_names(function: str, parameters: Container[str], names: dict[str, Any]) -> dict[str, Any]:
    """What is given, each under a name that the function has, as far as it is known by another."""
    renamed = {}
    for name, value in names.items():
        if name not in parameters:
            torch_name = "input" if name == "self" and (function in NUMBER_FIRST or function.startswith("_foreach_")) else NUMPY_NAMES.get(name)
            if torch_name in parameters and torch_name not in names:
                name = torch_name
        renamed[name] = value
    return renamed


def missing(function: str, names: list[str]) -> TypeError:
    quoted = ", ".join(f'"{name}"' for name in names)
    return TypeError(f"{function}() missing {len(names)} required positional argument{'s' if len(names) == 1 else ''}: {quoted}")
