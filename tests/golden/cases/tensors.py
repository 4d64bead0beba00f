"""Tensors in Python: iteration, conversion, copying, comparison, attributes."""

import copy
import pickle

from ..dsl import error_of, program


@program
def iteration(torch):
    x = torch.arange(6).reshape(3, 2)
    first, second, third = x
    return {
        "rows": [row.tolist() for row in x], "items": [int(value) for value in x[0]], "list": list(x), "unpacked": [first, second, third], "len": len(x),
        "zip": [[a.item(), b.item()] for a, b in zip(x[0], x[1])], "reversed": list(reversed(torch.arange(3))), "0-d": error_of(lambda: list(torch.tensor(1)), "0-d"),
        "0-d len": error_of(lambda: len(torch.tensor(1)), "0-d"), "sum": sum(torch.arange(4)), "max": max(torch.tensor([1.0, 3.0, 2.0])), "sorted": sorted(torch.tensor([3, 1, 2])),
        "in": [2 in x, 9 in x], "enumerate": [number + value.item() for number, value in enumerate(torch.arange(3))],
    }  # fmt: skip


@program
def numbers(torch):
    t = torch.tensor
    first, second = t(1), t(1)
    values = {
        "int": int(t(3.9)), "float": float(t(3)), "bool": [bool(t(0.0)), bool(t([2]))], "complex": complex(t(2.0)), "index": [10, 20, 30][t(1)],
        "item": [t(2).item(), t(2.5).item(), t(True).item(), t([[7]]).item()], "tolist": [t([[1, 2], [3, 4]]).tolist(), t(1.5).tolist(), torch.zeros(0).tolist()],
        "range": list(range(t(3))), "hash": len({first, second, first}), "abs": abs(t(-2)), "divmod": error_of(lambda: divmod(t(7), t(2))), "pow": pow(t(2), 3),
        "many": error_of(lambda: int(t([1, 2]))), "none": error_of(lambda: bool(torch.zeros(0))), "bool of many": error_of(lambda: bool(t([1, 2])), "ambiguous"),
        "float index": error_of(lambda: [1, 2][t(1.0)]), "while": t(1) and t(0),
        "large": [t(2**53 + 1).item(), t(0.1).item(), t(0.1, dtype=torch.float64).item(), t(0.1, dtype=torch.float16).item()],
    }  # fmt: skip
    return values


@program
def shapes(torch):
    x = torch.zeros(2, 3, 4)
    s = x.shape
    return {
        "size": list(s), "index": s[1], "slice": s[1:], "type": type(s[1:]).__name__, "numel": s.numel(), "equal": s == (2, 3, 4), "sum": s + (5,), "of dim": x.size(-1),
        "is tuple": isinstance(s, tuple), "unpack": list(s), "ndim": x.ndim, "T": torch.zeros(2, 3).T.shape, "hash": hash(s) == hash((2, 3, 4)),
        "from": torch.Size((1, 2)), "bad": error_of(lambda: torch.Size(["a"])), "repeat": s * 2, "strides": list(x.stride()), "bytes": x.nbytes, "itemsize": x.itemsize,
    }  # fmt: skip


@program
def copies(torch):
    x = torch.arange(6.0).reshape(2, 3).t()
    y = torch.tensor([1.0, 2.0], requires_grad=True)
    deep, shallow = copy.deepcopy(x), copy.copy(x)
    deep[0, 0] = 50
    shallow[0, 1] = 60
    pickled = pickle.loads(pickle.dumps(x))
    pair = pickle.loads(pickle.dumps([x[0], x]))
    pair[1][0, 0] = -7
    parameter = pickle.loads(pickle.dumps(torch.nn.Parameter(torch.ones(2))))
    y.grad = torch.ones(2)
    return {
        "x": x, "deep": deep, "strides": [list(deep.stride()), list(pickled.stride())], "pickled": pickled, "shared": pair[0], "parameter": parameter, "is": isinstance(parameter, torch.nn.Parameter),
        "y": copy.deepcopy(y), "y.grad": copy.deepcopy(y).grad, "intermediate": error_of(lambda: copy.deepcopy(y * 2), "deepcopy"),
        "dtypes": [pickle.loads(pickle.dumps(torch.ones(2, dtype=d))) for d in (torch.bool, torch.int16, torch.bfloat16, torch.float16, torch.float64)],
        "dtype": pickle.loads(pickle.dumps(torch.float16)), "size": pickle.loads(pickle.dumps(torch.Size([1, 2]))), "device": pickle.loads(pickle.dumps(torch.device("cpu"))),
    }  # fmt: skip


@program
def attributes(torch):
    x = torch.zeros(2, 3, dtype=torch.float64)
    x.note = "kept"
    return {
        "device": str(x.device), "type": x.device.type, "index": x.device.index, "dtype": x.dtype, "layout": str(x.layout), "is_cuda": x.is_cuda, "is_sparse": x.is_sparse, "is_quantized": x.is_quantized,
        "note": x.note, "names": [torch.is_tensor(x), torch.is_tensor(3), isinstance(x, torch.Tensor), isinstance(x, torch.FloatTensor), isinstance(x, torch.DoubleTensor)],
        "to": [x.to("cpu") is x, x.cpu() is x, x.to(torch.float64) is x, x.double() is x, x.contiguous() is x, x.float() is x], "data_ptr": x.data_ptr() == x.view(-1).data_ptr(),
        "offset": x[1, 1:].storage_offset(), "missing": error_of(lambda: x.nothing, "nothing"), "bad device": error_of(lambda: torch.zeros(2, device="elsewhere"), "elsewhere"),
        "new": error_of(lambda: torch.zeros(2).to("nonsense")), "is_contiguous": [x.is_contiguous(), x.t().is_contiguous()], "is_leaf": x.is_leaf, "output_nr": x.output_nr,
        "numel": [torch.numel(x), x.numel(), x.nelement()], "dim": [x.dim(), x.ndimension()], "default": torch.get_default_dtype(), "type name": x.type(), "equal names": [torch.half is torch.float16, torch.long is torch.int64, torch.double is torch.float64],
    }  # fmt: skip


@program
def default_dtype(torch):
    try:
        torch.set_default_dtype(torch.float64)
        values = {
            "tensor": torch.tensor([1.0]),
            "zeros": torch.zeros(1),
            "arange": torch.arange(2.0),
            "divide": torch.tensor([1]) / 2,
            "linear": torch.nn.Linear(1, 1).weight.dtype,
        }
        values["bad"] = error_of(lambda: torch.set_default_dtype(torch.int64), "floating")
    finally:
        torch.set_default_dtype(torch.float32)
    return values


@program
def devices(torch):
    cpu = torch.device("cpu")
    return {
        "equal": [cpu == torch.device("cpu"), torch.device("cpu:0") == cpu, hash(cpu) == hash(torch.device("cpu"))], "repr": repr(cpu), "available": torch.cuda.is_available(), "count": torch.cuda.device_count(),
        "created": str(torch.zeros(1, device=cpu).device), "text": str(torch.zeros(1, device="cpu").device), "bad": error_of(lambda: torch.device("nothing"), "nothing"),
    }  # fmt: skip


@program
def buffers(torch):
    from array import array

    base = bytearray(range(16))
    x = torch.frombuffer(base, dtype=torch.uint8)
    y = torch.frombuffer(bytearray(array("f", [1.5, 2.5, -3.0]).tobytes()), dtype=torch.float32, offset=4, count=2)
    return {
        "x": x.clone(), "y": y, "all": torch.frombuffer(bytearray(8), dtype=torch.int16), "array": torch.tensor(array("d", [1.0, 2.0])), "short": error_of(lambda: torch.frombuffer(bytearray(3), dtype=torch.int32), "3"),
        "count": error_of(lambda: torch.frombuffer(bytearray(8), dtype=torch.int32, count=3)), "offset": error_of(lambda: torch.frombuffer(bytearray(8), dtype=torch.int32, offset=8)),
        "empty": error_of(lambda: torch.frombuffer(bytearray(), dtype=torch.int32)), "not a buffer": error_of(lambda: torch.frombuffer([1, 2], dtype=torch.int32)),
    }  # fmt: skip


@program
def comparison_of_values(torch):
    t = torch.tensor
    return {
        "none": [t([1, 2]) == None, (t(1) == None) is False], "text": error_of(lambda: t([1]) < "a"), "list": (t([1, 2]) == t([1, 3])).tolist(), "ne": (t([1, 2]) != 1).tolist(),  # noqa: E711
        "chained": error_of(lambda: t([1, 2]) < t([3, 4]) < 5), "in list": t(2) in [t(1), t(2)], "identity": [t(1) is t(1)], "mixed": (t([1, 2]) == t([1.0, 2.5])).tolist(), "bool": (t([True]) == 1).tolist(),
    }  # fmt: skip
