"""torch.ops.torchvision: the operators of torchvision's compiled library, by the core's kernels."""

from __future__ import annotations

from typing import Any, NoReturn

from .._core.generated import ops as _core
from .._core.generated.schemas import SCHEMAS
from ..library import Library

NAMES = (
    "nms", "roi_align", "_roi_align_backward", "roi_pool", "_roi_pool_backward", "ps_roi_align", "_ps_roi_align_backward", "ps_roi_pool", "_ps_roi_pool_backward",
    "deform_conv2d", "_deform_conv2d_backward",
)
#: what this package has no tensors for
ABSENT = (
    "qnms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor",
    "qroi_align(Tensor input, Tensor rois, float input_scale, int input_zero_point, float rois_scale, int rois_zero_point, float spatial_scale, "
    "SymInt pooled_height, SymInt pooled_width, int sampling_ratio, bool aligned) -> Tensor",
    "box_iou_rotated(Tensor boxes1, Tensor boxes2) -> Tensor",
)


def _schema(name: str) -> str:
    return next(text for text, *_ in SCHEMAS if text.startswith(f"{name}("))


def absent(namespace: str, name: str) -> Any:
    """An operator that says by its name that it is not here."""

    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise NotImplementedError(f"pywasmtorch has no torch.ops.{namespace}.{name}; see docs/differences.md")

    return refuse


def _cuda_version() -> int:
    return -1


def define_operators() -> None:
    """Lets `torch.ops.torchvision` have them."""
    library = Library("torchvision", "FRAGMENT")
    for name in NAMES:
        library.define(_schema(name))
        library.impl(name, getattr(_core, name), "CompositeImplicitAutograd")
    for schema in ABSENT:
        name = library.define(schema)
        library.impl(name, absent("torchvision", name), "CompositeImplicitAutograd")
    library.define("_cuda_version() -> int")
    library.impl("_cuda_version", _cuda_version, "CompositeImplicitAutograd")
