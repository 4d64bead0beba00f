"""BatchNorm1d, BatchNorm2d, BatchNorm3d, their lazy forms, SyncBatchNorm."""

import pywasmtorch as torch

from .. import functional as F
from ..parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from .lazy import LazyModuleMixin
from .module import Module
from .utils import add_parameter, check_dims, reset_affine

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "SyncBatchNorm"]


class _NormBase(Module):
    """Weight, bias and running statistics of batch and instance normalisation."""

    # Since version 2 the state has num_batches_tracked.
    _version = 2

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        shape = (num_features,)
        add_parameter(self, "weight", shape, device, dtype, present=affine)
        add_parameter(self, "bias", shape, device, dtype, present=affine and bias)
        mean = var = count = None
        if track_running_stats:
            mean = torch.zeros(shape, device=device, dtype=dtype)
            var = torch.ones(shape, device=device, dtype=dtype)
            count = torch.tensor(0, device=device, dtype=torch.long)
        self.register_buffer("running_mean", mean)
        self.register_buffer("running_var", var)
        self.register_buffer("num_batches_tracked", count)
        self.reset_parameters()

    def reset_running_stats(self):
        """Set the running mean to 0, the running variance to 1 and the count of batches to 0."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self):
        """Reset the running statistics, and set weight to 1 and bias to 0."""
        self.reset_running_stats()
        if self.affine:
            reset_affine(self.weight, self.bias)

    def _check_input_dim(self, input):
        raise NotImplementedError

    def extra_repr(self):
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, affine={self.affine}, "
            f"bias={self.bias is not None}, track_running_stats={self.track_running_stats}"
        )

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, *args):
        version = local_metadata.get("version", None)
        if (version is None or version < 2) and self.track_running_stats:
            count = self.num_batches_tracked
            if count is None:
                count = torch.tensor(0, dtype=torch.long)
            state_dict.setdefault(prefix + "num_batches_tracked", count)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *args)


class _BatchNorm(_NormBase):
    def forward(self, input):
        self._check_input_dim(input)
        running_mean, running_var = self.running_mean, self.running_var
        use_batch = self.training or (running_mean is None and running_var is None)
        if self.training and not self.track_running_stats:
            running_mean = running_var = None
        factor = self._average_factor()
        return F.batch_norm(input, running_mean, running_var, self.weight, self.bias, use_batch, factor, self.eps)

    def _average_factor(self):
        """The share of this batch in the running statistics; counts the batch."""
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.track_running_stats and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        return factor


class BatchNorm1d(_BatchNorm):
    """Normalises each channel by the batch's mean and variance: (N, C) or (N, C, L), the same shape back.

    In training the biased variance normalises, and the unbiased one enters the running statistics, which are
    used in evaluation (Ioffe and Szegedy, 2015).

    Args:
        num_features (int): C.
        eps (float): added to the variance. Default: 1e-5.
        momentum (float or None): the share of each batch in the running statistics; None weighs all batches alike.
            Default: 0.1.
        affine (bool): whether to scale by a learnt weight and add a learnt bias. Default: ``True``.
        track_running_stats (bool): keep running statistics; without them evaluation normalises by the batch too.
            Default: ``True``.
        bias (bool): whether the affine map has a bias. Default: ``True``.
    """

    def _check_input_dim(self, input):
        check_dims(input, 2, 3)


class BatchNorm2d(_BatchNorm):
    """:class:`BatchNorm1d` for (N, C, H, W)."""

    def _check_input_dim(self, input):
        check_dims(input, 4)


class BatchNorm3d(_BatchNorm):
    """:class:`BatchNorm1d` for (N, C, D, H, W)."""

    def _check_input_dim(self, input):
        check_dims(input, 5)


class _LazyNormBase(LazyModuleMixin):
    """A normalisation that takes ``num_features`` from its first input."""

    def __init__(self, eps=1e-5, momentum=0.1, affine=True, track_running_stats=True, device=None, dtype=None, *, bias=True):
        # Affine and running statistics come with no features first, so that the plain class makes empty ones.
        super().__init__(0, eps, momentum, False, False, device, dtype)
        self.affine = affine
        self.track_running_stats = track_running_stats
        if affine:
            self.weight = UninitializedParameter(device=device, dtype=dtype)
            if bias:
                self.bias = UninitializedParameter(device=device, dtype=dtype)
        if track_running_stats:
            self.running_mean = UninitializedBuffer(device=device, dtype=dtype)
            self.running_var = UninitializedBuffer(device=device, dtype=dtype)
            self.num_batches_tracked = torch.tensor(0, device=device, dtype=torch.long)

    def reset_parameters(self):
        """Set the starting values, once there are any."""
        if not self.has_uninitialized_params() and self.num_features != 0:
            super().reset_parameters()

    def initialize_parameters(self, input):
        if not self.has_uninitialized_params():
            return
        self.num_features = input.shape[self._features_dim(input)]
        for value in (self.weight, self.bias, self.running_mean, self.running_var):
            if is_lazy(value):
                value.materialize((self.num_features,))
        self.reset_parameters()

    def _features_dim(self, input):
        return 1


class LazyBatchNorm1d(_LazyNormBase, BatchNorm1d):
    """:class:`BatchNorm1d` whose ``num_features`` come from the first input."""

    cls_to_become = BatchNorm1d


class LazyBatchNorm2d(_LazyNormBase, BatchNorm2d):
    """:class:`BatchNorm2d` whose ``num_features`` come from the first input."""

    cls_to_become = BatchNorm2d


class LazyBatchNorm3d(_LazyNormBase, BatchNorm3d):
    """:class:`BatchNorm3d` whose ``num_features`` come from the first input."""

    cls_to_become = BatchNorm3d


class SyncBatchNorm(_BatchNorm):
    """:class:`BatchNorm1d` for inputs of any number of dimensions; a batch is never spread over processes here."""

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.1,
        affine=True,
        track_running_stats=True,
        process_group=None,
        device=None,
        dtype=None,
        *,
        bias=True,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias)
        self.process_group = process_group

    def _check_input_dim(self, input):
        if input.dim() < 2:
            raise ValueError(f"expected at least 2D input (got {input.dim()}D input)")
        if input.size(1) == 0:
            raise ValueError("SyncBatchNorm number of input channels should be non-zero")

    def forward(self, input):
        self._check_input_dim(input)
        if self.training:
            raise ValueError("SyncBatchNorm expected input tensor to be on GPU or HPU or XPU or PrivateUse1")
        return super().forward(input)

    @classmethod
    def convert_sync_batchnorm(cls, module, process_group=None):
        """``module`` with every batch normalisation in it, or itself, in the synchronised form."""
        converted = module
        if isinstance(module, _BatchNorm) and not isinstance(module, cls):
            converted = cls(
                module.num_features,
                module.eps,
                module.momentum,
                module.affine,
                module.track_running_stats,
                process_group,
                bias=module.bias is not None,
            )
            for name in ("weight", "bias", "running_mean", "running_var", "num_batches_tracked"):
                setattr(converted, name, getattr(module, name))
            converted.training = module.training
        for name, child in module.named_children():
            converted.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        return converted
