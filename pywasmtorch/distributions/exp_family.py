"""ExponentialFamily: entropy from the log normalizer."""

from __future__ import annotations

from typing import Any

import pywasmtorch as torch

from .._tensor import Tensor
from .distribution import Distribution
from .utils import sum_rightmost

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """Distributions with density exp(<t(x), θ> - F(θ) + k(x)); the entropy follows from F by autograd (Nielsen and Nock,
    "Entropies and cross-entropies of exponential families", 2010)."""

    @property
    def _natural_params(self) -> tuple[Tensor, ...]:
        raise NotImplementedError

    def _log_normalizer(self, *natural_params: Tensor) -> Tensor:
        raise NotImplementedError

    @property
    def _mean_carrier_measure(self) -> Any:
        raise NotImplementedError

    def entropy(self) -> Tensor:
        parameters = [p.detach().requires_grad_() for p in self._natural_params]
        with torch.enable_grad():
            normalizer = self._log_normalizer(*parameters)
            gradients = torch.autograd.grad(normalizer.sum(), parameters, create_graph=True)
        result = -self._mean_carrier_measure + normalizer
        for parameter, gradient in zip(parameters, gradients):
            result = result - sum_rightmost(parameter * gradient, gradient.ndim - len(self._batch_shape))
        return result
