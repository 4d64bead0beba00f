"""dtypes, and what torch says about them."""

from __future__ import annotations

from typing import Any


class dtype:
    """An element type, as `torch.float32`. Each exists once; compare with `is` or `==`."""

    __slots__ = ("_name", "_code", "itemsize", "is_floating_point", "is_complex", "is_signed", "__weakref__")

    def __init__(self, name: str, code: int, itemsize: int) -> None:
        self._name, self._code, self.itemsize = name, code, itemsize
        self.is_floating_point = 6 <= code <= 9
        self.is_complex = code >= 10
        self.is_signed = name not in ("bool", "uint8")

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> str:
        return self._name

    def to_real(self) -> dtype:
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> dtype:
        return {float16: complex64, bfloat16: complex64, float32: complex64, float64: complex128}.get(self, self)


bool_ = dtype("bool", 0, 1)
uint8 = dtype("uint8", 1, 1)
int8 = dtype("int8", 2, 1)
int16 = dtype("int16", 3, 2)
int32 = dtype("int32", 4, 4)
int64 = dtype("int64", 5, 8)
float16 = dtype("float16", 6, 2)
bfloat16 = dtype("bfloat16", 7, 2)
float32 = dtype("float32", 8, 4)
float64 = dtype("float64", 9, 8)
complex64 = dtype("complex64", 10, 8)
complex128 = dtype("complex128", 11, 16)

DTYPES: tuple[dtype, ...] = (bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)

#: struct and memoryview codes; half, bfloat16 and complex numbers have none
FORMATS = {bool_: "?", uint8: "B", int8: "b", int16: "h", int32: "i", int64: "q", float16: "e", float32: "f", float64: "d"}

#: torch's other names
ALIASES = {
    "short": int16, "int": int32, "long": int64, "half": float16, "float": float32, "double": float64, "cfloat": complex64, "cdouble": complex128,
}


def of_python_type(kind: Any) -> dtype | None:
    """The dtype that `Tensor.to(float)` means."""
    return {bool: bool_, int: int64, float: float64, complex: complex128}.get(kind)

inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045
