"""Parameter, Buffer and their uninitialized forms."""

from collections import OrderedDict

import pywasmtorch as torch

from .._core.overriding import disabled_torch_function, is_asked
from .._core.tensor_type import TensorMeta
from .._tensor import Tensor
from .._tensor.rebuild import _set_obj_state
from .._tensor.subclass import own_attributes

__all__ = ["Buffer", "Parameter", "UninitializedBuffer", "UninitializedParameter", "UninitializedTensorMixin", "is_lazy"]


class _ParameterMeta(TensorMeta):
    def __instancecheck__(cls, instance):
        if type.__instancecheck__(cls, instance):
            return True
        return cls is Parameter and isinstance(instance, Tensor) and getattr(instance, "_is_param", False)


class Parameter(Tensor, metaclass=_ParameterMeta):
    """A tensor that becomes a module's parameter when it is assigned as an attribute.

    Args:
        data (Tensor, optional): the values, of any shape; storage is shared with them.
            Default: an empty tensor.
        requires_grad (bool): whether gradients are accumulated in ``.grad``. Default: ``True``.
    """

    __torch_function__ = disabled_torch_function

    def __new__(cls, data=None, requires_grad=True):
        if data is None:
            data = torch.empty(0)
        elif not isinstance(data, Tensor):
            raise AttributeError(f"'{type(data).__name__}' object has no attribute 'detach'")
        elif is_asked(type(data)):
            return _parameter_of_subclass(data, requires_grad)
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


def _parameter_of_subclass(data, requires_grad):
    """A parameter that stays of its subclass, and is marked; `isinstance(x, Parameter)` looks for the mark."""
    result = data.detach().requires_grad_(requires_grad)
    if type(result) is not type(data):
        raise RuntimeError(
            f"Creating a Parameter from an instance of type {type(data).__name__} requires that detach() returns an instance of the same type, "
            f"but return type {type(result).__name__} was found instead."
        )
    result._is_param = True
    return result


def _rebuild_parameter(data, requires_grad, backward_hooks):
    if not isinstance(data, Tensor):
        raise ValueError(f"a parameter is made of a tensor, not of {type(data).__name__}")
    return Parameter(data, bool(requires_grad))


def _rebuild_parameter_with_state(data, requires_grad, backward_hooks, state):
    return _set_obj_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


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


_ALLOWED = (
    "copy_ is_complex is_floating_point half float double bfloat16 char short int long cuda cpu to get_device dtype device requires_grad "
    "requires_grad_ grad data is_leaf grad_fn __del__"
).split()
_CONVERSIONS = set("half float double bfloat16 char short int long cpu to".split())
_HANDLE = Tensor.__dict__["_h"]


def _opened(name):
    """The attribute of Tensor called ``name``, for a tensor whose memory may not be looked at otherwise."""
    attribute = getattr(Tensor, name)
    is_conversion = name in _CONVERSIONS

    def with_class(self, function, *args, **kwargs):
        kind = type(self)
        self.__class__ = self.cls_to_become
        try:
            result = function(self, *args, **kwargs)
        finally:
            self.__class__ = kind
        if is_conversion and result is not self and kind is UninitializedBuffer:
            result.__class__ = kind
        return result

    if callable(attribute):
        return lambda self, *args, **kwargs: with_class(self, attribute, *args, **kwargs)
    return property(
        lambda self: with_class(self, attribute.__get__), lambda self, value: with_class(self, attribute.__set__, value)
    )


class UninitializedTensorMixin:
    """What parameters and buffers without a shape share. All but moving and converting them is a ValueError."""

    cls_to_become = Tensor

    @property
    def _h(self):
        raise ValueError(
            "Attempted to use an uninitialized parameter. This error happens when you are using a `LazyModule` or explicitly "
            f"manipulating `torch.nn.parameter.{type(self).__name__}` objects. When using LazyModules Call `forward` with a "
            "dummy batch to initialize the parameters before calling torch functions"
        )

    @_h.setter
    def _h(self, handle):
        _HANDLE.__set__(self, handle)

    @_h.deleter
    def _h(self):
        _HANDLE.__delete__(self)

    def materialize(self, shape, device=None, dtype=None):
        """Become a plain parameter or buffer of the given shape, uninitialised, in place."""
        self.data = torch.empty(shape, device=self.device if device is None else device, dtype=self.dtype if dtype is None else dtype)
        self.__class__ = self.cls_to_become

    @property
    def shape(self):
        raise RuntimeError(
            "Can't access the shape of an uninitialized parameter or buffer. This error usually happens in `load_state_dict` "
            "when trying to load an uninitialized parameter into an initialized one. Call `forward` to initialize the "
            "parameters before accessing their attributes."
        )

    def share_memory_(self):
        raise RuntimeError(
            "Can't share memory on an uninitialized parameter or buffer. Call `forward` to initialize the parameters before "
            "calling `module.share_memory()`."
        )

    def __repr__(self):
        return f"<{type(self).__name__}>"

    def __reduce_ex__(self, protocol):
        return _rebuild_uninitialized, (type(self), self.requires_grad, self.dtype)

    def __deepcopy__(self, memo):
        done = memo.get(id(self))
        if done is None:
            done = memo[id(self)] = type(self)(self.requires_grad, dtype=self.dtype, device=self.device)
        return done


for _name in _ALLOWED:
    setattr(UninitializedTensorMixin, _name, _opened(_name))


def _rebuild_uninitialized(kind, requires_grad, dtype):
    return kind(requires_grad, dtype=dtype)


def is_lazy(param):
    """Whether ``param`` is a parameter or buffer that has no shape yet."""
    return isinstance(param, UninitializedTensorMixin)


def _make_uninitialized(kind, requires_grad, device, dtype):
    tensor = Tensor._make_subclass(kind.cls_to_become, torch.empty(0, device=device, dtype=dtype), requires_grad)
    tensor.__class__ = kind
    return tensor


class UninitializedParameter(UninitializedTensorMixin, Parameter):
    """A parameter whose shape is not known yet; ``materialize(shape)`` turns it into a plain one.

    Args:
        requires_grad (bool): of the parameter that it becomes. Default: ``True``.
    """

    cls_to_become = Parameter

    def __new__(cls, requires_grad=True, device=None, dtype=None):
        return _make_uninitialized(cls, requires_grad, device, dtype)

    def __init__(self, requires_grad=True, device=None, dtype=None):
        pass


class UninitializedBuffer(UninitializedTensorMixin, Tensor):
    """A buffer whose shape is not known yet; ``materialize(shape)`` turns it into a plain tensor."""

    def __new__(cls, requires_grad=False, device=None, dtype=None, persistent=True):
        buffer = _make_uninitialized(cls, requires_grad, device, dtype)
        buffer.persistent = persistent
        buffer._is_buffer = True
        return buffer

    def __init__(self, requires_grad=False, device=None, dtype=None, persistent=True):
        pass


def zero_gradient(grad):
    """Fill a gradient with zeros, in place and outside of any graph it was computed in."""
    if grad.grad_fn is not None:
        grad.detach_()
    else:
        grad.requires_grad_(False)
    grad.zero_()
