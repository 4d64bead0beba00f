"""kornia: filters, colours and geometry of a picture."""

import json

import kornia
import torch

x = torch.linspace(0, 1, 192).reshape(1, 3, 8, 8)
found = {
    "blur": kornia.filters.gaussian_blur2d(x, (3, 3), (1.0, 1.0)), "hsv": kornia.color.rgb_to_hsv(x), "rotated": kornia.geometry.rotate(x, torch.tensor([30.0])),
    "edges": kornia.filters.sobel(x), "small": kornia.geometry.resize(x, (4, 4)),
}
print(json.dumps({name: value.flatten().tolist() for name, value in found.items()}))
