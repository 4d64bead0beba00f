"""Steps with sparse gradients, which read and write only the rows that have one."""

from __future__ import annotations

from math import prod

from .._core.generated import ops
from ..autograd import _sparse_gradients

#: What torch says of optimizers that take none.
HINTS = {"Adam": ", please consider SparseAdam instead"}


def with_sparse_gradient(params):
    """Those of the parameters whose gradient is sparse."""
    return [param for param in params if param.__dict__.get("_sparse_grad") is not None and param.grad.is_sparse] if _sparse_gradients.met() else []


def refuse(name):
    """What an optimizer without such a step says."""
    name = "Adam" if name == "AdamW" else name
    raise RuntimeError(f"{name} does not support sparse gradients{HINTS.get(name, '')}")


class Rows:
    """The rows of dense tensors at the places of a coalesced gradient."""

    def __init__(self, grad):
        dims = grad.sparse_dim()
        self.flat = ops._sparse_flat(grad._index, grad._sizes[:dims])
        self.shape = (prod(grad._sizes[:dims]), *grad._sizes[dims:])

    def read(self, tensor):
        return ops.index_select(ops.reshape(tensor, self.shape), 0, self.flat)

    def write(self, tensor, values):
        if not tensor.is_contiguous():
            raise NotImplementedError("pywasmtorch steps with sparse gradients on contiguous parameters")
        ops.index_copy_(ops.view(tensor.detach(), self.shape), 0, self.flat, values)


def sgd_step(params, states, lr, momentum, dampening, weight_decay, nesterov, maximize):
    """Stochastic gradient descent. RuntimeError with weight decay, which would be dense."""
    for param in params:
        grad = -param.grad if maximize else param.grad
        if weight_decay:
            raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
        if momentum:
            buffer = states[param].get("momentum_buffer")
            if buffer is None:
                buffer = states[param]["momentum_buffer"] = grad.detach().clone()
            else:
                buffer.mul_(momentum).add_(grad, alpha=1 - dampening)
            grad = grad.add(buffer, alpha=momentum) if nesterov else buffer
        param.detach().add_(grad, alpha=-lr)


def adagrad_step(params, states, lr, lr_decay, weight_decay, eps, maximize):
    """Adagrad. RuntimeError with weight decay, which would be dense."""
    for param in params:
        if weight_decay:
            raise RuntimeError("weight_decay option is not compatible with sparse gradients")
        state = states[param]
        state["step"] += 1
        grad = param.grad.coalesce()
        values = -grad._value if maximize else grad._value
        if not values.numel():
            continue
        rows = Rows(grad)
        total = rows.read(state["sum"]) + values * values
        rows.write(state["sum"], total)
        rate = lr / (1 + (state["step"].item() - 1) * lr_decay)
        rows.write(param, rows.read(param.detach()) - rate * values / (total.sqrt() + eps))


def adam_step(param, grad, state, lr, beta1, beta2, eps, maximize):
    """Adam whose averages change in the rows that have a gradient alone."""
    state["step"] += 1
    grad = grad.coalesce()
    values = -grad._value if maximize else grad._value
    if not values.numel():
        return
    rows = Rows(grad)
    average, square = rows.read(state["exp_avg"]), rows.read(state["exp_avg_sq"])
    average = average + (values - average) * (1 - beta1)
    square = square + (values * values - square) * (1 - beta2)
    rows.write(state["exp_avg"], average)
    rows.write(state["exp_avg_sq"], square)
    step_size = lr * (1 - beta2 ** state["step"]) ** 0.5 / (1 - beta1 ** state["step"])
    rows.write(param, rows.read(param.detach()) - step_size * average / (square.sqrt() + eps))
