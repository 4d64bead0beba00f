"""Record PyTorch's losses in the demo's first steps: ``python -m tests.golden.record_demo``."""

import json
import pathlib
import sys
from itertools import islice

from . import stand_in

REPOSITORY = pathlib.Path(__file__).parents[2]
RECORDED = REPOSITORY / "tests" / "golden" / "demo_losses.json"
SEEDS = (0, 1)
STEPS = 100


def losses(train_digits, seed, steps=STEPS):
    """The losses of the first steps of a run."""
    run = train_digits.Training(seed)
    return [state["loss"] for state in islice(run.steps(), steps)]


def main():
    stand_in.install()
    sys.path.insert(0, str(REPOSITORY / "web-demo"))
    import train_digits

    found = {str(seed): losses(train_digits, seed) for seed in SEEDS}
    RECORDED.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
