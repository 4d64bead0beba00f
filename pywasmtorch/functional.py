"""torch.functional: names that torch has too."""

from . import (
    atleast_1d,
    atleast_2d,
    atleast_3d,
    block_diag,
    broadcast_shapes,
    broadcast_tensors,
    cartesian_prod,
    cdist,
    chain_matmul,
    einsum,
    lu,
    meshgrid,
    norm,
    pca_lowrank,
    split,
    svd_lowrank,
    tensordot,
    unique,
    unique_consecutive,
    unravel_index,
)
from ._names import absent as _absent

__all__ = [
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes", "broadcast_tensors", "cartesian_prod", "cdist", "chain_matmul", "einsum", "lu",
    "meshgrid", "norm", "pca_lowrank", "split", "svd_lowrank", "tensordot", "unique", "unique_consecutive", "unravel_index",
]

__getattr__ = _absent(__name__)
