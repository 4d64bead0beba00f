"""SGD: stochastic gradient descent."""

import pywasmtorch as torch

from .._core.generated.ops import _sgd_step
from ._arguments import check_one_element, described
from ._differentiable import sgd_step
from ._fused import SteppedOptimizer, in_pieces, with_gradients, zeros
from ._sparse import sgd_step as sparse_sgd_step
from .optimizer import _as_number, _check_implementation, _get_value

__all__ = ["SGD"]


class SGD(SteppedOptimizer):
    __doc__ = f"""Stochastic gradient descent: ``param -= lr * grad``.

    With momentum, ``buf = momentum * buf + (1 - dampening) * grad`` takes the gradient's place, ``buf`` being the
    gradient at first; in Nesterov's form ``grad + momentum * buf`` does (Sutskever et al., 2013).

    Args:
        params (iterable): see :class:`Optimizer`.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        momentum, dampening, weight_decay (float): default 0; ``weight_decay * param`` is added to the gradient.
        nesterov (bool): needs momentum and no dampening. Default: ``False``.
        {described("maximize", "differentiable", "foreach, fused")}
    """

    _option_names = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize", "foreach", "differentiable", "fused")
    _numbers = {}
    _late_options = {"nesterov": False, "maximize": False, "foreach": None, "differentiable": False, "fused": False}

    def __init__(
        self,
        params,
        lr=1e-3,
        momentum=0,
        dampening=0,
        weight_decay=0,
        nesterov=False,
        *,
        maximize=False,
        foreach=None,
        differentiable=False,
        fused=None,
    ):
        check_one_element("lr", lr)
        for name, value in (("learning rate", lr), ("momentum value", momentum), ("weight_decay value", weight_decay)):
            if value < 0.0:  # unlike for the others, torch lets NaN pass
                raise ValueError(f"Invalid {name}: {value}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        super().__init__(params, self._checked(locals()))
        _check_implementation(foreach, fused, differentiable)

    def _step_group(self, group):
        params, states, grads = group["params"], self.state, None
        if self.defaults["differentiable"] or group["fused"]:
            params, grads = self._with_grads(group)
        if group["momentum"] == 0:
            return self._update(group, params, grads, [], group["dampening"])
        bufs = [states[param].get("momentum_buffer") if param in states else None for param in params]
        if not any(buf is None for buf in bufs):
            return self._update(group, params, grads, bufs, group["dampening"])
        # The first gradient enters the momentum whole.
        params, grads = self._with_grads(group)
        started: list[tuple] = []
        fresh: list[tuple] = []
        for param, grad in zip(params, grads, strict=True):
            buf = states[param].get("momentum_buffer")
            (fresh if buf is None else started).append((param, grad, buf))
        for i, (param, grad, _) in enumerate(fresh):
            states[param]["momentum_buffer"] = buf = zeros(grad)
            fresh[i] = (param, grad, buf)
        for items, dampening in ((started, group["dampening"]), (fresh, None)):
            if items:
                params, grads, bufs = map(list, zip(*items, strict=True))
                self._update(group, params, grads, bufs, dampening)

    def _sparse_step(self, group, params):
        names = ("lr", "momentum", "dampening", "weight_decay", "nesterov", "maximize")
        sparse_sgd_step(params, self.state, *(_get_value(group[name]) for name in names))

    def _with_grads(self, group):
        pairs = with_gradients(group["params"])
        for param, _ in pairs:
            self._check_param_of_step(group, param)
        return [param for param, _ in pairs], [grad for _, grad in pairs]

    def _update(self, group, params, grads, bufs, dampening):
        options = (
            group["lr"],
            group["momentum"],
            dampening,
            group["weight_decay"],
            group["nesterov"],
            bool(group["maximize"]),
        )
        if self.defaults["differentiable"]:
            with torch.enable_grad():
                sgd_step(params, grads, bufs, *map(_as_number, options))
        else:
            lr, momentum, dampening, *others = map(_get_value, options)
            in_pieces(_sgd_step, [params, bufs], [lr, momentum, dampening or 0, *others])
