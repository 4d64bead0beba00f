"""torch.fft, torch.stft and windows: against the definition in Python's complex numbers; errors."""

import cmath
import warnings

import pytest

import pywasmtorch as torch
from pywasmtorch.signal import windows

LENGTHS = (1, 2, 3, 4, 6, 8, 11, 12, 15, 31, 37, 41, 49, 64, 74)  # every radix, odd primes, Bluestein's, and twice that for real rows


def signal(n, seed=3):
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(n, dtype=torch.complex128, generator=generator)


def by_definition(values, sign=-1):
    n = len(values)
    return [sum(v * cmath.exp(sign * 2j * cmath.pi * (j * k % n) / n) for j, v in enumerate(values)) for k in range(n)]


def near(found, expected, relative=1e-14):
    largest = max(abs(v) for v in expected)
    return len(found) == len(expected) and all(abs(a - b) <= relative * len(expected) ** 0.5 * largest for a, b in zip(found, expected))


@pytest.mark.parametrize("n", LENGTHS)
def test_transforms_are_the_sums_that_they_stand_for(n):
    x = signal(n)
    expected = by_definition(x.tolist())
    assert near(torch.fft.fft(x).tolist(), expected)
    assert near(torch.fft.ifft(x, norm="forward").tolist(), by_definition(x.tolist(), 1))
    assert near(torch.fft.fft(x.to(torch.complex64)).to(torch.complex128).tolist(), expected, 1e-7)
    real = x.real.contiguous()
    spectrum = by_definition(real.tolist())
    assert near(torch.fft.fft(real).tolist(), spectrum)
    assert near(torch.fft.rfft(real).tolist(), spectrum[: n // 2 + 1])
    assert near(torch.fft.irfft(torch.fft.rfft(real), n=n).tolist(), real.tolist())
    assert near(torch.fft.hfft(torch.fft.ihfft(real), n=n).tolist(), real.tolist())


@pytest.mark.parametrize("n", (8200, 16411, 30000))  # as matrices: mixed radices, a large prime, many rows of factors
def test_long_rows_come_back(n):
    x = signal(n).reshape(1, n)
    spectrum = torch.fft.fft(x)
    assert (torch.fft.ifft(spectrum) - x).abs().max() < 1e-13
    assert near([spectrum[0, 5].item()], [sum(v * cmath.exp(-2j * cmath.pi * (5 * j % n) / n) for j, v in enumerate(x[0].tolist()))], 1e-12)
    assert (torch.fft.irfft(torch.fft.rfft(x.real), n=n) - x.real).abs().max() < 1e-13


def test_each_row_of_a_batch_has_the_bits_of_the_row_alone():
    x = signal(19 * 60).reshape(19, 60)
    whole = torch.fft.fft(x)
    assert all(torch.fft.fft(x[i]).equal(whole[i]) for i in range(19))
    assert torch.fft.fft(x.T.contiguous(), dim=0).T.equal(whole)
    assert torch.fft.fft(x.T, dim=0).T.equal(whole)


def test_a_row_that_is_no_number_leaves_the_others_alone():
    x = torch.ones(4, 6)
    x[1, 2] = float("nan")
    found = torch.fft.rfft(x)
    assert found[1].isnan().all() and not found[[0, 2, 3]].isnan().any()


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft", "fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn"])
def test_gradients(name):
    x = signal(6).reshape(2, 3)
    if name.lstrip("i") in ("rfft", "rfftn", "hfft", "hfftn") and name in ("rfft", "rfftn", "ihfft", "ihfftn"):
        x = x.real.contiguous()
    x.requires_grad_()
    function = getattr(torch.fft, name)
    assert torch.autograd.gradcheck(lambda t: function(t, norm="ortho"), (x,))
    assert torch.autograd.gradgradcheck(function, (x,))


@pytest.mark.parametrize("call, kind, message", [
    (lambda x: torch.fft.fft(x.half()), RuntimeError, "Unsupported dtype Half"),
    (lambda x: torch.fft.fft(x, n=0), RuntimeError, r"Invalid number of data points \(0\) specified"),
    (lambda x: torch.fft.fft(x, dim=2), IndexError, "Dimension out of range"),
    (lambda x: torch.fft.fft(x[0, 0]), IndexError, "tensor has no dimensions"),
    (lambda x: torch.fft.fft(x, norm="x"), RuntimeError, "Invalid normalization mode"),
    (lambda x: torch.fft.rfft(x * 1j), RuntimeError, "rfft expects a real input tensor, but got ComplexFloat"),
    (lambda x: torch.fft.fftn(x, dim=(0, -2)), RuntimeError, "FFT dims must be unique"),
    (lambda x: torch.fft.fftn(x, s=(2, 3, 4)), RuntimeError, "Got shape with 3 values"),
    (lambda x: torch.fft.rfftn(x, dim=()), RuntimeError, "must transform at least one axis"),
    (lambda x: torch.fft.fft(x, out=torch.empty(0)), RuntimeError, "fft expects a complex output tensor, but got Float"),
    (lambda x: torch.fft.fft(x, n=2.5), TypeError, "argument 'n'.* must be int, not float"),
    (lambda x: torch._fft_c2r(x * 1j, [1], 0, 9), RuntimeError, "Expected 5 points"),
])
def test_what_transforms_refuse(call, kind, message):
    with pytest.raises(kind, match=message):
        call(torch.ones(2, 4))


def test_a_signal_comes_back_from_its_frames():
    x = signal(40).real.contiguous()
    for name, hop, width in (("hann", 4, 16), ("hamming", 5, 12)):
        window = getattr(windows, name)(width, sym=False, dtype=torch.float64)
        frames = torch.stft(x, 16, hop, width, window, return_complex=True)
        assert frames.shape == (9, 40 // hop + 1)
        assert near(torch.istft(frames, 16, hop, width, window, length=40).tolist(), x.tolist())


def test_what_frames_refuse():
    x = torch.ones(20)
    with pytest.raises(RuntimeError, match="return_complex"):
        torch.stft(x, 8, window=torch.ones(8))
    with pytest.raises(RuntimeError, match="0 < n_fft < 20"):
        torch.stft(x, 21, center=False, window=torch.ones(21), return_complex=True)
    with pytest.raises(RuntimeError, match="Cannot have onesided output"):
        torch.stft(x * 1j, 8, window=torch.ones(8), onesided=True)
    with pytest.raises(RuntimeError, match="window overlap add min"):
        torch.istft(torch.ones(5, 11, dtype=torch.complex64), 8, window=torch.zeros(8))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(UserWarning, match="A window was not provided"):
            torch.stft(x, 8, return_complex=True)


def test_windows():
    assert windows.bartlett(5).tolist() == [0, 0.5, 1, 0.5, 0]
    assert windows.hann(4, sym=False).tolist() == pytest.approx([0, 0.5, 1, 0.5], abs=1e-7)
    assert windows.kaiser(5, beta=300.0, dtype=torch.float64).tolist() == pytest.approx(
        [2.234213809800564e-129, 3.766469229341833e-18, 1, 3.766469229341833e-18, 2.234213809800564e-129], rel=1e-12, abs=0)
    assert windows.cosine(0).shape == (0,)
    with pytest.raises(ValueError, match="expects float32 or float64"):
        windows.gaussian(3, dtype=torch.float16)
