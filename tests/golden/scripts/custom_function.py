"""An operator of one's own: the Legendre polynomial of degree three as an autograd Function, used to fit a sine."""

import math

import torch


class Legendre(torch.autograd.Function):
    """P3(x) = (5 x^3 - 3 x) / 2."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return 0.5 * (5 * x**3 - 3 * x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * 1.5 * (5 * x**2 - 1)


class Clip(torch.autograd.Function):
    """The identity, whose gradient is kept within a limit."""

    @staticmethod
    def forward(ctx, x, limit):
        ctx.limit = limit
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad.clamp(-ctx.limit, ctx.limit), None


points = torch.tensor([0.1, 0.5, -0.7], dtype=torch.float64, requires_grad=True)
print(Legendre.apply(points), torch.autograd.gradcheck(Legendre.apply, (points,)))

x = torch.linspace(-math.pi, math.pi, 500)
y = torch.sin(x)
start = {"a": 0.0, "b": -1.0, "c": 0.0, "d": 0.3}
a, b, c, d = (torch.tensor(value, requires_grad=True) for value in start.values())
for step in range(400):
    prediction = a + b * Legendre.apply(c + d * x)
    loss = (prediction - y).pow(2).sum()
    if step % 100 == 99:
        print(step, round(loss.item(), 2))
    loss.backward()
    with torch.no_grad():
        for weight in (a, b, c, d):
            weight -= 2e-5 * weight.grad
            weight.grad = None
print(f"y = {a.item():.3f} + {b.item():.3f} P3({c.item():.3f} + {d.item():.3f} x)")

v = torch.tensor([1.0, 2.0], requires_grad=True)
(Clip.apply(v, 1.5) * torch.tensor([1.0, 10.0])).sum().backward()
print(v.grad)
