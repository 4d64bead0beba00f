"""`str`, `repr` and `format` of tensors and other objects."""

from ..dsl import error_of, program

NAN = float("nan")
INF = float("inf")


def texts(values):
    return {str(number): str(value) for number, value in enumerate(values)}


@program
def floating(torch):
    t = torch.tensor
    return texts([
        t([]), t(1.0), t(-2.5), t(1e-5), t(1e10), t(NAN), t(INF), t([1.0, 2.0]), t([0.1, 0.25, 1 / 3]), t([1.0, 1000.0]), t([1e-4, 1.0]),
        t([1e-5, 1.0]), t([1e5, 1.0]), t([1e8, 1.0]), t([1e9, 2e9]), t([123456.0, 1.5]), t([99999.0, 0.1]), t([0.00001, 0.5]), t([NAN, 1.0, INF, -INF]), t([NAN, NAN]),
        t([INF, 1e10]), t([-0.0, 0.0]), t([-1.5, 22.75]), t([1.0, 2.5, -3.25]), t([3.0, -4.0]), t([1e-38, 1e38]), t([1.99999, 2.0]), t([0.99999999]), t([12345.678]),
        t([1.0, 10.0, 100.0]), t([0.001, 0.01]), t([1e7, 1.0]), t([1e-7]), t([16777216.0]), t([1.0, 1e4]), t([1.5, 1e4]), t([[1.0, 2.0], [3.0, 4.5]]), t([[NAN, 1e6]]),
        torch.arange(10.0), torch.arange(10.0) / 7, torch.zeros(3), torch.ones(2, 2) * 0.5,
    ])  # fmt: skip


@program
def other_dtypes(torch):
    t = torch.tensor
    values = [
        t([1, 2, 3]), t(7), t([-1, 100]), t([[1, -20], [300, 4]]), t([True, False]), t(True), t([[True], [False]]), t([1, 2], dtype=torch.uint8), t([1, -2], dtype=torch.int8),
        t([1, 2], dtype=torch.int16), t([1, 2], dtype=torch.int32), t([2**40, -1]), t([1.5, 2.25], dtype=torch.float64), t([0.1, 100.0], dtype=torch.float16),
        t([0.1, 100.0], dtype=torch.bfloat16), t([1.0, 1e-3], dtype=torch.float64), t([1e300, 1.0], dtype=torch.float64), t([65504.0, 6e-8], dtype=torch.float16),
        t(2.5, dtype=torch.float16), torch.zeros(0, dtype=torch.int64), torch.zeros(2, 0), torch.zeros(0, 3, dtype=torch.bool), torch.zeros(2, 0, 3, dtype=torch.float64),
        torch.empty(0, dtype=torch.float16),
    ]  # fmt: skip
    return texts(values)


@program
def complex_numbers(torch):
    t = torch.tensor
    return texts(
        [t([1 + 2j, -0.5j]), t(3j), t([1e6 + 1j, 1j]), t([1 + 1j], dtype=torch.complex128), torch.zeros(0, dtype=torch.complex64)]
    )


@program
def large(torch):
    a = torch.arange
    return texts([
        a(999), a(1000), a(1001), a(1001.0), a(2000.0).reshape(40, 50), a(1100.0).reshape(2, 550), a(1200.0).reshape(3, 20, 20), a(10000).reshape(10, 10, 10, 10),
        a(30.0), a(120), a(60.0).reshape(3, 20), a(64.0).reshape(2, 4, 8), a(200).reshape(2, 100), a(24.0).reshape(2, 3, 4), a(16).reshape(2, 2, 2, 2), torch.zeros(1, 1, 1, 1),
        torch.zeros(1001, 1), torch.zeros(7, 143), torch.linspace(0, 1, 50), torch.linspace(-1e6, 1e6, 7), torch.logspace(-6, 6, 5), torch.eye(12) * 1e5, torch.full((30,), -123.5),
    ])  # fmt: skip


@program
def with_gradients(torch):
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    with torch.no_grad():
        detached = x * 2
    return texts([
        x, y, y.sum(), y[0], x.exp().view(2, 1), y.detach(), detached, x.double(), torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.arange(3), requires_grad=False),
        x.t(), torch.zeros(0, requires_grad=True), (x + 1).reshape(1, 2), x.max(0)[0], torch.zeros(3, dtype=torch.float64, requires_grad=True), x[None].expand(2, 2), x.unbind()[0],
    ])  # fmt: skip


@program
def views_and_layouts(torch):
    x = torch.arange(12.0).reshape(3, 4)
    return texts(
        [x.t(), x[:, ::2], x[1], x[1:, 1:3], x[0].expand(2, 4), x.unsqueeze(1), x[0, 0], x.diagonal(), x.view(2, 6)[1], x.half()]
    )


@program
def print_options(torch):
    values = [
        torch.tensor([1 / 3, 1000.0, 1e-6]), torch.arange(50.0), torch.arange(2000), torch.tensor([1e-5, 1e5]), torch.tensor([0.5, 2.0]), torch.tensor(1 / 7),
        torch.arange(30).reshape(5, 6), torch.tensor([NAN, 1.25]), torch.tensor([123456789.0]), torch.arange(400.0).reshape(20, 20) / 3,
    ]  # fmt: skip
    results = {}
    settings = {
        "precision 2": {"precision": 2}, "precision 8": {"precision": 8}, "threshold": {"threshold": 20}, "threshold and edges": {"threshold": 5, "edgeitems": 1},
        "narrow": {"linewidth": 40}, "wide": {"linewidth": 200}, "scientific": {"sci_mode": True}, "plain": {"sci_mode": False}, "full": {"profile": "full", "edgeitems": 3},
        "short": {"profile": "short"},
    }  # fmt: skip
    for name, options in settings.items():
        torch.set_printoptions(**options)
        results[name] = texts(values)
        torch.set_printoptions(profile="default", sci_mode=None)
    results["default"] = texts(values)
    return results


@program
def formatting(torch):
    x = torch.tensor(3.14159)
    one = torch.tensor([2.5])
    return {
        "f": f"{x:.2f}", "width": f"{x:8.3f}|", "plain": f"{x}", "int": f"{torch.tensor(42):5d}|", "one": f"{one}", "vector": f"{torch.arange(3)}", "bool": f"{torch.tensor(True)}",
        "repr": repr(x), "percent": f"{torch.tensor(0.256):.1%}", "vector spec": error_of(lambda: f"{torch.arange(3):.2f}"), "with grad": f"{x.clone().requires_grad_():.3f}",
        "string": "%s" % torch.tensor([1, 2]), "g": f"{torch.tensor(1e-9):g}", "e": f"{torch.tensor(12345.678):.3e}",
    }  # fmt: skip


@program
def other_objects(torch):
    nn = torch.nn
    return texts([
        torch.float32, torch.int64, torch.bool, torch.bfloat16, torch.device("cpu"), torch.Size([2, 3]), torch.Size([]), torch.zeros(2, 3).shape, torch.zeros(2).dtype,
        torch.max(torch.tensor([[1.0, 2.0]]), 1), torch.sort(torch.tensor([2, 1])), torch.zeros(2).device, torch.strided, torch.contiguous_format, torch.channels_last,
        repr(torch.device("cpu", 0)), torch.finfo(torch.float32), torch.iinfo(torch.int8), nn.Parameter(torch.zeros(1, 2)), torch.half, torch.long,
    ])  # fmt: skip


@program
def numeric_limits(torch):
    results = {}
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        info = torch.finfo(dtype)
        results[str(dtype)] = [
            info.min,
            info.max,
            info.eps,
            info.tiny,
            info.smallest_normal,
            info.resolution,
            info.bits,
            info.dtype,
        ]
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        info = torch.iinfo(dtype)
        results[str(dtype)] = [info.min, info.max, info.bits, info.dtype]
    return results


@program
def modules(torch):
    nn = torch.nn
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.BatchNorm2d(8),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(128, 10, bias=False),
    )
    named = nn.ModuleDict({"one": nn.Linear(2, 2), "list": nn.ModuleList([nn.ReLU(), nn.ReLU(), nn.GELU("tanh")])})
    single = [
        nn.Conv1d(2, 4, 3, stride=2, dilation=2, groups=2), nn.Conv2d(2, 4, (3, 1), padding="same", bias=False), nn.MaxPool1d(2), nn.AvgPool2d(3, stride=1), nn.AdaptiveAvgPool2d(1),
        nn.BatchNorm1d(4, affine=False), nn.LayerNorm(5), nn.LayerNorm((2, 3), elementwise_affine=False), nn.GroupNorm(2, 4), nn.Dropout(0.3), nn.Embedding(4, 3, padding_idx=1),
        nn.LeakyReLU(0.1), nn.ELU(), nn.Softplus(), nn.SiLU(), nn.Sigmoid(), nn.Tanh(), nn.Softmax(dim=1), nn.LogSoftmax(1), nn.CrossEntropyLoss(), nn.MSELoss(), nn.BCELoss(), nn.NLLLoss(),
        nn.Identity(), nn.Unflatten(1, (2, 2)), nn.Sequential(), nn.ModuleList(), nn.ParameterList([nn.Parameter(torch.zeros(2))]), nn.BCEWithLogitsLoss(), nn.ReLU6(), nn.Hardtanh(),
        nn.ZeroPad2d(1), nn.ConstantPad1d((1, 2), 3.0), nn.Bilinear(2, 3, 4), nn.PReLU(), nn.GLU(), nn.Module(),
    ]  # fmt: skip
    repeated = nn.Sequential(*[nn.Linear(3, 3) for _ in range(3)])
    return {"model": str(model), "named": str(named), "repeated": str(repeated), "single": texts(single)}


@program
def optimizers(torch):
    weights = [torch.zeros(2, requires_grad=True)]
    other = torch.zeros(1, requires_grad=True)
    groups = [{"params": weights}, {"params": [other], "lr": 0.5}]
    optim = torch.optim
    return texts(
        [
            optim.SGD(weights, lr=0.1),
            optim.SGD(groups, lr=0.1, momentum=0.9, nesterov=True),
            optim.Adam(weights),
            optim.AdamW(weights, lr=1e-2),
        ]
    )
