# torch.ops and torch.library: operators by name, and of a program's own.
from collections.abc import Sequence

import torch
from torch import Tensor
from torch.library import Library, custom_op, infer_schema, opcheck


def attempt(call):
    try:
        return call()
    except Exception as error:
        print(type(error).__name__)


x = torch.arange(6.0).reshape(2, 3)
aten = torch.ops.aten
print(aten.add, repr(aten.add.Tensor), aten.add.Tensor.name(), aten.relu.default._schema, aten.sum.dim_IntList(x, [1]), aten.add(x, 1), aten.mm.default(x, x.t()))
print(aten.add.Tensor.overloadpacket is aten.add, aten.add.__name__, aten.add.Tensor.__name__, aten.add.Tensor.namespace, "Tensor" in aten.add.overloads())
print(aten.convolution.default(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1).sum())
attempt(lambda: aten.no_such_operator)
attempt(lambda: aten.add.no_such_overload)
attempt(lambda: torch.ops.no_such_library.f)
print(hasattr(torch.ops.no_such_library, "f"), hasattr(aten, "mm"))


def f1(x: Tensor, y: Tensor | None, n: int = 3, *, s: float, b: bool = True, t: str = "a", z: list[Tensor] = None) -> Tensor: ...
def f2(x: Tensor, ys: Sequence[Tensor], d: torch.dtype, dv: torch.device, num: torch.types.Number) -> tuple[Tensor, Tensor]: ...
def f3(x: Tensor, o: int | None = None, of: float | None = 0.5, ol: Sequence[int] | None = None) -> None: ...
def f4(x: Tensor) -> list[Tensor]: ...
def f5(x: Tensor) -> tuple[Tensor, int]: ...
def f6(x): ...
def f7(x: Tensor, *a) -> Tensor: ...
def f8(x: object) -> Tensor: ...
def f9(x: Tensor): ...


for function, mutated in ((f1, ()), (f2, ()), (f3, {"x"}), (f4, ()), (f5, ()), (f6, ()), (f7, ()), (f8, ()), (f9, ()), (f3, "unknown"), (f3, {"q"})):
    attempt(lambda: print(infer_schema(function, mutates_args=mutated)))
print(infer_schema(f4, mutates_args=(), op_name="mine"))


@custom_op("script::scaled_sine", mutates_args=())
def scaled_sine(x: Tensor, scale: float = 2.0) -> Tensor:
    return x.sin() * scale


print(scaled_sine(x), torch.ops.script.scaled_sine(x), torch.ops.script.scaled_sine.default(x, 3.0), scaled_sine, torch.ops.script.scaled_sine.default._schema)
leaf = x.clone().requires_grad_()
y = scaled_sine(leaf)
print(y.requires_grad)
attempt(lambda: y.sum().backward())


@scaled_sine.register_fake
def _(x, scale=2.0):
    return torch.empty_like(x)


def setup_context(ctx, inputs, output):
    x, ctx.scale = inputs
    ctx.save_for_backward(x)


def backward(ctx, grad):
    (x,) = ctx.saved_tensors
    return grad * x.cos() * ctx.scale, None


scaled_sine.register_autograd(backward, setup_context=setup_context)
scaled_sine(leaf, 4.0).sum().backward()
print(leaf.grad, torch.allclose(leaf.grad, 4 * x.cos()))
print(opcheck(scaled_sine, (x,))["test_schema"])


@custom_op("script::increase_", mutates_args={"x"})
def increase_(x: Tensor, n: int) -> None:
    x.add_(n)


z = torch.zeros(2)
version = z._version
print(increase_(z, 2), z, z._version > version, torch.ops.script.increase_.default._schema)


@custom_op("script::two", mutates_args=(), device_types="cpu")
def two(x: Tensor) -> tuple[Tensor, Tensor]:
    return x * 2, x + 1


print(type(two(x)).__name__, [r.sum() for r in two(x)])


@custom_op("script::joined", mutates_args=())
def joined(xs: list[Tensor], factor: float) -> Tensor:
    return torch.cat(xs) * factor


joined.register_autograd(lambda ctx, grad: ([g * ctx.factor for g in grad.split(ctx.sizes)], None),
                         setup_context=lambda ctx, inputs, output: (setattr(ctx, "sizes", [len(t) for t in inputs[0]]), setattr(ctx, "factor", inputs[1])))
parts = [torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)]
(joined(parts, 3.0) * torch.arange(5.0)).sum().backward()
print([p.grad for p in parts])

library = Library("script2", "DEF")
library.define("multiplied(Tensor x, int n=2) -> Tensor")
attempt(lambda: torch.ops.script2.multiplied(x))
library.impl("multiplied", lambda x, n=2: x * n, "CompositeImplicitAutograd")
print(torch.ops.script2.multiplied(leaf, n=5), torch.ops.script2.multiplied.default, torch.ops.script2.multiplied.default._schema)
for wrong in (lambda: library.define("multiplied(Tensor x) -> Tensor"), lambda: Library("script2", "DEF"), lambda: torch.ops.script2.multiplied(),
              lambda: torch.ops.script2.multiplied(x, q=1), lambda: scaled_sine("a")):
    attempt(wrong)

torch.library.define("script3::exponential", "(Tensor x) -> Tensor")


@torch.library.impl("script3::exponential", "cpu")
def _(x):
    return x.exp()


@torch.library.register_fake("script3::exponential")
def _(x):
    return torch.empty_like(x)


torch.library.register_autograd("script3::exponential", lambda ctx, grad: grad * ctx.saved_tensors[0], setup_context=lambda ctx, inputs, output: ctx.save_for_backward(output))
leaf.grad = None
torch.ops.script3.exponential(leaf).sum().backward()
print(torch.allclose(leaf.grad, x.exp()))
with torch.no_grad():
    print(torch.ops.script3.exponential(leaf).requires_grad)


@custom_op("script::changes_its_input", mutates_args=())
def changes_its_input(x: Tensor) -> Tensor:
    x.add_(1)
    return x.clone()


@custom_op("script::returns_its_input", mutates_args=())
def returns_its_input(x: Tensor) -> Tensor:
    return x


attempt(lambda: opcheck(changes_its_input, (x.clone(),)))
attempt(lambda: returns_its_input(x))
library._destroy()
