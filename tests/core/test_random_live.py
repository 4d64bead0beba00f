"""The random engine against an installed torch, with seeds that were not recorded."""

import dataclasses
import math

import pytest

pytest.importorskip("torch", reason="compares with an installed torch")

from core import random_cases as rc
from core import random_native, random_torch

SEEDS = (7, 2**40 + 3)


@pytest.mark.parametrize("case", rc.cases(), ids=lambda case: case.name)
def test_draws_what_torch_draws(case):
    for seed in SEEDS:
        other = dataclasses.replace(case, seed=case.seed + seed & 2**64 - 1)
        drawn, state = random_native.draw(other)
        expected, expected_state = random_torch.draw(other)
        assert rc.words_used(state) == rc.words_used(expected_state)
        if case.exact:
            assert drawn == expected
            continue
        ours, theirs = (random_native.decoded(data, case.dtype) for data in (drawn, expected))
        assert len(ours) == len(theirs)
        assert all(math.isclose(a, b, rel_tol=1e-13, abs_tol=1e-13) for a, b in zip(ours, theirs))


@pytest.mark.parametrize("case", rc.cases()[:3], ids=lambda case: case.name)
def test_states_travel_both_ways(case):
    """torch goes on where the core stopped, and the core where torch stopped."""
    import torch

    ours, theirs = random_native.Generator(case.seed), random_torch.seeded(case.seed)
    ours.fill("normal", "float64", 5, 0.0, 1.0)
    theirs.set_state(torch.frombuffer(bytearray(ours.get_state()), dtype=torch.uint8))
    for n in (3, 700, 1):
        assert torch.allclose(
            torch.empty(n, dtype=torch.float64).normal_(generator=theirs),
            torch.tensor(random_native.decoded(ours.fill("normal", "float64", n, 0.0, 1.0), "float64"), dtype=torch.float64),
            rtol=1e-13,
            atol=1e-13,
        )
    ours.set_state(random_torch.state(theirs))
    assert ours.fill("uniform", "float32", 99, 0.0, 1.0) == random_torch.as_bytes(torch.empty(99).uniform_(generator=theirs))
