"""MultivariateNormal, LowRankMultivariateNormal, Wishart, LKJCholesky."""

from __future__ import annotations

import math
import warnings
from typing import Any

import pywasmtorch as torch

from .._core.size import Size
from .._tensor import Tensor
from . import constraints
from ._gamma_family import Beta, Chi2
from .distribution import Distribution
from .exp_family import ExponentialFamily
from .utils import broadcast_all, lazy_property, standard_normal

_EMPTY = Size()
_ONE_OF = "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified."


def squared_distance(factor: Tensor, difference: Tensor) -> Tensor:
    """|factor⁻¹ difference|² for lower triangular factors [..., n, n] and vectors [..., n]: the vectors of one factor are solved for together."""
    n, batch = factor.shape[-1], factor.ndim - 2
    shape = torch.broadcast_shapes(difference.shape[:-1], factor.shape[:-2])
    lead = len(shape) - batch
    if batch and shape[lead:] != factor.shape[:-2]:
        factor = factor.expand(shape[lead:] + (n, n))
    columns = difference.expand(shape + (n,)).reshape((-1,) + shape[lead:] + (n,))
    columns = columns.permute(*range(1, columns.ndim), 0)
    distances = torch.linalg.solve_triangular(factor, columns, upper=False).pow(2).sum(-2)
    return distances.permute(distances.ndim - 1, *range(distances.ndim - 1)).reshape(shape)


def factor_of_inverse(precision: Tensor) -> Tensor:
    """The Cholesky factor of the inverse, by the factor of the matrix with both dimensions reversed."""
    reversed_factor = torch.linalg.cholesky(torch.flip(precision, (-2, -1)))
    inverse = torch.flip(reversed_factor, (-2, -1)).mT
    return torch.linalg.solve_triangular(inverse, torch.eye(precision.shape[-1], dtype=precision.dtype), upper=False)


def log_determinant(factor: Tensor) -> Tensor:
    return factor.diagonal(dim1=-2, dim2=-1).log().sum(-1)


def multivariate_lgamma(a: Tensor, p: int) -> Tensor:
    halves = torch.arange(p, dtype=a.dtype) / 2
    return torch.lgamma(a.unsqueeze(-1) - halves).sum(-1) + p * (p - 1) / 4 * math.log(math.pi)


class MultivariateNormal(Distribution):
    """Normal vectors with mean `loc` and one of `covariance_matrix`, `precision_matrix` and `scale_tril`, its Cholesky factor.
    ValueError unless exactly one is given."""

    arg_constraints: Any = {
        "loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite, "precision_matrix": constraints.positive_definite,
        "scale_tril": constraints.lower_cholesky,
    }
    support: Any = constraints.real_vector
    has_rsample = True
    _event_dims = {"loc": 1, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2, "_unbroadcasted_scale_tril": -1}

    def __init__(self, loc: Tensor, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {k: v for k, v in given.items() if v is not None}
        if len(given) != 1:
            raise ValueError(_ONE_OF)
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch + matrix.shape[-2:]))
        self.loc = loc.expand(batch + loc.shape[-1:])
        super().__init__(batch, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        else:
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_inverse(matrix)

    def _whole(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._whole(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        return self._whole(self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return self._whole(torch.cholesky_inverse(self._unbroadcasted_scale_tril))

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @property
    def variance(self) -> Tensor:
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        eps = standard_normal(self._extended_shape(sample_shape), self.loc.dtype)
        return self.loc + (self._unbroadcasted_scale_tril @ eps.unsqueeze(-1)).squeeze(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        factor = self._unbroadcasted_scale_tril
        distance = squared_distance(factor, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + distance) - log_determinant(factor)

    def entropy(self) -> Tensor:
        half = log_determinant(self._unbroadcasted_scale_tril)
        return (0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + half).expand(self._batch_shape)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors whose covariance is cov_factor cov_factorᵀ + diag(cov_diag); determinant and inverse by way of the capacitance
    matrix 1 + cov_factorᵀ diag⁻¹ cov_factor (the lemma of Woodbury)."""

    arg_constraints: Any = {
        "loc": constraints.real_vector, "cov_factor": constraints.independent(constraints.real, 2),
        "cov_diag": constraints.independent(constraints.positive, 1),
    }
    support: Any = constraints.real_vector
    has_rsample = True
    _event_dims = {
        "loc": 1, "cov_factor": 2, "cov_diag": 1, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2, "_unbroadcasted_cov_factor": -1,
        "_unbroadcasted_cov_diag": -1, "_capacitance_tril": -1,
    }

    def __init__(self, loc: Tensor, cov_factor: Tensor, cov_diag: Tensor, validate_args: bool | None = None) -> None:
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        n = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading batch dimensions")
        if cov_factor.shape[-2:-1] != n:
            raise ValueError(f"cov_factor must be a batch of matrices with shape {n[0]} x m")
        if cov_diag.shape[-1:] != n:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {n}")
        try:
            batch = torch.broadcast_shapes(loc.shape[:-1], cov_factor.shape[:-2], cov_diag.shape[:-1])
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor {cov_factor.shape}, cov_diag {cov_diag.shape}") from error
        self.loc, self.cov_diag = loc.expand(batch + n), cov_diag.expand(batch + n)
        self.cov_factor = cov_factor.expand(batch + cov_factor.shape[-2:])
        super().__init__(batch, n, validate_args=validate_args)
        self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag = cov_factor, cov_diag
        capacitance = cov_factor.mT @ (cov_factor / cov_diag.unsqueeze(-1))
        self._capacitance_tril = torch.linalg.cholesky(capacitance + torch.eye(capacitance.shape[-1], dtype=capacitance.dtype))

    def _whole(self, matrix: Tensor) -> Tensor:
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @property
    def mean(self) -> Tensor:
        return self.loc

    @property
    def mode(self) -> Tensor:
        return self.loc

    @lazy_property
    def variance(self) -> Tensor:  # type: ignore[override]
        variance = self._unbroadcasted_cov_factor.pow(2).sum(-1) + self._unbroadcasted_cov_diag
        return variance.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def scale_tril(self) -> Tensor:
        root = self._unbroadcasted_cov_diag.sqrt().unsqueeze(-1)
        scaled = self._unbroadcasted_cov_factor / root
        inner = torch.linalg.cholesky(scaled @ scaled.mT + torch.eye(scaled.shape[-2], dtype=scaled.dtype))
        return self._whole(root * inner)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        factor = self._unbroadcasted_cov_factor
        return self._whole(factor @ factor.mT + torch.diag_embed(self._unbroadcasted_cov_diag))

    @lazy_property
    def precision_matrix(self) -> Tensor:
        scaled = self._unbroadcasted_cov_factor.mT / self._unbroadcasted_cov_diag.unsqueeze(-2)
        a = torch.linalg.solve_triangular(self._capacitance_tril, scaled, upper=False)
        return self._whole(torch.diag_embed(self._unbroadcasted_cov_diag.reciprocal()) - a.mT @ a)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        shape = self._extended_shape(sample_shape)
        eps_w = standard_normal(shape[:-1] + self.cov_factor.shape[-1:], self.loc.dtype)
        eps_d = standard_normal(shape, self.loc.dtype)
        low = (self._unbroadcasted_cov_factor @ eps_w.unsqueeze(-1)).squeeze(-1)
        return self.loc + low + self._unbroadcasted_cov_diag.sqrt() * eps_d

    def _log_determinant(self) -> Tensor:
        return 2 * log_determinant(self._capacitance_tril) + self._unbroadcasted_cov_diag.log().sum(-1)

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        difference = value - self.loc
        scaled = difference / self._unbroadcasted_cov_diag
        inner = (self._unbroadcasted_cov_factor.mT @ scaled.unsqueeze(-1)).squeeze(-1)
        distance = (difference * scaled).sum(-1) - squared_distance(self._capacitance_tril, inner)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + self._log_determinant() + distance)

    def entropy(self) -> Tensor:
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._log_determinant())
        return entropy.expand(self._batch_shape)


class Wishart(ExponentialFamily):
    """Wishart: scatter matrices of `df` normal vectors, drawn by Bartlett's decomposition. ValueError for df up to n - 1."""

    support: Any = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _event_dims = {"df": 0, "covariance_matrix": 2, "precision_matrix": 2, "scale_tril": 2, "_unbroadcasted_scale_tril": -1}

    def __init__(self, df: Any, covariance_matrix: Any = None, precision_matrix: Any = None, scale_tril: Any = None, validate_args: bool | None = None) -> None:
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {k: v for k, v in given.items() if v is not None}
        if len(given) != 1:
            raise AssertionError(_ONE_OF)
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading batch dimensions")
        event = matrix.shape[-2:]
        if isinstance(df, Tensor):
            batch = torch.broadcast_shapes(matrix.shape[:-2], df.shape)
            self.df = df.expand(batch)
        else:
            batch = matrix.shape[:-2]
            self.df = torch.tensor(df, dtype=matrix.dtype).expand(batch)
        if self.df.le(event[-1] - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {event[-1] - 1}.")
        if self.df.lt(event[-1]).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur for ndim - 1 < df < ndim.", stacklevel=2)
        setattr(self, name, matrix.expand(batch + event))
        super().__init__(batch, event, validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        else:
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(matrix) if name == "covariance_matrix" else factor_of_inverse(matrix)
        self._dist_chi2 = self._chi2()

    def _chi2(self) -> Chi2:
        p = self._event_shape[-1]
        return Chi2(self.df.unsqueeze(-1) - torch.arange(p, dtype=self._unbroadcasted_scale_tril.dtype).expand(self._batch_shape + (p,)))

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        new = self._expanded(batch_shape, _instance)
        new._dist_chi2 = new._chi2()
        return new

    @property
    def arg_constraints(self) -> dict[str, Any]:
        matrix = constraints.positive_definite
        least = constraints.greater_than(self._event_shape[-1] - 1)
        return {"covariance_matrix": matrix, "precision_matrix": matrix, "scale_tril": constraints.lower_cholesky, "df": least}

    @lazy_property
    def scale_tril(self) -> Tensor:
        return self._unbroadcasted_scale_tril.expand(self._batch_shape + self._event_shape)

    @lazy_property
    def covariance_matrix(self) -> Tensor:
        return (self._unbroadcasted_scale_tril @ self._unbroadcasted_scale_tril.mT).expand(self._batch_shape + self._event_shape)

    @lazy_property
    def precision_matrix(self) -> Tensor:
        return torch.cholesky_inverse(self._unbroadcasted_scale_tril).expand(self._batch_shape + self._event_shape)

    @property
    def mean(self) -> Tensor:
        return self.df.view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def mode(self) -> Tensor:
        factor = self.df - self._event_shape[-1] - 1
        return torch.where(factor > 0, factor, math.nan).view(self._batch_shape + (1, 1)) * self.covariance_matrix

    @property
    def variance(self) -> Tensor:
        v = self.covariance_matrix
        diagonal = v.diagonal(dim1=-2, dim2=-1)
        return self.df.view(self._batch_shape + (1, 1)) * (v.pow(2) + diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2))

    def _bartlett_sampling(self, sample_shape: Any) -> Tensor:
        p, shape = self._event_shape[-1], Size(sample_shape)
        chi = self._dist_chi2.rsample(shape).sqrt()
        noise = chi.clamp(min=torch.finfo(chi.dtype).eps).diag_embed()
        rows, columns = torch.tril_indices(p, p, offset=-1)
        below = torch.randn(shape + self._batch_shape + (p * (p - 1) // 2,), dtype=noise.dtype)
        lower = torch.zeros_like(noise).detach()
        lower[..., rows, columns] = below
        factor = self._unbroadcasted_scale_tril @ (noise + lower)
        return factor @ factor.mT

    def rsample(self, sample_shape: Any = _EMPTY, max_try_correction: int | None = None) -> Tensor:
        """Samples; as torch does, those that are positive definite are drawn a second time, and from then on those that are not."""
        sample = self._bartlett_sampling(sample_shape)
        dims = [-1 - i for i in range(len(self._batch_shape))]

        def of_batch(inside: Tensor) -> Tensor:
            return inside.amax(dims) if dims else inside

        again = of_batch(self.support.check(sample))
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if not again.any():
                break
            new = self._bartlett_sampling(again[again].shape)
            if again.all():
                sample = new.reshape(sample.shape)
            else:
                sample = torch.index_put(sample, (again,), new)
            wrong = torch.zeros_like(again)
            wrong[again] = of_batch(~self.support.check(new))
            again = wrong
        return sample

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        nu, p, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        normalizer = nu * (p * math.log(2) / 2 + log_determinant(factor)) + multivariate_lgamma(nu / 2, p)
        trace = torch.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(-1)
        return (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet - trace / 2 - normalizer

    def entropy(self) -> Tensor:
        nu, p = self.df, self._event_shape[-1]
        halves = torch.arange(p, dtype=nu.dtype) / 2
        digamma = torch.digamma((nu / 2).unsqueeze(-1) - halves).sum(-1)
        scale = (p + 1) * (p * math.log(2) / 2 + log_determinant(self._unbroadcasted_scale_tril))
        return scale + multivariate_lgamma(nu / 2, p) - (nu - p - 1) / 2 * digamma + nu * p / 2

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        return self.df / 2, -self.precision_matrix / 2

    def _log_normalizer(self, x: Tensor, y: Tensor) -> Tensor:  # type: ignore[override]
        p = y.shape[-1]
        return x * (-torch.linalg.slogdet(-2 * y).logabsdet + p * math.log(2)) + multivariate_lgamma(x, p)


class LKJCholesky(Distribution):
    """Cholesky factors of correlation matrices with density proportional to their determinant's power concentration - 1, drawn by the
    onion method (Lewandowski, Kurowicka, Joe: "Generating random correlation matrices", 2009, section 3.2)."""

    arg_constraints: Any = {"concentration": constraints.positive}
    support: Any = constraints.corr_cholesky
    _event_dims = {"concentration": 0}

    def __init__(self, dim: int, concentration: Any = 1.0, validate_args: bool | None = None) -> None:
        if dim < 2:
            raise ValueError(f"Expected dim to be an integer greater than or equal to 2. Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        offset = torch.arange(-1, dim - 1, dtype=self.concentration.dtype).clamp(min=0)
        rest = (self.concentration + 0.5 * (dim - 2)).unsqueeze(-1)
        self._beta = Beta(offset + 0.5, rest - 0.5 * offset)
        super().__init__(self.concentration.shape, (dim, dim), validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = Size(batch_shape)
        return self._expanded(shape, _instance, dim=self.dim, _beta=self._beta.expand(shape + (self.dim,)))

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        with torch.no_grad():
            length = self._beta.sample(sample_shape).unsqueeze(-1)
            direction = torch.randn(self._extended_shape(sample_shape), dtype=length.dtype).tril(-1)
            direction = direction / direction.norm(dim=-1, keepdim=True)
            direction[..., 0, :] = 0.0
            rows = torch.sqrt(length) * direction
            rest = torch.clamp(1 - torch.sum(rows**2, dim=-1), min=torch.finfo(rows.dtype).tiny)
            return rows + torch.diag_embed(rest.sqrt())

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        diagonal, c, n = value.diagonal(dim1=-1, dim2=-2)[..., 1:], self.concentration, self.dim - 1
        order = 2 * (c - 1).unsqueeze(-1) + self.dim - torch.arange(2, self.dim + 1)
        alpha = c + 0.5 * n
        normalizer = 0.5 * n * math.log(math.pi) + multivariate_lgamma(alpha - 0.5, n) - torch.lgamma(alpha) * n
        return torch.sum(order * diagonal.log(), dim=-1) - normalizer
