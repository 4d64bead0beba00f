"""More of what calls of all public names with random arguments showed (tests/fuzz); all expectations are PyTorch's."""

import math

import pytest

import pywasmtorch as torch

F = torch.nn.functional


def test_an_index_tensor_without_dimensions_selects():
    x = torch.arange(60).view(3, 4, 5)
    zero, two = torch.tensor(0), torch.tensor([0, 1])
    assert x[zero, :, two].shape == (4, 2)
    assert x[zero, :, two].tolist() == [[0, 1], [5, 6], [10, 11], [15, 16]]
    assert x[torch.tensor([0]), :, two].shape == (2, 4)


def test_a_second_ellipsis_passes_over_as_many_dimensions_again():
    x = torch.ones(2, 2)
    assert x[..., ...].shape == (2, 2)
    with pytest.raises(IndexError):
        x[..., ..., :1]
    with pytest.raises(IndexError, match="too many indices"):
        x[..., ..., [0]]


@pytest.mark.parametrize("index", [torch.tensor([1]), [1], torch.tensor(True), (torch.tensor([0]), slice(None))])
def test_what_is_put_at_indices_is_of_the_same_dtype(index):
    x = torch.zeros(3, 3)
    with pytest.raises(RuntimeError, match="got Float for the destination and Double"):
        x[index] = torch.tensor(3.0, dtype=torch.float64)


def test_one_number_fills_a_mask_whatever_its_dtype():
    x = torch.zeros(3)
    x[torch.tensor([True, False, True])] = torch.tensor(3.0, dtype=torch.float64)
    x[torch.tensor(1)] = torch.tensor(2, dtype=torch.uint8)
    assert x.tolist() == [3, 2, 3]


def test_multinomial_draws_in_the_order_of_memory():
    torch.manual_seed(0)
    assert torch.multinomial(torch.ones(4, 2).t(), 3).tolist() == [[3, 1, 2], [3, 0, 2]]
    torch.manual_seed(0)
    assert torch.multinomial(torch.ones(2, 4), 3).tolist() == [[2, 1, 3], [2, 3, 0]]


def test_sizes_whose_strides_reach_beyond_memory_are_refused():
    for strides in ([2**63 - 1, 0], [2**62, 1]):
        with pytest.raises((RuntimeError, MemoryError), match="overflow|not enough memory"):
            torch.empty(0).new_empty_strided([3, 1], strides)
        with pytest.raises((RuntimeError, MemoryError), match="overflow|not enough memory"):
            torch.empty_strided([3, 1], strides)


def test_polynomials_of_a_degree_that_is_no_integer_end():
    for name in ("laguerre_polynomial_l", "hermite_polynomial_h", "hermite_polynomial_he", "legendre_polynomial_p", "chebyshev_polynomial_t", "shifted_chebyshev_polynomial_v"):
        assert getattr(torch.special, name)(torch.tensor(3.5), 1e30).item() == 0


def test_soft_margin_loss_has_second_derivatives_where_its_exponential_is_large():
    x = torch.tensor([1.0, 7.25], requires_grad=True)
    loss = F.soft_margin_loss(x, torch.tensor([1.0, -7.25]), reduction="sum")
    (first,) = torch.autograd.grad(loss, x, create_graph=True)
    assert first.tolist() == pytest.approx([-0.26894143, 7.25], rel=1e-6)
    assert torch.autograd.grad(first.sum(), x)[0].tolist() == pytest.approx([0.19661194, 0], rel=1e-5)
    assert loss.grad_fn.next_functions[0][0].name() == "SoftMarginLossBackward0"


def test_the_older_place_of_a_factor_is_before_the_other_operand():
    with pytest.warns(UserWarning, match="deprecated"):
        assert torch.sub(torch.tensor(1, dtype=torch.int32), 0, -1.75).item() == 1
    assert torch.add(torch.tensor(1.0), torch.tensor(2.0), -1).item() == -1
    with pytest.raises(TypeError):
        torch.add(torch.ones(3), torch.ones(3), 2)


def test_rows_of_numbers_in_integers_begin_and_end_with_integers():
    assert torch.range(0.25, 3.9, dtype=torch.int64).tolist() == [0, 1, 2, 3]
    assert torch.range(-0.5, 2.5, dtype=torch.int64).tolist() == [0, 1, 2]
    with pytest.raises(RuntimeError, match="step must be nonzero"):
        torch.range(0.5, 3, 0.5, dtype=torch.int64)
    assert torch.logspace(1.75, 0, 1, dtype=torch.int64).tolist() == [56]


def test_norms_refuse_parameters_of_another_dtype_but_for_sixteen_bits():
    wide = torch.ones(2, dtype=torch.float64)
    for call in (lambda: F.group_norm(torch.ones(1, 2), 1, wide), lambda: torch.group_norm(torch.ones(1, 2), 1, None, torch.ones(2, dtype=torch.bool)),
                 lambda: F.batch_norm(torch.ones(2, 2), None, None, wide, training=True), lambda: F.batch_norm(torch.ones(2, 2), wide, wide)):
        with pytest.raises(RuntimeError, match=r"mixed dtype \(CPU\): expect parameter to have scalar type of Float"):
            call()
    assert torch.group_norm(torch.ones(1, 2, 2, dtype=torch.bfloat16), 1, torch.ones(2)).dtype is torch.bfloat16
    assert torch.rms_norm(torch.ones(2), [2], wide).dtype is torch.float32


def test_as_strided_scatter_into_what_shares_memory():
    x = torch.tensor([-12.0]).expand(2)
    assert x.as_strided_scatter(torch.tensor(1.0), [], []).tolist() == [1, -12]
    assert x.tolist() == [-12, -12]


def test_gradients_that_are_selected_stay_finite():
    x = torch.tensor([-4.0, 0.0, 4.0], requires_grad=True)
    F.hardswish(x).log().sum().backward()
    assert x.grad[0] == 0 and x.grad[2] == 0.25


def test_second_derivatives_of_grid_sample_are_refused():
    grid = torch.tensor([[[[0.1, 0.2]]]], requires_grad=True)
    (first,) = torch.autograd.grad(F.grid_sample(torch.arange(4.0).view(1, 1, 2, 2), grid, align_corners=True).sum(), grid, create_graph=True)
    with pytest.raises(NotImplementedError, match="grid_sampler_backward"):
        first.sum().backward()


REFUSED = [
    (RuntimeError, lambda: torch.mvlgamma(torch.tensor([True]), 1)),
    (RuntimeError, lambda: torch.dist(torch.ones(2), torch.ones(2), 2j)),
    (RuntimeError, lambda: torch.linalg.tensorinv(torch.tensor(1.0))),
    (RuntimeError, lambda: torch.broadcast_shapes(torch.tensor([1]))),
    (RuntimeError, lambda: torch.cartesian_prod(torch.ones(1, 1))),
    (RuntimeError, lambda: torch.frobenius_norm(torch.ones(1, 1, 1), [0, 1, 2])),
    (RuntimeError, lambda: torch.tensor(0.0).unflatten(0, (1,))),
    (RuntimeError, lambda: F.rrelu(torch.ones(1), math.nan)),
    (RuntimeError, lambda: F.max_unpool2d(torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1, dtype=torch.int64), [1])),
    (RuntimeError, lambda: F.cross_entropy(torch.ones(1, 5), torch.ones(1, 5), torch.ones(1, 5))),
    (IndexError, lambda: torch.repeat_interleave(torch.tensor(1.0), 2, 0)),
    (IndexError, lambda: torch.tensor(0.0).take_along_dim(torch.tensor(0), 0)),
    (IndexError, lambda: F.multilabel_soft_margin_loss(torch.tensor(1.0), torch.tensor(1.0))),
    (ValueError, lambda: F.lp_pool2d(torch.ones(1, 1, 2, 2), 1, [1])),
    (ValueError, lambda: F.dropout(torch.ones(1), math.nan)),
    (ValueError, lambda: F.embedding_bag(torch.tensor([0]), torch.ones(1, 1), torch.tensor([0]), mode="max", scale_grad_by_freq=True)),
]


@pytest.mark.parametrize("error, call", REFUSED)
def test_refused_as_in_torch(error, call):
    with pytest.raises(error):
        call()


def test_values():
    assert math.isnan(torch.std(torch.empty(0), correction=-2).item())
    assert torch.addr(torch.tensor(1, dtype=torch.uint8), torch.zeros(1), torch.ones(3), beta=-3).tolist() == [[-3, -3, -3]]
    assert torch.addr(torch.tensor(1.0, dtype=torch.float64), torch.ones(1), torch.ones(2)).dtype is torch.float64
    assert torch.view_copy(torch.arange(6).view(2, 3).t(), [6]).tolist() == [0, 3, 1, 4, 2, 5]
    assert torch.cosine_similarity(torch.ones(2, 2, dtype=torch.bfloat16), torch.tensor(1.0)).dtype is torch.float32
    assert F.multilabel_soft_margin_loss(torch.tensor([1.0]), torch.tensor([4.25, -5.5])).item() == pytest.approx(3.8765235, rel=1e-6)
    assert torch.special.zeta(torch.tensor([0.0, 1.0]), math.nan).tolist()[1] == math.inf
    assert torch.tril_indices(2, 1, dtype=None).dtype is torch.int64


def test_margins_that_are_met_have_no_gradient():
    x = torch.tensor([[0.0, 1.0, 2.0, 3.0]], requires_grad=True)
    F.multi_margin_loss(x, torch.tensor([1])).backward()
    assert x.grad.tolist() == [[0, -0.5, 0.25, 0.25]]


def test_the_gradient_of_logaddexp_at_infinity():
    x = torch.tensor(math.inf, requires_grad=True)
    torch.logaddexp(torch.tensor(1.0), x).backward()
    assert x.grad.item() == 1


def test_laguerre_polynomials_of_high_degree():
    x, n = torch.tensor([4.25, 0.5], dtype=torch.float64), torch.tensor(2e7)
    assert torch.special.laguerre_polynomial_l(x, n).tolist() == pytest.approx([-4.7054e-02, -1.2463e-02], rel=1e-4)


def test_scattering_into_nothing_ends():
    with pytest.raises(RuntimeError):
        torch.empty(4, 0).as_strided_scatter(torch.empty(3), [3], [1])


def test_what_fills_sixteen_bits_may_be_infinite_in_them():
    for dtype, value in ((torch.float16, 1e10), (torch.float16, -2147483648), (torch.bfloat16, 1e300)):
        x, infinite = torch.zeros(2, dtype=dtype), math.copysign(math.inf, value)
        assert torch.full((1,), value, dtype=dtype).item() == torch.full_like(x, value)[0].item() == infinite
        assert x.clone().fill_(value)[0].item() == infinite
        x[0] = value
        assert x.tolist() == [infinite, 0]
        with pytest.raises(RuntimeError, match="without overflow"):
            x.masked_fill(x == 0, value)
    with pytest.raises(RuntimeError, match="without overflow"):
        torch.full((1,), 1e300)
