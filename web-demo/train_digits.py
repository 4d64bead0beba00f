"""Train a small convolutional network to read handwritten digits.

An ordinary PyTorch program. CPython, Node and the page all run this file. It ends by printing the test accuracy and the SHA-256 of the trained weights, which is the same
wherever it ran and on however many threads.

The digits are 1,797 images of 8x8 pixels from UCI's "Optical Recognition of Handwritten Digits"
(E. Alpaydin and C. Kaynak, 1998; CC BY 4.0).
"""

import argparse
import hashlib
import sys
from array import array

import pywasmtorch as torch
from pywasmtorch import nn
from pywasmtorch.datasets import digits
from pywasmtorch.nn import functional as F
from pywasmtorch.utils.data import DataLoader, TensorDataset, random_split

SEED = 0
EPOCHS = 12
BATCH = 32
LEARNING_RATE = 8e-3
TEST_IMAGES = 360


class Net(nn.Module):
    """Two convolutions and two linear layers: (N, 1, 8, 8) pixels in 0..1 to (N, 10) scores."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.conv2 = nn.Conv2d(16, 32, 3, padding=1)
        self.fc1 = nn.Linear(32 * 4 * 4, 64)
        self.fc2 = nn.Linear(64, 10)

    def forward(self, x):
        x = F.gelu(self.conv1(x))
        x = F.gelu(self.conv2(x))
        x = F.avg_pool2d(x, 2).flatten(1)
        x = F.gelu(self.fc1(x))
        return self.fc2(x)


def shifted(images):
    """Move a batch, (N, 1, 8, 8), sideways by -1, 0 or 1 pixel, so that the network minds less where a digit stands."""
    by = torch.randint(0, 3, (1,)).item()
    return F.pad(images, (1, 1))[..., by : by + 8]


class Training:
    """One run: the data, the network and its optimizer, ready to be stepped through.

    Everything follows from `seed`: which images are for training and which for testing, the first weights and the order of
    the batches.
    """

    def __init__(self, seed=SEED, epochs=EPOCHS):
        if epochs < 1:
            raise ValueError(f"epochs must be at least 1, got {epochs}")
        torch.manual_seed(seed)
        images, labels = digits()
        images = images.unsqueeze(1).float() / 16
        data = TensorDataset(images, labels)
        train, test = random_split(data, [len(data) - TEST_IMAGES, TEST_IMAGES])
        self.epochs = epochs
        self.batches = DataLoader(train, batch_size=BATCH, shuffle=True)
        self.test_images, self.test_labels = images[test.indices], labels[test.indices]
        self.model = Net()
        self.optimizer = torch.optim.Adam(self.model.parameters())
        self.total_steps = epochs * len(self.batches)

    def steps(self):
        """Train, and yield a dict after every step: step, epoch, loss and, at an epoch's end, accuracy."""
        step = 0
        for epoch in range(1, self.epochs + 1):
            for images, labels in self.batches:
                self.set_learning_rate(LEARNING_RATE * (1 - step / self.total_steps))
                loss = F.cross_entropy(self.model(shifted(images)), labels)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                step += 1
                last = step % len(self.batches) == 0
                yield {"step": step, "epoch": epoch, "loss": loss.item(), "accuracy": self.accuracy() if last else None}

    def set_learning_rate(self, rate):
        for group in self.optimizer.param_groups:
            group["lr"] = rate

    def guesses(self):
        """The digit that the network reads in each test image, (360,) int64."""
        with torch.no_grad():
            return self.model(self.test_images).argmax(1)

    def accuracy(self):
        """The fraction of the test images that the network reads correctly."""
        return (self.guesses() == self.test_labels).float().mean().item()

    def probabilities(self, pixels):
        """Ten probabilities, one per digit, for 64 pixels (row by row, 0 to 16)."""
        image = torch.tensor(list(pixels), dtype=torch.float32).reshape(1, 1, 8, 8) / 16
        with torch.no_grad():
            return F.softmax(self.model(image), 1)[0].tolist()

    def sha256(self):
        """The SHA-256 of the weights' bytes, tensor by tensor in the order of `state_dict()`."""
        digest = hashlib.sha256()
        for weights in self.model.state_dict().values():
            digest.update(array("f", weights.flatten().tolist()).tobytes())
        return digest.hexdigest()


def train(seed=SEED, epochs=EPOCHS, report=None):
    """Run to the end and return the `Training`; `report` is called with each step's dict."""
    run = Training(seed, epochs)
    for state in run.steps():
        if report is not None:
            report(state)
    return run


def progress_bar(total):
    """A `report` that draws a bar on a terminal where tqdm is installed, and elsewhere prints a line per epoch."""
    try:
        from tqdm import tqdm
    except ImportError:
        return print_epochs
    if not sys.stderr.isatty():
        return print_epochs
    bar = tqdm(total=total, unit="step", dynamic_ncols=True)
    accuracy = "-"

    def report(state):
        nonlocal accuracy
        if state["accuracy"] is not None:
            accuracy = f"{100 * state['accuracy']:.2f} %"
        bar.set_postfix(loss=f"{state['loss']:.4f}", accuracy=accuracy, refresh=False)
        bar.update()
        if state["step"] == total:
            bar.close()

    return report


def print_epochs(state):
    if state["accuracy"] is not None:
        print(f"epoch {state['epoch']:2}  loss {state['loss']:.4f}  accuracy {100 * state['accuracy']:.2f} %", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Train a small convolutional network to read handwritten digits.")
    parser.add_argument("--seed", type=int, default=SEED, help="everything random follows from it (default: %(default)s)")
    parser.add_argument("--epochs", type=int, default=EPOCHS, help="passes over the training images (default: %(default)s)")
    options = parser.parse_args()
    run = Training(options.seed, options.epochs)
    report = progress_bar(run.total_steps)
    for state in run.steps():
        report(state)
    print(f"test accuracy {100 * run.accuracy():.2f} %")
    print(f"sha256 {run.sha256()}")


if __name__ == "__main__":
    main()
