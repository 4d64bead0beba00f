"""spandrel: networks that enlarge pictures found by their weights alone, and their outputs."""

import json

import torch
from spandrel import ModelLoader
from spandrel.architectures.Compact import Compact
from spandrel.architectures.ESRGAN import ESRGAN
from spandrel.architectures.SwinIR import SwinIR

results = {}
kinds = {"compact": lambda: Compact(num_feat=8, num_conv=2, upscale=2), "esrgan": lambda: ESRGAN(num_filters=8, num_blocks=1, scale=2),
         "swinir": lambda: SwinIR(img_size=16, window_size=8, depths=[2], embed_dim=12, num_heads=[2], upscale=2, upsampler="pixelshuffledirect")}
for name, make in kinds.items():
    torch.manual_seed(0)
    found = ModelLoader(device="cpu").load_from_state_dict(make().state_dict())
    torch.manual_seed(1)
    with torch.no_grad():
        picture = found(torch.rand(1, 3, 16, 16))
    results[name] = [float(found.scale), *picture.shape, float(picture.mean()), *picture.flatten()[:20].tolist()]
print(json.dumps(results))
