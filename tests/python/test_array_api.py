"""The Python array API standard: names, promotion by dtypes alone, defaults that differ from PyTorch's, inspection."""

import pytest

import pywasmtorch as torch

xp = torch.empty(0).__array_namespace__()
NAMES = """
    e inf nan newaxis pi bool int8 int16 int32 int64 uint8 float32 float64 complex64 complex128
    arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril triu zeros zeros_like
    astype can_cast finfo iinfo isdtype result_type
    abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or bitwise_right_shift bitwise_xor ceil clip conj
    copysign cos cosh divide equal exp expm1 floor floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10
    logaddexp logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow real reciprocal remainder
    round sign signbit sin sinh square sqrt subtract tan tanh trunc
    take take_along_axis matmul matrix_transpose tensordot vecdot
    broadcast_arrays broadcast_to concat expand_dims flip moveaxis permute_dims repeat reshape roll squeeze stack tile unstack
    argmax argmin count_nonzero nonzero searchsorted where unique_all unique_counts unique_inverse unique_values argsort sort
    cumulative_prod cumulative_sum max mean min prod std sum var all any diff __array_namespace_info__ linalg fft
""".split()
LINALG = """cholesky cross det diagonal eigh eigvalsh inv matmul matrix_norm matrix_power matrix_rank matrix_transpose outer pinv qr slogdet solve svd svdvals
    tensordot trace vecdot vector_norm""".split()
FFT = "fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fftfreq rfftfreq fftshift ifftshift".split()


def test_every_name_of_the_standard_is_there():
    assert [n for n in NAMES if n != "fft" and not hasattr(xp, n)] == []
    assert [n for n in LINALG if not hasattr(xp.linalg, n)] == []
    if hasattr(torch, "fft"):
        assert [n for n in FFT if not hasattr(xp.fft, n)] == []
    assert xp.__array_api_version__ == "2024.12"
    assert torch.ones(1).__array_namespace__(api_version="2023.12") is xp
    with pytest.raises(ValueError, match="not supported"):
        torch.ones(1).__array_namespace__(api_version="1999.12")


def test_dtypes_alone_decide_promotion():
    small, number = torch.ones(2, dtype=torch.float32), torch.tensor(2.0, dtype=torch.float64)
    assert (small + number).dtype is torch.float32
    assert xp.add(small, number).dtype is torch.float64
    assert xp.multiply(torch.ones(2, dtype=torch.int8), torch.tensor(2, dtype=torch.int32)).dtype is torch.int32
    assert xp.add(torch.ones(2, dtype=torch.int8), 3).dtype is torch.int8
    assert xp.where(torch.tensor([True, False]), small, number).dtype is torch.float64
    assert xp.concat([small, torch.ones(1, dtype=torch.float64)]).dtype is torch.float64
    assert xp.result_type(torch.int8, torch.uint8) is torch.int16 and xp.result_type(small, 1j) is torch.complex64
    assert not xp.can_cast(torch.float64, torch.float32) and xp.can_cast(torch.int8, torch.int64)
    with pytest.raises(ValueError):
        xp.result_type(1, 2.0)


def test_reductions_over_any_axes():
    x = torch.arange(24.0).reshape(2, 3, 4)
    assert xp.max(x, axis=(0, 2), keepdims=True).tolist() == [[[15], [19], [23]]]
    assert xp.prod(x[:, :2, :2] + 1, axis=(1, 2)).tolist() == [60, 13 * 14 * 17 * 18]
    assert xp.sum(x, axis=()).equal(x) and xp.var(x, axis=()).abs().max().item() == 0
    assert xp.std(torch.tensor([1.0, 3.0])).item() == 1
    assert xp.argmax(x, keepdims=True).tolist() == [[[23]]]
    assert xp.all(torch.ones(2, dtype=torch.uint8)).dtype is torch.bool
    with pytest.raises(IndexError):
        xp.sum(x, axis=3)
    with pytest.raises(ValueError, match="twice"):
        xp.any(x, axis=(0, -3))


def test_defaults_that_differ_from_torch():
    assert [t.tolist() for t in xp.meshgrid(torch.tensor([1, 2]), torch.tensor([3]))] == [[[1, 2]], [[3, 3]]]
    assert xp.arange(5, 1).shape == (0,) and xp.linspace(0, 1, 4, endpoint=False).tolist() == [0, 0.25, 0.5, 0.75]
    assert xp.sign(torch.tensor([float("nan"), -2.0])).isnan().tolist() == [True, False]
    assert xp.cumulative_sum(torch.tensor([1, 2]), include_initial=True).tolist() == [0, 1, 3]
    assert xp.roll(torch.arange(4).reshape(2, 2), 1, axis=(0, 1)).tolist() == [[3, 2], [1, 0]]
    assert xp.clip(torch.tensor([-100, 100], dtype=torch.int8), -300, 50).tolist() == [-100, 50]
    for refused in (lambda: xp.squeeze(torch.ones(2), 0), lambda: xp.nonzero(torch.tensor(1)), lambda: xp.asarray([1], copy=False)):
        with pytest.raises(ValueError):
            refused()
    with pytest.raises(TypeError, match="complex"):
        xp.astype(torch.ones(1, dtype=torch.complex64), torch.float32)


def test_sets_and_order():
    x = torch.tensor([[3, 1], [1, 2]])
    values, indices, inverse, counts = xp.unique_all(x)
    assert values.tolist() == [1, 2, 3] and indices.tolist() == [1, 3, 0] and inverse.tolist() == [[2, 0], [0, 1]] and counts.tolist() == [2, 1, 1]
    assert xp.argsort(torch.tensor([1, 0, 1]), descending=True).tolist() == [0, 2, 1]
    assert xp.take(x, torch.tensor([-1]), axis=1).tolist() == [[1], [2]]


def test_linear_algebra():
    x = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    assert xp.linalg.trace(x).item() == 5 and xp.vecdot(x, x).tolist() == [5, 10]
    assert xp.linalg.vector_norm(x, axis=(0, 1), ord=1, keepdims=True).tolist() == [[7]]
    assert xp.tensordot(x, x, axes=((0, 1), (0, 1))).item() == 15
    with pytest.raises(ValueError, match="sizes"):
        xp.vecdot(x, x[:, :1])


def test_inspection():
    info = xp.__array_namespace_info__()
    assert info.default_dtypes()["real floating"] is torch.float32 and info.default_device() in info.devices()
    assert info.dtypes(kind="unsigned integer") == {"uint8": torch.uint8} and len(info.dtypes()) == 10
    assert info.capabilities()["max dimensions"] == 16 and xp.finfo(torch.complex64).dtype is torch.float32
    assert xp.isdtype(torch.int8, ("bool", "integral")) and not xp.isdtype(torch.bool, "numeric")
    assert torch.ones(1).to_device("cpu").shape == (1,)
