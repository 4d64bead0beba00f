"""Functions of lists beyond what `golden/cases/foreach.py` records."""

import pytest

import pywasmtorch as torch

NAMES = """
    abs abs_ acos acos_ add add_ addcdiv addcdiv_ addcmul addcmul_ asin asin_ atan atan_ ceil ceil_ clamp_max clamp_max_ clamp_min clamp_min_ clone copy_
    cos cos_ cosh cosh_ div div_ erf erf_ erfc erfc_ exp exp_ expm1 expm1_ floor floor_ frac frac_ lerp lerp_ lgamma lgamma_ log log10 log10_ log1p log1p_
    log2 log2_ log_ max maximum maximum_ minimum minimum_ mm mul mul_ neg neg_ norm pow pow_ powsum reciprocal reciprocal_ round round_ rsqrt rsqrt_
    sigmoid sigmoid_ sign sign_ sin sin_ sinh sinh_ sqrt sqrt_ sub sub_ tan tan_ tanh tanh_ trunc trunc_ zero_
"""


def test_all_names_of_pytorch_are_here(lib):
    assert not [name for name in NAMES.split() if not hasattr(lib, f"_foreach_{name}")]
    assert all(hasattr(lib, f"_fused_{name}_") for name in ("adam", "adamw", "sgd", "adagrad"))


def test_gradients_that_pytorch_lacks():
    x, y, z = [[(torch.rand(size, dtype=torch.float64) + 0.5).requires_grad_() for size in ((3,), (2, 2))] for _ in range(3)]
    assert torch.autograd.gradcheck(lambda *t: torch._foreach_addcdiv(t[:2], t[2:4], t[4:], value=2.0), (*x, *y, *z))
    assert torch.autograd.gradcheck(lambda *t: tuple(torch._foreach_copy_([v * 1 for v in t[:2]], t[2:])), (*x, *y))
    assert torch.autograd.gradcheck(lambda *t: torch._foreach_powsum(t, 3), x)


@pytest.mark.parametrize("count", [4096, 4097, 9000])
def test_lists_that_are_longer_than_a_frame(lib, count):
    tensors = [lib.full((2,), float(k)) for k in range(count)]
    sums = lib._foreach_add(tensors, tensors)
    assert [sums[k].tolist() for k in (0, 17, count - 1)] == [[0.0, 0.0], [34.0, 34.0], [2.0 * (count - 1)] * 2]
    assert lib._foreach_mul_(tensors, 0.5) is tensors and tensors[-1].tolist() == [(count - 1) / 2] * 2
    assert lib._foreach_add(tensors, [float(k) for k in range(count)])[count - 1].tolist() == [1.5 * (count - 1)] * 2
