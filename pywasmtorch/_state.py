"""Questions about tensors and settings that have one answer here, numbers that PyTorch keeps symbolic, and older names."""

from __future__ import annotations

import functools
import math
from typing import Any

from . import _creation, _dtype
from ._arguments import is_int, is_number, type_name
from ._checks import tensors_checked
from ._generated import ops
from ._size import CPU, check_device, device
from ._tensor_type import Tensor


# ---- tensors ----
def get_device(input: Tensor) -> int:
    """-1: the number of a CPU."""
    return input.get_device()


def is_signed(input: Tensor) -> bool:
    return input.dtype.is_signed


def is_inference(input: Tensor) -> bool:
    return input.is_inference()


def is_distributed(input: Tensor) -> bool:
    return False


def as_strided_(input: Tensor, size: Any, stride: Any, storage_offset: int | None = None) -> Tensor:
    return input.as_strided_(size, stride, storage_offset)


def frobenius_norm(input: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """The root of the sum of squares, of all elements where `dim` is empty."""
    dims = None if dim is None or not isinstance(dim, int) and not len(dim) else dim
    return ops._norm(input, 2.0, [dims] if isinstance(dims, int) else dims, keepdim, None)


def spmm(input: Tensor, mat2: Tensor) -> Tensor:
    """`mm`: every matrix is dense here."""
    return ops.mm(input, mat2)


def to_dlpack(input: Tensor) -> Any:
    return input.__dlpack__()


def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost."""
    strides = self.stride()
    return tuple(sorted(range(len(strides)), key=lambda d: (-strides[d], d)))


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both look at the same storage in the same way."""
    same = self.shape == tensor.shape and self.stride() == tensor.stride() and self.storage_offset() == tensor.storage_offset()
    return same and ops._data_pointer(self) == ops._data_pointer(tensor)


def as_subclass(self: Tensor, cls: type) -> Tensor:
    """The same data as an instance of a subclass of Tensor."""
    if not (isinstance(cls, type) and issubclass(cls, Tensor)):
        raise TypeError(f"cls must be a type that inherits from Tensor, not {type_name(cls)}")
    from ._tensor import check_subclass

    check_subclass(cls)
    result = ops._alias(self)
    result.__class__ = cls
    return result


def reversed_(self: Tensor) -> Tensor:
    """The order along the first dimension reversed."""
    return ops.flip(self, (0,)) if self.ndim else self


def narrow_copy(self: Tensor, dim: int, start: int, length: int) -> Tensor:
    return ops.narrow_copy(self, dim, start, length)


def map2_(self: Tensor, x: Tensor, y: Tensor, callable: Any) -> Tensor:
    """Replaces each element by `callable(element, x's, y's)`; slow."""
    lists = [ops.reshape(ops.expand(t, self.shape), (-1,)).tolist() for t in (self, x, y)]
    values = [callable(*v) for v in zip(*lists)]
    return self.copy_(ops.reshape(_creation.from_data(values, self.dtype), self.shape))


# ---- settings ----
def get_default_device() -> device:
    return CPU


def set_default_device(device: Any) -> None:
    """There is one device. RuntimeError or NotImplementedError for any other."""
    if device is not None:
        check_device(device)


def set_default_tensor_type(t: Any) -> None:
    """The dtype of Python floats, by a tensor type or its name. TypeError for types that are not floating."""
    if isinstance(t, str):
        import pywasmtorch

        t = getattr(pywasmtorch, t.rpartition(".")[2], None)
    if getattr(t, "is_cuda", False) is True:
        raise TypeError(f"type torch.cuda.{t.__name__} not available. Torch not compiled with CUDA enabled.")
    kind = getattr(t, "dtype", None)
    if not isinstance(kind, _dtype.dtype) or not kind.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    _creation.set_default_dtype(kind)


def get_num_interop_threads() -> int:
    return 1


def set_num_interop_threads(num: int) -> None:
    """Nothing to switch: operators run one after the other."""
    if not is_int(num) or num < 1:
        raise RuntimeError("set_num_interop_threads expects a positive integer")


def set_flush_denormal(mode: bool) -> bool:
    """False: WebAssembly keeps denormal numbers."""
    return False


# ---- numbers that may be symbolic in PyTorch ----
def sym_int(a: Any) -> int:
    return math.floor(a) if a >= 0 else math.ceil(a)


def sym_float(a: Any) -> float:
    return float(a)


def sym_not(a: Any) -> bool:
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The larger number; a float where one of them is a float."""
    return float(max(a, b)) if isinstance(a, float) or isinstance(b, float) else max(a, b)


def sym_min(a: Any, b: Any) -> Any:
    """The smaller number; a float where one of them is a float."""
    return float(min(a, b)) if isinstance(a, float) or isinstance(b, float) else min(a, b)


def sym_sum(args: Any) -> Any:
    return sum(args)


def sym_sqrt(a: Any) -> float:
    return math.sqrt(a)


def sym_ite(b: bool, t: Any, f: Any) -> Any:
    if not isinstance(b, bool) or type(t) is not type(f) or not is_number(t):
        raise AssertionError("sym_ite() takes a bool and two numbers of one type")
    return t if b else f


# ---- operators that take one number, but not two ----
def one_tensor(name: str) -> Any:
    function = ops.FUNCTIONS[name]
    numbers = (bool, int, float, complex)

    @functools.wraps(function)
    def checked(*arguments: Any, **names: Any) -> Any:
        if len(arguments) > 1 and isinstance(arguments[0], numbers) and isinstance(arguments[1], numbers):
            got = ", ".join(map(type_name, arguments))
            raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected a Tensor among them")
        return function(*arguments, **names)

    checked.__name__ = checked.__qualname__ = name
    return checked


ONE_TENSOR = ("bitwise_and", "bitwise_left_shift", "bitwise_or", "bitwise_right_shift", "bitwise_xor", "pow", "remainder", "xlogy")

def addbmm_(self: Tensor, batch1: Tensor, batch2: Tensor, *older: Any, beta: Any = 1, alpha: Any = 1) -> Tensor:
    """addbmm in place; as in torch the one of its kin that resizes a tensor that broadcasts to the result."""
    plain = ops.METHODS["addbmm_"]
    if older or not isinstance(batch1, Tensor) or not isinstance(batch2, Tensor):
        return plain(self, batch1, batch2, *older, beta=beta, alpha=alpha)
    if self.shape == (*batch1.shape[1:2], *batch2.shape[2:]) or self.requires_grad or batch1.requires_grad or batch2.requires_grad:
        return plain(self, batch1, batch2, beta=beta, alpha=alpha)
    result = ops.addbmm(self, batch1, batch2, beta=beta, alpha=alpha)
    ops._resize(self, result.shape)
    return ops.copy__(self, result)


FUNCTIONS = [
    *map(one_tensor, ONE_TENSOR),
    as_strided_, frobenius_norm, get_default_device, get_device, get_num_interop_threads, is_distributed,
    is_inference, is_signed, set_default_device, set_default_tensor_type, set_flush_denormal, set_num_interop_threads, spmm, sym_float, sym_int,
    sym_ite, sym_max, sym_min, sym_not, sym_sqrt, sym_sum, to_dlpack,
]
METHODS = {
    "addbmm_": addbmm_,
    "as_subclass": as_subclass, "const_data_ptr": Tensor.data_ptr, "dim_order": dim_order, "is_distributed": is_distributed, "is_set_to": is_set_to, "map2_": map2_,
    "narrow_copy": narrow_copy, "__reversed__": reversed_, "__long__": Tensor.__int__, "__nonzero__": Tensor.__bool__, "__div__": Tensor.__truediv__,
    "__idiv__": Tensor.__itruediv__,
}
for _name, _method in METHODS.items():
    setattr(Tensor, _name, tensors_checked(_method) if not _name.startswith("__") else _method)
for _name in ("is_ipu", "is_maia", "is_mtia", "is_nested", "is_vulkan", "is_xla", "is_xpu"):
    setattr(Tensor, _name, property(lambda self: False))
