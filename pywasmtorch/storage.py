"""torch.storage: TypedStorage, UntypedStorage, and plain pickles of them."""

from __future__ import annotations

import io
from typing import Any

from ._core.names import absent as _absent
from ._tensor.storage import CLASSES as _CLASSES
from ._tensor.storage import TypedStorage, UntypedStorage
from .serialization import load, save

__all__ = ["TypedStorage", "UntypedStorage"]

globals().update(_CLASSES)


def _plain_pickle(storage: Any) -> Any:
    """What Python's pickle stores of a storage: a checkpoint in PyTorch's first format."""
    buffer = io.BytesIO()
    save(storage, buffer, _use_new_zipfile_serialization=False)
    return _load_from_bytes, (buffer.getvalue(),)


def _load_from_bytes(b: bytes) -> Any:
    """What plain pickles of storages call."""
    return load(io.BytesIO(b), weights_only=False)


__getattr__ = _absent(__name__)
