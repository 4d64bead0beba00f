"""float_power, polygamma, and operators of one tensor."""

from __future__ import annotations

import functools
from typing import Any

from .._core.arguments import type_name
from .._core.checks import tensors_checked
from .._core.dispatch import written
from .._core.generated import ops
from .._core.tensor_type import Tensor


def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """The n-th derivative of `digamma`: `(-1)**(n + 1) * n! * zeta(n + 1, input)`. RuntimeError for a negative n."""
    return ops.polygamma(input, n, out=out)


positive = Tensor.positive


def float_power(input: Any, exponent: Any, *, out: Tensor | None = None) -> Tensor:
    """`input ** exponent` in float64 or complex128."""
    result = ops.float_power(input, exponent)
    if out is not None and out.dtype is not result.dtype:
        raise RuntimeError(f"the output given to float_power has dtype {out.dtype} but the operation's result requires dtype {result.dtype}")
    return written(result, out)


def float_power_(self: Tensor, exponent: Any) -> Tensor:
    result = ops.float_power(self, exponent)
    if self.dtype is not result.dtype:
        raise RuntimeError(f"the base given to float_power_ has dtype {self.dtype} but the operation's result requires dtype {result.dtype}")
    return self.copy_(result)


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
FUNCTIONS = [*map(tensors_checked, (float_power, polygamma, positive, *map(one_tensor, ONE_TENSOR)))]
METHODS = {"float_power": tensors_checked(float_power), "float_power_": tensors_checked(float_power_)}
