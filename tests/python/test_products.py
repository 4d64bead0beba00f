"""Second derivatives of products, convolutions and pools; strided operands without copies; modes of einsum."""

import pytest

import pywasmtorch as torch
from pywasmtorch.autograd import gradcheck, gradgradcheck

F = torch.nn.functional


def leaf(*size, seed=0, transposed=False, distinct=False):
    """float64 numbers without a pattern; `transposed`: the last two dimensions are stored the other way round."""
    count = 1
    for extent in size:
        count *= extent
    numbers = [((k * 37 + seed * 11) % 97) / 31 - 1.5 + (k // 97 if distinct else 0) for k in range(count)]
    t = torch.tensor(numbers, dtype=torch.float64).reshape(size)
    if transposed:
        t = t.mT.contiguous().mT
    return t.requires_grad_()


PRODUCTS = {
    "mm": (torch.mm, [(3, 4), (4, 2)]),
    "matmul of batches": (torch.matmul, [(2, 1, 3, 4), (5, 4, 2)]),
    "matmul by a matrix": (torch.matmul, [(2, 3, 4), (4, 2)]),
    "matmul of a matrix by a batch": (torch.matmul, [(3, 4), (2, 4, 2)]),
    "matmul by a vector": (torch.matmul, [(2, 3, 4), (4,)]),
    "vector by a batch": (torch.matmul, [(4,), (2, 4, 3)]),
    "mv": (torch.mv, [(3, 4), (4,)]),
    "dot": (torch.dot, [(4,), (4,)]),
    "addmm": (lambda c, a, b: torch.addmm(c, a, b, beta=0.5, alpha=-2), [(2,), (3, 4), (4, 2)]),
    "baddbmm": (lambda c, a, b: torch.baddbmm(c, a, b, beta=2, alpha=3), [(3, 1), (2, 3, 4), (2, 4, 2)]),
    "addbmm": (lambda c, a, b: torch.addbmm(c, a, b, beta=2, alpha=3), [(3, 1), (2, 3, 4), (2, 4, 2)]),
    "addmv": (torch.addmv, [(3,), (3, 4), (4,)]),
    "addr": (lambda c, a, b: torch.addr(c, a, b, beta=2, alpha=3), [(3, 2), (3,), (2,)]),
    "linear": (F.linear, [(2, 3, 4), (2, 4), (2,)]),
    "linear of a vector": (F.linear, [(4,), (2, 4), (2,)]),
    "bilinear": (F.bilinear, [(2, 3), (2, 2), (2, 3, 2), (2,)]),
    "inner": (torch.inner, [(2, 3), (2, 2, 3)]),
    "tensordot": (lambda a, b: torch.tensordot(a, b, ([0, 2], [1, 0])), [(2, 3, 2), (2, 2, 2)]),
    "kron": (torch.kron, [(2, 2), (2, 3)]),
    "cross": (torch.linalg.cross, [(2, 3), (1, 3)]),
    "multi_dot": (lambda *t: torch.linalg.multi_dot(t), [(2, 3), (3, 2), (2, 2)]),
    "matrix_power": (lambda a: torch.matrix_power(a, 3), [(2, 2)]),
    "einsum": (lambda a, b: torch.einsum("...ij,ikj->k...", a, b), [(2, 2, 3), (2, 2, 3)]),
    "einsum of a diagonal": (lambda a: torch.einsum("iij->ji", a), [(2, 2, 3)]),
    "cdist": (torch.cdist, [(2, 3), (3, 3)]),
    "vector_norm": (lambda a: torch.linalg.vector_norm(a, 3, 1), [(2, 3)]),
}


@pytest.mark.parametrize("name", PRODUCTS)
@pytest.mark.parametrize("transposed", [False, True])
def test_derivatives_of_products(name, transposed):
    function, sizes = PRODUCTS[name]
    inputs = [leaf(*size, seed=k + 1, transposed=transposed and len(size) > 1) for k, size in enumerate(sizes)]
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


WINDOWS = {
    "conv1d": (lambda x, w, b: F.conv1d(x, w, b, 2, 1, 2), [(2, 2, 6), (3, 2, 2), (3,)]),
    "conv2d in groups": (lambda x, w, b: F.conv2d(x, w, b, (1, 2), (1, 0), groups=2), [(1, 4, 3, 4), (2, 2, 2, 2), (2,)]),
    "conv2d depthwise": (lambda x, w: F.conv2d(x, w, padding=1, groups=2), [(1, 2, 3, 3), (2, 1, 3, 3)]),
    "conv2d, an even kernel and padding 'same'": (lambda x, w: F.conv2d(x, w, padding="same"), [(1, 2, 3, 3), (1, 2, 2, 2)]),
    "conv3d": (lambda x, w: F.conv3d(x, w, padding=1, stride=2), [(1, 1, 3, 2, 3), (2, 1, 2, 2, 2)]),
    "conv_transpose2d": (lambda x, w, b: F.conv_transpose2d(x, w, b, 2, 1, 1, 2), [(1, 2, 2, 3), (2, 1, 3, 2), (2,)]),
    "avg_pool2d": (lambda x: F.avg_pool2d(x, (2, 3), 2, 1, True, False), [(1, 2, 5, 4)]),
    "max_pool2d": (lambda x: F.max_pool2d(x, 3, 2, 1), [(1, 2, 5, 4)]),
    "max_pool3d": (lambda x: F.max_pool3d(x, 2, 1), [(1, 3, 3, 3)]),
    "adaptive_avg_pool2d": (lambda x: F.adaptive_avg_pool2d(x, (2, 3)), [(1, 2, 5, 4)]),
    "adaptive_max_pool1d": (lambda x: F.adaptive_max_pool1d(x, 2), [(2, 2, 5)]),
    "unfold": (lambda x: F.unfold(x, (2, 3), padding=1, stride=2), [(1, 2, 3, 4)]),
    "fold": (lambda x: F.fold(x, (3, 4), 2), [(1, 8, 6)]),
    "interpolate": (lambda x: F.interpolate(x, size=(4, 3), mode="bicubic"), [(1, 1, 3, 4)]),
    "lp_pool2d": (lambda x: F.lp_pool2d(x + 3, 2, 2, 1), [(1, 1, 3, 4)]),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_derivatives_of_windows(name):
    function, sizes = WINDOWS[name]
    inputs = [leaf(*size, seed=k + 1, transposed=len(size) > 1, distinct=True) for k, size in enumerate(sizes)]
    assert gradcheck(function, inputs)
    assert gradgradcheck(function, inputs)


def peak(function):
    """The most memory in use during a call, above what was in use before it, and beside its result."""
    before = torch.memory_allocated()
    torch.reset_peak_memory_stats()
    result = function()
    return torch.max_memory_allocated() - before - result.numel() * result.element_size()


@pytest.mark.parametrize(
    "product",
    {
        "both transposed": lambda a, b: a.t() @ b.t(),
        "every second column": lambda a, b: a[:, ::2] @ b[::2],
        "one matrix for a batch": lambda a, b: a.expand(8, 512, 512) @ b,
        "linear": lambda a, b: F.linear(a.reshape(2, 256, 512), b.t(), b[0]),
    }.values(),
)
def test_operands_are_not_copied(product):
    """The workspace of a product of 512 × 512 float32 matrices is less than a matrix, which a copy is not."""
    a, b = torch.ones(512, 512), torch.ones(512, 512)
    assert peak(lambda: product(a, b)) < a.numel() * 4


def test_a_shared_factor_gathers_its_gradient_without_a_batch_of_them():
    batch, matrix = torch.ones(64, 32, 128), torch.ones(128, 128, requires_grad=True)
    result = batch @ matrix
    before = torch.memory_allocated()
    torch.reset_peak_memory_stats()
    result.sum().backward()
    assert matrix.grad[0, 0].item() == 64 * 32
    assert torch.max_memory_allocated() - before < 64 * 32 * 128 * 4 + 4 * 128 * 128 * 4


def test_a_product_records_one_node():
    x, w, b = torch.ones(2, 3, 4), torch.ones(5, 4, requires_grad=True), torch.ones(5, requires_grad=True)
    y = F.linear(x, w, b)
    assert y.grad_fn.name() == "AddmmBackward0"
    assert [node.name() for node, _ in y.grad_fn.next_functions if node is not None] == ["torch::autograd::AccumulateGrad"] * 2
    c = F.conv2d(torch.ones(1, 2, 4, 4), torch.ones(3, 2, 2, 2, requires_grad=True), None, padding="same")
    assert c.grad_fn.name() == "ConvolutionBackward0"


def test_zero_beta_reads_nothing():
    nan = torch.full((2, 2), float("nan"))
    ones = torch.ones(2, 2)
    assert torch.addmm(nan, ones, ones, beta=0).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert torch.addmv(nan[0], ones, ones[0], beta=0).tolist() == [2.0, 2.0]
    assert torch.addr(nan, ones[0], ones[0], beta=0).tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert torch.baddbmm(nan, ones[None], ones[None], beta=0, alpha=3).tolist() == [[[6.0, 6.0], [6.0, 6.0]]]


def test_integer_products_are_exact():
    large = 2**40 + 1
    a = torch.tensor([[large, 3]])
    assert (a @ torch.tensor([[5], [7]])).item() == 5 * large + 21
    image = torch.full((1, 1, 2, 2), large)
    assert F.conv2d(image, torch.tensor([[[[1, 2], [3, 4]]]])).item() == 10 * large
    assert F.max_pool2d(torch.tensor([[[large, large + 1]]]), (1, 2)).item() == large + 1


def test_einsum_takes_lists_of_operands():
    a, b = leaf(2, 3), leaf(3, 2, seed=5)
    expected = (a @ b).tolist()
    assert torch.einsum("ij,jk->ik", [a, b]).tolist() == expected
    assert torch.einsum(a, [0, 1], b, [1, 2]).tolist() == expected
    assert torch.einsum(" i j , j k ", a, b).tolist() == expected
    assert torch.einsum("ij", a) is not a


def test_missing_kinds_are_named():
    assert torch.linalg.matrix_norm(torch.ones(2, 2), "nuc").item() == pytest.approx(2)
    with pytest.raises(torch.linalg.LinAlgError, match="element 2 is zero"):
        torch.matrix_power(torch.ones(2, 2), -1)


@pytest.mark.parametrize(
    "call",
    {
        "padding": lambda x: F.conv2d(x, x[..., :1, :1], padding=2**40),
        "stride": lambda x: F.conv_transpose2d(x, x[..., :1, :1], stride=2**62),
        "kernel": lambda x: F.max_pool2d(x, 2**30, 1, 2**29),
        "window": lambda x: F.unfold(x, 2**29, padding=2**29),
        "output": lambda x: F.adaptive_avg_pool2d(x, 2**40),
        "size": lambda x: F.interpolate(x, size=2**40),
    }.values(),
)
def test_absurd_sizes_are_refused_at_once(call):
    with pytest.raises((RuntimeError, MemoryError)):
        call(torch.ones(1, 1, 3, 3))
