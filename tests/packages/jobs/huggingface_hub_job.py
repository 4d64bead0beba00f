"""huggingface_hub: a model of one's own by the mixin, its weights in shards, saved, loaded and read back, without a network."""

import json
import os
import tempfile

os.environ["HF_HUB_OFFLINE"] = "1"

import torch
from huggingface_hub import (
    PyTorchModelHubMixin,
    load_torch_model,
    save_torch_model,
    save_torch_state_dict,
    split_torch_state_dict_into_shards,
)


class Net(torch.nn.Module, PyTorchModelHubMixin):
    def __init__(self, wide: int = 8, slope: float = 0.1):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, wide), torch.nn.LeakyReLU(slope), torch.nn.Linear(wide, 2))

    def forward(self, x):
        return self.layers(x)


torch.manual_seed(0)
model = Net(wide=16, slope=0.2)
x = torch.linspace(-1, 1, 32).reshape(8, 4)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
losses = []
for _ in range(4):
    loss = torch.nn.functional.mse_loss(model(x), x[:, :2].flip(1))
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
with tempfile.TemporaryDirectory() as folder:
    os.mkdir(f"{folder}/shards")
    os.mkdir(f"{folder}/pickled")
    model.save_pretrained(folder)
    again = Net.from_pretrained(folder)
    found = {"losses": losses, "again": again(x).flatten().tolist(), "slope": [again.layers[1].negative_slope]}
    shards = split_torch_state_dict_into_shards(model.state_dict(), max_shard_size=300)
    found["shards"] = [len(names) for names in shards.filename_to_tensors.values()]
    save_torch_model(model, f"{folder}/shards", max_shard_size=300)
    found["files"] = [len(os.listdir(f"{folder}/shards"))]
    other = Net(wide=16, slope=0.2)
    load_torch_model(other, f"{folder}/shards")
    found["other"] = other(x).flatten().tolist()
    save_torch_state_dict(model.state_dict(), f"{folder}/pickled", safe_serialization=False)
    other = Net(wide=16, slope=0.2)
    load_torch_model(other, f"{folder}/pickled", safe=False)
    found["pickled"] = other(x).flatten().tolist()
print(json.dumps(found))
