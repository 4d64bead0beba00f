# __torch_function__ of a subclass, of a class that is no tensor, and of modes.
import copy
import functools

import torch
from torch.overrides import (
    BaseTorchFunctionMode,
    TorchFunctionMode,
    get_overridable_functions,
    get_testing_overrides,
    handle_torch_function,
    has_torch_function,
    is_tensor_like,
    is_tensor_method_or_property,
    resolve_name,
    wrap_torch_function,
)


class Logged(torch.Tensor):
    lines = []

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        cls.lines.append((func.__name__, len(args), sorted(kwargs or {})))
        return super().__torch_function__(func, types, args, kwargs)


x = torch.arange(4.0).reshape(2, 2).as_subclass(Logged)
calls = {
    "x + 1": lambda: x + 1, "1 + x": lambda: 1 + x, "1 - x": lambda: 1 - x, "plain - x": lambda: torch.ones(2, 2) - x, "x - plain": lambda: x - torch.ones(2, 2), "x @ x": lambda: x @ x,
    "x / 2": lambda: x / 2, "x > 1": lambda: x > 1, "x == x": lambda: x == x, "x ** 2": lambda: x**2, "-x": lambda: -x, "abs": lambda: abs(x), "x[0]": lambda: x[0],
    "sum": lambda: x.sum(dim=0), "torch.sum": lambda: torch.sum(x, dim=1), "cat": lambda: torch.cat([torch.ones(1, 2), x]), "shape": lambda: x.shape, "dtype": lambda: x.dtype,
    "relu": lambda: torch.nn.functional.relu(x), "mse": lambda: torch.nn.functional.mse_loss(x, x), "linear": lambda: torch.nn.functional.linear(x, x),
    "max": lambda: x.max(dim=0), "softmax": lambda: torch.nn.functional.softmax(x, dim=0), "len": lambda: len(x), "tolist": lambda: x.tolist(), "float": lambda: float(x[0, 1]),
    "zeros_like": lambda: torch.zeros_like(x), "to": lambda: x.to(torch.float64), "einsum": lambda: torch.einsum("ij,jk->ik", x, x),
}
for name, call in calls.items():
    Logged.lines.clear()
    result = call()
    print(name, Logged.lines, type(result).__name__)


class Tagged(torch.Tensor):
    @staticmethod
    def __new__(cls, data, tag=None):
        return super().__new__(cls, data)

    def __init__(self, data, tag=None):
        self.tag = tag

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        result = super().__torch_function__(func, types, args, kwargs)
        if isinstance(result, cls):
            result.tag = next((a.tag for a in args if hasattr(a, "tag")), None)
        return result


t = Tagged([1.0, 2.0], tag="mine")
print(t * 2, (t * 2).tag, (torch.ones(2) - t).tag, type(t.max(dim=0).values).__name__)
t.requires_grad_()
(t * t).sum().backward()
print(t.grad, type(t.grad).__name__, type((t * 2).grad_fn).__name__)
print(type(copy.copy(t)).__name__, copy.copy(t).tag)
p = torch.nn.Parameter(t.detach())
print(type(p).__name__, isinstance(p, torch.nn.Parameter), p.requires_grad)
with torch._C.DisableTorchFunctionSubclass():
    print(type(t + 1).__name__)


class Left(Tagged):
    pass


class Right(Tagged):
    pass


print(type(Left([1.0]) + Tagged([1.0])).__name__, type(Tagged([1.0]) + Left([1.0])).__name__)
try:
    Left([1.0]) + Right([1.0])
except TypeError as error:
    print(error)


class Plain(torch.Tensor):
    __torch_function__ = torch._C._disabled_torch_function_impl


print(type(torch.ones(2).as_subclass(Plain) + 1).__name__)

HANDLERS = {}


def implements(function):
    def decorate(handler):
        HANDLERS[function] = functools.wraps(function)(handler)
        return handler

    return decorate


class Diagonal:
    def __init__(self, n, value):
        self.n, self.value = n, value

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLERS or not all(issubclass(kind, (torch.Tensor, Diagonal)) for kind in types):
            return NotImplemented
        return HANDLERS[func](*args, **(kwargs or {}))


@implements(torch.mean)
def mean(input):
    return input.value / input.n


@implements(torch.nn.functional.relu)
def relu(input, inplace=False):
    return "relu", inplace


@implements(torch.add)
def add(input, other):
    return [value.value if isinstance(value, Diagonal) else value for value in (input, other)]


d = Diagonal(5, 2.0)
print(torch.mean(d), torch.add(d, 3), torch.add(torch.ones(1), d), torch.nn.functional.relu(d))
for function in (torch.mul, torch.nn.functional.mse_loss):
    try:
        function(d, d)
    except TypeError as error:
        print(type(error).__name__, resolve_name(function) in str(error))


class Mode(TorchFunctionMode):
    def __init__(self, tag):
        super().__init__()
        self.tag = tag

    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(self.tag, func.__name__, len(args))
        return func(*args, **(kwargs or {}))


plain = torch.ones(2)
with Mode("outer"):
    plain + 1, torch.zeros(2), torch.nn.functional.mse_loss(plain, plain), plain.sum(), plain.shape, plain[0], -plain, torch.tensor([1])
    with Mode("inner"), BaseTorchFunctionMode():
        plain * 2, torch.stack([plain, plain])
plain + 1


@wrap_torch_function(lambda a, b=None: (a,))
def mine(a, b=None):
    return "mine"


HANDLERS[mine] = lambda a, b=None: "handled"
print(mine(plain), mine(d), has_torch_function((d,)), has_torch_function((plain, 1)), is_tensor_like(d), is_tensor_like(1))
print(handle_torch_function(torch.mean, (d,), d), resolve_name(torch.nn.functional.relu), resolve_name(torch.add), resolve_name(torch.Tensor.shape.__get__))
print(is_tensor_method_or_property(torch.Tensor.sum), is_tensor_method_or_property(torch.Tensor.T.__get__), is_tensor_method_or_property(torch.einsum))
print(torch.add in get_overridable_functions()[torch], get_testing_overrides()[torch.nn.functional.mse_loss](1, 2), torch.Tensor in get_overridable_functions())
