"""accelerate: a model and its data prepared, trained, its state saved and loaded."""

import json
import tempfile

import torch
from accelerate import Accelerator

torch.manual_seed(0)
accelerator = Accelerator(cpu=True)
model = torch.nn.Linear(4, 1)
data = torch.utils.data.TensorDataset(torch.linspace(-1, 1, 32).reshape(8, 4))
model, optimizer, loader = accelerator.prepare(model, torch.optim.SGD(model.parameters(), lr=0.1), torch.utils.data.DataLoader(data, batch_size=4))
losses = []
for _ in range(2):
    for (x,) in loader:
        loss = model(x).pow(2).mean()
        accelerator.backward(loss)
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
with tempfile.TemporaryDirectory() as folder:
    accelerator.save_state(folder)
    with torch.no_grad():
        model.weight.zero_()
    accelerator.load_state(folder)
print(json.dumps({"losses": losses, "weight": model.weight.flatten().tolist()}))
