"""One optimizer step over lists of tensors, written in tensor operators that record gradients.

The core has the same steps, faster and outside of the graph; these are for ``differentiable=True``. What an
operator saves is a copy that later steps do not overwrite.
"""

import pywasmtorch as torch

from .._tensor import Tensor


def sgd_step(params, grads, bufs, lr, momentum, dampening, weight_decay, nesterov, maximize):
    """Stochastic gradient descent, with momentum and Nesterov's form of it (Sutskever et al., 2013).

    The learning rate, which may be a tensor, is outside of the momentum. ``bufs`` is empty without momentum.
    """
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        if maximize:
            grad = -grad
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        if momentum != 0:
            buf = bufs[i].mul_(momentum).add_(grad, alpha=1 - dampening)
            grad = grad.add(buf, alpha=momentum) if nesterov else buf
        if isinstance(lr, Tensor):
            param.addcmul_(grad.clone(), lr, value=-1)
        else:
            param.add_(grad, alpha=-lr)


def adam_step(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    max_exp_avg_sqs,
    steps,
    lr,
    beta1,
    beta2,
    eps,
    weight_decay,
    decoupled_weight_decay,
    amsgrad,
    maximize,
):
    """Adam (Kingma and Ba, 2015), with AMSGrad (Reddi et al., 2018) and decoupled decay (Loshchilov and Hutter, 2019).

    ``steps`` holds 0-d float tensors, which are incremented.
    """
    for i, (param, grad, exp_avg, exp_avg_sq, step) in enumerate(zip(params, grads, exp_avgs, exp_avg_sqs, steps, strict=True)):
        if maximize:
            grad = -grad
        step.add_(1)
        count = step.item()
        if weight_decay != 0:
            if decoupled_weight_decay:
                param.mul_(1 - lr * weight_decay)
            else:
                grad = grad.add(param, alpha=weight_decay)
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        second_moment = exp_avg_sq
        if amsgrad:
            second_moment = max_exp_avg_sqs[i]
            second_moment.copy_(torch.maximum(second_moment.clone(), exp_avg_sq.clone()))
        denominator = second_moment.sqrt() / (1 - beta2**count) ** 0.5 + eps
        step_size = lr / (1 - beta1**count)
        if isinstance(step_size, Tensor):
            param.sub_(step_size * exp_avg.clone() / denominator)
        else:
            param.addcdiv_(exp_avg.clone(), denominator, value=-step_size)
