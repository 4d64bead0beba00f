"""linear_cross_entropy: a linear layer and cross-entropy, optionally in chunks of rows."""

from __future__ import annotations

import dataclasses
import math
import warnings
from typing import Any

from ..._core.generated import ops
from ..._core.tensor_type import Tensor
from .loss import cross_entropy

__all__ = ["linear_cross_entropy"]

POLICIES = ("auto", "accurate", "balanced", "compact")


@dataclasses.dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How linear_cross_entropy splits its rows: into chunks of `batch_chunk_size`, or as chunking_method finds ("auto", "aspect_ratio" or
    "aspect_ratio:N"; None: one chunk). The policies choose a precision of sums in torch; here sums of halves are float32 in all of them, and the
    graph may be kept whether allow_retain_graph says so or not. ValueError for other values."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None

    def __post_init__(self) -> None:
        if self.acc_policy not in POLICIES:
            raise ValueError(f"invalid acc_policy: {self.acc_policy!r}")
        if self.chunking_method not in (None, "auto"):
            name, colon, factor = str(self.chunking_method).partition(":")
            if name != "aspect_ratio" or (colon and not (factor.isdigit() and int(factor) > 0)):
                raise ValueError(f"invalid chunking_method: {self.chunking_method!r}")
        size = self.batch_chunk_size
        if not (size is None or (isinstance(size, int) and size > 0)):
            raise ValueError(f"batch_chunk_size must be positive int or None, got {size!r}")
        if self.acc_dtype is not None and not getattr(self.acc_dtype, "is_floating_point", False):
            raise ValueError(f"acc_dtype must be one of {{None, torch.float16, torch.bfloat16, torch.float32, torch.float64}}, got {self.acc_dtype!r}.")

    def chunk(self, rows: int, features: int, classes: int) -> int:
        """How many rows go at a time; the heuristic makes a chunk's logits about as large as the input."""
        method = self.chunking_method
        if method == "auto":
            method = None if self.batch_chunk_size is not None else "aspect_ratio:2"
        if method is None:
            return max(self.batch_chunk_size or rows, 1)
        target = -(-rows // max(-(-classes // max(features, 1)), 1))
        found = max(min((1 << max(target - 1, 0).bit_length()) // int(method.partition(":")[2] or 1), rows), 1)
        if self.batch_chunk_size not in (None, found):
            raise ValueError(f"batch_chunk_size (={self.batch_chunk_size}) and chunking_method ('{self.chunking_method}') give different chunk sizes "
                             f"({self.batch_chunk_size} vs {found}); pass only one.")
        return found


def linear_cross_entropy(input: Tensor, linear_weight: Tensor, target: Tensor, *, linear_bias: Tensor | None = None, weight: Tensor | None = None,
                         reduction: str = "mean", ignore_index: int | None = None, label_smoothing: float = 0.0, options: Any = None) -> Tensor:
    """cross_entropy(linear(input, linear_weight, linear_bias), target, …): input (N, E) or (E), linear_weight (C, E) or (C, d1, …, E). RuntimeError
    for sizes that do not fit."""
    if input.ndim not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.ndim}")
    if linear_weight.ndim < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.ndim}")
    features, rows, classes, places = input.shape[-1], tuple(input.shape[:-1]), linear_weight.shape[0], tuple(linear_weight.shape[1:-1])
    if features != linear_weight.shape[-1]:
        raise RuntimeError(f"expected equal input and linear_weight last dimensions (in_features), got {features} and {linear_weight.shape[-1]}, respectively")
    if linear_bias is not None and tuple(linear_bias.shape) != (classes, *places):
        raise RuntimeError(f"expected linear_bias shape {(classes, *places)}, got {tuple(linear_bias.shape)}")
    if places and not rows:
        raise RuntimeError(f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires batched input, (N, {features}), got unbatched input "
                           f"with shape {tuple(input.shape)}")
    shape = (*rows, classes, *places)
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    ignored = -100 if ignore_index is None else ignore_index
    if options is not None:
        if not isinstance(options, LinearCrossEntropyOptions):
            raise TypeError(f"linear_cross_entropy(): argument 'options' must be LinearCrossEntropyOptions, not {type(options).__name__}")
        if not places and reduction in ("mean", "sum", "none") and label_smoothing == 0.0 and str(target.dtype) == "torch.int64":
            return in_chunks(input, linear_weight, target, linear_bias, weight, reduction, ignored, options)
        warnings.warn("linear_cross_entropy: ``options`` ignored; chunked path needs reduction in {'mean','sum','none'}, label_smoothing == 0, target.dtype == int64, "
                      "out_features == ().", stacklevel=2)
    if places:
        count = math.prod(places, start=classes)
        linear_weight = ops.reshape(linear_weight, (count, features))
        linear_bias = None if linear_bias is None else ops.reshape(linear_bias, (count,))
    logits = ops.reshape(ops.linear(input, linear_weight, linear_bias), shape)
    return cross_entropy(logits, target, weight, reduction=reduction, ignore_index=ignored, label_smoothing=label_smoothing)


def in_chunks(input: Tensor, linear_weight: Tensor, target: Tensor, bias: Tensor | None, weight: Tensor | None, reduction: str, ignored: int, options: Any) -> Tensor:
    single = input.ndim == 1
    if single:
        input, target = ops.unsqueeze(input, 0), ops.unsqueeze(target, 0)
    rows, step = input.shape[0], options.chunk(input.shape[0], input.shape[1], linear_weight.shape[0])
    losses = []
    for first in range(0, max(rows, 1), step):
        count = min(step, rows - first)
        logits = ops.linear(ops.narrow(input, 0, first, count), linear_weight, bias)
        losses.append(cross_entropy(logits, ops.narrow(target, 0, first, count), weight, reduction="none", ignore_index=ignored))
    each = ops.FUNCTIONS["cat"](losses)
    if reduction == "none":
        return ops.squeeze(each, 0) if single else each
    total = ops.FUNCTIONS["sum"](each)
    if reduction == "sum":
        return total
    counted = target != ignored
    if weight is None:
        return total / ops.FUNCTIONS["sum"](counted)
    weights = ops.index_select(weight, 0, ops.where(counted, target, 0))
    return total / ops.FUNCTIONS["sum"](ops.where(counted, weights, 0.0))
