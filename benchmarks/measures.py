"""The measurements, for any library with PyTorch's interface; run in CPython and in Pyodide. Times are seconds."""

import time

MATMUL = 960
BATCH, INPUTS, HIDDEN, CLASSES = 32, 64, 64, 10


def best(function, seconds=0.4, repeats=5):
    """The least time of one call: over `repeats` runs, each of as many calls as fill its share of `seconds`."""
    start = time.perf_counter()
    function()
    once = max(time.perf_counter() - start, 1e-7)
    count = max(1, int(seconds / repeats / once))
    least = float("inf")
    for _ in range(repeats):
        start = time.perf_counter()
        for _ in range(count):
            function()
        least = min(least, (time.perf_counter() - start) / count)
    return least


def small_add(torch):
    a, b = torch.ones(4), torch.ones(4)
    return lambda: a + b


def small_add_with_grad(torch):
    a, b = torch.ones(4, requires_grad=True), torch.ones(4, requires_grad=True)
    return lambda: a + b


def training_step(torch):
    """Forward, backward and an SGD step of a 64-64-10 perceptron on a batch of 32."""
    nn = torch.nn
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(INPUTS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, CLASSES))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    images, labels = torch.randn(BATCH, INPUTS), torch.randint(0, CLASSES, (BATCH,))

    def step():
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(images), labels).backward()
        optimizer.step()

    return step


def matmul(torch):
    torch.manual_seed(0)
    a, b = torch.randn(MATMUL, MATMUL), torch.randn(MATMUL, MATMUL)
    return lambda: a @ b


def convolution(torch):
    torch.manual_seed(0)
    images, weights = torch.randn(8, 32, 32, 32), torch.randn(64, 32, 3, 3)
    return lambda: torch.nn.functional.conv2d(images, weights, padding=1)


def unary(name):
    def make(torch):
        torch.manual_seed(0)
        x = torch.randn(1_000_000)
        function = getattr(torch, name)
        return lambda: function(x)

    return make


def softmax(torch):
    torch.manual_seed(0)
    x = torch.randn(1000, 1000)
    return lambda: torch.softmax(x, 1)


def total(torch):
    torch.manual_seed(0)
    x = torch.randn(1_000_000)
    return lambda: x.sum()


def gigaflops(seconds):
    return 2 * MATMUL**3 / seconds / 1e9
