"""diffusers: a UNet trained to take noise away, saved, loaded, sampled by six schedulers; an autoencoder; Stable Diffusion of random weights from words to a picture."""

import json
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from diffusers import (
    AutoencoderKL,
    DDIMPipeline,
    DDIMScheduler,
    DDPMPipeline,
    DDPMScheduler,
    DPMSolverMultistepScheduler,
    EulerAncestralDiscreteScheduler,
    EulerDiscreteScheduler,
    LMSDiscreteScheduler,
    PNDMScheduler,
    StableDiffusionPipeline,
    UNet2DConditionModel,
    UNet2DModel,
    UniPCMultistepScheduler,
)
from diffusers.training_utils import EMAModel
from tokenizers import Tokenizer, decoders, pre_tokenizers
from tokenizers.models import WordLevel
from transformers import CLIPTextConfig, CLIPTextModel, PreTrainedTokenizerFast

SMALL = {"block_out_channels": (8, 16), "norm_num_groups": 4, "layers_per_block": 1}
WORDS = ["<pad>", "<unk>", "<s>", "</s>", "a", "red", "boat", "on", "the", "sea"]


def some(tensor):
    return tensor.flatten()[:: max(1, tensor.numel() // 48)].tolist()


found = {}
torch.manual_seed(0)
unet = UNet2DModel(sample_size=8, in_channels=1, out_channels=1, down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"),
                   attention_head_dim=8, **SMALL)
noises = DDPMScheduler(num_train_timesteps=50)
average = EMAModel(unet.parameters(), decay=0.9)
optimizer = torch.optim.AdamW(unet.parameters(), lr=1e-3)
clean = torch.linspace(0, 3, 256).sin().reshape(4, 1, 8, 8)
losses = []
for _ in range(4):
    noise, times = torch.randn(clean.shape), torch.randint(0, 50, (4,))
    loss = torch.nn.functional.mse_loss(unet(noises.add_noise(clean, noise, times), times).sample, noise)
    loss.backward()
    torch.nn.utils.clip_grad_norm_(unet.parameters(), 1.0)
    optimizer.step()
    optimizer.zero_grad()
    average.step(unet.parameters())
    losses.append(loss.item())
found["losses"] = losses
average.copy_to(unet.parameters())
with tempfile.TemporaryDirectory() as folder:
    DDPMPipeline(unet, noises).save_pretrained(folder)
    pipeline = DDPMPipeline.from_pretrained(folder)
    pipeline.set_progress_bar_config(disable=True)
    unet = pipeline.unet
    found["ddpm"] = some(torch.from_numpy(pipeline(batch_size=1, num_inference_steps=5, generator=torch.Generator().manual_seed(1), output_type="np").images))
pipeline = DDIMPipeline(unet, DDIMScheduler.from_config(noises.config))
pipeline.set_progress_bar_config(disable=True)
found["ddim"] = some(torch.from_numpy(pipeline(batch_size=1, num_inference_steps=5, eta=0.5, generator=torch.Generator().manual_seed(1), output_type="np").images))
for kind in (DPMSolverMultistepScheduler, EulerDiscreteScheduler, EulerAncestralDiscreteScheduler, LMSDiscreteScheduler, PNDMScheduler, UniPCMultistepScheduler):
    scheduler = kind(num_train_timesteps=50)
    scheduler.set_timesteps(5)
    generator = torch.Generator().manual_seed(2)
    x = torch.randn(1, 1, 8, 8, generator=generator) * scheduler.init_noise_sigma
    options = {"generator": generator} if kind is EulerAncestralDiscreteScheduler else {}
    for time in scheduler.timesteps:
        with torch.no_grad():
            x = scheduler.step(unet(scheduler.scale_model_input(x, time), time).sample, time, x, **options).prev_sample
    found[kind.__name__] = some(x)

words = Tokenizer(WordLevel({word: index for index, word in enumerate(WORDS)}, unk_token="<unk>"))
words.pre_tokenizer, words.decoder = pre_tokenizers.Whitespace(), decoders.WordPiece()
tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, pad_token="<pad>", unk_token="<unk>", bos_token="<s>", eos_token="</s>", model_max_length=8)
torch.manual_seed(3)
vae = AutoencoderKL(in_channels=3, out_channels=3, latent_channels=4, down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, **SMALL)
text = CLIPTextModel(CLIPTextConfig(vocab_size=len(WORDS), hidden_size=16, intermediate_size=24, num_hidden_layers=2, num_attention_heads=2, max_position_embeddings=8,
                                    bos_token_id=2, eos_token_id=3, pad_token_id=0))
painter = UNet2DConditionModel(sample_size=8, in_channels=4, out_channels=4, down_block_types=("DownBlock2D", "CrossAttnDownBlock2D"),
                               up_block_types=("CrossAttnUpBlock2D", "UpBlock2D"), cross_attention_dim=16, attention_head_dim=2, **SMALL)
picture = torch.linspace(-1, 1, 3 * 16 * 16).reshape(1, 3, 16, 16)
latents = vae.encode(picture).latent_dist
loss = (vae.decode(latents.sample(torch.Generator().manual_seed(4))).sample - picture).square().mean() + 0.1 * latents.kl().mean()
loss.backward()
found["autoencoder"] = [loss.item(), *(parameter.grad.norm().item() for parameter in vae.parameters())]
stable = StableDiffusionPipeline(vae, text, tokenizer, painter, DDIMScheduler(clip_sample=False, steps_offset=1), safety_checker=None, feature_extractor=None,
                                 requires_safety_checker=False)
with tempfile.TemporaryDirectory() as folder:
    stable.save_pretrained(folder)
    stable = StableDiffusionPipeline.from_pretrained(folder)
stable.set_progress_bar_config(disable=True)
painted = stable("a red boat on the sea", num_inference_steps=3, guidance_scale=5.0, height=16, width=16, generator=torch.Generator().manual_seed(5), output_type="np")
found["painted"] = some(torch.from_numpy(painted.images))
print(json.dumps(found))
