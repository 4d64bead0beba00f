"""grid_sample, interpolate, embedding_bag, ctc_loss: cases that the database of samples leaves out. Values are PyTorch's, or closed forms."""

import math

import pytest

import pywasmtorch as torch
import pywasmtorch.nn.functional as F

NAN, INF = math.nan, math.inf


def same(found, expected, tolerance=1e-5):
    for a, b in zip(found.flatten().tolist(), expected, strict=True):
        assert a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= tolerance * (1 + abs(b)), (found, expected)


# ---- grid_sample ----
IMAGE = torch.arange(12.0).reshape(1, 1, 3, 4)
PLACES = torch.tensor([[[[NAN, 0.0], [0.0, NAN], [INF, 0.0], [-INF, -INF], [3.0, 0.4], [-1.7, 1.2]]]])


@pytest.mark.parametrize(
    ("mode", "padding", "corners", "expected"),
    [
        ("bilinear", "zeros", False, [NAN, NAN, NAN, NAN, 0.0, 0.0]),
        ("bilinear", "border", False, [4.0, 1.5, 7.0, 0.0, 9.4, 8.0]),
        ("bilinear", "border", True, [4.0, 1.5, 7.0, 0.0, 8.6, 8.0]),
        ("bilinear", "reflection", False, [4.0, 1.5, 4.0, 0.0, 6.4, 8.9]),
        ("nearest", "zeros", True, [0.0] * 6),
        ("nearest", "border", False, [4.0, 2.0, 7.0, 0.0, 11.0, 8.0]),
        ("nearest", "reflection", True, [4.0, 2.0, 4.0, 0.0, 4.0, 9.0]),
        ("bicubic", "zeros", True, [NAN, NAN, NAN, NAN, 0.0, -0.23609402775764465]),
        ("bicubic", "border", False, [NAN, NAN, NAN, NAN, 9.73599624633789, 8.096000671386719]),
        ("bicubic", "reflection", True, [NAN, NAN, NAN, NAN, 6.271998405456543, 8.847369194030762]),
    ],
)
def test_places_that_are_outside_or_no_numbers(mode, padding, corners, expected):
    same(F.grid_sample(IMAGE, PLACES, mode, padding, corners), expected)


def test_volumes_at_places_that_are_no_numbers():
    volume = torch.arange(8.0).reshape(1, 1, 2, 2, 2)
    places = torch.tensor([[[[[NAN, 0.0, 0.0], [0.5, -0.2, 2.2], [INF, 0.0, 0.0]]]]])
    same(F.grid_sample(volume, places, "bilinear", "border", False), [4.0, 5.6, 4.0])
    same(F.grid_sample(volume, places, "nearest", "reflection", False), [1.0, 1.0, 1.0])


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
def test_the_identity_reads_the_image_and_gradients_are_right(mode, padding):
    x = torch.randn(2, 3, 4, 5, dtype=torch.float64)
    places = F.affine_grid(torch.eye(2, 3, dtype=torch.float64).expand(2, 2, 3), x.shape, align_corners=True)
    assert torch.allclose(F.grid_sample(x, places, mode, padding, True), x)
    small = torch.randn(1, 2, 3, 4, dtype=torch.float64, requires_grad=True)
    at = (torch.rand(1, 3, 2, 2, dtype=torch.float64) * 3 - 1.5).requires_grad_()
    assert torch.autograd.gradcheck(lambda a, b: F.grid_sample(a, b, mode, padding, False), (small, at))


def test_grid_sample_refuses():
    x, g = torch.ones(1, 1, 2, 2), torch.zeros(1, 1, 1, 2)
    for error, call in [
        (ValueError, lambda: F.grid_sample(x, g, "cubic", align_corners=False)),
        (ValueError, lambda: F.grid_sample(x, g, padding_mode="wrap", align_corners=False)),
        (RuntimeError, lambda: F.grid_sample(x, g.double(), align_corners=False)),
        (RuntimeError, lambda: F.grid_sample(x, torch.zeros(2, 1, 1, 2), align_corners=False)),
        (RuntimeError, lambda: F.grid_sample(x, torch.zeros(1, 1, 1, 3), align_corners=False)),
        (RuntimeError, lambda: F.grid_sample(torch.ones(1, 1, 0, 2), g, align_corners=False)),
        (RuntimeError, lambda: F.grid_sample(torch.ones(1, 1, 2, 2, 2), torch.zeros(1, 1, 1, 1, 3), "bicubic", align_corners=False)),
        (NotImplementedError, lambda: F.grid_sample(x.long(), g.long(), align_corners=False)),
        (TypeError, lambda: F.grid_sample(x, [0.0], align_corners=False)),
    ]:
        with pytest.raises(error):
            call()
    assert F.grid_sample(x, torch.zeros(1, 0, 3, 2), align_corners=False).shape == (1, 1, 0, 3)
    assert F.grid_sample(torch.ones(0, 2, 2, 2), torch.zeros(0, 1, 1, 2), align_corners=False).shape == (0, 2, 1, 1)


# ---- interpolate ----
def test_antialias_keeps_means_and_gradients():
    x = torch.randn(1, 2, 12, 9, dtype=torch.float64, requires_grad=True)
    for mode in ("bilinear", "bicubic"):
        assert torch.allclose(F.interpolate(torch.full((1, 1, 12, 9), 3.5), (4, 5), mode=mode, antialias=True), torch.tensor(3.5))
        assert torch.autograd.gradcheck(lambda a: F.interpolate(a, (5, 4), mode=mode, antialias=True), (x,))
        assert torch.autograd.gradgradcheck(lambda a: F.interpolate(a, (3, 2), mode=mode), (x[..., :4, :3],))


def test_bytes_are_resampled_in_bytes():
    x = torch.tensor([[[[0, 255], [10, 7]]]], dtype=torch.uint8)
    found = F.interpolate(x, (2, 4), mode="bilinear")
    assert found.dtype is torch.uint8
    assert found.tolist() == [[[[0, 64, 191, 255], [10, 9, 8, 7]]]]


# ---- embedding_bag ----
TABLE = torch.tensor([[1.0, NAN], [2.0, -3.0], [-1.0, 5.0]])


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("sum", [0, 0, 3, NAN, -2, 10, 0, 0]), ("mean", [0, 0, 1.5, NAN, -1, 5, 0, 0]), ("max", [0, 0, 2, NAN, -1, 5, 0, 0])],
)
def test_bags_that_are_empty_or_hold_nan(mode, expected):
    same(F.embedding_bag(torch.tensor([0, 1, 2, 2]), TABLE, torch.tensor([0, 0, 2, 4]), mode=mode), expected)
    same(F.embedding_bag(torch.tensor([1, 1, 2]), TABLE, torch.tensor([0, 2]), mode=mode, padding_idx=1), [0, 0, -1, 5])
    empty = torch.zeros(0, dtype=torch.int64)
    assert F.embedding_bag(empty, TABLE, empty, mode=mode).shape == (0, 2)


def test_bags_refuse():
    two, zero = torch.tensor([0, 1]), torch.tensor([0])
    for error, arguments, names in [
        (RuntimeError, (torch.tensor([0, 9]), TABLE, zero), {}),
        (RuntimeError, (two, TABLE, torch.tensor([1])), {}),
        (RuntimeError, (two, TABLE, torch.tensor([0, 3])), {}),
        (RuntimeError, (two, TABLE, torch.tensor([0, 2, 1])), {}),
        (RuntimeError, (two.float(), TABLE, zero), {}),
        (RuntimeError, (two, TABLE.int(), zero), {}),
        (RuntimeError, (two, TABLE, zero), {"padding_idx": 7}),
        (RuntimeError, (two, TABLE, zero), {"mode": "sum", "per_sample_weights": torch.ones(2, dtype=torch.float64)}),
        (ValueError, (two, TABLE, zero), {"mode": "sum", "per_sample_weights": torch.ones(3)}),
        (NotImplementedError, (two, TABLE, zero), {"mode": "max", "per_sample_weights": torch.ones(2)}),
    ]:
        with pytest.raises(error):
            F.embedding_bag(*arguments, **names)


def test_bags_have_gradients():
    table = torch.randn(5, 3, dtype=torch.float64, requires_grad=True)
    weights = torch.rand(6, dtype=torch.float64, requires_grad=True)
    indices, offsets = torch.tensor([4, 0, 4, 2, 1, 1]), torch.tensor([0, 2, 2])
    for mode in ("sum", "mean", "max"):
        assert torch.autograd.gradcheck(lambda t: F.embedding_bag(indices, t, offsets, mode=mode, padding_idx=2), (table,))
    assert torch.autograd.gradcheck(lambda t, w: F.embedding_bag(indices, t, offsets, mode="sum", per_sample_weights=w), (table, weights))


# ---- ctc_loss ----
def log_probs():
    return torch.arange(24.0).reshape(4, 2, 3).sin().log_softmax(2)


def test_ctc_of_samples_that_cannot_be_aligned():
    targets = torch.tensor([1, 2, 1, 1, 1])
    same(F.ctc_loss(log_probs(), targets, (4, 2), (3, 2), reduction="none"), [2.2545087, INF])
    same(F.ctc_loss(log_probs(), targets, (4, 2), (3, 2), reduction="none", zero_infinity=True), [2.2545087, 0.0])
    same(F.ctc_loss(log_probs(), targets, (4, 2), (3, 2), zero_infinity=True), [0.3757515])
    same(F.ctc_loss(log_probs(), torch.tensor([[1, 2], [1, 1]]), (4, 3), (0, 2), reduction="none"), [7.992649, 3.3418])
    same(F.ctc_loss(log_probs(), torch.tensor([[1, 2], [1, 1]]), (0, 2), (0, 1), reduction="none"), [0.0, 1.0943859])
    x = log_probs().requires_grad_()
    F.ctc_loss(x, torch.tensor([[1, 2], [1, 1]]), (4, 2), (2, 2), reduction="sum", zero_infinity=True).backward()
    same(x.grad[0], [-0.01003516, -0.4178216, 0.42785695, 0.0, 0.0, 0.0])
    assert torch.isfinite(x.grad).all()


def test_ctc_of_one_sample():
    same(F.ctc_loss(log_probs()[:, 0], torch.tensor([1, 2]), torch.tensor(4), torch.tensor(2)), [0.6890007])
    same(F.ctc_loss(log_probs()[:, 0], torch.tensor([1, 2]), (4,), (2,), reduction="none"), [1.3780013])


def test_ctc_gradient_is_that_of_logits():
    logits = torch.randn(5, 2, 4, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: F.ctc_loss(x.log_softmax(2), torch.tensor([[1, 1], [3, 2]]), (5, 4), (2, 1)), (logits,))


def test_ctc_refuses():
    targets = torch.tensor([[1, 2], [1, 1]])
    for lengths in ((4, 5), (2, 2)), ((4, 3), (3, 2)), ((4,), (2, 2)), ((4, 3), (2,)), ((4, -1), (2, 2)):
        with pytest.raises(RuntimeError):
            F.ctc_loss(log_probs(), targets, *lengths)
    for wrong in torch.tensor([[1.0, 2], [1, 1]]), torch.tensor([1, 2, 1]), torch.tensor([[1, 9], [1, 1]]):
        with pytest.raises(RuntimeError):
            F.ctc_loss(log_probs(), wrong, (4, 3), (2, 2))
    for blank in (3, -1):
        with pytest.raises(RuntimeError, match="blank must be in label range"):
            F.ctc_loss(log_probs(), targets, (4, 3), (2, 2), blank=blank)


# ---- attention ----
def test_attention_that_may_look_nowhere_gives_zeros_but_keeps_nan():
    q = torch.randn(1, 2, 4)
    mask = torch.tensor([[True, False], [False, False]])
    assert F.scaled_dot_product_attention(q, q, q, mask)[0, 1].tolist() == [0.0] * 4
    assert F.scaled_dot_product_attention(q * NAN, q, q, torch.ones(2, 2, dtype=torch.bool)).isnan().all()


# ---- pooling ----
def test_averages_of_integers_are_cut():
    x = torch.arange(-9, 9).reshape(1, 3, 6)
    assert F.avg_pool1d(x, 3, 2, 1).tolist() == [[[-5, -7, -5], [-1, -1, 1], [2, 5, 7]]]
    assert F.avg_pool1d(x, 4, 2, 1, True, False).tolist() == [[[-8, -6, -5], [-2, 0, 1], [4, 5, 7]]]
    big = torch.full((1, 1, 3), 2**61 + 1)
    assert F.avg_pool1d(big, 3).item() == 2**61 + 1
    with pytest.raises(NotImplementedError):
        F.avg_pool1d(x.int(), 3)


def test_fractional_pooling_refuses_and_takes_samples():
    x = torch.arange(25.0).reshape(1, 1, 5, 5)
    values, indices = F.fractional_max_pool2d(x, 2, output_size=3, return_indices=True, _random_samples=torch.zeros(1, 1, 2))
    assert values.flatten().tolist() == indices.flatten().tolist() == [6.0, 7.0, 9.0, 11.0, 12.0, 14.0, 21.0, 22.0, 24.0]
    with pytest.raises(ValueError):
        F.fractional_max_pool2d(x, 2)
    with pytest.raises(RuntimeError):
        F.fractional_max_pool2d(x, 3, output_size=4)


# ---- the functions of torch itself ----
def test_functions_with_reductions_by_number():
    a, b = torch.tensor([[1.0, 0.0], [0.0, 2.0]]), torch.tensor([[0.0, 1.0], [0.0, 1.0]])
    t = torch.tensor([1, -1])
    assert torch.cosine_embedding_loss(a, b, t, 0.5, 0).tolist() == torch.cosine_embedding_loss(a, b, t, 0.5).tolist() == [1.0, 0.5]
    assert torch.cosine_embedding_loss(a, b, t, 0.5, 1).item() == 0.75
    assert torch.kl_div(a, b, 2).item() == torch.kl_div(a, b, 0).sum().item() == -2.0
    assert torch.ctc_loss(log_probs(), torch.tensor([[1, 2], [1, 1]]), (4, 3), (0, 2)).shape == (2,)
    with pytest.raises(RuntimeError):
        torch.kl_div(a, b, 3)
    with pytest.raises(TypeError):
        torch.ctc_loss([1.0], t, (1,), (1,))
    same(torch.affine_grid_generator(torch.eye(2, 3).unsqueeze(0), (1, 1, 1, 2), False), [-0.5, 0.0, 0.5, 0.0])
