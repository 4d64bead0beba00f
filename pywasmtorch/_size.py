"""torch.Size and torch.device."""

from __future__ import annotations

from math import prod
from typing import Any


class Size(tuple):
    """The sizes of a tensor: a tuple of ints with `numel()`."""

    __slots__ = ()

    def __new__(cls, sizes: Any = ()) -> Size:
        self = tuple.__new__(cls, sizes)
        for i, size in enumerate(self):
            if type(size) is not int and not hasattr(size, "__index__"):
                raise TypeError(f"torch.Size() takes an iterable of 'int' (item {i} is '{type(size).__name__}')")
        return self

    def numel(self) -> int:
        return prod(self)

    def __reduce__(self) -> Any:
        return Size, (tuple(self),)

    def __repr__(self) -> str:
        return f"torch.Size([{', '.join(map(str, self))}])"

    def __getitem__(self, index: Any) -> Any:
        item = tuple.__getitem__(self, index)
        return Size(item) if isinstance(index, slice) else item

    def __add__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple.__add__(self, tuple(other)))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return Size(tuple(other) + tuple(self))

    def __mul__(self, times: Any) -> Size:
        return Size(tuple.__mul__(self, times))

    __rmul__ = __mul__


_MISSING: Any = object()
_DEVICE_TYPES = "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia privateuseone".split()


class device:
    """Where tensors live: `device("cpu")`, the only one here. RuntimeError for the others, as in a CPU build of torch."""

    __slots__ = ("type", "index")

    def __init__(self, type: Any = _MISSING, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        if isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not isinstance(type, str):
            got = "" if type is _MISSING else type.__class__.__name__
            raise TypeError(f"device() received an invalid combination of arguments - got ({got}), but expected one of:\n * (torch.device device)\n * (str type, int index = -1)\n")
        if not type:
            raise RuntimeError("Device string must not be empty")
        name, colon, number = type.partition(":")
        if colon and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        if colon:
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        if name not in _DEVICE_TYPES:
            raise RuntimeError(f"Expected one of {', '.join(_DEVICE_TYPES)} device type at start of device string: {name}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type, self.index = name, index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return device, (self.type,) if self.index is None else (self.type, self.index)

    def __enter__(self) -> device:
        return self

    def __exit__(self, *_: Any) -> None:
        return None


CPU = device("cpu")


def check_device(wanted: Any) -> None:
    """RuntimeError or AssertionError as a CPU build of torch gives for a device that it does not have."""
    if wanted is None or wanted is CPU:
        return
    kind = device(wanted).type
    if kind in ("cuda", "xpu", "hpu", "mtia"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")
    if kind == "mps":
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if kind != "cpu":
        raise NotImplementedError(f"pywasmtorch has no device '{kind}'; tensors live on 'cpu'")


class layout:
    """How elements are stored. Tensors are `torch.strided`; the sparse ones can be named, and are refused."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __reduce__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


class memory_format:
    """The order of strides that an operator is asked for."""

    def __init__(self, name: str, code: int) -> None:
        self._name, self._code = name, code

    def __reduce__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return f"torch.{self._name}"


strided = layout("strided")
sparse_coo, sparse_csr, sparse_csc, sparse_bsr, sparse_bsc = (layout(f"sparse_{kind}") for kind in ("coo", "csr", "csc", "bsr", "bsc"))
contiguous_format = memory_format("contiguous_format", 0)
preserve_format = memory_format("preserve_format", -1)
channels_last = memory_format("channels_last", 2)
channels_last_3d = memory_format("channels_last_3d", 3)
