"""torch.dtype, finfo, iinfo and the default dtype."""

from __future__ import annotations

from typing import Any


class dtype:
    """An element type, as `torch.float32`. Each exists once; compare with `is` or `==`. `_code` is the core's number of it,
    `_scalar_name` what PyTorch's core calls it in messages and in the names of types: Float, Long."""

    __slots__ = ("_name", "_code", "_scalar_name", "itemsize", "is_floating_point", "is_complex", "is_signed", "__weakref__")

    def __init__(self, name: str, code: int, itemsize: int, scalar_name: str) -> None:
        self._name, self._code, self.itemsize, self._scalar_name = name, code, itemsize, scalar_name
        self.is_floating_point = name.startswith(("float", "bfloat"))
        self.is_complex = name.startswith("complex")
        self.is_signed = name[0] not in "bu" and name != "float8_e8m0fnu" or name == "bfloat16"

    def __repr__(self) -> str:
        return f"torch.{self._name}"

    def __reduce__(self) -> Any:
        return of_name, (self._name,)

    def to_real(self) -> dtype:
        return {complex64: float32, complex128: float64}.get(self, self)

    def to_complex(self) -> dtype:
        return {float16: complex64, bfloat16: complex64, float32: complex64, float64: complex128}.get(self, self)


class _NameOnly(dtype):
    """A dtype that programs compare with and list, and that no tensor has. NotImplementedError where one is asked for."""

    __slots__ = ()

    @property
    def _code(self) -> int:  # type: ignore[override]
        raise NotImplementedError(f"pywasmtorch has no tensors of torch.{self._name}; see docs/differences.md")

    @_code.setter
    def _code(self, code: int) -> None:
        pass


bool_ = dtype("bool", 0, 1, "Bool")
uint8 = dtype("uint8", 1, 1, "Byte")
int8 = dtype("int8", 2, 1, "Char")
int16 = dtype("int16", 3, 2, "Short")
int32 = dtype("int32", 4, 4, "Int")
int64 = dtype("int64", 5, 8, "Long")
float16 = dtype("float16", 6, 2, "Half")
bfloat16 = dtype("bfloat16", 7, 2, "BFloat16")
float32 = dtype("float32", 8, 4, "Float")
float64 = dtype("float64", 9, 8, "Double")
complex64 = dtype("complex64", 10, 8, "ComplexFloat")
complex128 = dtype("complex128", 11, 16, "ComplexDouble")

DTYPES: tuple[dtype, ...] = (bool_, uint8, int8, int16, int32, int64, float16, bfloat16, float32, float64, complex64, complex128)

#: stored, moved, converted and compared; the core computes little with them, as PyTorch's
uint16, uint32, uint64 = dtype("uint16", 12, 2, "UInt16"), dtype("uint32", 13, 4, "UInt32"), dtype("uint64", 14, 8, "UInt64")
FLOAT8 = tuple(dtype(f"float8_{kind}", 15 + i, 1, f"Float8_{kind}") for i, kind in enumerate(("e4m3fn", "e5m2", "e4m3fnuz", "e5m2fnuz", "e8m0fnu")))
UNSIGNED = (uint16, uint32, uint64)
#: by the core's numbers
ALL_DTYPES: tuple[dtype, ...] = (*DTYPES, *UNSIGNED, *FLOAT8)

NAMES_ONLY = tuple(
    _NameOnly(name, -1, size, scalar)
    for name, size, scalar in [
        ("complex32", 4, "ComplexHalf"), ("float4_e2m1fn_x2", 1, "Float4_e2m1fn_x2"), ("bits1x8", 1, "Bits1x8"), ("bits2x4", 1, "Bits2x4"), ("bits4x2", 1, "Bits4x2"),
        ("bits8", 1, "Bits8"), ("bits16", 2, "Bits16"), *((f"{kind}{n}", 1, f"{scalar}{n}") for kind, scalar in (("int", "Int"), ("uint", "UInt")) for n in range(1, 8)),
    ]
)

#: struct and memoryview codes; half, bfloat16 and complex numbers have none
FORMATS = {bool_: "?", uint8: "B", int8: "b", int16: "h", int32: "i", int64: "q", uint16: "H", uint32: "I", uint64: "Q", float16: "e", float32: "f", float64: "d"}

#: torch's other names
ALIASES = {
    "byte": uint8, "char": int8,
    "short": int16, "int": int32, "long": int64, "half": float16, "float": float32, "double": float64, "cfloat": complex64, "cdouble": complex128,
}

_default = float32


def get_default_dtype() -> dtype:
    return _default


def keep_default_dtype(kind: dtype) -> None:
    """What `get_default_dtype` answers from now on; the core must be told, too (`set_default_dtype`)."""
    global _default
    _default = kind


def check_stored(kind: dtype) -> None:
    """NotImplementedError for a dtype that is here by name only."""
    assert kind._code >= 0


def of_name(name: str) -> dtype:
    return next(d for d in (*ALL_DTYPES, *NAMES_ONLY) if d._name == name)


class finfo:
    """The limits of a floating dtype (of a complex one: of its parts)."""

    _LIMITS = {  # bits, exponent of the largest power of two, digits of the mantissa
        "float16": (16, 15, 10), "bfloat16": (16, 127, 7), "float32": (32, 127, 23), "float64": (64, 1023, 52),
    }

    _FLOAT8 = {  # the largest value, the smallest normal one, the step after 1
        "float8_e4m3fn": (448.0, 2.0**-6, 0.125), "float8_e5m2": (57344.0, 2.0**-14, 0.25), "float8_e4m3fnuz": (240.0, 2.0**-7, 0.125),
        "float8_e5m2fnuz": (57344.0, 2.0**-15, 0.125), "float8_e8m0fnu": (2.0**127, 2.0**-127, 1.0),
    }

    def __init__(self, type: dtype | None = None) -> None:
        kind = (get_default_dtype() if type is None else type).to_real()
        if kind._name in self._FLOAT8:
            self.dtype, self.bits, self.resolution = kind._name, 8, 1.0
            self.max, self.tiny, self.eps = self._FLOAT8[kind._name]
            self.min, self.smallest_normal = -self.max if kind.is_signed else self.tiny, self.tiny
            return
        if kind._name not in self._LIMITS:
            raise TypeError(f"torch.finfo() requires a floating point input type. Use torch.iinfo to handle '{kind._name}'")
        self.dtype = kind._name
        self.bits, top, digits = self._LIMITS[kind._name]
        self.eps = 2.0**-digits
        self.max = (2.0 - self.eps) * 2.0**top
        self.min = -self.max
        self.tiny = self.smallest_normal = 2.0 ** (1 - top)
        self.resolution = 10.0 ** -int(digits * 0.30103)

    def __repr__(self) -> str:
        names = ("resolution", "min", "max", "eps", "smallest_normal", "tiny")
        return f"finfo({', '.join(f'{n}={getattr(self, n):g}' for n in names)}, dtype={self.dtype})"


class iinfo:
    """The limits of an integer dtype."""

    def __init__(self, type: dtype) -> None:
        if type.is_floating_point or type.is_complex or type is bool_:
            raise TypeError(f"torch.iinfo() requires an integer input type. Use torch.finfo to handle '{type._name}'")
        self.dtype, self.bits = type._name, 8 * type.itemsize
        self.min, self.max = (-(1 << self.bits - 1), (1 << self.bits - 1) - 1) if type.is_signed else (0, (1 << self.bits) - 1)

    def __repr__(self) -> str:
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


def of_python_type(kind: Any) -> dtype | None:
    """The dtype that `Tensor.to(float)` means."""
    return {bool: bool_, int: int64, float: float64, complex: complex128}.get(kind) if isinstance(kind, type) else None


inf, nan, pi, e = float("inf"), float("nan"), 3.141592653589793, 2.718281828459045
