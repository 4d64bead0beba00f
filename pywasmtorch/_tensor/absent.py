"""Methods of PyTorch's tensors that are not here, which say so by name."""

from __future__ import annotations

from typing import Any, NoReturn

from .._core.tensor_type import Tensor

NAMES = frozenset(
    "chalf dequantize grad_dtype hash_tensor int_repr ipu is_mkldnn module_load mtia name q_per_channel_axis q_per_channel_scales q_per_channel_zero_points "
    "q_scale q_zero_point qscheme record_stream reinforce resize resize_as resize_as_sparse_ slice_inverse smm sparse_resize_ sparse_resize_and_clear_ "
    "sspaddmm storage_type to_mkldnn to_padded_tensor xpu".split()
)


def absent(self: Tensor, name: str) -> NoReturn:
    """What is asked for an attribute that nothing else has."""
    if name in NAMES:
        raise AttributeError(f"pywasmtorch has no torch.Tensor.{name}; see docs/differences.md")
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'", name=name, obj=self)


METHODS: dict[str, Any] = {"__getattr__": absent}
