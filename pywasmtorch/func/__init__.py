"""torch.func: grad, vjp, jvp, jacrev, jacfwd, hessian, vmap, functional_call."""

from __future__ import annotations

from typing import Any

from .._core.names import absent as _absent
from ._modules import functional_call, replace_all_batch_norm_modules_, stack_module_state
from ._transforms import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, linearize, vjp
from ._vmap import vmap

__all__ = [
    "debug_unwrap", "functional_call", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "linearize",
    "replace_all_batch_norm_modules_", "stack_module_state", "vjp", "vmap",
]


def debug_unwrap(tensor: Any, *, recurse: bool = True) -> Any:
    """The tensor itself: transforms wrap nothing here."""
    return tensor


def functionalize(func: Any, *, remove: str = "mutations") -> Any:
    """NotImplementedError: programs run as they are written."""
    raise NotImplementedError("pywasmtorch has no torch.func.functionalize")

__getattr__ = _absent(__name__)
