"""register_module_*_hook: global hooks, and registration of a module's own."""

import weakref
from collections import OrderedDict
from typing import Any

from ..._core.hooks import RemovableHandle

Hooks = OrderedDict[int, Any]

buffer_registration_hooks: Hooks = OrderedDict()
module_registration_hooks: Hooks = OrderedDict()
parameter_registration_hooks: Hooks = OrderedDict()

backward_pre_hooks: Hooks = OrderedDict()
backward_hooks: Hooks = OrderedDict()
forward_pre_hooks: Hooks = OrderedDict()
forward_hooks: Hooks = OrderedDict()
forward_hooks_with_kwargs: Hooks = OrderedDict()
forward_hooks_always_called: Hooks = OrderedDict()

# Whether backward_hooks holds full hooks; None until the first one is registered.
_backward_hooks_are_full: bool | None = None


def register(hooks, hook, *, prepend=False, flags=()):
    """Enter ``hook`` in the ordered dictionary ``hooks`` and return its handle.

    ``flags`` is a sequence of (dictionary, bool): those dictionaries get an entry where the bool is true.
    """
    handle = RemovableHandle(hooks, extra_dict=[entries for entries, _ in flags])
    hooks[handle.id] = hook
    for entries, is_set in flags:
        if is_set:
            entries[handle.id] = True
    if prepend:
        hooks.move_to_end(handle.id, last=False)
    return handle


def apply_registration_hooks(hooks, module, name, value):
    for hook in hooks.values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value


def register_module_buffer_registration_hook(hook):
    """Call ``hook(module, name, buffer)`` when any module registers a buffer; its result replaces the buffer."""
    return register(buffer_registration_hooks, hook)


def register_module_module_registration_hook(hook):
    """Call ``hook(module, name, submodule)`` when any module registers a child; its result replaces the child."""
    return register(module_registration_hooks, hook)


def register_module_parameter_registration_hook(hook):
    """Call ``hook(module, name, param)`` when any module registers a parameter; its result replaces it."""
    return register(parameter_registration_hooks, hook)


def register_module_forward_pre_hook(hook):
    """Call ``hook(module, args)`` before every module's ``forward``; its result replaces the arguments."""
    return register(forward_pre_hooks, hook)


def register_module_forward_hook(hook, *, with_kwargs=False, always_call=False):
    """Call ``hook(module, args, output)`` after every module's ``forward``; its result replaces the output.

    With ``with_kwargs`` the hook gets ``(module, args, kwargs, output)``; with ``always_call`` it also runs
    when ``forward`` raised.
    """
    flags = [(forward_hooks_with_kwargs, with_kwargs), (forward_hooks_always_called, always_call)]
    return register(forward_hooks, hook, flags=flags)


def register_module_full_backward_pre_hook(hook):
    """Call ``hook(module, grad_output)`` before every module's gradients are computed."""
    return register(backward_pre_hooks, hook)


def register_module_full_backward_hook(hook):
    """Call ``hook(module, grad_input, grad_output)`` after every module's gradients are computed."""
    return _register_global_backward_hook(hook, full=True)


def register_module_backward_hook(hook):
    """The older form of :func:`register_module_full_backward_hook`, which sees the last operation only."""
    return _register_global_backward_hook(hook, full=False)


def _register_global_backward_hook(hook, full):
    global _backward_hooks_are_full
    if _backward_hooks_are_full is (not full):
        raise RuntimeError(
            "Cannot use both regular backward hooks and full backward hooks as a global Module hook. Please use only one of them."
        )
    _backward_hooks_are_full = full
    return register(backward_hooks, hook)


def split_backward_hooks(module):
    """The (full, older) backward hooks that apply to ``module``, global ones first."""
    full: list[Any] = []
    older: list[Any] = []
    for kind, hooks in (
        (_backward_hooks_are_full, backward_hooks),
        (module._is_full_backward_hook, module._backward_hooks),
    ):
        if kind is not None:
            (full if kind else older).extend(hooks.values())
    return full, older


class WrappedHook:
    """A hook that gets its module as the first argument without keeping the module alive."""

    def __init__(self, hook, module=None):
        self.hook = hook
        self.with_module = module is not None
        if self.with_module:
            self.module = weakref.ref(module)

    def __call__(self, *args, **kwargs):
        if not self.with_module:
            return self.hook(*args, **kwargs)
        module = self.module()
        if module is None:
            raise RuntimeError("You are trying to call the hook of a dead Module!")
        return self.hook(module, *args, **kwargs)

    def __getstate__(self):
        return {"hook": self.hook, "module": self.module() if self.with_module else None}

    def __setstate__(self, state):
        WrappedHook.__init__(self, state["hook"], state["module"])
