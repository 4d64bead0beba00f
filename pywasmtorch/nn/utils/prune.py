"""Pruning by masks: l1_unstructured, ln_structured, random_unstructured, custom_from_mask and others."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from numbers import Number

import pywasmtorch as torch

__all__ = [
    "BasePruningMethod",
    "CustomFromMask",
    "Identity",
    "L1Unstructured",
    "LnStructured",
    "PruningContainer",
    "RandomStructured",
    "RandomUnstructured",
    "custom_from_mask",
    "global_unstructured",
    "identity",
    "is_pruned",
    "l1_unstructured",
    "ln_structured",
    "random_structured",
    "random_unstructured",
    "remove",
]


class BasePruningMethod(ABC):
    """The hook that multiplies ``name_orig`` by ``name_mask`` before each call. Subclasses say in ``compute_mask`` what stays.

    Attributes:
        PRUNING_TYPE (str): ``"unstructured"``, ``"structured"`` or ``"global"``: what a further pruning may act on.
    """

    _tensor_name: str

    def __call__(self, module, inputs):
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t, default_mask):
        """The mask of ``t``, given that of earlier prunings, both of the same shape."""

    def apply_mask(self, module):
        """The parameter under its mask."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module, name, *args, importance_scores=None, **kwargs):
        """Prune ``module.name``; arguments beyond are the method's own. A parameter pruned before gets a container of methods."""
        found = [(key, hook) for key, hook in module._forward_pre_hooks.items() if _is_of(hook, name)]
        if len(found) > 1:
            raise AssertionError(f"Avoid adding multiple pruning hooks to the same tensor {name} of module {module}. Use a PruningContainer.")
        method = cls(*args, **kwargs)
        method._tensor_name = name
        if found:
            key, earlier = found[0]
            del module._forward_pre_hooks[key]
            if not isinstance(earlier, PruningContainer):
                container = PruningContainer(earlier)
                container._tensor_name = name
                earlier = container
            earlier.add_pruning_method(method)
            method = earlier
        original = getattr(module, name)
        if importance_scores is not None and importance_scores.shape != original.shape:
            raise AssertionError(f"importance_scores should have the same shape as parameter {name} of {module}")
        scores = original if importance_scores is None else importance_scores
        if not found:
            # The parameter itself keeps its identity under its new name.
            parameter = module._parameters[name]
            del module._parameters[name]
            module.register_parameter(name + "_orig", parameter)
            before = torch.ones_like(original)
        else:
            before = getattr(module, name + "_mask").detach().clone(memory_format=torch.contiguous_format)
        try:
            with torch.no_grad():
                mask = method.compute_mask(scores, default_mask=before)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not found:
                del module._parameters[name + "_orig"]
                module.register_parameter(name, parameter)
            raise
        return method

    def prune(self, t, default_mask=None, importance_scores=None):
        """``t`` with what ``compute_mask`` leaves out set to 0."""
        if importance_scores is not None and importance_scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        scores = t if importance_scores is None else importance_scores
        return t * self.compute_mask(scores, default_mask=torch.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module):
        """Make the pruned parameter a plain one, with the values that the mask left."""
        if self._tensor_name is None:
            raise AssertionError(f"Module {module} has to be pruned before pruning can be removed")
        weight = self.apply_mask(module)
        if hasattr(module, self._tensor_name):
            delattr(module, self._tensor_name)
        original = module._parameters[self._tensor_name + "_orig"]
        original.data = weight.data
        del module._parameters[self._tensor_name + "_orig"]
        del module._buffers[self._tensor_name + "_mask"]
        setattr(module, self._tensor_name, original)


def _is_of(hook, name):
    return isinstance(hook, BasePruningMethod) and hook._tensor_name == name


class PruningContainer(BasePruningMethod):
    """Prunings of one parameter, one after the other; each sees what the ones before left."""

    def __init__(self, *args):
        self._pruning_methods = ()
        methods = args[0] if len(args) == 1 and isinstance(args[0], Iterable) else args
        self._tensor_name = methods[0]._tensor_name if methods else None
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method):
        """Add a method; TypeError for anything else, ValueError for one of another parameter."""
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self):
        return len(self._pruning_methods)

    def __iter__(self):
        return iter(self._pruning_methods)

    def __getitem__(self, idx):
        return self._pruning_methods[idx]

    def compute_mask(self, t, default_mask):
        method, mask = self._pruning_methods[-1], default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            places = mask == 1
        elif method.PRUNING_TYPE == "structured":
            # Channels that an earlier pruning took out wholly do not count again.
            dim = method.dim % t.dim()
            kept = mask.sum([d for d in range(t.dim()) if d != dim]) != 0
            places = [slice(None)] * t.dim()
            places[dim] = kept
            places = tuple(places)
        elif method.PRUNING_TYPE == "global":
            places = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        result = mask.clone()
        result[places] = method.compute_mask(t[places], default_mask=mask[places]).to(result.dtype)
        return result


class Identity(BasePruningMethod):
    """Prunes nothing, but sets up the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t, default_mask):
        return default_mask


def _check_amount(amount):
    if not isinstance(amount, Number) or isinstance(amount, complex):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (isinstance(amount, int) and amount < 0) or (not isinstance(amount, int) and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _count(amount, size):
    """How many of ``size`` an amount is: itself, or a share of them."""
    if isinstance(amount, int):
        if amount > size:
            raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={size}")
        return amount
    return round(amount * size)


class _Unstructured(BasePruningMethod):
    PRUNING_TYPE = "unstructured"

    def __init__(self, amount):
        _check_amount(amount)
        self.amount = amount

    def _order(self, t, count):
        raise NotImplementedError

    def compute_mask(self, t, default_mask):
        mask = default_mask.clone(memory_format=torch.contiguous_format)
        count = _count(self.amount, t.nelement())
        if count:
            mask.view(-1)[self._order(t, count)] = 0
        return mask


class RandomUnstructured(_Unstructured):
    """Takes out elements at random: ``amount`` of them, or that share."""

    def _order(self, t, count):
        return torch.topk(torch.rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module, name, amount):
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Takes out the elements of the smallest absolute values: ``amount`` of them, or that share."""

    def _order(self, t, count):
        return torch.topk(torch.abs(t).reshape(-1), k=count, largest=False).indices

    @classmethod
    def apply(cls, module, name, amount, importance_scores=None):
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class _Structured(BasePruningMethod):
    PRUNING_TYPE = "structured"

    def __init__(self, amount, dim=-1):
        _check_amount(amount)
        self.amount = amount
        self.dim = dim

    def _kept(self, t, count):
        raise NotImplementedError

    def compute_mask(self, t, default_mask):
        if t.dim() <= 1:
            raise ValueError(
                "Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                f"{t.shape} with {t.dim()} dims"
            )
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        size = t.shape[self.dim]
        count = _count(self.amount, size)
        if count == 0:
            return default_mask
        shape = [1] * t.dim()
        shape[self.dim] = size
        return default_mask * self._kept(t, count).reshape(shape).to(default_mask.dtype)


class RandomStructured(_Structured):
    """Takes out channels along ``dim`` at random: ``amount`` of them, or that share."""

    def _kept(self, t, count):
        draws = torch.rand(t.shape[self.dim])
        return draws > torch.kthvalue(draws, k=count).values

    @classmethod
    def apply(cls, module, name, amount, dim=-1):
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(_Structured):
    """Takes out the channels along ``dim`` of the smallest ``n``-norms: ``amount`` of them, or that share."""

    def __init__(self, amount, n, dim=-1):
        super().__init__(amount, dim)
        self.n = n

    def _kept(self, t, count):
        norms = torch.norm(t, p=self.n, dim=[d for d in range(t.dim()) if d != self.dim % t.dim()])
        kept = torch.zeros_like(norms)
        kept[torch.topk(norms, k=norms.numel() - count, largest=True).indices] = 1
        return kept

    @classmethod
    def apply(cls, module, name, amount, n, dim, importance_scores=None):
        return super().apply(module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores)


class CustomFromMask(BasePruningMethod):
    """Takes out what the given mask has 0 for."""

    PRUNING_TYPE = "global"

    def __init__(self, mask):
        self.mask = mask

    def compute_mask(self, t, default_mask):
        if default_mask.shape != self.mask.shape:
            raise AssertionError("default_mask and mask have different shapes")
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module, name, mask):
        return super().apply(module, name, mask=mask)


def identity(module, name):
    """Set up ``name_orig`` and a mask of ones; returns ``module``."""
    Identity.apply(module, name)
    return module


def random_unstructured(module, name, amount):
    """Take out ``amount`` elements (a number, or a share) of a parameter at random; returns ``module``."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module, name, amount, importance_scores=None):
    """Take out the ``amount`` smallest elements (a number, or a share), by ``importance_scores`` where given; returns ``module``."""
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module, name, amount, dim):
    """Take out ``amount`` channels along ``dim`` at random; returns ``module``."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(module, name, amount, n, dim, importance_scores=None):
    """Take out the ``amount`` channels along ``dim`` of the smallest ``n``-norms; returns ``module``."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def custom_from_mask(module, name, mask):
    """Take out what ``mask`` has 0 for; returns ``module``."""
    CustomFromMask.apply(module, name, mask)
    return module


def global_unstructured(parameters, pruning_method, importance_scores=None, **kwargs):
    """Prune several parameters as if they were one.

    Args:
        parameters (iterable of (module, name)): what to prune.
        pruning_method (type): an unstructured method.
        importance_scores (dict, optional): by (module, name), in place of the parameters themselves.
        kwargs: the method's own arguments.
    """
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    parameters = list(parameters)
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    flat = torch.nn.utils.parameters_to_vector([scores.get(pair, getattr(*pair)) for pair in parameters])
    before = torch.nn.utils.parameters_to_vector(
        [getattr(module, name + "_mask", torch.ones_like(getattr(module, name))) for module, name in parameters]
    )
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    container.add_pruning_method(method)
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            f'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method {pruning_method} of type '
            f"{method.PRUNING_TYPE}"
        )
    with torch.no_grad():
        mask = container.compute_mask(flat, before)
    start = 0
    for module, name in parameters:
        value = getattr(module, name)
        custom_from_mask(module, name, mask=mask[start : start + value.numel()].view_as(value))
        start += value.numel()


def remove(module, name):
    """Make a pruned parameter a plain one, with the values that the mask left; returns ``module``."""
    for key, hook in module._forward_pre_hooks.items():
        if _is_of(hook, name):
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise ValueError(f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed")


def is_pruned(module):
    """Whether any module in ``module`` has a pruned parameter."""
    return any(isinstance(hook, BasePruningMethod) for child in module.modules() for hook in child._forward_pre_hooks.values())
