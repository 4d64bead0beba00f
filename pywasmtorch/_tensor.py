"""What a Tensor answers: its properties, conversions and Python's own protocols."""

from __future__ import annotations

import struct
from typing import Any

from . import _dtype, _indexing
from . import _runtime as rt
from ._creation import from_array, from_data, to_bytes
from ._dtype import DTYPES, FORMATS, dtype
from ._dunders import binary, fast, with_arrays
from ._generated import ops
from ._size import CPU, Size, check_device, memory_format, strided
from ._size import device as Device
from ._tensor_type import Tensor

__all__ = ["Tensor"]

host = rt.host
read = host.read
SIZES, STRIDES, NUMEL, OFFSET = 40, 168, 24, 16  # where a tensor keeps them (wasm/abi.md)
UNPACK_SIZES = [struct.Struct(f"<{n}q").unpack_from for n in range(17)]
REQUIRES_GRAD = 1


# ---- facts ----
def get_shape(self: Tensor) -> Size:
    head = read(self._h, STRIDES)
    return Size(UNPACK_SIZES[head[9]](head, SIZES))


def get_ndim(self: Tensor) -> int:
    return read(self._h + 9, 1)[0]


def get_dtype(self: Tensor) -> dtype:
    return DTYPES[read(self._h + 8, 1)[0]]


def size(self: Tensor, dim: int | None = None) -> Any:
    shape = get_shape(self)
    if dim is None:
        return shape
    if not -max(len(shape), 1) <= dim < max(len(shape), 1):
        n = max(len(shape), 1)
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    if not shape:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return shape[dim]


def stride(self: Tensor, dim: int | None = None) -> Any:
    head = read(self._h, STRIDES + 128)
    strides = UNPACK_SIZES[head[9]](head, STRIDES)
    if dim is None:
        return strides
    n = max(len(strides), 1)
    if not -n <= dim < n or not strides:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], but got {dim})")
    return strides[dim]


def numel(self: Tensor) -> int:
    return int.from_bytes(read(self._h + NUMEL, 8), "little")


def storage_offset(self: Tensor) -> int:
    return int.from_bytes(read(self._h + OFFSET, 8), "little")


def dim(self: Tensor) -> int:
    return read(self._h + 9, 1)[0]


def is_contiguous(self: Tensor, memory_format: Any = None) -> bool:
    if is_channels_last(memory_format):
        return get_ndim(self) == memory_format._code + 2 and is_contiguous(ops.movedim(self.detach(), 1, -1))
    return bool(read(self._h + 11, 1)[0])


def element_size(self: Tensor) -> int:
    return get_dtype(self).itemsize


def is_floating_point(self: Tensor) -> bool:
    return get_dtype(self).is_floating_point


def is_complex(self: Tensor) -> bool:
    return get_dtype(self).is_complex


def is_signed(self: Tensor) -> bool:
    return get_dtype(self).is_signed


def get_device(self: Tensor) -> int:
    return -1


def data_ptr(self: Tensor) -> int:
    """The address of the first element in the core's memory."""
    return ops._data_pointer(self) if numel(self) else 0


def is_same_size(self: Tensor, other: Tensor) -> bool:
    if not isinstance(other, Tensor):
        raise TypeError(f"is_same_size(): argument 'other' (position 2) must be Tensor, not {type(other).__name__}")
    return get_shape(self) == get_shape(other)


# ---- gradients ----
def get_requires_grad(self: Tensor) -> bool:
    return ops._requires_grad(self)


def set_requires_grad(self: Tensor, value: bool) -> None:
    ops._set_requires_grad(self, value)


def get_grad(self: Tensor) -> Tensor | None:
    grad = ops._grad(self)
    if grad is None:
        self.__dict__.pop("_grad", None)
        return None
    known = self.__dict__.get("_grad")
    if known is not None and known._h == grad._h:
        return known
    self.__dict__["_grad"] = grad
    return grad


def set_grad(self: Tensor, value: Tensor | None) -> None:
    if value is not None and not isinstance(value, Tensor):
        raise TypeError(f"assigned grad expected to be a Tensor or None but got grad of type {type(value).__name__}")
    self.__dict__.pop("_grad", None)
    ops._set_grad(self, value)
    if value is not None:
        self.__dict__["_grad"] = value


def del_grad(self: Tensor) -> None:
    set_grad(self, None)


def get_data(self: Tensor) -> Tensor:
    return ops._data(self)


def set_data(self: Tensor, value: Tensor) -> None:
    ops._set_data(self, value)


def get_grad_fn(self: Tensor) -> Any:
    from .autograd.graph import node_of

    return node_of(self)


def backward(self: Tensor, gradient: Tensor | None = None, retain_graph: bool | None = None, create_graph: bool = False, inputs: Any = None) -> None:
    """Adds the gradient of this tensor to the `grad` of every leaf that it was computed from."""
    if gradient is None and not retain_graph and not create_graph and inputs is None:
        words = rt.words
        words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7] = 1, self._h, 0, 0, 0, -1, 1, 0
        if rt.dead:
            rt.flush()
        if not rt.invoke(BACKWARD):
            rt.raise_error()
        return
    from .autograd import backward as run

    run(self, gradient, retain_graph, create_graph, inputs=inputs)


from ._generated.schemas import SCHEMAS  # noqa: E402

BACKWARD = next(i for i, (text, *_) in enumerate(SCHEMAS) if text.startswith("_backward(")) | 7 << 16


def register_hook(self: Tensor, hook: Any) -> Any:
    from .autograd.graph import register_tensor_hook

    return register_tensor_hook(self, hook)


def register_post_accumulate_grad_hook(self: Tensor, hook: Any) -> Any:
    from .autograd.graph import register_post_accumulate_grad_hook as register

    return register(self, hook)


def retain_grad(self: Tensor) -> None:
    """Has backward passes store the gradient of a tensor that is no leaf in its `grad`, too."""
    ops._retain_grad(self)


def requires_grad_(self: Tensor, requires_grad: bool = True) -> Tensor:
    """Says whether operators on this tensor are recorded, and returns it. RuntimeError for dtypes without gradients, and for
    False on a tensor that is itself a result."""
    ops._requires_grad_(self, requires_grad)
    return self


def detach_(self: Tensor) -> Tensor:
    """Takes this tensor out of the graph, in place. RuntimeError for views."""
    ops._detach_(self)
    return self


def make_subclass(cls: type, data: Tensor, require_grad: bool = False) -> Tensor:
    """A new leaf of a subclass over the storage of `data`, whose version it shares."""
    check_subclass(cls)
    plain = ops.detach(data)
    result = rt.new(cls)
    result._h = plain._h
    del plain._h
    if require_grad:
        result.requires_grad_()
    return result


# ---- values ----
def item(self: Tensor) -> Any:
    """The value of a tensor with one element. RuntimeError for any other."""
    if rt.dead:
        rt.flush()
    words = rt.words
    # A tensor given for a number is read while another call's frame is being filled.
    begun = words[0], words[1], words[2]
    words[0] = self._h
    if not rt.invoke(ITEM):
        rt.raise_error()
    value = rt.take_scalar()
    words[0], words[1], words[2] = begun
    return value


ITEM = next(i for i, (text, *_) in enumerate(SCHEMAS) if text.startswith("_item(")) | 1 << 16


def flat_values(self: Tensor) -> list[Any]:
    """All elements, in order, as Python numbers."""
    kind = get_dtype(self)
    if kind is _dtype.bfloat16:
        return flat_values(ops._to_dtype(self.detach(), _dtype.float32))
    data = to_bytes(self.detach())
    if kind.is_complex:
        parts = struct.unpack(f"<{len(data) // (kind.itemsize // 2)}{'f' if kind is _dtype.complex64 else 'd'}", data)
        return [complex(a, b) for a, b in zip(parts[::2], parts[1::2])]
    return list(struct.unpack(f"<{len(data) // kind.itemsize}{FORMATS[kind]}", data))


def nest(values: list[Any], shape: tuple[int, ...]) -> Any:
    if not shape:
        return values[0]
    for n in reversed(shape[1:]):
        values = [values[i : i + n] for i in range(0, len(values), n)] if n else []
    if not values and 0 in shape[1:]:
        return empty_nest(shape)
    return values


def empty_nest(shape: tuple[int, ...]) -> list[Any]:
    return [empty_nest(shape[1:]) for _ in range(shape[0])] if shape else []


def tolist(self: Tensor) -> Any:
    """Nested lists of Python numbers; a number for a 0-d tensor."""
    return nest(flat_values(self), get_shape(self))


def check_no_grad(self: Tensor, what: str) -> None:
    if get_requires_grad(self):
        raise RuntimeError(f"Can't call {what}() on Tensor that requires grad. Use tensor.detach().{what}() instead.")


class _View:
    """What NumPy keeps while an array looks at a tensor's memory: the tensor."""

    __slots__ = ("tensor", "__array_interface__")


def numpy(self: Tensor, *, force: bool = False) -> Any:
    """The elements as a NumPy array: a view of the core's memory on CPython, a copy in Pyodide."""
    import numpy as np

    if force:
        self = self.detach()
    check_no_grad(self, "numpy")
    kind = get_dtype(self)
    if kind is _dtype.bfloat16:
        raise TypeError("Got unsupported ScalarType BFloat16")
    name = "bool" if kind is _dtype.bool_ else kind._name
    shape = get_shape(self)
    address = getattr(host, "address", None)
    if address is None or not numel(self):
        return np.frombuffer(bytearray(to_bytes(self)), dtype=name).reshape(shape)
    view = _View()
    view.tensor = self.detach()
    view.__array_interface__ = {
        "shape": tuple(shape), "typestr": np.dtype(name).str, "data": (address(ops._data_pointer(self)), False),
        "strides": tuple(s * kind.itemsize for s in stride(self)), "version": 3,
    }
    return np.asarray(view)


def dlpack(self: Tensor, *, stream: Any = None, max_version: Any = None, dl_device: Any = None, copy: bool | None = None) -> Any:
    """A DLPack capsule over the tensor's memory (through NumPy). BufferError for what DLPack cannot say."""
    if get_requires_grad(self):
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    shared = numpy(self)
    return shared.__dlpack__() if max_version is None or not hasattr(shared, "__dlpack_device__") else shared.__dlpack__(max_version=max_version, copy=copy)


def array_namespace(self: Tensor, /, *, api_version: str | None = None) -> Any:
    """The Python array API standard over tensors, as a module. ValueError for a version that it does not follow."""
    from . import _array_api

    return _array_api.namespace_of(api_version)


def to_device(self: Tensor, device: Any, /, *, stream: Any = None) -> Tensor:
    """The array API standard's `to` for devices; there is one."""
    check_device(device)
    return self


def array(self: Tensor, dtype: Any = None, copy: bool | None = None) -> Any:
    result = numpy(self)
    return result if dtype is None else result.astype(dtype, copy=bool(copy))


def array_wrap(self: Tensor, array: Any, context: Any = None, return_scalar: bool = False) -> Tensor:
    """What NumPy's functions give for a tensor, as a tensor; uint8 for bools, as in torch."""
    return from_array(array, _dtype.uint8 if array.dtype.kind == "b" else None)


# ---- conversion ----
def to(self: Tensor, *arguments: Any, dtype: dtype | None = None, device: Any = None, non_blocking: bool = False, copy: bool = False, memory_format: Any = None) -> Tensor:
    """This tensor with another dtype; itself where nothing changes and `copy` is False."""
    kind, place, rest = dtype, device, list(arguments)
    if rest and (isinstance(rest[0], _dtype.dtype) or _dtype.of_python_type(rest[0])):
        kind = rest.pop(0)
    elif rest and isinstance(rest[0], Tensor):
        kind = get_dtype(rest.pop(0))
    elif rest:
        place = rest.pop(0)
        if rest and not isinstance(rest[0], bool):
            kind = rest.pop(0)
    flags = dict(zip(("non_blocking", "copy"), rest))
    kind = _dtype.of_python_type(kind) or kind
    fits = isinstance(place, (str, int, Device, type(None))) and not isinstance(place, bool) and isinstance(kind, (_dtype.dtype, type(None)))
    if not fits or len(rest) > 2 or not all(isinstance(flag, bool) for flag in rest):
        got = ", ".join(type(a).__name__ for a in arguments)
        raise TypeError(f"to() received an invalid combination of arguments - got ({got}), but expected (torch.device device = None, torch.dtype dtype = None, bool "
                        "non_blocking = False, bool copy = False), (torch.dtype dtype, bool non_blocking, bool copy) or (Tensor tensor, bool non_blocking, bool copy)")
    copy = flags.get("copy", copy)
    check_device(place)
    if kind is None or kind is get_dtype(self):
        if copy:
            return clone(self, memory_format=memory_format)
        return self if memory_format is None else in_format(self, memory_format)
    result = ops._to_dtype(self, kind)
    return result if memory_format is None else in_format(result, memory_format)


def in_format(self: Tensor, form: memory_format) -> Tensor:
    return contiguous(self, form) if is_channels_last(form) or form._code == 0 else self


def set_real(self: Tensor, value: Any) -> None:
    copy_(ops.real(self), value)


def set_imag(self: Tensor, value: Any) -> None:
    copy_(ops.imag(self), value)


def converter(kind: _dtype.dtype) -> Any:
    def convert(self: Tensor, *, memory_format: Any = None) -> Tensor:
        result = self if get_dtype(self) is kind else ops._to_dtype(self, kind)
        return result if memory_format is None else in_format(result, memory_format)

    convert.__doc__ = f"This tensor as {kind}."
    return convert


def type_(self: Tensor, dtype: Any = None, non_blocking: bool = False) -> Any:
    """The name of the tensor's type, or the tensor converted to a dtype or a name of that kind."""
    names = {f"torch.{name}Tensor": kind for name, kind in LEGACY.items()}
    if dtype is None:
        return next(name for name, kind in names.items() if kind is get_dtype(self))
    if isinstance(dtype, str):
        if dtype not in names:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = names[dtype]
    dtype = getattr(dtype, "dtype", dtype) if not isinstance(dtype, _dtype.dtype) else dtype
    return to(self, dtype)


LEGACY = {"Bool": _dtype.bool_, "Byte": _dtype.uint8, "Char": _dtype.int8, "Short": _dtype.int16, "Int": _dtype.int32, "Long": _dtype.int64, "Half": _dtype.float16,
          "BFloat16": _dtype.bfloat16, "Float": _dtype.float32, "Double": _dtype.float64, "ComplexFloat": _dtype.complex64, "ComplexDouble": _dtype.complex128}


def type_as(self: Tensor, other: Tensor) -> Tensor:
    if not isinstance(other, Tensor):
        raise TypeError(f"type_as(): argument 'other' (position 1) must be Tensor, not {type(other).__name__}")
    return to(self, get_dtype(other))


def cpu(self: Tensor, memory_format: Any = None) -> Tensor:
    return self


def cuda(self: Tensor, device: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    check_device("cuda")
    return self


def clone(self: Tensor, *, memory_format: Any = None) -> Tensor:
    """A copy, differentiable."""
    if is_channels_last(memory_format):
        return channels_last_copy(self, memory_format)
    return ops.clone(self, format_code(memory_format))


def channels_last_copy(self: Tensor, form: memory_format) -> Tensor:
    if get_ndim(self) != form._code + 2:
        raise RuntimeError(f"required rank {form._code + 2} tensor to use {form._name} format")
    return ops.movedim(ops.clone(ops.movedim(self, 1, -1), 0), -1, 1)


def contiguous(self: Tensor, memory_format: Any = None) -> Tensor:
    """The tensor itself where it is contiguous, else a contiguous copy."""
    if is_channels_last(memory_format):
        return self if get_ndim(self) == memory_format._code + 2 and is_contiguous(self, memory_format) else channels_last_copy(self, memory_format)
    return self if is_contiguous(self) else ops.contiguous(self)


def is_channels_last(form: Any) -> bool:
    if form is not None and not isinstance(form, memory_format):
        raise TypeError(f"argument 'memory_format' must be torch.memory_format, not {type(form).__name__}")
    return form is not None and form._code > 0


def format_code(form: memory_format | None) -> int:
    return -1 if form is None else form._code


def view(self: Tensor, *shape: Any, **names: Any) -> Tensor:
    """The same data in another shape, or its bytes as another dtype. RuntimeError where strides do not allow it."""
    if "dtype" in names or (len(shape) == 1 and isinstance(shape[0], _dtype.dtype)):
        return ops.view_dtype(self, names.get("dtype") or shape[0])
    return ops.METHODS["view"](self, *shape, **names)


def copy_(self: Tensor, src: Any, non_blocking: bool = False) -> Tensor:
    return ops.copy__(self, src, non_blocking)


def new_tensor(self: Tensor, data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False) -> Tensor:
    check_device(device)
    result = from_data(data, dtype or get_dtype(self))
    return result.requires_grad_() if requires_grad else result


# ---- in-place changes of shape ----
def in_place_view(name: str) -> Any:
    """The in-place form of a view: the tensor itself takes the view's sizes and strides, and its history."""
    view = ops.METHODS[name]

    def change(self: Tensor, *arguments: Any, **names: Any) -> Tensor:
        ops._take_shape(self, view(self, *arguments, **names))
        return self

    change.__name__ = change.__qualname__ = f"{name}_"
    change.__doc__ = f"`{name}` in place. RuntimeError for a leaf that requires grad."
    return change


def resize_(self: Tensor, *size: Any, memory_format: Any = None) -> Tensor:
    """Another shape in place, with more storage where it needs it; new elements hold anything."""
    if get_requires_grad(self):
        raise RuntimeError("cannot resize variables that require grad")
    sizes = size[0] if len(size) == 1 and not hasattr(size[0], "__index__") else size
    ops._resize(self, sizes)
    return self


def apply_(self: Tensor, function: Any) -> Tensor:
    """Replaces each element by `function(element)`; slow."""
    values = [function(v) for v in flat_values(self)]
    return copy_(self, from_data(nest(values, get_shape(self)), get_dtype(self)))


def map_(self: Tensor, other: Tensor, function: Any) -> Tensor:
    """Replaces each element by `function(element, other's element)`; slow."""
    values = [function(a, b) for a, b in zip(flat_values(self), flat_values(ops.expand(other, get_shape(self))))]
    return copy_(self, from_data(nest(values, get_shape(self)), get_dtype(self)))


def untyped_storage(self: Tensor) -> Any:
    from .storage import UntypedStorage

    return UntypedStorage._of(self)


def storage(self: Tensor) -> Any:
    from .storage import TypedStorage

    return TypedStorage._of(self)


def set_(self: Tensor, source: Any = None, storage_offset: int = 0, size: Any = None, stride: Any = None) -> Tensor:
    """Another tensor's or storage's elements from now on, shared with it."""
    from .storage import set_source

    set_source(self, source, storage_offset, size, stride)
    return self


def set_state(self: Tensor, state: Any) -> None:
    from ._pickling import set_state

    set_state(self, state)


# ---- Python's protocols ----
def as_bool(self: Tensor) -> bool:
    n = numel(self)
    if n != 1:
        raise RuntimeError(f"Boolean value of Tensor with {'no values' if n == 0 else 'more than one value'} is ambiguous")
    return bool(item(self))


def as_index(self: Tensor) -> int:
    kind = get_dtype(self)
    if kind.is_floating_point or kind.is_complex or numel(self) != 1:
        raise TypeError("only integer tensors of a single element can be converted to an index")
    return int(item(self))


def only_value(self: Tensor) -> Any:
    if numel(self) != 1:
        raise ValueError("only one element tensors can be converted to Python scalars")
    return item(self)


def real_value(self: Tensor, kind: str) -> Any:
    value = only_value(self)
    if type(value) is complex:
        if value.imag:
            raise RuntimeError(f"value cannot be converted to type {kind} without overflow")
        return value.real
    return value


def as_int(self: Tensor) -> int:
    return int(real_value(self, "int64_t"))


def as_float(self: Tensor) -> float:
    return float(real_value(self, "double"))


def as_complex(self: Tensor) -> complex:
    return complex(only_value(self))


def positive(self: Tensor) -> Tensor:
    """The tensor itself. RuntimeError for bool."""
    if get_dtype(self) is _dtype.bool_:
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return self


def invert(self: Tensor) -> Tensor:
    if get_dtype(self).is_floating_point or get_dtype(self).is_complex:
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type tensors")
    return ops.bitwise_not(self)


def construct(cls: type, *arguments: Any, device: Any = None) -> Tensor:
    """torch.Tensor(2, 3) without initial values, torch.Tensor([1, 2]) with: of the default float dtype."""
    result = constructed(arguments, device)
    if cls is not Tensor:
        check_subclass(cls)
        result.__class__ = cls
    return result


def check_subclass(cls: type) -> None:
    """NotImplementedError for a class whose `__torch_function__` would never be called."""
    if getattr(cls, "__torch_function__", None) is not None:
        raise NotImplementedError(f"pywasmtorch calls no __torch_function__, which {cls.__name__} has; see docs/differences.md")


def constructed(arguments: tuple[Any, ...], device: Any) -> Tensor:
    from ._creation import empty, get_default_dtype

    check_device(device)
    if not arguments:
        return empty(0)
    if all(isinstance(a, int) for a in arguments) or isinstance(arguments[0], Size):
        return empty(*arguments)
    if len(arguments) == 1:
        if isinstance(arguments[0], Tensor):
            return ops._alias(arguments[0])
        if isinstance(arguments[0], (float, complex)):
            raise TypeError(f"new(): data must be a sequence (got {type(arguments[0]).__name__})")
        return from_data(arguments[0], get_default_dtype())
    raise TypeError(f"new() received an invalid combination of arguments - got ({', '.join(type(a).__name__ for a in arguments)})")


def length(self: Tensor) -> int:
    shape = get_shape(self)
    if not shape:
        raise TypeError("len() of a 0-d tensor")
    return shape[0]


def iterate(self: Tensor) -> Any:
    if not get_ndim(self):
        raise TypeError("iteration over a 0-d tensor")
    return iter(ops.unbind(self, 0))


def contains(self: Tensor, element: Any) -> bool:
    if isinstance(element, (Tensor, bool, int, float, complex)):
        return bool(ops.any_function(ops.eq(self, element)).item())
    raise RuntimeError(f"Tensor.__contains__ only supports Tensor or scalar, but you passed in a {type(element)}.")


def hash_(self: Tensor) -> int:
    return id(self)


def format_(self: Tensor, spec: str) -> str:
    if not get_ndim(self) and type(self) is Tensor:
        return format(item(self), spec)
    return object.__format__(self, spec)


def represent(self: Tensor, *, tensor_contents: Any = None) -> str:
    from ._printing import tensor_text

    return tensor_text(self)


def shallow_copy(self: Tensor) -> Tensor:
    from ._pickling import copy_of

    return copy_of(self, None)


def deep_copy(self: Tensor, memo: dict[int, Any]) -> Tensor:
    from ._pickling import copy_of

    return copy_of(self, memo)


def reduce_(self: Tensor, protocol: int) -> Any:
    from ._pickling import reduced

    return reduced(self, protocol)


def getitem(self: Tensor, index: Any) -> Tensor:
    return _indexing.get(self, index)


def setitem(self: Tensor, index: Any, value: Any) -> None:
    _indexing.put(self, index, value)


def install() -> None:
    for name, function in ops.METHODS.items():
        setattr(Tensor, name, function)
    for name, function in ops.PROPERTIES.items():
        setattr(Tensor, name, property(function))
    properties = {
        "shape": (get_shape,), "dtype": (get_dtype,), "ndim": (get_ndim,), "requires_grad": (get_requires_grad, set_requires_grad),
        "grad": (get_grad, set_grad, del_grad), "data": (get_data, set_data), "grad_fn": (get_grad_fn,), "is_leaf": (ops._is_leaf,),
        "_version": (ops._version,), "_base": (ops._base,), "output_nr": (ops._output_nr,), "retains_grad": (ops._retains_grad,),
        "itemsize": (element_size,), "nbytes": (lambda self: numel(self) * element_size(self),), "device": (lambda self: CPU,), "layout": (lambda self: strided,),
        "real": (ops.real, set_real), "imag": (ops.imag, set_imag),
        "names": (lambda self: (None,) * get_ndim(self),), "is_cuda": (lambda self: False,), "is_sparse": (lambda self: False,), "is_quantized": (lambda self: False,),
        "is_cpu": (lambda self: True,), "is_meta": (lambda self: False,), "is_mps": (lambda self: False,),
    }
    for name, functions in properties.items():
        setattr(Tensor, name, property(*functions))
    here = globals()
    for name in ("size", "stride", "numel", "storage_offset", "dim", "is_contiguous", "element_size", "is_floating_point", "is_complex", "is_signed", "get_device", "data_ptr",
                 "is_same_size", "backward", "register_hook", "register_post_accumulate_grad_hook", "retain_grad", "requires_grad_", "detach_", "item", "tolist", "numpy", "to", "type_as", "cpu", "cuda",
                 "clone", "contiguous", "view", "copy_", "new_tensor"):
        setattr(Tensor, name, here[name])
    extra = {
        "nelement": numel, "ndimension": dim, "type": type_, "is_inference": ops._is_inference, "is_view": ops._is_view, "_is_view": ops._is_view, "is_pinned": lambda self, device=None: False,
        "pin_memory": lambda self, device=None: check_device("cuda"), "share_memory_": lambda self: self, "is_shared": lambda self: False,
        "__array__": array, "__array_wrap__": array_wrap, "__array_namespace__": array_namespace, "to_device": to_device, "__dlpack__": dlpack, "__dlpack_device__": lambda self: (1, 0), "__bool__": as_bool, "__index__": as_index, "__int__": as_int, "__float__": as_float, "__complex__": as_complex, "__len__": length, "__iter__": iterate,
        "__contains__": contains, "__hash__": hash_, "__format__": format_, "__repr__": represent, "__copy__": shallow_copy, "__deepcopy__": deep_copy,
        "_make_subclass": staticmethod(make_subclass), "__reduce_ex__": reduce_, "__getitem__": getitem, "__setitem__": setitem, "__array_priority__": 1000, "__neg__": ops.neg, "__pos__": positive, "positive": positive, "__new__": construct,
        "__abs__": ops.abs_function, "__invert__": invert, "resize_": resize_,
        "untyped_storage": untyped_storage, "storage": storage, "set_": set_, "__setstate__": set_state, **{f"{name}_": in_place_view(name) for name in ("as_strided", "squeeze", "swapaxes", "swapdims", "t", "transpose", "unsqueeze")},
        "apply_": apply_, "map_": map_,
    }
    for name, value in extra.items():
        setattr(Tensor, name, value)
    from ._checks import tensors_checked

    for name in ("is_same_size", "map_", "new_tensor", "requires_grad_", "transpose_", "unsqueeze_"):
        setattr(Tensor, name, tensors_checked(getattr(Tensor, name)))
    for name, kind in {**{d._name: d for d in DTYPES}, **_dtype.ALIASES}.items():
        if name in ("bool", "bfloat16", *_dtype.ALIASES):
            setattr(Tensor, name, converter(kind))
    for name, of in {"add": "add", "sub": "sub", "mul": "mul", "truediv": "div", "pow": "pow", "floordiv": "floor_divide", "mod": "remainder"}.items():
        function = getattr(ops, "pow_function" if of == "pow" else "div" if of == "div" else of)
        if of == "div":
            function = ops.FUNCTIONS["div"]
        setattr(Tensor, f"__{name}__", fast(of, function))
        setattr(Tensor, f"__r{name}__", fast(of, function, swap=True))
        setattr(Tensor, f"__i{name}__", binary(getattr(ops, f"{of}_")))
    Tensor.__rdiv__ = Tensor.__rtruediv__
    Tensor.__rsub__ = fast("rsub", ops.rsub)
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        function = getattr(ops, name)
        setattr(Tensor, f"__{name}__", fast(name, with_arrays(function) if name in ("eq", "ne") else function))
    for name, of in {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "bitwise_left_shift", "rshift": "bitwise_right_shift"}.items():
        function = getattr(ops, of)
        setattr(Tensor, f"__{name}__", binary(function))
        setattr(Tensor, f"__r{name}__", binary(function, swap=True))
        setattr(Tensor, f"__i{name}__", binary(getattr(ops, f"{of}_")))
    if hasattr(ops, "matmul"):
        Tensor.__matmul__ = binary(ops.matmul)
        Tensor.__rmatmul__ = binary(ops.matmul, swap=True)


install()
