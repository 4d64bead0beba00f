"""register_parametrization, remove_parametrizations, cached: attributes computed from parameters when they are read."""

import copy
from contextlib import contextmanager

import pywasmtorch as torch

from ..._tensor import Tensor
from ..modules.container import ModuleDict, ModuleList
from ..parameter import Parameter

__all__ = [
    "ParametrizationList",
    "cached",
    "is_parametrized",
    "register_parametrization",
    "remove_parametrizations",
    "transfer_parametrizations_and_params",
    "type_before_parametrizations",
]

_cache_depth = 0
_cache: dict[tuple[int, str], Tensor | None] = {}


@contextmanager
def cached():
    """A context in which each parametrized attribute is computed once, when it is first read."""
    global _cache_depth
    _cache_depth += 1
    try:
        yield
    finally:
        _cache_depth -= 1
        if not _cache_depth:
            _cache.clear()


def _as_stored(module, name, value):
    """Keep a tensor as a parameter or a buffer, as it was one."""
    if isinstance(value, Parameter):
        module.register_parameter(name, value)
    else:
        module.register_buffer(name, value)


def _set_in_place(original, value):
    """Give ``original`` the data of ``value``, which optimizers that hold it see."""
    with torch.no_grad():
        if original.data is not value.data:
            original.data = value.data


class ParametrizationList(ModuleList):
    """The parametrizations of one tensor, applied in order to what is stored as ``original`` (or ``original0``, …).

    Args:
        modules (sequence of Module): the parametrizations. ``right_inverse`` of the last one first gives what is stored.
        original (Tensor): the attribute's value so far.
        unsafe (bool): do not check that shape and dtype are kept. Default: ``False``.
    """

    def __init__(self, modules, original, unsafe=False):
        if len(modules) == 0:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        stored = original
        with torch.no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        stored = module.right_inverse(stored)
                    except NotImplementedError:
                        pass
        is_many = not isinstance(stored, Tensor) and isinstance(stored, (list, tuple))
        if not isinstance(stored, Tensor) and not is_many:
            raise ValueError(
                f"'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got {type(stored).__name__}"
            )
        self.is_tensor = not is_many
        self.ntensors = len(stored) if is_many else 1
        if self.is_tensor:
            if original.dtype != stored.dtype:
                raise ValueError(
                    "When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                    f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {stored.dtype}"
                )
            _set_in_place(original, stored)
            _as_stored(self, "original", original)
        else:
            for number, tensor in enumerate(stored):
                if not isinstance(tensor, Tensor):
                    raise ValueError(
                        "'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). Got element "
                        f"{number} of the sequence with type {type(tensor).__name__}."
                    )
                if isinstance(original, Parameter):
                    tensor = Parameter(tensor, original.requires_grad and tensor.is_floating_point())
                _as_stored(self, f"original{number}", tensor)
        if not unsafe:
            self._check_kept(original)

    def _check_kept(self, original):
        value = self()
        if not isinstance(value, Tensor):
            raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
        if value.dtype != original.dtype:
            raise ValueError(
                "Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\n"
                f"unparametrized dtype: {original.dtype}\nparametrized dtype: {value.dtype}"
            )
        if value.shape != original.shape:
            raise ValueError(
                "Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
                f"unparametrized shape: {original.shape}\nparametrized shape: {value.shape}"
            )

    def _originals(self):
        return [self.original] if self.is_tensor else [getattr(self, f"original{number}") for number in range(self.ntensors)]

    def right_inverse(self, value):
        """Store what gives ``value``, by the parametrizations' ``right_inverse``, the last one first."""
        with torch.no_grad():
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                value = module.right_inverse(value)
            values = [value] if self.is_tensor else list(value)
            if self.is_tensor and not isinstance(value, Tensor):
                raise ValueError(f"`right_inverse` should return a tensor. Got {type(value).__name__}")
            if len(values) != self.ntensors:
                raise ValueError(
                    "'right_inverse' must return a sequence of tensors of length "
                    f"{self.ntensors}. Got a sequence of length {len(values)}."
                )
            for original, new in zip(self._originals(), values, strict=True):
                if original.dtype != new.dtype:
                    raise ValueError(f"The tensor returned by `right_inverse` has dtype {new.dtype} while `original` has {original.dtype}")
                _set_in_place(original, new)

    def forward(self):
        first, *others = self
        value = first(*self._originals())
        for module in others:
            value = module(value)
        return value


def _inject_class(module):
    """Give ``module`` a class of its own, which may get properties."""
    kind = type(module)

    def getstate(self):
        raise RuntimeError(
            "Serialization of parametrized modules is only supported through state_dict(). See:\n"
            "https://pytorch.org/tutorials/beginner/saving_loading_models.html#saving-loading-a-general-checkpoint-for-"
            "inference-and-or-resuming-training"
        )

    def deepcopy(self, memo):
        done = memo.get(id(self))
        if done is not None:
            return done
        copied = memo[id(self)] = type(self).__new__(type(self))
        copied.__dict__.update({key: copy.deepcopy(value, memo) for key, value in self.__dict__.items()})
        return copied

    names = {"__getstate__": getstate}
    if not hasattr(kind, "__deepcopy__"):
        names["__deepcopy__"] = deepcopy
    module.__class__ = type(f"Parametrized{kind.__name__}", (kind,), names)


def _inject_property(module, name):
    def read(self):
        parametrization = self.parametrizations[name]
        if not _cache_depth:
            return parametrization()
        key = id(self), name
        if _cache.get(key) is None:
            _cache[key] = parametrization()
        return _cache[key]

    def write(self, value):
        self.parametrizations[name].right_inverse(value)

    setattr(type(module), name, property(read, write))


def register_parametrization(module, tensor_name, parametrization, *, unsafe=False):
    """Compute ``module.tensor_name`` by ``parametrization(original)`` whenever it is read.

    Args:
        module (Module): the owner, which is returned; its class becomes one of its own.
        tensor_name (str): a parameter, a buffer, or what is parametrized already, which then gets a further step.
        parametrization (Module): the step. Where it has ``right_inverse``, assigning the attribute works, and the value
            before is kept as far as it can be.
        unsafe (bool): allow another shape or dtype. Default: ``False``.

    Raises:
        ValueError: no such tensor, or another shape or dtype.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        if not unsafe:
            before = getattr(module, tensor_name)
            after = parametrization(before)
            if not isinstance(after, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(after).__name__}.")
            for what in ("dtype", "shape"):
                if getattr(after, what) != getattr(before, what):
                    raise ValueError(
                        f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is "
                        f"enabled.\nmodule.{tensor_name}.{what}: {getattr(before, what)}\n"
                        f"parametrization(module.{tensor_name}).{what}: {getattr(after, what)}"
                    )
            if hasattr(parametrization, "right_inverse"):
                with torch.no_grad():
                    inverse = parametrization.right_inverse(after)
                if not isinstance(inverse, Tensor):
                    raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
                if inverse.shape != after.shape or inverse.dtype != after.dtype:
                    raise ValueError("The tensor returned by parametrization.right_inverse must have the same shape and dtype")
        module.parametrizations[tensor_name].append(parametrization)
        module.parametrizations[tensor_name].unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        original = getattr(module, tensor_name)
        parametrizations = ParametrizationList([parametrization], original, unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            _inject_class(module)
            module.parametrizations = ModuleDict()
        _inject_property(module, tensor_name)
        module.parametrizations[tensor_name] = parametrizations
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'")
    return module


def is_parametrized(module, tensor_name=None):
    """Whether anything, or ``tensor_name``, of ``module`` is parametrized."""
    parametrizations = module.__dict__.get("_modules", {}).get("parametrizations")
    if parametrizations is None or not isinstance(parametrizations, ModuleDict):
        return False
    return len(parametrizations) > 0 if tensor_name is None else tensor_name in parametrizations


def remove_parametrizations(module, tensor_name, leave_parametrized=True):
    """Make ``tensor_name`` a plain parameter or buffer again.

    Args:
        leave_parametrized (bool): keep the computed value; else what is stored, if that is one tensor. Default: ``True``.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with torch.no_grad():
                value = getattr(module, tensor_name)
            _set_in_place(original, value)
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _as_stored(module, tensor_name, original)
    if not is_parametrized(module):
        delattr(module, "parametrizations")
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module):
    """The module's class before its first parametrization."""
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module, to_module, tensor_name=None):
    """Put copies of the parametrizations (of ``tensor_name``, or all) and their tensors of one module into another."""
    if not is_parametrized(from_module):
        return to_module
    names = from_module.parametrizations if tensor_name is None else [tensor_name]
    for name in names:
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for parametrization in from_module.parametrizations[name]:
            register_parametrization(to_module, name, copy.deepcopy(parametrization), unsafe=True)
        source, target = from_module.parametrizations[name], to_module.parametrizations[name]
        for mine, theirs in zip(target._originals(), source._originals(), strict=True):
            with torch.no_grad():
                mine.data = theirs.detach().clone()
    return to_module
