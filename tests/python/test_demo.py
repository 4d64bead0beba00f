"""The demo's training script learns as it does on PyTorch."""

import json

import pytest
import train_digits
from golden.record_demo import RECORDED, SEEDS, losses


@pytest.mark.parametrize("seed", SEEDS)
def test_losses_are_those_of_pytorch(lib, seed):
    expected = json.loads(RECORDED.read_text())[str(seed)]
    assert losses(train_digits, seed) == pytest.approx(expected, rel=1e-4)


def test_reports_every_step(lib):
    states = []
    run = train_digits.train(seed=3, epochs=1, report=states.append)
    assert [state["step"] for state in states] == list(range(1, run.total_steps + 1))
    assert [state["accuracy"] is not None for state in states] == [False] * (run.total_steps - 1) + [True]
    assert states[-1]["accuracy"] == run.accuracy() == (run.guesses() == run.test_labels).float().mean().item()
    probabilities = run.probabilities([0] * 64)
    assert len(probabilities) == 10 and sum(probabilities) == pytest.approx(1, abs=1e-6)


def test_refuses_no_epochs():
    with pytest.raises(ValueError, match="epochs must be at least 1, got 0"):
        train_digits.Training(epochs=0)
