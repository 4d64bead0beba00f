"""sgd_step, adam_step and others: one step in tensor operators that record gradients.

The core has the same steps, faster and outside of the graph; these are for ``differentiable=True``. What an
operator saves is a copy that later steps do not overwrite.
"""

import pywasmtorch as torch

from .._tensor import Tensor


def sgd_step(params, grads, bufs, lr, momentum, dampening, weight_decay, nesterov, maximize):
    """Stochastic gradient descent, with momentum and Nesterov's form of it (Sutskever et al., 2013).

    The learning rate, which may be a tensor, is outside of the momentum. ``bufs`` is empty without momentum; where
    ``dampening`` is ``None`` it starts with the gradient, a constant, as in torch.
    """
    for i, (param, grad) in enumerate(zip(params, grads, strict=True)):
        if maximize:
            grad = -grad
        if weight_decay != 0:
            grad = grad.add(param, alpha=weight_decay)
        if momentum != 0:
            if dampening is None:
                buf = bufs[i].copy_(grad.detach())
            else:
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
    walk = _moment_walk(
        params, grads, exp_avgs, exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, decoupled_weight_decay, maximize
    )
    for i, (count, param, _, exp_avg, exp_avg_sq) in enumerate(walk):
        if amsgrad:
            largest = torch.view_as_real(max_exp_avg_sqs[i]) if max_exp_avg_sqs[i].is_complex() else max_exp_avg_sqs[i]
            largest.copy_(torch.maximum(largest.clone(), exp_avg_sq))
            exp_avg_sq = largest.clone()
        denominator = exp_avg_sq.sqrt() / (1 - beta2**count) ** 0.5 + eps
        param.sub_(lr / (1 - beta1**count) * exp_avg / denominator)


def _each(maximize, weight_decay, steps, params, grads, *states):
    """For each parameter its count of steps, itself, its gradient and its states; complex ones as pairs of real numbers."""
    for step, *tensors in zip(steps, params, grads, *states, strict=True):
        step.add_(1)
        param, grad = tensors[:2]
        grad = -grad if maximize else grad
        tensors[1] = grad.add(param, alpha=weight_decay) if weight_decay != 0 else grad
        if param.is_complex():
            tensors = [torch.view_as_real(tensor) for tensor in tensors]
        yield (step.item(), *tensors)


def adadelta_step(params, grads, square_avgs, acc_deltas, steps, lr, rho, eps, weight_decay, maximize):
    """Adadelta (Zeiler, 2012)."""
    for _, param, grad, square_avg, acc_delta in _each(maximize, weight_decay, steps, params, grads, square_avgs, acc_deltas):
        square_avg.mul_(rho).addcmul_(grad, grad, value=1 - rho)
        delta = (acc_delta + eps).sqrt() / (square_avg + eps).sqrt() * grad
        acc_delta.mul_(rho).addcmul_(delta, delta, value=1 - rho)
        param.sub_(lr * delta)


def adagrad_step(params, grads, sums, steps, lr, lr_decay, weight_decay, eps, maximize):
    """Adagrad (Duchi, Hazan and Singer, 2011)."""
    for count, param, grad, total in _each(maximize, weight_decay, steps, params, grads, sums):
        total.addcmul_(grad, grad)
        param.sub_(lr / (1 + (count - 1) * lr_decay) * grad / (total.sqrt() + eps))


def adamax_step(params, grads, exp_avgs, exp_infs, steps, lr, beta1, beta2, eps, weight_decay, maximize):
    """Adamax (Kingma and Ba, 2015, section 7.1)."""
    for count, param, grad, exp_avg, exp_inf in _each(maximize, weight_decay, steps, params, grads, exp_avgs, exp_infs):
        exp_avg.lerp_(grad, 1 - beta1)
        exp_inf.copy_(torch.maximum(exp_inf * beta2, grad.abs() + eps))
        param.sub_(lr / (1 - beta1**count) * exp_avg.clone() / exp_inf.clone())


def asgd_step(params, grads, axs, steps, etas, mus, lr, lambd, alpha, t0, weight_decay, maximize):
    """Averaged stochastic gradient descent (Polyak and Juditsky, 1992); the schedule of rates is outside of the graph."""
    walk = _each(maximize, weight_decay, steps, params, grads, axs)
    for (count, param, grad, ax), eta, mu in zip(walk, etas, mus, strict=True):
        param.mul_(1 - lambd * eta.item()).sub_(eta.item() * grad)
        ax.copy_(param if mu.item() == 1 else ax + (param - ax) * mu.item())
        with torch.no_grad():
            eta.fill_(lr / (1 + lambd * lr * count) ** alpha)
            mu.fill_(1 / max(1, count - t0))


def _moment_walk(params, grads, exp_avgs, exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, decoupled, maximize):
    walk = _each(maximize, 0 if decoupled else weight_decay, steps, params, grads, exp_avgs, exp_avg_sqs)
    for count, param, grad, exp_avg, exp_avg_sq in walk:
        if decoupled and weight_decay != 0:
            param.mul_(1 - lr * weight_decay)
        exp_avg.lerp_(grad, 1 - beta1)
        exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
        yield count, param, grad, exp_avg.clone(), exp_avg_sq.clone()


def nadam_step(
    params,
    grads,
    exp_avgs,
    exp_avg_sqs,
    steps,
    mu_products,
    lr,
    beta1,
    beta2,
    eps,
    weight_decay,
    momentum_decay,
    decoupled_weight_decay,
    maximize,
):
    """NAdam (Dozat, 2016)."""
    walk = _moment_walk(
        params, grads, exp_avgs, exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, decoupled_weight_decay, maximize
    )
    for (count, param, grad, exp_avg, exp_avg_sq), mu_product in zip(walk, mu_products, strict=True):
        mu, mu_next = (beta1 * (1 - 0.5 * 0.96 ** (k * momentum_decay)) for k in (count, count + 1))
        mu_product.mul_(mu)
        product = mu_product.item()
        denominator = exp_avg_sq.sqrt() / (1 - beta2**count) ** 0.5 + eps
        update = (1 - mu) / (1 - product) * grad + mu_next / (1 - product * mu_next) * exp_avg
        param.sub_(lr * update / denominator)


def radam_step(
    params, grads, exp_avgs, exp_avg_sqs, steps, lr, beta1, beta2, eps, weight_decay, decoupled_weight_decay, maximize
):
    """RAdam (Liu et al., 2020)."""
    walk = _moment_walk(
        params, grads, exp_avgs, exp_avg_sqs, steps, lr, beta1, beta2, weight_decay, decoupled_weight_decay, maximize
    )
    longest = 2 / (1 - beta2) - 1
    for count, param, _, exp_avg, exp_avg_sq in walk:
        power = beta2**count
        length = longest - 2 * count * power / (1 - power)
        update = lr / (1 - beta1**count) * exp_avg
        if length > 5:
            rectifier = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
            update = update * (rectifier * (1 - power)) ** 0.5 / (exp_avg_sq.sqrt() + eps)
        param.sub_(update)


def rmsprop_step(
    params,
    grads,
    square_avgs,
    momentum_buffers,
    grad_avgs,
    steps,
    lr,
    alpha,
    eps,
    weight_decay,
    momentum,
    centered,
    maximize,
):
    """RMSprop (Hinton's lecture, 2012), centered as in Graves (2013)."""
    extra = [states for states in (momentum_buffers, grad_avgs) if states]
    for _, param, grad, square_avg, *rest in _each(maximize, weight_decay, steps, params, grads, square_avgs, *extra):
        square_avg.mul_(alpha).addcmul_(grad, grad, value=1 - alpha)
        variance = square_avg
        if centered:
            rest[-1].lerp_(grad, 1 - alpha)
            variance = square_avg - rest[-1].clone() ** 2
        update = grad / (variance.sqrt() + eps)
        if momentum > 0:
            update = rest[0].mul_(momentum).add_(update).clone()
        param.sub_(lr * update)


def rprop_step(params, grads, prevs, step_sizes, steps, shrink, grow, smallest, largest, maximize):
    """Resilient backpropagation (Riedmiller and Braun, 1993)."""
    for _, param, grad, prev, step_size in _each(maximize, 0, steps, params, grads, prevs, step_sizes):
        product = grad * prev.clone()
        factor = torch.where(product > 0, grow, torch.where(product < 0, shrink, 1.0))
        step_size.mul_(factor.to(step_size.dtype)).clamp_(smallest, largest)
        grad = torch.where(product < 0, torch.zeros_like(grad), grad)
        param.sub_(grad.sign() * step_size.clone())
        prev.copy_(grad)
