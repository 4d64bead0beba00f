"""InstanceNorm1d, InstanceNorm2d, InstanceNorm3d and their lazy forms."""

import warnings

from .. import functional as F
from .batchnorm import _LazyNormBase, _NormBase
from .utils import check_dims

__all__ = [
    "InstanceNorm1d",
    "InstanceNorm2d",
    "InstanceNorm3d",
    "LazyInstanceNorm1d",
    "LazyInstanceNorm2d",
    "LazyInstanceNorm3d",
]


class _InstanceNorm(_NormBase):
    _ndim: int

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=False,
        track_running_stats=False,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _check_input_dim(self, input):
        check_dims(input, self._ndim + 1, self._ndim + 2)

    def forward(self, input):
        self._check_input_dim(input)
        unbatched = input.dim() == self._ndim + 1
        self._check_features(input, 0 if unbatched else 1)
        if unbatched:
            return self._normalize(input.unsqueeze(0)).squeeze(0)
        return self._normalize(input)

    def _check_features(self, input, dim):
        if input.size(dim) == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={dim} to match num_features ({self.num_features}), but got: {input.size(dim)}."
            )
        warnings.warn(
            f"input's size at dim={dim} does not match num_features. You can silence this warning by not passing in "
            "num_features, which is not used because affine=False",
            stacklevel=3,
        )

    def _normalize(self, input):
        return F.instance_norm(
            input,
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            0.0 if self.momentum is None else self.momentum,
            self.eps,
        )

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        if local_metadata.get("version", None) is None and not self.track_running_stats:
            keys = [prefix + name for name in ("running_mean", "running_var") if prefix + name in state_dict]
            if keys:
                names = " and ".join(f'"{key}"' for key in keys)
                error_msgs.append(
                    f"Unexpected running stats buffer(s) {names} for {type(self).__name__} with "
                    "track_running_stats=False. Remove them from state_dict, or set track_running_stats=True."
                )
                for key in keys:
                    del state_dict[key]
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)


class InstanceNorm1d(_InstanceNorm):
    """Normalises each channel of each sample by its mean and variance: (N, C, L) or (C, L), the same shape back.

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default: 1e-5.
        momentum (float): the share of each batch in the running statistics. Default: 0.1.
        affine (bool): whether to scale by a learnt weight and add a learnt bias. Default: ``False``.
        track_running_stats (bool): keep running statistics and use them in evaluation. Default: ``False``.
        bias (bool): whether the affine map has a bias. Default: ``True``.
    """

    _ndim = 1


class InstanceNorm2d(_InstanceNorm):
    """:class:`InstanceNorm1d` for (N, C, H, W) or (C, H, W)."""

    _ndim = 2


class InstanceNorm3d(_InstanceNorm):
    """:class:`InstanceNorm1d` for (N, C, D, H, W) or (C, D, H, W)."""

    _ndim = 3


class _LazyInstanceNorm(_LazyNormBase):
    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True):
        super().__init__(eps, momentum, affine, track_running_stats, device, dtype, bias=bias)

    def _features_dim(self, input):
        self._check_input_dim(input)
        return input.dim() - self._ndim - 1


class LazyInstanceNorm1d(_LazyInstanceNorm, InstanceNorm1d):
    """:class:`InstanceNorm1d` whose ``num_features`` come from the first input."""

    cls_to_become = InstanceNorm1d


class LazyInstanceNorm2d(_LazyInstanceNorm, InstanceNorm2d):
    """:class:`InstanceNorm2d` whose ``num_features`` come from the first input."""

    cls_to_become = InstanceNorm2d


class LazyInstanceNorm3d(_LazyInstanceNorm, InstanceNorm3d):
    """:class:`InstanceNorm3d` whose ``num_features`` come from the first input."""

    cls_to_become = InstanceNorm3d
