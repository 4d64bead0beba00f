"""torchdiffeq: an ordinary differential equation by the fixed steps of Runge and Kutta, and its gradient."""

import json

import torch
from torchdiffeq import odeint

start = torch.tensor([1.0, 2.0], requires_grad=True)
found = odeint(lambda t, y: -y * y, start, torch.linspace(0, 1, 3), method="rk4")
found[-1].sum().backward()
print(json.dumps({"path": found.flatten().tolist(), "gradient": start.grad.tolist()}))
