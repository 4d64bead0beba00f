"""torch.as_strided_, detach_, resize_as_ and zero_: in-place methods as functions."""

from __future__ import annotations

from typing import Any

from .._core.checks import tensors_checked
from .._core.tensor_type import Tensor


def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    return input.as_strided_(size, stride, storage_offset)


def resize_as_(self: Tensor, the_template: Tensor, *, memory_format: Any = None) -> Tensor:
    """The shape of another tensor, in place."""
    return self.resize_(the_template.shape)


FUNCTIONS = [*map(tensors_checked, (Tensor.detach_, Tensor.zero_, as_strided_, resize_as_))]
METHODS = {"resize_as_": tensors_checked(resize_as_)}
