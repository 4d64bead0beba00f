"""stft and istft."""

from __future__ import annotations

import warnings
from functools import partial

from .._core.checks import tensors_checked
from .._core.generated import ops
from .._core.tensor_type import Tensor
from .creation import ones
from .fft_common import AS_IT_IS, BY_COUNT, BY_ROOT, promoted
from .padding import pad as padded


def _mode(normalized: bool, otherwise: int) -> int:
    return BY_ROOT if normalized else otherwise


def _kind_named(value: bool | None) -> str:
    return "None" if value is None else str(int(value))


def _centred(window: Tensor, size: int) -> Tensor:
    left = (size - window.shape[0]) // 2
    return padded(window, (left, size - window.shape[0] - left))


@partial(tensors_checked, numpy_names=False)
def stft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None, center: bool = True,
         pad_mode: str = "reflect", normalized: bool = False, onesided: bool | None = None, return_complex: bool | None = None,
         align_to_window: bool | None = None) -> Tensor:
    """The transforms of frames of `n_fft` samples, `hop_length` (n_fft // 4) apart, of signals (…, T) under a window of `win_length` (n_fft)
    samples, as (…, frequencies, frames): n_fft // 2 + 1 of them for real input where `onesided` (the default), else n_fft.

    `center` pads the signal so that frame t is centred on sample t · hop_length; `normalized` divides by sqrt(n_fft). With return_complex=False
    a last dimension holds the parts. RuntimeError for sizes that do not fit and for one-sided spectra of complex input."""
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    if center:
        rank = input.ndim
        half = int(n_fft // 2)
        input = padded(input.view([1] * (3 - rank) + list(input.shape)), (half, half), pad_mode)
        input = input.view(input.shape[-rank:] if rank else ())
    if window is None:
        warnings.warn("A window was not provided. A rectangular window will be applied, which is known to cause spectral leakage.", UserWarning, stacklevel=3)
    is_complex = input.dtype.is_complex or (window is not None and window.dtype.is_complex)
    if return_complex is None:
        if not is_complex:
            raise RuntimeError("stft requires the return_complex parameter be given for real inputs, and will further require that return_complex=True in a "
                               "future PyTorch release.")
        return_complex = True
    hop, width = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    where = (f"stft({input.type()}{list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={width}, "
             f"window={'None' if window is None else f'{window.type()}{list(window.shape)}'}, normalized={int(normalized)}, onesided={_kind_named(onesided)}, "
             f"return_complex={_kind_named(return_complex)}, align_to_window={_kind_named(align_to_window)}) : ")
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise RuntimeError(where + "expected a tensor of floating point or complex values")
    if not 1 <= input.ndim <= 2:
        raise RuntimeError(where + "expected a 1D or 2D tensor")
    length = input.shape[-1]
    if not 0 < n_fft <= length:
        raise RuntimeError(where + f"expected 0 < n_fft < {length}, but got n_fft={n_fft}")
    if hop <= 0:
        raise RuntimeError(where + f"expected hop_length > 0, but got hop_length={hop}")
    if not 0 < width <= n_fft:
        raise RuntimeError(where + f"expected 0 < win_length <= n_fft, but got win_length={width}")
    if window is not None and list(window.shape) != [width]:
        raise RuntimeError(where + f"expected a 1D window tensor of size equal to win_length={width}, but got window with size {list(window.shape)}")
    if align_to_window:
        left = (n_fft - width) // 2
        input = padded(input, (left, n_fft - width - left))
    if window is None and width < n_fft:
        window = ones(width, dtype=input.dtype)
    frames = ops.unfold(input, -1, n_fft, hop)
    if window is not None:
        frames = frames * (_centred(window, n_fft) if width < n_fft else window)
    if onesided is None:
        onesided = not is_complex
    mode = _mode(normalized, AS_IT_IS)
    if is_complex:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        result = ops._fft_c2c(promoted(frames, True), [-1], mode, True)
    else:
        result = ops._fft_r2c(promoted(frames, False), [-1], mode, bool(onesided))
    result = ops.transpose(result, -1, -2)
    return result if return_complex else ops.view_as_real(result)


@tensors_checked
def istft(input: Tensor, n_fft: int, hop_length: int | None = None, win_length: int | None = None, window: Tensor | None = None, center: bool = True,
          normalized: bool = False, onesided: bool | None = None, length: int | None = None, return_complex: bool = False) -> Tensor:
    """The signal whose `stft` with the same arguments is nearest to `input`, (…, frequencies, frames), cut or filled up with zeros to `length`
    (Griffin and Lim, 1984). RuntimeError where the squared windows leave a sample uncovered, and for sizes that do not fit."""
    if window is None:
        warnings.warn("A window was not provided. A rectangular window will be applied. Please provide the same window used by stft.", UserWarning, stacklevel=3)
    hop, width = n_fft // 4 if hop_length is None else hop_length, n_fft if win_length is None else win_length
    if not input.dtype.is_complex:
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from stft with return_complex=True.")
    where = (f"istft({input.type()}{list(input.shape)}, n_fft={n_fft}, hop_length={hop}, win_length={width}, "
             f"window={'None' if window is None else f'{window.type()}{list(window.shape)}'}, center={int(center)}, normalized={int(normalized)}, "
             f"onesided={_kind_named(onesided)}, length={length}, return_complex={int(return_complex)}) : ")
    if input.ndim < 2:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-input.ndim - 1}, {input.ndim}], but got -3)")
    points, count = input.shape[-2:]
    if not input.numel():
        raise RuntimeError(where + "input tensor cannot be empty.")
    if input.ndim > 3:
        raise RuntimeError(where + f"expected a tensor with 3 or 4 dimensions, but got {input.ndim + 1}")
    if onesided is None:
        onesided = points != n_fft
    if points != (n_fft // 2 + 1 if onesided else n_fft):
        raise RuntimeError(where + f"expected the frequency dimension (3rd to the last) of the input tensor to match "
                           f"{'n_fft / 2 + 1 when onesided=True' if onesided else 'n_fft when onesided=False'}, but got {points}")
    if not 0 < hop <= width:
        raise RuntimeError(where + "expected 0 < hop_length <= win_length")
    if not 0 < width <= n_fft:
        raise RuntimeError(where + "expected 0 < win_length <= n_fft")
    if window is not None and list(window.shape) != [width]:
        raise RuntimeError(where + "Invalid window shape. window has to be 1D and length of `win_length`")
    if window is None:
        window = ones(width, dtype=input.dtype.to_real())
    if width < n_fft:
        window = _centred(window, n_fft)
    spectra = ops.transpose(input, -1, -2)
    mode = _mode(normalized, BY_COUNT)
    if return_complex:
        if onesided:
            raise RuntimeError("Cannot have onesided output if window or input is complex")
        frames = ops._fft_c2c(spectra, [-1], mode, False)
    else:
        if window.dtype.is_complex:
            raise RuntimeError("Complex windows are incompatible with return_complex=False")
        frames = ops._fft_c2r(spectra if onesided else ops.narrow(spectra, -1, 0, n_fft // 2 + 1), [-1], mode, n_fft)
    total = n_fft + hop * (count - 1)
    signal = ops.unfold_backward(frames * window, [*input.shape[:-2], total], input.ndim - 2, n_fft, hop)
    weight = ops.unfold_backward((window * window).expand(count, n_fft), [total], 0, n_fft, hop)
    start = n_fft // 2 if center else 0
    end = start + length if length is not None else -(n_fft // 2) if center else total
    signal, weight = signal[..., start:end], weight[start:end]
    if not weight.numel():
        raise RuntimeError("min(): Expected reduction dim to be specified for input.numel() == 0. Specify the reduction dim with the 'dim' argument.")
    if ops.abs_function(weight.detach()).min().item() < 1e-11:
        raise RuntimeError(where.removesuffix(" : ") + " window overlap add min: 1")
    signal = signal / weight
    if length is not None and length > signal.shape[-1]:
        warnings.warn("The length of signal is shorter than the length parameter. Result is being padded with zeros in the tail. "
                      "Please check your center and hop_length settings.", UserWarning, stacklevel=3)
        signal = padded(signal, (0, length - signal.shape[-1]))
    return signal


FUNCTIONS = [stft, istft]
METHODS = {"stft": stft, "istft": istft}
