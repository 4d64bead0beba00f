"""orthogonal, weight_norm, spectral_norm, as parametrizations."""

import pywasmtorch as torch

from .. import functional as F
from ..modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from ..modules.module import Module
from . import parametrize
from .weight_norm import norm_except_dim, weight_of

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


def _has_orthonormal_columns(q, eps=None):
    columns = q.size(-1)
    identity = torch.eye(columns, dtype=q.dtype, device=q.device)
    eps = 10.0 * columns * torch.finfo(q.dtype).eps if eps is None else eps
    return torch.allclose(q.mH @ q, identity, atol=eps)


def _orthonormalised(a):
    """The Q of the decomposition whose R has a diagonal that is not negative."""
    q, r = torch.linalg.qr(a)
    return q * r.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _Orthogonal(Module):
    """Orthogonal matrices as functions of any matrix of the same size (Lezcano-Casado and Martínez-Rubio, 2019)."""

    def __init__(self, weight, orthogonal_map, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == "householder":
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):
        rows, columns = X.size(-2), X.size(-1)
        turned = rows < columns
        if turned:
            X = X.mT
            rows, columns = columns, rows
        if self.orthogonal_map == "householder":
            # What is stored is LAPACK's form: reflectors below the diagonal, signs on it.
            below = X.tril(diagonal=-1)
            tau = 2.0 / (1.0 + (below * below).sum(dim=-2))
            Q = torch.linalg.householder_product(below, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            skew = X.tril()
            if rows != columns:
                skew = torch.cat([skew, X.new_zeros(*X.shape[:-2], rows, rows - columns)], -1)
            skew = skew - skew.mH
            if self.orthogonal_map == "matrix_exp":
                Q = torch.matrix_exp(skew)
            else:
                identity = torch.eye(rows, dtype=X.dtype, device=X.device)
                Q = torch.linalg.solve(identity - 0.5 * skew, identity + 0.5 * skew)
            if rows != columns:
                Q = Q[..., :columns]
        base = getattr(self, "base", None)
        if base is not None:
            Q = base @ Q
        return Q.mT if turned else Q

    @torch.no_grad()
    def right_inverse(self, Q):
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. Got a tensor of shape {Q.shape}.")
        turned = Q.size(-2) < Q.size(-1)
        if turned:
            Q = Q.mT
        rows, columns = Q.size(-2), Q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map != "householder":
                raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley parametrizations when use_trivialization=False.")
            stored, tau = torch.geqrf(Q)
            stored.diagonal(dim1=-2, dim2=-1).sign_()
            # A reflector of tau 0 is the identity, whose sign is kept by the diagonal.
            stored.diagonal(dim1=-2, dim2=-1)[tau == 0.0] *= -1
            return stored.mT if turned else stored
        if rows == columns:
            base = Q.clone() if _has_orthonormal_columns(Q) else _orthonormalised(Q)
        else:
            others = torch.randn((*Q.shape[:-2], rows, rows - columns), dtype=Q.dtype, device=Q.device)
            base = _orthonormalised(torch.cat([Q, others], -1))
        self.base = base
        # The identity is what maps to the base itself.
        start = torch.zeros_like(Q)
        if self.orthogonal_map == "householder":
            start.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return start.mT if turned else start


def orthogonal(module, name="weight", orthogonal_map=None, *, use_trivialization=True):
    """Keep a matrix (or batch of them) orthogonal, or its shorter side orthonormal.

    Args:
        module (Module): the parameter's owner, which is returned.
        name (str): the parameter. Default: ``"weight"``.
        orthogonal_map (str, optional): ``"matrix_exp"``, ``"cayley"`` or ``"householder"``. Default: ``"matrix_exp"`` for square
            and complex matrices, else ``"householder"``.
        use_trivialization (bool): measure from the matrix that was there, so that it can be assigned. Default: ``True``.

    Raises:
        ValueError: no such parameter, fewer than 2 dimensions, or an unknown map.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        orthogonal_map = "matrix_exp" if weight.size(-2) == weight.size(-1) or weight.is_complex() else "householder"
    if orthogonal_map not in ("matrix_exp", "cayley", "householder"):
        raise ValueError(f'orthogonal_map has to be one of "matrix_exp", "cayley", "householder". Got: {orthogonal_map}')
    return parametrize.register_parametrization(module, name, _Orthogonal(weight, orthogonal_map, use_trivialization), unsafe=True)


class _WeightNorm(Module):
    """``g * v / norm(v)`` of what is stored as ``original0`` and ``original1``."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return weight_of(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module, name="weight", dim=0):
    """Keep a parameter as its norm and its direction (Salimans and Kingma, 2016).

    Args:
        module (Module): the parameter's owner, which is returned.
        name (str): the parameter. Default: ``"weight"``.
        dim (int or None): norms are over all dimensions but this one; None: over all. Default: 0.
    """
    parametrize.register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def read_older_names(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        g, v = f"{prefix}{name}_g", f"{prefix}{name}_v"
        if g in state_dict and v in state_dict:
            state_dict[f"{prefix}parametrizations.{name}.original0"] = state_dict.pop(g)
            state_dict[f"{prefix}parametrizations.{name}.original1"] = state_dict.pop(v)

    module._register_load_state_dict_pre_hook(read_older_names)
    return module


class _SpectralNorm(Module):
    """The weight over its largest singular value, which power iteration estimates."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if dim >= ndim or dim < -ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError(f"Expected n_power_iterations to be positive, but got n_power_iterations={n_power_iterations}")
        self.dim = dim if dim >= 0 else dim + ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            rows, columns = matrix.size()
            u, v = matrix.new_empty(rows).normal_(0, 1), matrix.new_empty(columns).normal_(0, 1)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight):
        if self.dim != 0:
            weight = weight.permute(self.dim, *[d for d in range(weight.dim()) if d != self.dim])
        return weight.flatten(1)

    @torch.no_grad()
    def _power_method(self, matrix, n_power_iterations):
        for _ in range(n_power_iterations):
            self._u.copy_(F.normalize(torch.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(torch.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Clones, as the next call changes the buffers in place.
        u, v = self._u.clone(), self._v.clone()
        return weight / torch.vdot(u, torch.mv(matrix, v))

    def right_inverse(self, value):
        return value


def spectral_norm(module, name="weight", n_power_iterations=1, eps=1e-12, dim=None):
    """Divide a parameter by its largest singular value (Miyato et al., 2018), which each call in training estimates further.

    Args:
        module (Module): the parameter's owner, which is returned.
        name (str): the parameter. Default: ``"weight"``.
        n_power_iterations (int): steps of power iteration for each call. Default: 1.
        eps (float): the least norm that is divided by. Default: 1e-12.
        dim (int, optional): the dimension of outputs. Default: 0, and 1 for transposed convolutions.
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, torch.Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    return parametrize.register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
