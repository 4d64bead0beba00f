"""LogNormal, HalfNormal, HalfCauchy, Gumbel, InverseGamma, Kumaraswamy, Pareto, Weibull, Relaxed*, GeneralizedPareto."""

from __future__ import annotations

import math
from typing import Any

import pywasmtorch as torch

from .._core.size import Size
from .._tensor import Tensor
from . import constraints
from ._compound import TransformedDistribution
from ._continuous import Cauchy, Normal, Uniform
from ._discrete import _BINARY, _CLASSES, Categorical, _Binary, either
from ._gamma_family import Exponential, Gamma
from .distribution import Distribution
from .transforms import AbsTransform, AffineTransform, ExpTransform, PowerTransform, SigmoidTransform, StickBreakingTransform
from .utils import broadcast_all, clamp_probs, euler_constant

_EMPTY = Size()


class _Named(TransformedDistribution):
    """A transformed distribution that keeps parameters of its own, as named in `_event_dims`."""

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expand_with(Size(batch_shape), _instance)

    def _expand_with(self, shape: Size, _instance: Any, transforms: Any = None) -> Any:
        own = next(c for c in type(self).__mro__ if c.__module__ in (__name__, "torch.distributions"))
        values = {k: self.__dict__[k] for k in self._event_dims if k in self.__dict__}
        others = {k: v.expand(shape + v.shape[v.ndim - self._event_dims[k] :]) for k, v in values.items()}
        inner = self._base_batch(shape)
        new = self._of(self.base_dist.expand(inner), shape, _instance, own, **others)
        if transforms is not None:
            new.transforms = transforms(new)
        return new

    def _base_batch(self, shape: Size) -> Size:
        return shape


class LogNormal(_Named):
    """exp of a normal distribution."""

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        return self.base_dist.loc

    @property
    def scale(self) -> Tensor:
        return self.base_dist.scale

    @property
    def mean(self) -> Tensor:
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self) -> Tensor:
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self) -> Tensor:
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() + self.loc


class LogisticNormal(_Named):
    """Points of the simplex: a normal distribution through stick breaking."""

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.simplex
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        base = Normal(loc, scale, validate_args=validate_args)
        super().__init__(base if base.batch_shape else base.expand([1]), StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self) -> Tensor:
        return self.base_dist.base_dist.loc

    @property
    def scale(self) -> Tensor:
        return self.base_dist.base_dist.scale


class _Half(_Named):
    """The absolute value of a symmetric distribution around 0."""

    arg_constraints: Any = {"scale": constraints.positive}
    support: Any = constraints.nonnegative
    has_rsample = True
    _whole: Any

    def __init__(self, scale: Any, validate_args: bool | None = None) -> None:
        super().__init__(self._whole(0, scale, validate_args=False), AbsTransform(), validate_args=validate_args)

    @property
    def scale(self) -> Tensor:
        return self.base_dist.scale

    @property
    def mode(self) -> Tensor:
        return torch.zeros_like(self.scale)

    def cdf(self, value: Tensor) -> Tensor:
        self._checked(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, value: Tensor) -> Tensor:
        return self.base_dist.icdf((value + 1) / 2)

    def entropy(self) -> Tensor:
        return self.base_dist.entropy() - math.log(2)

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)


class HalfNormal(_Half):
    """|x| for a normal x of mean 0."""

    _whole = Normal

    @property
    def mean(self) -> Tensor:
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self) -> Tensor:
        return self.scale.pow(2) * (1 - 2 / math.pi)


class HalfCauchy(_Half):
    """|x| for a Cauchy x of median 0."""

    _whole = Cauchy

    @property
    def mean(self) -> Tensor:
        return torch.full(self._extended_shape(), math.inf, dtype=self.scale.dtype)

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        value = torch.as_tensor(value, dtype=self.scale.dtype)
        density = math.log(2) - math.log(math.pi) - self.scale.log() - (value / self.scale).pow(2).log1p()
        return torch.where(value >= 0, density, -math.inf)


class Gumbel(_Named):
    """Gumbel: the law of the largest of many."""

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive}
    support: Any = constraints.real
    _event_dims = {"loc": 0, "scale": 0}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        info = torch.finfo(self.loc.dtype)
        low, high = torch.full_like(self.loc, info.tiny), torch.full_like(self.loc, 1 - info.eps)
        super().__init__(Uniform(low, high, validate_args=validate_args), self._steps(self), validate_args=validate_args)

    @staticmethod
    def _steps(of: Gumbel) -> list[Any]:
        return [ExpTransform().inv, AffineTransform(0, -torch.ones_like(of.scale)), ExpTransform().inv, AffineTransform(of.loc, -of.scale)]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expand_with(Size(batch_shape), _instance, self._steps)

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self) -> Tensor:
        return self.loc + self.scale * euler_constant

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def stddev(self) -> Tensor:
        return (math.pi / math.sqrt(6)) * self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def entropy(self) -> Tensor:
        return self.scale.log() + (1 + euler_constant)


class InverseGamma(_Named):
    """1 / x for a gamma x."""

    arg_constraints: Any = {"concentration": constraints.positive, "rate": constraints.positive}
    support: Any = constraints.positive
    has_rsample = True

    def __init__(self, concentration: Any, rate: Any, validate_args: bool | None = None) -> None:
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(base.rate.new_tensor(-1)), validate_args=validate_args)

    @property
    def concentration(self) -> Tensor:
        return self.base_dist.concentration

    @property
    def rate(self) -> Tensor:
        return self.base_dist.rate

    @property
    def mean(self) -> Tensor:
        return torch.where(self.concentration > 1, self.rate / (self.concentration - 1), math.inf)

    @property
    def mode(self) -> Tensor:
        return self.rate / (self.concentration + 1)

    @property
    def variance(self) -> Tensor:
        a = self.concentration
        return torch.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self) -> Tensor:
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()


class Kumaraswamy(_Named):
    """Kumaraswamy on [0, 1]: like a beta distribution, with a closed distribution function 1 - (1 - x^a)^b."""

    arg_constraints: Any = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support: Any = constraints.unit_interval
    has_rsample = True
    _event_dims = {"concentration1": 0, "concentration0": 0}

    def __init__(self, concentration1: Any, concentration0: Any, validate_args: bool | None = None) -> None:
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(torch.zeros_like(self.concentration0), torch.ones_like(self.concentration0), validate_args=validate_args)
        super().__init__(base, self._steps(self), validate_args=validate_args)

    @staticmethod
    def _steps(of: Kumaraswamy) -> list[Any]:
        return [PowerTransform(of.concentration0.reciprocal()), AffineTransform(1.0, -1.0), PowerTransform(of.concentration1.reciprocal())]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expand_with(Size(batch_shape), _instance, self._steps)

    def _moment(self, n: int) -> Tensor:
        a, b = 1 + n / self.concentration1, self.concentration0
        return b * torch.exp(torch.lgamma(a) + torch.lgamma(b) - torch.lgamma(a + b))

    @property
    def mean(self) -> Tensor:
        return self._moment(1)

    @property
    def mode(self) -> Tensor:
        a, b = self.concentration1, self.concentration0
        mode = (((a - 1) / (a * b - 1)).log() / a).exp()
        return torch.where((a < 1) | (b < 1), math.nan, mode)

    @property
    def variance(self) -> Tensor:
        return self._moment(2) - self.mean.pow(2)

    def entropy(self) -> Tensor:
        a, b = self.concentration1.reciprocal(), self.concentration0.reciprocal()
        harmonic = torch.digamma(self.concentration0 + 1) + euler_constant
        return (1 - b) + (1 - a) * harmonic + torch.log(a) + torch.log(b)


class Pareto(_Named):
    """Pareto above `scale` with tail exponent `alpha`."""

    arg_constraints: Any = {"alpha": constraints.positive, "scale": constraints.positive}
    _event_dims = {"scale": 0, "alpha": 0}

    def __init__(self, scale: Any, alpha: Any, validate_args: bool | None = None) -> None:
        self.scale, self.alpha = broadcast_all(scale, alpha)
        super().__init__(Exponential(self.alpha, validate_args=validate_args), self._steps(self), validate_args=validate_args)

    @staticmethod
    def _steps(of: Pareto) -> list[Any]:
        return [ExpTransform(), AffineTransform(0, of.scale)]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expand_with(Size(batch_shape), _instance, self._steps)

    @property
    def mean(self) -> Tensor:
        a = self.alpha.clamp(min=1)
        return a * self.scale / (a - 1)

    @property
    def mode(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        a = self.alpha.clamp(min=2)
        return self.scale.pow(2) * a / ((a - 1).pow(2) * (a - 2))

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.greater_than_eq(self.scale)

    def entropy(self) -> Tensor:
        return (self.scale / self.alpha).log() + (1 + self.alpha.reciprocal())


class Weibull(_Named):
    """Weibull with `scale` and shape `concentration`."""

    arg_constraints: Any = {"scale": constraints.positive, "concentration": constraints.positive}
    support: Any = constraints.positive
    _event_dims = {"scale": 0, "concentration": 0}

    def __init__(self, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.scale, self.concentration = broadcast_all(scale, concentration)
        self.concentration_reciprocal = self.concentration.reciprocal()
        base = Exponential(torch.ones_like(self.scale), validate_args=validate_args)
        super().__init__(base, self._steps(self), validate_args=validate_args)

    @staticmethod
    def _steps(of: Weibull) -> list[Any]:
        of.concentration_reciprocal = of.concentration.reciprocal()
        return [PowerTransform(exponent=of.concentration_reciprocal), AffineTransform(0, of.scale)]

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expand_with(Size(batch_shape), _instance, self._steps)

    @property
    def mean(self) -> Tensor:
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self) -> Tensor:
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self) -> Tensor:
        r = self.concentration_reciprocal
        return self.scale.pow(2) * (torch.exp(torch.lgamma(1 + 2 * r)) - torch.exp(2 * torch.lgamma(1 + r)))

    def entropy(self) -> Tensor:
        r = self.concentration_reciprocal
        return euler_constant * (1 - r) + torch.log(self.scale * r) + 1


# ---- relaxations: discrete samples made continuous by a temperature (Maddison, Mnih, Teh: "The Concrete Distribution", 2017) ----
class LogitRelaxedBernoulli(_Binary, Distribution):
    """The logit of a relaxed Bernoulli."""

    arg_constraints: Any = _BINARY
    support: Any = constraints.real
    has_rsample = True
    _event_dims = {"probs": 0, "logits": 0}

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self.temperature = temperature
        name, value = either(probs, logits)
        (parameter,) = broadcast_all(value)
        setattr(self, name, parameter)
        super().__init__(parameter.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(batch_shape, _instance, temperature=self.temperature)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        shape = self._extended_shape(sample_shape)
        probs = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=probs.dtype))
        return (u.log() - (-u).log1p() + probs.log() - (-probs).log1p()) / self.temperature

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        d = logits - value.mul(self.temperature)
        return torch.as_tensor(self.temperature).log() + d - 2 * d.exp().log1p()


class _Relaxed(_Named):
    """Names what its base holds."""

    @property
    def temperature(self) -> Any:
        return self.base_dist.temperature

    @property
    def logits(self) -> Tensor:
        return self.base_dist.logits

    @property
    def probs(self) -> Tensor:
        return self.base_dist.probs


class RelaxedBernoulli(_Relaxed):
    """A Bernoulli made continuous on (0, 1)."""

    arg_constraints: Any = _BINARY
    support: Any = constraints.unit_interval
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(), validate_args=validate_args)


class ExpRelaxedCategorical(Distribution):
    """The log of a relaxed one-hot categorical."""

    arg_constraints: Any = _CLASSES
    support: Any = constraints.real_vector
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical, self.temperature = Categorical(probs, logits), temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(batch_shape, _instance, temperature=self.temperature, _categorical=self._categorical.expand(Size(batch_shape)))

    @property
    def param_shape(self) -> Size:
        return self._categorical.param_shape

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        u = clamp_probs(torch.rand(self._extended_shape(sample_shape), dtype=self.logits.dtype))
        scores = (self.logits - (-(u.log())).log()) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value: Tensor) -> Tensor:
        k = self._categorical._num_events
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        temperature = torch.as_tensor(self.temperature, dtype=logits.dtype)
        scale = math.lgamma(k) + temperature.log().mul(k - 1)
        score = logits - value.mul(temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + scale


class RelaxedOneHotCategorical(_Relaxed):
    """A one-hot categorical made continuous on the simplex."""

    arg_constraints: Any = _CLASSES
    support: Any = constraints.simplex
    has_rsample = True

    def __init__(self, temperature: Any, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)


class GeneralizedPareto(Distribution):
    """What exceeds a high threshold: exponential, uniform and Pareto tails by the sign of `concentration`."""

    arg_constraints: Any = {"loc": constraints.real, "scale": constraints.positive, "concentration": constraints.real}
    has_rsample = True
    _event_dims = {"loc": 0, "scale": 0, "concentration": 0}

    def __init__(self, loc: Any, scale: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    def _exponent(self) -> tuple[Tensor, Tensor]:
        """Where the tail is exponential, and exponents that may be divided by everywhere."""
        zero = torch.isclose(self.concentration, torch.zeros_like(self.concentration))
        return zero, torch.where(zero, 1.0, self.concentration)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.loc.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        z = (value - self.loc) / self.scale
        zero, c = self._exponent()
        power = 1 / c + torch.ones_like(z)
        return -self.scale.log() - torch.where(zero, z, torch.where(power == 0, power, power * torch.log1p(c * z)))

    def log_survival_function(self, value: Tensor) -> Tensor:
        self._checked(value)
        z = (value - self.loc) / self.scale
        zero, c = self._exponent()
        return torch.where(zero, -z, -torch.log1p(c * z) / c)

    def log_cdf(self, value: Tensor) -> Tensor:
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value: Tensor) -> Tensor:
        return torch.exp(self.log_cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        zero, c = self._exponent()
        left = torch.log1p(-value)
        return self.loc + torch.where(zero, -self.scale * left, self.scale / c * torch.expm1(-c * left))

    @property
    def mean(self) -> Tensor:
        c = self.concentration
        return torch.where(c < 1, self.loc + self.scale / (1 - torch.where(c < 1, c, 0.5)), math.nan)

    @property
    def variance(self) -> Tensor:
        c = torch.where(self.concentration < 0.5, self.concentration, 0.25)
        return torch.where(self.concentration < 0.5, self.scale**2 / ((1 - c) ** 2 * (1 - 2 * c)), math.nan)

    def entropy(self) -> Tensor:
        return self.scale.log() + self.concentration + 1

    @property
    def mode(self) -> Tensor:
        return self.loc

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        c = self.concentration
        return constraints.interval(self.loc, torch.where(c < 0, self.loc - self.scale / c, math.inf))
