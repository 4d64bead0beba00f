"""Learning-rate schedulers.

Every scheduler sets ``group["lr"]`` of the optimizer's groups when it is made and at each ``step()``, counting
from ``last_epoch`` (-1 to start afresh). Resuming with another ``last_epoch`` needs ``"initial_lr"`` in each group.
"""

from ..._core.names import absent as _absent
from ._base import LRScheduler
from ._base import _LRScheduler as _LRScheduler
from ._composite import ChainedScheduler, SequentialLR
from ._cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from ._cycle import CyclicLR, OneCycleLR
from ._decay import ConstantLR, ExponentialLR, LambdaLR, LinearLR, MultiplicativeLR, MultiStepLR, PolynomialLR, StepLR
from ._plateau import ReduceLROnPlateau

__all__ = [
    "ChainedScheduler",
    "ConstantLR",
    "CosineAnnealingLR",
    "CosineAnnealingWarmRestarts",
    "CyclicLR",
    "ExponentialLR",
    "LRScheduler",
    "LambdaLR",
    "LinearLR",
    "MultiStepLR",
    "MultiplicativeLR",
    "OneCycleLR",
    "PolynomialLR",
    "ReduceLROnPlateau",
    "SequentialLR",
    "StepLR",
]

__getattr__ = _absent(__name__)
