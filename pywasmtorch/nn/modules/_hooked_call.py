"""HookedCall: the call of a module that has hooks."""

import warnings

from ..._tensor import Tensor
from . import _hooks
from ._backward_hook import BackwardHook


class HookedCall:
    """One call of ``module.forward`` with the hooks around it, global ones first.

    Attributes:
        args, kwargs: the arguments, as the pre-hooks left them.
        result: the output so far; None until ``forward`` has returned.
    """

    def __init__(self, module, args, kwargs):
        self.module = module
        self.args = args
        self.kwargs = kwargs
        self.result = None
        self._always_called_ran = set()

    def run(self):
        try:
            return self._run()
        except Exception:
            self._run_always_called_hooks()
            raise

    def _run(self):
        module = self.module
        full_hooks, older_hooks = _hooks.split_backward_hooks(module)
        pre_hooks = [*_hooks.backward_pre_hooks.values(), *module._backward_pre_hooks.values()]
        self._run_pre_hooks()
        backward_hook = None
        if full_hooks or pre_hooks:
            backward_hook = BackwardHook(module, full_hooks, pre_hooks)
            self.args = backward_hook.setup_input_hook(self.args)
        self.result = module.forward(*self.args, **self.kwargs)
        self._run_forward_hooks()
        if backward_hook is not None:
            if not isinstance(self.result, (Tensor, tuple)):
                warnings.warn(
                    "For backward hooks to be called, module output should be a Tensor or a tuple of Tensors "
                    f"but received {type(self.result)}",
                    stacklevel=5,
                )
            self.result = backward_hook.setup_output_hook(self.result)
        if older_hooks:
            self._set_older_backward_hooks(older_hooks)
        return self.result

    def _run_pre_hooks(self):
        module = self.module
        for hook_id, hook in (*_hooks.forward_pre_hooks.items(), *module._forward_pre_hooks.items()):
            if hook_id in module._forward_pre_hooks_with_kwargs:
                replaced = hook(module, self.args, self.kwargs)
                if replaced is None:
                    continue
                if not (isinstance(replaced, tuple) and len(replaced) == 2):
                    raise RuntimeError(
                        f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}."
                    )
                self.args, self.kwargs = replaced
            else:
                replaced = hook(module, self.args)
                if replaced is not None:
                    self.args = replaced if isinstance(replaced, tuple) else (replaced,)

    def _forward_hook_items(self):
        """(id, hook, takes kwargs, always called) of every forward hook."""
        module = self.module
        for hooks, with_kwargs, always_called in (
            (_hooks.forward_hooks, _hooks.forward_hooks_with_kwargs, _hooks.forward_hooks_always_called),
            (module._forward_hooks, module._forward_hooks_with_kwargs, module._forward_hooks_always_called),
        ):
            for hook_id, hook in list(hooks.items()):
                yield hook_id, hook, hook_id in with_kwargs, hook_id in always_called

    def _run_forward_hooks(self):
        for hook_id, hook, with_kwargs, always_called in self._forward_hook_items():
            if always_called:
                self._always_called_ran.add(hook_id)
            self._run_forward_hook(hook, with_kwargs)

    def _run_forward_hook(self, hook, with_kwargs):
        inputs = (self.args, self.kwargs) if with_kwargs else (self.args,)
        replaced = hook(self.module, *inputs, self.result)
        if replaced is not None:
            self.result = replaced

    def _run_always_called_hooks(self):
        for hook_id, hook, with_kwargs, always_called in self._forward_hook_items():
            if not always_called or hook_id in self._always_called_ran:
                continue
            try:
                self._run_forward_hook(hook, with_kwargs)
            except Exception as error:
                warnings.warn(
                    "module forward hook with ``always_call=True`` raised an exception that was silenced as another "
                    f"error was raised in forward: {error}",
                    stacklevel=5,
                )

    def _set_older_backward_hooks(self, hooks):
        grad_fn = _first_tensor(self.result).grad_fn
        if grad_fn is None:
            return
        for hook in hooks:
            grad_fn.register_hook(_hooks.WrappedHook(hook, self.module))
        reason = _what_older_hooks_miss(self.args, self.result, grad_fn)
        if reason is not None:
            warnings.warn(
                f"Using {reason}. This is deprecated: use register_full_backward_hook instead.",
                FutureWarning,
                stacklevel=5,
            )


def _first_tensor(value):
    while not isinstance(value, Tensor):
        if isinstance(value, dict):
            value = next(v for v in value.values() if isinstance(v, Tensor))
        else:
            value = value[0]
    return value


def _what_older_hooks_miss(args, result, grad_fn):
    """Why a hook on ``grad_fn`` alone does not see all of a module's gradients; None where it does."""
    results = result if isinstance(result, tuple) else (result,)
    if not all(isinstance(r, Tensor) for r in results):
        return "non-full backward hooks on a Module that does not return a single Tensor or a tuple of Tensors"
    if not all(isinstance(a, Tensor) for a in args):
        return "non-full backward hooks on a Module that does not take as input a single Tensor or a tuple of Tensors"
    nodes = {r.grad_fn for r in results if r.grad_fn is not None}
    if len(nodes) > 1:
        return "a non-full backward hook when outputs are generated by different autograd Nodes"
    if {a.grad_fn for a in args if a.grad_fn is not None} != {node for node, _ in grad_fn.next_functions}:
        return "a non-full backward hook when the forward contains multiple autograd Nodes"
    return None
