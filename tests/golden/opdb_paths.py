"""How an entry of PyTorch's operator database is called by name: the database wraps some in functions of its own."""

SEED = 42  # the one that the database's wrappers set
TENSOR_METHODS = (
    "item contiguous sum_to_size expand expand_as to reshape_as view view_as bfloat16 bool byte char double float half int long short "
    "cfloat cdouble new_zeros new_ones new_empty new_empty_strided new_full unfold repeat T H mT mH "
    "__getitem__ __radd__ __rand__ __rdiv__ __rmod__ __rmul__ __ror__ __rpow__ __rsub__ __rxor__ __rmatmul__"
).split()
RANDOM_METHODS = "cauchy exponential geometric log_normal uniform".split()
RANDOM = (
    "randn randn_like rand_like randint randint_like multinomial normal bernoulli empty_strided nn.functional.fractional_max_pool2d "
    "nn.functional.fractional_max_pool3d nn.functional.rrelu nn.functional.dropout nn.functional.dropout2d nn.functional.dropout3d "
    "nn.functional.alpha_dropout nn.functional.feature_alpha_dropout nn.functional.scaled_dot_product_attention "
    "nn.functional.multi_head_attention_forward svd_lowrank pca_lowrank"
).split()
WITHOUT_CONTENTS = "empty empty_like empty_permuted empty_strided new_empty new_empty_strided".split()
PROGRAMS = {  # calls that are no single name: see `programs.py`'s CALLS in evaluate
    "resize_": "call.resized", "resize_as_": "call.resized_as", "zero_": "call.zeroed", "slice": "call.sliced",
    "linalg.lstsq/grad_oriented": "call.lstsq_results", "linalg.pinv/singular": "call.pinv_of_product",
    "svd_lowrank": "call.svd_lowrank_product", "pca_lowrank": "call.pca_lowrank_product",
}  # fmt: skip
MOVED = {  # (place of each of the sample's positional arguments in the call)
    "einsum": (1, 0), "polygamma": (1, 0), "special.polygamma": (1, 0), "nn.functional.embedding": (1, 0),
    "nn.functional.embedding_bag": (1, 0), "where": (1, 0), "normal/number_mean": (1, 0),
}  # fmt: skip
VECTORS = {  # results that are determined up to a sign or a phase, see `evaluate.AFTERWARDS`
    "svd": "svd_in_columns", "linalg.svd": "svd", "linalg.eigh": "eigenvectors", "linalg.eig": "eigen", "linalg.eigvals": "eigenvalues",
    "symeig": "eigenvectors",
}  # fmt: skip
LOOSE = {  # where PyTorch's own approximation is rough: its float64 Bessel and Airy functions, its trigamma
    **{f"special.{name}": {"float64": 1e-6} for name in ("airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1")},
    **{name: {"float32": 1e-4, "float64": 1e-8} for name in ("polygamma", "special.polygamma")},
}


def full_name(op):
    return f"{op.name}/{op.variant_test_name}" if op.variant_test_name else op.name


def path_of(op):
    name = PROGRAMS.get(full_name(op)) or PROGRAMS.get(op.name)
    if name:
        return name
    if op.name in TENSOR_METHODS:
        return f"Tensor.{op.name}"
    if op.name in RANDOM_METHODS or full_name(op) == "normal/in_place":
        return f"Tensor.{op.name}_"
    return f"torch.{op.name}"


def path_for(op, sample):
    """Which of equal elements an index names is open, and halves and integers have many of them: these calls look at values alone."""
    dtype = str(getattr(sample.input, "dtype", ""))
    if op.name in ("topk", "kthvalue", "mode", "sort", "argsort", "msort") and dtype not in ("torch.float32", "torch.float64"):
        if not (sample.kwargs.get("stable") or sample.input.requires_grad and op.name == "argsort"):
            return f"call.{op.name}"
    return path_of(op)


def options_of(op, sample):
    options = {}
    if op.name in RANDOM or op.name in RANDOM_METHODS or full_name(op) == "normal/in_place":
        options["seed"] = SEED
    if op.name in RANDOM_METHODS or full_name(op) == "normal/in_place":
        options["inplace"] = True
    dtype = str(getattr(sample.input, "dtype", "")).removeprefix("torch.")
    if dtype in LOOSE.get(op.name, {}):
        options["tol"] = LOOSE[op.name][dtype]
    if op.name in WITHOUT_CONTENTS:
        options["contents"] = False
    if op.name in VECTORS:
        options["afterwards"] = VECTORS[op.name]
    return options


def arguments_of(op, sample):
    args = [sample.input, *sample.args]
    order = MOVED.get(full_name(op)) or MOVED.get(op.name)
    if order:
        first = [None] * len(order)
        for place, value in zip(order, args):
            first[place] = value
        args = first + args[len(order):]
    return args, sample.kwargs
