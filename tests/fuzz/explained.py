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
    program: str = ""


ANY = ""
TAKEN = "does not raise$"
REFUSED = "^(gradient )?raises$"
VALUES = "^(gradient )?(value|sign of zero)$"
TIES = r"(kthvalue|median|mode|sort|msort|topk|min|max|aminmax|nanmedian)$"
#: Every pattern has to be found; the strides of views are compared exactly.
TABLE = [
    Row(ANY, ANY, ANY, "pywasmtorch has no", "What is not here says so"),
    Row(TAKEN, ANY, r"not implemented for|[Uu]nsupported (ScalarType|dtype)|not supported for|does not support .*(dtype|[Bb]ool|complex|Half|inputs)|NotImplementedError", ANY, "dtypes for which PyTorch has no kernel"),
    Row(TAKEN, ANY, r"derivative for .* is not implemented|automatic differentiation for outputs|ZeroTensor|does not have a device|a proper Tensor|expected scalar type|isFloatingType|must have the same dtype|to have the same dtype|is not differentiable with respect|Autograd not support|returned an invalid gradient|with a bool tensor is not supported|shape '\[0\]' is invalid", ANY, "gradients that PyTorch does not derive"),
    Row(TAKEN, ANY, "FFT error|norm on an empty tensor", ANY, "Fourier transforms and norms of nothing"),
    Row(TAKEN, ANY, "view size is not compatible|not resizable|doesn't match the broadcast shape|Please clone", ANY, "expanded tensors"),
    Row(TAKEN, ANY, r"(out tensor|output) (to have )?(dtype|scalar type)|output tensor to have dtype|dtype of out|must match dtype of result|out tensor must be same dtype|Expected out of dtype|output\.dtype\(\)|Found dtype|can't be cast to the desired output", ANY, "`out=` takes any dtype that the result casts to"),
    Row(TAKEN, ANY, r"TypeError|without overflow|Boolean (alpha|beta)|argument (alpha|beta) must not|as a real number", ANY, "a flag or a number of another kind"),
    Row(ANY, ANY, ANY, r"functions with out=|out=.*automatic differentiation|got an unexpected keyword argument 'out'", "is always refused"),
    Row(ANY, ANY, "functions with out=|unexpected keyword argument 'out'", ANY, "is always refused"),
    Row(REFUSED, ANY, r"\[(\d+, )*0[,\]]", ANY, "A call on no elements may be refused"),
    Row(REFUSED, ANY, ANY, "not implemented for|reshape tensor of 0|at least one dimension is needed|must have the same dtype", "A call on no elements may be refused", r"T\.empty\("),
    Row(TAKEN, "dropout", "a leaf Variable", ANY, "Dropout in place that drops nothing"),
    Row(TAKEN, ANY, "view of a leaf Variable", ANY, "`conj()` and `adjoint()` compute at once", r"conj|adjoint|\.m?H\b"),
    Row(TAKEN, ANY, "ambiguous|length must be non-negative|must be 1 to view|start out of range|because this dimension is empty|have non-zero size|Value of groups:0", ANY, "A call on no elements may be refused"),
    Row(REFUSED, "cum(max|min)|kthvalue|mode|histogram", r"(complex|float16|bfloat16)\w*\[\d*\]", "not implemented for", "so may complex\n  numbers and float16 without dimensions"),
    Row(TAKEN, ANY, "INTERNAL ASSERT|SymInt|split_size=-1", ANY, "What ends in an assertion inside of PyTorch"),
    Row(REFUSED, "take_along_dim|gradient|solve_triangular", ANY, "IndexError|spacing|have the same dtype", "What ends in an assertion inside of PyTorch"),
    Row("^(value|shape|structure)$", "unique_consecutive", ANY, ANY, "`unique_consecutive` takes `return_inverse` by place"),
    Row("^value$", ANY, r"e-08", r"e-17", "Windows are computed in double", "_window"),
    Row("^value$", r"dist$", ANY, "nan", "A norm of the order NaN is NaN", "p=nan"),
    Row("^value$", "histogram", ANY, ANY, "An element between two bins"),
    Row("^dtype$", "hinge_embedding_loss", ANY, ANY, "Losses of integers\n  are float32"),
    Row(REFUSED, "einsum", ANY, "expected scalar type", "`einsum` wants one dtype"),
    Row(REFUSED, "adaptive_avg_pool", r"\[\d+, 1\]", ANY, "A pool to one place"),
    Row("^shape$", "addmv", r"\[\]", ANY, "`addmv` of matrices without columns"),
    Row("^gradient$", "shrink|selu|elu", ANY, ANY, "At NaN PyTorch's gradients"),
    Row("^gradient$", "amin|amax|aminmax|scatter_reduce|renorm", "nan", ANY, "At NaN PyTorch's gradients"),
    Row("^gradient", "renorm", ANY, "nan", "At NaN PyTorch's gradients"),
    Row("^gradient", r"^(\*|digamma|.*\.digamma)$", ANY, "nan|inf", "At poles the value is infinite"),
    Row("^gradient$", "cumprod", "complex", ANY, "of `cumprod` of complex numbers as real ones"),
    Row("^gradient structure$", ANY, r"^\(None\)", ANY, "gradients that PyTorch does not derive", "scatter_?.*reduce="),
    Row("^gradient structure$", "logaddexp", "float16", ANY, "add up in float32 and round once"),
    Row("^value$", r"\.(nansum|nanmean|sum|mean|cov|corrcoef|var|std|norm|dist|var_mean|std_mean|cumsum)$", ANY, ANY, "depends on the\n  order of operations", r"e\+[123]\d|65504"),
    Row("^gradient", r"\.(prod|corrcoef|cond|cov)$", "nan|inf", ANY, "depends on the\n  order of operations"),
    Row("^gradient", r"\.(prod|corrcoef|cond|cov)$", ANY, "nan|inf", "depends on the\n  order of operations"),
    Row("^gradient", r"arccos_?|acos_?", "complex", "nan", "What infinities and NaN become inside"),
    Row("^gradient$", "stft", r"strides \(0", ANY, "expanded tensors"),
    Row("^gradient structure$", ANY, "float16", ANY, "add up in float32 and round once"),
    Row(REFUSED, "fftfreq", ANY, "negative dimension", "`fftfreq` has negative frequencies"),
    Row(TAKEN, r"_$", "a leaf Variable that requires grad", ANY, "A view that was made before its base", r"(?s)= (\w+)\.(unsqueeze|view|select|narrow|expand|transpose|squeeze|reshape|\w*split|diagonal|detach|flatten).*\b\1\.\w+_\("),
    Row(REFUSED, "native_layer_norm", ANY, "expected scalar type", "Statistics of `native_layer_norm`"),
    Row(REFUSED, "as_strided_", ANY, "too large to convert", "What ends in an assertion inside of PyTorch"),
    Row(REFUSED, "max_pool", ANY, "unexpected keyword argument 'return_indices'", "a flag or a number of another kind"),
    Row(REFUSED, r"T\.(add|sub)$", ANY, "invalid combination", "a flag or a number of another kind", r"\((True|False),"),
    Row(REFUSED, "[gs]etitem", r"None|\[(\d+, )*0[,\]]", "out of bounds", "A call on no elements may be refused"),
    Row("^value$", "addbmm_", "nan", "inf", "depends on the\n  order of operations"),
    Row(REFUSED, "addbmm_", ANY, "broadcast shape", "`addbmm_` resizes"),
    Row(REFUSED, "inner|einsum", r"bool\[", "not implemented for", "`inner` and `einsum` of bools"),
    Row(REFUSED, "conv", ANY, "is too large|bias type", "A convolution wants"),
    Row(REFUSED, r"linalg\.eig", "nan", "infs or NaNs", "`linalg.eig` refuses"),
    Row(REFUSED, r"\.pad$", ANY, "wrapping around more than once", "Circular padding goes round"),
    Row(REFUSED, r"\.normal$", ANY, "normal_kernel_cpu", "a flag or a number of another kind"),
    Row(TAKEN, "cov$", "view of a leaf", ANY, "overwrites a weight without dimensions"),
    Row(TAKEN, ANY, "undefined Tensor|uninitialized", ANY, "What ends in an assertion inside of PyTorch"),
    Row(TAKEN, "lstsq", ANY, ANY, "`linalg.lstsq` solves by one"),
    Row(TAKEN, ANY, "must be a scalar tensor", ANY, "a flag or a number of another kind"),
    Row("^value$", "threshold_?$", "int8", ANY, "Conversions that C leaves undefined"),
    Row("^value$", "trapezoid|diff$", ANY, ANY, "Conversions that C leaves undefined", r"9223372036854775807|-9223372036854775808"),
    Row("^value$", "histc", ANY, ANY, "An element between two bins"),
    Row("^value$", r"norm$", ANY, ANY, "depends on the\n  order of operations", r"\d{8,}"),
    Row("^value$", "dist$", ANY, "inf", "depends on the\n  order of operations", r"p=\d{8,}"),
    Row("^value$", "var_mean|std_mean", "nan", "inf", "depends on the\n  order of operations", "inf"),
    Row("^value$", r"norm$", ANY, ANY, "depends on the\n  order of operations", r"e-[23]\d|e\+[23]\d"),
    Row("^value$", r"addm[mv]_?$", "nan", "inf", "depends on the\n  order of operations", "=-?inf"),
    Row("^value$", r"\.(hfft|tan|ldexp_|double|arccosh|float_power)$", "float64", ANY, "within 2 units in the last place", "float32|int64|bool|T.tensor\\(\\["),
    Row("^gradient$", r"ldexp|^\*$", ANY, ANY, "The gradient of `ldexp`", "ldexp"),
    Row("^gradient", r"prod$", "complex", ANY, "of `cumprod` of complex numbers as real ones", r"dtype=T\.float"),
    Row("^gradient", "index_reduce", "nan", ANY, "At NaN PyTorch's gradients"),
    Row("^gradient", "svdvals", ANY, ANY, "Eigenvectors and singular vectors may differ"),
    Row("^gradient", r"^(\*\*|.*\.add|.*\.i1e?|.*log_ndtr)$", ANY, "nan|inf", "At poles the value is infinite"),
    Row("^gradient", r"\.(nan)?quantile$", ANY, ANY, "Which of several equal values"),
    Row("^shape$", "addmv|normal", ANY, ANY, "A call on no elements may be refused", r"T\.empty\("),
    Row(REFUSED, r"cum(sum|prod)_$|nansum", r"bool\[\]", "can't be cast", "a flag or a number of another kind"),
    Row(REFUSED, "as_strided_", ANY, "setStorage", "What ends in an assertion inside of PyTorch"),
    Row(REFUSED, "scatter|index_fill", ANY, "without overflow", "A call on no elements may be refused", r"T\.empty\("),
    Row(REFUSED, "adaptive_avg_pool", ANY, r"not implemented for 'Complex|Expected \dD or", "A pool to one place"),
    Row(REFUSED, "fractional_max_pool", "-inf", "too large relative", "What ends in an assertion inside of PyTorch"),
    Row(REFUSED, "mse_loss", "complex", "not implemented for", "so may complex\n  numbers"),
    Row(REFUSED, r"linalg\.cond", "nan", "non-finite", "What infinities and NaN become inside"),
    Row(REFUSED, "matrix_rank", ANY, "square matrices", "A call on no elements may be refused", r"T\.empty\("),
    Row(REFUSED, "vecdot", ANY, "Dimension out of range", "What ends in an assertion inside of PyTorch"),
    Row(REFUSED, "broadcast_to", ANY, "must be tuple of ints", "a flag or a number of another kind"),
    Row(REFUSED, "tensordot", r"bool\[", "not implemented for", "`inner` and `einsum` of bools"),
    Row(REFUSED, ANY, ANY, "view of a leaf", "A pixel shuffle by 1", "pixel_(un)?shuffle"),
    Row("structure", "result_type", "complex32", "complex64", "There is no complex32"),
    Row(TAKEN, "index_fill|multilabel|normal", ANY, ANY, "A call on no elements may be refused", r"T\.empty\("),
    Row(TAKEN, r"svd$", "failed to converge", "nan", "What infinities and NaN become inside"),
    Row(TAKEN, "fftfreq", ANY, ANY, "`fftfreq` has negative frequencies", "out="),
    Row(TAKEN, "tensorsolve", "max_size", ANY, "What ends in an assertion inside of PyTorch"),
    Row(TAKEN, r"\.where|heaviside|logcumsumexp", "Expected out type|different dtypes|expected scalar_type", ANY, "`out=` takes any dtype that the result casts to", "out="),
    Row(TAKEN, r"\.(chunk|narrow|arange)$", "split_size|integral Tensor|inconsistent with step", ANY, "a flag or a number of another kind"),
    Row(TAKEN, "scaled_dot_product", "no dimensions", ANY, "a flag or a number of another kind"),
    Row("^gradient does not raise$", ANY, "In-place elu|grad_input must be contiguous|singular", ANY, "gradients that PyTorch does not derive"),
    Row("^value$", r"\.add_?$", r"bool\[", ANY, "A factor of bools", "alpha="),
    Row("^gradient$", r"\.(var|std)$", ANY, ANY, "The gradient of `var` over `dim=[]`", r"\[\]"),
    Row("^value$", "mean$", "complex", ANY, "depends on the\n  order of operations", "9223372036854775807"),
    Row("^gradient$", r"diagflat|log_ndtr|i1e?$|psi|getitem", "nan|e[+]1", "inf|nan|0", "At poles the value is infinite"),
    Row("^value$", "interpolate", ANY, ANY, "The gradient of an antialiased `interpolate`", "antialias=True"),
    Row("^value$", "bernoulli", ANY, ANY, "`bernoulli` draws in the order", "out="),
    Row("^value$", r"(elu|celu|hardtanh)_?$", ANY, ANY, "At NaN PyTorch's gradients", "nan|inf|min_val"),
    Row("^value$", "cov$", ANY, ANY, "overwrites a weight without dimensions", "weights="),
    Row("^value$", "fftfreq", ANY, ANY, "`fftfreq` has negative frequencies", "out="),
    Row("^gradient", "cumprod", "float16", ANY, "depends on the\n  order of operations"),
    Row("^shape$", "conv", ANY, ANY, "A call on no elements may be refused", r"T\.empty\("),
    Row(REFUSED, "grid_sample", ANY, "unknown interpolation", "What ends in an assertion inside of PyTorch"),
    Row(REFUSED, "instance_norm", ANY, r"mixed dtype|mean\(\)", "Statistics of `instance_norm`"),
    Row(REFUSED, "linear$", ANY, "must have the same dtype", "`linear` wants a bias"),
    Row(TAKEN, "vecdot", "inconsistent tensor size", ANY, "`linalg.vecdot` broadcasts"),
    Row(TAKEN, "det$", "singular", ANY, "The gradient of `det` at a matrix"),
    Row("^gradient does not raise$", "det$", "singular", ANY, "The gradient of `det` at a matrix"),
    Row("^value$", "put_?$", ANY, ANY, "depend on the order of its loops"),
    Row("^value$", "isin$", ANY, ANY, "`isin` compares what it is given", "assume_unique"),
    Row(REFUSED, ANY, ANY, "with a bool tensor is not supported|must be int, not Tensor", "a flag or a number of another kind"),
    Row("^gradient$", "polar", ANY, ANY, "At NaN PyTorch's gradients"),
    Row(REFUSED, r"\.to$|add|sub", ANY, "Boolean alpha only|to\\(\\) received an invalid", "a flag or a number of another kind"),
    Row("^gradient raises$", ANY, r"\(None", "derivative for .* is not implemented", "Results without a derivative do not require grad"),
    Row("^gradient structure$", ANY, "inf.*nan|nan.*inf", ANY, "At poles the value is infinite"),
    Row("^gradient structure$", r"linalg\.eigh|eigvalsh", ANY, "nan", "Eigenvectors and singular vectors may differ"),
    Row(REFUSED, ANY, ANY, "refers to a single memory location|multiple views", "refuse overlapping windows"),
    Row(REFUSED, "index_reduce", "complex|bool", "not implemented for", "`index_reduce` refuses complex numbers"),
    Row("error type", ANY, ANY, ANY, "A call that is wrong in two ways"),
    Row("requires_grad", ANY, ANY, ANY, "Results without a derivative do not require grad"),
    Row("^gradient$", "gamma|psi|^\\*$", r"e\+[1-3]\d", "inf", "At poles the value is infinite"),
    Row("^value$", TIES, ANY, ANY, "Which of several equal values"),
    Row(VALUES, r"linalg\.(eig|svd|eigh|eigvals)|^(T)?\.svd|pinverse|pinv|lstsq", ANY, ANY, "Eigenvectors and singular vectors may differ"),
    Row(VALUES, r"\.(\w*solve\w*|inv\w*|lu\w*|\w*det|cholesky\w*|householder_product|orgqr|ormqr|qr|geqrf|matrix_(rank|power|exp)|tensorinv|ldl\w+|cond)$", ANY, ANY, "Factorizations and solves compute in double"),
    Row(VALUES, r"gamma", ANY, r"inf|nan", "At poles the value is infinite"),
    Row(VALUES, r"bessel", ANY, ANY, "Bessel functions have their true values"),
    Row(VALUES, r"polynomial|fft|conv|interpolate|upsample|grid_sample|istft|stft|pool|norm|margin_loss|matmul|cumprod|trapez|softmax|cov|corrcoef|tensordot|linear|einsum|inner|mm$|mv$|dot$|addr$", "inf|nan", ANY, "depends on the\n  order of operations"),
    Row(VALUES, r"polynomial|fft|conv|interpolate|upsample|grid_sample|istft|stft|pool|norm|margin_loss|matmul|cumprod|trapez|softmax|cov|corrcoef|tensordot|linear|einsum|inner|mm$|mv$|dot$|addr$", ANY, "inf|nan", "depends on the\n  order of operations"),
    Row("^gradient", "interpolate|upsample", ANY, ANY, "The gradient of an antialiased `interpolate`"),
    Row("^gradient$", "ldexp", ANY, ANY, "The gradient of `ldexp`"),
    Row("stride", r"adjoint|mH|\.H", "complex", ANY, "`conj()` and `adjoint()` compute at once"),
    Row(VALUES, "airy|kaiser", ANY, ANY, "Bessel functions have their true values"),
    Row("^gradient", r"\*\*|pow|logaddexp|norm|distance|dist", "nan|inf", ANY, "At poles the value is infinite"),
    Row(VALUES, r"gcd|lcm", ANY, ANY, "take the least integer for what it is"),
    Row(VALUES, r"\.(int|long|short|char|byte|to|type|new_\w+)$|\bT\.(range|arange|linspace)|\.(sum|cumsum|cumprod|prod)$", ANY, ANY, "Conversions that C leaves undefined"),
    Row(VALUES, r"acos|expm1|pow|\*\*|log|sqrt|tan|sinh|cosh|exp", "complex", ANY, "Complex functions have the values of C's Annex G"),
    Row("^gradient (raises|error type)", ANY, ANY, "modified by an inplace operation", "A tensor that is changed in place"),
    Row("^gradient", ANY, "modified by an inplace operation", ANY, "gradients that PyTorch does not derive"),
    Row("^gradient raises", ANY, ANY, "grid_sampler_backward|embedding_bag.*is not implemented", "Second derivatives exist where PyTorch has them"),
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
    chosen = difference.target == "getitem" and re.search(r"dtype=T\.(int|bool|uint8)|\[\[|\[\(.*\[", program.text())
    if difference.kind == "gradient stride" or difference.kind == "value" and difference.target == ".stride" or difference.kind == "stride" and (chosen or not VIEWS.search(difference.target)):
        return STRIDES
    for row in TABLE:
        texts = (difference.kind, difference.target, difference.theirs, difference.ours)
        if all(re.search(pattern, text) for pattern, text in zip(row, texts)) and (not row.program or re.search(row.program, program.text())):
            return row.statement
    return ""
