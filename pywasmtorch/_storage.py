"""The bytes behind a tensor."""

from __future__ import annotations

from . import _runtime as rt
from ._generated import ops
from ._tensor_type import Tensor


class UntypedStorage:
    """A tensor's storage, as bytes. Two tensors share one where `data_ptr()` is equal."""

    def __init__(self, tensor: Tensor) -> None:
        self._tensor = tensor.detach()

    def data_ptr(self) -> int:
        return ops._storage_pointer(self._tensor)

    def nbytes(self) -> int:
        return ops._storage_bytes(self._tensor)

    size = __len__ = nbytes

    def tolist(self) -> list[int]:
        return list(rt.host.read(self.data_ptr(), self.nbytes()))

    def __getitem__(self, index: int) -> int:
        return self.tolist()[index]
