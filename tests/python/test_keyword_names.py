"""Keyword names of PyTorch's functions, NumPy's among them, are taken and refused as there: see golden/keywords.py."""

import pathlib
import warnings

import pytest
from golden.keyword_calls import outcome_of

import pywasmtorch as torch

RECORDED = pathlib.Path(__file__).parents[1] / "golden" / "recorded" / "keywords.txt"
#: written in Python there and operators here: NumPy's names do no harm
LENIENT = ("torch.nn.functional.adaptive_avg_pool3d(", "torch.nn.functional.glu(", "ramp((8,), torch.float32).unflatten(")


def recorded():
    for line in RECORDED.read_text().splitlines():
        call, _, outcome = line.rpartition(" -> ")
        if not (outcome == "TypeError" and call.startswith(LENIENT)):
            yield call, outcome


@pytest.mark.parametrize("part", range(10))
def test_each_recorded_call_gives_what_pytorch_gives(part):
    calls = list(recorded())[part::10]
    assert len(calls) > 100
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wrong = [(call, outcome, found) for call, outcome in calls if (found := outcome_of(torch, call)) != outcome]
    assert not wrong


@pytest.mark.parametrize("call", [
    "torch.sum(ones, 0, axis=0)", "torch.relu(ones, x=ones)", "torch.cumsum(ones, axis=0, dim=0)", "torch.relu()", "torch.cumsum(ones)", "torch.add(ones, y=ones)",
    "ones.unsqueeze()", "torch.relu(self=ones)",
])  # fmt: skip
def test_what_is_missing_or_given_twice_is_refused(call):
    with pytest.raises(TypeError):
        eval(call, {"torch": torch, "ones": torch.ones(2, 2)})


def test_a_missing_argument_is_named():
    with pytest.raises(TypeError, match=r'cumprod\(\) missing 1 required positional arguments: "dim"'):
        torch.cumprod(torch.ones(2))
