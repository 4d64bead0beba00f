"""Arguments of linear algebra, spectra, windows, sets and shapes."""

from __future__ import annotations

from typing import Any

from .families import extents, family, made, some
from .program import Composed, Raw
from .values import FLOATS, Maker

__all__ = ["made"]


def square(maker: Maker) -> list[int]:
    n = maker.between(0 if maker.chance(0.1) else 1, 4)
    return [*extents(maker, 1, 2), n, n]


SQUARE = r"det|inverse|logdet|slogdet|matrix_exp|matrix_power|cholesky|trace|qr|svd|lu|pinverse|geqrf"


@family(rf"({SQUARE}|linalg\.(det|inv|inv_ex|slogdet|eig|eigvals|eigh|eigvalsh|cholesky|cholesky_ex|matrix_exp|matrix_power|lu|lu_factor|lu_factor_ex|ldl_factor|qr|svd|svdvals|pinv|cond|matrix_rank|matrix_norm|norm))")
def of_a_matrix(maker: Maker, name: str) -> Any:
    maker.dtype = maker.floating()
    short = name.rsplit(".", 1)[-1]
    shape = square(maker) if maker.chance(0.8) else [*extents(maker, 1, 2), maker.between(1, 4), maker.between(1, 4)]
    matrix: Any = maker.tensor(shape)
    if short.startswith(("cholesky", "eigh", "ldl")) or short == "eigvalsh":
        if maker.chance(0.9):
            name = matrix.name
            return [Composed(f"({name} @ {name}.mH + T.eye({shape[-2]}, dtype={name}.dtype))", [name])], {}
    options: dict[str, Any] = {}
    if short == "matrix_power":
        return [matrix, maker.between(-2, 5)], options
    if short in ("norm", "matrix_norm", "cond"):
        options = some(maker, **({"ord" if short != "cond" else "p": maker.pick("fro", "nuc", 1, -1, 2, -2, Raw("inf"), Raw("-inf"))}))
    if short == "qr" and "." in name:
        options = some(maker, mode=maker.pick("reduced", "complete", "r"))
    if short == "svd":
        options = some(maker, **{"full_matrices" if "." in name else "some": maker.chance(0.5)})
    if short == "lu" and "." not in name:
        options = {}
    return [matrix], options


@family(r"linalg\.(solve|solve_ex|lstsq|solve_triangular|lu_solve|householder_product|cross|tensorsolve|tensorinv|vander|vecdot|vector_norm|diagonal)|triangular_solve|cholesky_solve|cholesky_inverse|lu_solve|orgqr|ormqr|cross")
def solves(maker: Maker, name: str) -> Any:
    maker.dtype = maker.floating()
    kind = name.rsplit(".", 1)[-1]
    n, k = maker.between(1, 4), maker.between(1, 3)
    batch = extents(maker, 1, 2)
    matrix, right = maker.tensor([*batch, n, n]), maker.tensor([*batch, n, k])
    if kind in ("solve", "solve_ex"):
        return [matrix, right if maker.chance(0.7) else maker.tensor([*batch, n])], some(maker, left=maker.chance(0.5)) if n == k else {}
    if kind == "lstsq":
        rows = maker.between(1, 5)
        return [maker.tensor([*batch, rows, n]), maker.tensor([*batch, rows, k])], some(maker, driver=maker.pick("gelsy", "gels", "gelsd", "gelss"))
    if kind == "solve_triangular":
        return [matrix, right], {"upper": maker.chance(0.5), **some(maker, unitriangular=maker.chance(0.5))}
    if kind == "triangular_solve":
        return [right, matrix], some(maker, upper=maker.chance(0.5), transpose=maker.chance(0.5), unitriangular=maker.chance(0.5))
    if kind == "cholesky_solve":
        return [right, matrix], some(maker, upper=maker.chance(0.5))
    if kind == "cholesky_inverse":
        return [matrix], some(maker, upper=maker.chance(0.5))
    if kind in ("householder_product", "orgqr"):
        return [matrix, maker.tensor([*batch, maker.between(0, n)])], {}
    if kind == "ormqr":
        return [matrix, maker.tensor([*batch, n]), right], some(maker, left=True, transpose=maker.chance(0.5))
    if kind == "cross":
        shape = [*batch, 3]
        return [maker.tensor(shape), maker.tensor(shape)], some(maker, dim=-1)
    return None


@family(r"stft|istft|hann_window|hamming_window|blackman_window|bartlett_window|kaiser_window")
def spectra(maker: Maker, name: str) -> Any:
    if name.endswith("window"):
        return [maker.between(0, 7)], some(maker, periodic=maker.chance(0.5), dtype=Raw(f"T.{maker.random.choice(FLOATS)}"))
    if name == "istft":
        maker.dtype = maker.pick("complex64", "complex128")
        return [maker.tensor([*extents(maker, 1, 2)[:1], 5, maker.between(2, 4)]), 8], some(maker, center=True, normalized=maker.chance(0.5), hop_length=2)
    maker.dtype = maker.floating()
    return [maker.tensor([*extents(maker, 1, 2)[:1], maker.between(8, 17)]), 8], {**some(maker, center=maker.chance(0.5), normalized=maker.chance(0.5), onesided=maker.chance(0.5), hop_length=maker.between(1, 4)), "return_complex": True}


@family(r"(h|v|d|column_|row_)?stack|cat|concat|concatenate|block_diag|cartesian_prod|broadcast_tensors|meshgrid|atleast_[123]d|align_tensors")
def lists(maker: Maker, name: str) -> Any:
    shape = maker.some_shape(0, 2) if name in ("block_diag",) else maker.some_shape(1, 1) if name == "cartesian_prod" else maker.some_shape(0, 1) if name == "meshgrid" else maker.shape
    dim, tensors = maker.dim(len(shape)), []
    for _ in range(maker.between(1, 3)):
        part = [*shape]
        if name.startswith("c") and part and -len(part) <= dim < len(part) and maker.chance(0.7):
            part[dim] = maker.between(0, 3)
        tensors.append(maker.tensor(part))
    if name in ("cat", "concat", "concatenate", "stack"):
        return [tensors], some(maker, dim=dim)
    if name == "meshgrid":
        return tensors, some(maker, indexing=maker.pick("ij", "xy"))
    return (tensors if name in ("block_diag", "cartesian_prod", "broadcast_tensors") else [tensors]), {}


@family(r"histc|histogram|bincount|unique(_consecutive)?|combinations|tril_indices|triu_indices|vander|isin|repeat_interleave|quantile|nanquantile|topk|kthvalue|multinomial|bernoulli_?")
def sets(maker: Maker, name: str) -> Any:
    tensor, shape = maker.tensor, maker.shape
    if name == "bincount":
        return [tensor(maker.some_shape(1, 1), "int64", 0, 9)], some(maker, minlength=maker.between(0, 12))
    if name == "histogram":
        maker.dtype = maker.pick("float32", "float64")
        return [tensor(shape), maker.between(1, 5)], {}
    if name in ("topk", "kthvalue"):
        dim = maker.dim()
        extent = shape[dim] if shape and -len(shape) <= dim < len(shape) else 1
        options = some(maker, largest=maker.chance(0.5), sorted=True) if name == "topk" else some(maker, keepdim=True)
        return [tensor(shape), maker.between(min(1, extent), extent), dim], options
    if name.endswith("quantile"):
        maker.dtype = maker.pick("float32", "float64")
        level = maker.pick(0.5, 0.25, 0.0, 1.0, 0.3) if maker.chance(0.6) else tensor([maker.between(1, 3)], None, 0, 1)
        return [tensor(shape), level], some(maker, dim=maker.dim(), keepdim=True, interpolation=maker.pick("linear", "lower", "higher", "midpoint", "nearest"))
    if name in ("multinomial", "bernoulli", "bernoulli_"):
        maker.dtype = maker.random.choice(FLOATS)
        if name == "multinomial":
            return [tensor([*extents(maker, 1, 2)[:1], 5], None, 0.1, 1), maker.between(1, 4)], some(maker, replacement=maker.chance(0.5))
        return [tensor(shape, None, 0, 1)], {}
    return None


@family(r"as_strided|movedim|moveaxis|permute|repeat|tile|split_with_sizes|tensor_split|unflatten|narrow|narrow_copy|swapaxes|expand|view|reshape|unfold|diag_embed|rot90")
def shapes(maker: Maker, name: str) -> Any:
    shape, count = maker.shape, len(maker.shape)
    whole = maker.tensor(shape)
    if name == "as_strided":
        sizes = extents(maker, 1, 2)
        return [whole, sizes, [maker.between(0, 1) for _ in sizes]], {}
    if name == "permute":
        order = maker.random.sample(range(count), count)
        return [whole, [n - count if maker.chance(0.3) else n for n in order]], {}
    if name in ("narrow", "narrow_copy"):
        dim = maker.dim()
        extent = shape[dim] if shape and -count <= dim < count else 1
        start = maker.between(0, extent)
        return [whole, dim, start, maker.between(0, max(extent - start, 0))], {}
    if name == "repeat":
        return [whole, *(maker.between(0, 2) for _ in range(count + maker.between(0, 1)))], {}
    if name == "split_with_sizes" and count:
        first = maker.between(0, shape[0])
        return [whole, [first, shape[0] - first]], {}
    if name == "unflatten" and count:
        return [whole, 0, maker.pick([shape[0], 1], [-1, 1], [1, -1])], {}
    return None
