"""torchmetrics: metrics of classification and regression."""

import json

import torch
import torchmetrics

found, right = torch.tensor([0, 1, 2, 1]), torch.tensor([0, 1, 1, 1])
print(json.dumps({
    "accuracy": [torchmetrics.Accuracy("multiclass", num_classes=3)(found, right).item()],
    "f1": [torchmetrics.F1Score("multiclass", num_classes=3, average="macro")(found, right).item()],
    "squares": [torchmetrics.MeanSquaredError()(found.float(), right.float()).item()],
    "auroc": [torchmetrics.functional.auroc(torch.tensor([0.1, 0.4, 0.8]), torch.tensor([0, 0, 1]), "binary").item()],
}))
