"""vit-pytorch: six kinds of vision transformers trained, one distilled, masked autoencoding, attention recorded, a network saved and loaded."""

import io
import json
import random

import torch
from vit_pytorch import MAE, SimpleViT, ViT
from vit_pytorch.cait import CaiT
from vit_pytorch.cct import CCT
from vit_pytorch.deepvit import DeepViT
from vit_pytorch.dino import Dino
from vit_pytorch.distill import DistillableViT, DistillWrapper
from vit_pytorch.extractor import Extractor
from vit_pytorch.mobile_vit import MobileViT
from vit_pytorch.recorder import Recorder

SMALL = {"image_size": 32, "patch_size": 8, "num_classes": 3, "dim": 24, "depth": 2, "heads": 3, "mlp_dim": 40}
PICTURES = torch.linspace(-9, 9, 2 * 3 * 32 * 32).sin().reshape(2, 3, 32, 32)
KINDS = torch.tensor([0, 2])


def trained(model, loss_of, steps=3):
    optimizer = torch.optim.AdamW([parameter for parameter in model.parameters() if parameter.requires_grad], lr=1e-3)
    losses = []
    for _ in range(steps):
        loss = loss_of(model)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


MODELS = {
    "vit": lambda: ViT(**SMALL, dropout=0.1, emb_dropout=0.1), "simple": lambda: SimpleViT(**SMALL), "deep": lambda: DeepViT(**SMALL),
    "cait": lambda: CaiT(**SMALL, cls_depth=1, layer_dropout=0.05),
    "cct": lambda: CCT(img_size=32, embedding_dim=24, n_conv_layers=1, kernel_size=7, stride=2, padding=3, pooling_kernel_size=3, pooling_stride=2, pooling_padding=1,
                       num_layers=2, num_heads=2, mlp_ratio=2.0, num_classes=3, positional_embedding="learnable"),
    "mobile": lambda: MobileViT(image_size=(64, 64), dims=[16, 20, 24], channels=[8, 8, 16, 16, 16, 16, 16, 16, 16, 16, 32], num_classes=3, kernel_size=3, patch_size=(1, 1)),
}
found = {}
random.seed(0)
for name, make in MODELS.items():
    torch.manual_seed(0)
    model = make()
    pictures = torch.nn.functional.interpolate(PICTURES, size=64) if name == "mobile" else PICTURES
    if name == "mobile":  # its batches are normalised over few values, which makes training it chaotic
        model.eval()
    found[name] = trained(model, lambda model: torch.nn.functional.cross_entropy(model(pictures), KINDS))
    model.eval()
    found[f"{name} sees"] = model(pictures).flatten().tolist()

torch.manual_seed(1)
plain = ViT(**SMALL, pool="mean")
found["masked"] = trained(MAE(encoder=plain, masking_ratio=0.75, decoder_dim=16, decoder_depth=1), lambda model: model(PICTURES))
plain.eval()
predicted, attention = Recorder(plain)(PICTURES)
found["attention"] = [*attention.shape, *attention[0, 0, 0].flatten().tolist()[:50]]
plain = plain.eject() if hasattr(plain, "eject") else plain
student = DistillableViT(**SMALL)
found["distilled"] = trained(DistillWrapper(student=student, teacher=SimpleViT(**SMALL), temperature=3, alpha=0.5, hard=False), lambda model: model(PICTURES, KINDS))
learner = Dino(ViT(**SMALL), image_size=32, hidden_layer="to_latent", projection_hidden_size=16, projection_layers=2, num_classes_K=32)
found["alone"] = trained(learner, lambda model: model(PICTURES), steps=1)
learner.update_moving_average()
found["inside"] = Extractor(SimpleViT(**SMALL), layer_name="transformer")(PICTURES)[1].flatten().tolist()[:60]
file = io.BytesIO()
torch.save(student.state_dict(), file)
file.seek(0)
again = DistillableViT(**SMALL)
again.load_state_dict(torch.load(file))
found["again"] = again.eval().to_vit()(PICTURES).flatten().tolist()
print(json.dumps(found))
