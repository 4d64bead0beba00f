"""timm: eight families of models created, their outputs, and a training step of each."""

import json

import timm
import torch
from timm.data import create_transform, resolve_data_config
from timm.optim import create_optimizer_v2
from torchvision.transforms.functional import to_pil_image

FAMILIES = {
    "resnet18": 64, "vit_tiny_patch16_224": 224, "convnext_atto": 64, "efficientnet_b0": 64, "swin_tiny_patch4_window7_224": 224, "mixer_s32_224": 224,
    "mobilenetv3_small_100": 64, "regnety_002": 64,
}
found = {}
for name, size in FAMILIES.items():
    torch.manual_seed(0)
    model = timm.create_model(name, num_classes=5)
    x = torch.rand(2, 3, size, size)
    model.eval()  # a step that depends on no mask of dropout, and on no mean of two samples
    with torch.no_grad():
        before = model(x)
    optimizer = create_optimizer_v2(model, opt="sgd", lr=1e-3, weight_decay=0.01)
    loss = torch.nn.functional.cross_entropy(model(x), torch.tensor([1, 2]))
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        found[name] = [*before.flatten().tolist(), loss.item(), *model(x).flatten().tolist()]
transform = create_transform(**resolve_data_config({"input_size": (3, 32, 32)}, model=model))
found["transform"] = transform(to_pil_image(torch.arange(3 * 40 * 40).reshape(3, 40, 40).remainder(256).to(torch.uint8))).flatten().tolist()[::16]
found["features"] = timm.create_model("resnet18", features_only=True).feature_info.channels()
print(json.dumps(found))
