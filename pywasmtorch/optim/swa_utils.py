"""AveragedModel, SWALR, update_bn: stochastic weight averaging (Izmailov et al., 2018)."""

import math
from copy import deepcopy
from itertools import chain
from typing import Any

import pywasmtorch as torch

from ..nn.modules.batchnorm import _BatchNorm
from ..nn.modules.module import Module
from .lr_scheduler._base import LRScheduler, per_group

__all__ = [
    "SWALR",
    "AveragedModel",
    "get_ema_avg_fn",
    "get_ema_multi_avg_fn",
    "get_swa_avg_fn",
    "get_swa_multi_avg_fn",
    "update_bn",
]


def _check_decay(decay):
    if decay < 0.0 or decay > 1.0:
        raise ValueError(f"Invalid decay value {decay} provided. Please provide a value in [0,1] range.")


def _is_continuous(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def get_ema_multi_avg_fn(decay=0.999):
    """A function of lists: each average becomes ``decay * average + (1 - decay) * value``, in place."""
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param_list, current_param_list, _):
        for average, value in zip(ema_param_list, current_param_list, strict=True):
            if _is_continuous(average):
                average.lerp_(value, 1 - decay)
            else:
                average.copy_(average * decay + value * (1 - decay))

    return ema_update


def get_swa_multi_avg_fn():
    """A function of lists: each becomes the mean of ``num_averaged`` values before and the one now, in place."""

    @torch.no_grad()
    def swa_update(averaged_param_list, current_param_list, num_averaged):
        for average, value in zip(averaged_param_list, current_param_list, strict=True):
            if _is_continuous(average):
                average.lerp_(value, 1 / (float(num_averaged) + 1))
            else:
                average.add_((value - average) / (num_averaged + 1))

    return swa_update


def get_ema_avg_fn(decay=0.999):
    """A function of one tensor that gives ``decay * average + (1 - decay) * value``."""
    _check_decay(decay)

    @torch.no_grad()
    def ema_update(ema_param, current_param, num_averaged):
        return decay * ema_param + (1 - decay) * current_param

    return ema_update


def get_swa_avg_fn():
    """A function of one tensor that gives the mean of ``num_averaged`` values before and the one now."""

    @torch.no_grad()
    def swa_update(averaged_param, current_param, num_averaged):
        return averaged_param + (current_param - averaged_param) / (num_averaged + 1)

    return swa_update


class AveragedModel(Module):
    """A copy of a model whose parameters are averages of the model's.

    Args:
        model (Module): what is copied.
        device (torch.device, optional): where the copy goes.
        avg_fn (callable, optional): ``avg_fn(average, value, num_averaged)`` gives a parameter's next average.
        multi_avg_fn (callable, optional): the same of lists, in place. Without either the mean is taken.
        use_buffers (bool): average the buffers as well instead of copying them. Default: ``False``.
    """

    def __init__(self, model, device=None, avg_fn=None, multi_avg_fn=None, use_buffers=False):
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        if device is not None:
            self.module = self.module.to(device)
        self.register_buffer("n_averaged", torch.tensor(0, dtype=torch.long, device=device))
        self.avg_fn = avg_fn
        self.multi_avg_fn = multi_avg_fn
        self.use_buffers = use_buffers

    def forward(self, *args, **kwargs):
        return self.module(*args, **kwargs)

    def update_parameters(self, model):
        """Take the model's parameters into the averages; the first time they are copied."""
        pairs = [
            (average.detach(), value.detach().to(average.device))
            for average, value in zip(self._averaged(self.module), self._averaged(model), strict=False)
        ]
        if self.n_averaged == 0:
            for average, value in pairs:
                average.copy_(value)
        else:
            self._average(pairs)
        if not self.use_buffers:
            for average, value in zip(self.module.buffers(), model.buffers(), strict=True):
                average.detach().copy_(value.detach())
        self.n_averaged += 1

    def _averaged(self, module):
        return chain(module.parameters(), module.buffers()) if self.use_buffers else module.parameters()

    def _average(self, pairs):
        if self.multi_avg_fn is None:
            average_of = self.avg_fn or get_swa_avg_fn()
            for average, value in pairs:
                average.copy_(average_of(average, value, self.n_averaged))
            return
        by_dtype: dict[Any, tuple[list, list]] = {}
        for average, value in pairs:
            averages, values = by_dtype.setdefault(average.dtype, ([], []))
            averages.append(average)
            values.append(value)
        for averages, values in by_dtype.values():
            self.multi_avg_fn(averages, values, self.n_averaged)


@torch.no_grad()
def update_bn(loader, model, device=None):
    """Compute the running statistics of batch normalizations anew, as means over all batches.

    Args:
        loader (iterable): gives inputs, or lists or tuples whose first item is the input.
        model (Module): is called with each of them in training mode.
        device (torch.device, optional): where the inputs go.
    """
    momenta = {module: module.momentum for module in model.modules() if isinstance(module, _BatchNorm)}
    if not momenta:
        return
    was_training = model.training
    model.train()
    for module in momenta:
        module.reset_running_stats()
        module.momentum = None
    for batch in loader:
        inputs = batch[0] if isinstance(batch, (list, tuple)) else batch
        model(inputs if device is None else inputs.to(device))
    for module, momentum in momenta.items():
        module.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Goes from the rate as it is to ``swa_lr`` within ``anneal_epochs`` epochs and stays there.

    Args:
        swa_lr (float or list): the last rate, of all or of each group.
        anneal_epochs (int): default 10.
        anneal_strategy (str): ``"cos"`` or ``"linear"``. Default: ``"cos"``.
    """

    def __init__(self, optimizer, swa_lr, anneal_epochs=10, anneal_strategy="cos", last_epoch=-1):
        for rate, group in zip(per_group("swa_lr", optimizer, swa_lr), optimizer.param_groups, strict=True):
            group["swa_lr"] = rate
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}")
        self._anneal_strategy = anneal_strategy
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        self.anneal_epochs = anneal_epochs
        super().__init__(optimizer, last_epoch)

    def anneal_func(self, t):
        """How much of the way is done after the part ``t`` of the epochs."""
        return (1 - math.cos(math.pi * t)) / 2 if self._anneal_strategy == "cos" else t

    def get_lr(self):
        self._warn_unless_within_step()
        step = self._step_count - 1
        if self.anneal_epochs == 0:
            step = max(1, step)
        before, now = (self.anneal_func(max(0, min(1, n / max(1, self.anneal_epochs)))) for n in (step - 1, step))
        rates = []
        for group in self.optimizer.param_groups:
            last = group["swa_lr"]
            first = last if before == 1 else (group["lr"] - before * last) / (1 - before)
            rates.append(last * now + first * (1 - now))
        return rates
