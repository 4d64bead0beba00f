"""Functions of lists that are more than an operator: `_foreach_clone`, the scaling of gradients, the steps of optimizers.

The others, `torch._foreach_*`, are rows of `core-c/ops/foreach.yaml`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.generated import ops
from .._core.layout import format_code
from .._core.tensor_type import Tensor

Tensors = Sequence[Tensor]


def _foreach_clone(self: Tensors, *, memory_format: Any = None) -> tuple[Tensor, ...]:
    """A copy of each tensor. RuntimeError for an empty list."""
    return ops._foreach_clone_as(self, format_code(memory_format))


def _amp_foreach_non_finite_check_and_unscale_(self: Tensors, found_inf: Tensor, inv_scale: Tensor) -> None:
    """Multiplies gradients of floating dtypes in place by `inv_scale`, and sets `found_inf` to 1 where one is not finite. RuntimeError where
    one of the two is not a single float32 number; NotImplementedError for gradients of other dtypes."""
    ops._amp_unscale(self, found_inf, inv_scale)


def _amp_update_scale_(self: Tensor, growth_tracker: Tensor, found_inf: Tensor, scale_growth_factor: float, scale_backoff_factor: float, growth_interval: int) -> Tensor:
    """The scale after a step, in place: smaller where something was not finite, larger after `growth_interval` steps without. RuntimeError
    where `self` and `found_inf` are not single float32 numbers or `growth_tracker` is not a single int32."""
    ops._amp_update_scale(self, growth_tracker, found_inf, float(scale_growth_factor), float(scale_backoff_factor), growth_interval)
    return self


def _skips(name: str, params: Tensors, found_inf: Tensor | None) -> bool:
    if not len(params):
        raise NotImplementedError(f"There were no tensor arguments to this function (e.g., you passed an empty list of Tensors): {name} needs a parameter")
    return found_inf is not None and found_inf.item() == 1


def _adam(name: str, decoupled: bool) -> Callable[..., None]:
    def step(self: Tensors, grads: Tensors, exp_avgs: Tensors, exp_avg_sqs: Tensors, max_exp_avg_sqs: Tensors, state_steps: Tensors, *, lr: Any, beta1: float,
             beta2: float, weight_decay: float, eps: float, amsgrad: bool, maximize: bool, grad_scale: Tensor | None = None, found_inf: Tensor | None = None) -> None:
        """One step of Adam in place, for all parameters at once; `state_steps` count this step already. Gradients are divided by `grad_scale` in
        place; nothing happens where `found_inf` is 1. RuntimeError where sizes, dtypes or the lists' lengths differ."""
        if not _skips(name, self, found_inf):
            largest = max_exp_avg_sqs if amsgrad else []
            ops._given_adam_step(self, grads, exp_avgs, exp_avg_sqs, largest, state_steps, float(lr), float(beta1), float(beta2), float(weight_decay), float(eps),
                                 decoupled, amsgrad, maximize, grad_scale)

    step.__name__ = step.__qualname__ = name
    return step


_fused_adam_, _fused_adamw_ = _adam("_fused_adam_", False), _adam("_fused_adamw_", True)


def _fused_sgd_(self: Tensors, grads: Tensors, momentum_buffer_list: Tensors, *, weight_decay: float, momentum: float, lr: Any, dampening: float, nesterov: bool,
                maximize: bool, is_first_step: bool, grad_scale: Tensor | None = None, found_inf: Tensor | None = None) -> None:
    """One step of SGD in place, for all parameters at once; buffers are written before they are read where `is_first_step`. `grad_scale` and
    `found_inf` as of `_fused_adam_`. RuntimeError where sizes, dtypes or the lists' lengths differ."""
    if not _skips("_fused_sgd_", self, found_inf):
        ops._given_sgd_step(self, grads, momentum_buffer_list, float(weight_decay), float(momentum), float(lr), float(dampening), nesterov, maximize, is_first_step,
                            grad_scale)


def _fused_adagrad_(self: Tensors, grads: Tensors, state_sums: Tensors, state_steps: Tensors, *, lr: Any, lr_decay: float, weight_decay: float, eps: float,
                    maximize: bool, grad_scale: Tensor | None = None, found_inf: Tensor | None = None) -> None:
    """One step of Adagrad in place, for all parameters at once; `state_steps` count this step already. `grad_scale` and `found_inf` as of
    `_fused_adam_`. RuntimeError where sizes, dtypes or the lists' lengths differ."""
    if not _skips("_fused_adagrad_", self, found_inf):
        ops._given_adagrad_step(self, grads, state_sums, state_steps, float(lr), float(lr_decay), float(weight_decay), float(eps), maximize, grad_scale)


FUNCTIONS: tuple[Callable[..., Any], ...] = (
    _foreach_clone, _amp_foreach_non_finite_check_and_unscale_, _amp_update_scale_, _fused_adam_, _fused_adamw_, _fused_sgd_, _fused_adagrad_,
)
