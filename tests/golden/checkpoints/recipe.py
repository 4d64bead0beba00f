"""Contents of the recorded checkpoints, made by a given library."""

from collections import OrderedDict
from pathlib import Path

from ..values import ITEM_SIZES

FOLDER = Path(__file__).parent
DTYPES = list(ITEM_SIZES)


def tensors(torch):
    """Tensors of all dtypes and of every geometry, some sharing storage."""
    base = torch.arange(24.0).reshape(2, 3, 4)
    result = OrderedDict((name, torch.arange(6).reshape(2, 3).to(getattr(torch, name))) for name in DTYPES)
    result["special"] = torch.tensor([float("nan"), float("inf"), -0.0, 1e-45])
    result["base"] = base
    result["permuted"] = base.permute(2, 0, 1)
    result["part"] = base[1, :, ::2]
    result["scalar"] = torch.tensor(3.5)
    result["empty"] = torch.empty(0, 3)
    result["leaf"] = torch.ones(2, requires_grad=True)
    result["parameter"] = torch.nn.Parameter(torch.ones(3))
    result["frozen"] = torch.nn.Parameter(torch.ones(3), requires_grad=False)
    result["expanded"] = torch.ones(1).expand(4)
    result["wide integers"] = torch.tensor([2**62, -(2**62) - 1])
    return result


def objects(torch):
    """Everything else that state dictionaries hold."""
    return {
        "numbers": [0, 1, 255, 256, 65536, -1, 2**40, -(2**70), 2.5, float("inf"), True, False, None, 3 + 4j],
        "texts": ["", "a", "ü\u4e00\U0001f600", b"bytes\x00\xff"],
        "tuples": [(), (1,), (1, 2), (1, 2, 3), (1, 2, 3, 4)],
        "set": {1, 2, 3},
        "keys": {1: "a", (1, 2): "b", None: "c", 1.5: "d"},
        "dtype": torch.bfloat16,
        "bool": torch.bool,
        "size": torch.Size([2, 3]),
        "device": torch.device("cpu"),
        "layout": torch.strided,
        "bytes": bytearray(b"xyz"),
    }


def everything(torch):
    return {"tensors": tensors(torch), "objects": objects(torch)}


def network(torch):
    """A module whose parameters follow from their places."""
    nn = torch.nn
    net = nn.Sequential(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(8, 3))
    with torch.no_grad():
        for p in net.parameters():
            p.copy_((torch.arange(p.numel()) % 7 - 3).reshape(p.shape) / 8)
    return net


def bits(tensor):
    """The bytes of a tensor's elements in order, of either library."""
    flat = tensor.detach().contiguous().flatten()
    if not flat.numel():
        return b""
    return bytes(flat.view(flat.new_empty(0).byte().dtype).tolist())


def difference(left, right, place=""):
    """Where two objects of either library differ, or None. Tensors must agree in bits, geometry and requires_grad."""
    if hasattr(left, "storage_offset") and hasattr(right, "storage_offset"):
        for what in ("dtype", "shape", "stride", "storage_offset", "requires_grad"):
            a, b = (str(getattr(x, what)() if what in ("stride", "storage_offset") else getattr(x, what)) for x in (left, right))
            if a != b:
                return f"{place}: {what} {a} and {b}"
        same = bits(left) == bits(right) and type(left).__name__ == type(right).__name__
        return None if same else f"{place}: {left} and {right}"
    if type(left).__name__ != type(right).__name__:
        return f"{place}: {type(left).__name__} and {type(right).__name__}"
    if isinstance(left, dict):
        if list(left) != list(right):
            return f"{place}: keys {list(left)} and {list(right)}"
        pairs = [(left[k], right[k], f"{place}[{k!r}]") for k in left]
    elif isinstance(left, (list, tuple)) and len(left) == len(right):
        pairs = [(a, b, f"{place}[{i}]") for i, (a, b) in enumerate(zip(left, right))]
    else:
        outside = "torch" in type(left).__module__
        same = str(left) == str(right) if outside else left == right
        return None if same else f"{place}: {left} and {right}"
    return next((found for pair in pairs if (found := difference(*pair))), None)


def optimizers(torch):
    """Optimizers after two steps, by name, on the parameters of a small module."""
    result = {}
    for name, kind, options in (
        ("adam", torch.optim.Adam, {"lr": 0.01, "amsgrad": True}),
        ("sgd", torch.optim.SGD, {"lr": 0.1, "momentum": 0.9}),
        ("rmsprop", torch.optim.RMSprop, {"lr": 0.01, "centered": True}),
    ):
        weight = torch.nn.Parameter(torch.arange(6.0).reshape(2, 3) / 4)
        optimizer = kind([weight], **options)
        for _ in range(2):
            optimizer.zero_grad()
            (weight * weight).sum().backward()
            optimizer.step()
        result[name] = (weight, optimizer)
    return result
