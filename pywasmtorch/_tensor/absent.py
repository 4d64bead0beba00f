"""Methods of PyTorch's tensors that are not here, which say so by name."""

from __future__ import annotations

from typing import Any, NoReturn

NAMES = (
    "chalf dequantize grad_dtype hash_tensor int_repr ipu is_mkldnn module_load mtia name q_per_channel_axis q_per_channel_scales q_per_channel_zero_points "
    "q_scale q_zero_point qscheme record_stream reinforce resize resize_as resize_as_sparse_ slice_inverse smm sparse_resize_ sparse_resize_and_clear_ "
    "sspaddmm storage_type to_mkldnn to_padded_tensor xpu"
).split()


class Absent:
    """What a class has in a method's place. A `__getattr__` of the class would do as much, and slow down every other attribute."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, instance: Any, owner: type) -> NoReturn:
        if instance is None:
            raise AttributeError(f"type object '{owner.__name__}' has no attribute '{self.name}'", name=self.name, obj=owner)
        raise AttributeError(f"pywasmtorch has no torch.Tensor.{self.name}; see docs/differences.md")


METHODS: dict[str, Any] = {name: Absent(name) for name in NAMES}
