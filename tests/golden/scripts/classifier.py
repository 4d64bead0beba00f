"""A classifier as an nn.Module: three clouds of points, a data loader, training, evaluation, saving and loading."""

import pickle

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Classifier(nn.Module):
    def __init__(self, inputs, hidden, classes):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(inputs, hidden),
            nn.ReLU(),
            nn.Dropout(0.1),
            nn.Linear(hidden, hidden),
            nn.ReLU(),
            nn.Linear(hidden, classes),
        )

    def forward(self, x):
        return self.layers(x)


def clouds(per_class):
    centres = torch.tensor([[0.0, 2.0], [-2.0, -1.0], [2.0, -1.0]])
    points = torch.cat([centre + 0.8 * torch.randn(per_class, 2) for centre in centres])
    return TensorDataset(points, torch.arange(3).repeat_interleave(per_class))


def train(loader, model, criterion, optimizer):
    model.train()
    total = 0.0
    for points, labels in loader:
        loss = criterion(model(points), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(points)
    return total / len(loader.dataset)


def evaluate(loader, model):
    model.eval()
    right = 0
    with torch.no_grad():
        for points, labels in loader:
            right += (model(points).argmax(1) == labels).type(torch.float).sum().item()
    return right / len(loader.dataset)


torch.manual_seed(0)
training, test = random_split(clouds(100), [240, 60])
model = Classifier(2, 16, 3)
print(model)
print(sum(parameter.numel() for parameter in model.parameters()), "parameters")
optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
criterion = nn.CrossEntropyLoss()
loader = DataLoader(training, batch_size=32, shuffle=True)
for epoch in range(5):
    print(f"epoch {epoch}: loss {train(loader, model, criterion, optimizer):.3f}")
accuracy = evaluate(DataLoader(test, batch_size=60), model)
print(f"accuracy {accuracy:.3f}")

saved = pickle.dumps(model.state_dict())
copy = Classifier(2, 16, 3)
print(copy.load_state_dict(pickle.loads(saved)))
print(evaluate(DataLoader(test, batch_size=60), copy) == accuracy)
names = ["north", "south-west", "south-east"]
probabilities = torch.softmax(copy(torch.tensor([[0.1, 2.2]])), 1)[0]
print(names[probabilities.argmax()], f"{probabilities.max().item():.3f}")
