"""nn.init and nn.utils. Expectations are PyTorch 2.13's, or follow from the definitions."""

import math
import warnings

import pytest

import pywasmtorch as torch
from pywasmtorch import nn

init = nn.init


def seeded(fill, *size):
    torch.manual_seed(0)
    tensor = torch.empty(size)
    assert fill(tensor) is tensor
    return tensor


def rounded(tensor):
    return [round(x, 4) for x in tensor.flatten().tolist()]


class TestGain:
    def test_values(self):
        gains = {
            "linear": 1,
            "conv_transpose3d": 1,
            "sigmoid": 1,
            "tanh": 5 / 3,
            "relu": math.sqrt(2),
            "selu": 0.75,
            "leaky_relu": math.sqrt(2 / 1.0001),
        }
        assert {name: init.calculate_gain(name) for name in gains} == gains
        assert init.calculate_gain("leaky_relu", 2) == math.sqrt(0.4)

    def test_refused(self):
        with pytest.raises(ValueError, match="Unsupported nonlinearity gelu"):
            init.calculate_gain("gelu")
        for param in ("x", True):
            with pytest.raises(ValueError, match=f"negative_slope {param} not a valid number"):
                init.calculate_gain("leaky_relu", param)


class TestFans:
    def test_bounds(self):
        assert init._calculate_fan_in_and_fan_out(torch.empty(2, 3, 4, 5)) == (60, 40)
        assert seeded(lambda w: init.xavier_uniform_(w, gain=2), 30, 20).abs().max().item() <= 2 * math.sqrt(6 / 50)
        assert seeded(init.kaiming_uniform_, 30, 24).abs().max().item() <= 0.5
        wide = seeded(lambda w: init.kaiming_uniform_(w, mode="FAN_OUT", nonlinearity="linear"), 3, 100)
        assert 0.98 < wide.abs().max().item() <= 1

    def test_refused(self):
        with pytest.raises(ValueError, match="can not be computed for tensor with fewer than 2 dimensions"):
            init.xavier_normal_(torch.empty(3))
        with pytest.raises(ValueError, match="Mode fan_all not supported, please use one of"):
            init.kaiming_normal_(torch.empty(3, 3), mode="fan_all")

    def test_nothing_to_fill(self):
        for fill in (init.kaiming_uniform_, init.kaiming_normal_):
            with pytest.warns(UserWarning, match="Initializing zero-element tensors is a no-op"):
                fill(torch.empty(0, 3))


class TestFilling:
    def test_generator(self):
        first = init.normal_(torch.empty(3), generator=torch.Generator().manual_seed(5))
        second = init.normal_(torch.empty(3), generator=torch.Generator().manual_seed(5))
        assert first.tolist() == second.tolist()

    def test_no_graph(self):
        weight = nn.Parameter(torch.empty(3, 3))
        for fill in (
            init.uniform_,
            init.normal_,
            init.trunc_normal_,
            init.ones_,
            init.zeros_,
            init.eye_,
            init.xavier_normal_,
            init.kaiming_uniform_,
        ):
            assert fill(weight) is weight and weight.is_leaf and weight.requires_grad
        init.constant_(weight, 0.25)
        assert weight.tolist() == [[0.25] * 3] * 3

    def test_eye(self):
        assert init.eye_(torch.empty(2, 3)).tolist() == [[1, 0, 0], [0, 1, 0]]
        with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
            init.eye_(torch.empty(2, 3, 3))

    def test_dirac(self):
        assert init.dirac_(torch.empty(3, 2, 3)).tolist() == [
            [[0, 1, 0], [0, 0, 0]],
            [[0, 0, 0], [0, 1, 0]],
            [[0, 0, 0], [0, 0, 0]],
        ]
        assert init.dirac_(torch.empty(4, 1, 2, 2), groups=2)[:, 0, 1, 1].tolist() == [1, 0, 1, 0]
        assert init.dirac_(torch.empty(1, 1, 3, 3, 3))[0, 0, 1, 1, 1].item() == 1
        with pytest.raises(ValueError, match="Only tensors with 3, 4, or 5 dimensions are supported"):
            init.dirac_(torch.empty(2, 2))
        with pytest.raises(ValueError, match="dim 0 must be divisible by groups"):
            init.dirac_(torch.empty(3, 2, 3), groups=2)

    def test_sparse(self):
        weight = seeded(lambda w: init.sparse_(w, 0.3, std=1.0), 10, 4)
        assert (weight == 0).sum(0).tolist() == [3, 3, 3, 3]
        with pytest.raises(ValueError, match="Only tensors with 2 dimensions are supported"):
            init.sparse_(torch.empty(2), 0.1)

    def test_deprecated_names(self):
        with pytest.warns(
            FutureWarning, match="`nn.init.xavier_uniform` is now deprecated in favor of `nn.init.xavier_uniform_`."
        ):
            init.xavier_uniform(torch.empty(2, 2))


class TestTruncatedNormal:
    def test_values(self):
        assert rounded(seeded(init.trunc_normal_, 6)) == [1.541, -0.2934, -0.7193, 0.5684, -1.0845, -1.3986]
        tail = seeded(lambda w: init.trunc_normal_(w, 0, 1, 2, 3), 6)
        assert rounded(tail) == [2.0223, 2.1689, 2.0885, 2.132, 2.3074, 2.3734]

    def test_bounds(self):
        values = seeded(lambda w: init.trunc_normal_(w, 1.0, 2.0, 0.5, 1.5), 500)
        assert 0.5 <= values.min().item() < 0.55 and 1.45 < values.max().item() <= 1.5

    def test_far_mean(self):
        with pytest.warns(UserWarning, match="mean is more than 2 std from"):
            init.trunc_normal_(torch.empty(2), mean=5.0)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            init.trunc_normal_(torch.empty(2), mean=4.0)


class TestClipping:
    def grads(self):
        params = [nn.Parameter(torch.zeros(2)), nn.Parameter(torch.zeros(1)), nn.Parameter(torch.zeros(3))]
        params[0].grad = torch.tensor([3.0, 0.0])
        params[1].grad = torch.tensor([-4.0])
        return params

    def test_norm(self):
        params = self.grads()
        total = nn.utils.clip_grad_norm_(params, 1.0)
        assert total.item() == 5.0 and not total.requires_grad
        assert rounded(params[0].grad) == [0.6, 0.0] and rounded(params[1].grad) == [-0.8]
        assert params[2].grad is None

    def test_small_gradients_stay(self):
        params = self.grads()
        assert nn.utils.clip_grad_norm_(iter(params), 10).item() == 5.0
        assert params[1].grad.tolist() == [-4.0]

    def test_other_norms(self):
        assert nn.utils.clip_grad_norm_(self.grads(), 1, norm_type=math.inf).item() == 4.0
        assert nn.utils.clip_grad_norm_(self.grads(), 1, norm_type="inf").item() == 4.0
        assert nn.utils.clip_grad_norm_(self.grads(), 1, norm_type=1).item() == 7.0
        assert nn.utils.get_total_norm([torch.tensor([3.0]), torch.tensor([4.0])]).item() == 5.0

    def test_one_tensor_and_none(self):
        weight = nn.Parameter(torch.zeros(1))
        assert nn.utils.clip_grad_norm_(weight, 1).item() == 0.0
        weight.grad = torch.tensor([8.0])
        assert nn.utils.clip_grad_norm_(weight, 2).item() == 8.0 and rounded(weight.grad) == [2.0]
        with pytest.warns(UserWarning, match="`parameters` is an empty generator"):
            nn.utils.clip_grad_norm_((p for p in []), 1)

    def test_not_finite(self):
        weight = nn.Parameter(torch.zeros(1))
        weight.grad = torch.tensor([math.inf])
        with pytest.raises(RuntimeError, match="total norm of order 2.0 for gradients from `parameters` is non-finite"):
            nn.utils.clip_grad_norm_(weight, 1, error_if_nonfinite=True)
        assert weight.grad.item() == math.inf
        nn.utils.clip_grad_norm_(weight, 1)
        assert math.isnan(weight.grad.item())

    def test_value(self):
        params = self.grads()
        nn.utils.clip_grad_value_(params, 2)
        assert params[0].grad.tolist() == [2.0, 0.0] and params[1].grad.tolist() == [-2.0]

    def test_deprecated_name(self):
        with pytest.warns(FutureWarning, match="is now deprecated in favor of"):
            nn.utils.clip_grad_norm(self.grads(), 1)


class TestVectors:
    def test_round_trip(self):
        net = nn.Linear(2, 1)
        vector = nn.utils.parameters_to_vector(net.parameters())
        assert vector.tolist() == [*net.weight.flatten().tolist(), *net.bias.tolist()] and vector.requires_grad
        values = torch.tensor([1.0, 2.0, 3.0])
        nn.utils.vector_to_parameters(values, net.parameters())
        assert net.weight.tolist() == [[1.0, 2.0]] and net.bias.tolist() == [3.0]
        assert isinstance(net.weight, nn.Parameter) and net.weight.requires_grad
        values[2] = 9
        assert net.bias.tolist() == [9.0]

    def test_refused(self):
        with pytest.raises(TypeError, match="expected torch.Tensor, but got: list"):
            nn.utils.vector_to_parameters([1.0], nn.Linear(1, 1).parameters())


class TestArguments:
    """What the modules refuse."""

    def test_messages(self):
        for make, kind, message in (
            (lambda: nn.Conv2d(3, 4, 3, groups=0), ValueError, "groups must be a positive integer"),
            (lambda: nn.Conv2d(3, 4, 3, groups=2), ValueError, "in_channels must be divisible by groups"),
            (lambda: nn.Conv2d(4, 3, 3, groups=2), ValueError, "out_channels must be divisible by groups"),
            (lambda: nn.Conv2d(1, 1, 3, padding="some"), ValueError, "Invalid padding string 'some'"),
            (lambda: nn.Conv2d(1, 1, 3, 2, padding="same"), ValueError, "not supported for strided convolutions"),
            (lambda: nn.Conv1d(1, 1, 3, padding_mode="x"), ValueError, "but got padding_mode='x'"),
            (lambda: nn.ConvTranspose1d(1, 1, 3, padding_mode="reflect"), ValueError, 'Only "zeros" padding mode'),
            (lambda: nn.Dropout(1.5), ValueError, "has to be between 0 and 1, but got 1.5"),
            (lambda: nn.GroupNorm(2, 3), ValueError, r"num_channels \(3\) must be divisible by num_groups \(2\)"),
            (lambda: nn.Embedding(3, 2, padding_idx=3), AssertionError, "Padding_idx must be within num_embeddings"),
            (lambda: nn.Embedding(3, 2, _weight=torch.ones(2, 2)), AssertionError, "Shape of weight does not match"),
            (lambda: nn.Hardtanh(1, 1), AssertionError, r"max_val \(1\) must be greater than min_val \(1\)"),
            (lambda: nn.Unflatten(1, 3), TypeError, "must be a tuple of ints, but found type int"),
            (lambda: nn.Unflatten(1, (3, "a")), TypeError, "found element of type str at pos 1"),
            (lambda: nn.HuberLoss(delta="a"), TypeError, "delta must be a float or int, got: <class 'str'>"),
            (lambda: nn.BatchNorm1d(2)(torch.ones(2)), ValueError, r"expected 2D or 3D input \(got 1D input\)"),
            (lambda: nn.BatchNorm2d(2)(torch.ones(2, 2)), ValueError, r"expected 4D input \(got 2D input\)"),
            (lambda: nn.InstanceNorm2d(2)(torch.ones(2)), ValueError, r"expected 3D or 4D input \(got 1D input\)"),
            (lambda: nn.CircularPad1d(1)(torch.ones(2)), ValueError, r"expected 2D or 3D input \(got 1D input\)"),
            (lambda: nn.Softmax2d()(torch.ones(2)), ValueError, "expected input to be 3D or 4D, got 1D instead"),
            (lambda: nn.Bilinear(0, 1, 1), ValueError, r"in1_features must be > 0, but got \(in1_features=0\)"),
        ):
            with pytest.raises(kind, match=message):
                make()

    def test_output_size(self):
        layer = nn.ConvTranspose2d(1, 1, 3, stride=2)
        with pytest.raises(
            ValueError, match=r"requested an output size of \[9, 7\], but valid sizes range from \[7, 7\] to \[8, 8\]"
        ):
            layer(torch.ones(1, 1, 3, 3), output_size=[9, 7])
        with pytest.raises(
            ValueError, match=r"ConvTranspose2D: for 4D input, output_size must have 2 or 4 elements \(got 3\)"
        ):
            layer(torch.ones(1, 1, 3, 3), output_size=[1, 7, 7])

    def test_warnings(self):
        with pytest.warns(FutureWarning, match="keyword argument `min_value` is deprecated and renamed to `min_val`"):
            assert nn.Hardtanh(min_value=-3).min_val == -3
        with pytest.warns(UserWarning, match="please use reduction='sum' instead"):
            assert nn.MSELoss(size_average=False).reduction == "sum"
        with pytest.warns(UserWarning, match="please use reduction='none' instead"):
            assert nn.MSELoss(reduce=False).reduction == "none"
        with pytest.warns(UserWarning, match="size at dim=1 does not match num_features"):
            nn.InstanceNorm1d(5)(torch.ones(1, 2, 3))
