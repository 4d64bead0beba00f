"""LRScheduler: the base class."""

import warnings
import weakref
from contextlib import contextmanager
from functools import wraps

from ..._tensor import Tensor
from ..optimizer import Optimizer, _to_scalar


def warn_of_epoch(stacklevel):
    warnings.warn(
        "The epoch parameter in `scheduler.step()` was not necessary and is being deprecated where possible. "
        "Please use `scheduler.step()` to step the scheduler.",
        UserWarning,
        stacklevel=stacklevel + 1,
    )


def check_optimizer(optimizer):
    if not isinstance(optimizer, Optimizer):
        raise TypeError(f"{type(optimizer).__name__} is not an Optimizer")


def _copy(value):
    return value.clone() if isinstance(value, Tensor) else value


def _group_values(optimizer, key):
    return [_copy(group[key]) for group in optimizer.param_groups]


def per_group(name, optimizer, value):
    """``value`` for each group: itself if it is a sequence, else repeated."""
    groups = optimizer.param_groups
    if not isinstance(value, (list, tuple)):
        value = [value] * len(groups)
    elif len(value) != len(groups):
        raise ValueError(
            f"{name} must have the same length as optimizer.param_groups. "
            f"{name} has {len(value)} values, param_groups has {len(groups)}."
        )
    return [_copy(v) for v in value]


def set_value(group, key, value):
    """Set an option, in place where it is a tensor, so that who holds the tensor sees it."""
    if isinstance(group[key], Tensor):
        group[key].fill_(_to_scalar(value))
    else:
        group[key] = value


def _note_steps(optimizer):
    """Lets an optimizer that wraps another, and so never ran ``Optimizer.__init__``, note that its ``step`` was called."""
    step = getattr(optimizer.step, "__func__", None)
    if step is None or hasattr(step, "hooked"):
        return
    own = weakref.ref(optimizer)

    @wraps(step)
    def noted_step(*args, **kwargs):
        optimizer = own()
        optimizer._opt_called = True
        return step(optimizer, *args, **kwargs)

    optimizer.step = noted_step


class LRScheduler:
    """The base class: subclasses define ``get_lr``, which gives each group's next rate.

    Args:
        optimizer (Optimizer): whose learning rates are set.
        last_epoch (int): the steps taken so far, less one. Default: -1.
    """

    _get_lr_called_within_step = False
    _is_initial = False

    def __init__(self, optimizer, last_epoch=-1):
        check_optimizer(optimizer)
        self.optimizer = optimizer
        for i, group in enumerate(optimizer.param_groups):
            if last_epoch == -1:
                group.setdefault("initial_lr", _copy(group["lr"]))
            elif "initial_lr" not in group:
                raise KeyError(
                    f"param 'initial_lr' is not specified in param_groups[{i}] when resuming scheduler with last_epoch >= 0."
                )
        self.base_lrs = _group_values(optimizer, "initial_lr")
        self.last_epoch = last_epoch
        _note_steps(optimizer)
        self._initial_step()

    def _initial_step(self):
        self._step_count = 0
        self._is_initial = True
        try:
            self.step()
        finally:
            self._is_initial = False

    def state_dict(self):
        """Everything but the optimizer."""
        return {key: value for key, value in self.__dict__.items() if key != "optimizer"}

    def load_state_dict(self, state_dict):
        """Take back what ``state_dict`` gave."""
        self.__dict__.update(state_dict)

    def get_last_lr(self):
        """The rates that were set last, one a group."""
        return self._last_lr

    def get_lr(self):
        """Each group's next rate; called by ``step``."""
        raise NotImplementedError

    def step(self, epoch=None):
        """Set the next rates; call it after ``optimizer.step()``."""
        if self._step_count == 1 and not getattr(self.optimizer, "_opt_called", False):
            warnings.warn(
                "Detected call of `lr_scheduler.step()` before `optimizer.step()`. You should call them in the "
                "opposite order: `optimizer.step()` before `lr_scheduler.step()`. Failure to do this will skip the "
                "first value of the learning rate schedule.",
                UserWarning,
                stacklevel=2,
            )
        self._step_count += 1
        if epoch is not None:
            warn_of_epoch(stacklevel=2)
        self._update_lr(epoch)

    def _update_lr(self, epoch=None):
        with self._within_step():
            if epoch is None:
                self.last_epoch += 1
                rates = self.get_lr()
            else:
                self.last_epoch = epoch
                rates = getattr(self, "_get_closed_form_lr", self.get_lr)()
        self._set_rates(rates)

    def _set_rates(self, rates):
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            set_value(group, "lr", rate)
        self._last_lr = self._current()

    @contextmanager
    def _within_step(self):
        self._get_lr_called_within_step = True
        try:
            yield
        finally:
            self._get_lr_called_within_step = False

    def _warn_unless_within_step(self):
        if not self._get_lr_called_within_step:
            warnings.warn(
                "To get the last learning rate computed by the scheduler, please use `get_last_lr()`.",
                UserWarning,
                stacklevel=3,
            )

    def _current(self):
        return _group_values(self.optimizer, "lr")

    def _scaled(self, factor):
        return [group["lr"] * factor for group in self.optimizer.param_groups]


class _LRScheduler(LRScheduler):
    """The older name of :class:`LRScheduler`."""
