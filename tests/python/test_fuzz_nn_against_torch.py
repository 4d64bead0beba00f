"""Convolution, pooling, normalisation, losses, indexing and sorting with random sizes and options, against PyTorch.

Each test draws one call, runs it in both libraries and compares the results, the gradients of a fixed cotangent, or the errors.
"""

import warnings

import pytest
from golden import evaluate, replay
from golden.values import GRADIENT_TOLERANCES, TOLERANCES, contiguous_strides, difference, pack

torch = pytest.importorskip("torch", reason="PyTorch is not installed, so there is nothing to compare with")
hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
st = pytest.importorskip("hypothesis.strategies")

F = "torch.nn.functional"
FLOATS = st.sampled_from(["float32", "float64"])
CHECKS = hypothesis.settings(max_examples=80, deadline=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck))


class Input:
    """A tensor of the call: dtype, size, numbers, and the order in which its dimensions are stored."""

    def __init__(self, data, dtype, size, low=-3.0, high=3.0, grad=True, distinct=False):
        self.dtype, self.size, self.grad = dtype, list(size), grad
        count = 1
        for extent in size:
            count *= extent
        seed = data.draw(st.integers(0, 96))
        places = [(k * 37 + seed) % 97 for k in range(count)]
        if distinct:
            places = [place + 97 * (k // 97) for k, place in enumerate(places)]
        self.numbers = [low + (high - low) * place / 97 for place in places]
        if dtype.startswith(("int", "uint")):
            self.numbers = [int(number) for number in self.numbers]
        self.order = data.draw(st.permutations(range(len(size)))) if data.draw(st.booleans()) else list(range(len(size)))

    def build(self, lib):
        """The tensor, with its dimensions laid out in `order`."""
        size = [self.size[dim] for dim in self.order]
        stored = contiguous_strides(size)
        stride = [stored[self.order.index(dim)] for dim in range(len(size))]
        data = bytearray(pack(self.dtype, self.numbers))
        _, blank = evaluate.build_input(lib, self.dtype, data, self.size, contiguous_strides(self.size), 0)
        tensor = lib.empty(len(self.numbers), dtype=getattr(lib, self.dtype)).as_strided(self.size, stride)
        tensor.copy_(blank)
        return tensor.requires_grad_() if self.grad else tensor

    def __repr__(self):
        return f"{self.dtype} {self.size} stored as {self.order}"


def resolve_inputs(lib, value, leaves):
    if isinstance(value, Input):
        tensor = value.build(lib)
        if value.grad:
            leaves.append(tensor)
        return tensor
    if isinstance(value, list):
        return [resolve_inputs(lib, item, leaves) for item in value]
    return value


def run(lib, op, args, kwargs):
    """Results and gradients as ``(dtype, size, bytes)`` each, or the error."""
    leaves = []
    args = [resolve_inputs(lib, value, leaves) for value in args]
    kwargs = {name: resolve_inputs(lib, value, leaves) for name, value in kwargs.items()}
    try:
        results = evaluate.tensors_in(lib, evaluate.resolve(lib, op)(*args, **kwargs))
    except Exception as error:
        return error
    outputs = [tensor for tensor in results if tensor.requires_grad]
    grads = []
    if outputs and leaves:
        cotangents = [evaluate.cotangent(lib, tensor, number) for number, tensor in enumerate(outputs)]
        try:
            grads = lib.autograd.grad(outputs, leaves, cotangents, allow_unused=True)
        except RuntimeError:
            if lib is not torch:
                raise
            # PyTorch's group_norm cannot differentiate some memory layouts; then the results alone are compared.
            return [described(lib, tensor) for tensor in results], None
    return [described(lib, tensor) for tensor in results], [grad if grad is None else described(lib, grad) for grad in grads]


def described(lib, tensor):
    return evaluate.dtype_name(tensor), list(tensor.shape), replay.bytes_of(lib, tensor)


def compare(lib, op, *args, scale=1.0, **kwargs):
    """``scale`` widens the tolerances where many products add up."""
    call = f"{op}({', '.join([*map(repr, args), *(f'{name}={value!r}' for name, value in kwargs.items())])})"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        ours, theirs = run(lib, op, args, kwargs), run(torch, op, args, kwargs)
    if isinstance(theirs, Exception):
        assert isinstance(ours, Exception), f"{call}\nraised nothing where PyTorch raises {type(theirs).__name__}: {theirs}"
        expected = next(base for base in type(theirs).__mro__ if base.__module__ == "builtins")
        assert isinstance(ours, expected), f"{call}\nraised {ours!r} where PyTorch raises {theirs!r}"
        return
    assert not isinstance(ours, Exception), f"{call}\nraised {ours!r}"
    for what, mine, other, tolerances in zip(("result", "gradient"), ours, theirs, (TOLERANCES, GRADIENT_TOLERANCES)):
        if other is None:
            continue
        assert len(mine) == len(other), f"{call}\n{len(mine)} {what}s where PyTorch has {len(other)}"
        for number, (left, right) in enumerate(zip(mine, other)):
            if left is None or right is None:
                assert left is right, f"{call}\n{what} {number}: {left} where PyTorch has {right}"
                continue
            found = difference(right, left, tolerances.get(right[0], 0) * scale)
            assert found is None, f"{call}\n{what} {number}: {found}"


def small(low, high):
    return st.integers(low, high)


def per_dim(data, dims, low, high):
    """One number for all dimensions, or a tuple with one for each."""
    return data.draw(small(low, high)) if data.draw(st.booleans()) else tuple(data.draw(small(low, high)) for _ in range(dims))


@CHECKS
@hypothesis.given(st.data())
def test_convolutions(lib, data):
    dims = data.draw(small(1, 2))
    dtype, groups = data.draw(FLOATS), data.draw(small(1, 3))
    inside, outside = groups * data.draw(small(1, 3)), groups * data.draw(small(1, 3))
    kernel = [data.draw(small(1, 3)) for _ in range(dims)]
    size = [inside, *[data.draw(small(1, 7)) for _ in range(dims)]]
    if data.draw(st.booleans()):
        size = [data.draw(small(0, 3)), *size]
    options = {
        "stride": per_dim(data, dims, 1, 3),
        "padding": per_dim(data, dims, 0, 3),
        "dilation": per_dim(data, dims, 1, 3),
        "groups": groups,
    }
    bias = Input(data, dtype, [outside]) if data.draw(st.booleans()) else None
    weight = Input(data, dtype, [outside, inside // groups, *kernel])
    compare(lib, f"{F}.conv{dims}d", Input(data, dtype, size), weight, bias, scale=10, **options)


@CHECKS
@hypothesis.given(st.data())
def test_pooling(lib, data):
    dims = data.draw(small(1, 2))
    size = [data.draw(small(1, 3)) for _ in range(data.draw(small(1, 2)))] + [data.draw(small(1, 8)) for _ in range(dims)]
    options = {
        "kernel_size": per_dim(data, dims, 1, 4),
        "padding": per_dim(data, dims, 0, 2),
        "ceil_mode": data.draw(st.booleans()),
    }
    if data.draw(st.booleans()):
        options["stride"] = per_dim(data, dims, 1, 3)
    x = Input(data, data.draw(FLOATS), size, distinct=True)
    if data.draw(st.booleans()):
        compare(
            lib, f"{F}.max_pool{dims}d", x, dilation=per_dim(data, dims, 1, 2), return_indices=data.draw(st.booleans()), **options
        )
    else:
        compare(lib, f"{F}.avg_pool{dims}d", x, count_include_pad=data.draw(st.booleans()), **options)


@CHECKS
@hypothesis.given(st.data())
def test_normalisation(lib, data):
    dtype = data.draw(FLOATS)
    channels = data.draw(small(1, 6))
    size = [data.draw(small(1, 4)), channels, *[data.draw(small(1, 4)) for _ in range(data.draw(small(0, 2)))]]
    x, eps = Input(data, dtype, size), data.draw(st.sampled_from([1e-5, 0.1]))
    weight, bias = (Input(data, dtype, [channels]) if data.draw(st.booleans()) else None for _ in range(2))
    kind = data.draw(st.sampled_from(["batch", "layer", "group"]))
    if kind == "batch":
        mean, var = Input(data, dtype, [channels], grad=False), Input(data, dtype, [channels], 0.5, 2, grad=False)
        compare(lib, f"{F}.batch_norm", x, mean, var, weight, bias, data.draw(st.booleans()), 0.3, eps, scale=20)
    elif kind == "group":
        compare(lib, f"{F}.group_norm", x, data.draw(small(1, 3)), weight, bias, eps, scale=20)
    else:
        shape = size[data.draw(small(1, len(size) - 1)) :]
        weight, bias = (Input(data, dtype, shape) if data.draw(st.booleans()) else None for _ in range(2))
        compare(lib, f"{F}.layer_norm", x, shape, weight, bias, eps, scale=20)


@CHECKS
@hypothesis.given(st.data())
def test_losses(lib, data):
    dtype, reduction = data.draw(FLOATS), data.draw(st.sampled_from(["none", "mean", "sum"]))
    rows, classes = data.draw(small(0, 4)), data.draw(small(1, 5))
    tail = [data.draw(small(1, 3)) for _ in range(data.draw(small(0, 2)))]
    x = Input(data, dtype, [rows, classes, *tail])
    kind = data.draw(
        st.sampled_from(["cross_entropy", "nll_loss", "mse_loss", "smooth_l1_loss", "binary_cross_entropy_with_logits"])
    )
    if kind in ("cross_entropy", "nll_loss"):
        target = Input(data, "int64", [rows, *tail], 0, classes, grad=False)
        weight = Input(data, dtype, [classes], 0.1, 2, grad=False) if data.draw(st.booleans()) else None
        options = {"ignore_index": data.draw(small(-1, classes))}
        if kind == "cross_entropy":
            options["label_smoothing"] = data.draw(st.sampled_from([0.0, 0.2]))
        compare(lib, f"{F}.{kind}", x, target, weight, reduction=reduction, **options)
    else:
        compare(lib, f"{F}.{kind}", x, Input(data, dtype, x.size, 0, 1), reduction=reduction)


@CHECKS
@hypothesis.given(st.data())
def test_rows(lib, data):
    """Softmax, scans, sorting and selection along any dimension."""
    size = [data.draw(small(0, 5)) for _ in range(data.draw(small(0, 3)))]
    dim = data.draw(small(-len(size) - 1, max(len(size), 1)))
    x = Input(data, data.draw(FLOATS), size, distinct=True)
    kind = data.draw(
        st.sampled_from(
            [
                "softmax",
                "log_softmax",
                "cumsum",
                "cumprod",
                "logsumexp",
                "sort",
                "argsort",
                "topk",
                "max",
                "argmin",
                "prod",
                "var",
                "norm",
            ]
        )
    )
    if kind == "topk":
        compare(lib, "torch.topk", x, data.draw(small(0, 3)), dim, data.draw(st.booleans()))
    elif kind == "norm":
        compare(lib, "torch.norm", x, data.draw(st.sampled_from([1, 2, 3, float("inf")])), dim)
    elif kind in ("sort", "argsort"):
        compare(lib, f"torch.{kind}", x, dim=dim, descending=data.draw(st.booleans()))
    else:
        compare(lib, f"torch.{kind}", x, dim, scale=10)


@CHECKS
@hypothesis.given(st.data())
def test_gathering(lib, data):
    size = [data.draw(small(1, 4)) for _ in range(data.draw(small(1, 3)))]
    dim = data.draw(small(-len(size), len(size) - 1))
    dtype = data.draw(FLOATS)
    chosen = [data.draw(small(0, extent)) for extent in size]
    chosen[dim] = data.draw(small(0, 5))
    index = Input(data, "int64", chosen, 0, size[dim] + data.draw(small(0, 1)) * 0.5, grad=False)
    kind = data.draw(st.sampled_from(["gather", "scatter_add", "index_select", "index_add", "embedding"]))
    if kind == "gather":
        compare(lib, "torch.gather", Input(data, dtype, size), dim, index)
    elif kind == "scatter_add":
        compare(lib, "torch.scatter_add", Input(data, dtype, size), dim, index, Input(data, dtype, chosen))
    elif kind == "embedding":
        compare(lib, f"{F}.embedding", Input(data, "int64", chosen, 0, 6, grad=False), Input(data, dtype, [6, 3]))
    else:
        rows = Input(data, "int64", [chosen[dim]], 0, size[dim], grad=False)
        if kind == "index_select":
            compare(lib, "torch.index_select", Input(data, dtype, size), dim, rows)
        else:
            part = [*size]
            part[dim] = chosen[dim]
            compare(lib, "torch.index_add", Input(data, dtype, size), dim, rows, Input(data, dtype, part), alpha=0.5)


@CHECKS
@hypothesis.given(st.data())
def test_products(lib, data):
    dtype, inner = data.draw(FLOATS), data.draw(small(0, 20))
    batch = [data.draw(small(1, 3)) for _ in range(data.draw(small(0, 2)))]
    left = [*([1] * len(batch) if data.draw(st.booleans()) else batch), data.draw(small(0, 9)), inner]
    right = [*(batch if data.draw(st.booleans()) else []), inner, data.draw(small(0, 9))]
    kind = data.draw(st.sampled_from(["matmul", "linear", "vector", "addmm"]))
    if kind == "matmul":
        compare(lib, "torch.matmul", Input(data, dtype, left), Input(data, dtype, right), scale=20)
    elif kind == "linear":
        bias = Input(data, dtype, [right[-1]]) if data.draw(st.booleans()) else None
        compare(lib, f"{F}.linear", Input(data, dtype, left), Input(data, dtype, [right[-1], inner]), bias, scale=20)
    elif kind == "vector":
        compare(lib, "torch.matmul", Input(data, dtype, left), Input(data, dtype, [inner]), scale=20)
    else:
        base = data.draw(st.sampled_from([[], [right[-1]], [left[-2], 1], [left[-2], right[-1]]]))
        factors = [Input(data, dtype, left[-2:]), Input(data, dtype, right[-2:])]
        compare(
            lib,
            "torch.addmm",
            Input(data, dtype, base),
            *factors,
            beta=data.draw(st.sampled_from([0, 1, 0.5])),
            alpha=2,
            scale=20,
        )
