"""Arguments that go together, by family: what a schema does not say. Each maker gives positional arguments and named ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from .program import Raw, Ref
from .values import COMPLEX, FLOATS, Maker

Made = "tuple[list[Any], dict[str, Any]]"
FAMILIES: list[tuple[re.Pattern[str], Callable[[Maker, str], Any]]] = []


#: Where infinities and NaN reach, depends on the algorithm.
SUMS_OF_PRODUCTS = re.compile(
    r"linalg|fft|i?stft|conv|interpolate|upsample|grid|chain|det|inverse|slogdet|logdet|pinverse|svd|qr|lu|orm|org|cholesky|matrix|geqrf|triangular|householder|trapezoid|cov|corrcoef|scaled_dot|instance_norm|batch_norm"
)


def family(pattern: str) -> Callable[[Any], Any]:
    def register(maker: Callable[[Maker, str], Any]) -> Callable[[Maker, str], Any]:
        FAMILIES.append((re.compile(pattern), maker))
        return maker

    return register


def made(maker: Maker, name: str) -> Any:
    short = re.sub(r"^T\.(Tensor\.|nn\.functional\.)?", "", name)
    if SUMS_OF_PRODUCTS.match(short):
        maker.special = False
    for pattern, builder in FAMILIES:
        if pattern.fullmatch(short):
            return builder(maker, short)
    return None


def some(maker: Maker, **options: Any) -> dict[str, Any]:
    """Each of the named arguments, or its default."""
    return {name: value for name, value in options.items() if maker.chance(0.35)}


def ints(maker: Maker, count: int, low: int, high: int) -> Any:
    values = [maker.between(low, high) for _ in range(count)]
    return values[0] if maker.chance(0.5) else values


def extents(maker: Maker, least: int, most: int) -> list[int]:
    return [maker.between(least, most) for _ in range(maker.between(0, 2))]


def dims_in(name: str) -> int:
    return int(re.findall(r"[123](?=d)", name)[-1])


def size_of_same_count(maker: Maker, name: str) -> list[int]:
    if name.endswith(("expand", "broadcast_to")):
        return [*extents(maker, 1, 2), *(-1 if maker.chance(0.4) else n for n in maker.shape)]
    count, size = 1, []
    for extent in maker.shape:
        count *= extent
    divisor = maker.random.choice([n for n in range(1, count + 1) if count % n == 0] or [0])
    size = [divisor, count // divisor] if divisor else [0, 3]
    return [-1 if n == 0 and maker.chance(0.4) else extent for n, extent in enumerate(size)]


def index(maker: Maker) -> Any:
    """What stands in brackets."""

    def part(extent: int) -> Any:
        kind = maker.between(0, 8)
        if kind <= 1:
            return maker.between(-extent, extent - 1) if extent and maker.chance(0.9) else 7
        if kind <= 3:
            start, stop = (maker.pick(Raw("None"), maker.between(-4, 4)) for _ in range(2))
            return Raw(f"slice({getattr(start, 'text', start)}, {getattr(stop, 'text', stop)}, {maker.pick('None', 1, 2, 3, -1 if maker.chance(0.1) else 2)})")
        if kind == 4:
            return Raw("None")
        if kind == 5:
            return Raw("...")
        if kind == 6:
            return [maker.between(-extent, max(extent - 1, 0)) for _ in range(maker.between(0, 3))]
        if kind == 7:
            return maker.tensor(maker.like(maker.shape[:1]), maker.pick("int64", "int64", "uint8", "int32"), 0, max(extent - 1, 0))
        return maker.pick(True, False, maker.tensor([extent], "bool"))

    if maker.chance(0.1):
        return maker.tensor(maker.shape[: maker.between(0, 4)], "bool")
    parts = [part(extent) for extent in [*maker.shape, *([1] if maker.chance(0.1) else [])]][: maker.between(1, 4)]
    return parts[0] if len(parts) == 1 else tuple(parts)


@family(r"conv[123]d|conv_transpose[123]d|convolution|conv_tbc")
def convolution(maker: Maker, name: str) -> Any:
    maker.dtype = maker.floating()
    if name == "conv_tbc":
        channels, out, width = maker.between(1, 3), maker.between(1, 3), maker.between(1, 3)
        return [maker.tensor([maker.between(1, 5), 2, channels]), maker.tensor([width, channels, out]), maker.tensor([out]), maker.between(0, 2)], {}
    count = maker.between(1, 3) if name == "convolution" else dims_in(name)
    transposed = "transpose" in name or name == "convolution" and maker.chance(0.4)
    groups, inner, outer = maker.pick(1, 1, 1, 2, 3), maker.between(1, 2), maker.between(1, 3)
    batch = [] if maker.chance(0.15) and name != "convolution" else [maker.between(0, 2) if maker.chance(0.3) else 2]
    space = [maker.between(1, 7 if count < 3 else 4) for _ in range(count)]
    kernel = [maker.between(1, 3) for _ in range(count)]
    weight = [groups * inner, outer, *kernel] if transposed else [groups * outer, inner, *kernel]
    args: list[Any] = [maker.tensor([*batch, groups * inner, *space]), maker.tensor(weight), maker.maybe(maker.tensor([groups * outer]))]
    padding = maker.pick("same", "valid") if maker.chance(0.15) and not transposed else ints(maker, count, 0, 2)
    if name == "convolution":
        def many(low: int, high: int) -> list[int]:
            return [maker.between(low, high) for _ in range(count)]

        return [*args, many(1, 3), many(0, 2), many(1, 2), transposed, many(0, 1) if transposed else [0] * count, groups], {}
    options = some(maker, stride=ints(maker, count, 1, 3), padding=padding, dilation=ints(maker, count, 1, 2), **({"output_padding": ints(maker, count, 0, 1)} if transposed else {}))
    return args, {**options, **({"groups": groups} if groups > 1 else {})}


def pooled(maker: Maker, count: int, least: int = 2) -> Ref:
    maker.dtype = maker.random.choice(FLOATS) if maker.dtype in COMPLEX and maker.chance(0.9) else maker.dtype
    return maker.tensor([*([] if maker.chance(0.25) else [maker.between(1, 2)]), maker.between(1, 3), *(maker.between(least, 8 if count < 3 else 5) for _ in range(count))])


@family(r"(max|avg|lp)_pool[123]d(_with_indices)?")
def pool(maker: Maker, name: str) -> Any:
    count = dims_in(name)
    value = pooled(maker, count)
    kernel = ints(maker, count, 1, 3)
    options = some(maker, stride=ints(maker, count, 1, 3), ceil_mode=maker.chance(0.5))
    if name.startswith("lp"):
        return [value, maker.pick(1, 2, 3.0), kernel], options
    options |= some(maker, padding=ints(maker, count, 0, 1))
    if name.startswith("max"):
        options |= some(maker, dilation=ints(maker, count, 1, 2), **({"return_indices": maker.chance(0.5)} if "with" not in name else {}))
    elif count > 1:
        options |= some(maker, count_include_pad=maker.chance(0.5), divisor_override=maker.pick(1, 3, Raw("None")))
    return [value, kernel], options


@family(r"adaptive_(max|avg)_pool[123]d(_with_indices)?")
def adaptive(maker: Maker, name: str) -> Any:
    count = dims_in(name)
    return [pooled(maker, count), ints(maker, count, 1, 4)], {}


@family(r"fractional_max_pool[23]d(_with_indices)?")
def fractional(maker: Maker, name: str) -> Any:
    count = dims_in(name)
    value = pooled(maker, count, 4)
    shape = maker.tensors[value.name].shape
    samples = maker.tensor([*(shape[:1] if len(shape) > count + 1 else [1]), shape[-count - 1], count], maker.tensors[value.name].dtype, 0.05, 0.95)
    return [value, 2], {"output_size": ints(maker, count, 1, 2), "_random_samples": samples}


@family(r"max_unpool[123]d")
def unpool(maker: Maker, name: str) -> Any:
    count = dims_in(name)
    value = pooled(maker, count)
    shape = maker.tensors[value.name].shape
    return [value, maker.tensor(shape, "int64", 0, 3), maker.pick(2, [2] * count)], some(maker, stride=2, padding=0)


@family(r"(batch|instance|layer|group|rms|local_response)_norm|native_(layer|group)_norm")
def normalization(maker: Maker, name: str) -> Any:
    maker.dtype = maker.random.choice(FLOATS) if maker.dtype in COMPLEX else maker.floating()
    shape = [maker.between(1, 3), maker.pick(2, 4), *extents(maker, 1, 4)]
    value, channels = maker.tensor(shape), [shape[1]]
    eps = {"eps": maker.pick(1e-3, 0.1, 0.0)} if maker.chance(0.3) else {}
    if name in ("layer_norm", "rms_norm", "native_layer_norm"):
        tail = shape[-maker.between(1, len(shape)) :]
        args = [value, tail, maker.maybe(maker.tensor(tail))]
        if name == "rms_norm":
            return args, eps
        return [*args, maker.maybe(maker.tensor(tail)), *([1e-5] if name.startswith("native") else [])], eps if not name.startswith("native") else {}
    if name == "group_norm":
        return [value, maker.pick(1, 2, 3), maker.maybe(maker.tensor(channels)), maker.maybe(maker.tensor(channels))], eps
    if name == "native_group_norm":
        rest = 1
        for extent in shape[2:]:
            rest *= extent
        return [value, maker.maybe(maker.tensor(channels)), maker.maybe(maker.tensor(channels)), shape[0], shape[1], rest, maker.pick(1, 2), 1e-5], {}
    if name == "local_response_norm":
        return [value, maker.between(1, 4)], some(maker, alpha=0.5, beta=0.25, k=2.0)
    grads, maker.grads = maker.grads, 0
    running = [maker.tensor(channels), maker.tensor(channels, None, 0.5, 3)] if maker.chance(0.6) else [Raw("None"), Raw("None")]
    maker.grads = grads
    options = some(maker, weight=maker.tensor(channels), bias=maker.tensor(channels), momentum=maker.pick(0.5, 0.0, 1.0)) | eps
    if name == "batch_norm":
        options |= some(maker, training=maker.chance(0.7))
    else:
        options |= some(maker, use_input_stats=maker.chance(0.8))
    return [value, *running], options


@family(r"embedding|embedding_bag|one_hot")
def embedding(maker: Maker, name: str) -> Any:
    rows = maker.between(1, 5)
    maker.dtype = maker.random.choice(FLOATS)
    if name == "one_hot":
        return [maker.tensor(maker.shape, "int64", 0, rows - 1)], some(maker, num_classes=maker.pick(rows, -1, 7))
    weight = maker.tensor([rows, maker.between(0, 3)])
    options = some(maker, padding_idx=maker.between(-rows, rows - 1), scale_grad_by_freq=maker.chance(0.5))
    if maker.chance(0.1):
        options["max_norm"] = 1.0
    if name == "embedding":
        return [maker.tensor(maker.shape, maker.pick("int64", "int32"), 0, rows - 1), weight], options
    options |= some(maker, mode=maker.pick("sum", "mean", "max"), include_last_offset=maker.chance(0.3))
    if maker.chance(0.5):
        return [maker.tensor([maker.between(1, 3), maker.between(1, 3)], "int64", 0, rows - 1), weight], options
    last = 4 if "include_last_offset" in options else maker.between(0, 4)
    return [maker.tensor([4], "int64", 0, rows - 1), weight, Raw(f"T.tensor([0, {last}])")], options


REDUCED = r"(l1|mse|smooth_l1|huber|soft_margin|poisson_nll|kl_div|binary_cross_entropy|binary_cross_entropy_with_logits|hinge_embedding|gaussian_nll|kl_div)(_loss)?"


@family(REDUCED)
def pairs(maker: Maker, name: str) -> Any:
    maker.dtype = maker.floating()
    unit = name == "binary_cross_entropy"
    value = maker.tensor(maker.shape, None, *((0, 1) if unit else ()))
    other = maker.tensor(maker.shape if maker.chance(0.85) else maker.like(maker.shape), None, *((0, 1) if unit or maker.chance(0.3) else ()))
    options = some(maker, reduction=maker.pick("none", "mean", "sum", "sum" if maker.chance(0.9) else "x"))
    if name == "gaussian_nll_loss":
        return [value, other, maker.tensor(maker.like(maker.shape), None, 0.1, 3)], options | some(maker, full=True, eps=0.5)
    if "binary" in name:
        options |= some(maker, weight=maker.tensor(maker.like(maker.shape), None, 0.1, 2))
    if name.endswith("logits"):
        options |= some(maker, pos_weight=maker.tensor(maker.like(maker.shape), None, 0.1, 2))
    extra = {"poisson_nll_loss": {"log_input": maker.chance(0.5), "full": maker.chance(0.5)}, "kl_div": {"log_target": maker.chance(0.5)}, "huber_loss": {"delta": maker.pick(0.5, 2.0, 0.0)},
             "smooth_l1_loss": {"beta": maker.pick(0.0, 0.5, 2.0)}, "hinge_embedding_loss": {"margin": 0.5}}  # fmt: skip
    return [value, other], options | some(maker, **extra.get(name, {}))


@family(r"(nll|cross_entropy|multi_margin|multilabel_margin|multilabel_soft_margin|nll_loss2d|nll_loss_nd)(_loss)?")
def classes(maker: Maker, name: str) -> Any:
    maker.dtype = maker.random.choice(FLOATS)
    count = maker.between(1, 5)
    batch = [] if maker.chance(0.2) else [maker.between(0 if maker.chance(0.1) else 1, 3)]
    tail = extents(maker, 1, 3) if batch and name in ("nll_loss", "cross_entropy") and maker.chance(0.4) else []
    value = maker.tensor([*batch, count, *tail])
    options = some(maker, reduction=maker.pick("none", "mean", "sum"))
    weight = maker.tensor([count], None, 0.1, 2)
    if name.startswith("multilabel"):
        target = maker.tensor([*batch, count], *(("int64", -1, count - 1) if "soft" not in name else (None, 0, 1)))
        return [value, target], options | (some(maker, weight=weight) if "soft" in name else {})
    target = maker.tensor([*batch, *tail], "int64", 0, count - 1)
    if name == "cross_entropy":
        if maker.chance(0.25):
            target = maker.tensor([*batch, count, *tail], None, 0, 1)
        return [value, target], options | some(maker, weight=weight, label_smoothing=maker.pick(0.1, 0.5), ignore_index=maker.between(-1, count))
    if name == "multi_margin_loss":
        return [value, target], options | some(maker, p=maker.pick(1, 2), margin=0.5, weight=weight)
    return [value, target], options | some(maker, weight=weight, ignore_index=maker.between(-1, count))


@family(r"ctc_loss")
def ctc(maker: Maker, name: str) -> Any:
    steps, batch, count, length = maker.between(2, 6), maker.between(1, 3), maker.between(2, 4), maker.between(1, 3)
    maker.dtype = maker.pick("float32", "float64")
    value = maker.tensor([steps, batch, count], None, -3, -0.1)
    return [value, maker.tensor([batch, length], "int64", 1, count - 1), tuple([steps] * batch), tuple(maker.between(0, length) for _ in range(batch))], some(
        maker, reduction=maker.pick("none", "sum", "mean"), zero_infinity=True
    ) if name else {}


@family(r"(margin_ranking|cosine_embedding|triplet_margin)_loss|cosine_similarity|pairwise_distance|pdist|cdist")
def distances(maker: Maker, name: str) -> Any:
    maker.dtype = maker.random.choice(FLOATS)
    shape = [maker.between(1, 4), maker.between(1, 4)]
    if name == "pdist":
        return [maker.tensor(shape)], some(maker, p=maker.pick(0.0, 1.0, 2.0, 3.5, Raw("inf")))
    if name == "cdist":
        batch = extents(maker, 1, 2)
        return [maker.tensor([*batch, *shape]), maker.tensor([*batch, maker.between(1, 4), shape[1]])], some(maker, p=maker.pick(0.0, 1.0, 2.0, 3.5, Raw("inf")))
    if name == "cosine_similarity":
        return [maker.tensor(maker.shape), maker.tensor(maker.like(maker.shape))], some(maker, dim=maker.dim(), eps=0.5)
    if name == "pairwise_distance":
        return [maker.tensor(shape), maker.tensor(shape)], some(maker, p=maker.pick(1.0, 2.0, 0.0), keepdim=True)
    reduction = some(maker, reduction=maker.pick("none", "sum", "mean"), margin=0.5)
    if name == "triplet_margin_loss":
        return [maker.tensor(shape) for _ in range(3)], reduction | some(maker, swap=True, p=1)
    target = maker.tensor(shape[:1], maker.pick(maker.dtype, "int64"), 0, 1)
    if name == "cosine_embedding_loss":
        return [maker.tensor(shape), maker.tensor(shape), target], reduction
    return [maker.tensor(shape[:1]), maker.tensor(shape[:1]), target], reduction


@family(r"linear|bilinear")
def linear(maker: Maker, name: str) -> Any:
    maker.dtype = maker.floating()
    batch, n, m, out = extents(maker, 0, 3), maker.between(0 if maker.chance(0.1) else 1, 4), maker.between(1, 4), maker.between(1, 4)
    if name == "linear":
        return [maker.tensor([*batch, n]), maker.tensor([out, n] if maker.chance(0.9) else [n]), maker.maybe(maker.tensor([out]))], {}
    return [maker.tensor([*batch, n]), maker.tensor([*batch, m]), maker.tensor([out, n, m]), maker.maybe(maker.tensor([out]))], {}


@family(r"pad|constant_pad_nd")
def pad(maker: Maker, name: str) -> Any:
    mode = maker.pick("constant", "reflect", "replicate", "circular") if name == "pad" else "constant"
    count = maker.between(1, 3)
    shape = maker.shape if mode == "constant" else [*([2] if maker.chance(0.6) else []), 2, *(maker.between(2, 4) for _ in range(count))]
    amounts = [maker.between(-1, 2) for _ in range(2 * (min(count, len(shape)) if maker.chance(0.95) else 5))]
    if mode != "constant" and maker.chance(0.9):
        return [maker.tensor(shape), amounts, mode], {}
    return [maker.tensor(shape), amounts], some(maker, value=maker.number())


@family(r"interpolate|upsample(_\w+)?")
def interpolate(maker: Maker, name: str) -> Any:
    mode = maker.pick("nearest", "linear", "bilinear", "bicubic", "trilinear", "area", "nearest-exact")
    count = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}.get(mode, maker.between(1, 3))
    if name == "upsample_bilinear":
        count = 2
    maker.dtype = maker.random.choice([*FLOATS, "uint8"])
    value = maker.tensor([maker.between(1, 2), maker.between(1, 2), *(maker.between(1, 4) for _ in range(count))])
    size = {"size": ints(maker, count, 1, 6)} if maker.chance(0.5) else {"scale_factor": maker.pick(2, 0.5, 1.5, 3, [1.25] * count, 2.5)}
    if name.startswith("upsample_"):
        return [value], size
    options = some(maker, align_corners=maker.chance(0.5)) if "linear" in mode or mode == "bicubic" else {}
    if name == "interpolate":
        options |= some(maker, recompute_scale_factor=maker.chance(0.5))
        if mode in ("bilinear", "bicubic") and maker.chance(0.2):
            options["antialias"] = True
    return [value], {**size, "mode": mode, **options}


@family(r"grid_sample|affine_grid|fold|unfold|pixel_(un)?shuffle|channel_shuffle|grid_sampler(_[23]d)?|im2col|col2im")
def grids(maker: Maker, name: str) -> Any:
    maker.dtype = maker.random.choice(FLOATS)
    count = maker.pick(2, 2, 3)
    space = [maker.between(1, 4) for _ in range(count)]
    if name == "grid_sample":
        grid = maker.tensor([2, *(maker.between(1, 3) for _ in range(count)), count], None, -1.3, 1.3)
        mode = maker.pick("bilinear", "nearest", "bicubic")
        return [maker.tensor([2, 2, *space]), grid], some(maker, mode=mode, padding_mode=maker.pick("zeros", "border", "reflection"), align_corners=maker.chance(0.5))
    if name.startswith("grid_sampler"):
        count = int(name[-2]) if name[-1] == "d" else count
        grid = maker.tensor([2, *(maker.between(1, 3) for _ in range(count)), count], None, -1.3, 1.3)
        return [maker.tensor([2, 2, *(maker.between(1, 4) for _ in range(count))]), grid, maker.between(0, 2), maker.between(0, 2), maker.chance(0.5)], {}
    if name == "affine_grid":
        return [maker.tensor([2, count, count + 1]), [2, 1, *space]], some(maker, align_corners=maker.chance(0.5))
    if name == "unfold" and maker.chance(0.5):
        return None
    if name == "unfold":
        return [maker.tensor([*maker.pick([], [2]), 2, maker.between(3, 5), maker.between(3, 5)]), ints(maker, 2, 1, 3)], some(maker, dilation=ints(maker, 2, 1, 2), padding=ints(maker, 2, 0, 1), stride=ints(maker, 2, 1, 2))
    if name == "fold":
        return [maker.tensor([*maker.pick([], [2]), 2 * 4, 9]), [4, 4], 2], {}
    if name == "channel_shuffle":
        return [maker.tensor([2, 4, *space]), maker.pick(1, 2, 4, 3)], {}
    if "pixel" in name:
        return [maker.tensor([*extents(maker, 1, 2), 4, 2, 4]), maker.pick(1, 2)], {}
    return None


@family(r"scaled_dot_product_attention")
def attention(maker: Maker, name: str) -> Any:
    maker.dtype = maker.random.choice(FLOATS)
    batch, length, source, width = extents(maker, 1, 3), maker.between(1, 4), maker.between(1, 4), maker.between(1, 4)
    args = [maker.tensor([*batch, length, width]), maker.tensor([*batch, source, width]), maker.tensor([*batch, source, maker.between(1, 4)])]
    mask = maker.tensor([length, source], maker.pick("bool", maker.dtype))
    return args, {"attn_mask": mask} if maker.chance(0.4) else some(maker, is_causal=True, scale=0.5)


@family(r"(gru|lstm|rnn_tanh|rnn_relu)(_cell)?")
def cells(maker: Maker, name: str) -> Any:
    if not name.endswith("cell"):
        return None
    maker.dtype = maker.random.choice(FLOATS)
    gates = {"gru_cell": 3, "lstm_cell": 4}.get(name, 1)
    size, hidden, batch = maker.between(1, 3), maker.between(1, 3), maker.between(1, 3)
    state = maker.tensor([batch, hidden])
    args = [maker.tensor([batch, size]), [state, maker.tensor([batch, hidden])] if gates == 4 else state, maker.tensor([gates * hidden, size]), maker.tensor([gates * hidden, hidden])]
    return [*args, *([maker.tensor([gates * hidden]), maker.tensor([gates * hidden])] if maker.chance(0.6) else [])], {}


@family(r"(add)?(mm|bmm|mv|r|bmm|baddbmm|dot)_?|(mm|bmm|mv|dot|vdot|ger|outer|inner|matmul|baddbmm|kron|linalg\.(matmul|vecdot|multi_dot)|chain_matmul|tensordot|einsum)_?")
def products(maker: Maker, name: str) -> Any:
    kind = name.rstrip("_").replace("linalg.", "")
    maker.mixed = maker.mixed and maker.chance(0.2)
    n, k, m, b = (maker.between(0 if maker.chance(0.1) else 1, 4) for _ in range(4))
    tensor, factors = maker.tensor, some(maker, beta=maker.number(), alpha=maker.number())
    matrices = {"mm": ([n, k], [k, m]), "bmm": ([b, n, k], [b, k, m]), "mv": ([n, k], [k]), "dot": ([n], [n]), "vdot": ([n], [n]), "ger": ([n], [m]), "outer": ([n], [m])}
    if kind in matrices:
        return [tensor(shape) for shape in matrices[kind]], {}
    sums = {"addmm": ([n, m], [n, k], [k, m]), "addbmm": ([n, m], [b, n, k], [b, k, m]), "baddbmm": ([b, n, m], [b, n, k], [b, k, m]), "addmv": ([n], [n, k], [k]), "addr": ([n, m], [n], [m])}
    if kind in sums:
        first, *rest = sums[kind]
        return [tensor(maker.like(first) if not name.endswith("_") else first), *map(tensor, rest)], factors
    if kind in ("multi_dot", "chain_matmul"):
        chain = [tensor([n, k]), tensor([k, m]), tensor([m, b])]
        return ([chain] if kind == "multi_dot" else chain), {}
    if kind == "einsum":
        text, shapes = maker.pick(("ij,jk->ik", ([n, k], [k, m])), ("bij,bjk->bik", ([b, n, k], [b, k, m])), ("ii->i", ([n, n],)), ("ij->", ([n, m],)), ("i,j->ij", ([n], [m])), ("...i,...i->...", ([b, n], [b, n])), ("ij,ij", ([n, k], [n, k])))  # fmt: skip
        return [text, *map(tensor, shapes)], {}
    if kind == "tensordot":
        return [tensor([n, k, m]), tensor([k, m, b])], {"dims": maker.pick(([1, 2], [0, 1]), 2, ([1], [0]))}
    if kind == "matmul":
        left, right = maker.pick(([n, k], [k, m]), ([b, n, k], [k, m]), ([k], [k]), ([k], [b, k, m]), ([b, n, k], [k]), ([b, 1, n, k], [2, k, m]), ([n, k], [b, k, m]))
        return [tensor(left), tensor(right)], {}
    return [tensor(maker.shape), tensor(maker.like(maker.shape))], {}


@family(r"gather|take_along_dim|scatter(_add|_reduce)?_?|index_(select|add|copy|fill|reduce|put)_?|take|put_?|masked_(fill|scatter|select)_?|select_scatter|slice_scatter|diagonal_scatter|bucketize|searchsorted")
def indexed(maker: Maker, name: str) -> Any:
    kind, shape = name.rstrip("_"), maker.shape if maker.chance(0.2) else maker.some_shape(1)
    dim, tensor = maker.dim(len(shape)), maker.tensor
    extent = shape[dim] if shape and -len(shape) <= dim < len(shape) else 1
    low, high = (0, max(extent - 1, 0)) if maker.chance(0.9) else (-1, extent)
    smaller = [maker.between(0 if maker.chance(0.1) else 1, max(n, 1)) for n in shape]
    if shape and -len(shape) <= dim < len(shape):
        smaller[dim] = maker.between(0, 5)
    whole = tensor(shape)
    if kind in ("gather", "take_along_dim"):
        return [whole, *([tensor(smaller, "int64", low, high), dim] if kind != "gather" else [dim, tensor(smaller, maker.pick("int64", "int64", "int32"), low, high)])], {}
    if kind.startswith("scatter"):
        index, source = tensor(smaller, "int64", low, high), tensor(smaller) if maker.chance(0.7) else maker.number()
        if kind == "scatter_reduce":
            return [whole, dim, index, source, maker.pick("sum", "prod", "mean", "amax", "amin")], some(maker, include_self=maker.chance(0.5))
        return [whole, dim, index, source], some(maker, reduce=maker.pick("add", "multiply")) if kind == "scatter" and maker.chance(0.3) else {}
    if kind.startswith("index_") and kind != "index_put":
        count = maker.between(0, 4)
        index = tensor([count], maker.pick("int64", "int64", "int32"), low, high)
        part = [*shape]
        if part and -len(shape) <= dim < len(shape):
            part[dim] = count
        if kind == "index_fill":
            return [whole, dim, index, maker.number() if maker.chance(0.7) else tensor([])], {}
        extra = {"index_select": [], "index_reduce": [tensor(part), maker.pick("prod", "mean", "amax", "amin")]}.get(kind)
        return [whole, dim, index, *(extra if extra is not None else [tensor(part)])], some(maker, alpha=maker.number()) if kind == "index_add" else {}
    numel = 1
    for n in shape:
        numel *= n
    if kind == "index_put":
        return [whole, (tensor([2], "int64", 0, max((shape or [1])[0] - 1, 0)),), tensor([])], some(maker, accumulate=True)
    if kind in ("take", "put"):
        index = tensor(maker.like(shape), "int64", -numel if maker.chance(0.3) else 0, max(numel - 1, 0))
        return [whole, index, *([tensor(maker.tensors[index.name].shape)] if kind == "put" else [])], some(maker, accumulate=True) if kind == "put" else {}
    if kind.startswith("masked"):
        mask = tensor(maker.like(shape), "bool")
        return [whole, mask, *({"masked_fill": [maker.number() if maker.chance(0.7) else tensor([])], "masked_scatter": [tensor([numel])]}.get(kind, []))], {}
    if kind == "select_scatter":
        return [whole, tensor([n for at, n in enumerate(shape) if at != dim % max(len(shape), 1)]), dim, low], {}
    if kind in ("bucketize", "searchsorted"):
        edges = Raw("T.tensor([-2, 0, 1, 1, 3])")
        return [whole, edges] if kind == "bucketize" else [edges, whole], some(maker, right=maker.chance(0.5), out_int32=True)
    return None
