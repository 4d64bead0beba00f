"""torch.functional: Python functions of the torch namespace (einsum, norm, stft, unique, …)."""

from ._core.names import absent as _absent
from ._functions import FUNCTIONS as _FUNCTIONS

_NAMES = (
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu",
    "meshgrid", "norm", "pca_lowrank", "split", "stft", "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index",
)

globals().update({name: _FUNCTIONS[name] for name in _NAMES})
__all__ = [*_NAMES]

__getattr__ = _absent(__name__)
