# TorchDispatchMode: the operators that a program runs; counting their flops.
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode, is_traceable_wrapper_subclass, return_and_correct_aliasing
from torch.utils.flop_counter import FlopCounterMode


class Seen(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        print(func, end=" ")
        return return_and_correct_aliasing(func, args, kwargs, func(*args, **(kwargs or {})))


x, w = torch.arange(12.0).reshape(4, 3), torch.arange(9.0).reshape(3, 3)
with Seen():
    x + 1, x + x, x @ w, x.sum(), x.sum(1), torch.relu(x), x.t(), F.linear(x, w), F.linear(x, w, w[0]), x.mean(0), x**2, x.clamp(0, 1)
    torch.cat([x, x]), x[:, 1:2], F.softmax(x, -1), x.view(-1), x.reshape(12), x.add_(1), torch.exp(x), x.max(1), x == 1
    torch.bmm(x[None], w[None]), x.std(), x.unsqueeze(0), x.transpose(0, 1), x.to(torch.float64), F.gelu(x), -x, torch.where(x > 0, x, x), x[x > 0], x.clone()
    x.expand(2, 4, 3), x.matmul(w[0]), x[None] @ w, torch.stack([x, x]), x.split(2), x.masked_fill(x > 0, 0.0), 1 - x, x.argmax(1), x.cumsum(0), x.log_softmax(1)
print()


class Tenfold(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        result = func(*args, **(kwargs or {}))
        return result * 10 if func is torch.ops.aten.add.Tensor else result


with Tenfold():
    print(torch.ones(2) + 1, torch.ones(2).mul(3), is_traceable_wrapper_subclass(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 6, 3, padding=1, groups=3)
        self.l = nn.Sequential(nn.Linear(6 * 8 * 8, 10), nn.ReLU(), nn.Linear(10, 2, bias=False))

    def forward(self, x):
        return self.l(self.c(x).flatten(1))


def counts(mode):
    return {name: {str(k): v for k, v in sorted(found.items(), key=lambda item: str(item[0]))} for name, found in sorted(mode.get_flop_counts().items())}


net, images = Net(), torch.randn(2, 3, 8, 8)
with FlopCounterMode(display=False) as mode:
    net(images).sum().backward()
print(mode.get_total_flops(), counts(mode))
with FlopCounterMode(display=False) as mode:
    a, b = torch.randn(4, 5, requires_grad=True), torch.randn(5, 6)
    (a @ b).sum().backward()
    nn.Conv2d(2, 4, 3, stride=2)(torch.randn(2, 2, 7, 7, requires_grad=True)).sum().backward()
    F.conv_transpose2d(torch.randn(1, 2, 4, 4), torch.randn(2, 3, 3, 3))
    torch.baddbmm(torch.zeros(1, 4, 3), x[None], w[None])
print(mode.get_total_flops(), counts(mode))


with FlopCounterMode(display=False) as mode:
    q, k = torch.arange(48.0).reshape(2, 3, 4, 2), torch.arange(80.0).reshape(2, 5, 4, 2)
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k)
    pairs = torch.einsum("ij,jk", x, w)
print(mode.get_total_flops(), counts(mode), scores.sum(), pairs.sum(), scores.shape)


def seven(a_shape, b_shape, *args, out_shape=None, **names):
    return 7


with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.add: seven}) as mode:
    x + x
print(mode.get_total_flops())
