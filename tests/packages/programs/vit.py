"""vit-pytorch: its vision transformers, small, with their own initial values, forward and backward."""

import importlib
import sys

from common import case, finish, package, pattern, stand_in

package("einops")
package("vit-pytorch")

import torch  # noqa: E402

augmentations = "ColorJitter GaussianBlur Normalize RandomApply RandomGrayscale RandomHorizontalFlip RandomResizedCrop".split()
stand_in("torchvision.transforms", **dict.fromkeys(augmentations, torch.nn.Identity))

SMALL = {"image_size": 32, "patch_size": 8, "num_classes": 5, "dim": 24, "depth": 2, "heads": 3, "mlp_dim": 40}
HEAD = {**SMALL, "dim_head": 8}
VIDEO = {**HEAD, "image_patch_size": 8, "frames": 4, "frame_patch_size": 2}
del VIDEO["patch_size"]
image = (2, 3, 32, 32)
video = (2, 3, 4, 32, 32)
DROP = {"dropout": 0.1, "emb_dropout": 0.1}

# module, class, settings, shape of the input
MODELS = [
    ("vit", "ViT", {**HEAD, **DROP}, image),
    ("vit", "ViT", {**SMALL, "pool": "mean"}, image),
    ("simple_vit", "SimpleViT", HEAD, image),
    ("deepvit", "DeepViT", {**HEAD, **DROP}, image),
    ("cait", "CaiT", {**HEAD, "cls_depth": 1, "layer_dropout": 0.05}, image),
    ("t2t", "T2TViT", {"dim": 24, "image_size": 32, "depth": 1, "heads": 2, "mlp_dim": 32, "num_classes": 5,
                       "t2t_layers": ((7, 4), (3, 2))}, image),
    ("cct", "CCT", {"img_size": (32, 48), "embedding_dim": 24, "n_conv_layers": 2, "kernel_size": 7, "stride": 2, "padding": 3,
                    "pooling_kernel_size": 3, "pooling_stride": 2, "pooling_padding": 1, "num_layers": 2, "num_heads": 2,
                    "mlp_ratio": 2.0, "num_classes": 5, "positional_embedding": "learnable"}, (2, 3, 32, 48)),
    ("cct_3d", "CCT", {"img_size": 32, "num_frames": 4, "embedding_dim": 24, "n_conv_layers": 1, "frame_kernel_size": 3,
                       "kernel_size": 7, "stride": 2, "padding": 3, "pooling_kernel_size": 3, "pooling_stride": 2,
                       "pooling_padding": 1, "num_layers": 1, "num_heads": 2, "mlp_ratio": 2.0, "num_classes": 5,
                       "positional_embedding": "sine"}, video),
    ("cross_vit", "CrossViT", {"image_size": 32, "num_classes": 5, "depth": 1, "sm_dim": 16, "sm_patch_size": 8, "sm_enc_depth": 1,
                               "sm_enc_heads": 2, "sm_enc_mlp_dim": 24, "sm_enc_dim_head": 8, "lg_dim": 24, "lg_patch_size": 16,
                               "lg_enc_depth": 1, "lg_enc_heads": 2, "lg_enc_mlp_dim": 24, "lg_enc_dim_head": 8,
                               "cross_attn_depth": 1, "cross_attn_heads": 2, "cross_attn_dim_head": 8}, image),
    ("pit", "PiT", {**HEAD, "depth": (1, 1)}, image),
    ("levit", "LeViT", {"image_size": 64, "num_classes": 5, "stages": 2, "dim": (16, 24), "depth": 1, "heads": (2, 3),
                        "mlp_mult": 2, "dim_key": 8, "dim_value": 8}, (2, 3, 64, 64)),
    ("cvt", "CvT", {"num_classes": 5, "s1_emb_dim": 16, "s1_heads": 1, "s2_emb_dim": 24, "s2_heads": 1, "s2_depth": 1,
                    "s3_emb_dim": 32, "s3_heads": 2, "s3_depth": 1}, (2, 3, 64, 64)),
    ("twins_svt", "TwinsSVT", {"num_classes": 5, "s1_emb_dim": 8, "s1_local_patch_size": 4, "s1_global_k": 4, "s2_emb_dim": 8,
                               "s2_local_patch_size": 4, "s2_global_k": 4, "s3_emb_dim": 16, "s3_local_patch_size": 2,
                               "s3_global_k": 2, "s3_depth": 1, "s4_emb_dim": 16, "s4_local_patch_size": 1, "s4_global_k": 1,
                               "s4_depth": 1}, (2, 3, 64, 64)),
    ("regionvit", "RegionViT", {"dim": (8, 8, 16, 16), "depth": (1, 1, 1, 1), "window_size": 7, "num_classes": 5}, (1, 3, 224, 224)),
    ("crossformer", "CrossFormer", {"num_classes": 5, "dim": (32, 32, 32, 64), "depth": (1, 1, 1, 1),
                                    "global_window_size": (4, 2, 2, 1), "local_window_size": 1, "cross_embed_kernel_sizes": ((4, 8), (2, 4), (2, 4), (2, 4))}, (1, 3, 64, 64)),
    ("scalable_vit", "ScalableViT", {"num_classes": 5, "dim": 8, "heads": (1, 1, 2, 2), "depth": (1, 1, 1, 1), "ssa_dim_key": 8,
                                     "reduction_factor": (4, 2, 1, 1), "window_size": (8, 4, None, None)}, (1, 3, 64, 64)),
    ("sep_vit", "SepViT", {"num_classes": 5, "dim": 8, "dim_head": 8, "heads": (1, 1, 2, 2), "depth": (1, 1, 1, 1),
                           "window_size": 7}, (1, 3, 224, 224)),
    ("max_vit", "MaxViT", {"num_classes": 5, "dim_conv_stem": 8, "dim": 16, "dim_head": 8, "depth": (1, 1), "window_size": 4}, (2, 3, 64, 64)),
    ("nest", "NesT", {"image_size": 32, "patch_size": 4, "dim": 24, "heads": 2, "num_hierarchies": 2, "block_repeats": (1, 1),
                      "num_classes": 5}, image),
    ("mobile_vit", "MobileViT", {"image_size": (64, 64), "dims": [16, 16, 24], "channels": [8, 8, 8, 8, 16, 16, 16, 16, 24, 24, 32],
                                 "num_classes": 5}, (2, 3, 64, 64)),
    ("xcit", "XCiT", {**HEAD, "cls_depth": 1, "local_patch_kernel_size": 3}, image),
    ("ats_vit", "ViT", {**HEAD, "max_tokens_per_depth": (12, 6)}, image),
    ("vit_with_patch_merger", "ViT", {**HEAD, "patch_merge_layer": 1, "patch_merge_num_tokens": 4}, image),
    ("vit_for_small_dataset", "ViT", HEAD, image),
    ("vit_3d", "ViT", VIDEO, video),
    ("simple_vit_3d", "SimpleViT", VIDEO, video),
    ("vivit", "ViViT", {**{k: v for k, v in VIDEO.items() if k != "depth"}, "spatial_depth": 1, "temporal_depth": 1}, video),
    ("parallel_vit", "ViT", {**HEAD, "num_parallel_branches": 2}, image),
    ("rvt", "RvT", HEAD, image),
    ("look_vit", "LookViT", {"dim": 24, "image_size": 32, "num_classes": 5, "depth": 1, "patch_size": 8, "heads": 2, "dim_head": 8,
                             "highres_patch_size": 4, "highres_mlp_factor": 2, "cross_attn_heads": 2, "cross_attn_dim_head": 8,
                             "patch_conv_kernel_size": 3}, image),
    ("normalized_vit", "nViT", HEAD, image),
    ("jumbo_vit", "JumboViT", {**HEAD, "num_jumbo_cls": 1, "jumbo_cls_k": 3}, image),
    ("vit_1d", "ViT", {"seq_len": 32, "patch_size": 8, "num_classes": 5, "dim": 24, "depth": 1, "heads": 2, "mlp_dim": 32}, (2, 3, 32)),
    ("simple_vit_1d", "SimpleViT", {"seq_len": 32, "patch_size": 8, "num_classes": 5, "dim": 24, "depth": 1, "heads": 2,
                                    "mlp_dim": 32}, (2, 3, 32)),
    ("simple_vit_with_fft", "SimpleViT", {**HEAD, "freq_patch_size": 8}, image),
    ("simple_uvit", "SimpleUViT", {**HEAD, "num_register_tokens": 2}, image),
    ("simple_vit_with_value_residual", "SimpleViT", HEAD, image),
    ("simple_vit_with_qk_norm", "SimpleViT", HEAD, image),
    ("simple_vit_with_register_tokens", "SimpleViT", HEAD, image),
    ("simple_vit_with_patch_dropout", "SimpleViT", {**HEAD, "patch_dropout": 0.25}, image),
    ("vit_with_patch_dropout", "ViT", {**HEAD, "patch_dropout": 0.25}, image),
    ("simple_flash_attn_vit", "SimpleViT", {**HEAD, "use_flash": True}, image),
    ("vit_with_decorr", "ViT", HEAD, image),
    ("simple_vit_with_hyper_connections", "SimpleViT", {**HEAD, "num_residual_streams": 2}, image),
]


def first_tensor(out):
    return out if torch.is_tensor(out) else first_tensor(out[0])


def build(module, name, settings, shape):
    model = getattr(importlib.import_module(f"vit_pytorch.{module}"), name)(**settings)
    return model, first_tensor(model(pattern(*shape)))


def na_vit():
    from vit_pytorch.na_vit import NaViT

    model = NaViT(**HEAD, dropout=0.0, emb_dropout=0.0, token_dropout_prob=0.1)
    sizes = [[(32, 32), (16, 16)], [(16, 32)]]
    return model, model([[pattern(3, *size) for size in group] for group in sizes])


def dino():
    from vit_pytorch import Dino, ViT

    learner = Dino(ViT(**HEAD), image_size=32, hidden_layer="to_latent", projection_hidden_size=16, projection_layers=2,
                   num_classes_K=32, augment_fn=torch.nn.Identity(), augment_fn2=torch.nn.Identity(), local_upper_crop_scale=0.5)
    loss = learner(pattern(*image))
    loss.backward(retain_graph=True)
    learner.update_moving_average()
    return learner, loss, loss


def distilled():
    from vit_pytorch.distill import DistillableViT, DistillWrapper

    teacher = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3072, 5))
    model = DistillWrapper(student=DistillableViT(**HEAD), teacher=teacher, temperature=3, alpha=0.5, hard=False)
    loss = model(pattern(*image), torch.tensor([1, 3]))
    return model, loss, loss


def extracted():
    from vit_pytorch import ViT
    from vit_pytorch.extractor import Extractor
    from vit_pytorch.recorder import Recorder

    model = ViT(**HEAD)
    logits, embeddings = Extractor(model)(pattern(*image))
    _, attention = Recorder(model)(pattern(*image))
    return model, torch.cat([logits.flatten(), embeddings.flatten(), attention.flatten()])


wanted = [word for word in sys.argv[1:] if not word.startswith("-")]
cases = {}
for module, name, settings, shape in MODELS:
    key = module if module not in cases else f"{module}_2"
    cases[key] = lambda m=module, n=name, s=settings, d=shape: build(m, n, s, d)
cases.update(na_vit=na_vit, distilled=distilled, extracted=extracted, dino=dino)
for key, make in cases.items():
    if not wanted or key in wanted:
        case(key, make)

finish()
