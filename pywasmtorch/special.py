"""torch.special: bessel_*, erf*, gammaln, zeta, polynomials and other special functions."""

from ._core.checks import tensors_checked as _checked
from ._core.generated.ops import FUNCTIONS as _FUNCTIONS
from ._core.generated.ops import SPECIAL as _SPECIAL
from ._core.names import absent as _absent
from ._functions.arithmetic import polygamma as _polygamma

globals().update(_SPECIAL)
expit, gammaln, logit, psi, round = (_FUNCTIONS[_name] for _name in ("sigmoid", "lgamma", "logit", "digamma", "round"))
gammainc, gammaincc, logsumexp, multigammaln = (_FUNCTIONS[_name] for _name in ("igamma", "igammac", "logsumexp", "mvlgamma"))
polygamma = _checked(_polygamma)

__getattr__ = _absent(__name__)
