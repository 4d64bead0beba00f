"""assert_close: compares numbers, tensors, arrays, sequences and mappings."""

from __future__ import annotations

import cmath
import contextlib
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .. import from_numpy
from .._core import dtype as _dtype
from .._core.dtype import bfloat16, complex64, complex128, float16, float32, float64
from .._tensor import Tensor
from ..autograd.grad_mode import no_grad

#: (relative, absolute) tolerances; those of complex numbers are those of their parts
TOLERANCES = {
    float16: (1e-3, 1e-5), bfloat16: (1.6e-2, 1e-5), float32: (1.3e-6, 1e-5), float64: (1e-7, 1e-7), complex64: (1.3e-6, 1e-5), complex128: (1e-7, 1e-7),
}
NUMBERS = {bool: _dtype.bool_, int: _dtype.int64, float: float64, complex: complex128}


class _Options:
    def __init__(self, given: tuple[Any, Any], equal_nan: bool, checks: dict[str, bool], allow_subclasses: bool) -> None:
        self.given, self.equal_nan, self.checks, self.allow_subclasses = given, equal_nan, checks, allow_subclasses

    def tolerances(self, *dtypes: Any) -> tuple[float, float]:
        if self.given[0] is not None:
            return self.given
        defaults = [TOLERANCES.get(d, (0.0, 0.0)) for d in dtypes]
        return max(d[0] for d in defaults), max(d[1] for d in defaults)


def assert_close(
    actual: Any, expected: Any, *, allow_subclasses: bool = True, rtol: float | None = None, atol: float | None = None, equal_nan: bool = False,
    check_device: bool = True, check_dtype: bool = True, check_layout: bool = True, check_stride: bool = False, msg: str | Callable[[str], str] | None = None,
) -> None:
    """AssertionError unless |actual - expected| <= atol + rtol |expected| everywhere, and shapes, dtypes and, on request, strides are equal.

    Without tolerances those of the dtypes hold; integers and Booleans must be equal. Sequences and mappings are compared element by element;
    the message names the element. ValueError for one tolerance of two, TypeError for what cannot be compared."""
    if (rtol is None) != (atol is None):
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {'rtol' if rtol is None else 'atol'}.")
    options = _Options((rtol, atol), equal_nan, {"device": check_device, "dtype": check_dtype, "stride()": check_stride}, allow_subclasses)
    with no_grad():
        pairs = list(_pairs(actual, expected, options, ()))
        for left, right, compare, path in pairs:
            text = compare(left, right, options)
            if text is None:
                continue
            if path:
                text += "\n\nThe failure occurred for item " + "".join(f"[{key!r}]" for key in path)
            raise AssertionError(msg(text) if callable(msg) else msg or text)


def _pairs(actual: Any, expected: Any, options: _Options, path: tuple[Any, ...]) -> Any:
    """(actual, expected, how they are compared, keys) of everything that is no container."""
    place = "\n\nThe failure occurred for item " + "".join(f"[{key!r}]" for key in path) if path else ""
    containers = [isinstance(v, Sequence) and not isinstance(v, (str, bytes)) for v in (actual, expected)]
    if all(containers):
        if len(actual) != len(expected):
            raise AssertionError(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}{place}")
        for index, (left, right) in enumerate(zip(actual, expected)):
            yield from _pairs(left, right, options, (*path, index))
        return
    if isinstance(actual, Mapping) and isinstance(expected, Mapping):
        if set(actual) != set(expected):
            lines = [f"Missing keys in the actual mapping: {_sorted(set(expected) - set(actual))}"] if set(expected) - set(actual) else []
            lines += [f"Additional keys in the actual mapping: {_sorted(set(actual) - set(expected))}"] if set(actual) - set(expected) else []
            raise AssertionError("\n".join(["The keys of the mappings do not match:", *lines]) + place)
        for key in _sorted(expected):
            yield from _pairs(actual[key], expected[key], options, (*path, key))
        return
    yield (*_leaves(actual, expected, options, place), path)


def _sorted(keys: Any) -> list[Any]:
    with contextlib.suppress(TypeError):
        return sorted(keys)
    return list(keys)


def _leaves(actual: Any, expected: Any, options: _Options, place: str) -> tuple[Any, Any, Callable[..., str | None]]:
    if actual is None or expected is None:
        return actual, expected, lambda a, e, _: None if a is e else f"None mismatch: {a} is not {e}"
    numpy = sys.modules.get("numpy")
    kinds = (bool, numpy.bool_) if numpy else (bool,)
    if isinstance(actual, kinds) and isinstance(expected, kinds):
        return bool(actual), bool(expected), lambda a, e, _: None if a is e else f"Booleans mismatch: {a} is not {e}"
    number_types = (int, float, complex, numpy.number) if numpy else (int, float, complex)
    if isinstance(actual, number_types) and isinstance(expected, number_types):
        left, right = (v.item() if numpy and isinstance(v, numpy.number) else v for v in (actual, expected))
        return left, right, _compare_numbers
    if isinstance(actual, Tensor) and isinstance(expected, Tensor) and (options.allow_subclasses or type(actual) is type(expected)):
        return actual, expected, _compare_tensors
    if numpy and isinstance(actual, numpy.ndarray) and isinstance(expected, numpy.ndarray):
        return from_numpy(actual), from_numpy(expected), _compare_tensors
    raise TypeError(f"No comparison pair was able to handle inputs of type {type(actual)} and {type(expected)}.{place}")


def _compare_numbers(actual: Any, expected: Any, options: _Options) -> str | None:
    if options.checks["dtype"] and type(actual) is not type(expected):
        return f"The (d)types do not match: {type(actual)} != {type(expected)}."
    rtol, atol = options.tolerances(NUMBERS[type(actual)], NUMBERS[type(expected)])
    both_nan = cmath.isnan(actual) and cmath.isnan(expected)
    if actual == expected or both_nan and options.equal_nan:
        return None
    absolute = abs(actual - expected)
    if cmath.isfinite(actual) and cmath.isfinite(expected) and absolute <= atol + rtol * abs(expected):
        return None
    relative = absolute / abs(expected) if expected else float("inf")
    return _number_text(actual, expected, absolute, relative, rtol, atol)


def _number_text(actual: Any, expected: Any, absolute: Any, relative: Any, rtol: float, atol: float) -> str:
    equality = rtol == 0 and atol == 0
    limits = ("", "") if equality else (f" (up to {atol} allowed)", f" (up to {rtol} allowed)")
    return (
        f"Scalars are not {'equal' if equality else 'close'}!\n\nExpected {expected} but got {actual}.\n"
        f"Absolute difference: {absolute}{limits[0]}\nRelative difference: {relative}{limits[1]}"
    )


def _compare_tensors(actual: Tensor, expected: Tensor, options: _Options) -> str | None:
    for name, values in {
        "shape": (actual.shape, expected.shape), "device": (actual.device, expected.device), "dtype": (actual.dtype, expected.dtype),
        "stride()": (actual.stride(), expected.stride()),
    }.items():
        if options.checks.get(name, True) and values[0] != values[1]:
            return f"The values for attribute '{name}' do not match: {_named(values[0])} != {_named(values[1])}."
    if actual.is_meta or expected.is_meta:  # which have no values to compare
        return None
    rtol, atol = options.tolerances(actual.dtype, expected.dtype)
    if actual.dtype != expected.dtype:
        common = _common(actual, expected)
        actual, expected = actual.to(common), expected.to(common)
    close = actual.isclose(expected, rtol=rtol, atol=atol, equal_nan=options.equal_nan)
    if bool(close.all()):
        return None
    exact = not (actual.is_floating_point() or actual.is_complex())
    if exact:
        actual, expected = actual.to(_dtype.int64), expected.to(_dtype.int64)
    absolute = (actual - expected).abs()
    relative = absolute / expected.abs()
    if actual.ndim == 0:
        return _number_text(*(t.item() for t in (actual, expected, absolute, relative)), rtol, atol)
    relative = relative.masked_fill(close, 0)
    absolute = absolute.masked_fill(close, 0)
    wrong, total = int((~close).sum()), close.numel()
    equality = rtol == 0 and atol == 0
    lines = [f"Tensor-likes are not {'equal' if equality else 'close'}!\n", f"Mismatched elements: {wrong} / {total} ({wrong / total:.1%})"]
    for name, differences, limit in (("absolute", absolute, atol), ("relative", relative, rtol)):
        flat = int(differences.argmax())
        text = f"Greatest {name} difference: {differences.reshape(-1)[flat].item()} at index {_place(flat, actual.shape)}"
        lines.append(text if equality else f"{text} (up to {limit} allowed)")
    return "\n".join(lines)


def _named(value: Any) -> str:
    return str(value)


def _common(a: Tensor, b: Tensor) -> Any:
    from .. import promote_types

    return promote_types(a.dtype, b.dtype)


def _place(flat: int, shape: Any) -> tuple[int, ...]:
    place: tuple[int, ...] = ()
    for size in reversed(shape):
        place, flat = (flat % size, *place), flat // size
    return place


def assert_allclose(actual: Any, expected: Any, rtol: float | None = None, atol: float | None = None, equal_nan: bool = True, msg: str = "") -> None:
    """The older name: dtypes may differ, NaN equals NaN, and what is no tensor is made one."""
    from .. import as_tensor

    left, right = (v if isinstance(v, Tensor) else as_tensor(v) for v in (actual, expected))
    assert_close(left, right, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False, check_stride=False, msg=msg or None)
