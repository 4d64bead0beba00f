"""torchaudio's loops over samples, by the same loops in Python; and what it is told of its libraries."""

import pytest

import pywasmtorch as torch


@pytest.fixture
def audio(tmp_path):
    (tmp_path / "torchaudio" / "lib").mkdir(parents=True)
    for name in ("_torchaudio.so", "libtorchaudio.so"):
        (tmp_path / "torchaudio" / "lib" / name).write_bytes(b"")
        torch.ops.load_library(tmp_path / "torchaudio" / "lib" / name)
    return torch.ops.torchaudio


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("order", [1, 2, 4])
def test_lfilter_core_loop(audio, order, dtype):
    x, a, padded = torch.randn(3, 2, 11, dtype=dtype), torch.randn(2, order, dtype=dtype) / 2, torch.zeros(3, 2, 10 + order, dtype=dtype)
    padded[..., : order - 1] = 0.5  # results before the first
    want = padded.tolist()
    for n in range(3):
        for c in range(2):
            for i in range(11):
                want[n][c][i + order - 1] = x[n, c, i].item() - sum(a[c, k].item() * want[n][c][i + k] for k in range(order - 1))
    places = padded.data_ptr()
    result = audio._lfilter_core_loop(x.transpose(0, 1).contiguous().transpose(0, 1), a, padded)
    torch.testing.assert_close(padded, torch.tensor(want, dtype=dtype))
    assert result.data_ptr() == places
    assert audio._lfilter_core_loop(x[..., :0], a, padded[..., : order - 1]).shape == (3, 2, order - 1)


def test_overdrive_core_loop(audio):
    wave, temp = torch.randn(2, 9, dtype=torch.float64), torch.randn(2, 9, dtype=torch.float64)
    last_in, last_out, output = torch.rand(2, dtype=torch.float64), torch.rand(2, dtype=torch.float64), torch.zeros(2, 9, dtype=torch.float64)
    before, state, want = last_in.clone(), last_out.clone(), torch.zeros_like(output)
    for i in range(9):
        state = temp[:, i] - before + 0.995 * state
        before = temp[:, i]
        want[:, i] = wave[:, i] * 0.5 + state * 0.75
    audio._overdrive_core_loop(wave, temp, last_in, last_out, output)
    for got, expected in ((output, want), (last_in, before), (last_out, state)):
        torch.testing.assert_close(got, expected)


def test_errors(audio):
    x, a = torch.zeros(1, 1, 4), torch.ones(1, 2)
    for arguments, message in (
        ((x[0], a, x), "expected signals of 3"), ((x, a, x), "do not fit together"), ((x, a.double(), x), "should have the same dtype"),
        ((x.long(), a.long(), torch.zeros(1, 1, 5).long()), "\"lfilter\" not implemented for 'Long'"),
    ):
        with pytest.raises(RuntimeError, match=message):
            audio._lfilter_core_loop(*arguments)


def test_what_torchaudio_is_told(audio):
    assert torch.ops._torchaudio.is_align_available() is False and torch.ops._torchaudio.cuda_version() is None
    with pytest.raises(NotImplementedError, match="forced_align"):
        audio.forced_align(torch.zeros(1, 2, 3), torch.ones(1, 1), torch.ones(1), torch.ones(1), 0)
