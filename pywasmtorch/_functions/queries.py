"""is_tensor, is_floating_point, numel, result_type, can_cast and other queries of tensors and dtypes."""

from __future__ import annotations

from typing import Any

from .._core.arguments import type_name
from .._core.checks import tensor_first, tensors_checked
from .._core.dtype import dtype
from .._core.generated import ops
from .._core.tensor_type import Tensor


def is_tensor(obj: Any) -> bool:
    return isinstance(obj, Tensor)


def is_storage(obj: Any) -> bool:
    return False


def is_floating_point(input: Tensor) -> bool:
    return input.dtype.is_floating_point


def is_complex(input: Tensor) -> bool:
    return input.dtype.is_complex


@tensor_first
def is_nonzero(input: Tensor) -> bool:
    return bool(input)


@tensors_checked
def is_same_size(input: Tensor, other: Tensor) -> bool:
    return input.is_same_size(other)


def numel(input: Tensor) -> int:
    return input.numel()


@tensor_first
def is_conj(input: Tensor) -> bool:
    """False: conj() computes at once here."""
    return False


@tensor_first
def is_neg(input: Tensor) -> bool:
    """False: no view here negates lazily."""
    return False


@tensor_first
def resolve_conj(input: Tensor) -> Tensor:
    """The tensor itself: conj() computes at once here."""
    return input


@tensor_first
def resolve_neg(input: Tensor) -> Tensor:
    """The tensor itself: no view here negates lazily."""
    return input


def result_type(*operands: Any, **names: Any) -> dtype:
    """The dtype that arithmetic on these two gives; tensors or numbers: (tensor, other), (scalar, tensor) or (scalar1, scalar2)."""
    for first, second in (("tensor", "other"), ("scalar", "tensor"), ("scalar1", "scalar2")):
        given = dict(zip((first, second), operands))
        if len(operands) + len(names) == 2 and {*given, *names} == {first, second}:
            given.update(names)
            if isinstance(given[first], Tensor) == (first == "tensor") or not names:
                return ops._result_type(given[first], given[second])
    got = ", ".join([type_name(v) for v in operands] + [f"{k}={type_name(v)}" for k, v in names.items()])
    raise TypeError(f"result_type() received an invalid combination of arguments - got ({got}), but expected one of:\n * (Tensor tensor, Tensor other)\n"
                    " * (Number scalar, Tensor tensor)\n * (Tensor tensor, Number other)\n * (Number scalar1, Number scalar2)\n")


def promote_types(type1: dtype, type2: dtype) -> dtype:
    return ops._promote_types(type1, type2)


def can_cast(from_: dtype, to: dtype) -> bool:
    return ops._can_cast(from_, to)


def get_device(input: Tensor) -> int:
    """-1: the number of a CPU."""
    return input.get_device()


def is_signed(input: Tensor) -> bool:
    return input.dtype.is_signed


def is_inference(input: Tensor) -> bool:
    return input.is_inference()


def is_distributed(input: Tensor) -> bool:
    return False


def dim_order(self: Tensor, *, ambiguity_check: Any = False) -> tuple[int, ...]:
    """The dimensions from the outermost in memory to the innermost."""
    strides = self.stride()
    return tuple(sorted(range(len(strides)), key=lambda d: (-strides[d], d)))


def is_set_to(self: Tensor, tensor: Tensor) -> bool:
    """Whether both look at the same storage in the same way."""
    same = self.shape == tensor.shape and self.stride() == tensor.stride() and self.storage_offset() == tensor.storage_offset()
    return same and ops._storage_identity(self) == ops._storage_identity(tensor)


FUNCTIONS = [*map(tensors_checked, (
    can_cast, get_device, is_complex, is_conj, is_distributed, is_floating_point, is_inference, is_neg, is_nonzero, is_same_size, is_signed, is_storage, is_tensor, numel,
    promote_types, resolve_conj, resolve_neg, result_type,
))]
METHODS = {f.__name__: tensors_checked(f) for f in (dim_order, is_conj, is_distributed, is_neg, is_nonzero, is_set_to, resolve_conj, resolve_neg)}
METHODS["const_data_ptr"] = tensors_checked(Tensor.data_ptr)
