"""shape, dtype, size, stride, numel, is_contiguous, data_ptr: read from the core's memory."""

from __future__ import annotations

import struct
from typing import Any

from .._core import frame
from .._core.checks import tensors_checked
from .._core.device import CPU, META, check_device, device
from .._core.dtype import ALL_DTYPES, dtype
from .._core.generated import ops
from .._core.layout import checked_format, contiguous_format, memory_format, strided
from .._core.size import Size
from .._core.tensor_type import Tensor

host = frame.host
read = host.read
SIZES, STRIDES, NUMEL, OFFSET = 40, 168, 24, 16  # where a tensor keeps them (wasm/abi.md)
#: makes of the core's pointers what foreign code may read; in Pyodide it can read none, and they stay what they are
in_process = getattr(host, "address", int)
UNPACK_SIZES = [struct.Struct(f"<{n}q").unpack_from for n in range(17)]


def get_shape(self: Tensor) -> Size:
    head = read(self._h, STRIDES)
    return Size(UNPACK_SIZES[head[9]](head, SIZES))


def get_ndim(self: Tensor) -> int:
    return read(self._h + 9, 1)[0]


def get_dtype(self: Tensor) -> dtype:
    return ALL_DTYPES[read(self._h + 8, 1)[0]]


def is_meta(self: Tensor) -> bool:
    return read(self._h + 10, 1)[0] > 127


def get_device_of(self: Tensor) -> device:
    return META if read(self._h + 10, 1)[0] > 127 else CPU


def size(self: Tensor, dim: int | None = None) -> Any:
    shape = get_shape(self)
    if dim is None:
        return shape
    if not -max(len(shape), 1) <= dim < max(len(shape), 1):
        n = max(len(shape), 1)
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[dim]


def stride(self: Tensor, dim: int | None = None) -> Any:
    head = read(self._h, STRIDES + 128)
    strides = UNPACK_SIZES[head[9]](head, STRIDES)
    if dim is None:
        return strides
    n = max(len(strides), 1)
    if not -n <= dim < n or not strides:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return strides[dim]


def numel(self: Tensor) -> int:
    return int.from_bytes(read(self._h + NUMEL, 8), "little")


def storage_offset(self: Tensor) -> int:
    return int.from_bytes(read(self._h + OFFSET, 8), "little")


def is_contiguous(self: Tensor, memory_format: memory_format = contiguous_format) -> bool:
    if memory_format is contiguous_format or checked_format(memory_format)._code <= 0:
        return bool(read(self._h + 11, 1)[0])
    n = get_ndim(self)
    if n != memory_format._code + 2:
        return False
    sizes, strides, expected = get_shape(self), stride(self), 1
    for d in (1, *range(n - 1, 1, -1), 0):
        if sizes[d] != 1:
            if strides[d] != expected:
                return False
            expected *= sizes[d]
    return True


def element_size(self: Tensor) -> int:
    return get_dtype(self).itemsize


def is_floating_point(self: Tensor) -> bool:
    return get_dtype(self).is_floating_point


def is_complex(self: Tensor) -> bool:
    return get_dtype(self).is_complex


def is_signed(self: Tensor) -> bool:
    return get_dtype(self).is_signed


def get_device(self: Tensor) -> int:
    return -1


def data_ptr(self: Tensor) -> int:
    """The address of the first element in this process; in Pyodide, in the core's memory. 0 where there is no element, and on meta."""
    return in_process(ops._lasting_pointer(self)) if numel(self) and not is_meta(self) else 0


def is_same_size(self: Tensor, other: Tensor) -> bool:
    if not isinstance(other, Tensor):
        raise TypeError(f"is_same_size(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return get_shape(self) == get_shape(other)


def pin_memory(self: Tensor, device: Any = None) -> Tensor:
    if is_meta(self):
        raise RuntimeError(f"cannot pin 'Meta{get_dtype(self)._scalar_name}Type' only dense CPU tensors can be pinned")
    check_device("cuda")
    return self


def share_memory_(self: Tensor) -> Tensor:
    """NotImplementedError: a program that trains one model in several processes would end with an untrained one."""
    raise NotImplementedError("share_memory_(): pywasmtorch shares no memory between processes, which get copies of tensors; see docs/differences.md")


METHODS = {
    "size": size, "stride": stride, "numel": numel, "nelement": numel, "dim": get_ndim, "ndimension": get_ndim, "storage_offset": storage_offset, "is_contiguous": is_contiguous,
    "element_size": element_size, "is_floating_point": is_floating_point, "is_complex": is_complex, "is_signed": is_signed, "get_device": get_device, "data_ptr": data_ptr,
    "is_same_size": tensors_checked(is_same_size), "is_inference": ops._is_inference, "is_view": ops._is_view, "_is_view": ops._is_view,
    "is_pinned": lambda self, device=None: False, "pin_memory": pin_memory, "share_memory_": share_memory_, "is_shared": lambda self: False,
}
PROPERTIES = {
    "shape": (get_shape,), "dtype": (get_dtype,), "ndim": (get_ndim,), "itemsize": (element_size,), "nbytes": (lambda self: numel(self) * element_size(self),),
    "device": (get_device_of,), "layout": (lambda self: strided,), "names": (lambda self: (None,) * get_ndim(self),), "is_cpu": (lambda self: not is_meta(self),), "is_meta": (is_meta,),
    **{f"is_{kind}": (lambda self: False,) for kind in ("cuda", "sparse", "quantized", "mps", "ipu", "maia", "mtia", "nested", "vulkan", "xla", "xpu")},
}
