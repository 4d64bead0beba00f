"""torch.utils._foreach_utils: where functions of lists are quick, and grouping tensors for them."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

Groups = dict[tuple[Any, Any], tuple[list[list[Any]], list[int]]]

_foreach_supported_types = [torch.Tensor]


def _get_foreach_kernels_supported_devices() -> list[str]:
    return ["cuda", "xpu", "mtia", "privateuseone"]


def _get_fused_kernels_supported_devices() -> list[str]:
    return ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def _group_tensors_by_device_and_dtype(tensorlistlist: list[list[Any]], with_indices: bool = False) -> Groups:
    """The lists cut into groups of one device and dtype, those of the first list's tensors, and where each item stood (with `with_indices`).
    RuntimeError where the first list is empty or holds None, or another has another length, which is not 0."""
    if not tensorlistlist or not tensorlistlist[0]:
        raise RuntimeError("the first list needs a tensor")
    first = tensorlistlist[0]
    if any(len(items) not in (0, len(first)) for items in tensorlistlist):
        raise RuntimeError(f"all lists need {len(first)} items, as the first, or none")
    groups: Groups = {}
    for i, tensor in enumerate(first):
        if tensor is None:
            raise RuntimeError(f"Tensors of the first list of nested Tensor lists are supposed to be defined but the {i}-th Tensor is not.")
        lists, places = groups.setdefault((tensor.device, tensor.dtype), ([[] for _ in tensorlistlist], []))
        for group, items in zip(lists, tensorlistlist):
            if items:
                group.append(items[i])
        if with_indices:
            places.append(i)
    return groups


def _device_has_foreach_support(device: torch.device) -> bool:
    return device.type in [*_get_foreach_kernels_supported_devices(), "cpu"]


def _has_foreach_support(tensors: list[Any], device: torch.device) -> bool:
    return _device_has_foreach_support(device) and all(t is None or type(t) in _foreach_supported_types for t in tensors)
