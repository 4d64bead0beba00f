"""A convolutional network tells squares from rings and crosses; options from the command line, a schedule of learning rates."""

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim
from torch.optim.lr_scheduler import StepLR
from torch.utils.data import DataLoader, TensorDataset


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, 1)
        self.norm = nn.BatchNorm2d(8)
        self.conv2 = nn.Conv2d(8, 16, 3, 1, padding=1)
        self.dropout1 = nn.Dropout(0.25)
        self.dropout2 = nn.Dropout2d(0.1)
        self.fc1 = nn.Linear(16 * 7 * 7, 32)
        self.fc2 = nn.Linear(32, 3)

    def forward(self, x):
        x = F.relu(self.norm(self.conv1(x)))
        x = F.relu(self.conv2(x))
        x = self.dropout2(F.max_pool2d(x, 2))
        x = torch.flatten(x, 1)
        x = self.dropout1(F.relu(self.fc1(x)))
        return F.log_softmax(self.fc2(x), dim=1)


def pictures(number):
    labels = torch.randint(3, (number,))
    images = 0.3 * torch.randn(number, 1, 16, 16)
    for image, label in zip(images, labels):
        row, column = torch.randint(0, 8, (2,)).tolist()
        patch = image[0, row : row + 8, column : column + 8]
        if label == 0:
            patch += 1
        elif label == 1:
            patch += 1
            patch[2:6, 2:6] -= 1
        else:
            patch[3:5] += 1
            patch[:, 3:5] += 1
    return TensorDataset(images, labels)


def train(args, model, device, loader, optimizer, epoch):
    model.train()
    for index, (data, target) in enumerate(loader):
        data, target = data.to(device), target.to(device)
        optimizer.zero_grad()
        loss = F.nll_loss(model(data), target)
        loss.backward()
        optimizer.step()
        if index % args.log_interval == 0:
            done = 100.0 * index / len(loader)
            print(f"Train Epoch: {epoch} [{index * len(data)}/{len(loader.dataset)} ({done:.0f}%)]\tLoss: {loss.item():.6f}")


def test(model, device, loader):
    model.eval()
    loss = correct = 0
    with torch.no_grad():
        for data, target in loader:
            output = model(data.to(device))
            loss += F.nll_loss(output, target.to(device), reduction="sum").item()
            correct += output.argmax(dim=1, keepdim=True).eq(target.view_as(output[:, :1])).sum().item()
    print(f"Test: average loss {loss / len(loader.dataset):.5f}, accuracy {correct}/{len(loader.dataset)}")


def main():
    parser = argparse.ArgumentParser(description="Shapes in noise")
    parser.add_argument("--batch-size", type=int, default=32, metavar="N")
    parser.add_argument("--epochs", type=int, default=3, metavar="N")
    parser.add_argument("--lr", type=float, default=0.5, metavar="LR")
    parser.add_argument("--gamma", type=float, default=0.7, metavar="M")
    parser.add_argument("--no-cuda", action="store_true", default=False)
    parser.add_argument("--seed", type=int, default=1, metavar="S")
    parser.add_argument("--log-interval", type=int, default=2, metavar="N")
    args = parser.parse_args()
    use_cuda = not args.no_cuda and torch.cuda.is_available()
    torch.manual_seed(args.seed)
    device = torch.device("cuda" if use_cuda else "cpu")
    settings = {"batch_size": args.batch_size}
    if use_cuda:
        settings.update(num_workers=1, pin_memory=True)
    train_loader = DataLoader(pictures(256), shuffle=True, **settings)
    test_loader = DataLoader(pictures(128), **settings)
    model = Net().to(device)
    optimizer = optim.Adadelta(model.parameters(), lr=args.lr)
    scheduler = StepLR(optimizer, step_size=1, gamma=args.gamma)
    for epoch in range(1, args.epochs + 1):
        train(args, model, device, train_loader, optimizer, epoch)
        test(model, device, test_loader)
        scheduler.step()
        print(f"learning rate {scheduler.get_last_lr()[0]:.4f}")


if __name__ == "__main__":
    main()
