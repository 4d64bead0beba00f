"""torch.distributions: distributions, transforms, constraints and kl_divergence."""

import sys as _sys
from types import ModuleType as _ModuleType

from . import constraints as constraints
from . import utils as utils
from ._compound import Independent, MixtureSameFamily, TransformedDistribution
from ._continuous import Cauchy, Laplace, Normal, StudentT, Uniform, VonMises
from ._discrete import (
    Bernoulli,
    Binomial,
    Categorical,
    ContinuousBernoulli,
    Geometric,
    Multinomial,
    OneHotCategorical,
    OneHotCategoricalStraightThrough,
)
from ._gamma_family import Beta, Chi2, Dirichlet, Exponential, FisherSnedecor, Gamma, NegativeBinomial, Poisson
from ._multivariate import LKJCholesky, LowRankMultivariateNormal, MultivariateNormal, Wishart
from ._transformed import (
    ExpRelaxedCategorical,
    GeneralizedPareto,
    Gumbel,
    HalfCauchy,
    HalfNormal,
    InverseGamma,
    Kumaraswamy,
    LogisticNormal,
    LogitRelaxedBernoulli,
    LogNormal,
    Pareto,
    RelaxedBernoulli,
    RelaxedOneHotCategorical,
    Weibull,
)
from .constraint_registry import biject_to, transform_to
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .kl import kl_divergence, register_kl
from .transforms import *  # noqa: F403
from .transforms import __all__ as _transforms

#: torch's modules of single distributions, as programs import from them
_MODULES = {
    "bernoulli": [Bernoulli], "beta": [Beta], "binomial": [Binomial], "categorical": [Categorical], "cauchy": [Cauchy], "chi2": [Chi2],
    "continuous_bernoulli": [ContinuousBernoulli], "dirichlet": [Dirichlet], "exponential": [Exponential], "fishersnedecor": [FisherSnedecor],
    "gamma": [Gamma], "generalized_pareto": [GeneralizedPareto], "geometric": [Geometric], "gumbel": [Gumbel], "half_cauchy": [HalfCauchy],
    "half_normal": [HalfNormal], "independent": [Independent], "inverse_gamma": [InverseGamma], "kumaraswamy": [Kumaraswamy], "laplace": [Laplace],
    "lkj_cholesky": [LKJCholesky], "log_normal": [LogNormal], "logistic_normal": [LogisticNormal],
    "lowrank_multivariate_normal": [LowRankMultivariateNormal], "mixture_same_family": [MixtureSameFamily], "multinomial": [Multinomial],
    "multivariate_normal": [MultivariateNormal], "negative_binomial": [NegativeBinomial], "normal": [Normal],
    "one_hot_categorical": [OneHotCategorical, OneHotCategoricalStraightThrough], "pareto": [Pareto], "poisson": [Poisson],
    "relaxed_bernoulli": [LogitRelaxedBernoulli, RelaxedBernoulli], "relaxed_categorical": [ExpRelaxedCategorical, RelaxedOneHotCategorical],
    "studentT": [StudentT], "transformed_distribution": [TransformedDistribution], "uniform": [Uniform], "von_mises": [VonMises],
    "weibull": [Weibull], "wishart": [Wishart],
}

__all__ = [
    *(c.__name__ for classes in _MODULES.values() for c in classes if c not in (LogitRelaxedBernoulli, ExpRelaxedCategorical)),
    "Distribution", "ExponentialFamily", "biject_to", "kl_divergence", "register_kl", "transform_to", *_transforms,
]

for _name, _classes in _MODULES.items():
    _module = _ModuleType(f"{__name__}.{_name}", f"`{_classes[0].__name__}`, where torch has it.")
    _module.__dict__.update({c.__name__: c for c in _classes})
    _sys.modules[_module.__name__] = globals()[_name] = _module
