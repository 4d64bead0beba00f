"""segmentation-models-pytorch: three architectures over several encoders built, their losses, and two steps of training each."""

import json

import segmentation_models_pytorch as smp
import torch

results = {}
models = {"unet": (smp.Unet, "resnet18"), "fpn": (smp.FPN, "mobilenet_v2"), "linknet": (smp.Linknet, "resnet18")}
torch.manual_seed(0)
x = torch.rand(2, 3, 64, 64)
mask = (x.mean(1, keepdim=True) > 0.5).float()
for name, (architecture, encoder) in models.items():
    torch.manual_seed(1)
    model = architecture(encoder, encoder_weights=None, classes=1).eval()  # statistics of so few pixels would magnify the last digits
    loss_of, optimizer = smp.losses.DiceLoss("binary"), torch.optim.SGD(model.parameters(), lr=0.01)
    losses = []
    for _ in range(2):
        optimizer.zero_grad()
        loss = loss_of(model(x), mask)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    stats = smp.metrics.get_stats((mask + x[:, :1] > 1).long(), mask.long(), mode="binary")
    results[name] = losses + [float(s.sum()) for s in stats]
print(json.dumps(results))
