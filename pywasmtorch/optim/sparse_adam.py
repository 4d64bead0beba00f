"""SparseAdam."""

import pywasmtorch as torch

from ._sparse import adam_step
from .optimizer import Optimizer, _evaluate, _get_value

__all__ = ["SparseAdam"]


class SparseAdam(Optimizer):
    """Adam for sparse gradients: averages and parameters change only in the rows that have a gradient.

    Args:
        params (iterable): see :class:`Optimizer`; dense tensors.
        lr (float or Tensor): the learning rate. Default: 1e-3.
        betas (tuple of two floats): how slowly the averages of gradients and of their squares change. Default: (0.9, 0.999).
        eps (float): added to the denominator. Default: 1e-8.
        maximize (bool): go up instead of down. Default: ``False``.

    Raises:
        ValueError: numbers out of range, or a sparse parameter.
        RuntimeError: at a step, for a dense gradient.
    """

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, maximize=False):
        if isinstance(lr, torch.Tensor) and lr.numel() != 1:
            raise ValueError("Tensor lr must be 1-element")
        if not lr > 0.0:
            raise ValueError(f"Invalid learning rate: {lr}")
        if not eps > 0.0:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i in range(2):
            if not 0.0 <= betas[i] < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {betas[i]}")
        super().__init__(params, {"lr": lr, "betas": betas, "eps": eps, "maximize": maximize})
        if any(param.layout is not torch.strided for group in self.param_groups for param in group["params"]):
            raise ValueError("SparseAdam requires dense parameter tensors")

    def step(self, closure=None):
        """Update the parameters that have gradients.

        Args:
            closure (callable, optional): computes the loss and the gradients anew; the loss is returned.
        """
        loss = _evaluate(closure)
        with torch.no_grad():
            for group in self.param_groups:
                self._step_group(group)
        return loss

    def _step_group(self, group):
        with_grads = [(param, param.grad) for param in group["params"] if param.grad is not None]
        if not all(grad.is_sparse for _, grad in with_grads):
            raise RuntimeError("SparseAdam does not support dense gradients, please consider Adam instead")
        for param, grad in with_grads:
            state = self.state[param]
            if not state:
                state.update(step=0, exp_avg=torch.zeros_like(param), exp_avg_sq=torch.zeros_like(param))
                for key in ("exp_avg", "exp_avg_sq"):
                    state[key] = state[key].detach()
            adam_step(param, grad, state, _get_value(group["lr"]), *group["betas"], group["eps"], group["maximize"])
