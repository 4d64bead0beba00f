"""from_data, from_array, from_bytes, to_bytes: Python sequences, NumPy arrays and bytes to tensors; tensors to bytes."""

from __future__ import annotations

import struct
from typing import Any

from .._core import dtype as _dtype
from .._core import frame
from .._core.dtype import FORMATS, dtype, get_default_dtype
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._core.warning import COMPLEX_TO_REAL, warn_once

PLAIN = {bool, int, float}
OF_ARRAYS = "Creating a tensor from a list of numpy.ndarrays is extremely slow: numpy.array() makes one array of them first"


def from_data(data: Any, kind: dtype | None) -> Tensor:
    kind = _dtype.of_python_type(kind) or kind
    if isinstance(data, Tensor):
        copy = ops.clone(data.detach())
        if kind is not None and copy.dtype.is_complex and not kind.is_complex:
            warn_once(COMPLEX_TO_REAL)
        return copy if kind is None or kind is copy.dtype else ops._to_dtype(copy, kind)
    if type(data) not in (list, tuple, bool, int, float, complex):
        if hasattr(data, "__array_interface__") or hasattr(data, "__array__"):
            return from_array(data, kind)
        if hasattr(data, "to_memoryview") and hasattr(data, "to_py"):  # a typed array of JavaScript's
            return from_buffer(data.to_py(), kind)
        if isinstance(data, (bytes, bytearray)):
            data = list(data)
    shape: list[int] = []
    flat: list[Any] = []
    kinds: set[Any] = set()
    measure(data, shape)
    flatten(data, shape, 0, flat, kinds)
    if kind is None:
        kind = infer(kinds)
    _dtype.check_stored(kind)
    return from_numbers(flat, tuple(shape), kind)


def from_buffer(buffer: memoryview, kind: dtype | None) -> Tensor:
    """What a buffer holds, of its own dtype or another."""
    letter = {"I": "q", "L": "q", "l": "q" if buffer.itemsize == 8 else "i", "H": "i"}.get(buffer.format, buffer.format)
    own = next((known for known, format in FORMATS.items() if format == letter), None)
    if own is None:
        raise TypeError(f"no tensor holds the elements of a buffer of format {buffer.format!r}")
    data = buffer.tobytes() if own.itemsize == buffer.itemsize else struct.pack(f"<{len(buffer)}{letter}", *buffer)
    copy = from_bytes(data, tuple(buffer.shape or ()), own)
    return copy if kind in (None, own) else ops._to_dtype(copy, kind)


def is_nested(data: Any) -> bool:
    if isinstance(data, (list, tuple, range)):
        return True
    if isinstance(data, Tensor):
        return data.ndim > 0
    return hasattr(data, "__len__") and hasattr(data, "__getitem__") and not isinstance(data, (str, bytes, dict, set)) and getattr(data, "shape", None) != ()


def measure(data: Any, shape: list[int]) -> None:
    while is_nested(data):
        if type(data).__name__ == "ndarray" and shape:
            warn_once(OF_ARRAYS)
        shape.append(len(data))
        if len(shape) > 64:
            raise ValueError("excessive nesting in the data of a new tensor")
        if not len(data):
            return
        data = data[0]
    if isinstance(data, (str, bytes)):
        raise TypeError(f"new(): invalid data type '{type(data).__name__}'") if not shape else ValueError(f"too many dimensions '{type(data).__name__}'")


def flatten(data: Any, shape: list[int], depth: int, flat: list[Any], kinds: set[Any]) -> None:
    """Appends the numbers in data to flat, and to kinds what they are: dtypes of tensors, arrays and NumPy's numbers, else Python types."""
    own = hasattr(data, "dtype")
    if own:
        kinds.add(data.dtype if isinstance(data, Tensor) else dtype_of_array(data))
    if depth == len(shape):
        if isinstance(data, (bool, int, float, complex)):
            flat.append(data)
            if not own:
                kinds.add(type(data))
        elif is_nested(data):
            if isinstance(data, Tensor) and data.numel() != 1:
                raise ValueError("only one element tensors can be converted to Python scalars")
            if not isinstance(data, Tensor):
                raise TypeError(f"'{type(data).__name__}' object cannot be interpreted as a number")
            flat.append(data.item())
        elif isinstance(data, Tensor):
            flat.append(data.item())
        else:
            try:
                flat.append(frame.number_of(data))
                if not own:
                    kinds.add(type(flat[-1]))
            except TypeError:
                raise RuntimeError(f"Could not infer dtype of {type(data).__name__}") from None
        return
    if not is_nested(data):
        raise TypeError(f"expected a sequence of length {shape[depth]} at dim {depth} (got {type(data).__name__})")
    if len(data) != shape[depth]:
        raise ValueError(f"expected sequence of length {shape[depth]} at dim {depth} (got {len(data)})")
    if depth == len(shape) - 1 and not own and (types := set(map(type, data))) <= PLAIN:
        flat.extend(data)
        kinds |= types
        return
    for item in data:
        flatten(item, shape, depth + 1, flat, kinds)


def infer(kinds: set[Any]) -> dtype:
    """The dtype that holds these kinds: dtypes of tensors and arrays, Python types of plain numbers."""
    types = {k for k in kinds if not isinstance(k, dtype)}
    dtypes = kinds - types
    if types or not dtypes:
        if any(issubclass(k, complex) for k in types):
            dtypes.add(get_default_dtype().to_complex())
        elif any(issubclass(k, float) for k in types) or not types:
            dtypes.add(get_default_dtype())
        else:
            dtypes.add(_dtype.bool_ if types == {bool} else _dtype.int64)
    result = dtypes.pop()
    for kind in dtypes:
        result = ops._promote_types(result, kind)
    return result


def from_numbers(flat: list[Any], shape: tuple[int, ...], kind: dtype) -> Tensor:
    """A tensor of Python numbers; overflow as torch reports it."""
    if kind is _dtype.bfloat16 or kind is _dtype.float16 or kind in _dtype.FLOAT8:
        return ops._to_dtype(from_numbers(flat, shape, _dtype.float32), kind)
    if kind is _dtype.bool_:
        return from_bytes(bytes(map(bool, flat)), shape, kind)
    if kind.is_complex:
        return from_floats([p for v in flat for p in (complex(v).real, complex(v).imag)], shape, kind)
    if kind.is_floating_point:
        return from_floats(flat, shape, kind)
    limits = _dtype.iinfo(kind)
    if any(type(v) is not int for v in flat):
        flat = [v if type(v) is int else whole(v, kind, limits) for v in flat]
    try:
        return from_bytes(pack(FORMATS[kind], flat), shape, kind)
    except struct.error:
        if kind is _dtype.int64:
            raise ValueError("Overflow when unpacking long long") from None
        if kind is _dtype.uint64 and any(v >= 1 << 64 for v in flat):
            raise OverflowError("int too big to convert") from None
        wide = from_numbers(flat, shape, _dtype.int64)
        lowest = limits.min or -limits.max  # negative integers wrap for uint8
        if any(not lowest <= v <= limits.max for v in flat):
            raise beyond(kind) from None
        return ops._to_dtype(wide, kind)


def beyond(kind: dtype) -> RuntimeError:
    return RuntimeError(f"value cannot be converted to type {kind._name} without overflow")


def whole(value: Any, kind: dtype, limits: _dtype.iinfo) -> int:
    """A Python number as an integer within these limits."""
    if isinstance(value, complex):
        raise TypeError("'complex' object cannot be interpreted as an integer")
    if isinstance(value, float) and not limits.min <= value <= float(limits.max):
        raise beyond(kind)
    return min(int(value), limits.max)


def from_floats(flat: list[Any], shape: tuple[int, ...], kind: dtype) -> Tensor:
    """A float or complex tensor of real numbers, whose parts follow each other; what is beyond float32 becomes infinite."""
    single = kind is _dtype.float32 or kind is _dtype.complex64
    try:
        return from_bytes(pack("f" if single else "d", flat), shape, kind)
    except (struct.error, OverflowError):
        if any(isinstance(v, complex) for v in flat):
            raise TypeError("must be real number, not complex") from None
        if not single:
            raise OverflowError("int too large to convert to float") from None
        return ops._to_dtype(from_floats(flat, shape, _dtype.complex128 if kind.is_complex else _dtype.float64), kind)


def pack(code: str, values: list[Any]) -> bytes:
    return struct.pack(f"<{len(values)}{code}", *values)


def from_bytes(data: Any, shape: tuple[int, ...], kind: dtype) -> Tensor:
    """A contiguous tensor whose elements are these bytes (little-endian); without them where it comes to be on meta."""
    result = ops._empty(shape, kind)
    if len(data) and (address := ops._data_pointer(result)):
        frame.host.write(address, data)
    return result


def readable(address: int) -> int:
    """The address of what is to be read. NotImplementedError on meta, where it is 0."""
    if not address:
        raise NotImplementedError("Cannot copy out of meta tensor; no data!")
    return address


def to_bytes(t: Tensor) -> bytes:
    """The elements in order, little-endian. NotImplementedError for a meta tensor."""
    t = ops.contiguous(t)
    count = t.numel() * t.dtype.itemsize
    return frame.host.read(readable(ops._data_pointer(t)), count)


# ---- from NumPy and buffers ----
NUMPY_CODES = {"b1": "bool_", "u1": "uint8", "i1": "int8", "i2": "int16", "i4": "int32", "i8": "int64", "u2": "uint16", "u4": "uint32", "u8": "uint64", "f2": "float16", "f4": "float32", "f8": "float64",
               "c8": "complex64", "c16": "complex128"}


def dtype_of_array(array: Any) -> dtype:
    """The dtype that holds a NumPy array or number. ValueError for the other byte order, TypeError for a type that there is not."""
    code = array.dtype.str
    if code[0] == ">":
        raise ValueError("given numpy array has byte order different from the native byte order. Conversion between byte orders is currently not supported.")
    name = NUMPY_CODES.get(code[1:])
    if name is None:
        raise TypeError(f"can't convert np.ndarray of type {array.dtype.type.__module__}.{array.dtype.type.__name__}. The only supported types are: "
                        "float64, float32, float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, uint8, and bool.")
    return getattr(_dtype, name)


def from_array(data: Any, kind: dtype | None) -> Tensor:
    import numpy

    array = numpy.asarray(data)
    own = dtype_of_array(array)
    result = from_bytes(numpy.ascontiguousarray(array).reshape(-1).view(numpy.uint8).data, array.shape, own)
    return result if kind is None or result.dtype is kind else ops._to_dtype(result, kind)
