"""Module: the base class."""

import warnings
from collections import OrderedDict

import pywasmtorch as torch

from ..._tensor import Tensor
from ..parameter import Buffer, Parameter, zero_gradient
from . import _hooks
from ._hooked_call import HookedCall
from ._hooks import (
    Hooks,
    register,
    register_module_backward_hook,
    register_module_buffer_registration_hook,
    register_module_forward_hook,
    register_module_forward_pre_hook,
    register_module_full_backward_hook,
    register_module_full_backward_pre_hook,
    register_module_module_registration_hook,
    register_module_parameter_registration_hook,
)
from ._hooks import backward_hooks as _global_backward_hooks
from ._hooks import backward_pre_hooks as _global_backward_pre_hooks
from ._hooks import forward_hooks as _global_forward_hooks
from ._hooks import forward_pre_hooks as _global_forward_pre_hooks
from ._state_dict import StateDictMethods
from ._state_dict import _IncompatibleKeys as _IncompatibleKeys

__all__ = [
    "Module",
    "register_module_backward_hook",
    "register_module_buffer_registration_hook",
    "register_module_forward_hook",
    "register_module_forward_pre_hook",
    "register_module_full_backward_hook",
    "register_module_full_backward_pre_hook",
    "register_module_module_registration_hook",
    "register_module_parameter_registration_hook",
]

_HOOK_TABLES = (
    "_backward_pre_hooks",
    "_backward_hooks",
    "_forward_hooks",
    "_forward_hooks_with_kwargs",
    "_forward_hooks_always_called",
    "_forward_pre_hooks",
    "_forward_pre_hooks_with_kwargs",
    "_state_dict_hooks",
    "_state_dict_pre_hooks",
    "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks",
)


def _initial_state():
    state = {
        "training": True,
        "_parameters": {},
        "_buffers": {},
        "_non_persistent_buffers_set": set(),
        "_is_full_backward_hook": None,
    }
    state.update((name, OrderedDict()) for name in _HOOK_TABLES)
    state["_modules"] = {}
    return state


def _indent(text):
    first, *rest = text.split("\n")
    return "\n".join([first, *("  " + line if line.strip() else "" for line in rest)])


def _check_name(kind, name, owner, members):
    """The rules that parameters' and buffers' names share."""
    if not isinstance(name, str):
        raise TypeError(f"{kind} name should be a string. Got {torch.typename(name)}")
    if "." in name:
        raise KeyError(f'{kind} name can\'t contain "."')
    if name == "":
        raise KeyError(f'{kind} name can\'t be empty string ""')
    if hasattr(owner, name) and name not in members:
        raise KeyError(f"attribute '{name}' already exists")


def _missing_forward(self, *input):
    raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')


class Module(StateDictMethods):
    """The base class of all neural network modules.

    A subclass assigns parameters, buffers and other modules as attributes, after calling
    ``super().__init__()``, and defines ``forward``; calling the module calls ``forward`` and its hooks.

    Attributes:
        training (bool): whether the module is in training mode; see :meth:`train`.
    """

    call_super_init = False

    training: bool
    _is_full_backward_hook: bool | None
    _backward_pre_hooks: Hooks
    _backward_hooks: Hooks
    _forward_hooks: Hooks
    _forward_hooks_with_kwargs: Hooks
    _forward_hooks_always_called: Hooks
    _forward_pre_hooks: Hooks
    _forward_pre_hooks_with_kwargs: Hooks

    def __init__(self, *args, **kwargs):
        if not self.call_super_init:
            if kwargs:
                name = next(iter(kwargs))
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{name}'")
            if args:
                raise TypeError(f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        self.__dict__.update(_initial_state())
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    forward = _missing_forward

    # Calling

    def _call_impl(self, *args, **kwargs):
        if (
            self._forward_hooks
            or self._forward_pre_hooks
            or self._backward_hooks
            or self._backward_pre_hooks
            or _global_forward_hooks
            or _global_forward_pre_hooks
            or _global_backward_hooks
            or _global_backward_pre_hooks
        ):
            return HookedCall(self, args, kwargs).run()
        return self.forward(*args, **kwargs)

    __call__ = _call_impl

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args)`` before ``forward``; what it returns replaces the arguments.

        With ``with_kwargs`` the hook is called as ``hook(module, args, kwargs)`` and may return both.
        """
        flags = [(self._forward_pre_hooks_with_kwargs, with_kwargs)]
        return register(self._forward_pre_hooks, hook, prepend=prepend, flags=flags)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False, always_call=False):
        """Call ``hook(module, args, output)`` after ``forward``; what it returns replaces the output.

        With ``with_kwargs`` the hook is called as ``hook(module, args, kwargs, output)``; with
        ``always_call`` it also runs when ``forward`` raised.
        """
        flags = [(self._forward_hooks_with_kwargs, with_kwargs), (self._forward_hooks_always_called, always_call)]
        return register(self._forward_hooks, hook, prepend=prepend, flags=flags)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_output)`` before gradients are computed; its result replaces ``grad_output``."""
        return register(self._backward_pre_hooks, hook, prepend=prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_input, grad_output)`` when the gradients with respect to the inputs are known.

        What it returns replaces ``grad_input``.
        """
        self._set_backward_hook_kind(full=True)
        return register(self._backward_hooks, hook, prepend=prepend)

    def register_backward_hook(self, hook):
        """The older form of :meth:`register_full_backward_hook`, which sees the last operation only."""
        self._set_backward_hook_kind(full=False)
        return register(self._backward_hooks, hook)

    def _set_backward_hook_kind(self, full):
        if self._is_full_backward_hook is (not full):
            raise RuntimeError(
                "Cannot use both regular backward hooks and full backward hooks on a single Module. Please use only one of them."
            )
        self._is_full_backward_hook = full

    # Attributes

    def __getattr__(self, name):
        state = self.__dict__
        if "_parameters" in state and name in state["_parameters"]:
            return state["_parameters"][name]
        if "_buffers" in state and name in state["_buffers"]:
            return state["_buffers"][name]
        if "_modules" in state and name in state["_modules"]:
            return state["_modules"][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __setattr__(self, name, value):
        state = self.__dict__
        parameters = state.get("_parameters")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, keep="_parameters")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as parameter '{name}' (torch.nn.Parameter or None expected)"
                )
            self.register_parameter(name, value)
        elif isinstance(value, Module):
            if "_modules" not in state:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, keep="_modules")
            self._set_child(name, value)
        elif name in state.get("_modules", ()):
            if value is not None:
                raise TypeError(
                    f"cannot assign '{torch.typename(value)}' as child module '{name}' (torch.nn.Module or None expected)"
                )
            self._set_child(name, value)
        elif isinstance(value, Buffer) or name in state.get("_buffers", ()):
            self._set_buffer(name, value)
        else:
            super().__setattr__(name, value)

    def _forget(self, name, keep):
        """Drop ``name`` from everything that holds attributes but the table ``keep``."""
        self.__dict__.pop(name, None)
        for table in ("_parameters", "_buffers", "_modules"):
            if table != keep:
                self.__dict__[table].pop(name, None)
        self._non_persistent_buffers_set.discard(name)

    def _set_child(self, name, module):
        self._modules[name] = _hooks.apply_registration_hooks(_hooks.module_registration_hooks, self, name, module)

    def _set_buffer(self, name, value):
        if not (value is None or isinstance(value, Tensor)):
            raise TypeError(
                f"cannot assign '{torch.typename(value)}' as buffer '{name}' (torch.nn.Buffer, torch.Tensor or None expected)"
            )
        if isinstance(value, Buffer):
            persistent = value.persistent
        else:
            persistent = name not in self._non_persistent_buffers_set
        if persistent:
            # Subclasses may define register_buffer without the third argument.
            self.register_buffer(name, value)
        else:
            self.register_buffer(name, value, False)

    def __delattr__(self, name):
        for members in (self._parameters, self._buffers, self._modules):
            if name in members:
                del members[name]
                self._non_persistent_buffers_set.discard(name)
                return
        super().__delattr__(name)

    def __dir__(self):
        names = [*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers]
        return sorted(name for name in names if not name[0].isdigit())

    def __getstate__(self):
        return self.__dict__.copy()

    def __setstate__(self, state):
        self.__dict__.update({**_initial_state(), **state})

    # Registration

    def register_buffer(self, name, tensor, persistent=True):
        """Add a tensor that is no parameter, such as running statistics.

        Args:
            name (str): its attribute name.
            tensor (Tensor or None): its value; None is kept out of the ``state_dict``.
            persistent (bool): whether it belongs to the ``state_dict``. Default: ``True``.
        """
        if "_buffers" not in self.__dict__:
            raise AttributeError("cannot assign buffer before Module.__init__() call")
        _check_name("buffer", name, self, self._buffers)
        if not (tensor is None or isinstance(tensor, Tensor)):
            raise TypeError(f"cannot assign '{torch.typename(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = _hooks.apply_registration_hooks(_hooks.buffer_registration_hooks, self, name, tensor)
        if persistent:
            self._non_persistent_buffers_set.discard(name)
        else:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name, param):
        """Add a parameter, or None as the place of an absent one.

        Raises:
            TypeError: ``param`` is no ``Parameter``.
            KeyError: ``name`` is taken, empty or has a dot.
        """
        if "_parameters" not in self.__dict__:
            raise AttributeError("cannot assign parameter before Module.__init__() call")
        _check_name("parameter", name, self, self._parameters)
        if param is not None:
            if not isinstance(param, Parameter):
                raise TypeError(
                    f"cannot assign '{torch.typename(param)}' object to parameter '{name}' (torch.nn.Parameter or None required)"
                )
            if param.grad_fn is not None:
                raise ValueError(
                    f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created "
                    f"explicitly. To express '{name}' as a function of another Tensor, compute the value in "
                    "the forward() method."
                )
            param = _hooks.apply_registration_hooks(_hooks.parameter_registration_hooks, self, name, param)
        self._parameters[name] = param

    def add_module(self, name, module):
        """Add a child module, or None as the place of an absent one."""
        if not (module is None or isinstance(module, Module)):
            raise TypeError(f"{torch.typename(module)} is not a Module subclass")
        if not isinstance(name, str):
            raise TypeError(f"module name should be a string. Got {torch.typename(name)}")
        if hasattr(self, name) and name not in self._modules:
            raise KeyError(f"attribute '{name}' already exists")
        if "." in name:
            raise KeyError(f'module name can\'t contain ".", got: {name}')
        if name == "":
            raise KeyError('module name can\'t be empty string ""')
        self._set_child(name, module)

    def register_module(self, name, module):
        """The same as :meth:`add_module`."""
        self.add_module(name, module)

    # Looking up by dotted name

    def get_submodule(self, target):
        """The module at the dotted path ``target``; this module for ``""``."""
        module = self
        for name in target.split(".") if target else ():
            module = module._member(name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target, module, strict=False):
        """Put ``module`` at the dotted path ``target``; with ``strict`` something must be there already."""
        if target == "":
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict or hasattr(parent, name):
            if not isinstance(parent._member(name), Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target):
        """The parameter at the dotted path ``target``."""
        path, _, name = target.rpartition(".")
        param = self.get_submodule(path)._member(name)
        if not isinstance(param, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return param

    def get_buffer(self, target):
        """The buffer at the dotted path ``target``."""
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        buffer = module._member(name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return buffer

    def _member(self, name):
        if not hasattr(self, name):
            raise AttributeError(f"{self._get_name()} has no attribute `{name}`")
        return getattr(self, name)

    # Walking

    def children(self):
        """The direct child modules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self):
        """The direct child modules with their names, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and module not in seen:
                seen.add(module)
                yield name, module

    def modules(self, remove_duplicate=True):
        """This module and all below it."""
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo=None, prefix="", remove_duplicate=True):
        """This module and all below it, with dotted names, parents before children."""
        if memo is None:
            memo = set()
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = f"{prefix}.{name}" if prefix else name
                yield from module.named_modules(memo, path, remove_duplicate)

    def parameters(self, recurse=True):
        """The parameters, of this module alone unless ``recurse``."""
        for _, param in self.named_parameters(recurse=recurse):
            yield param

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """The parameters with their dotted names."""
        yield from self._named_members(lambda module: module._parameters.items(), prefix, recurse, remove_duplicate)

    def buffers(self, recurse=True):
        """The buffers, of this module alone unless ``recurse``."""
        for _, buffer in self.named_buffers(recurse=recurse):
            yield buffer

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """The buffers with their dotted names."""
        yield from self._named_members(lambda module: module._buffers.items(), prefix, recurse, remove_duplicate)

    def _named_members(self, get_members_fn, prefix="", recurse=True, remove_duplicate=True):
        modules = ((prefix, self),)
        if recurse:
            modules = self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate)
        seen = set()
        for path, module in modules:
            for name, value in get_members_fn(module):
                if value is None or value in seen:
                    continue
                if remove_duplicate:
                    seen.add(value)
                yield (f"{path}.{name}" if path else name), value

    # Modes and gradients

    def train(self, mode=True):
        """Put this module and all below it in training (or, with False, evaluation) mode."""
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self):
        """Put this module and all below it in evaluation mode."""
        return self.train(False)

    def requires_grad_(self, requires_grad=True):
        """Set ``requires_grad`` of every parameter."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none=True):
        """Forget every parameter's gradient, or fill it with zeros."""
        for param in self.parameters():
            if set_to_none:
                param.grad = None
            elif param.grad is not None:
                zero_gradient(param.grad)

    # Conversions

    def apply(self, fn):
        """Call ``fn`` on every module below this one, children first, and then on this one."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self, fn, recurse=True):
        if recurse:
            for module in self.children():
                module._apply(fn)
        with torch.no_grad():
            for name, param in self._parameters.items():
                if param is not None:
                    self._parameters[name] = _converted(param, fn)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def to(self, *args, **kwargs):
        """Convert the floating point parameters and buffers, and move all of them.

        Called as ``to(device=None, dtype=None, non_blocking=False)``, ``to(dtype)``, ``to(tensor)`` or ``to(memory_format=…)``,
        which orders the strides of those with four or five dimensions.

        Raises:
            TypeError: ``dtype`` is neither floating point nor complex.
        """
        device, dtype, memory_format = _parse_to(*args, **kwargs)
        if dtype is not None and not dtype.is_floating_point:
            if not dtype.is_complex:
                raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
            warnings.warn("Complex modules are new: some modules may not work with complex tensors.", stacklevel=2)

        def convert(tensor):
            is_inexact = tensor.is_floating_point() or tensor.is_complex()
            has_format = memory_format is not None and tensor.dim() in (4, 5)
            try:
                return tensor.to(device, dtype if is_inexact else None, memory_format=memory_format if has_format else None)
            except NotImplementedError as error:
                if str(error) != "Cannot copy out of meta tensor; no data!":
                    raise
                raise NotImplementedError(
                    f"{error} Please use torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module from meta to a different device."
                ) from None

        return self._apply(convert)

    def to_empty(self, *, device, recurse=True):
        """Move to ``device`` without copying: the values are whatever the memory holds."""
        return self._apply(lambda t: torch.empty_like(t, device=device), recurse=recurse)

    def type(self, dst_type):
        """Convert all parameters and buffers to ``dst_type``."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self):
        """Convert the floating point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self):
        """Convert the floating point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self):
        """Convert the floating point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self):
        """Convert the floating point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self):
        """Move to the CPU, where everything already is."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device=None):
        """Move to a GPU; raises as a build without CUDA does when there is anything to move."""
        return self._apply(lambda t: t.cuda(device))

    def share_memory(self):
        """NotImplementedError where there is any tensor: processes do not share them here."""
        return self._apply(lambda t: t.share_memory_())

    def compile(self, *args, **kwargs):
        """Takes what `torch.compile` takes; the module runs as it did."""
        from ...compiler import compile

        compile(self, *args, **kwargs)

    # Printing

    def _get_name(self):
        return type(self).__name__

    def extra_repr(self):
        """What a subclass wants printed about itself: one line, or several."""
        return ""

    def __repr__(self):
        extra = self.extra_repr()
        extra_lines = extra.split("\n") if extra else []
        child_lines = [f"({name}): {_indent(repr(module))}" for name, module in self._modules.items()]
        if len(extra_lines) <= 1 and not child_lines:
            return f"{self._get_name()}({extra})"
        body = "\n  ".join(extra_lines + child_lines)
        return f"{self._get_name()}(\n  {body}\n)"


def _converted(param, fn):
    """The parameter with what ``fn`` makes of its data and its gradient; another one where they move to another device."""
    grad, converted = param.grad, fn(param)
    if converted.device == param.device:
        if converted is not param:
            param.data = converted
    else:
        param = Parameter(converted, param.requires_grad)
    if grad is not None:
        converted = fn(grad)
        if converted.device != grad.device:
            param.grad = converted
        elif converted is not grad:
            grad.data = converted
    return param


def _parse_to(*args, device=None, dtype=None, non_blocking=False, tensor=None, other=None, memory_format=None):
    """The (device, dtype, memory_format) that the arguments of ``Module.to`` ask for."""
    for value in args:
        if isinstance(value, torch.dtype):
            dtype = value
        elif isinstance(value, Tensor):
            tensor = value
        elif isinstance(value, (str, torch.device)) or (isinstance(value, int) and not isinstance(value, bool)):
            device = value
        elif not (value is None or isinstance(value, bool)):
            raise TypeError(f"to() received an invalid combination of arguments - got {torch.typename(value)}")
    if tensor is not None:
        device, dtype = tensor.device, tensor.dtype
    if device is not None:
        device = torch.device(device)
    return device, dtype, memory_format
