"""SteppedOptimizer: a step is one operator call for each parameter group."""

import pywasmtorch as torch

from .._core.generated.ops import _grads
from .._tensor import Tensor
from ._arguments import CHECKS
from ._sparse import refuse, with_sparse_gradient
from .optimizer import Optimizer, _as_number, _evaluate, _get_value

#: How many parameters, each with up to five tensors, go into the frame of a call.
PIECE = 8192
#: What torch names as the places where capturable steps and fused steps run.
CAPTURABLE_DEVICES = ["cuda", "xpu", "hpu", "privateuseone", "xla"]
FUSED_DEVICES = ["mps", "cuda", "xpu", "hpu", "cpu", "mtia", "privateuseone"]


def number_tensor(value, is_fused=False):
    """A 0-d tensor for an optimizer's state, of double precision where that is the default dtype."""
    is_double = torch.get_default_dtype() == torch.float64 and not is_fused
    return torch.tensor(float(value), dtype=torch.float64 if is_double else torch.float32)


def zeros(param):
    return torch.zeros_like(param, requires_grad=False)


def filled(param, value):
    """Like a parameter, with this number everywhere, in complex parameters for both parts."""
    return torch.full_like(param, complex(value, value) if param.is_complex() else value, requires_grad=False)


def with_gradients(params):
    """Pairs of the parameters that have a ``.grad`` and this gradient; one call of the core reads many."""
    grads = [grad for start in range(0, len(params), PIECE) for grad in _grads(params[start : start + PIECE])]
    return [(param, grad) for param, grad in zip(params, grads, strict=True) if grad is not None]


def in_pieces(step, lists, options):
    """Step so many parameters at once as fit into the frame of a call."""
    if len(lists[0]) <= PIECE:
        step(*lists, *options)
        return
    for start in range(0, len(lists[0]), PIECE):
        step(*(items[start : start + PIECE] for items in lists), *options)


class SteppedOptimizer(Optimizer):
    """What they share; a subclass says what it keeps and which functions step."""

    #: The options of a group, in torch's order.
    _option_names: tuple[str, ...]
    #: Those of them that CHECKS checks, in torch's order.
    _checked_names: tuple[str, ...] = ()
    #: The state's entries for each parameter, in the order that the functions take them.
    _state_keys: tuple[str, ...] = ("step",)
    #: Those of them that are 0-d tensors, and what they begin with.
    _numbers: dict[str, float] = {"step": 0}
    #: Options that state dictionaries of earlier versions lack.
    _late_options: dict[str, object] = {"foreach": None, "maximize": False, "differentiable": False, "capturable": False}
    _capturable_devices = CAPTURABLE_DEVICES
    _capturable_state = "params and state_steps"

    def _checked(self, arguments):
        """The options among a constructor's ``locals()``, their values checked."""
        for name in self._checked_names:
            CHECKS[name](arguments[name])
        return {name: arguments[name] for name in self._option_names}

    def __setstate__(self, state):
        super().__setstate__(state)
        for group in self.param_groups:
            for key, value in self._late_options.items():
                group.setdefault(key, value)
            for param in group["params"]:
                param_state = self.state.get(param) or {}
                for key in self._numbers if param_state else ():
                    if not isinstance(param_state[key], Tensor):
                        param_state[key] = number_tensor(param_state[key], group.get("fused"))

    def step(self, closure=None):
        """Update the parameters that have gradients.

        Args:
            closure (callable, optional): computes the loss and the gradients anew; the loss is returned.
        """
        loss = _evaluate(closure)
        for group in self.param_groups:
            sparse = with_sparse_gradient(group["params"])
            if sparse:
                with torch.no_grad():
                    self._sparse_step(group, sparse)
                group = {**group, "params": [param for param in group["params"] if param not in set(sparse)]}
            self._step_group(group)
        return loss

    def _sparse_step(self, group, params):
        """Step these parameters of a group, whose gradients are sparse."""
        refuse(type(self).__name__)

    def _step_group(self, group):
        params = group["params"]
        states = [self.state.get(param) for param in params]
        if self.defaults.get("differentiable") or not all(states) or group.get("capturable"):
            params, grads = self._start(group)
            if not params:
                return
            states = [self.state[param] for param in params]
        lists = self._lists_of(group, states)
        options = self._options_of(group)
        if self.defaults.get("differentiable"):
            with torch.enable_grad():
                self._recorded_step(params, grads, *lists, *map(_as_number, options))
        else:
            in_pieces(self._core_step, [params, *lists], [*map(_get_value, options)])

    def _start(self, group):
        """The parameters with gradients, whose states exist from now on, and these gradients."""
        pairs = with_gradients(group["params"])
        for param, grad in pairs:
            self._check_param_of_step(group, param)
            state = self.state[param]
            if not state:
                self._init_state(state, param, grad, group)
        if pairs and group.get("capturable") and not group.get("fused"):
            raise AssertionError(f"If capturable=True, {self._capturable_state} must be on supported devices: {self._capturable_devices}.")
        return [param for param, _ in pairs], [grad for _, grad in pairs]

    def _check_param_of_step(self, group, param):
        if group.get("fused") and not param.is_floating_point():
            raise RuntimeError(
                "`fused=True` requires all the params to be floating point Tensors of "
                f"supported devices: {FUSED_DEVICES} but {param.dtype} and {param.device.type}"
            )

    def _lists_of(self, group, states):
        """What the step functions take after the parameters: a list for each key, empty where the group has none."""
        return [[state[key] for state in states] if key else [] for key in self._keys_of(group)]

    def _keys_of(self, group):
        return self._state_keys

    def _init_state(self, state, param, grad, group):
        """Give a parameter its state, in the order in which torch saves it: numbers, then zeros of its shape."""
        for key, start in self._numbers.items():
            state[key] = number_tensor(start, group.get("fused"))
        for key in self._keys_of(group):
            if key and key not in state:
                state[key] = zeros(param)

    def _options_of(self, group):
        """What the step functions take after the lists."""
        raise NotImplementedError

    @staticmethod
    def _core_step(params, *lists_and_options):
        raise NotImplementedError

    @staticmethod
    def _recorded_step(params, grads, *lists_and_options):
        raise NotImplementedError
