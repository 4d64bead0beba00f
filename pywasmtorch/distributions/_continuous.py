"""Normal, Laplace, Cauchy, StudentT, Uniform, VonMises."""

from __future__ import annotations

import math
from typing import Any

import pywasmtorch as torch

from .._core.size import Size
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .utils import broadcast_all, standard_normal

_EMPTY = Size()
_LOCATION_SCALE = {"loc": constraints.real, "scale": constraints.positive}


class _LocationScale(Distribution):
    """A distribution on the real line, moved by `loc` and stretched by `scale`."""

    arg_constraints: Any = _LOCATION_SCALE
    support: Any = constraints.real
    has_rsample = True
    _event_dims = {"loc": 0, "scale": 0}

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.shape, validate_args=validate_args)


class Normal(_LocationScale, ExponentialFamily):
    """Normal with mean `loc` and standard deviation `scale`."""

    _mean_carrier_measure = 0

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @property
    def stddev(self) -> Tensor:
        return self.scale

    @property
    def variance(self) -> Tensor:
        return self.stddev.pow(2)

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        return self.loc + standard_normal(self._extended_shape(sample_shape), self.loc.dtype) * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        return -((value - self.loc) ** 2) / (2 * self.scale**2) - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def cdf(self, value: Tensor) -> Tensor:
        self._checked(value)
        return 0.5 * (1 + torch.erf((value - self.loc) * self.scale.reciprocal() / math.sqrt(2)))

    def icdf(self, value: Tensor) -> Tensor:
        return self.loc + self.scale * torch.erfinv(2 * value - 1) * math.sqrt(2)

    def entropy(self) -> Tensor:
        return 0.5 + 0.5 * math.log(2 * math.pi) + torch.log(self.scale)

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.loc / self.scale.pow(2), -0.5 * self.scale.pow(2).reciprocal()

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        return -0.25 * x.pow(2) / y + 0.5 * torch.log(-math.pi / y)


class Laplace(_LocationScale):
    """Laplace: density exp(-|x - loc| / scale) / (2 scale)."""

    @property
    def mean(self) -> Tensor:
        return self.loc

    mode = mean

    @property
    def variance(self) -> Tensor:
        return 2 * self.scale.pow(2)

    @property
    def stddev(self) -> Tensor:
        return 2**0.5 * self.scale

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        shape, dtype = self._extended_shape(sample_shape), self.loc.dtype
        u = torch.empty(shape, dtype=dtype).uniform_(torch.finfo(dtype).eps - 1, 1)
        return self.loc - self.scale * u.sign() * torch.log1p(-u.abs())

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        return -torch.log(2 * self.scale) - torch.abs(value - self.loc) / self.scale

    def cdf(self, value: Tensor) -> Tensor:
        self._checked(value)
        away = value - self.loc
        return 0.5 - 0.5 * away.sign() * torch.expm1(-away.abs() / self.scale)

    def icdf(self, value: Tensor) -> Tensor:
        away = value - 0.5
        return self.loc - self.scale * away.sign() * torch.log1p(-2 * away.abs())

    def entropy(self) -> Tensor:
        return 1 + torch.log(2 * self.scale)


class Cauchy(_LocationScale):
    """Cauchy with median `loc` and half width `scale`; it has no mean."""

    @property
    def mean(self) -> Tensor:
        return torch.full(self._extended_shape(), math.nan, dtype=self.loc.dtype)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return torch.full(self._extended_shape(), math.inf, dtype=self.loc.dtype)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        drawn = torch.empty(self._extended_shape(sample_shape), dtype=self.loc.dtype).cauchy_()
        return self.loc + drawn * self.scale

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        return -math.log(math.pi) - self.scale.log() - (((value - self.loc) / self.scale) ** 2).log1p()

    def cdf(self, value: Tensor) -> Tensor:
        self._checked(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value: Tensor) -> Tensor:
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self) -> Tensor:
        return math.log(4 * math.pi) + self.scale.log()


class StudentT(Distribution):
    """Student's t with `df` degrees of freedom, moved by `loc` and `scale`."""

    arg_constraints: Any = {"df": constraints.positive, **_LOCATION_SCALE}
    support: Any = constraints.real
    has_rsample = True
    _event_dims = {"df": 0, "loc": 0, "scale": 0}

    def __init__(self, df: Any, loc: Any = 0.0, scale: Any = 1.0, validate_args: bool | None = None) -> None:
        from ._gamma_family import Chi2

        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(batch_shape, _instance, _chi2=self._chi2.expand(Size(batch_shape)))

    @property
    def mean(self) -> Tensor:
        return torch.where(self.df > 1, self.loc, math.nan)

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        v = torch.where(self.df > 2, self.scale**2 * self.df / (self.df - 2), math.inf)
        return torch.where(self.df > 1, v, math.nan)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        x = standard_normal(self._extended_shape(sample_shape), self.df.dtype)
        z = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * torch.rsqrt(z / self.df))

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        y, df = (value - self.loc) / self.scale, self.df
        normalizer = self.scale.log() + 0.5 * df.log() + 0.5 * math.log(math.pi) + torch.lgamma(0.5 * df) - torch.lgamma(0.5 * (df + 1))
        return -0.5 * (df + 1) * torch.log1p(y**2 / df) - normalizer

    def entropy(self) -> Tensor:
        df, half = self.df, (self.df + 1) / 2
        beta = torch.lgamma(0.5 * df) + math.lgamma(0.5) - torch.lgamma(half)
        return self.scale.log() + half * (torch.digamma(half) - torch.digamma(0.5 * df)) + 0.5 * df.log() + beta


class Uniform(Distribution):
    """Uniform on [low, high)."""

    has_rsample = True
    _event_dims = {"low": 0, "high": 0}

    def __init__(self, low: Any, high: Any, validate_args: bool | None = None) -> None:
        self.low, self.high = broadcast_all(low, high)
        super().__init__(self.low.shape, validate_args=validate_args)

    @property
    def arg_constraints(self) -> dict[str, Any]:
        return {"low": constraints.less_than(self.high), "high": constraints.greater_than(self.low)}

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self) -> Any:
        return constraints.interval(self.low, self.high)

    @property
    def mean(self) -> Tensor:
        return (self.high + self.low) / 2

    @property
    def mode(self) -> Tensor:
        return math.nan * self.high

    @property
    def stddev(self) -> Tensor:
        return (self.high - self.low) / 12**0.5

    @property
    def variance(self) -> Tensor:
        return (self.high - self.low).pow(2) / 12

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        return self.low + torch.rand(self._extended_shape(sample_shape), dtype=self.low.dtype) * (self.high - self.low)

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        inside = (self.low.le(value) & self.high.gt(value)).to(self.low.dtype)
        return torch.log(inside) - torch.log(self.high - self.low)

    def cdf(self, value: Tensor) -> Tensor:
        self._checked(value)
        return ((value - self.low) / (self.high - self.low)).clamp(min=0, max=1)

    def icdf(self, value: Tensor) -> Tensor:
        return value * (self.high - self.low) + self.low

    def entropy(self) -> Tensor:
        return torch.log(self.high - self.low)


class VonMises(Distribution):
    """Von Mises on the circle, in radians; drawn by rejection from a wrapped Cauchy distribution (Best and Fisher,
    "Efficient simulation of the von Mises distribution", 1979)."""

    arg_constraints: Any = {"loc": constraints.real, "concentration": constraints.positive}
    support: Any = constraints.real
    has_rsample = False
    _event_dims = {"loc": 0, "concentration": 0}

    def __init__(self, loc: Any, concentration: Any, validate_args: bool | None = None) -> None:
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        """The circular variance."""
        return 1 - (log_bessel(self.concentration, 1) - log_bessel(self.concentration, 0)).exp()

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        return self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi) - log_bessel(self.concentration, 0)

    @torch.no_grad()
    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        concentration = self.concentration.double()
        tau = 1 + (1 + 4 * concentration**2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * concentration)
        # for small concentrations the exact expression cancels: the first terms of its series
        r = torch.where(concentration < 1e-5, 1 / concentration + concentration, (1 + rho**2) / (2 * rho))
        shape = self._extended_shape(sample_shape)
        r, concentration = r.expand(shape), concentration.expand(shape)
        x, done = torch.zeros(shape, dtype=torch.float64), torch.zeros(shape, dtype=torch.bool)
        while not done.all():
            u1, u2, u3 = torch.rand((3, *shape), dtype=torch.float64).unbind()
            z = torch.cos(math.pi * u1)
            f = (1 + r * z) / (r + z)
            c = concentration * (r - f)
            accept = ((c * (2 - c) - u2) > 0) | ((c / u2).log() + 1 - c >= 0)
            if accept.any():
                x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
        angle = (x + math.pi + self.loc.double()) % (2 * math.pi) - math.pi
        return angle.to(self.loc.dtype)


# Abramowitz and Stegun, 9.8.1 to 9.8.4
_SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.360768e-1, 0.45813e-2),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.2658733e-1, 0.301532e-2, 0.32411e-3),
)
_LARGE = (
    (0.39894228, 0.1328592e-1, 0.225319e-2, -0.157565e-2, 0.916281e-2, -0.2057706e-1, 0.2635537e-1, -0.1647633e-1, 0.392377e-2),
    (0.39894228, -0.3988024e-1, -0.362018e-2, 0.163801e-2, -0.1031555e-1, 0.2282967e-1, -0.2895312e-1, 0.1787654e-1, -0.420059e-2),
)


def log_bessel(x: Tensor, order: int) -> Tensor:
    """The log of the modified Bessel function of the first kind, of order 0 or 1, for positive x."""

    def polynomial(t: Tensor, coefficients: tuple[float, ...]) -> Tensor:
        value: Any = coefficients[-1]
        for c in coefficients[-2::-1]:
            value = c + t * value
        return value

    small = polynomial((x / 3.75) ** 2, _SMALL[order]).log()
    if order:
        small = x.abs().log() + small
    large = x - 0.5 * x.log() + polynomial(3.75 / x, _LARGE[order]).log()
    return torch.where(x < 3.75, small, large)
