"""Array API: result_type and isdtype. Dtypes alone decide, never the number of dimensions."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

Tensor, dtype = torch.Tensor, torch.dtype
Scalar = (bool, int, float, complex)
KINDS = {
    "bool": (torch.bool,),
    "signed integer": (torch.int8, torch.int16, torch.int32, torch.int64),
    "unsigned integer": (torch.uint8,),
    "integral": (torch.int8, torch.int16, torch.int32, torch.int64, torch.uint8),
    "real floating": (torch.float32, torch.float64),
    "complex floating": (torch.complex64, torch.complex128),
}
KINDS["numeric"] = KINDS["integral"] + KINDS["real floating"] + KINDS["complex floating"]


def isdtype(dtype: dtype, kind: Any) -> bool:
    """Whether a dtype is `kind`: a dtype, the name of a kind, or one of a tuple of these."""
    if isinstance(kind, tuple):
        return any(isdtype(dtype, k) for k in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"unrecognized data type kind: {kind!r}")
        return dtype in KINDS[kind]
    if not isinstance(kind, torch.dtype):
        raise TypeError(f"'kind' must be a dtype, str, or tuple of dtypes and strs, not {type(kind).__name__}")
    return dtype is kind


def with_scalar(kind: dtype, value: Any) -> dtype:
    """The dtype of an array of dtype `kind` together with a Python number."""
    if isinstance(value, complex) and not kind.is_complex:
        return (kind if kind.is_floating_point else torch.get_default_dtype()).to_complex()
    if isinstance(value, float) and not (kind.is_floating_point or kind.is_complex):
        return torch.get_default_dtype()
    if isinstance(value, int) and not isinstance(value, bool) and kind is torch.bool:
        return torch.int64
    return kind


def result_type(*arrays_and_dtypes: Any) -> dtype:
    """The dtype of a result of these arrays, dtypes and Python numbers, at least one of them no number. ValueError where there is none."""
    kinds = [a.dtype if isinstance(a, Tensor) else a for a in arrays_and_dtypes if not isinstance(a, Scalar)]
    if not kinds:
        raise ValueError("at least one array or dtype is required")
    for kind in kinds:
        if not isinstance(kind, torch.dtype):
            raise TypeError(f"result_type() takes arrays, dtypes and numbers, not {type(kind).__name__}")
    result = kinds[0]
    for kind in kinds[1:]:
        result = torch.promote_types(result, kind)
    for value in arrays_and_dtypes:
        if isinstance(value, Scalar):
            result = with_scalar(result, value)
    return result


def array(x: Any) -> Tensor:
    if not isinstance(x, Tensor):
        raise TypeError(f"an array is needed, not {type(x).__name__}")
    return x


def common(*values: Any) -> tuple[Tensor, ...]:
    """Arrays and numbers as arrays of one dtype."""
    kind = result_type(*values)
    return tuple(v if isinstance(v, Tensor) and v.dtype is kind else v.to(kind) if isinstance(v, Tensor) else torch.full((), v, dtype=kind) for v in values)
