"""Gradients: one layer and its loss, what tracks gradients and what does not, accumulation, a Jacobian-vector product."""

import torch

torch.manual_seed(0)
x = torch.ones(5)
y = torch.zeros(3)
w = torch.randn(5, 3, requires_grad=True)
b = torch.randn(3, requires_grad=True)
z = torch.matmul(x, w) + b
loss = torch.nn.functional.binary_cross_entropy_with_logits(z, y)
print(z.grad_fn is not None, loss.detach())
loss.backward()
print(w.grad)
print(b.grad)

with torch.no_grad():
    inside = torch.matmul(x, w) + b
print(z.requires_grad, inside.requires_grad, z.detach().requires_grad)

a = torch.tensor([2.0, 3.0], requires_grad=True)
c = torch.tensor([6.0, 4.0], requires_grad=True)
q = 3 * a**3 - c**2
q.backward(gradient=torch.tensor([1.0, 1.0]))
print(9 * a**2 == a.grad, -2 * c == c.grad)

eye = torch.eye(4, 5, requires_grad=True)
out = (eye + 1).pow(2).t()
for _ in range(2):
    out.backward(torch.ones_like(out), retain_graph=True)
    print(eye.grad[0])
eye.grad.zero_()
out.backward(torch.ones_like(out))
print(eye.grad[1])

try:
    out.backward(torch.ones_like(out))
except RuntimeError as error:
    print(type(error).__name__, "second time" in str(error))
