"""denoising-diffusion-pytorch: its networks and its diffusion, forward, backward and sampling."""

from common import case, finish, need_numpy, package, pattern, report, stand_in

package("einops")
package("denoising-diffusion-pytorch")
need_numpy()
for name in ("torchvision.transforms", "torchvision.utils", "PIL", "tqdm.auto", "ema_pytorch", "accelerate", "scipy.optimize",
             "pytorch_fid.inception", "pytorch_fid.fid_score"):
    stand_in(name)
stand_in("tqdm.auto", tqdm=lambda steps, **settings: steps)
stand_in("tqdm", tqdm=lambda steps, **settings: steps)

import torch  # noqa: E402
from denoising_diffusion_pytorch import (  # noqa: E402
    GaussianDiffusion,
    GaussianDiffusion1D,
    KarrasUnet,
    LearnedGaussianDiffusion,
    Unet,
    Unet1D,
)
from denoising_diffusion_pytorch.classifier_free_guidance import Unet as GuidedUnet  # noqa: E402
from denoising_diffusion_pytorch.continuous_time_gaussian_diffusion import ContinuousTimeGaussianDiffusion  # noqa: E402
from denoising_diffusion_pytorch.elucidated_diffusion import ElucidatedDiffusion  # noqa: E402
from denoising_diffusion_pytorch.simple_diffusion import UViT  # noqa: E402

images = pattern(2, 3, 16, 16).abs()
times = torch.tensor([1, 7])


def unet(flash=False, **settings):
    model = Unet(8, dim_mults=(1, 2), attn_dim_head=8, attn_heads=2, flash_attn=flash, **settings)
    return model, model(images, times)


def trained(kind=GaussianDiffusion, network=None, data=images, **settings):
    network = network or Unet(8, dim_mults=(1, 2), attn_dim_head=8, attn_heads=2)
    model = kind(network, **settings)
    loss = model(data)
    return model, loss, loss


case("unet", unet)
case("unet_flash", lambda: unet(flash=True))
case("unet_learned", lambda: unet(learned_sinusoidal_cond=True, self_condition=True))
case("unet_1d", lambda: (m := Unet1D(8, dim_mults=(1, 2), channels=3), m(pattern(2, 3, 16), times)))
case("karras", lambda: (m := KarrasUnet(image_size=16, dim=8, dim_max=16, num_classes=4, attn_dim_head=8, num_downsamples=1,
                                        num_blocks_per_stage=1), m(images[..., :16, :16].repeat(1, 2, 1, 1)[:, :4],
                                                                   time=torch.tensor([0.2, 0.7]), class_labels=torch.tensor([1, 3]))))
case("guided", lambda: (m := GuidedUnet(8, num_classes=4, dim_mults=(1, 2), cond_drop_prob=0.5, attn_dim_head=8, attn_heads=2),
                        m(images, times, torch.tensor([1, 3]))))
case("uvit", lambda: (m := UViT(8, dim_mults=(1, 2), vit_depth=1, attn_dim_head=8, attn_heads=2, downsample_factor=2), m(images, torch.tensor([0.2, 0.7]))))
for objective, schedule in (("pred_v", "sigmoid"), ("pred_noise", "linear"), ("pred_x0", "cosine")):
    case(objective, lambda o=objective, s=schedule: trained(image_size=16, timesteps=20, objective=o, beta_schedule=s))
case("immiscible", lambda: trained(image_size=16, timesteps=20, offset_noise_strength=0.1, min_snr_loss_weight=True))
case("diffusion_1d", lambda: trained(GaussianDiffusion1D, Unet1D(8, dim_mults=(1, 2), channels=3), pattern(2, 3, 16).abs(),
                                     seq_length=16, timesteps=20))
case("learned_variance", lambda: trained(LearnedGaussianDiffusion, Unet(8, dim_mults=(1, 2), learned_variance=True, attn_heads=1),
                                         image_size=16, timesteps=20))
case("continuous", lambda: trained(ContinuousTimeGaussianDiffusion, Unet(8, dim_mults=(1, 2), attn_heads=1,
                                                                         learned_sinusoidal_cond=True), image_size=16))
case("elucidated", lambda: trained(ElucidatedDiffusion, Unet(8, dim_mults=(1, 2), attn_heads=1, learned_sinusoidal_cond=True),
                                   image_size=16, num_sample_steps=4))

torch.manual_seed(5)
sampler = GaussianDiffusion(Unet(8, dim_mults=(1, 2), attn_dim_head=8, attn_heads=2), image_size=8, timesteps=6)
report(sampled=sampler.sample(batch_size=2)[0], interpolated=sampler.interpolate(images[:1, :, :8, :8], images[1:, :, :8, :8], t=3))
fast = GaussianDiffusion(sampler.model, image_size=8, timesteps=6, sampling_timesteps=3)
report(fast=fast.sample(batch_size=1)[0])
finish()
