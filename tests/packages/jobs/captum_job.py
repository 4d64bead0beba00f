"""captum: attributions of a small network's output to its input."""

import json

import torch
from captum.attr import DeepLift, IntegratedGradients, Occlusion, Saliency

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
x = torch.tensor([[0.1, 0.2, 0.3], [1.0, -1.0, 0.0]])
found = {kind.__name__: kind(model).attribute(x, target=1).flatten().tolist() for kind in (IntegratedGradients, Saliency, DeepLift)}
found["Occlusion"] = Occlusion(model).attribute(x, target=0, sliding_window_shapes=(1,)).flatten().tolist()
print(json.dumps(found))
