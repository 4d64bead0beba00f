"""Differences that docs/differences.md states: each row ends with words of the statement."""

from __future__ import annotations

import re
from typing import Any, NamedTuple


class Row(NamedTuple):
    kind: str
    target: str
    theirs: str
    ours: str
    statement: str


ANY = ""
TAKEN = "does not raise$"
REFUSED = "^(gradient )?raises$"
VALUES = "^(gradient )?(value|sign of zero)$"
TIES = r"(kthvalue|median|mode|sort|msort|topk|min|max|aminmax|nanmedian)$"
#: Every pattern has to be found; the strides of views are compared exactly.
TABLE = [
    Row(ANY, ANY, ANY, "pywasmtorch has no", "What is not here says so"),
    Row(TAKEN, ANY, r"not implemented for|[Uu]nsupported ScalarType|not supported for|does not support .*(dtype|[Bb]ool|complex|Half|inputs)|NotImplementedError", ANY, "dtypes for which PyTorch has no kernel"),
    Row(TAKEN, ANY, r"derivative for .* is not implemented|automatic differentiation for outputs|ZeroTensor|does not have a device|a proper Tensor|expected scalar type|isFloatingType", ANY, "gradients that PyTorch does not derive"),
    Row(TAKEN, ANY, "FFT error|norm on an empty tensor", ANY, "Fourier transforms and norms of nothing"),
    Row(TAKEN, ANY, "view size is not compatible|not resizable|doesn't match the broadcast shape|Please clone", ANY, "expanded tensors"),
    Row(TAKEN, ANY, r"(out tensor|output) (to have )?dtype|Found dtype|can't be cast to the desired output", ANY, "`out=` takes any dtype that the result casts to"),
    Row(TAKEN, ANY, r"TypeError|without overflow|Boolean (alpha|beta)|argument (alpha|beta) must not|as a real number", ANY, "a flag or a number of another kind"),
    Row(ANY, ANY, ANY, r"functions with out=|out=.*automatic differentiation|got an unexpected keyword argument 'out'", "is always refused"),
    Row(ANY, ANY, "functions with out=|unexpected keyword argument 'out'", ANY, "is always refused"),
    Row(REFUSED, ANY, r"\[(\d+, )*0[,\]]", ANY, "A call on no elements may be refused"),
    Row(REFUSED, ANY, ANY, "refers to a single memory location|multiple views", "refuse overlapping windows"),
    Row(REFUSED, "index_reduce", "complex|bool", "not implemented for", "`index_reduce` refuses complex numbers"),
    Row("error type", ANY, ANY, ANY, "A call that is wrong in two ways"),
    Row("requires_grad", ANY, ANY, ANY, "Results without a derivative do not require grad"),
    Row("^gradient$", "gamma|^\\*$", r"e\+[1-3]\d", "inf", "At poles the value is infinite"),
    Row("^value$", TIES, ANY, ANY, "Which of several equal values"),
    Row(VALUES, r"linalg\.(eig|svd|eigh|eigvals)|^(T)?\.svd|pinverse|pinv|lstsq", ANY, ANY, "Eigenvectors and singular vectors may differ"),
    Row(VALUES, r"\.(\w*solve\w*|inv\w*|lu\w*|\w*det|cholesky\w*|householder_product|orgqr|ormqr|qr|geqrf|matrix_(rank|power|exp)|tensorinv|ldl\w+|cond)$", ANY, ANY, "Factorizations and solves compute in double"),
    Row(VALUES, r"gamma", ANY, r"inf|nan", "At poles the value is infinite"),
    Row(VALUES, r"bessel", ANY, ANY, "Bessel functions have their true values"),
    Row(VALUES, r"polynomial|fft|conv|interpolate|upsample|grid_sample|istft|stft|pool|norm|margin_loss|matmul|cumprod|trapez|softmax|cov|corrcoef", "inf|nan", ANY, "depends on the\n  order of operations"),
    Row(VALUES, r"polynomial|fft|conv|interpolate|upsample|grid_sample|istft|stft|pool|norm|margin_loss|matmul|cumprod|trapez|softmax|cov|corrcoef", ANY, "inf|nan", "depends on the\n  order of operations"),
    Row("^gradient", "interpolate|upsample", ANY, ANY, "The gradient of an antialiased `interpolate`"),
    Row("^gradient$", "ldexp", ANY, ANY, "The gradient of `ldexp`"),
    Row("stride", r"adjoint|mH|\.H", "complex", ANY, "`conj()` and `adjoint()` compute at once"),
    Row(VALUES, "airy|kaiser", ANY, ANY, "Bessel functions have their true values"),
    Row("^gradient", r"\*\*|pow|logaddexp|norm|distance|dist", "nan|inf", ANY, "At poles the value is infinite"),
    Row(VALUES, r"gcd|lcm", ANY, ANY, "take the least integer for what it is"),
    Row(VALUES, r"\.(int|long|short|char|byte|to|type|new_\w+)$|\bT\.(sum|range|arange|linspace)|\.sum", ANY, ANY, "Conversions that C leaves undefined"),
    Row(VALUES, r"acos|expm1|pow|\*\*|log|sqrt|tan|sinh|cosh|exp", "complex", ANY, "Complex functions have the values of C's Annex G"),
    Row("^gradient (raises|error type)", ANY, ANY, "modified by an inplace operation", "A tensor that is changed in place"),
    Row("^gradient", ANY, "modified by an inplace operation", ANY, "gradients that PyTorch does not derive"),
    Row("^gradient raises", "grid_sampl|embedding_bag", ANY, "is not implemented", "Second derivatives exist where PyTorch has them"),
    Row("sign of zero", ANY, ANY, ANY, "The sign of a zero"),
    Row("dtype", "native_layer_norm", ANY, ANY, "Statistics of `native_layer_norm`"),
]
VIEWS = re.compile(
    r"\.(transpose|t|mT|T|H|mH|permute|movedim|moveaxis|swapaxes|swapdims|expand|expand_as|select|narrow|unsqueeze|squeeze|diagonal|view|view_as|unfold|as_strided|unbind|split|chunk|detach"
    r"|unflatten|flatten|ravel|reshape|hsplit|vsplit|dsplit|tensor_split|split_with_sizes|broadcast_to|real|view_as_real|view_as_complex|adjoint)\??$|^getitem$"
)
STRIDES = "operators do not always keep it"


def reason(program: Any, difference: Any) -> str:
    """Words of docs/differences.md that state the difference, or none."""
    if difference.kind == "gradient stride" or difference.kind == "stride" and not VIEWS.search(difference.target):
        return STRIDES
    for row in TABLE:
        texts = (difference.kind, difference.target, difference.theirs, difference.ours)
        if all(re.search(pattern, text) for pattern, text in zip(row, texts)):
            return row.statement
    return ""
