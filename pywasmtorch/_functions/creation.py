"""tensor, as_tensor, from_numpy, zeros, ones, full, arange, linspace, *_like, new_* and other creation functions."""

from __future__ import annotations

import warnings
from functools import partial
from typing import Any

from .._core import device as _device
from .._core import dtype as _dtype
from .._core import frame
from .._core.arguments import is_int, is_number, type_name
from .._core.checks import tensors_checked
from .._core.device import CPU, creates_on_meta, is_meta_device
from .._core.dispatch import write_out
from .._core.dtype import dtype, get_default_dtype
from .._core.generated import ops
from .._core.layout import format_code, preserve_format, strided
from .._core.meta import on_meta
from .._core.names import scalar_name
from .._core.size import Size
from .._core.tensor_type import Tensor
from .._core.warning import COPIES, NOT_WRITABLE, warn, warn_once
from .._tensor.from_data import from_array, from_bytes, from_data, infer
from .._tensor.storage import TypedStorage, UntypedStorage
from .._tensor.unwritten import known


def settle(result: Tensor, requires_grad: bool) -> Tensor:
    return result.requires_grad_() if requires_grad else result


def check_options(device: Any, layout: Any, pin_memory: bool, like: Tensor | None = None) -> bool:
    """Whether to create on meta: as `device` says, or else as the tensor after whose manner is created, or as the program chose."""
    if device is not None or (like is None and _device.anywhere):
        meta = creates_on_meta(device)
    else:
        meta = _device.in_use and like is not None and like.is_meta
    if layout is not None and layout is not strided:
        raise NotImplementedError(f"pywasmtorch has no layout {layout}; tensors are strided")
    if pin_memory:
        raise RuntimeError("Cannot access accelerator device when none is available.")
    return meta


def placed_as_asked(result: Tensor, meta: bool) -> Tensor:
    """What was made of values, on meta where that was asked."""
    return ops._to_meta(result) if meta and not result.is_meta else result


def sizes_of(name: str, size: tuple[Any, ...]) -> Any:
    """zeros(2, 3) and zeros((2, 3)) alike."""
    for s in size:
        if isinstance(s, (bool, float, str)):
            raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {type(s).__name__}")
    if len(size) == 1 and not isinstance(size[0], int):
        if not is_int(size[0]):
            for place, s in enumerate(size[0] if isinstance(size[0], (list, tuple)) else ()):
                if s is True or s is False:
                    raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, but found element of type bool at pos {place}")
            return size[0]
        return (int(size[0]),)
    if len(size) == 0:
        raise TypeError(f"{name}() received an invalid combination of arguments - got (), but expected sizes as ints or a tuple of ints")
    return size


def named_size(name: str, size: tuple[Any, ...], given: dict[str, Any]) -> tuple[Any, ...]:
    """The sizes, or size=(2, 3) by its name. TypeError for any other name."""
    named = None if size else given.pop("size", None)
    if given:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(given))}'")
    return size or (() if named is None else (named,))


def scalar(function: str, name: str, position: int, value: Any) -> Any:
    """A number, or the one of a 0-d tensor. TypeError for anything else."""
    if type(value) in (int, float, bool) or is_number(value) or (isinstance(value, Tensor) and value.ndim == 0):
        return frame.number_of(value)
    raise TypeError(f"{function}(): argument '{name}' (position {position}) must be Number, not {type(value).__name__}")


def real(function: str, name: str, position: int, value: Any) -> Any:
    value = scalar(function, name, position, value)
    if isinstance(value, complex):
        raise RuntimeError("value cannot be converted to type double without overflow")
    return value


def tensor(data: Any, *, dtype: dtype | None = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """A tensor with a copy of `data`: a number, nested sequences, a tensor, a NumPy array or a buffer."""
    meta = check_options(device, None, pin_memory, data if isinstance(data, Tensor) and not _device.anywhere else None)
    if isinstance(data, Tensor):
        warn(COPIES)
        if device is not None and data.is_meta and not meta:
            return ops._from_meta(data)
    result = from_data(data, dtype)
    return settle(placed_as_asked(result, True) if meta else result, requires_grad)


def warn_if_not_writable(data: Any) -> None:
    if type(data).__name__ == "ndarray" and not data.flags.writeable:
        warn_once(NOT_WRITABLE.format("NumPy array"))


def from_numpy(array: Any) -> Tensor:
    """A tensor with the array's elements, copied: the core's memory is its own (docs/differences.md)."""
    if type(array).__module__ != "numpy" or not hasattr(array, "shape") or not hasattr(array, "strides"):
        raise TypeError(f"expected np.ndarray (got {type(array).__name__})")
    warn_if_not_writable(array)
    return from_array(array, None)


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor with the elements of any object that speaks DLPack, copied."""
    if device is not None and is_meta_device(device):
        return ops._to_meta(from_dlpack(ext_tensor, copy=copy))
    if isinstance(ext_tensor, Tensor):
        return ext_tensor.detach()
    import numpy

    if not hasattr(ext_tensor, "__dlpack__"):

        class Capsule:
            def __dlpack__(self, **_: Any) -> Any:
                return ext_tensor

            def __dlpack_device__(self) -> tuple[int, int]:
                return 1, 0

        return from_array(numpy.from_dlpack(Capsule()), None)
    return from_array(numpy.from_dlpack(ext_tensor), None)


def frombuffer(buffer: Any, *, dtype: dtype, count: int = -1, offset: int = 0, requires_grad: bool = False) -> Tensor:
    """A one-dimensional tensor of the buffer's bytes, copied. ValueError where sizes do not fit."""
    try:
        view = memoryview(buffer).cast("B")
    except TypeError:
        raise ValueError("object does not implement Python buffer protocol.") from None
    if not len(view):
        raise ValueError("both buffer length (0) and count (-1) must not be 0")
    if not 0 <= offset < len(view):
        raise ValueError(f"offset ({offset} bytes) must be non-negative and no greater than buffer length ({len(view)} bytes) minus 1")
    if view.readonly:
        warn_once(NOT_WRITABLE.format("buffer"))
    room = len(view) - offset
    if count <= 0:
        if count == 0 or room % dtype.itemsize:
            raise ValueError(f"buffer length ({room} bytes) after offset ({offset} bytes) must be a multiple of element size ({dtype.itemsize})")
        count = room // dtype.itemsize
    if count * dtype.itemsize > room:
        raise ValueError(f"requested buffer length ({count} * {dtype.itemsize} bytes) after offset ({offset} bytes) must not be greater than actual buffer length ({len(view)} bytes)")
    return settle(from_bytes(view[offset : offset + count * dtype.itemsize], (count,), dtype), requires_grad)


def as_tensor(data: Any, *, dtype: dtype | None = None, device: Any = None) -> Tensor:
    """`data` itself where it is a tensor of that dtype, else a tensor made of it."""
    meta = check_options(device, None, False, data if isinstance(data, Tensor) and not _device.anywhere else None)
    if isinstance(data, Tensor):
        return data.to(device if device is not None else _device.META if meta else None, dtype or data.dtype)
    warn_if_not_writable(data)
    result = from_data(data, dtype)
    return placed_as_asked(result, True) if meta else result


def asarray(obj: Any, *, dtype: dtype | None = None, device: Any = None, copy: bool | None = None, requires_grad: bool = False) -> Tensor:
    meta = check_options(device, None, False, obj if isinstance(obj, Tensor) and not _device.anywhere else None)
    if isinstance(obj, Tensor) and not copy:
        if copy is False and dtype not in (None, obj.dtype):
            raise ValueError(f"can't alias tensor with dtype '{scalar_name(obj.dtype)}' into dtype '{scalar_name(dtype)}'.")
        return settle(as_tensor(obj, dtype=dtype, device=device), requires_grad)
    if not copy:
        warn_if_not_writable(obj)
    if copy is False and isinstance(obj, (bool, int, float, complex, list, tuple)):
        raise ValueError("can't alias arbitrary sequence into a tensor.")
    return settle(placed_as_asked(from_data(obj, dtype), meta), requires_grad)


def scalar_tensor(s: Any, *, dtype: dtype | None = None, device: Any = None, layout: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    return full((), s, dtype=dtype or get_default_dtype(), device=device, layout=layout, requires_grad=requires_grad, pin_memory=pin_memory)


# ---- filled ----
def empty(*size: Any, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
          requires_grad: bool = False, memory_format: Any = None, **sizes: Any) -> Tensor:
    """A tensor without initial values."""
    if memory_format is not None and out is not None:
        raise RuntimeError("'memory_format' argument is incompatible with 'out' tensor argument")
    if memory_format is preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    result = made("empty", named_size("empty", size, sizes), None, out, dtype, layout, device, pin_memory, requires_grad)
    if memory_format is not None:
        ops._set_format(result, format_code(memory_format))
    return known(result)


def zeros(*size: Any, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
          requires_grad: bool = False, **sizes: Any) -> Tensor:
    """A tensor of zeros."""
    return made("zeros", named_size("zeros", size, sizes), 0, out, dtype, layout, device, pin_memory, requires_grad)


def ones(*size: Any, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
         requires_grad: bool = False, **sizes: Any) -> Tensor:
    """A tensor of ones."""
    return made("ones", named_size("ones", size, sizes), 1, out, dtype, layout, device, pin_memory, requires_grad)


def check_kind(out: Tensor | None, kind: dtype | None) -> None:
    if out is not None and kind is not None and kind is not out.dtype:
        raise RuntimeError(f"dtype {scalar_name(kind)} does not match dtype of out parameter ({scalar_name(out.dtype)})")


def made(name: str, size: tuple[Any, ...], value: Any, out: Tensor | None, kind: dtype | None, layout: Any, device: Any, pin_memory: bool, requires_grad: bool) -> Tensor:
    meta = (device is not None or layout is not None or pin_memory or _device.anywhere) and check_options(device, layout, pin_memory)
    sizes = sizes_of(name, size)
    if out is not None:
        check_kind(out, kind)
        if value is None and out.requires_grad:
            raise RuntimeError("cannot resize variables that require grad")
        ops._resize(out, sizes)
        return out if value is None else ops.fill_(out, value)
    kind = kind or get_default_dtype()
    if meta:
        return settle(on_meta(ops._empty, sizes, kind), requires_grad)
    result = ops._empty(sizes, kind) if value is None else ops._full(sizes, value, kind)
    return result.requires_grad_() if requires_grad else result


def full(size: Any, fill_value: Any, *, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None,
         pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """A tensor with one value everywhere; its dtype follows the value unless given."""
    meta = check_options(device, layout, pin_memory)
    if out is not None:
        check_kind(out, dtype)
        ops._resize(out, size)
        return ops.fill_(out, fill_value)
    for place, n in enumerate(size if isinstance(size, (list, tuple)) else ()):
        if n is True or n is False:
            raise TypeError(f"full(): argument 'size' (position 1) must be tuple of ints, but found element of type bool at pos {place}")
    if isinstance(size, int):
        raise TypeError("full() received an invalid combination of arguments - got (int, ...), but expected (tuple of ints size, Number fill_value, ...)")
    value = scalar("full", "fill_value", 2, fill_value)
    kind = dtype or (fill_value.dtype if isinstance(fill_value, Tensor) else infer({type(value)}))
    return settle(on_meta(ops._full, size, value, kind) if meta else ops._full(size, value, kind), requires_grad)


def empty_like(input: Tensor, *, dtype: dtype | None = None, layout: Any = None, device: Any = None, requires_grad: bool = False, memory_format: Any = None,
               pin_memory: bool = False) -> Tensor:
    meta = check_options(device, layout, pin_memory, input)
    if input.is_meta and not meta:
        return settle(known(ops._empty_strided(input.shape, empty_like(input, memory_format=memory_format).stride(), dtype or input.dtype)), requires_grad)
    result = on_meta(ops._like, input, dtype, format_code(memory_format)) if meta else ops._like(input, dtype, format_code(memory_format))
    return settle(known(result), requires_grad)


def zeros_like(input: Tensor, **options: Any) -> Tensor:
    return filled_like(input, 0, options)


def ones_like(input: Tensor, **options: Any) -> Tensor:
    return filled_like(input, 1, options)


def full_like(input: Tensor, fill_value: Any, **options: Any) -> Tensor:
    return filled_like(input, scalar("full_like", "fill_value", 2, fill_value), options)


def filled_like(input: Tensor, value: Any, options: dict[str, Any]) -> Tensor:
    requires_grad = options.pop("requires_grad", False)
    return settle(ops.fill_(empty_like(input, **options), value), requires_grad)


def empty_strided(size: Any, stride: Any, *, dtype: dtype | None = None, layout: Any = None, device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    arguments = size, stride, dtype or get_default_dtype()
    return settle(on_meta(ops._empty_strided, *arguments) if check_options(device, layout, pin_memory) else known(ops._empty_strided(*arguments)), requires_grad)


def arange(*arguments: Any, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
           pin_memory: bool = False, **names: Any) -> Tensor:
    """arange(end), arange(start, end), arange(start, end, step): integers stay integers."""
    if check_options(device, layout, pin_memory):
        return on_meta(arange, *arguments, out=out, dtype=dtype, device=CPU, requires_grad=requires_grad, **names)
    positional = list(arguments)
    start, end, step = names.pop("start", 0), names.pop("end", None), names.pop("step", 1)
    if names:
        raise TypeError(f"arange() got an unexpected keyword argument '{next(iter(names))}'")
    if len(positional) == 1 and end is None:
        end = positional[0]
    elif positional:
        start = positional[0]
        end = positional[1] if len(positional) > 1 else end
        step = positional[2] if len(positional) > 2 else step
    if end is None:
        raise TypeError("arange() received an invalid combination of arguments - got (), but expected (Number end) or (Number start, Number end, Number step = 1)")
    if len(positional) > 3:
        raise TypeError(f"arange() takes at most 3 numbers, but {len(positional)} were given")
    values = [real("arange", name, at, v) for at, (name, v) in enumerate((("start", start), ("end", end), ("step", step)), 1)]
    check_kind(out, dtype)
    kind = dtype or (out.dtype if out is not None else _dtype.int64 if all(isinstance(v, int) for v in values) else get_default_dtype())
    if kind.is_complex:
        raise NotImplementedError(f'"arange_cpu" not implemented for \'{scalar_name(kind)}\'')
    if not kind.is_floating_point and all(isinstance(v, (int, float)) and v - v == 0 for v in values):
        # torch counts the elements of int64 by what the bounds become, those of the other integers by the bounds as given
        low, high, step = values
        values = [int(v) for v in values]
        if kind is _dtype.int64 and step and not values[2]:
            raise ValueError("step must be nonzero")
        if kind is not _dtype.int64 and any(isinstance(v, float) for v in (low, high, step)) and step and (high - low) * step >= 0:
            count = -int(-((high - low) / step) // 1)
            if values[2] == 0 or count == 0:
                return counted_out(ops._full((count,), values[0], kind), out, requires_grad)
            values[1] = values[0] + count * values[2]
    return counted_out(ops._arange(*values, kind), out, requires_grad)


def counted_out(result: Tensor, out: Tensor | None, requires_grad: bool) -> Tensor:
    if out is not None and out.numel() and out.numel() != result.numel():
        warnings.warn(f"The number of elements in the out tensor of shape {list(out.shape)} is {out.numel()} which does not match the computed number of "
                      f"elements {result.numel()}. Note that this may occur as a result of rounding error. The out tensor will be resized to a tensor of shape "
                      f"({result.numel()},).", stacklevel=3)
    return placed(result, out, requires_grad)


def placed(result: Tensor, out: Tensor | None, requires_grad: bool) -> Tensor:
    """A row of numbers, new or in `out`, which keeps a shape of as many elements and otherwise takes the row's."""
    if out is None:
        return settle(result, requires_grad)
    if out.numel() == result.numel():
        return write_out(out, ops.reshape(result, out.shape))
    if not out.requires_grad:
        ops._resize(out, result.shape)
    return write_out(out, result)


def range_(start: Any = 0, end: Any = None, step: Any = 1, **options: Any) -> Tensor:
    """Like arange, with the end included."""
    if end is None:
        raise TypeError('range() missing 1 required positional arguments: "end"')
    start, end, step = [real("range", name, at, v) for at, (name, v) in enumerate((("start", start), ("end", end), ("step", step)), 1)]
    if not step:
        raise RuntimeError("step must be nonzero")
    if not (start - start == 0 and end - end == 0):
        raise RuntimeError(f"unsupported range: {start:g} -> {end:g}")
    if (end - start) * step < 0:
        raise RuntimeError(f"upper bound and lower bound inconsistent with step sign: range({start:g}, {end:g}, {step:g})")
    out, requires_grad = options.pop("out", None), options.pop("requires_grad", False)
    kind = options.pop("dtype", None)
    check_kind(out, kind)
    stored = kind or (out.dtype if out is not None else get_default_dtype())
    if not (stored.is_floating_point or stored.is_complex or stored is _dtype.bool_):
        start, end, step = int(start), int(end), int(step)
        if not step:
            raise RuntimeError("step must be nonzero")
    count = int((end - start) / step) + 1
    if options.get("device") is None:
        options["device"] = CPU
    result = arange(start, start + step * count - step / 2 if isinstance(step, float) or isinstance(start, float) else start + step * count, step,
                    dtype=stored, **options)
    return placed(result, out, requires_grad)


def endpoint(function: str, name: str, position: int, value: Any) -> Any:
    """A number, or the one of a 0-d tensor."""
    if isinstance(value, Tensor) and value.ndim:
        raise RuntimeError(f"{function} only supports 0-dimensional start and end tensors, but got {name} with {value.ndim} dimension(s).")
    return scalar(function, name, position, value)


def number_for(value: Any) -> Any:
    """What stands for the value of a meta tensor where only its kind counts; anything else as it is."""
    if not isinstance(value, Tensor) or not value.is_meta:
        return value
    return 0j if value.is_complex() else 0.0 if value.is_floating_point() else 0


def linspace(start: Any, end: Any, steps: int, *, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None,
             requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """`steps` numbers from start to end, both included."""
    if check_options(device, layout, pin_memory):
        return on_meta(linspace, number_for(start), number_for(end), steps, out=out, dtype=dtype, device=CPU, requires_grad=requires_grad)
    check_kind(out, dtype)
    first, last = endpoint("linspace", "start", 1, start), endpoint("linspace", "end", 2, end)
    if isinstance(first, complex) or isinstance(last, complex):
        return placed(complex_steps("linspace", first, last, steps, dtype or (out.dtype if out is not None else None)), out, requires_grad)
    kind = dtype or (out.dtype if out is not None else get_default_dtype())
    return placed(ops._linspace(bound("linspace", "start", 1, start, kind, steps), bound("linspace", "end", 2, end, kind, steps), steps, kind), out, requires_grad)


def complex_steps(name: str, first: complex, last: complex, steps: int, kind: _dtype.dtype | None) -> Tensor:
    if kind is not None and not kind.is_complex:
        raise RuntimeError(f"torch.{name}(): inferred dtype c10::complex<float> can't be safely cast to passed dtype {scalar_name(kind)}")
    kind = kind or get_default_dtype().to_complex()
    parts = [ops._linspace(a, b, steps, kind.to_real()) for a, b in ((first.real, last.real), (first.imag, last.imag))]
    return ops.complex(*parts)


def bound(function: str, name: str, position: int, value: Any, kind: dtype, steps: int) -> Any:
    """An end of a range, as its dtype stores it: what torch computes with, but for a single floating step."""
    value = endpoint(function, name, position, value)
    if steps == 1 and (kind.is_floating_point or function == "logspace"):
        return value
    if kind.is_complex or isinstance(value, complex) or kind is _dtype.float64 or kind is _dtype.float32 or value - value != 0:
        return value
    if not kind.is_floating_point:
        limits = _dtype.iinfo(kind)
        if not (-limits.max if kind is _dtype.uint8 else limits.min) <= value <= limits.max:
            raise RuntimeError(f"value cannot be converted to type {kind._name} without overflow")
    held = ops._full((), value, kind)
    return value if held.is_meta else held.item()


def logspace(start: Any, end: Any, steps: int, base: float = 10.0, *, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None,
             device: Any = None, requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """`base ** linspace(start, end, steps)`."""
    if check_options(device, layout, pin_memory):
        return on_meta(logspace, number_for(start), number_for(end), steps, base, out=out, dtype=dtype, device=CPU, requires_grad=requires_grad)
    check_kind(out, dtype)
    first, last = endpoint("logspace", "start", 1, start), endpoint("logspace", "end", 2, end)
    if isinstance(first, complex) or isinstance(last, complex):
        return placed(ops.pow_function(float(base), complex_steps("logspace", first, last, steps, dtype or (out.dtype if out is not None else None))), out, requires_grad)
    kind = dtype or (out.dtype if out is not None else get_default_dtype())
    exponents = ops._linspace(bound("logspace", "start", 1, start, kind, steps), bound("logspace", "end", 2, end, kind, steps), steps, _dtype.float64)
    return placed(ops._to_dtype(ops.pow_function(float(base), exponents), kind), out, requires_grad)


def eye(n: int, m: int | None = None, *, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None,
        requires_grad: bool = False, pin_memory: bool = False) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    if check_options(device, layout, pin_memory):
        return on_meta(eye, n, m, out=out, dtype=dtype, device=CPU, requires_grad=requires_grad)
    check_kind(out, dtype)
    result = ops._eye(n, n if m is None else m, dtype or (out.dtype if out is not None else get_default_dtype()))
    if out is None:
        return settle(result, requires_grad)
    if not out.requires_grad:
        ops._resize(out, result.shape)
    return write_out(out, result)


# ---- after the manner of another tensor ----
def at_home(self: Tensor, options: dict[str, Any]) -> dict[str, Any]:
    """The options, with the tensor's own device where they name none."""
    if (_device.in_use or _device.anywhere) and options.get("device") is None:
        return {**options, "device": self.device}
    return options


def new_maker(name: str) -> Any:
    function = globals()[name]

    def new(self: Tensor, *size: Any, dtype: dtype | None = None, **options: Any) -> Tensor:
        if "size" in options:
            size = (options.pop("size"),)
        return function(*size, dtype=dtype or self.dtype, **at_home(self, options))

    new.__name__ = f"new_{name}"
    return new


def new_empty_strided(self: Tensor, size: Any, stride: Any, dtype: dtype | None = None, layout: Any = None, device: Any = None, pin_memory: bool = False,
                      requires_grad: bool = False) -> Tensor:
    return empty_strided(size, stride, dtype=dtype or self.dtype, layout=layout, device=self.device if device is None else device, requires_grad=requires_grad, pin_memory=pin_memory)


def empty_permuted(size: Any, physical_layout: Any, *, dtype: dtype | None = None, layout: Any = None, device: Any = None, requires_grad: bool = False,
                   pin_memory: bool = False) -> Tensor:
    """A dense tensor without initial values whose dimensions lie in memory in the order of `physical_layout`, the outermost first."""
    size, order = tuple(size), tuple(physical_layout)
    if len(size) != len(order):
        raise RuntimeError(f"Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = {len(size)} is not equal to len(physical_layout) = {len(order)}")
    strides, step = [0] * len(size), 1
    for position, d in reversed(list(enumerate(order))):
        if not 0 <= d < len(size):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {d} at index {position}).  NB: negative dims not currently supported; file an issue if you want it.")
        if strides[d]:
            raise RuntimeError("Duplicate dim not allowed")
        strides[d] = step
        step *= max(size[d], 1)
    return empty_strided(size, strides, dtype=dtype, layout=layout, device=device, requires_grad=requires_grad, pin_memory=pin_memory)


def new_full(self: Tensor, size: Any, fill_value: Any, *, dtype: dtype | None = None, **options: Any) -> Tensor:
    return full(size, fill_value, dtype=dtype or self.dtype, **at_home(self, options))


def older_tensor(name: str, kind: dtype, arguments: tuple[Any, ...]) -> Tensor:
    """What tensor types of old and `Tensor.new` make: of sizes, of a tensor or a storage, whose memory they share, or of data."""
    if not arguments:
        return empty(0, dtype=kind)
    first = arguments[0]
    if len(arguments) == 1 and isinstance(first, Size):
        return empty(first, dtype=kind)
    if all(isinstance(a, int) and not isinstance(a, bool) for a in arguments):
        return empty(*arguments, dtype=kind)
    if len(arguments) > 1:
        raise TypeError(f"{name}() takes sizes as ints, or one sequence of data")
    if isinstance(first, Tensor):
        if first.dtype is not kind:
            raise TypeError(f"expected a tensor of {kind} (got {first.dtype})")
        return ops._alias(first)
    if isinstance(first, (TypedStorage, UntypedStorage)):
        return empty(0, dtype=kind).set_(first)
    if isinstance(first, (bool, float, complex)):
        raise TypeError(f"new(): data must be a sequence (got {type_name(first)})")
    return from_data(first, kind)


def new(self: Tensor, *arguments: Any, size: Any = None, device: Any = None) -> Tensor:
    if check_options(device, None, False, self):
        return on_meta(older_tensor, "new", self.dtype, arguments if size is None else (Size(size),))
    return older_tensor("new", self.dtype, arguments if size is None else (Size(size),))


def clone(input: Tensor, *, memory_format: Any = None) -> Tensor:
    return input.clone(memory_format=memory_format)


def to_dlpack(input: Tensor) -> Any:
    return input.__dlpack__()


range_.__name__ = range_.__qualname__ = "range"

FUNCTIONS = [
    arange, as_tensor, asarray, empty, empty_strided, from_dlpack, from_numpy, frombuffer, full, ones, range_, scalar_tensor,
    tensor, zeros, *map(partial(tensors_checked, follows=False), (clone, empty_like, empty_permuted, eye, full_like, linspace, logspace, ones_like, to_dlpack, zeros_like)),
]
METHODS = {
    name: tensors_checked(method, follows=False)
    for name, method in {"new": new, "new_full": new_full, "new_empty_strided": new_empty_strided, **{f"new_{name}": new_maker(name) for name in ("empty", "zeros", "ones")}}.items()
}
