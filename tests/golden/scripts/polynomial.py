"""A cubic fitted to a sine: gradients by hand, by autograd, and with nn and optim."""

import math

import torch

x = torch.linspace(-math.pi, math.pi, 2000)
y = torch.sin(x)

torch.manual_seed(0)
a, b, c, d = (torch.randn((), requires_grad=True) for _ in range(4))
rate = 1e-6
for step in range(200):
    loss = (a + b * x + c * x**2 + d * x**3 - y).pow(2).sum()
    if step % 50 == 49:
        print(step, round(loss.item(), 1))
    loss.backward()
    with torch.no_grad():
        for weight in (a, b, c, d):
            weight -= rate * weight.grad
            weight.grad = None
print(f"y = {a.item():.3f} + {b.item():.3f} x + {c.item():.3f} x^2 + {d.item():.3f} x^3")

powers = x.unsqueeze(-1).pow(torch.tensor([1, 2, 3]))
model = torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.Flatten(0, 1))
criterion = torch.nn.MSELoss(reduction="sum")
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(300):
    loss = criterion(model(powers), y)
    if step % 100 == 99:
        print(step, round(loss.item(), 2))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
layer = model[0]
print(f"bias {layer.bias.item():.3f}, weights {[round(value, 3) for value in layer.weight[0].tolist()]}")
