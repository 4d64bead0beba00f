"""uint16, uint32, uint64 and the float8 dtypes: stored, converted, compared, moved, printed, saved; what computes with them and what refuses."""

import io

from ..dsl import error_of, program

UNSIGNED = ("uint16", "uint32", "uint64")
FLOAT8 = ("float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz", "float8_e8m0fnu")
PLAIN = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64")


def seen(torch, x):
    return [str(x.dtype).split(".")[-1], list(x.shape), x.clone(memory_format=torch.contiguous_format).reshape(-1).view(torch.uint8), x.tolist(), repr(x)]


def value_of(torch, x):
    return [x] if str(x.dtype).split(".")[-1] in (*PLAIN, "complex64", "complex128") else seen(torch, x)


@program
def unsigned(torch):
    found, t = {}, torch.tensor
    for name in UNSIGNED:
        kind = getattr(torch, name)
        top = torch.iinfo(kind).max
        x = t([[1, 2, 0], [top, top - 1, top // 2]], dtype=kind)
        results = {
            "x": x, "zeros": torch.zeros(3, dtype=kind), "ones": torch.ones(2, dtype=kind), "full": torch.full((2,), 7, dtype=kind), "0-d": t(3, dtype=kind), "row": x[0], "column": x[:, 1], "gathered": x[t([1, 0])], "masked": x[x == x], "transposed": x.t(),
            "cat": torch.cat([x, x]), "stack": torch.stack([x, x]), "where": torch.where(x == 1, x, x.flatten()[3]), "clone": x.clone(), "reshape": x.reshape(3, 2), "expand": x[:1].expand(2, 3), "repeat": x.repeat(1, 2), "roll": x.roll(1), "eq": x == x, "eq number": x == 1, "ne": x != 2,
            "mul": x * 2, "mul tensors": x * x, "div": x / 2, "and": x & 3, "or": x | 4, "xor": x ^ x, "float": x + 0.0 if False else x.float(), "bool": x.bool(), "fill": x.clone().fill_(3), "zero": x.clone().zero_(), "copy": x.clone().copy_(t([1, 2, 3])), "times float": x * torch.ones(3),
            "like": torch.zeros_like(x), "sum": x[0].sum(), "prod": x[0, :2].prod(), "any": x.any(), "all": x.all(), "to uint8": x.to(torch.uint8), "flat index": x.flatten()[2:5], "unbind": x.unbind(0)[1], "sorted": x.sort(1)[0], "places": x.sort(1, descending=True)[1], "unique": torch.stack([x, x]).unique(), "cumsum": x[0].cumsum(0), "isfinite": torch.isfinite(x), "isnan": x.isnan(), "empty": torch.empty(0, dtype=kind),
        }  # fmt: skip
        found[name] = {key: value_of(torch, value) for key, value in results.items()}
        for other in PLAIN:
            source = t([0.0, 1.0, 2.75, 100.0]).to(getattr(torch, other))
            found[f"{name} from {other}"] = seen(torch, source.to(kind))
            found[f"{name} to {other}"] = [x.to(getattr(torch, other))]
        for other in UNSIGNED:
            found[f"{name} to {other}"] = seen(torch, x.to(getattr(torch, other)))
        found[f"{name} of floats"] = seen(torch, t([-1.0, -2.5, 70000.0, 3.99]).to(kind))
        found[f"{name} of negatives"] = seen(torch, t([-1, -2, 1 << 40]).to(kind))
        found[f"{name} facts"] = [x.itemsize, x.is_signed(), x.is_floating_point(), x.type(), repr(torch.iinfo(kind)), top, int(x[0, 1]), x[1, 0].item(), str(x.numpy().dtype), x.numpy().tolist(), torch.from_numpy(x.numpy()).tolist(), torch.equal(x, x)]
        found[f"{name} promotion"] = [
            str(torch.promote_types(kind, torch.float32)).split(".")[-1], str(torch.result_type(x, 1)).split(".")[-1], str(torch.result_type(x, 1.5)).split(".")[-1], torch.can_cast(kind, torch.int64), torch.can_cast(torch.int64, kind), torch.can_cast(torch.float32, kind),
            error_of(lambda kind=kind: torch.promote_types(kind, torch.int32), "promotion for uint16, uint32, uint64 types is not supported, attempted to promote"), error_of(lambda x=x: x + t([1, 2, 3]), "promotion for uint16"),
        ]  # fmt: skip
        refused = {
            "add": lambda x=x: x + x, "sub": lambda x=x: x - x, "neg": lambda x=x: -x, "floor": lambda x=x: x // 2, "mod": lambda x=x: x % 2, "pow": lambda x=x: x**2, "lt": lambda x=x: x < 2, "max": lambda x=x: x.max(), "argmax": lambda x=x: x.argmax(), "abs": lambda x=x: x.abs(), "not": lambda x=x: ~x, "shift": lambda x=x: x << 1,
            "arange": lambda kind=kind: torch.arange(3, dtype=kind), "eye": lambda kind=kind: torch.eye(2, dtype=kind), "linspace": lambda kind=kind: torch.linspace(0, 3, 4, dtype=kind), "masked_fill": lambda x=x: x.masked_fill(x == 1, 3), "gather": lambda x=x: x.gather(0, t([[0]])), "nonzero": lambda x=x: x.nonzero(),
            "clamp": lambda x=x: x.clamp(0, 5), "maximum": lambda x=x: torch.maximum(x, x), "add_": lambda x=x: x.add_(1), "dot": lambda x=x: x[0].dot(x[0]), "sign": lambda x=x: x.sign(), "bincount": lambda x=x: torch.bincount(x[0]),
        }  # fmt: skip
        found[f"{name} mean"] = error_of(lambda x=x: x.mean(), "could not infer output dtype")
        found[f"{name} refused"] = {key: error_of(function, "not implemented for 'uint") for key, function in refused.items()}
    found["uint64 of doubles"] = seen(torch, t([2.0**63, 2.0**64 - 2048, 0.0, 12345.9], dtype=torch.float64).to(torch.uint64))
    found["uint64 to doubles"] = [t([2**63, 2**64 - 1, 5], dtype=torch.uint64).double(), t([2**63, 2**64 - 1, 5], dtype=torch.uint64).float()]
    return found


def every_float(torch):
    values = [0.0, -0.0, 1.0, -1.0, 0.3, 448.0, 449.0, 464.0, 465.0, 480.0, 500.0, 1e9, float("inf"), -float("inf"), float("nan"), 57344.0, 60000.0, 61440.0, 61441.0, 65536.0, 240.0, 247.0, 248.0, 249.0, 1e-8, 1e-40, 1.5, 3.0, 0.75]
    fine = [sign * (1 + m / 64) * 2.0**e for e in range(-18, 17) for m in range(0, 64, 3) for sign in (1, -1)]
    ties = [(k + 0.5) * 2.0**-9 for k in range(40)] + [(k + 0.5) * 2.0**-16 for k in range(20)] + [(k + 0.5) * 2.0**-10 for k in range(20)] + [(k + 0.5) * 2.0**-17 for k in range(20)]
    return torch.tensor(values + fine + ties)


@program
def float8(torch):
    found, t = {}, torch.tensor
    for name in FLOAT8:
        kind = getattr(torch, name)
        codes = torch.arange(256).to(torch.uint8).view(kind)
        found[f"{name} decoded"] = [codes.float(), codes.double()]
        found[f"{name} encoded"] = [every_float(torch).to(kind).view(torch.uint8), every_float(torch).double().to(kind).view(torch.uint8), t([1, 2, 3, 250]).to(kind).view(torch.uint8), t([1.0, 2.5]).half().to(kind).view(torch.uint8)]
        x = t([[1.0, 2.0, 0.5], [4.0, 1.5, 3.0]]).to(kind)
        results = {
            "x": x, "zeros": torch.zeros(2, dtype=kind), "ones": torch.ones(2, dtype=kind), "full": torch.full((2,), 2.0, dtype=kind), "given": t([1.5, 2.0], dtype=kind), "row": x[0], "gathered": x[t([1, 0])], "transposed": x.t(), "cat": torch.cat([x, x]), "stack": torch.stack([x, x]), "clone": x.clone(),
            "eq": x == x, "where": torch.where(x == x, x, x), "fill": x.clone().fill_(2.0), "copy": x.clone().copy_(t([1.0, 2.0, 4.0])), "half": x.half(), "int": x.to(torch.int32), "bool": x.bool(), "index_select": x.index_select(1, t([2, 0])), "reshape": x.reshape(6), "codes": codes[:20], "isnan": codes.isnan(),
        }  # fmt: skip
        found[name] = {key: value_of(torch, value) for key, value in results.items()}
        found[f"{name} facts"] = [x.itemsize, x.is_signed(), x.is_floating_point(), x.type(), repr(torch.finfo(kind)), torch.finfo(kind).max, torch.finfo(kind).tiny, x[0, 1].item(), str(torch.result_type(x, 1.0)).split(".")[-1], torch.can_cast(torch.float32, kind)]
        leaf = t([1.0, 2.0], requires_grad=True)
        (leaf.to(kind).float() * t([3.0, 4.0])).sum().backward()
        found[f"{name} gradient"] = [leaf.grad]
        found[f"{name} module"] = [str(torch.nn.Linear(2, 2).to(kind).weight.dtype).split(".")[-1]]
        refused = {
            "add": lambda x=x: x + x, "mul": lambda x=x: x * 2, "sum": lambda x=x: x.sum(), "neg": lambda x=x: -x, "lt": lambda x=x: x < x, "nonzero": lambda x=x: x.nonzero(), "masked_fill": lambda x=x: x.masked_fill(x == x, 0), "dot": lambda x=x: x[0] @ x[0], "max": lambda x=x: x.max(),
        }  # fmt: skip
        found[f"{name} refused"] = {key: error_of(function, "not implemented for 'float8") for key, function in refused.items()}
        found[f"{name} promotion"] = [error_of(lambda kind=kind: torch.promote_types(kind, torch.float32), "promotion for float8 types is not supported"), error_of(lambda x=x: x.numpy(), "got unsupported scalartype float8")]
    return found


@program
def saving(torch):
    found = {}
    for name in (*UNSIGNED, *FLOAT8):
        file = io.BytesIO()
        x = torch.tensor([[1.0, 2.0], [4.0, 8.0]]).to(getattr(torch, name))
        torch.save({"x": x, "view": x.t()}, file)
        file.seek(0)
        loaded = torch.load(file)
        found[name] = [*seen(torch, loaded["x"]), list(loaded["view"].stride()), loaded["x"].float()]
    return found
