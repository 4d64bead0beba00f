"""vjp, jvp, vhp, hvp, jacobian, hessian, computed by backward passes.

Products J v use the double backward trick: J^T u is linear in u, and its derivative with respect to u times v is J v.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .._core.generated import ops
from .._core.tensor_type import Tensor
from .._functions.creation import ones_like, zeros, zeros_like
from . import _passes
from .grad_mode import enable_grad

__all__ = ["hessian", "hvp", "jacobian", "jvp", "vhp", "vjp"]

Tensors = Any  # a tensor or a tuple of tensors


def _grad(outputs: Any, inputs: Any, grad_outputs: Any = None, create_graph: bool = False, retain_graph: bool = True) -> list[Any]:
    """Gradients of those outputs that have a history; None for everything else."""
    pairs = [(o, g) for o, g in zip(outputs, grad_outputs or [None] * len(outputs)) if o is not None and o.requires_grad]
    if not pairs:
        return [None] * len(inputs)
    roots, seeds = zip(*pairs)
    return list(_passes.grad(roots, inputs, seeds, create_graph=create_graph, retain_graph=retain_graph or create_graph, allow_unused=True))


def _as_tuple(value: Tensors, what: str, function: str) -> tuple[tuple[Tensor, ...], bool]:
    was_tuple = isinstance(value, tuple)
    tensors = value if was_tuple else (value,)
    for i, tensor in enumerate(tensors):
        if not isinstance(tensor, Tensor):
            if was_tuple:
                raise TypeError(f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the value at index "
                                f"{i} has type {type(tensor)}.")
            raise TypeError(f"The {what} given to {function} must be either a Tensor or a tuple of Tensors but the given {what} has "
                            f"type {type(tensor)}.")
    return tensors, was_tuple


def _leaves(inputs: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    """Fresh inputs: with their history where the result is to be differentiated, else without."""
    if create_graph:
        return tuple([i.view_as(i) if i.requires_grad else i.detach().requires_grad_() for i in inputs])  # type: ignore[attr-defined]
    return tuple([i.detach().requires_grad_() for i in inputs])


INDEPENDENT = {  # what strict mode says of a gradient that did not arrive
    "output": "The output of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "jvp": "The gradient with respect to the input is independent of entry {} in the grad_outputs when using the double backward trick to compute "
           "forward mode gradients. This is not allowed in strict mode.",
    "jacobian": "The jacobian of the user-provided function is independent of input {}. This is not allowed in strict mode.",
    "hvp": "The hessian of the user-provided function is independent of entry {} in the grad_jacobian. This is not allowed in strict mode as it "
           "prevents from using the double backward trick to replace forward mode AD.",
}
CONSTANT_JACOBIAN = (
    "While computing the hessian, found that the jacobian of the user-provided function with respect to input {} is independent of the input. This is "
    "not allowed in strict mode. You should ensure that your function is twice differentiable and that the jacobian depends on the inputs (this would "
    "be violated by a linear function for example)."
)


def _finish(tensors: Sequence[Any], like: Sequence[Tensor], create_graph: bool, strict: bool, what: str) -> tuple[Tensor, ...]:
    """Zeros where nothing arrived (an error with strict), and no history unless it was asked for."""
    results = []
    for i, (tensor, model) in enumerate(zip(tensors, like)):
        if tensor is None:
            if strict:
                raise RuntimeError(INDEPENDENT[what].format(i))
            tensor = zeros_like(model)
        elif strict and create_graph and not tensor.requires_grad:
            which = "jacobian" if what in ("output", "jvp") else "hessian"
            raise RuntimeError(f"The {which} of the user-provided function is independent of input {i}. This is not allowed in strict mode when "
                               "create_graph=True.")
        results.append(tensor if create_graph else tensor.detach())
    return tuple(results)


def _first(output: Tensor, arguments: tuple[Tensor, ...], strict: bool) -> tuple[Tensor, ...]:
    """The gradient of a function whose second derivatives are wanted; strict mode wants all of it to depend on the inputs."""
    grads = _grad((output,), arguments, create_graph=True)
    for i, grad in enumerate(grads):
        if strict and grad is None:
            raise RuntimeError(INDEPENDENT["output"].format(i))
        if strict and not grad.requires_grad:
            raise RuntimeError(CONSTANT_JACOBIAN.format(i))
    return tuple([zeros_like(a) if g is None else g for g, a in zip(grads, arguments)])


def _check_outputs(outputs: tuple[Tensor, ...], strict: bool) -> None:
    for i, output in enumerate(outputs):
        if strict and not output.requires_grad:
            raise RuntimeError(f"Output {i} of the user-provided function does not require gradients. The outputs must be computed in "
                               "a differentiable manner from the input when running in strict mode.")


def _check_vector(vector: tuple[Tensor, ...], like: tuple[Tensor, ...], is_tuple: bool) -> None:
    if len(vector) != len(like):
        if is_tuple:
            raise RuntimeError(f"v is a tuple of invalid length: should be {len(like)} but got {len(vector)}.")
        raise RuntimeError("The given v should contain a single Tensor.")
    for i, (v, model) in enumerate(zip(vector, like)):
        if v.shape != model.shape:
            where = f"Entry {i} in v" if is_tuple else "v"
            raise RuntimeError(f"{where} has invalid size: should be {model.shape} but got {v.shape}.")


def _vector_for(v: Tensors | None, like: tuple[Tensor, ...], is_tuple: bool, name: str, what: str) -> tuple[Tensor, ...]:
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(f"The vector v can only be None if {what}.")
        return (ones_like(like[0]),)
    vector, _ = _as_tuple(v, "v", name)
    _check_vector(vector, like, is_tuple)
    return tuple([x.detach() if not x.requires_grad else x for x in vector])


def _pack(tensors: Sequence[Any], is_tuple: bool) -> Any:
    return tuple(tensors) if is_tuple else tensors[0]


def _plain(outputs: tuple[Tensor, ...], create_graph: bool) -> tuple[Tensor, ...]:
    return outputs if create_graph else tuple([o.detach() for o in outputs])


def vjp(func: Callable[..., Tensors], inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Tensors, Tensors]:
    """Returns ``func(*inputs)`` and the product of the vector ``v`` with its Jacobian.

    Args:
        func: takes tensors, returns a tensor or a tuple.
        inputs: a tensor or a tuple.
        v: of the outputs' sizes; may be None for an output with one element.
        create_graph: the results can be differentiated.
        strict: an output that does not depend on an input is an error (RuntimeError) instead of zeros.
    """
    with enable_grad():
        arguments, in_tuple = _as_tuple(inputs, "inputs", "vjp")
        arguments = _leaves(arguments, create_graph)
        outputs, out_tuple = _as_tuple(func(*arguments), "outputs of the user-provided function", "vjp")
        _check_outputs(outputs, strict)
        vector = _vector_for(v, outputs, out_tuple, "vjp", "the user-provided function returns a single Tensor with a single element")
        grads = _grad(outputs, arguments, vector, create_graph=create_graph)
        products = _finish(grads, arguments, create_graph, strict, "output")
    return _pack(_plain(outputs, create_graph), out_tuple), _pack(products, in_tuple)


def jvp(func: Callable[..., Tensors], inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Tensors, Tensors]:
    """Returns ``func(*inputs)`` and the product of its Jacobian with the vector ``v``, which has the inputs' sizes.

    The arguments are those of :func:`vjp`; ``v`` may be None for an input with one element.
    """
    with enable_grad():
        arguments, in_tuple = _as_tuple(inputs, "inputs", "jvp")
        arguments = _leaves(arguments, create_graph)
        vector = _vector_for(v, arguments, in_tuple, "jvp", "the input to the user-provided function is a single Tensor with a single element")
        outputs, out_tuple = _as_tuple(func(*arguments), "outputs of the user-provided function", "jvp")
        _check_outputs(outputs, strict)
        seeds = tuple([zeros_like(o).requires_grad_() for o in outputs])
        backwards = _grad(outputs, arguments, seeds, create_graph=True)
        for i, backward in enumerate(backwards):
            if strict and backward is None:
                raise RuntimeError(INDEPENDENT["output"].format(i))
            if strict and not backward.requires_grad:
                raise RuntimeError(f"The gradient with respect to input {i} is independent of the inputs of the user-provided function. This is not "
                                   "allowed in strict mode.")
        grads = _grad(backwards, seeds, vector, create_graph=create_graph)
        products = _finish(grads, outputs, create_graph, strict, "jvp")
    return _pack(_plain(outputs, create_graph), out_tuple), _pack(products, out_tuple)


def _scalar(outputs: Tensors, name: str, strict: bool = False) -> Tensor:
    tensors, is_tuple = _as_tuple(outputs, "outputs of the user-provided function", name)
    _check_outputs(tensors, strict)
    if is_tuple or not isinstance(outputs, Tensor):
        raise RuntimeError(f"The function given to {name} should return a single Tensor")
    if tensors[0].numel() != 1:
        raise RuntimeError(f"The Tensor returned by the function given to {name} should contain a single element")
    return tensors[0]


def vhp(func: Callable[..., Tensor], inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Tensor, Tensors]:
    """Returns ``func(*inputs)``, a tensor with one element, and the product of ``v`` with its Hessian."""
    with enable_grad():
        arguments, in_tuple = _as_tuple(inputs, "inputs", "vhp")
        arguments = _leaves(arguments, create_graph)
        vector = _vector_for(v, arguments, in_tuple, "vhp", "the input to the user-provided function is a single Tensor with a single element")
        output = _scalar(func(*arguments), "vhp", strict)
        first = _first(output, arguments, strict)
        grads = _grad(first, arguments, vector, create_graph=create_graph)
        products = _finish(grads, arguments, create_graph, strict, "jacobian")
    return _plain((output,), create_graph)[0], _pack(products, in_tuple)


def hvp(func: Callable[..., Tensor], inputs: Tensors, v: Tensors | None = None, create_graph: bool = False, strict: bool = False) -> tuple[Tensor, Tensors]:
    """Returns ``func(*inputs)``, a tensor with one element, and the product of its Hessian with ``v``. As Hessians are
    symmetric, :func:`vhp` gives the same for less."""
    with enable_grad():
        arguments, in_tuple = _as_tuple(inputs, "inputs", "hvp")
        arguments = _leaves(arguments, create_graph)
        vector = _vector_for(v, arguments, in_tuple, "hvp", "the input to the user-provided function is a single Tensor with a single element")
        output = _scalar(func(*arguments), "hvp", strict)
        first = _first(output, arguments, strict)
        seeds = tuple([zeros_like(a).requires_grad_() for a in arguments])
        doubles = _grad(first, arguments, seeds, create_graph=True)
        grads = _grad(doubles, seeds, vector, create_graph=create_graph)
        products = _finish(grads, arguments, create_graph, strict, "hvp")
    return _plain((output,), create_graph)[0], _pack(products, in_tuple)


STRATEGIES = (
    'Expected strategy to be either "forward-mode" or "reverse-mode". Hint: If your function has more outputs than inputs, "forward-mode" tends to be '
    'more performant. Otherwise, prefer to use "reverse-mode".'
)


def _check_strategy(create_graph: bool, strict: bool, vectorize: bool, strategy: str) -> None:
    """torch's refusals, though every strategy is the same here."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(STRATEGIES)
    where = "torch.autograd.functional.jacobian:"
    if strategy == "forward-mode":
        if create_graph:
            raise NotImplementedError(f'{where} `create_graph=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
                                      '`create_graph=False` or `strategy="reverse-mode"`.')
        if strict:
            raise RuntimeError(f'{where} `strict=True` and `strategy="forward-mode"` are not supported together (yet). Please either set '
                               '`strict=False` or `strategy="reverse-mode"`.')
        if not vectorize:
            raise NotImplementedError("Computing Jacobian using forward-AD or forward-over-reverse Hessian is only implemented for `vectorize=True`.")


def jacobian(
    func: Callable[..., Tensors], inputs: Tensors, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    strategy: str = "reverse-mode",
) -> Any:
    """Returns the Jacobian of a function.

    Args:
        func: takes tensors, returns a tensor or a tuple.
        inputs: a tensor or a tuple.
        create_graph: the result can be differentiated.
        strict: an output that does not depend on an input is an error (RuntimeError) instead of zeros.
        vectorize: accepted; the rows are computed one after the other either way.
        strategy: ``"reverse-mode"`` or ``"forward-mode"``, which PyTorch allows with `vectorize` alone; backward passes either way.

    The result has the shape of the output followed by that of the input; for tuples of inputs it is a tuple, for tuples of
    outputs a tuple of those.
    """
    _check_strategy(create_graph, strict, vectorize, strategy)
    return _jacobian(func, inputs, create_graph, strict, vectorize)


def _jacobian(func: Callable[..., Tensors], inputs: Tensors, create_graph: bool, strict: bool, vectorize: bool) -> Any:
    with enable_grad():
        arguments, in_tuple = _as_tuple(inputs, "inputs", "jacobian")
        arguments = _leaves(arguments, create_graph)
        outputs, out_tuple = _as_tuple(func(*arguments), "outputs of the user-provided function", "jacobian")
        _check_outputs(outputs, strict)
        if strict and vectorize:
            raise RuntimeError("torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` are not supported together. Please either "
                               "set `strict=False` or `vectorize=False`.")
        blocks = []
        for i, output in enumerate(outputs):
            rows: list[list[Tensor]] = [[] for _ in arguments]
            flat = output.reshape(-1)  # type: ignore[attr-defined]
            for j in range(output.numel()):
                grads = _grad((flat[j],), arguments, create_graph=create_graph)
                for k, grad in enumerate(grads):
                    if strict and (grad is None or (create_graph and not grad.requires_grad)):
                        raise RuntimeError(f"Output {i} of the user-provided function is independent of input {k}. This is not allowed "
                                           "in strict mode.")
                for row, grad, argument in zip(rows, grads, arguments):
                    row.append(zeros_like(argument) if grad is None else grad)
            block = [ops.stack(row).reshape((*output.shape, *a.shape)) if row else zeros((*output.shape, *a.shape), dtype=a.dtype)
                     for row, a in zip(rows, arguments)]
            blocks.append(_pack(block if create_graph else [b.detach() for b in block], in_tuple))
    return _pack(blocks, out_tuple)


def hessian(
    func: Callable[..., Tensor], inputs: Tensors, create_graph: bool = False, strict: bool = False, vectorize: bool = False,
    outer_jacobian_strategy: str = "reverse-mode",
) -> Any:
    """Returns the Hessian of a function that gives a tensor with one element: for one input a tensor of its shape twice, for a
    tuple a tuple of tuples. The arguments are those of :func:`jacobian`."""
    if outer_jacobian_strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError('Expected strategy to be either "forward-mode" or "reverse-mode".')
    if outer_jacobian_strategy == "forward-mode":
        _check_strategy(create_graph, strict, vectorize, outer_jacobian_strategy)
    arguments, in_tuple = _as_tuple(inputs, "inputs", "hessian")

    def gradient(*values: Tensor) -> tuple[Tensor, ...]:
        return _first(_scalar(func(*values), "hessian", strict), values, strict)

    result = _jacobian(gradient, arguments, create_graph, strict, vectorize)
    return result if in_tuple else result[0][0]
