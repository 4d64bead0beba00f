"""torch.ops._torchaudio and torch.ops.torchaudio: the loops over samples of torchaudio's compiled libraries, by the core's kernel. Alignment and the
transducer's loss are not here: torchaudio is told so, or they raise."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from .._core.generated import ops as _core
from ..library import Library
from .torchvision_ops import absent

ABSENT = (
    "forced_align(Tensor log_probs, Tensor targets, Tensor input_lengths, Tensor target_lengths, int blank) -> (Tensor, Tensor)",
    "rnnt_loss_forward(Tensor logits, Tensor targets, Tensor logit_lengths, Tensor target_lengths, int blank, float clamp, bool fused_log_softmax) -> (Tensor, Tensor)",
)


def _is_align_available() -> bool:
    return False


def _cuda_version() -> None:
    """There is none."""


def _lfilter_core_loop(input_signal_windows: Any, a_coeff_flipped: Any, padded_output_waveform: Any) -> Any:
    """Fills the results [N, C, order - 1 + T] of a recursive filter of [N, C, T]; the last of the coefficients [C, order] is the result's own, 1."""
    return padded_output_waveform.copy_(_core._recursive_filter(input_signal_windows, a_coeff_flipped, padded_output_waveform))


def _overdrive_core_loop(waveform: Any, temp: Any, last_in: Any, last_out: Any, output_waveform: Any) -> tuple[Any, Any, Any]:
    """Of signals [N, T]: half of `waveform`, and three quarters of `temp` without its slow part, whose state are the last sample and result [N]."""
    if not waveform.shape[-1]:
        return last_in, last_out, output_waveform
    steps = temp - torch.cat((last_in[:, None], temp[:, :-1]), 1)
    slow = torch.tensor([[-0.995, 1.0]], dtype=temp.dtype)
    padded = torch.cat((last_out[:, None], torch.zeros_like(temp)), 1)
    filtered = _core._recursive_filter(steps[:, None], slow, padded[:, None])[:, 0, 1:]
    output_waveform.copy_(waveform * 0.5 + filtered * 0.75)
    return last_in.copy_(temp[:, -1]), last_out.copy_(filtered[:, -1]), output_waveform


def define_answers() -> None:
    """Lets `torch.ops._torchaudio` say what the libraries can."""
    library = Library("_torchaudio", "FRAGMENT")
    library.impl(library.define("is_align_available() -> bool"), _is_align_available, "CompositeImplicitAutograd")
    library.impl(library.define("cuda_version() -> int?"), _cuda_version, "CompositeImplicitAutograd")


def define_operators() -> None:
    """Lets `torch.ops.torchaudio` have them."""
    library = Library("torchaudio", "FRAGMENT")
    name = library.define("_lfilter_core_loop(Tensor input_signal_windows, Tensor a_coeff_flipped, Tensor(a!) padded_output_waveform) -> Tensor(a!)")
    library.impl(name, _lfilter_core_loop, "CompositeImplicitAutograd")
    name = library.define(
        "_overdrive_core_loop(Tensor waveform, Tensor temp, Tensor(a!) last_in, Tensor(b!) last_out, Tensor(c!) output_waveform) -> (Tensor(a!), Tensor(b!), Tensor(c!))"
    )
    library.impl(name, _overdrive_core_loop, "CompositeImplicitAutograd")
    for schema in ABSENT:
        name = library.define(schema)
        library.impl(name, absent("torchaudio", name), "CompositeImplicitAutograd")
