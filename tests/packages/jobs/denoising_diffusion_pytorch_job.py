"""denoising-diffusion-pytorch: a Unet trained by its Trainer on pictures in files, its checkpoint loaded, sampled; signals, guidance, and other diffusions."""

import json
import tempfile
from pathlib import Path

import numpy as np
import torch
from denoising_diffusion_pytorch import ElucidatedDiffusion, GaussianDiffusion, GaussianDiffusion1D, Trainer, Unet, Unet1D
from denoising_diffusion_pytorch.classifier_free_guidance import GaussianDiffusion as GuidedDiffusion
from denoising_diffusion_pytorch.classifier_free_guidance import Unet as GuidedUnet
from PIL import Image

PICTURES = torch.linspace(0, 30, 4 * 3 * 16 * 16).sin().reshape(4, 3, 16, 16) / 2 + 0.5
NET = {"dim": 8, "dim_mults": (1, 2), "flash_attn": False}


def trained(model, *inputs, steps=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(steps):
        loss = model(*inputs)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


def some(tensor):
    return tensor.flatten()[:: max(1, tensor.numel() // 60)].tolist()


found = {}
torch.manual_seed(0)
diffusion = GaussianDiffusion(Unet(**NET), image_size=16, timesteps=20, sampling_timesteps=4)
found["losses"] = trained(diffusion, PICTURES)
found["sampled"] = some(diffusion.sample(batch_size=2))
diffusion.is_ddim_sampling = False
found["slowly"] = some(diffusion.sample(batch_size=1))
found["between"] = some(diffusion.interpolate(PICTURES[:1], PICTURES[1:2], t=5))
with tempfile.TemporaryDirectory() as folder:
    for index in range(100):
        picture = (PICTURES[index % 4].roll(index, 2).permute(1, 2, 0).numpy() * 255).astype(np.uint8)
        Image.fromarray(picture).save(f"{folder}/{index:02}.png")
    options = {"train_batch_size": 16, "train_num_steps": 2, "save_and_sample_every": 2, "num_samples": 4, "results_folder": f"{folder}/results", "calculate_fid": False,
               "augment_horizontal_flip": False, "num_fid_samples": 4}
    torch.manual_seed(1)
    trainer = Trainer(diffusion, folder, **options)
    trainer.train()
    found["files"] = [len(list(Path(f"{folder}/results").glob("*")))]
    found["trained"] = [parameter.norm().item() for parameter in diffusion.parameters()]
    with torch.no_grad():
        for parameter in diffusion.parameters():
            parameter.zero_()
    trainer.load(1)
    found["loaded"] = [parameter.norm().item() for parameter in diffusion.parameters()]

torch.manual_seed(2)
line = GaussianDiffusion1D(Unet1D(dim=8, dim_mults=(1, 2), channels=2), seq_length=16, timesteps=10, objective="pred_v")
found["line"] = trained(line, PICTURES[:, :2, 0])
found["line sampled"] = some(line.sample(batch_size=2))
guided = GuidedDiffusion(GuidedUnet(dim=8, dim_mults=(1, 2), num_classes=3, cond_drop_prob=0.5), image_size=16, timesteps=10, sampling_timesteps=3)


class Guided(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = guided

    def forward(self, pictures, kinds):
        return self.inner(pictures, classes=kinds)


found["guided"] = trained(Guided(), PICTURES, torch.tensor([0, 1, 2, 0]))
found["guided sampled"] = some(guided.sample(classes=torch.tensor([1, 2]), cond_scale=3.0))
other = ElucidatedDiffusion(Unet(**NET, learned_sinusoidal_cond=True), image_size=16, num_sample_steps=4)
found["elucidated"] = trained(other, PICTURES)
found["elucidated sampled"] = some(other.sample(batch_size=1))
print(json.dumps(found))
