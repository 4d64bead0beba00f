"""Modules: repr, initial parameters, results in both modes, gradients."""

from ..dsl import program


def wave(torch, *size, shift=0):
    """A float32 tensor of numbers between -1.5 and 1.6 that have no order."""
    count = 1
    for extent in size:
        count *= extent
    numbers = [((k * 37 + shift * 11) % 97) / 31 - 1.5 for k in range(count)]
    return torch.tensor(numbers).reshape(size)


def observe(torch, make, *inputs):
    torch.manual_seed(0)
    module = make()
    results = {"repr": repr(module), "metadata": {key: str(value) for key, value in module.state_dict()._metadata.items()}}
    results["start"] = {key: value.clone() for key, value in module.state_dict().items()}
    inputs = [value.clone().requires_grad_() if value.is_floating_point() else value for value in inputs]
    trained = module(*inputs)
    outputs = trained if isinstance(trained, tuple) else (trained,)
    results["trained"] = [output.detach() for output in outputs]
    weighted = outputs[0] * wave(torch, *outputs[0].shape, shift=5)
    if weighted.requires_grad:
        weighted.sum().backward()
    results["gradients"] = [value.grad for value in [*inputs, *module.parameters()]]
    results["buffers"] = dict(module.named_buffers())
    module.eval()
    evaluated = module(*[value.detach() for value in inputs])
    results["evaluated"] = [output.detach() for output in (evaluated if isinstance(evaluated, tuple) else (evaluated,))]
    return results


@program
def activations(torch):
    nn = torch.nn
    ways = {
        "ReLU": nn.ReLU, "ReLU6": nn.ReLU6, "LeakyReLU": nn.LeakyReLU, "LeakyReLU 0.2": lambda: nn.LeakyReLU(0.2), "PReLU": nn.PReLU,
        "PReLU 4": lambda: nn.PReLU(4, init=0.1), "ELU": nn.ELU, "ELU 0.5": lambda: nn.ELU(alpha=0.5), "SELU": nn.SELU, "CELU": lambda: nn.CELU(2.0),
        "GELU": nn.GELU, "GELU tanh": lambda: nn.GELU("tanh"), "SiLU": nn.SiLU, "Mish": nn.Mish, "Sigmoid": nn.Sigmoid,
        "LogSigmoid": nn.LogSigmoid, "Tanh": nn.Tanh, "Softmax": lambda: nn.Softmax(dim=1), "LogSoftmax": lambda: nn.LogSoftmax(-1),
        "Softmin": lambda: nn.Softmin(0), "Softplus": nn.Softplus, "Softplus 2": lambda: nn.Softplus(2, 1.5), "Softsign": nn.Softsign,
        "Softshrink": nn.Softshrink, "Hardshrink": lambda: nn.Hardshrink(0.3), "Hardtanh": nn.Hardtanh, "Hardtanh 2": lambda: nn.Hardtanh(-0.3, 0.7),
        "Hardsigmoid": nn.Hardsigmoid, "Hardswish": nn.Hardswish, "Tanhshrink": nn.Tanhshrink, "Threshold": lambda: nn.Threshold(0.1, 3.5),
        "GLU": nn.GLU, "GLU 0": lambda: nn.GLU(0), "RReLU": nn.RReLU,
    }  # fmt: skip
    results = {name: observe(torch, make, wave(torch, 6, 4)) for name, make in ways.items()}
    results["Softmax2d"] = observe(torch, nn.Softmax2d, wave(torch, 2, 3, 2, 2))
    return results


@program
def inplace_activations(torch):
    nn = torch.nn
    results = {}
    for kind in (nn.ReLU, nn.ReLU6, nn.LeakyReLU, nn.ELU, nn.SELU, nn.CELU, nn.SiLU, nn.Mish, nn.Hardsigmoid, nn.Hardswish, nn.Hardtanh):
        module = kind(inplace=True)
        values = wave(torch, 3, 3)
        result = module(values)
        results[kind.__name__] = {"repr": repr(module), "same": result is values, "values": values}
    return results


@program
def linear(torch):
    nn = torch.nn
    return {
        "Identity": observe(torch, lambda: nn.Identity(3, a=4), wave(torch, 2, 3)),
        "Linear": observe(torch, lambda: nn.Linear(3, 4), wave(torch, 2, 3)),
        "Linear 1d": observe(torch, lambda: nn.Linear(3, 4), wave(torch, 3)),
        "Linear 3d": observe(torch, lambda: nn.Linear(5, 7, bias=False), wave(torch, 2, 3, 5)),
        "Linear double": observe(torch, lambda: nn.Linear(3, 2, dtype=torch.float64), wave(torch, 2, 3).double()),
        "Bilinear": observe(torch, lambda: nn.Bilinear(3, 4, 2), wave(torch, 5, 3), wave(torch, 5, 4, shift=1)),
        "Bilinear without bias": observe(torch, lambda: nn.Bilinear(2, 2, 3, bias=False), wave(torch, 2, 2), wave(torch, 2, 2, shift=1)),
    }


@program
def convolutions(torch):
    nn = torch.nn
    images = wave(torch, 2, 4, 7, 6)
    ways = {
        "plain": lambda: nn.Conv2d(4, 3, 3), "options": lambda: nn.Conv2d(4, 6, (3, 2), stride=2, padding=1, dilation=(2, 1), groups=2, bias=False),
        "same": lambda: nn.Conv2d(4, 2, (4, 3), padding="same"), "valid": lambda: nn.Conv2d(4, 2, 3, padding="valid"),
        "reflect": lambda: nn.Conv2d(4, 2, 3, padding=(2, 1), padding_mode="reflect"),
        "circular": lambda: nn.Conv2d(4, 2, 3, padding=(2, 1), padding_mode="circular"),
        "replicate": lambda: nn.Conv2d(4, 2, (4, 3), padding="same", padding_mode="replicate"),
    }  # fmt: skip
    results = {name: observe(torch, make, images) for name, make in ways.items()}
    results["without a batch"] = observe(torch, lambda: nn.Conv2d(4, 3, 3), images[0])
    results["Conv1d"] = observe(torch, lambda: nn.Conv1d(4, 3, 5, padding=2), wave(torch, 2, 4, 9))
    results["Conv3d"] = observe(torch, lambda: nn.Conv3d(2, 3, (2, 3, 3), padding=1), wave(torch, 1, 2, 4, 5, 5))
    return results


@program
def transposed_convolutions(torch):
    nn = torch.nn
    images = wave(torch, 2, 4, 3, 4)
    results = {
        "plain": observe(torch, lambda: nn.ConvTranspose2d(4, 3, 3), images),
        "options": observe(torch, lambda: nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, output_padding=1, groups=2, bias=False), images),
        "dilated": observe(torch, lambda: nn.ConvTranspose2d(4, 2, (3, 2), dilation=2), images[0]),
        "ConvTranspose1d": observe(torch, lambda: nn.ConvTranspose1d(4, 3, 4, stride=2), wave(torch, 2, 4, 5)),
    }
    torch.manual_seed(0)
    module = nn.ConvTranspose2d(4, 1, 3, stride=2)
    results["output_size"] = [list(module(images, output_size=size).shape) for size in ([7, 10], [2, 1, 8, 9])]
    return results


@program
def lookups(torch):
    nn = torch.nn
    indices = torch.tensor([[1, 4, 1], [0, 6, 2]])
    return {
        "Embedding": observe(torch, lambda: nn.Embedding(7, 3), indices),
        "padding": observe(torch, lambda: nn.Embedding(7, 3, padding_idx=-3), indices),
        "options": observe(torch, lambda: nn.Embedding(7, 3, max_norm=1.0, norm_type=1.0, scale_grad_by_freq=True), indices),
        "pretrained": observe(torch, lambda: nn.Embedding.from_pretrained(wave(torch, 7, 2)), indices),
        "pretrained free": observe(torch, lambda: nn.Embedding.from_pretrained(wave(torch, 7, 2), freeze=False, padding_idx=1), indices),
    }


@program
def normalisations(torch):
    nn = torch.nn
    images = wave(torch, 3, 4, 2, 3)
    return {
        "BatchNorm1d": observe(torch, lambda: nn.BatchNorm1d(3), wave(torch, 5, 3)),
        "BatchNorm1d 3d": observe(torch, lambda: nn.BatchNorm1d(3, eps=0.01), wave(torch, 2, 3, 4)),
        "BatchNorm2d": observe(torch, lambda: nn.BatchNorm2d(4), images),
        "BatchNorm2d cumulative": observe(torch, lambda: nn.BatchNorm2d(4, momentum=None), images),
        "BatchNorm2d without statistics": observe(torch, lambda: nn.BatchNorm2d(4, affine=False, track_running_stats=False), images),
        "BatchNorm2d without bias": observe(torch, lambda: nn.BatchNorm2d(4, momentum=0.3, bias=False), images),
        "BatchNorm3d": observe(torch, lambda: nn.BatchNorm3d(2), wave(torch, 3, 2, 2, 2, 2)),
        "LayerNorm": observe(torch, lambda: nn.LayerNorm(5), wave(torch, 3, 5)),
        "LayerNorm 2d": observe(torch, lambda: nn.LayerNorm((2, 3), bias=False), images),
        "LayerNorm plain": observe(torch, lambda: nn.LayerNorm([3], elementwise_affine=False, eps=0.1), images),
        "GroupNorm": observe(torch, lambda: nn.GroupNorm(2, 4), images),
        "GroupNorm plain": observe(torch, lambda: nn.GroupNorm(4, 4, affine=False), images),
        "InstanceNorm1d": observe(torch, lambda: nn.InstanceNorm1d(3), wave(torch, 2, 3, 5)),
        "InstanceNorm2d": observe(torch, lambda: nn.InstanceNorm2d(4, affine=True, track_running_stats=True), images),
        "InstanceNorm2d without a batch": observe(torch, lambda: nn.InstanceNorm2d(4), images[0]),
        "RMSNorm": observe(torch, lambda: nn.RMSNorm(5), wave(torch, 3, 5)),
        "RMSNorm plain": observe(torch, lambda: nn.RMSNorm((2, 3), eps=0.01, elementwise_affine=False), images),
    }


@program
def dropouts(torch):
    nn = torch.nn
    return {
        "Dropout": observe(torch, lambda: nn.Dropout(0.3), wave(torch, 5, 6)),
        "Dropout 0": observe(torch, lambda: nn.Dropout(0), wave(torch, 2, 3)),
        "Dropout 1": observe(torch, lambda: nn.Dropout(1), wave(torch, 2, 3)),
        "Dropout1d": observe(torch, nn.Dropout1d, wave(torch, 2, 6, 3)),
        "Dropout2d": observe(torch, lambda: nn.Dropout2d(0.2), wave(torch, 2, 6, 2, 2)),
        "AlphaDropout": observe(torch, nn.AlphaDropout, wave(torch, 5, 6)),
    }


@program
def pools(torch):
    nn = torch.nn
    rows, images = wave(torch, 2, 3, 9), wave(torch, 2, 2, 6, 7)
    return {
        "MaxPool1d": observe(torch, lambda: nn.MaxPool1d(2), rows),
        "MaxPool2d": observe(torch, lambda: nn.MaxPool2d(2), images),
        "MaxPool2d options": observe(
            torch, lambda: nn.MaxPool2d((2, 3), stride=(2, 1), padding=1, dilation=(1, 2), return_indices=True, ceil_mode=True), images
        ),
        "AvgPool1d": observe(torch, lambda: nn.AvgPool1d(3, stride=2, padding=1), rows),
        "AvgPool2d": observe(torch, lambda: nn.AvgPool2d(2), images),
        "AvgPool2d options": observe(torch, lambda: nn.AvgPool2d((2, 3), 2, 1, ceil_mode=True, count_include_pad=False), images),
        "AvgPool2d divisor": observe(torch, lambda: nn.AvgPool2d(3, divisor_override=2), images),
        "AdaptiveAvgPool1d": observe(torch, lambda: nn.AdaptiveAvgPool1d(4), rows),
        "AdaptiveAvgPool2d": observe(torch, lambda: nn.AdaptiveAvgPool2d((None, 3)), images),
        "AdaptiveAvgPool2d 1": observe(torch, lambda: nn.AdaptiveAvgPool2d(1), images),
        "AdaptiveMaxPool1d": observe(torch, lambda: nn.AdaptiveMaxPool1d(4), rows),
        "AdaptiveMaxPool2d": observe(torch, lambda: nn.AdaptiveMaxPool2d((4, 3), return_indices=True), images),
    }


@program
def paddings(torch):
    nn = torch.nn
    results = {}
    for number, size in ((1, (2, 2, 4)), (2, (1, 2, 3, 4))):
        values = wave(torch, *size)
        uneven = (2, 1) if number == 1 else (1, 2, 0, 1)
        for kind in ("ZeroPad", "ReflectionPad", "ReplicationPad", "CircularPad"):
            make = getattr(nn, f"{kind}{number}d")
            results[f"{kind}{number}d"] = observe(torch, lambda make=make: make(1), values)
            results[f"{kind}{number}d uneven"] = observe(torch, lambda make=make, uneven=uneven: make(uneven), values)
        make = getattr(nn, f"ConstantPad{number}d")
        results[f"ConstantPad{number}d"] = observe(torch, lambda make=make: make(1, 2.5), values)
        results[f"ConstantPad{number}d cropping"] = observe(torch, lambda make=make: make((-1, 1), 0.5), values)
    return results


@program
def shapes(torch):
    nn = torch.nn
    return {
        "Flatten": observe(torch, nn.Flatten, wave(torch, 2, 3, 4)),
        "Flatten 0 1": observe(torch, lambda: nn.Flatten(0, 1), wave(torch, 2, 3, 4)),
        "Unflatten": observe(torch, lambda: nn.Unflatten(1, (2, 2)), wave(torch, 3, 4)),
        "PixelShuffle": observe(torch, lambda: nn.PixelShuffle(2), wave(torch, 2, 8, 2, 3)),
        "PixelUnshuffle": observe(torch, lambda: nn.PixelUnshuffle(2), wave(torch, 2, 2, 4, 6)),
        "Upsample": observe(torch, lambda: nn.Upsample(scale_factor=2), wave(torch, 1, 2, 2, 3)),
        "Upsample size": observe(torch, lambda: nn.Upsample(size=(5, 4)), wave(torch, 1, 2, 3, 3)),
        "Upsample bilinear": observe(torch, lambda: nn.Upsample(size=(5, 4), mode="bilinear", align_corners=True), wave(torch, 1, 2, 3, 3)),
    }


@program
def resizing(torch):
    nn = torch.nn
    images = wave(torch, 1, 2, 3, 5)
    ways = {
        "nearest": lambda: nn.Upsample(scale_factor=(1.7, 0.6)), "nearest-exact": lambda: nn.Upsample(size=(7, 2), mode="nearest-exact"),
        "area": lambda: nn.Upsample(size=(2, 7), mode="area"), "bilinear": lambda: nn.Upsample(scale_factor=2.5, mode="bilinear"),
        "bilinear smaller": lambda: nn.Upsample(size=(2, 2), mode="bilinear"), "aligned": lambda: nn.UpsamplingBilinear2d(scale_factor=3),
        "recomputed": lambda: nn.Upsample(scale_factor=1.5, mode="bilinear", recompute_scale_factor=True),
        "bicubic": lambda: nn.Upsample(size=(6, 7), mode="bicubic"), "bicubic aligned": lambda: nn.Upsample(size=(5, 3), mode="bicubic", align_corners=True),
        "UpsamplingNearest2d": lambda: nn.UpsamplingNearest2d(4),
    }  # fmt: skip
    results = {name: observe(torch, make, images) for name, make in ways.items()}
    results["linear"] = observe(torch, lambda: nn.Upsample(size=7, mode="linear"), wave(torch, 2, 2, 4))
    results["trilinear"] = observe(torch, lambda: nn.Upsample(scale_factor=2, mode="trilinear"), wave(torch, 1, 1, 2, 2, 3))
    return results


@program
def patches(torch):
    nn = torch.nn
    images, pooled = wave(torch, 2, 2, 5, 6), wave(torch, 1, 2, 2, 2)
    places = torch.tensor([[[[0, 3], [9, 15]], [[5, 2], [8, 10]]]])
    return {
        "Unfold": observe(torch, lambda: nn.Unfold((2, 3), dilation=(2, 1), padding=1, stride=2), images),
        "Unfold without a batch": observe(torch, lambda: nn.Unfold(3), images[0]),
        "Fold": observe(torch, lambda: nn.Fold((4, 5), 2, padding=(1, 0), stride=(2, 1)), wave(torch, 2, 8, 12)),
        "MaxUnpool2d": observe(torch, lambda: nn.MaxUnpool2d(2), pooled, places),
        "MaxUnpool1d": observe(torch, lambda: nn.MaxUnpool1d(2), pooled[0, :, 0], torch.tensor([[0, 3], [1, 2]])),
        "LPPool1d": observe(torch, lambda: nn.LPPool1d(3, 2), wave(torch, 2, 2, 7)),
        "LPPool1d inf": observe(torch, lambda: nn.LPPool1d(float("inf"), 3, stride=2), wave(torch, 2, 2, 7)),
        "LPPool2d -inf": observe(torch, lambda: nn.LPPool2d(float("-inf"), 2), images),
        "LPPool2d": observe(torch, lambda: nn.LPPool2d(2, (2, 3), stride=1, ceil_mode=True), images),
    }


@program
def losses(torch):
    nn = torch.nn
    values, other = wave(torch, 4, 3), wave(torch, 4, 3, shift=3)
    unit = (other + 1.6) / 3.3
    classes = torch.tensor([2, 0, 1, 2])
    weight = torch.tensor([0.2, 1.5, 0.7])
    return {
        "L1Loss": observe(torch, nn.L1Loss, values, other),
        "MSELoss": observe(torch, nn.MSELoss, values, other),
        "MSELoss sum": observe(torch, lambda: nn.MSELoss(reduction="sum"), values, other),
        "MSELoss none": observe(torch, lambda: nn.MSELoss(reduction="none"), values, other),
        "SmoothL1Loss": observe(torch, lambda: nn.SmoothL1Loss(beta=0.5), values, other),
        "HuberLoss": observe(torch, lambda: nn.HuberLoss(delta=0.5), values, other),
        "CrossEntropyLoss": observe(torch, nn.CrossEntropyLoss, values, classes),
        "CrossEntropyLoss options": observe(
            torch, lambda: nn.CrossEntropyLoss(weight, ignore_index=0, reduction="sum", label_smoothing=0.1), values, classes
        ),
        "CrossEntropyLoss probabilities": observe(torch, nn.CrossEntropyLoss, values, unit),
        "NLLLoss": observe(torch, lambda: nn.NLLLoss(weight), values, classes),
        "BCELoss": observe(torch, nn.BCELoss, (values + 1.6) / 3.3, unit),
        "BCEWithLogitsLoss": observe(torch, lambda: nn.BCEWithLogitsLoss(pos_weight=weight), values, unit),
        "KLDivLoss": observe(torch, lambda: nn.KLDivLoss(reduction="batchmean"), values, unit),
        "KLDivLoss log": observe(torch, lambda: nn.KLDivLoss(reduction="sum", log_target=True), values, other),
    }


@program
def a_small_network(torch):
    nn = torch.nn
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Conv2d(1, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.25), nn.Linear(16, 5)
    )  # fmt: skip
    images, classes = wave(torch, 6, 1, 4, 4), torch.tensor([0, 1, 2, 3, 4, 0])
    results = {"repr": repr(network), "losses": [], "norms": []}
    optimizer = torch.optim.SGD(network.parameters(), lr=0.1, momentum=0.9)
    for _ in range(8):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(network(images), classes)
        loss.backward()
        results["norms"].append(nn.utils.clip_grad_norm_(network.parameters(), 0.5).item())
        optimizer.step()
        results["losses"].append(loss.item())
    network.eval()
    results["state"] = dict(network.state_dict())
    results["scores"] = network(images).detach()
    return results
