"""What calls of all public names with random arguments showed (tests/fuzz); all expectations are PyTorch's."""

import math

import pytest

import pywasmtorch as torch

F = torch.nn.functional
COMPARISONS = ["eq_", "ne_", "lt_", "le_", "gt_", "ge_", "not_equal_", "less_", "less_equal_", "greater_", "greater_equal_"]


@pytest.mark.parametrize("name", COMPARISONS)
def test_what_a_comparison_wrote_in_place_has_no_gradient(name):
    for other in (2.0, torch.tensor([2.0, 0.5])):
        leaf = torch.tensor([1.0, 2.0], requires_grad=True)
        changed = leaf * 1
        getattr(changed, name)(other)
        assert changed.requires_grad
        assert torch.autograd.grad(changed.sum(), leaf)[0].tolist() == [0, 0]


@pytest.mark.parametrize("name", COMPARISONS)
def test_a_leaf_that_requires_grad_is_not_compared_in_place(name):
    leaf = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        getattr(leaf, name)(1.0)
    with torch.no_grad():
        getattr(leaf, name)(1.0)


def test_a_comparison_in_place_takes_no_gradient_from_its_other_operand():
    other = torch.tensor([1.0], requires_grad=True)
    written = torch.tensor([[1.0, 2.0]]).ne_(other)
    assert written.requires_grad and written.tolist() == [[0, 1]]
    assert torch.autograd.grad(written.sum(), other)[0].tolist() == [0]
    assert not torch.ne(torch.ones(1), other).requires_grad


def test_the_second_derivative_of_elu_at_zero_is_zero():
    for function in (F.elu, F.selu, F.celu):
        x = torch.tensor([0.0, -1.0], dtype=torch.float64, requires_grad=True)
        (first,) = torch.autograd.grad(function(x).sum(), x, create_graph=True)
        second = torch.autograd.grad(first.sum(), x)[0]
        assert second[0] == 0 and second[1] != 0


def test_threshold_takes_out_and_refuses_unknown_names():
    x, out = torch.tensor([0.0, 1.0, 3.0]), torch.empty(0)
    assert torch.threshold(x, 1.0, 2.0, out=out) is out
    assert out.tolist() == [2, 2, 3]
    with pytest.raises(TypeError):
        torch.threshold(x, 1.0, 2.0, other=1)


def test_indices_are_int64_where_torch_wants_them():
    x, narrow = torch.zeros(2, 2), torch.tensor([0], dtype=torch.int32)
    with pytest.raises(RuntimeError, match="Expected a long tensor for index"):
        x.index_copy(0, narrow, torch.ones(1, 2))
    with pytest.raises(IndexError, match="Expected dtype int64 for index"):
        x.index_fill(0, narrow, 1.0)
    with pytest.raises(RuntimeError, match="dtype of indices should be Long"):
        torch.take_along_dim(x, torch.tensor([[0]], dtype=torch.int32), 0)
    assert torch.take_along_dim(x, torch.tensor([[0]], dtype=torch.int32)).tolist() == [0]
    assert x.index_add(0, narrow, torch.ones(1, 2)).tolist() == [[1, 1], [0, 0]]


def test_index_copy_counts_from_the_front_alone():
    with pytest.raises(IndexError):
        torch.zeros(2).index_copy_(0, torch.tensor([-1]), torch.ones(1))
    assert torch.zeros(2).index_fill(0, torch.tensor([-1]), 1.0).tolist() == [0, 1]


def test_one_index_selects_from_a_number():
    number = torch.tensor(1.0)
    assert number.index_select(0, torch.tensor([0])).shape == number.index_select(0, torch.tensor(0)).shape == ()
    for index in ([0, 0], []):
        with pytest.raises(RuntimeError, match="Index to scalar can have only 1 value"):
            number.index_select(0, torch.tensor(index, dtype=torch.int64))


def test_mT_of_a_number_is_the_number():
    number = torch.tensor(2.0)
    assert number.mT.shape == () and number.mT.data_ptr() == number.data_ptr()
    with pytest.raises(RuntimeError):
        torch.ones(2).mT  # noqa: B018


def test_repeat_interleave_by_a_number_takes_output_size():
    x = torch.arange(4.0).reshape(2, 2)
    assert x.repeat_interleave(2, output_size=8).tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert x.repeat_interleave(2, 0, output_size=4).tolist() == [[0, 1], [0, 1], [2, 3], [2, 3]]
    assert x.repeat_interleave(2, output_size=None).numel() == 8
    with pytest.raises(RuntimeError, match="Invalid output_size, expected 4 but got 5"):
        x.repeat_interleave(2, 0, output_size=5)


@pytest.mark.parametrize("call", [
    lambda x: x.sum(dtype=torch.int64), lambda x: x.sum(0, dtype=torch.int32), lambda x: x.cumsum(0, dtype=torch.int64), lambda x: x.cumprod(0, dtype=torch.int32),
    lambda x: x.nansum(dtype=torch.int64), lambda x: x.prod(dtype=torch.int64), lambda x: x.prod(0, dtype=torch.int64),
])  # fmt: skip
def test_a_sum_as_integers_has_no_gradient(call):
    x = torch.ones(2, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match="Autograd not support dtype"):
        call(x)
    assert call(x.detach()).dtype in (torch.int64, torch.int32)


def test_a_mean_is_no_integer():
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        torch.ones(2).nanmean(dtype=torch.int64)


def losses(wanted):
    x, labels = torch.tensor([[0.25, 0.5], [0.75, 0.125]]), torch.tensor([0, 1])
    per_class = torch.ones(2, requires_grad=wanted)
    each = torch.ones(2, 2, requires_grad=wanted)
    return {
        "nll_loss": lambda: F.nll_loss(x, labels, weight=per_class), "cross_entropy": lambda: F.cross_entropy(x, labels, weight=per_class),
        "smoothed": lambda: F.cross_entropy(x, labels, weight=per_class, label_smoothing=0.5), "multi_margin_loss": lambda: F.multi_margin_loss(x, labels, weight=per_class),
        "binary_cross_entropy": lambda: F.binary_cross_entropy(x, x, weight=each), "with_logits": lambda: F.binary_cross_entropy_with_logits(x, x, weight=each),
        "pos_weight": lambda: F.binary_cross_entropy_with_logits(x, x, pos_weight=each), "soft_margin_loss": lambda: F.soft_margin_loss(x, each),
    }  # fmt: skip


@pytest.mark.parametrize("name", losses(False))
def test_losses_refuse_to_differentiate_their_weights(name):
    with pytest.raises(RuntimeError, match="is not differentiable with respect to argument"):
        losses(True)[name]()
    with torch.no_grad():
        losses(True)[name]()
    assert not losses(False)[name]().requires_grad


def test_batch_norm_in_training_wants_a_positive_eps():
    x = torch.arange(4.0).reshape(2, 2)
    for eps in (0.0, -1.0):
        with pytest.raises(ValueError, match="batch_norm eps must be positive during training"):
            F.batch_norm(x, None, None, training=True, eps=eps)
    assert torch.batch_norm(x, None, None, None, None, True, 0.1, 0.0, False).tolist() == [[-1, -1], [1, 1]]


@pytest.mark.parametrize("name", ["rtol", "atol"])
def test_tolerances_are_numbers(name):
    with pytest.raises(RuntimeError, match=f"{name} must be greater than or equal to zero"):
        torch.isclose(torch.ones(1), torch.ones(1), **{name: math.nan})


@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("dtype", [torch.float64, torch.uint8])
@pytest.mark.parametrize("antialias", [False, True])
def test_resizing_to_the_same_size_changes_nothing_but_for_bicubic(mode, dtype, antialias):
    x = (torch.arange(9.0) * 20).reshape(1, 1, 3, 3).to(dtype)
    result = F.interpolate(x, scale_factor=1.25, mode=mode, antialias=antialias)
    same = result.flatten().tolist() == x.flatten().tolist()
    assert same == (mode == "bilinear" or antialias or dtype is torch.uint8)
    assert result.data_ptr() != x.data_ptr()


def test_each_dimension_of_the_same_size_is_kept():
    x = torch.arange(9.0, dtype=torch.float64).reshape(1, 1, 3, 3).requires_grad_()
    result = F.interpolate(x, scale_factor=(1.25, 0.4), mode="bilinear")
    assert result.flatten().tolist() == pytest.approx([0.75, 3.75, 6.75])
    result.backward(torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64).reshape(1, 1, 3, 1))
    assert x.grad.flatten().tolist() == pytest.approx([0.25, 0.75, 0, 0.5, 1.5, 0, 0.75, 2.25, 0])
    assert F.interpolate(torch.arange(3.0).reshape(1, 1, 3), scale_factor=1.25, mode="linear").flatten().tolist() == [0, 1, 2]
    assert F.interpolate(torch.arange(4.0).reshape(1, 1, 1, 2, 2), scale_factor=(2.5, 1.25, 1.25), mode="trilinear").flatten().tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_arguments_of_histogramdd_may_stand_without_their_names():
    points = torch.tensor([[0.25, 0.75], [0.75, 0.25], [0.5, 2.0]])
    counts = torch.histogramdd(points, 2, [0.0, 1.0, 0.0, 1.0], torch.tensor([1.0, 2.0, 4.0]), False)[0]
    assert counts.tolist() == [[0, 1], [2, 0]]


def test_complex_numbers_have_a_mean_where_they_are_scattered():
    x, source = torch.tensor([1 + 1j, 2]), torch.tensor([2, 4j])
    index = torch.tensor([0, 0])
    assert x.scatter_reduce(0, index, source, "mean").tolist() == pytest.approx([1 + 5j / 3, 2])
    assert x.scatter_reduce(0, index, source, "mean", include_self=False).tolist() == [1 + 2j, 2]


def test_fractional_pools_check_their_sizes():
    with pytest.raises(RuntimeError):
        F.fractional_max_pool3d(torch.ones(1, 3, 3, 3), 2, output_size=2)
    assert F.fractional_max_pool2d(torch.ones(1, 3, 3), 2, output_size=2).shape == (1, 2, 2)
    with pytest.raises(RuntimeError):
        F.fractional_max_pool2d(torch.ones(1, 2, 2), 2, output_size=1, _random_samples=torch.ones(1, 2, 2))


@pytest.mark.filterwarnings("ignore:Using a target size")
def test_a_weighted_huber_loss_is_the_mean_of_weighted_terms():
    x, zeros, weight = torch.tensor([1.0, 2.0, 5.0]), torch.zeros(3), torch.tensor([1.0, 2.0, 3.0])
    assert F.huber_loss(x, zeros, weight=weight).item() == pytest.approx(17 / 3)
    assert F.huber_loss(x, zeros, weight=weight, reduction="sum").item() == 17
    assert F.mse_loss(x, zeros, weight=weight).item() == pytest.approx(14)
    with pytest.raises(ValueError, match="Weights and input must have the same size"):
        F.huber_loss(torch.tensor(1.0), zeros, weight=weight)


@pytest.mark.parametrize("loss", [F.l1_loss, F.mse_loss, F.smooth_l1_loss, F.huber_loss])
@pytest.mark.filterwarnings("ignore:Using a target size")
def test_a_number_as_target_takes_part_in_promotion(loss):
    expected = torch.float32 if loss is F.huber_loss else torch.float64
    assert loss(torch.tensor([1.0, 2.0]), torch.tensor(1.0, dtype=torch.float64)).dtype is expected


def test_a_deviation_may_fit_where_the_variance_does_not():
    x = torch.tensor([1.0, 1e30])
    assert x.std().item() == pytest.approx(1e30 / 2**0.5, rel=1e-6)
    assert torch.std_mean(x)[0].item() == x.std().item()
    assert x.var().item() == math.inf


@pytest.mark.parametrize("alpha, added", [(1, True), (0.5, True), (-1, True), (True, True), (0, False), (False, False)])
def test_a_factor_of_bools_is_true_unless_it_is_zero(alpha, added):
    index, source = torch.tensor([0, 0, 2]), torch.tensor([True, True, True])
    assert torch.tensor([False, False, True]).index_add(0, index, source, alpha=alpha).tolist() == [added, False, True]


def test_index_add_refuses_negative_indices_and_complex_factors():
    with pytest.raises((IndexError, RuntimeError)):
        torch.zeros(2).index_add(0, torch.tensor([-1]), torch.ones(1))
    with pytest.raises(RuntimeError, match="cannot be converted"):
        torch.tensor([1, 1]).index_add(0, torch.tensor([0]), torch.tensor([2]), alpha=2j)


def test_indices_of_a_renormalised_embedding_may_be_int32():
    weight = torch.tensor([[3.0, 4.0], [0.3, 0.4]])
    result = F.embedding(torch.tensor([0, 1], dtype=torch.int32), weight, max_norm=1.0)
    assert result.flatten().tolist() == pytest.approx([0.6, 0.8, 0.3, 0.4], rel=1e-5)
