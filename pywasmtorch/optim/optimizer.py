"""Optimizer: the base class."""

import math
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Iterable
from copy import deepcopy
from functools import wraps
from typing import Any

import pywasmtorch as torch

from .._core.hooks import RemovableHandle
from .._tensor import Tensor
from ..nn.parameter import zero_gradient

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook"]

Hooks = OrderedDict[int, Any]
ParamsT = Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]
params_t = ParamsT

_global_pre_hooks: Hooks = OrderedDict()
_global_post_hooks: Hooks = OrderedDict()

_HOOK_TABLES = (
    "_optimizer_step_pre_hooks",
    "_optimizer_step_post_hooks",
    "_optimizer_state_dict_pre_hooks",
    "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks",
    "_optimizer_load_state_dict_post_hooks",
)


class _RequiredParameter:
    def __repr__(self):
        return "<required parameter>"


required = _RequiredParameter()


def _register(hooks, hook, prepend=False):
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def register_optimizer_step_pre_hook(hook):
    """Call ``hook(optimizer, args, kwargs)`` before every optimizer's step; it may return both anew.

    The optimizer is the first of ``args``.
    """
    return _register(_global_pre_hooks, hook)


def register_optimizer_step_post_hook(hook):
    """Call ``hook(optimizer, args, kwargs)`` after every optimizer's step."""
    return _register(_global_post_hooks, hook)


def _hooks_of(first, second):
    return (*first.values(), *second.values()) if first or second else ()


def _with_hooks(step):
    """Wrap a class's ``step`` so that it runs hooks and notes that it was called."""

    @wraps(step)
    def hooked_step(*args, **kwargs):
        self = args[0]
        self._opt_called = True
        for hook in _hooks_of(_global_pre_hooks, self._optimizer_step_pre_hooks):
            replaced = hook(self, args, kwargs)
            if replaced is None:
                continue
            if not (isinstance(replaced, tuple) and len(replaced) == 2):
                raise RuntimeError(f"{step} must return None or a tuple of (new_args, new_kwargs), but got {replaced}.")
            args, kwargs = replaced
        result = step(*args, **kwargs)
        for hook in _hooks_of(self._optimizer_step_post_hooks, _global_post_hooks):
            hook(self, args, kwargs)
        return result

    hooked_step.hooked = True  # type: ignore[attr-defined]
    return hooked_step


def _evaluate(closure):
    if closure is None:
        return None
    with torch.enable_grad():
        return closure()


def _check_implementation(foreach, fused, differentiable):
    """All implementations are one here, but the choices that exclude each other still do."""
    if fused and differentiable:
        raise RuntimeError("`fused` does not support `differentiable`")
    if fused and foreach:
        raise RuntimeError("`fused` and `foreach` cannot be `True` together.")


def _to_scalar(x):
    """A one-element tensor without its dimensions; anything else as it is."""
    return x.squeeze() if isinstance(x, Tensor) and x.dim() != 0 else x


def _get_value(x):
    """The number in a one-element tensor; anything else as it is."""
    return x.item() if isinstance(x, Tensor) else x


def _as_number(x):
    """A number, or a 0-d tensor where it takes part in the graph."""
    if isinstance(x, Tensor) and not x.requires_grad:
        return x.item()
    return _to_scalar(x)


def _dispatch_sqrt(x):
    """The root of a tensor or of a number."""
    return x.sqrt() if isinstance(x, Tensor) else math.sqrt(x)


def _default_to_fused_or_foreach(params, differentiable, use_fused=False):
    """Whether optimizers of other packages should take their fused and their foreach steps: neither, as on any CPU."""
    return False, False


def _use_grad_for_differentiable(step):
    """Wrap a ``step`` so that it records gradients just where the optimizer is ``differentiable``."""

    @wraps(step)
    def switched_step(*args, **kwargs):
        with torch.set_grad_enabled(bool(args[0].defaults.get("differentiable"))):
            return step(*args, **kwargs)

    return switched_step


class Optimizer:
    """What all optimizers share: parameter groups, state, saving and hooks.

    Args:
        params (iterable): tensors, (name, tensor) pairs, or dictionaries that each describe a group, with the
            tensors under ``"params"`` and options that override the defaults.
        defaults (dict): the options of groups that do not set them.

    Attributes:
        param_groups (list): the groups.
        state (dict): what the optimizer keeps for each parameter.
    """

    _optimizer_step_pre_hooks: Hooks
    _optimizer_step_post_hooks: Hooks
    _optimizer_state_dict_pre_hooks: Hooks
    _optimizer_state_dict_post_hooks: Hooks
    _optimizer_load_state_dict_pre_hooks: Hooks
    _optimizer_load_state_dict_post_hooks: Hooks

    def __init__(self, params, defaults):
        self.defaults = defaults
        self._prepare()
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of Tensors or dicts, "
                f"but got {torch.typename(params)}"
            )
        self.state: defaultdict[Any, dict] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _prepare(self):
        """Give the instance its hook tables and its class a step that runs them."""
        for table in _HOOK_TABLES:
            self.__dict__.setdefault(table, OrderedDict())
        cls = type(self)
        if not getattr(cls.step, "hooked", False):
            cls.step = _with_hooks(cls.step)  # type: ignore[method-assign]

    def __getstate__(self):
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state):
        self.__dict__.update(state)
        self._prepare()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self):
        text = f"{type(self).__name__} ("
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {i}\n{options}"
        return text + ")"

    def step(self, closure=None):
        """Update the parameters; subclasses define it.

        Args:
            closure (callable, optional): computes the loss and the gradients anew and returns the loss.
        """
        raise NotImplementedError

    def zero_grad(self, set_to_none=True):
        """Forget every parameter's gradient, or fill it with zeros."""
        for group in self.param_groups:
            for param in group["params"]:
                if set_to_none:
                    param.grad = None
                elif param.grad is not None:
                    zero_gradient(param.grad)

    # Groups

    def add_param_group(self, param_group):
        """Optimize more tensors.

        Args:
            param_group (dict): as in the constructor's ``params``.

        Raises:
            TypeError: the group is no dict, or what it holds are no tensors.
            ValueError: a tensor is no leaf or is in another group already.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params, names = _split_names(param_group["params"])
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        for param in params:
            self._check_param(param)
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len(params) != len(set(params)):
            warnings.warn(
                "optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                stacklevel=3,
            )
        self._check_against_other_groups(param_group)
        self.param_groups.append(param_group)

    def _check_param(self, param):
        if not isinstance(param, Tensor):
            raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {torch.typename(param)}")
        if not self.defaults.get("differentiable", None) and not (param.is_leaf or param.retains_grad):
            raise ValueError("can't optimize a non-leaf Tensor")

    def _check_against_other_groups(self, param_group):
        has_names = "param_names" in param_group
        known = set()
        for group in self.param_groups:
            known.update(group["params"])
            if has_names != ("param_names" in group):
                kind = "with names" if has_names else "without names"
                raise ValueError(
                    f"all optimizer param groups should be with/without names. cannot add param group {kind} to the optimizer"
                )
        if not known.isdisjoint(param_group["params"]):
            raise ValueError("some parameters appear in more than one parameter group")

    # Saving and loading

    def state_dict(self):
        """The state and the groups, with each parameter replaced by its number.

        Returns:
            A dict: ``"state"`` maps numbers to what the optimizer keeps; ``"param_groups"`` lists the options,
            with the numbers under ``"params"``. Tensors are not copied.
        """
        for hook in self._optimizer_state_dict_pre_hooks.values():
            hook(self)
        numbers: dict[int, int] = {}
        start = 0
        groups = []
        for group in self.param_groups:
            params = group["params"]
            for number, param in enumerate(params, start):
                numbers.setdefault(id(param), number)
            start += len(params)
            packed = {key: value for key, value in group.items() if key != "params"}
            packed["params"] = [numbers[id(param)] for param in params]
            groups.append(packed)
        state = {numbers[id(key)] if isinstance(key, Tensor) else key: value for key, value in self.state.items()}
        state_dict = {"state": state, "param_groups": groups}
        for hook in self._optimizer_state_dict_post_hooks.values():
            replaced = hook(self, state_dict)
            if replaced is not None:
                state_dict = replaced
        return state_dict

    def load_state_dict(self, state_dict):
        """Take the state and the options of a ``state_dict``; parameters correspond by their order.

        Tensors in the state are converted to their parameter's dtype, except ``"step"``.

        Raises:
            ValueError: the groups' number or sizes differ.
        """
        state_dict = state_dict.copy()
        for hook in self._optimizer_load_state_dict_pre_hooks.values():
            replaced = hook(self, state_dict)
            if replaced is not None:
                state_dict = replaced
        groups = self.param_groups
        saved_groups = deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved_groups):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(group["params"]) != len(saved["params"]) for group, saved in zip(groups, saved_groups, strict=True)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        owners: dict[int, Any] = {}
        for group, saved in zip(groups, saved_groups, strict=True):
            owners.update((number, (param, saved)) for number, param in zip(saved["params"], group["params"], strict=True))
        state: defaultdict[Any, Any] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in owners:
                param, saved = owners[key]
                state[param] = _convert_state(value, param, saved)
            else:
                state[key] = value
        for group, saved in zip(groups, saved_groups, strict=True):
            saved["params"] = group["params"]
            if "param_names" in group:
                saved.setdefault("param_names", group["param_names"])
        self.__setstate__({"state": state, "param_groups": saved_groups})
        for hook in self._optimizer_load_state_dict_post_hooks.values():
            hook(self)

    # Hooks

    def register_step_pre_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` before ``step``; it may return both anew."""
        return _register(self._optimizer_step_pre_hooks, hook)

    def register_step_post_hook(self, hook):
        """Call ``hook(optimizer, args, kwargs)`` after ``step``."""
        return _register(self._optimizer_step_post_hooks, hook)

    def register_state_dict_pre_hook(self, hook, prepend=False):
        """Call ``hook(optimizer)`` before ``state_dict`` collects."""
        return _register(self._optimizer_state_dict_pre_hooks, hook, prepend)

    def register_state_dict_post_hook(self, hook, prepend=False):
        """Call ``hook(optimizer, state_dict)`` on the result of ``state_dict``, which it may replace."""
        return _register(self._optimizer_state_dict_post_hooks, hook, prepend)

    def register_load_state_dict_pre_hook(self, hook, prepend=False):
        """Call ``hook(optimizer, state_dict)`` before ``load_state_dict``; it may return another dictionary."""
        return _register(self._optimizer_load_state_dict_pre_hooks, hook, prepend)

    def register_load_state_dict_post_hook(self, hook, prepend=False):
        """Call ``hook(optimizer)`` after ``load_state_dict``."""
        return _register(self._optimizer_load_state_dict_post_hooks, hook, prepend)


def _split_names(params):
    """The tensors of a group, and the names of those given as (name, tensor)."""
    if isinstance(params, Tensor):
        return [params], []
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
            "will change between runs. Please use a list instead."
        )
    items = list(params)
    names = [item[0] for item in items if isinstance(item, tuple)]
    if names and len(names) != len(items):
        raise ValueError("all optimizer params should be with/without names. Some param names are missing")
    return [item[1] if isinstance(item, tuple) else item for item in items], names


def _convert_state(value, param, group, key=None):
    """A loaded state with its tensors converted as ``param`` asks."""
    if isinstance(value, Tensor):
        if key == "step":
            needs_float = group.get("capturable", False) or group.get("fused", False)
            return value.to(dtype=torch.float32) if needs_float else value
        return value.to(dtype=param.dtype) if param.is_floating_point() else value
    if isinstance(value, dict):
        return {k: _convert_state(v, param, group, k) for k, v in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, (str, bytes)):
        kind: Any = type(value)
        return kind(_convert_state(v, param, group) for v in value)
    return value
