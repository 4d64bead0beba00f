"""torch.special."""

from ._generated.ops import FUNCTIONS as _FUNCTIONS
from ._generated.ops import SPECIAL as _SPECIAL

globals().update(_SPECIAL)
expit, logit, round = _FUNCTIONS["sigmoid"], _FUNCTIONS["logit"], _FUNCTIONS["round"]
