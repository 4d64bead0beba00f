"""torchvision: operators on boxes and regions, seven kinds of models, a detector's losses and gradients, transforms, pictures in files."""

import json
import tempfile
from pathlib import Path

import torch
import torchvision
from PIL import Image
from torchvision import datasets, io, ops, tv_tensors, utils
from torchvision.models import detection, efficientnet_b0, mobilenet_v3_small, resnet18, segmentation, swin_t, vit_b_32
from torchvision.transforms import v2

assert torchvision.extension._has_ops()
found = {}


def keep(name, *tensors):
    """About 200 numbers of a result, from all of it."""
    numbers = [x for t in tensors for x in t.detach().double().flatten().tolist()]
    found[name] = [round(x, 7) for x in numbers[:: max(1, len(numbers) // 200)]]


# ---- operators ----
torch.manual_seed(0)
boxes = torch.rand(30, 4) * 20
boxes[:, 2:] += boxes[:, :2]
keep("nms", ops.nms(boxes, torch.rand(30), 0.3), ops.batched_nms(boxes, torch.rand(30), torch.arange(30) % 3, 0.3))
x, regions = torch.randn(1, 8, 12, 12, requires_grad=True), [boxes[:4] / 3]
for pool in (ops.RoIAlign(2, 0.7, -1), ops.RoIPool(2, 0.7), ops.PSRoIAlign(2, 0.7, 2), ops.PSRoIPool(2, 0.7)):
    result = pool(x, regions)
    keep(type(pool).__name__, result, *torch.autograd.grad(result.square().sum(), x))
layer, offset = ops.DeformConv2d(8, 4, 3, padding=1), torch.randn(1, 18, 12, 12, requires_grad=True)
result = layer(x, offset, torch.rand(1, 9, 12, 12))
keep("deform_conv2d", result, *torch.autograd.grad(result.square().sum(), (offset, layer.weight)))

# ---- models ----
for make, size in ((resnet18, 64), (mobilenet_v3_small, 64), (efficientnet_b0, 64), (swin_t, 64), (vit_b_32, 224)):
    torch.manual_seed(0)
    with torch.no_grad():
        keep(make.__name__, make(num_classes=5).eval()(torch.rand(1, 3, size, size)))
torch.manual_seed(0)
model = segmentation.lraspp_mobilenet_v3_large(weights=None, weights_backbone=None, num_classes=3).eval()
with torch.no_grad():
    keep("lraspp", model(torch.rand(1, 3, 32, 32))["out"][..., ::4, ::4])
torch.manual_seed(0)
model = detection.fasterrcnn_mobilenet_v3_large_320_fpn(weights=None, weights_backbone=None, num_classes=4, min_size=96, max_size=128)
target = {"boxes": torch.tensor([[10.0, 10, 60, 60], [20, 30, 90, 80]]), "labels": torch.tensor([1, 2])}
losses = model([torch.rand(3, 96, 128)], [target])
sum(losses.values()).backward()
keep("losses", *(losses[name] for name in sorted(losses)))
keep("gradients", torch.stack([p.grad.abs().sum() for p in model.roi_heads.parameters()]))

# ---- pictures ----
picture = (torch.arange(3 * 24 * 32).reshape(3, 24, 32) * 7 % 256).to(torch.uint8)
sample = {"image": tv_tensors.Image(picture), "boxes": tv_tensors.BoundingBoxes(boxes[:3], format="XYXY", canvas_size=(24, 32))}
for change in (v2.RandomHorizontalFlip(1.0), v2.RandomRotation(30), v2.RandomResizedCrop(16), v2.ColorJitter(0.3, 0.3, 0.3), v2.RandomIoUCrop(), v2.GaussianBlur(3, 1.0)):
    torch.manual_seed(1)
    result = v2.Compose([v2.ToDtype({tv_tensors.Image: torch.float32, "others": None}, scale=True), change])(sample)
    keep(f"transform {type(change).__name__}", result["image"], result["boxes"])
with tempfile.TemporaryDirectory() as folder:
    for name in ("cat", "dog"):
        (Path(folder) / name).mkdir()
        utils.save_image(picture / 255, f"{folder}/{name}/0.png")
    data = datasets.ImageFolder(folder, v2.Compose([v2.ToImage(), v2.ToDtype(torch.float32, scale=True), v2.Resize((8, 8))]))
    keep("folder", data[1][0], torch.tensor(data[1][1]))
    keep("file", io.read_image(f"{folder}/cat/0.png"), torch.tensor(Image.open(f"{folder}/dog/0.png").size))
keep("drawn", utils.draw_bounding_boxes(picture, boxes[:2], colors="red"), utils.make_grid(torch.rand(3, 1, 4, 4), nrow=2))
keep("fake", *(torch.as_tensor(part) for part in datasets.FakeData(2, (1, 4, 4), 3, v2.Compose([v2.ToImage()]))[1]))
print(json.dumps(found))
