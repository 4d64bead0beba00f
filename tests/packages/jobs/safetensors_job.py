"""safetensors: tensors of many dtypes and a model with tied weights, saved and loaded, whole and in slices."""

import json
import tempfile

import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, load_model, save, save_file, save_model

KINDS = [torch.float64, torch.float32, torch.float16, torch.bfloat16, torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool, torch.float8_e4m3fn, torch.uint16]


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.table = torch.nn.Embedding(6, 4)
        self.out = torch.nn.Linear(4, 6)
        self.out.weight = self.table.weight

    def forward(self, x):
        return self.out(self.table(x))


torch.manual_seed(0)
tensors = {str(kind): (torch.arange(12) % 7).reshape(3, 4).to(kind) for kind in KINDS}
tensors["empty"], tensors["number"] = torch.zeros(0, 3), torch.tensor(2.5)
model = Tied()
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for _ in range(3):
    torch.nn.functional.cross_entropy(model(torch.arange(6)), torch.arange(6).flip(0)).backward()
    optimizer.step()
    optimizer.zero_grad()
found = {}
with tempfile.TemporaryDirectory() as folder:
    save_file(tensors, f"{folder}/all.safetensors", metadata={"format": "pt"})
    again = load_file(f"{folder}/all.safetensors")
    assert all(again[name].dtype == value.dtype and again[name].shape == value.shape for name, value in tensors.items())
    found |= {name: value.double().flatten().tolist() for name, value in again.items()}
    assert load(save(tensors)).keys() == tensors.keys()
    again["torch.float32"].add_(1)
    with safe_open(f"{folder}/all.safetensors", "pt") as file:
        assert file.metadata() == {"format": "pt"} and sorted(file.keys()) == sorted(tensors)
        part = file.get_slice("torch.float32")
        found["slice"] = part[1:, ::1].flatten().tolist() + part[:2, 1:3].flatten().tolist()
        found["row"] = file.get_tensor("torch.bfloat16")[2].tolist()
    save_model(model, f"{folder}/model.safetensors")
    other = Tied()
    assert load_model(other, f"{folder}/model.safetensors") == (set(), [])
    assert other.out.weight is other.table.weight
    found["model"] = other(torch.arange(6)).flatten().tolist()
    try:
        save_file(model.state_dict(), f"{folder}/tied.safetensors")
    except RuntimeError as error:
        found["tied"] = [int("share memory" in str(error))]
print(json.dumps(found))
