"""UntypedStorage and TypedStorage: the bytes of tensors."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from .._core import dtype as _dtype
from .._core import frame
from .._core.device import check_device, device, is_meta_device
from .._core.dtype import dtype as dtype_class
from .._core.dtype import get_default_dtype
from .._core.generated import ops
from .._core.lazy_import import lazy_import
from .._core.meta import on_meta
from .._core.tensor_type import Tensor
from .from_data import from_bytes, from_numbers, readable
from .metadata import data_ptr, share_memory_, storage_offset

__all__ = ["TypedStorage", "UntypedStorage"]

CHUNK = 1 << 22

#: torch's class of each dtype's storage
CLASS_NAMES = {kind: f"{kind._scalar_name}Storage" for kind in _dtype.DTYPES}


def _bytes_of(tensor: Tensor) -> Tensor:
    """The whole storage of `tensor` as one row of bytes, sharing it."""
    count = ops._storage_bytes(tensor) // tensor.dtype.itemsize
    return ops._data(ops.view_dtype(ops.as_strided(tensor.detach(), (count,), (1,), 0), _dtype.uint8))


def copied_storage(self: Tensor, memo: dict[Any, Any]) -> Tensor:
    """The bytes of a copy of the storage, made once per deep copy."""
    key = ("storage", ops._storage_identity(self))
    flat = memo.get(key)
    if flat is None:
        count = ops._storage_bytes(self)
        if self.is_meta:
            flat = on_meta(ops._empty, (count,), _dtype.uint8)
        else:
            data = frame.host.read(ops._storage_pointer(self), count)
            flat = from_bytes(data, (len(data),), _dtype.uint8)
        memo[key] = flat
    return flat


class UntypedStorage:
    """A row of bytes that tensors share: `UntypedStorage(nbytes)`, or `tensor.untyped_storage()`."""

    _bytes: Tensor

    def __init__(self, size: Any = 0, *, device: Any = None) -> None:
        """`size` is a number of bytes, whose values are left open, or a sequence of bytes."""
        if is_meta_device(device):
            self._bytes = on_meta(UntypedStorage, size)._bytes
        elif isinstance(size, int):
            if size < 0:
                raise RuntimeError(f"Trying to create a storage with {size} bytes")
            self._bytes = ops._empty((size,), _dtype.uint8)
        else:
            data = bytes(size)
            self._bytes = from_bytes(data, (len(data),), _dtype.uint8)

    @classmethod
    def _of(cls, tensor: Tensor) -> UntypedStorage:
        self = cls.__new__(cls)
        self._bytes = _bytes_of(tensor)
        return self

    @classmethod
    def from_buffer(cls, buffer: Any, *_: Any, **__: Any) -> UntypedStorage:
        return cls(bytes(buffer))

    @property
    def device(self) -> device:
        return self._bytes.device

    is_cuda = is_sparse = is_hpu = False

    def nbytes(self) -> int:
        return self._bytes.shape[0]

    size = __len__ = nbytes

    def element_size(self) -> int:
        return 1

    def data_ptr(self) -> int:
        """The first byte's address in this process; in Pyodide, in the core's memory. 0 where there is none."""
        return data_ptr(self._bytes)

    @property
    def _cdata(self) -> int:
        """What two Python objects of one storage have in common."""
        return ops._storage_identity(self._bytes)

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The first bytes of a file. They are read; with `shared`, which would write them back, NotImplementedError."""
        if shared:
            raise NotImplementedError("pywasmtorch maps no files: from_file(shared=True) cannot write changes back")
        if nbytes < 0:
            raise RuntimeError(f"from_file: the number of bytes must not be negative, got {nbytes}")
        path = os.fspath(filename)
        with open(path, "rb") as file:
            there = file.seek(0, os.SEEK_END)
            if there < nbytes:
                raise RuntimeError(f"file <{path}> size <{there}> is smaller than the required mapping size <{nbytes}>")
            file.seek(0)
            self = cls(nbytes)
            at = 0
            while at < nbytes:
                chunk = file.read(min(CHUNK, nbytes - at))
                if not chunk:
                    raise RuntimeError(f"file <{path}> became shorter than {nbytes} bytes while it was read")
                self._write(at, chunk)
                at += len(chunk)
        return self

    @property
    def filename(self) -> str | None:
        return None

    def untyped(self) -> UntypedStorage:
        return self

    def _chunks(self) -> Iterator[bytes]:
        """The bytes, piece by piece."""
        count = self.nbytes()
        for at in range(0, count, CHUNK):
            yield frame.host.read(readable(ops._data_pointer(self._bytes)) + at, min(CHUNK, count - at))

    def _write(self, at: int, data: Any) -> None:
        if len(data) and (start := ops._data_pointer(self._bytes)):
            frame.host.write(start + at, data)

    def tolist(self) -> list[int]:
        return list(frame.host.read(readable(ops._data_pointer(self._bytes)), self.nbytes()))

    def __iter__(self) -> Iterator[int]:
        if self._bytes.is_meta:
            raise NotImplementedError("Not available for 'meta' device type")
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return self._bytes[index].item()
        start, stop, step = index.indices(self.nbytes())
        if step != 1:
            raise RuntimeError(f"Trying to slice with a step of {step}, but only a step of 1 is supported")
        part = UntypedStorage.__new__(UntypedStorage)
        part._bytes = ops._data(ops.narrow(self._bytes, 0, start, max(stop - start, 0)))
        return part

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value

    def fill_(self, value: int) -> UntypedStorage:
        self._bytes.fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> UntypedStorage:
        self._bytes.copy_(source.untyped()._bytes)
        return self

    def clone(self) -> UntypedStorage:
        return UntypedStorage._of(self._bytes.clone())

    def cpu(self) -> UntypedStorage:
        return self.to(device="cpu")

    def to(self, *, device: Any = None, non_blocking: bool = False) -> UntypedStorage:
        return self if device is None or is_meta_device(device) == self._bytes.is_meta else UntypedStorage._of(self._bytes.to(device))

    def cuda(self, device: Any = None, non_blocking: bool = False) -> UntypedStorage:
        return self.to(device="cuda")

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        if dtype is not None:
            raise NotImplementedError("pywasmtorch changes no storage's type; convert the tensor")
        return "torch.storage.UntypedStorage"

    def byteswap(self, dtype: dtype_class) -> None:
        """Reverses the bytes of each element of `dtype` in place."""
        width = (dtype.to_real() if dtype.is_complex else dtype).itemsize
        at = 0
        for chunk in self._chunks():
            self._write(at, swapped(chunk, width))
            at += len(chunk)

    def share_memory_(self) -> UntypedStorage:
        share_memory_(self._bytes)
        return self

    def is_shared(self) -> bool:
        return False

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def resizable(self) -> bool:
        return False

    def resize_(self, size: int) -> UntypedStorage:
        raise NotImplementedError("pywasmtorch resizes no storage; resize the tensor")

    def __copy__(self) -> UntypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> UntypedStorage:
        done = memo.get(id(self))
        if done is None:
            done = memo[id(self)] = UntypedStorage._of(copied_storage(self._bytes, memo))
        return done

    __reduce__ = lazy_import("storage", "_plain_pickle")

    def __repr__(self) -> str:
        values = "...\n" if self._bytes.is_meta else "".join(f" {v}\n" for v in self.tolist())
        return f"{values}[torch.storage.UntypedStorage(device={self.device}) of size {self.nbytes()}]"


def swapped(data: bytes, width: int) -> bytes:
    """`data` with the bytes of each item reversed."""
    if width == 1:
        return data
    from array import array

    items = array({2: "H", 4: "I", 8: "Q"}[width])
    items.frombytes(data[: len(data) // width * width])
    items.byteswap()
    return items.tobytes() + data[len(items) * width :]


class TypedStorage:
    """A storage together with the dtype of its elements: `TypedStorage(size, dtype=...)`, or `tensor.storage()`."""

    dtype: Any = None

    def __init__(self, *arguments: Any, wrap_storage: Any = None, dtype: Any = None, device: Any = None, _internal: bool = False) -> None:
        """The argument is a number of elements, whose values are left open, or a sequence of numbers."""
        self.dtype = dtype or type(self).dtype or get_default_dtype()
        if wrap_storage is not None:
            if arguments or device is not None or not isinstance(wrap_storage, UntypedStorage):
                raise TypeError(f"wrap_storage must be an UntypedStorage, without other arguments, got {type(wrap_storage).__name__}")
            self._untyped_storage = wrap_storage
        elif not arguments or isinstance(arguments[0], int):
            self._untyped_storage = UntypedStorage((arguments[0] if arguments else 0) * self.dtype.itemsize, device=device)
        else:
            values = list(arguments[0])
            self._untyped_storage = UntypedStorage._of(from_numbers(values, (len(values),), self.dtype)).to(device=device)

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        raise RuntimeError("from_file can only be called on derived classes")

    @classmethod
    def _of(cls, tensor: Tensor) -> TypedStorage:
        return TypedStorage(wrap_storage=UntypedStorage._of(tensor), dtype=tensor.dtype)

    def _elements(self) -> Tensor:
        """A one-dimensional tensor of all elements, sharing the storage."""
        flat = self._untyped_storage._bytes
        whole = flat.shape[0] // self.dtype.itemsize * self.dtype.itemsize
        return ops.view_dtype(flat if whole == flat.shape[0] else ops.narrow(flat, 0, 0, whole), self.dtype)

    def untyped(self) -> UntypedStorage:
        return self._untyped_storage

    @property
    def device(self) -> device:
        return self._untyped_storage.device

    is_cuda = is_sparse = is_hpu = False

    def data_ptr(self) -> int:
        return self._untyped_storage.data_ptr()

    def _place(self) -> tuple[int, int]:
        whole = self._untyped_storage._bytes
        return ops._storage_identity(whole), storage_offset(whole)

    def nbytes(self) -> int:
        return self._untyped_storage.nbytes()

    def element_size(self) -> int:
        return self.dtype.itemsize

    def size(self) -> int:
        return self.nbytes() // self.dtype.itemsize

    __len__ = _size = size

    def tolist(self) -> list[Any]:
        return self._elements().tolist()

    def _converted(self, kind: Any) -> TypedStorage:
        return TypedStorage._of(ops.clone(ops._to_dtype(self._elements(), kind)))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return self._elements()[index].item()
        start, stop, step = index.indices(self.size())
        width = self.dtype.itemsize
        part = self._untyped_storage[start * width : max(start, stop) * width : step]
        return TypedStorage(wrap_storage=part, dtype=self.dtype)

    def __setitem__(self, index: Any, value: Any) -> None:
        self._elements()[index] = value

    def fill_(self, value: Any) -> TypedStorage:
        self._elements().fill_(value)
        return self

    def copy_(self, source: Any, non_blocking: bool = False) -> TypedStorage:
        if isinstance(source, TypedStorage):
            self._elements().copy_(source._elements())
        else:
            self._untyped_storage.copy_(source)
        return self

    def clone(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def cpu(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.cpu(), dtype=self.dtype) if self._untyped_storage._bytes.is_meta else self

    def cuda(self, device: Any = None, non_blocking: bool = False) -> TypedStorage:
        check_device("cuda")
        return self

    def type(self, dtype: Any = None, non_blocking: bool = False) -> Any:
        if dtype is not None:
            raise NotImplementedError("pywasmtorch changes no storage's type; convert the tensor")
        return f"torch.{self.pickle_storage_type()}"

    def pickle_storage_type(self) -> str:
        """The name of the storage's class in checkpoints."""
        return CLASS_NAMES[self.dtype]

    _pickle_storage_type = pickle_storage_type

    def share_memory_(self) -> TypedStorage:
        self._untyped_storage.share_memory_()
        return self

    def is_shared(self) -> bool:
        return False

    def is_pinned(self, device: Any = None) -> bool:
        return False

    def __copy__(self) -> TypedStorage:
        return self.clone()

    def __deepcopy__(self, memo: dict[Any, Any]) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.__deepcopy__(memo), dtype=self.dtype)

    __reduce__ = lazy_import("storage", "_plain_pickle")

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, TypedStorage) and self.dtype is other.dtype and self._place() == other._place()

    def __hash__(self) -> int:
        return id(self)

    def __repr__(self) -> str:
        values = "...\n" if self._untyped_storage._bytes.is_meta else "".join(f" {v}\n" for v in self.tolist())
        return f"{values}[torch.storage.TypedStorage(dtype={self.dtype}, device={self.device}) of size {self.size()}]"


class _OfOneDtype(type):
    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype  # type: ignore[attr-defined]

    def __call__(cls, *arguments: Any, **options: Any) -> TypedStorage:
        return TypedStorage(*arguments, **{"dtype": cls.dtype, **options})  # type: ignore[attr-defined]

    def from_file(cls, filename: Any, shared: bool = False, size: int = 0) -> TypedStorage:
        """The first `size` elements of a file; see `UntypedStorage.from_file`."""
        kind = cls.dtype  # type: ignore[attr-defined]
        return TypedStorage(wrap_storage=UntypedStorage.from_file(filename, shared, size * kind.itemsize), dtype=kind)

    def from_buffer(cls, buffer: Any, byte_order: str | None = None, count: int = -1, offset: int = 0) -> TypedStorage:
        """A copy of `count` elements (all where it is negative) from byte `offset` on, which stand in the buffer in this order of bytes."""
        kind = cls.dtype  # type: ignore[attr-defined]
        if byte_order is None and kind.itemsize > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in (None, "native", "little", "big"):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or 'native')")
        data = bytes(memoryview(buffer).cast("B"))
        if not 0 <= offset <= len(data):
            raise ValueError(f"offset must be non-negative and no greater than buffer length ({len(data)}) , but got {offset}")
        room = len(data) - offset
        if count < 0 and room % kind.itemsize or count * kind.itemsize > room:
            raise ValueError(f"buffer size ({len(data)}) less the offset ({offset}) holds no {count if count >= 0 else 'whole number'} of elements of {kind.itemsize} bytes")
        n = room // kind.itemsize if count < 0 else count
        data = data[offset : offset + n * kind.itemsize]
        if byte_order == "big" and kind.itemsize > 1:
            part = kind.itemsize // 2 if kind.is_complex else kind.itemsize
            data = b"".join(data[i : i + part][::-1] for i in range(0, len(data), part))
        return TypedStorage._of(ops._to_dtype(from_bytes(data, (n,), kind), kind))


def _conversion(kind: Any) -> Any:
    return lambda self: self._converted(kind)


for _name in ("float", "double", "half", "bfloat16", "int", "long", "short", "char", "byte", "bool", "complex_float", "complex_double"):
    _kind = {"bfloat16": _dtype.bfloat16, "complex_float": _dtype.complex64, "complex_double": _dtype.complex128}.get(_name) or next(
        kind for kind in _dtype.DTYPES if kind._scalar_name.lower() == _name
    )
    setattr(TypedStorage, _name, _conversion(_kind))
    getattr(TypedStorage, _name).__name__ = _name

#: torch.FloatStorage and its like
CLASSES: dict[str, Any] = {
    name: _OfOneDtype(name, (), {"dtype": kind, "__module__": __name__.partition(".")[0], "__qualname__": name}) for kind, name in CLASS_NAMES.items()
}
globals().update(CLASSES)
