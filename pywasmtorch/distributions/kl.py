"""kl_divergence and register_kl: closed forms.

Between different families they are the cross entropy -E_p[log q] less the entropy of p; the cross entropy of each q needs only a few
expectations under p (mean, variance, E log x, E log (1 - x), E exp(t x), E |x - a|), which stand here by family."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pywasmtorch as torch
import pywasmtorch.nn.functional as F

from .._tensor import Tensor
from ._compound import Independent, TransformedDistribution
from ._continuous import Cauchy, Laplace, Normal, Uniform
from ._discrete import Bernoulli, Binomial, Categorical, ContinuousBernoulli, Geometric, OneHotCategorical
from ._gamma_family import Beta, Dirichlet, Exponential, Gamma, Poisson
from ._multivariate import LowRankMultivariateNormal, MultivariateNormal, log_determinant, squared_distance
from ._transformed import Gumbel, HalfNormal, Pareto
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .utils import euler_constant, sum_rightmost

__all__ = ["kl_divergence", "register_kl"]

_KL_REGISTRY: dict[tuple[type, type], Callable[[Any, Any], Tensor]] = {}
_KL_MEMOIZE: dict[tuple[type, type], Any] = {}


def register_kl(type_p: type, type_q: type) -> Callable[[Any], Any]:
    """A decorator that registers a function for a pair of classes. TypeError for anything but classes."""
    if not isinstance(type_p, type):
        raise TypeError(f"Expected type_p to be a Distribution subclass but got {type_p}")
    if not isinstance(type_q, type):
        raise TypeError(f"Expected type_q to be a Distribution subclass but got {type_q}")

    def decorate(function: Any) -> Any:
        _KL_REGISTRY[type_p, type_q] = function
        _KL_MEMOIZE.clear()
        return function

    return decorate


def _dispatch(type_p: type, type_q: type) -> Any:
    """The function of the closest pair of base classes, those of p before those of q."""
    matches = [pair for pair in _KL_REGISTRY if issubclass(type_p, pair[0]) and issubclass(type_q, pair[1])]
    if not matches:
        return NotImplemented
    order_p, order_q = type_p.__mro__, type_q.__mro__
    best = min(matches, key=lambda pair: (order_p.index(pair[0]), order_q.index(pair[1])))
    other = min(matches, key=lambda pair: (order_q.index(pair[1]), order_p.index(pair[0])))
    if best != other and _KL_REGISTRY[best] is not _KL_REGISTRY[other]:
        import warnings

        warnings.warn(f"Ambiguous kl_divergence({type_p.__name__}, {type_q.__name__}). Please register_kl({best[0].__name__}, {other[1].__name__})", RuntimeWarning, stacklevel=3)
    return _KL_REGISTRY[best]


def kl_divergence(p: Distribution, q: Distribution) -> Tensor:
    """KL(p ‖ q) of shape batch_shape. NotImplementedError for pairs that no function is registered for."""
    pair = type(p), type(q)
    function = _KL_MEMOIZE.get(pair)
    if function is None:
        function = _KL_MEMOIZE[pair] = _dispatch(*pair)
    if function is NotImplemented:
        raise NotImplementedError(f"No KL(p || q) is implemented for p type {type(p).__name__} and q type {type(q).__name__}")
    return function(p, q)


# ---- of one family ----
@register_kl(Bernoulli, Bernoulli)
def _bernoulli(p: Any, q: Any) -> Tensor:
    one = p.probs * (F.softplus(-q.logits) - F.softplus(-p.logits))
    zero = (1 - p.probs) * (F.softplus(q.logits) - F.softplus(p.logits))
    one = torch.where(p.probs == 0, 0.0, torch.where(q.probs == 0, math.inf, one))
    return one + torch.where(p.probs == 1, 0.0, torch.where(q.probs == 1, math.inf, zero))


@register_kl(Binomial, Binomial)
def _binomial(p: Any, q: Any) -> Tensor:
    if (p.total_count < q.total_count).any():
        raise NotImplementedError("KL between Binomials where q.total_count > p.total_count is not implemented")
    each = p.probs * (p.logits - q.logits) + (-p.probs).log1p() - (-q.probs).log1p()
    return torch.where(p.total_count > q.total_count, math.inf, p.total_count * each)


@register_kl(Categorical, Categorical)
def _categorical(p: Any, q: Any) -> Tensor:
    each = p.probs * (p.logits - q.logits)
    return torch.where(p.probs == 0, 0.0, torch.where(q.probs == 0, math.inf, each)).sum(-1)


@register_kl(OneHotCategorical, OneHotCategorical)
def _one_hot(p: Any, q: Any) -> Tensor:
    return _categorical(p._categorical, q._categorical)


@register_kl(ContinuousBernoulli, ContinuousBernoulli)
def _continuous_bernoulli(p: Any, q: Any) -> Tensor:
    def rest(d: Any) -> Tensor:
        return d._cont_bern_log_norm() + torch.log1p(-d.probs)

    return p.mean * (p.logits - q.logits) + rest(p) - rest(q)


@register_kl(Beta, Beta)
def _beta(p: Any, q: Any) -> Tensor:
    return _dirichlet(p._dirichlet, q._dirichlet)


@register_kl(Dirichlet, Dirichlet)
def _dirichlet(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    total, other = a.sum(-1), b.sum(-1)
    normalizers = total.lgamma() - other.lgamma() + (b.lgamma() - a.lgamma()).sum(-1)
    return normalizers + ((a - b) * (a.digamma() - total.digamma().unsqueeze(-1))).sum(-1)


@register_kl(Exponential, Exponential)
def _exponential(p: Any, q: Any) -> Tensor:
    ratio = q.rate / p.rate
    return ratio - 1 - ratio.log()


@register_kl(ExponentialFamily, ExponentialFamily)
def _exponential_family(p: Any, q: Any) -> Tensor:
    """The Bregman divergence of the log normalizer."""
    if type(p) is not type(q):
        raise NotImplementedError("The cross KL-divergence between different exponential families cannot be computed using Bregman divergences")
    ours, theirs = [t.detach().requires_grad_() for t in p._natural_params], q._natural_params
    with torch.enable_grad():
        normalizer = p._log_normalizer(*ours)
        gradients = torch.autograd.grad(normalizer.sum(), ours, create_graph=True)
    result = q._log_normalizer(*theirs) - normalizer
    for a, b, gradient in zip(ours, theirs, gradients):
        result = result - sum_rightmost((b - a) * gradient, len(q.event_shape))
    return result


@register_kl(Gamma, Gamma)
def _gamma(p: Any, q: Any) -> Tensor:
    a, b = p.concentration, q.concentration
    normalizers = b * (p.rate / q.rate).log() + b.lgamma() - a.lgamma()
    return normalizers + (a - b) * a.digamma() + (q.rate - p.rate) * (a / p.rate)


@register_kl(Gumbel, Gumbel)
def _gumbel(p: Any, q: Any) -> Tensor:
    ratio, away = p.scale / q.scale, (p.loc - q.loc) / q.scale
    return away - ratio.log() + ratio * euler_constant + torch.exp((1 + ratio).lgamma() - away) - (1 + euler_constant)


@register_kl(Geometric, Geometric)
def _geometric(p: Any, q: Any) -> Tensor:
    return -p.entropy() - torch.log1p(-q.probs) / p.probs - q.logits


@register_kl(HalfNormal, HalfNormal)
def _half_normal(p: Any, q: Any) -> Tensor:
    return _normal(p.base_dist, q.base_dist)


@register_kl(Laplace, Laplace)
def _laplace(p: Any, q: Any) -> Tensor:
    ratio = p.scale / q.scale
    return _mean_distance(p, q.loc) / q.scale - ratio.log() - 1


@register_kl(Cauchy, Cauchy)
def _cauchy(p: Any, q: Any) -> Tensor:
    return ((p.scale + q.scale).pow(2) + (p.loc - q.loc).pow(2)).log() - (4 * p.scale * q.scale).log()


@register_kl(Normal, Normal)
def _normal(p: Any, q: Any) -> Tensor:
    ratio = (p.scale / q.scale).pow(2)
    return 0.5 * (ratio + ((p.loc - q.loc) / q.scale).pow(2) - 1 - ratio.log())


@register_kl(Pareto, Pareto)
def _pareto(p: Any, q: Any) -> Tensor:
    ratio = q.alpha / p.alpha
    value = q.alpha * (p.scale / q.scale).log() - ratio.log() + ratio - 1
    return torch.where(p.scale < q.scale, math.inf, value)


@register_kl(Poisson, Poisson)
def _poisson(p: Any, q: Any) -> Tensor:
    return p.rate * (p.rate.log() - q.rate.log()) - (p.rate - q.rate)


@register_kl(Uniform, Uniform)
def _uniform(p: Any, q: Any) -> Tensor:
    return torch.where((q.low > p.low) | (q.high < p.high), math.inf, ((q.high - q.low) / (p.high - p.low)).log())


@register_kl(Independent, Independent)
def _independent(p: Any, q: Any) -> Tensor:
    if p.reinterpreted_batch_ndims != q.reinterpreted_batch_ndims:
        raise NotImplementedError
    return sum_rightmost(kl_divergence(p.base_dist, q.base_dist), p.reinterpreted_batch_ndims)


@register_kl(TransformedDistribution, TransformedDistribution)
def _transformed(p: Any, q: Any) -> Tensor:
    if p.transforms != q.transforms or p.event_shape != q.event_shape:
        raise NotImplementedError
    return kl_divergence(p.base_dist, q.base_dist)


# ---- multivariate normals: ½ (log |Σq| / |Σp| + tr Σq⁻¹ Σp + the distance of the means - n) ----
def _square_root(d: Any) -> list[Tensor]:
    """Matrices whose squares A Aᵀ sum to the covariance."""
    if isinstance(d, MultivariateNormal):
        return [d._unbroadcasted_scale_tril]
    return [d._unbroadcasted_cov_factor, torch.diag_embed(d._unbroadcasted_cov_diag.sqrt())]


def _solved(q: Any, matrix: Tensor) -> Tensor:
    """tr Σq⁻¹ A Aᵀ, over the last two dimensions."""
    if isinstance(q, MultivariateNormal):
        factor = q._unbroadcasted_scale_tril
        batch = torch.broadcast_shapes(factor.shape[:-2], matrix.shape[:-2])
        factor, matrix = factor.expand(batch + factor.shape[-2:]), matrix.expand(batch + matrix.shape[-2:])
        return torch.linalg.solve_triangular(factor, matrix, upper=False).pow(2).sum((-2, -1))
    scaled = matrix / q._unbroadcasted_cov_diag.unsqueeze(-1)
    inner = q._unbroadcasted_cov_factor.mT @ scaled
    capacitance = q._capacitance_tril
    batch = torch.broadcast_shapes(capacitance.shape[:-2], inner.shape[:-2])
    capacitance, inner = capacitance.expand(batch + capacitance.shape[-2:]), inner.expand(batch + inner.shape[-2:])
    return (matrix * scaled).sum((-2, -1)) - torch.linalg.solve_triangular(capacitance, inner, upper=False).pow(2).sum((-2, -1))


def _half_log_determinant(d: Any) -> Tensor:
    return log_determinant(d._unbroadcasted_scale_tril) if isinstance(d, MultivariateNormal) else 0.5 * d._log_determinant()


@register_kl(MultivariateNormal, MultivariateNormal)
@register_kl(MultivariateNormal, LowRankMultivariateNormal)
@register_kl(LowRankMultivariateNormal, MultivariateNormal)
@register_kl(LowRankMultivariateNormal, LowRankMultivariateNormal)
def _multivariate_normal(p: Any, q: Any) -> Tensor:
    if p.event_shape != q.event_shape:
        raise ValueError("KL-divergence between two (Low Rank) Multivariate Normals with different event shapes cannot be computed")
    trace: Any = sum(_solved(q, matrix) for matrix in _square_root(p))
    between = q.loc - p.loc
    if isinstance(q, MultivariateNormal):
        distance = squared_distance(q._unbroadcasted_scale_tril, between)
    else:
        distance = _solved(q, between.unsqueeze(-1))
    return _half_log_determinant(q) - _half_log_determinant(p) + 0.5 * (trace + distance - p.event_shape[0])


# ---- expectations under p ----
def _x_log_x(x: Tensor) -> Tensor:
    return torch.special.xlogy(x, x)


def _mean_log(p: Any) -> Tensor:
    if isinstance(p, Beta):
        return p.concentration1.digamma() - (p.concentration1 + p.concentration0).digamma()
    if isinstance(p, Exponential):
        return -euler_constant - p.rate.log()
    if isinstance(p, Gamma):
        return p.concentration.digamma() - p.rate.log()
    if isinstance(p, Pareto):
        return p.scale.log() + p.alpha.reciprocal()
    return (_x_log_x(p.high) - _x_log_x(p.low)) / (p.high - p.low) - 1


def _mean_log_complement(p: Any) -> Tensor:
    """E log (1 - x)."""
    return (_x_log_x(1 - p.low) - _x_log_x(1 - p.high)) / (p.high - p.low) - 1


def _mean_exp(p: Any, t: Tensor) -> Tensor:
    """E exp(t x)."""
    if isinstance(p, Exponential):
        return p.rate / (p.rate - t)
    if isinstance(p, Gamma):
        return (1 - t / p.rate).pow(-p.concentration)
    if isinstance(p, Normal):
        return torch.exp(p.loc * t + 0.5 * (p.scale * t).pow(2))
    return (torch.exp(t * p.high) - torch.exp(t * p.low)) / (t * (p.high - p.low))


def _mean_distance(p: Any, place: Tensor) -> Tensor:
    """E |x - place|."""
    away = p.loc - place
    if isinstance(p, Normal):
        z = away / p.scale
        return math.sqrt(2 / math.pi) * p.scale * torch.exp(-0.5 * z.pow(2)) + away * torch.erf(z / math.sqrt(2))
    return away.abs() + p.scale * torch.exp(-away.abs() / p.scale)


# ---- cross entropies -E_p[log q] ----
def _from_normal(p: Any, q: Any) -> Tensor:
    return (math.sqrt(2 * math.pi) * q.scale).log() + 0.5 * (p.variance + (p.mean - q.loc).pow(2)) / q.scale.pow(2)


def _from_exponential(p: Any, q: Any) -> Tensor:
    return q.rate * p.mean - q.rate.log()


def _from_gamma(p: Any, q: Any) -> Tensor:
    return q.concentration.lgamma() - q.concentration * q.rate.log() - (q.concentration - 1) * _mean_log(p) + q.rate * p.mean


def _from_beta(p: Any, q: Any) -> Tensor:
    a, b = q.concentration1, q.concentration0
    return a.lgamma() + b.lgamma() - (a + b).lgamma() - (a - 1) * _mean_log(p) - (b - 1) * _mean_log_complement(p)


def _from_continuous_bernoulli(p: Any, q: Any) -> Tensor:
    return -p.mean * q.logits - torch.log1p(-q.probs) - q._cont_bern_log_norm()


def _from_gumbel(p: Any, q: Any) -> Tensor:
    return q.scale.log() + (p.mean - q.loc) / q.scale + torch.exp(q.loc / q.scale) * _mean_exp(p, -q.scale.reciprocal())


def _from_laplace(p: Any, q: Any) -> Tensor:
    return (2 * q.scale).log() + _mean_distance(p, q.loc) / q.scale


def _from_pareto(p: Any, q: Any) -> Tensor:
    return (q.alpha + 1) * _mean_log(p) - q.alpha.log() - q.alpha * q.scale.log()


def _from_poisson(p: Any, q: Any) -> Tensor:
    return q.rate - p.mean * q.rate.log()


def _from_uniform(p: Any, q: Any) -> Tensor:
    return (q.high - q.low).log()


def _never(p: Any, q: Any) -> Any:
    return None


def _cross(type_p: type, type_q: type, entropy: Callable[[Any, Any], Tensor], outside: Callable[[Any, Any], Any] = _never) -> None:
    """Registers the cross entropy less the entropy, infinite where p reaches outside of q."""

    @register_kl(type_p, type_q)
    def divergence(p: Any, q: Any) -> Tensor:
        value, where = entropy(p, q) - p.entropy(), outside(p, q)
        return value if where is None else torch.where(where, math.inf, value)


_cross(Bernoulli, Poisson, _from_poisson)
_cross(Beta, ContinuousBernoulli, _from_continuous_bernoulli)
_cross(Beta, Exponential, _from_exponential)
_cross(Beta, Gamma, _from_gamma)
_cross(Beta, Normal, _from_normal)
_cross(Beta, Uniform, _from_uniform, lambda p, q: (q.low > 0) | (q.high < 1))
_cross(ContinuousBernoulli, Exponential, _from_exponential)
_cross(ContinuousBernoulli, Normal, _from_normal)
_cross(ContinuousBernoulli, Uniform, _from_uniform, lambda p, q: (q.low >= 0) | (q.high <= 1))
_cross(Exponential, Gamma, _from_gamma)
_cross(Exponential, Gumbel, _from_gumbel)
_cross(Exponential, Normal, _from_normal)
_cross(Gamma, Exponential, _from_exponential)
_cross(Gamma, Gumbel, _from_gumbel)
_cross(Gamma, Normal, _from_normal)
_cross(Gumbel, Normal, _from_normal)
_cross(Laplace, Normal, _from_normal)
_cross(Normal, Gumbel, _from_gumbel)
_cross(Normal, Laplace, _from_laplace)
_cross(Pareto, Exponential, _from_exponential, lambda p, q: p.alpha <= 1)
_cross(Pareto, Gamma, _from_gamma, lambda p, q: p.alpha <= 1)
_cross(Pareto, Normal, _from_normal, lambda p, q: p.alpha <= 2)
_cross(Uniform, Beta, _from_beta, lambda p, q: (p.high > 1) | (p.low < 0))
_cross(Uniform, ContinuousBernoulli, _from_continuous_bernoulli, lambda p, q: (p.high >= 1) | (p.low <= 0))
_cross(Uniform, Exponential, _from_exponential, lambda p, q: p.low < 0)
_cross(Uniform, Gamma, _from_gamma, lambda p, q: p.low < 0)
_cross(Uniform, Gumbel, _from_gumbel)
_cross(Uniform, Normal, _from_normal)
_cross(Uniform, Pareto, _from_pareto, lambda p, q: p.low < q.scale)

#: p reaches where q has no density, whatever the parameters
_INFINITE = {
    Beta: [Pareto], ContinuousBernoulli: [Pareto], Exponential: [Beta, ContinuousBernoulli, Pareto, Uniform], Gamma: [Beta, ContinuousBernoulli, Pareto, Uniform],
    Gumbel: [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform], Laplace: [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform],
    Normal: [Beta, ContinuousBernoulli, Exponential, Gamma, Pareto, Uniform], Pareto: [Beta, ContinuousBernoulli, Uniform], Poisson: [Bernoulli, Binomial],
}


def _infinite(p: Any, q: Any) -> Tensor:
    return torch.full_like(p.mean, math.inf)


for _p, _several in _INFINITE.items():
    for _q in _several:
        register_kl(_p, _q)(_infinite)
