"""Tensors that a module registers by itself: parameters and buffers."""

from collections import OrderedDict

import pywasmtorch as torch

from .._pickling import own_attributes
from .._tensor import Tensor
from .._tensor_type import TensorMeta
from .._utils import _rebuild_parameter, _rebuild_parameter_with_state

__all__ = ["Buffer", "Parameter"]


class Parameter(Tensor):
    """A tensor that becomes a module's parameter when it is assigned as an attribute.

    Args:
        data (Tensor, optional): the values, of any shape; storage is shared with them.
            Default: an empty tensor.
        requires_grad (bool): whether gradients are accumulated in ``.grad``. Default: ``True``.
    """

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = torch.empty(0)
        elif not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        return Tensor._make_subclass(cls, data, requires_grad)

    def __init__(self, data=None, requires_grad=True):
        pass

    def __deepcopy__(self, memo):
        done = memo.get(id(self))
        if done is None:
            done = type(self)(self.data.clone(), self.requires_grad)
            memo[id(self)] = done
        return done

    def __repr__(self):
        return "Parameter containing:\n" + super().__repr__()

    def __reduce_ex__(self, protocol):
        state = own_attributes(self)
        if state:
            return _rebuild_parameter_with_state, (self.data, self.requires_grad, OrderedDict(), state)
        return _rebuild_parameter, (self.data, self.requires_grad, OrderedDict())


class _BufferMeta(TensorMeta):
    def __instancecheck__(cls, instance):
        if cls is Buffer and isinstance(instance, Tensor):
            return getattr(instance, "_is_buffer", False)
        return super().__instancecheck__(instance)


class Buffer(Tensor, metaclass=_BufferMeta):
    """A tensor that becomes a module's buffer when it is assigned as an attribute.

    Constructing one gives a plain tensor with a mark, which ``isinstance(x, Buffer)`` recognises.

    Args:
        data (Tensor, optional): the values, of any shape; storage is shared with them.
            Default: an empty tensor.
        persistent (bool): whether the buffer is part of the module's ``state_dict``.
    """

    def __new__(cls, data=None, *, persistent=True):
        if data is None:
            data = torch.empty(0)
        buffer = data.detach().requires_grad_(data.requires_grad)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer


def zero_gradient(grad):
    """Fill a gradient with zeros, in place and outside of any graph it was computed in."""
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()
