"""Independent, TransformedDistribution, MixtureSameFamily."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from .._core.size import Size
from .._tensor import Tensor
from . import constraints
from ._discrete import Categorical
from .distribution import Distribution
from .transforms import ComposeTransform, Transform
from .utils import sum_rightmost

_EMPTY = Size()


class Independent(Distribution):
    """A distribution whose last batch dimensions count as event. ValueError where it has not that many."""

    arg_constraints: Any = {}

    def __init__(self, base_distribution: Any, reinterpreted_batch_ndims: int, validate_args: bool | None = None) -> None:
        have = len(base_distribution.batch_shape)
        if reinterpreted_batch_ndims > have:
            raise ValueError(f"Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), actual {reinterpreted_batch_ndims} vs {have}")
        shape = base_distribution.batch_shape + base_distribution.event_shape
        cut = have - reinterpreted_batch_ndims
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = Size(batch_shape)
        base = self.base_dist.expand(shape + self.event_shape[: self.reinterpreted_batch_ndims])
        return self._expanded(shape, _instance, base_dist=base, reinterpreted_batch_ndims=self.reinterpreted_batch_ndims)

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    @property
    def has_enumerate_support(self) -> bool:  # type: ignore[override]
        return False if self.reinterpreted_batch_ndims > 0 else self.base_dist.has_enumerate_support

    @constraints.dependent_property
    def support(self) -> Any:
        inner = self.base_dist.support
        return constraints.independent(inner, self.reinterpreted_batch_ndims) if self.reinterpreted_batch_ndims else inner

    @property
    def mean(self) -> Tensor:
        return self.base_dist.mean

    @property
    def mode(self) -> Tensor:
        return self.base_dist.mode

    @property
    def variance(self) -> Tensor:
        return self.base_dist.variance

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        return self.base_dist.sample(sample_shape)

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        return self.base_dist.rsample(sample_shape)

    def log_prob(self, value: Tensor) -> Tensor:
        return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)

    def entropy(self) -> Tensor:
        return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)

    def enumerate_support(self, expand: bool = True) -> Tensor:
        if self.reinterpreted_batch_ndims > 0:
            raise NotImplementedError("Enumeration over cartesian product is not implemented")
        return self.base_dist.enumerate_support(expand=expand)

    def __repr__(self) -> str:
        return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"


class TransformedDistribution(Distribution):
    """What comes of a distribution's samples when transforms are applied in turn. ValueError for anything but transforms, and for a
    base whose shape has fewer dimensions than they take."""

    arg_constraints: Any = {}

    def __init__(self, base_distribution: Any, transforms: Any, validate_args: bool | None = None) -> None:
        if isinstance(transforms, Transform):
            self.transforms = [transforms]
        elif isinstance(transforms, list):
            if not all(isinstance(t, Transform) for t in transforms):
                raise ValueError("transforms must be a Transform or a list of Transforms")
            self.transforms = transforms
        else:
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        base_shape = base_distribution.batch_shape + base_distribution.event_shape
        base_event = len(base_distribution.event_shape)
        transform = ComposeTransform(self.transforms)
        if len(base_shape) < transform.domain.event_dim:
            raise ValueError(f"base_distribution needs to have shape with size at least {transform.domain.event_dim}, but got {base_shape}.")
        forward = transform.forward_shape(base_shape)
        expanded = transform.inverse_shape(forward)
        if base_shape != expanded:
            base_distribution = base_distribution.expand(expanded[: len(expanded) - base_event])
        missing = transform.domain.event_dim - base_event
        if missing > 0:
            base_distribution = Independent(base_distribution, missing)
        self.base_dist = base_distribution
        event = transform.codomain.event_dim + max(base_event - transform.domain.event_dim, 0)
        cut = len(forward) - event
        super().__init__(forward[:cut], forward[cut:], validate_args=validate_args)

    def _of(self, base: Any, batch_shape: Any, _instance: Any, cls: Any, **others: Any) -> Any:
        new = self._get_checked_instance(cls, _instance)
        new.__dict__.update(others)
        new.base_dist, new.transforms = base, self.transforms
        new._batch_shape, new._event_shape, new._validate_args = Size(batch_shape), self._event_shape, self._validate_args
        return new

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = Size(batch_shape)
        inner = ComposeTransform(self.transforms).inverse_shape(shape + self.event_shape)
        base = self.base_dist.expand(inner[: len(inner) - len(self.base_dist.event_shape)])
        return self._of(base, shape, _instance, TransformedDistribution)

    @constraints.dependent_property(is_discrete=False)
    def support(self) -> Any:
        if not self.transforms:
            return self.base_dist.support
        support, missing = self.transforms[-1].codomain, 0
        missing = len(self.event_shape) - support.event_dim
        return constraints.independent(support, missing) if missing > 0 else support

    @property
    def has_rsample(self) -> bool:  # type: ignore[override]
        return self.base_dist.has_rsample

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        with torch.no_grad():
            x = self.base_dist.sample(sample_shape)
            for transform in self.transforms:
                x = transform(x)
            return x

    def rsample(self, sample_shape: Any = _EMPTY) -> Tensor:
        x = self.base_dist.rsample(sample_shape)
        for transform in self.transforms:
            x = transform(x)
        return x

    def log_prob(self, value: Tensor) -> Tensor:
        self._checked(value)
        event, result, y = len(self.event_shape), 0.0, value
        for transform in reversed(self.transforms):
            x = transform.inv(y)
            event += transform.domain.event_dim - transform.codomain.event_dim
            result = result - sum_rightmost(transform.log_abs_det_jacobian(x, y), event - transform.domain.event_dim)
            y = x
        return result + sum_rightmost(self.base_dist.log_prob(y), event - len(self.base_dist.event_shape))

    def _mirrored(self, value: Tensor) -> Tensor:
        """A place in the distribution, counted from the other end where the transforms fall."""
        sign: Any = 1
        for transform in self.transforms:
            sign = sign * transform.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value: Tensor) -> Tensor:
        for transform in self.transforms[::-1]:
            value = transform.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._mirrored(self.base_dist.cdf(value))

    def icdf(self, value: Tensor) -> Tensor:
        value = self.base_dist.icdf(self._mirrored(value))
        for transform in self.transforms:
            value = transform(value)
        return value


class MixtureSameFamily(Distribution):
    """A mixture of the components along the last batch dimension. ValueError where mixture and components do not match."""

    arg_constraints: Any = {}
    has_rsample = False

    def __init__(self, mixture_distribution: Categorical, component_distribution: Any, validate_args: bool | None = None) -> None:
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution need to be an instance of torch.distributions.Distribution")
        mixed, components = mixture_distribution.batch_shape, component_distribution.batch_shape[:-1]
        for a, b in zip(reversed(mixed), reversed(components)):
            if a != 1 and b != 1 and a != b:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixed}) is not compatible with `component_distribution.batch_shape`({components})")
        classes, count = mixture_distribution.logits.shape[-1], component_distribution.batch_shape[-1]
        if classes != count:
            raise ValueError(f"`mixture_distribution component` ({classes}) does not equal `component_distribution.batch_shape[-1]` ({count})")
        self._mixture_distribution, self._component_distribution = mixture_distribution, component_distribution
        self._num_component = count
        self._event_ndims = len(component_distribution.event_shape)
        super().__init__(components, component_distribution.event_shape, validate_args=validate_args)

    def expand(self, batch_shape: Any, _instance: Any = None) -> Any:
        shape = Size(batch_shape)
        return self._expanded(
            shape, _instance, _component_distribution=self._component_distribution.expand(shape + (self._num_component,)),
            _mixture_distribution=self._mixture_distribution.expand(shape), _num_component=self._num_component, _event_ndims=self._event_ndims)

    @constraints.dependent_property
    def support(self) -> Any:
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self) -> Categorical:
        return self._mixture_distribution

    @property
    def component_distribution(self) -> Any:
        return self._component_distribution

    def _weights(self) -> Tensor:
        probs = self.mixture_distribution.probs
        if len(self.batch_shape) > probs.dim() - 1:
            probs = probs.expand(self.batch_shape + probs.shape[-1:])
        return probs.reshape(probs.shape + (1,) * self._event_ndims)

    @property
    def mean(self) -> Tensor:
        return (self._weights() * self.component_distribution.mean).sum(-1 - self._event_ndims)

    @property
    def variance(self) -> Tensor:
        dim, weights = -1 - self._event_ndims, self._weights()
        within = (weights * self.component_distribution.variance).sum(dim)
        return within + (weights * (self.component_distribution.mean - self._pad(self.mean)) ** 2).sum(dim)

    def cdf(self, x: Tensor) -> Tensor:  # type: ignore[override]
        parts = self.component_distribution.cdf(self._pad(x))
        return (parts * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, x: Tensor) -> Tensor:  # type: ignore[override]
        self._checked(x)
        parts = self.component_distribution.log_prob(self._pad(x))
        weights = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(parts + weights, dim=-1)

    def sample(self, sample_shape: Any = _EMPTY) -> Tensor:
        with torch.no_grad():
            shape = Size(sample_shape)
            dim = len(shape) + len(self.batch_shape)
            which = self.mixture_distribution.sample(shape)
            drawn = self.component_distribution.sample(shape)
            # a mixture with fewer batch dimensions than the components has its choices shared
            which = which.reshape(which.shape[: len(shape)] + (1,) * (dim - which.dim()) + which.shape[len(shape) :])
            which = which.reshape(which.shape + (1,) * (self._event_ndims + 1))
            which = which.expand(drawn.shape[:dim] + (1,) + self.event_shape)
            return torch.gather(drawn, dim, which).squeeze(dim)

    def _pad(self, x: Tensor) -> Tensor:
        return x.unsqueeze(-1 - self._event_ndims)

    def __repr__(self) -> str:
        return f"MixtureSameFamily(\n  {self.mixture_distribution},\n  {self.component_distribution})"
