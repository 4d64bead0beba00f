"""BackwardHook: full backward hooks of modules."""

import warnings
from typing import Any

import pywasmtorch as torch

from ..._tensor import Tensor

_boundary = None


def _mark_boundary(tensors):
    """Pass tensors through an identity node, so that hooks see all their gradients at once."""
    global _boundary
    if _boundary is None:

        class BackwardHookFunction(torch.autograd.Function):
            @staticmethod
            def forward(ctx, *tensors):
                ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
                return tensors

            @staticmethod
            def backward(ctx, *grads):
                return grads

        _boundary = BackwardHookFunction
    return _boundary.apply(*tensors)


class BackwardHook:
    """Runs one call's full backward hooks at the boundary nodes of its inputs and outputs."""

    def __init__(self, module, user_hooks, user_pre_hooks):
        self.module = module
        self.user_hooks = user_hooks
        self.user_pre_hooks = user_pre_hooks
        self.grad_outputs: Any = None
        self.n_inputs = self.n_outputs = 0
        # None where no gradient passes.
        self.input_positions: Any = None
        self.output_positions: Any = None

    def setup_input_hook(self, args):
        self.n_inputs = len(args)
        args, self.input_positions = _insert_boundary(args, self._after_inputs)
        return args

    def setup_output_hook(self, result):
        outputs = result if isinstance(result, tuple) else (result,)
        self.n_outputs = len(outputs)
        outputs, self.output_positions = _insert_boundary(outputs, self._after_outputs)
        return outputs if isinstance(result, tuple) else outputs[0]

    def _after_outputs(self, _, grad_output):
        self.grad_outputs = _scatter(self.output_positions, grad_output, self.n_outputs)
        for hook in self.user_pre_hooks:
            replaced = hook(self.module, self.grad_outputs)
            if replaced is not None:
                self._check_length("pre hook", "grad_output", replaced, self.grad_outputs)
                self.grad_outputs = replaced
        passed_on = tuple(self.grad_outputs[i] for i in self.output_positions)
        if self.input_positions is None:
            self._run_hooks_without_input_gradients()
        return passed_on

    def _run_hooks_without_input_gradients(self):
        warnings.warn(
            "Full backward hook is firing when gradients are computed with respect to module outputs "
            "since no inputs require gradients.",
            stacklevel=4,
        )
        grad_inputs = (None,) * self.n_inputs
        for hook in self.user_hooks:
            replaced = hook(self.module, grad_inputs, self.grad_outputs)
            if replaced is None or (isinstance(replaced, tuple) and all(g is None for g in replaced)):
                continue
            raise RuntimeError(
                "Backward hook for Modules where no input requires gradient should always return None or None for all gradients."
            )
        self.grad_outputs = None

    def _after_inputs(self, grad_input, _):
        # No gradient came in through the outputs' node, so the hooks do not apply.
        if self.grad_outputs is None:
            return None
        grads = _scatter(self.input_positions, grad_input, self.n_inputs)
        for hook in self.user_hooks:
            replaced = hook(self.module, grads, self.grad_outputs)
            if replaced is not None:
                self._check_length("hook", "grad_input", replaced, grads)
                grads = replaced
        self.grad_outputs = None
        return tuple(grads[i] for i in self.input_positions)

    @staticmethod
    def _check_length(kind, which, replaced, grads):
        if len(replaced) != len(grads):
            raise RuntimeError(
                f"Backward {kind} returned an invalid number of {which}, got {len(replaced)}, but expected {len(grads)}"
            )


def _scatter(positions, values, size):
    scattered = [None] * size
    for position, value in zip(positions, values, strict=True):
        scattered[position] = value
    return tuple(scattered)


def _insert_boundary(values, hook):
    """Replace the tensors in ``values`` by ones behind a node that calls ``hook``.

    Returns the new values and the tensors' positions; the positions are None where nothing needs a gradient.
    """
    positions = [i for i, value in enumerate(values) if isinstance(value, Tensor)]
    if not (torch.is_grad_enabled() and any(values[i].requires_grad for i in positions)):
        return values, None
    behind = _mark_boundary([values[i] for i in positions])
    if isinstance(behind, Tensor):
        behind = (behind,)
    node = next(t.grad_fn for t in behind if t.grad_fn is not None)
    node.register_hook(hook)
    replaced = list(values)
    for position, tensor in zip(positions, behind, strict=True):
        replaced[position] = tensor
    is_named = hasattr(values, "_fields")
    return (type(values)(*replaced) if is_named else tuple(replaced)), positions
