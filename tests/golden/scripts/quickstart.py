"""From data to a saved model: striped pictures, a data set class, loaders, a network of three layers, and a checkpoint."""

import io

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Stripes(Dataset):
    """Noisy 12 x 12 pictures with stripes that run across, down, or along either diagonal."""

    names = ("across", "down", "rising", "falling")

    def __init__(self, length, seed, transform=None, target_transform=None):
        generator = torch.Generator().manual_seed(seed)
        rows, columns = torch.meshgrid(torch.arange(12.0), torch.arange(12.0), indexing="ij")
        phases = torch.stack([rows, columns, rows + columns, rows - columns])
        self.labels = torch.randint(0, 4, (length,), generator=generator)
        shift = torch.rand(length, 1, 1, generator=generator) * 6.28
        noise = torch.randn(length, 12, 12, generator=generator) * 0.4
        self.pictures = torch.sin(phases[self.labels] * 1.3 + shift) + noise
        self.transform, self.target_transform = transform, target_transform

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        picture, label = self.pictures[index], int(self.labels[index])
        if self.transform:
            picture = self.transform(picture)
        if self.target_transform:
            label = self.target_transform(label)
        return picture, label


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.flatten = nn.Flatten()
        self.stack = nn.Sequential(nn.Linear(144, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 4))

    def forward(self, x):
        return self.stack(self.flatten(x))


def train_loop(loader, model, loss_fn, optimizer, device):
    model.train()
    for batch, (x, y) in enumerate(loader):
        x, y = x.to(device), y.to(device)
        loss = loss_fn(model(x), y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"loss: {loss.item():.6f}  [{(batch + 1) * len(x):>4d}/{len(loader.dataset)}]")


def test_loop(loader, model, loss_fn, device):
    model.eval()
    loss, right = 0.0, 0.0
    with torch.no_grad():
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            prediction = model(x)
            loss += loss_fn(prediction, y).item()
            right += (prediction.argmax(1) == y).type(torch.float).sum().item()
    print(f"test accuracy {100 * right / len(loader.dataset):.1f}%, mean loss {loss / len(loader):.6f}")


torch.manual_seed(1)
device = torch.accelerator.current_accelerator().type if torch.accelerator.is_available() else "cpu"
print(f"using the {device} device")
training = Stripes(512, seed=2, transform=lambda p: p.clamp(-2, 2))
test = Stripes(128, seed=3, transform=lambda p: p.clamp(-2, 2))
train_loader = DataLoader(training, batch_size=64, shuffle=True)
test_loader = DataLoader(test, batch_size=64)
x, y = next(iter(test_loader))
print(x.shape, y.shape, y.dtype)

model = Network().to(device)
print(model)
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for epoch in range(4):
    print(f"epoch {epoch + 1}")
    train_loop(train_loader, model, loss_fn, optimizer, device)
    test_loop(test_loader, model, loss_fn, device)

file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, file)
file.seek(0)
checkpoint = torch.load(file, weights_only=True)
restored = Network()
print(restored.load_state_dict(checkpoint["model"]), checkpoint["epoch"], checkpoint["optimizer"]["param_groups"][0]["lr"])
restored.eval()
with torch.no_grad():
    picture, label = test[0]
    probabilities = F.softmax(restored(picture.unsqueeze(0)), dim=1)
    print(f"predicted {Stripes.names[probabilities.argmax()]!r}, actual {Stripes.names[label]!r}")
    print(all(torch.equal(a, b) for a, b in zip(model.state_dict().values(), restored.state_dict().values())))
