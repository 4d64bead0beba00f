"""einops on tensors: its functions, its layers, gradients."""

import torch
from einops import asnumpy, einsum, pack, parse_shape, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from torch import nn


def show(name, x):
    print(name, tuple(x.shape), f"{x.double().sum().item():.5f}", f"{(x.double().flatten() * (torch.arange(x.numel()) % 7)).sum().item():.4f}")


x = torch.sin(torch.arange(2 * 3 * 4 * 5.0)).reshape(2, 3, 4, 5)
show("transpose", rearrange(x, "b c h w -> b h w c"))
show("flatten", rearrange(x, "b c h w -> b (c h w)"))
show("patches", rearrange(x, "b c (h p) w -> (b h) (p w) c", p=2))
show("unsqueeze", rearrange(x, "b c h w -> b 1 c h w ()"))
show("list", rearrange([x, x + 1], "n b c h w -> b (n c) h w"))
show("ellipsis", rearrange(x, "b ... -> ... b"))
for operation in ("mean", "max", "min", "sum", "prod"):
    show(operation, reduce(x, "b c (h 2) w -> b c h", operation))
show("callable", reduce(x, "b c h w -> b c", torch.amax))
show("any", reduce(x > 0.9, "b c h w -> b c", "any").float())
show("global", reduce(x, "b c h w -> ", "mean"))
show("repeat", repeat(x, "b c h w -> b c (h h2) (w w2)", h2=2, w2=3))
show("new axis", repeat(x[0, 0], "h w -> h n w", n=4))
show("einsum", einsum(x, torch.cos(torch.arange(15.0)).reshape(5, 3), "b c h w, w d -> b d c h"))
packed, shapes = pack([x[:, 0], x[:, :, 0], x[:, 0, 0]], "b * w")
show("pack", packed)
print([tuple(s) for s in shapes], [tuple(t.shape) for t in unpack(packed, shapes, "b * w")])
print(parse_shape(x, "batch _ h w"), asnumpy(x).shape)
for pattern in ("b c h w -> b c", "b (c 5) h w -> b c h w"):
    try:
        rearrange(x, pattern)
    except Exception as error:
        print(type(error).__name__)

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(1, 6, kernel_size=5),
    Reduce("b c (h h2) (w w2) -> b c h w", "max", h2=2, w2=2),
    nn.ReLU(),
    Rearrange("b c h w -> b h w c"),
    EinMix("b h w c -> b h w d", weight_shape="c d", bias_shape="d", c=6, d=4),
    nn.GELU(),
    Rearrange("b h w c -> b (c h w)"),
    nn.Linear(4 * 6 * 6, 10),
)
print(model)
print(list(model.state_dict()))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
images, labels = torch.randn(8, 1, 16, 16), torch.arange(8)
for step in range(8):
    loss = nn.functional.cross_entropy(model(images), labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step} loss {loss.item():.6f}")

x = x.clone().requires_grad_()
reduce(rearrange(x, "b c h w -> (h w) b c") ** 2, "n b c -> b", "mean").sum().backward()
show("gradient", x.grad)


def attention(q, k, v, heads=2):
    q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=heads) for t in (q, k, v))
    weights = einsum(q, k, "b h i d, b h j d -> b h i j").softmax(dim=-1)
    return rearrange(einsum(weights, v, "b h i j, b h j d -> b h i d"), "b h n d -> b n (h d)")


q = torch.randn(2, 5, 8, requires_grad=True)
out = attention(q, q, q)
out.square().sum().backward()
show("attention", out)
show("its gradient", q.grad)
