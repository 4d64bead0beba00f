"""Networks trained from a seed: the losses throughout."""

import importlib

from ..dsl import program, relative

STEPS = 100


def digits(torch):
    images, labels = importlib.import_module("pywasmtorch.datasets").digits()
    return images.unsqueeze(1).to(torch.float32) / 16, labels


def train(torch, model, optimizer, batches, steps):
    """Losses of ``steps`` steps on the batches that ``batches()`` gives, again and again."""
    found = []
    while True:
        for images, labels in batches():
            loss = torch.nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            found.append(loss.item())
            if len(found) == steps:
                return found


@program
@relative(1e-4)
def digits_network(torch):
    nn = torch.nn
    images, labels = digits(torch)
    torch.manual_seed(0)
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(128, 10),
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9)
    dataset = torch.utils.data.TensorDataset(images[:1500], labels[:1500])
    loader = torch.utils.data.DataLoader(dataset, batch_size=32, shuffle=True)
    losses = train(torch, model, optimizer, lambda: loader, STEPS)
    return {"losses": losses}


@program
@relative(1e-4)
def digits_network_with_adam(torch):
    """The convolution has no bias: before a batch norm its gradient is rounding alone, which Adam makes large."""
    nn = torch.nn
    images, labels = digits(torch)
    torch.manual_seed(1)
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1, bias=False),
        nn.BatchNorm2d(8),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Dropout(0.2),
        nn.Linear(128, 32),
        nn.GELU(),
        nn.Linear(32, 10),
    )
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, weight_decay=0.01)
    batches = [(images[start : start + 64], labels[start : start + 64]) for start in range(0, 1500, 64)]
    losses = train(torch, model, optimizer, lambda: batches, 40)
    model.eval()
    with torch.no_grad():
        evaluated = torch.nn.functional.cross_entropy(model(images[1500:]), labels[1500:])
    return {"losses": losses, "evaluated": evaluated}


@program
@relative(1e-4)
def polynomial(torch):
    x = torch.linspace(-3, 3, 200)
    y = torch.sin(x)
    weights = [torch.tensor(0.1 * k, requires_grad=True) for k in range(4)]
    losses = []
    for _ in range(50):
        loss = (sum(w * x**k for k, w in enumerate(weights)) - y).pow(2).sum()
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            for w in weights:
                w -= 1e-6 * w.grad
                w.grad = None
    return {"losses": losses, "weights": [w.detach() for w in weights]}


@program
@relative(1e-4)
def two_layers(torch):
    torch.manual_seed(0)
    x, target = torch.randn(64, 8), torch.randint(0, 3, (64,))
    model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.Tanh(), torch.nn.LayerNorm(16), torch.nn.Linear(16, 3))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    losses = train(torch, model, optimizer, lambda: [(x, target)], 60)
    return {"losses": losses, "weight": model[0].weight.detach()}


@program
@relative(1e-4)
def character_model(torch):
    nn = torch.nn
    text = "a small network reads this line of text over and over until it knows it by heart. " * 4
    letters = sorted(set(text))
    data = torch.tensor([letters.index(letter) for letter in text])
    torch.manual_seed(0)
    table, hidden, head = nn.Embedding(len(letters), 12), nn.Linear(36, 48), nn.Linear(48, len(letters))
    parameters = [*table.parameters(), *hidden.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=0.01)
    windows = data.unfold(0, 4, 1)
    losses = []
    for _ in range(40):
        rows = windows[torch.randint(0, len(windows), (32,))]
        logits = head(torch.relu(hidden(table(rows[:, :3]).flatten(1))))
        loss = nn.functional.cross_entropy(logits, rows[:, 3])
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        losses.append(loss.item())
    return {"losses": losses}
