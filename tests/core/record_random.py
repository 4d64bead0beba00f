"""Records torch's draws for random_cases: ``python tests/core/record_random.py`` writes random_expected.json."""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import torch

from core import random_cases, random_torch
from core.random_native import decoded

EXPECTED = pathlib.Path(__file__).with_name("random_expected.json")


def main():
    drawn = {case.name: random_cases.summary(case, *random_torch.draw(case), decoded) for case in random_cases.cases()}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(entry)}" for name, entry in drawn.items())
    EXPECTED.write_text(f'{{"torch": {json.dumps(torch.__version__)}, "cases": {{\n{lines}\n}}}}\n')
    print(f"{EXPECTED.name}: {len(drawn)} cases, {EXPECTED.stat().st_size} bytes")


if __name__ == "__main__":
    main()
