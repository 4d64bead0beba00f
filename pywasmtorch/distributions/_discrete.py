"""Bernoulli, ContinuousBernoulli, Geometric, Binomial, Categorical, OneHotCategorical, Multinomial."""

from __future__ import annotations

import math
from typing import Any

import pywasmtorch as torch
import pywasmtorch.nn.functional as F

from .._core.size import Size
from .._tensor import Tensor
from . import constraints
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .utils import broadcast_all, clamp_probs, lazy_property, logits_to_probs, probs_to_logits

_EMPTY = Size()
_BINARY = {"probs": constraints.unit_interval, "logits": constraints.real}
_CLASSES = {"probs": constraints.simplex, "logits": constraints.real_vector}


def either(probs: Any, logits: Any) -> tuple[str, Any]:
    """The one that is given. ValueError unless exactly one is."""
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class _Binary:
    """`probs` and `logits`, one from the other."""

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs, is_binary=True)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits, is_binary=True)

    @property
    def _param(self) -> Tensor:
        return self.__dict__["probs" if "probs" in self.__dict__ else "logits"]

    @property
    def param_shape(self) -> Size:
        return self._param.size()


class Bernoulli(_Binary, ExponentialFamily):
    """1 with probability `probs`, else 0."""

    arg_constraints: Any = _BINARY
    support: Any = constraints.boolean
    has_enumerate_support = True
    _event_dims = {"probs": 0, "logits": 0}
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = either(probs, logits)
        (parameter,) = broadcast_all(value)
        setattr(self, name, parameter)
        super().__init__(parameter.shape, validate_args=validate_args)

    @property
    def mean(self) -> Tensor:
        return self.probs

    @property
    def mode(self) -> Tensor:
        mode = (self.probs >= 0.5).to(self.probs.dtype)
        return torch.where(self.probs == 0.5, math.nan, mode)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        with torch.no_grad():
            return torch.bernoulli(self.probs.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        return -F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none")

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(2, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (torch.logit(self.probs),)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        return torch.log(1 + torch.exp(x))


class ContinuousBernoulli(_Binary, ExponentialFamily):
    """Density proportional to probs^x (1 - probs)^(1 - x) on [0, 1]; between `lims`, where the exact expressions cancel, by series
    (Loaiza-Ganem and Cunningham, "The continuous Bernoulli", 2019)."""

    arg_constraints: Any = _BINARY
    support: Any = constraints.unit_interval
    has_rsample = True
    _event_dims = {"probs": 0, "logits": 0}
    _mean_carrier_measure = 0

    def __init__(self, probs: Any = None, logits: Any = None, lims: tuple[float, float] = (0.499, 0.501), validate_args: bool | None = None) -> None:
        name, value = either(probs, logits)
        (parameter,) = broadcast_all(value)
        if name == "probs":
            if validate_args is not None and not self.arg_constraints["probs"].check(parameter).all():
                raise ValueError("The parameter probs has invalid values")
            parameter = clamp_probs(parameter)
        setattr(self, name, parameter)
        self._lims = lims
        super().__init__(parameter.shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(batch_shape, _instance, _lims=self._lims)

    @lazy_property
    def probs(self) -> Tensor:
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _far(self) -> tuple[Tensor, Tensor]:
        """Where the exact expressions hold, and probabilities at which they may be computed everywhere."""
        far = (self.probs <= self._lims[0]) | (self.probs > self._lims[1])
        return far, torch.where(far, self.probs, self._lims[0])

    def _cont_bern_log_norm(self) -> Tensor:
        far, p = self._far()
        odds = torch.log(torch.abs(torch.log1p(-p) - torch.log(p)))
        below = torch.log1p(-2.0 * torch.where(p <= 0.5, p, 0.0))
        above = torch.log(2.0 * torch.where(p >= 0.5, p, 1.0) - 1.0)
        x = (self.probs - 0.5) ** 2
        return torch.where(far, odds - torch.where(p <= 0.5, below, above), math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x)

    @property
    def mean(self) -> Tensor:
        far, p = self._far()
        x = self.probs - 0.5
        near = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x**2) * x
        return torch.where(far, p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p)), near)

    @property
    def variance(self) -> Tensor:
        far, p = self._far()
        x = (self.probs - 0.5) ** 2
        near = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(far, p * (p - 1.0) / (1.0 - 2.0 * p) ** 2 + 1.0 / (torch.log1p(-p) - torch.log(p)) ** 2, near)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        return self.icdf(torch.rand(self._extended_shape(sample_shape), dtype=self.probs.dtype))

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        return self._cont_bern_log_norm() - F.binary_cross_entropy_with_logits(logits, value, reduction="none")

    def cdf(self, value: Tensor) -> Tensor:
        self._checked(value)
        far, p = self._far()
        inside = torch.where(far, (p**value * (1.0 - p) ** (1.0 - value) + p - 1.0) / (2.0 * p - 1.0), value)
        return torch.where(value <= 0.0, 0.0, torch.where(value >= 1.0, 1.0, inside))

    def icdf(self, value: Tensor) -> Tensor:
        far, p = self._far()
        q = torch.log1p(-p)
        return torch.where(far, (torch.log1p(value * (2.0 * p - 1.0) - p) - q) / (torch.log(p) - q), value)

    def entropy(self) -> Tensor:
        log0, log1 = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log0 - log1) - self._cont_bern_log_norm() - log0

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return (self.logits,)

    def _log_normalizer(self, x: Tensor) -> Tensor:  # type: ignore[override]
        far = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(far, x, self._lims[0] - 0.5)
        return torch.where(far, torch.log(torch.abs(torch.expm1(cut) / cut)), 0.5 * x + x**2 / 24.0 - x**4 / 2880.0)


class Geometric(_Binary, Distribution):
    """How many failures come before the first success of probability `probs`."""

    arg_constraints: Any = _BINARY
    support: Any = constraints.nonnegative_integer
    _event_dims = {"probs": 0, "logits": 0}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = either(probs, logits)
        (parameter,) = broadcast_all(value)
        setattr(self, name, parameter)
        super().__init__(parameter.shape, validate_args=validate_args)
        if self._validate_args and probs is not None and not (self.probs > 0).all():
            wrong = self.probs.reshape(-1)
            raise ValueError(
                f"Expected parameter probs ({type(self.probs).__name__} of shape {tuple(self.probs.shape)}) of distribution {self!r} "
                f"to be positive but found invalid values:\n{wrong[wrong <= 0]}")

    @property
    def mean(self) -> Tensor:
        return 1.0 / self.probs - 1.0

    @property
    def mode(self) -> Tensor:
        return torch.zeros_like(self.probs)

    @property
    def variance(self) -> Tensor:
        return (1.0 / self.probs - 1.0) / self.probs

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        dtype = self.probs.dtype
        with torch.no_grad():
            u = torch.empty(self._extended_shape(sample_shape), dtype=dtype).uniform_(torch.finfo(dtype).tiny, 1)
            return (u.log() / (-self.probs).log1p()).floor()

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        value, probs = broadcast_all(value, self.probs)
        probs = probs.masked_fill((probs == 1) & (value == 0), 0)
        return value * (-probs).log1p() + self.probs.log()

    def entropy(self) -> Tensor:
        return F.binary_cross_entropy_with_logits(self.logits, self.probs, reduction="none") / self.probs


class Binomial(_Binary, Distribution):
    """How many of `total_count` trials succeed with probability `probs`."""

    arg_constraints: Any = {"total_count": constraints.nonnegative_integer, **_BINARY}
    has_enumerate_support = True
    _event_dims = {"total_count": 0, "probs": 0, "logits": 0}

    def __init__(self, total_count: Any = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = either(probs, logits)
        self.total_count, parameter = broadcast_all(total_count, value)
        self.total_count = self.total_count.type_as(parameter)
        setattr(self, name, parameter)
        super().__init__(parameter.shape, validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.total_count * self.probs

    @property
    def mode(self) -> Tensor:
        return torch.minimum(((self.total_count + 1) * self.probs).floor(), self.total_count)

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        n, logits = self.total_count, self.logits
        ways = torch.lgamma(n + 1) - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
        # n log(1 + exp(logits)) without overflow
        return value * logits + ways - (n * logits.clamp(min=0) + n * torch.log1p(torch.exp(-torch.abs(logits))))

    def entropy(self) -> Tensor:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError("Inhomogeneous total count not supported by `entropy`.")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        count = int(self.total_count.max())
        if not self.total_count.min() == count:
            raise NotImplementedError("Inhomogeneous total count not supported by `enumerate_support`.")
        values = torch.arange(1 + count, dtype=self._param.dtype).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values


class Categorical(Distribution):
    """Classes 0 to K - 1 with weights `probs` (normalised here) or log-weights `logits`, [..., K]."""

    arg_constraints: Any = _CLASSES
    has_enumerate_support = True
    _event_dims = {"probs": 1, "logits": 1}

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        name, value = either(probs, logits)
        if value.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        value = value / value.sum(-1, keepdim=True) if name == "probs" else value - value.logsumexp(dim=-1, keepdim=True)
        setattr(self, name, value)
        self._num_events = value.shape[-1]
        super().__init__(value.shape[:-1], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(batch_shape, _instance, _num_events=self._num_events)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self) -> Any:
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self) -> Tensor:
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self) -> Tensor:
        return logits_to_probs(self.logits)

    @property
    def _param(self) -> Tensor:
        return self.__dict__["probs" if "probs" in self.__dict__ else "logits"]

    @property
    def param_shape(self) -> Size:
        return self._param.size()

    @property
    def mean(self) -> Tensor:
        return torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype)

    variance = mean

    @property
    def mode(self) -> Tensor:
        return self.probs.argmax(dim=-1)

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        shape = Size(sample_shape)
        drawn = torch.multinomial(self.probs.detach().reshape(-1, self._num_events), shape.numel(), True).T
        return drawn.reshape(self._extended_shape(shape))

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        value, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self) -> Tensor:
        logits = torch.clamp(self.logits, min=torch.finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        values = torch.arange(self._num_events).view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1,) + self._batch_shape) if expand else values


class _OfCategorical(Distribution):
    """What is drawn by way of a `Categorical`."""

    arg_constraints: Any = _CLASSES
    _categorical: Categorical

    @property
    def probs(self) -> Tensor:
        return self._categorical.probs

    @property
    def logits(self) -> Tensor:
        return self._categorical.logits

    @property
    def _param(self) -> Tensor:
        return self._categorical._param

    @property
    def param_shape(self) -> Size:
        return self._categorical.param_shape


class OneHotCategorical(_OfCategorical):
    """Classes as vectors with a single 1, [..., K]."""

    support: Any = constraints.one_hot
    has_enumerate_support = True

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        self._categorical = Categorical(probs, logits)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        return self._expanded(batch_shape, _instance, _categorical=self._categorical.expand(Size(batch_shape)))

    @property
    def mean(self) -> Tensor:
        return self._categorical.probs

    @property
    def mode(self) -> Tensor:
        return F.one_hot(self.probs.argmax(dim=-1), self.probs.shape[-1]).to(self.probs.dtype)

    @property
    def variance(self) -> Tensor:
        return self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        indices = self._categorical.sample(Size(sample_shape))
        return F.one_hot(indices, self._categorical._num_events).to(self.probs.dtype)

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        return self._categorical.log_prob(value.max(-1)[1])

    def entropy(self) -> Tensor:
        return self._categorical.entropy()

    def enumerate_support(self, expand: bool = True) -> Tensor:
        n = self.event_shape[0]
        values = torch.eye(n, dtype=self._param.dtype).view((n,) + (1,) * len(self.batch_shape) + (n,))
        return values.expand((n,) + self.batch_shape + (n,)) if expand else values


class OneHotCategoricalStraightThrough(OneHotCategorical):
    """The same, with gradients that pass to the probabilities as if the sample were them."""

    has_rsample = True

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        return self.sample(sample_shape) + (self.probs - self.probs.detach())


class Multinomial(_OfCategorical):
    """How often each class comes in `total_count` draws, [..., K]. NotImplementedError for a `total_count` that is no int."""

    def __init__(self, total_count: int = 1, probs: Any = None, logits: Any = None, validate_args: bool | None = None) -> None:
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = Size(batch_shape)
        return self._expanded(
            shape, _instance, total_count=self.total_count, _categorical=self._categorical.expand(shape), _binomial=self._binomial.expand(shape + self.event_shape))

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self) -> Any:
        return constraints.multinomial(self.total_count)

    @property
    def mean(self) -> Tensor:
        return self.probs * self.total_count

    @property
    def variance(self) -> Tensor:
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        shape = Size(sample_shape)
        drawn = self._categorical.sample(Size((self.total_count,)) + shape)
        drawn = drawn.permute(*range(1, drawn.dim()), 0)
        counts = torch.zeros(self._extended_shape(shape), dtype=self._param.dtype)
        return counts.scatter_add(-1, drawn, torch.ones(drawn.shape, dtype=counts.dtype))

    def entropy(self) -> Tensor:
        n = torch.tensor(float(self.total_count), dtype=self.probs.dtype)
        support = self._binomial.enumerate_support(expand=False)[1:]
        weights = torch.exp(self._binomial.log_prob(support))
        return n * self._categorical.entropy() - torch.lgamma(n + 1) + (weights * torch.lgamma(support + 1)).sum([0, -1])

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        logits, value = broadcast_all(self.logits, value)
        ways = torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
        return ways + (logits.masked_fill((value == 0) & (logits == -math.inf), 0) * value).sum(-1)
