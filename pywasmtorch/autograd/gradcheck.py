"""gradcheck and gradgradcheck: gradients against finite differences."""

from __future__ import annotations

import itertools
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from .._core.dtype import complex128, float64
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._functions import creation
from . import _passes
from .function import Function

__all__ = ["GradcheckError", "gradcheck", "gradgradcheck"]

Matrix = list[list[Any]]  # rows: elements of an input; columns: elements of an output


class GradcheckError(RuntimeError):
    """A gradient that is wrong; :func:`gradcheck` and :func:`gradgradcheck` raise it."""


def _differentiable(outputs: Any) -> list[Tensor]:
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    return [o for o in outputs if isinstance(o, Tensor) and o.requires_grad]


def _places(tensor: Tensor) -> Iterator[tuple[int, ...]]:
    return itertools.product(*map(range, tensor.shape))


def _flat(tensor: Tensor) -> list[Any]:
    return tensor.detach().reshape(-1).tolist()


# ---- the two Jacobians ----
def _finite_difference(function: Callable[..., Any], inputs: tuple[Any, ...], data: Tensor, place: tuple[int, ...], step: complex,
                       eps: float) -> list[list[Any]]:
    """The change of all outputs for a step of one element to both sides, divided by the distance."""
    value = data[place].item()
    sides = []
    for sign in (1, -1):
        data[place] = value + sign * step
        sides.append([_flat(o) for o in _differentiable(function(*inputs))])
    data[place] = value
    return [[(b - a) / (2 * eps) for a, b in zip(low, high)] for high, low in zip(*sides)]


def _numerical(function: Callable[..., Any], inputs: tuple[Any, ...], tensor: Tensor, eps: float) -> list[Matrix]:
    """For each output the Jacobian with respect to one input: d/d(real) + i d/d(imaginary) where that is complex."""
    data = tensor.data
    rows: list[list[list[Any]]] = []
    for place in _places(tensor):
        columns = _finite_difference(function, inputs, data, place, eps, eps)
        if tensor.is_complex():
            imaginary = _finite_difference(function, inputs, data, place, eps * 1j, eps)
            columns = [[a + 1j * b for a, b in zip(x, y)] for x, y in zip(columns, imaginary)]
        rows.append(columns)
    count = len(_differentiable(function(*inputs)))
    return [[row[k] for row in rows] for k in range(count)]


def _analytical(output: Tensor, inputs: Sequence[Tensor], scale: float = 1) -> tuple[list[Matrix], list[Tensor | None]]:
    """The Jacobian of one output with respect to each input, a backward pass for each element; and the last gradients."""
    columns: list[list[list[Any]]] = [[] for _ in inputs]
    grads: Sequence[Tensor | None] = [None] * len(inputs)
    for place in _places(output):
        seed = creation.zeros(output.shape, dtype=output.dtype)
        seed[place] = scale
        grads = _passes.grad(output, inputs, seed, retain_graph=True, allow_unused=True)
        for column, tensor, grad in zip(columns, inputs, grads):
            if grad is not None and grad.shape != tensor.shape:
                raise GradcheckError(f"Analytical gradient has incorrect size: {tuple(grad.shape)} for {tuple(tensor.shape)}")
            column.append([0.0] * tensor.numel() if grad is None else _flat(grad))
    return [[list(row) for row in zip(*column)] if column else [[] for _ in range(tensor.numel())]
            for column, tensor in zip(columns, inputs)], list(grads)


def _close(a: Matrix, b: Matrix, rtol: float, atol: float) -> bool:
    """|a - b| <= atol + rtol * |b| everywhere; NaN is close to nothing."""
    pairs = ((x, y) for row_a, row_b in zip(a, b) for x, y in zip(row_a, row_b))
    return all(x == y or abs(x - y) <= atol + rtol * abs(y) for x, y in pairs)


# ---- the checks ----
def _parts(function: Callable[..., Any], outputs: list[Tensor]) -> list[tuple[str, Callable[..., Any]]]:
    """The function, or for complex outputs its real and its imaginary part."""
    if not any(o.is_complex() for o in outputs):
        return [("", function)]

    def part(take: str) -> Callable[..., Any]:
        return lambda *inputs: [getattr(ops, take)(o) if o.is_complex() else o for o in _differentiable(function(*inputs))]

    return [(f"While considering the {name} part of complex outputs only, ", part(take))
            for name, take in (("real", "real"), ("imaginary", "imag"))]


def _check_inputs(inputs: tuple[Any, ...]) -> list[tuple[int, Tensor]]:
    wanted = [(i, t) for i, t in enumerate(inputs) if isinstance(t, Tensor) and t.requires_grad]
    if not wanted:
        raise ValueError("gradcheck expects at least one input tensor to require gradient, but none of the them have "
                         "requires_grad=True.")
    for i, tensor in wanted:
        if tensor.dtype not in (float64, complex128):
            warnings.warn(f"Input #{i} requires gradient and is not a double precision floating point or complex. This check will "
                          "likely fail if all the inputs are not of double precision floating point or complex. ", stacklevel=4)
        if any(stride == 0 and size > 1 for stride, size in zip(tensor.stride(), tensor.shape)):
            raise RuntimeError(f"The {i}th input has a dimension with stride 0. gradcheck only supports inputs that are "
                               "non-overlapping to be able to compute the numerical gradients correctly. You should call "
                               ".contiguous on the input before passing it to gradcheck.")
    return wanted


def _text(matrix: Matrix) -> Any:
    return creation.tensor(matrix, dtype=None if any(isinstance(v, complex) for row in matrix for v in row) else float64)


def _check_no_outputs(function: Callable[..., Any], inputs: tuple[Any, ...], wanted: list[tuple[int, Tensor]], eps: float) -> None:
    """A function whose outputs do not require grad must be constant."""
    outputs = function(*inputs)
    outputs = (outputs,) if isinstance(outputs, Tensor) else tuple(outputs)
    for _, tensor in wanted:
        data = tensor.data
        for place in _places(tensor):
            value = data[place].item()
            values = []
            for step in (eps, -eps):
                data[place] = value + step
                result = function(*inputs)
                result = (result,) if isinstance(result, Tensor) else tuple(result)
                values.append([_flat(o) for o in result if isinstance(o, Tensor)])
            data[place] = value
            if values[0] != values[1]:
                raise GradcheckError("Numerical gradient for function expected to be zero")


def _check_jacobians(function: Callable[..., Any], prefix: str, inputs: tuple[Any, ...], wanted: list[tuple[int, Tensor]],
                     eps: float, atol: float, rtol: float, nondet_tol: float, check_grad_dtypes: bool) -> None:
    tensors = [t for _, t in wanted]
    outputs = _differentiable(function(*inputs))
    numerical = [_numerical(function, inputs, t, eps) for t in tensors]
    for k, output in enumerate(outputs):
        analytical, grads = _analytical(output, tensors)
        again, _ = _analytical(output, tensors)
        for j, ((position, tensor), grad) in enumerate(zip(wanted, grads)):
            if check_grad_dtypes and grad is not None and grad.dtype != tensor.dtype:
                raise GradcheckError(f"Gradient has dtype {grad.dtype}, its input {tensor.dtype}")
            if not _close(analytical[j], numerical[j][k], rtol, atol):
                raise GradcheckError(f"{prefix}Jacobian mismatch for output {k} with respect to input {position},\n"
                                     f"numerical:{_text(numerical[j][k])}\nanalytical:{_text(analytical[j])}\n")
            if not _close(analytical[j], again[j], 0, nondet_tol):
                raise GradcheckError("Backward is not reentrant, i.e., running backward with same input and grad_output multiple "
                                     "times gives different values, although analytical gradient matches numerical gradient. The "
                                     f"tolerance for nondeterminism was {nondet_tol}.")


def _check_zero_gradient(function: Callable[..., Any], inputs: tuple[Any, ...], tensors: list[Tensor]) -> None:
    """Gradients are linear in what arrives."""
    outputs = _differentiable(function(*inputs))
    zeros = [creation.zeros_like(o) for o in outputs]
    grads = _passes.grad(outputs, tensors, zeros, allow_unused=True)
    if any(grad is not None and any(v != 0 for v in _flat(grad)) for grad in grads):
        raise GradcheckError("backward not multiplied by grad_output")


class _Undefined(Function):
    """The identity, whose gradient is missing."""

    @staticmethod
    def forward(ctx: Any, *tensors: Tensor) -> Any:
        return tuple([t.view_as(t) for t in tensors])  # type: ignore[attr-defined]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> Any:
        return (None,) * len(grads)


def _check_undefined(function: Callable[..., Any], inputs: tuple[Any, ...], tensors: list[Tensor]) -> None:
    """Gradients that do not arrive count as zeros: alone, and all together."""
    count = len(_differentiable(function(*inputs)))
    choices = [set(range(count))] + ([{k} for k in range(count)] if count > 1 else [])
    for missing in choices:
        outputs = _differentiable(function(*inputs))
        passed = [_Undefined.apply(o)[0] if k in missing else o for k, o in enumerate(outputs)]
        zeros = [creation.zeros_like(o) for o in passed]
        try:
            grads = _passes.grad(passed, tensors, zeros, allow_unused=True)
        except RuntimeError as error:
            raise GradcheckError("Expected backward function to handle undefined output grads. Please look at 'Notes about undefined "
                                 "output gradients' in 'tools/autograd/derivatives.yaml'") from error
        if any(grad is not None and any(v != 0 for v in _flat(grad)) for grad in grads):
            raise GradcheckError("Expected all input grads to be undefined or zero when all output grads are undefined or zero.")


def _refuse(**asked: bool) -> None:
    for name, value in asked.items():
        if value:
            raise NotImplementedError(f"pywasmtorch's gradcheck has no {name}: there is no forward mode and no vmap")


def gradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False,
    check_backward_ad: bool = True,
    fast_mode: bool = False,
    masked: bool | None = None,
) -> bool:
    """Checks the gradients of a function against central differences.

    Args:
        func: takes ``inputs`` and returns a tensor or several.
        inputs: the arguments; those that require grad are checked, and should be float64 or complex128.
        eps: the step of the finite differences.
        atol, rtol: a gradient g may differ from the difference d by ``atol + rtol * |d|``.
        raise_exception: False returns False instead of raising.
        nondet_tol: by how much two passes over the same values may differ.
        check_undefined_grad: also checks that gradients that do not arrive count as zeros.
        check_grad_dtypes: also checks that gradients have their input's dtype.
        fast_mode: accepted; the whole Jacobian is compared either way.

    Returns True. GradcheckError names the first output and input that differ, with both Jacobians. ValueError where no input
    requires grad.
    """
    _refuse(check_batched_grad=check_batched_grad, check_batched_forward_grad=check_batched_forward_grad,
            check_forward_ad=check_forward_ad)
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    try:
        wanted = _check_inputs(arguments)
        outputs = _differentiable(func(*arguments))
        if not outputs:
            _check_no_outputs(func, arguments, wanted, eps)
        elif check_backward_ad:
            tensors = [t for _, t in wanted]
            for prefix, function in _parts(func, outputs):
                _check_jacobians(function, prefix, arguments, wanted, eps, atol, rtol, nondet_tol, check_grad_dtypes)
            _check_zero_gradient(func, arguments, tensors)
            if check_undefined_grad:
                _check_undefined(func, arguments, tensors)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _arbitrary_like(tensor: Tensor, contiguous: bool) -> Tensor:
    """Fixed values between -1 and 1 in no pattern; the caller's random generator stays as it is."""
    values = [math.cos(1.7 * i * i + 0.3 * i + 0.4) for i in range(tensor.numel())]
    result = creation.tensor(values, dtype=float64).to(tensor.dtype).reshape(tensor.shape)
    if not contiguous and tensor.ndim:
        result = ops.stack([result, creation.zeros_like(result)], -1)[..., 0]
    return result.detach().requires_grad_()


def gradgradcheck(
    func: Callable[..., Any],
    inputs: Tensor | Sequence[Any],
    grad_outputs: Tensor | Sequence[Tensor] | None = None,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
    check_undefined_grad: bool = True,
    check_grad_dtypes: bool = False,
    check_batched_grad: bool = False,
    check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True,
    fast_mode: bool = False,
    masked: bool = False,
) -> bool:
    """Checks second derivatives: :func:`gradcheck` of the function that computes the gradients of ``func``.

    Args:
        grad_outputs: the gradients that arrive at the outputs. Default: arbitrary values.
        gen_non_contig_grad_outputs: makes those non-contiguous.

    The other arguments are those of :func:`gradcheck`.
    """
    _refuse(check_batched_grad=check_batched_grad, check_fwd_over_rev=check_fwd_over_rev)
    arguments = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    if grad_outputs is None:
        outputs = _differentiable(func(*arguments))
        seeds = tuple([_arbitrary_like(o, not gen_non_contig_grad_outputs) for o in outputs])
    else:
        seeds = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)

    def gradients(*both: Any) -> tuple[Tensor, ...]:
        arguments, seeds = both[: -count or None], both[len(both) - count :]
        outputs = _differentiable(func(*arguments))
        wanted = [a for a in arguments if isinstance(a, Tensor) and a.requires_grad]
        grads = _passes.grad(outputs, wanted, seeds, create_graph=True, allow_unused=True)
        return tuple([g for g in grads if g is not None])

    count = len(seeds)
    return gradcheck(gradients, arguments + seeds, eps=eps, atol=atol, rtol=rtol, raise_exception=raise_exception,
                     nondet_tol=nondet_tol, check_undefined_grad=check_undefined_grad, check_grad_dtypes=check_grad_dtypes)
