"""einops: its functions and layers, packing, EinMix, and a small mixer of its layers trained, saved and loaded."""

import io
import json

import einops
import torch
from einops.layers.torch import EinMix, Rearrange, Reduce

torch.manual_seed(0)
x = torch.arange(48.0).reshape(2, 3, 2, 4)
packed, shapes = einops.pack([x, x.sum(-1), x[:, :, 0, 0]], "b c *")
found = {
    "rearrange": einops.rearrange(x, "b c (h one) (w two) -> (b two) one w h c", one=2, two=2).flatten().tolist(),
    "list": einops.rearrange([x, x + 1], "n b c h w -> b (n c) h w").flatten().tolist()[:40],
    "reduce": [value for kind in ("mean", "max", "min", "sum", "prod") for value in einops.reduce(x / 20, "b c h w -> c w", kind).flatten().tolist()],
    "any": einops.reduce(x > 40, "b c h w -> b w", "any").flatten().int().tolist(),
    "repeat": einops.repeat(x[0, 0], "h w -> (h two) c w", two=2, c=2).flatten().tolist(),
    "einsum": einops.einsum(x, x + 1, "batch c h w, batch d h w -> batch c d").flatten().tolist(),
    "packed": packed.flatten().tolist(),
    "shapes": [size for part in einops.unpack(packed, shapes, "b c *") for size in part.shape],
    "parsed": list(einops.parse_shape(x, "b _ h w").values()),
}


class Mixer(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            Rearrange("b c (h p) (w q) -> b (h w) (c p q)", p=4, q=4),
            EinMix("b t c_in -> b t c", weight_shape="c_in c", bias_shape="c", c_in=48, c=16),
            torch.nn.GELU(),
            EinMix("b t_in c -> b t c", weight_shape="t_in t", bias_shape="t", t_in=4, t=6),
            Reduce("b t c -> b c", "mean"),
            torch.nn.Linear(16, 3),
        )

    def forward(self, x):
        return self.layers(x)


model = Mixer()
pictures = torch.linspace(0, 20, 4 * 3 * 8 * 8).sin().reshape(4, 3, 8, 8)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
losses = []
for _ in range(5):
    loss = torch.nn.functional.cross_entropy(model(pictures), torch.tensor([0, 1, 2, 0]))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
file = io.BytesIO()
torch.save(model, file)
file.seek(0)
again = torch.load(file, weights_only=False)
print(json.dumps(found | {"losses": losses, "again": again(pictures).flatten().tolist()}))
