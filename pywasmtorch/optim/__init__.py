"""Optimizers and learning-rate schedulers."""

from .._names import absent as _absent
from . import lr_scheduler
from .adam import Adam
from .adamw import AdamW
from .optimizer import Optimizer
from .sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "Optimizer", "lr_scheduler"]

__getattr__ = _absent(__name__)
