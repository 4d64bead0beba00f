"""Losses: every reduction, weights, ignored targets, smoothing, class probabilities, errors."""

from ..dsl import FLOATS, LAYOUTS, T, call

F = "torch.nn.functional"
REDUCTIONS = ("mean", "sum", "none")


def cases():
    yield from elementwise()
    yield from binary()
    yield from nll()
    yield from cross_entropy()
    yield from others()


def elementwise():
    for op in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss"):
        for reduction in REDUCTIONS:
            for dtype in FLOATS:
                yield call(f"{F}.{op}", T(dtype, (3, 4), grad=True), T(dtype, (3, 4), grad=True, seed=5), reduction=reduction)
            yield call(f"{F}.{op}", T("float32", (3, 1), grad=True), T("float32", (4,), grad=True, seed=5), reduction=reduction)
            yield call(f"{F}.{op}", T("float32", (0, 3), grad=True), T("float32", (0, 3)), reduction=reduction)
        for layout in LAYOUTS:
            yield call(f"{F}.{op}", T("float32", (3, 4), layout=layout, grad=True), T("float32", (3, 4), seed=5))
        yield call(f"{F}.{op}", T("float32", (), grad=True), T("float32", (), seed=5))
        yield call(f"{F}.{op}", T("float32", (3,)), T("float32", (4,))).raises(RuntimeError, "3", "4")
        yield call(f"{F}.{op}", T("float32", (3,)), T("float32", (3,)), reduction="avg").raises(ValueError, "avg")
    yield call(f"{F}.mse_loss", T("float32", (3,), grad=True), T("float64", (3,)))
    yield call(f"{F}.mse_loss", T("int64", (3,)), T("int64", (3,))).may_raise()
    for beta in (0.5, 2.0):
        yield call(f"{F}.smooth_l1_loss", T("float32", (3, 4), grad=True), T("float32", (3, 4), seed=5), beta=beta)
        yield call(f"{F}.huber_loss", T("float32", (3, 4), grad=True), T("float32", (3, 4), seed=5), delta=beta)


def binary():
    for reduction in REDUCTIONS:
        for dtype in FLOATS:
            target = T(dtype, (3, 4), "unit", seed=5)
            yield call(f"{F}.binary_cross_entropy", T(dtype, (3, 4), "unit", grad=True), target, reduction=reduction)
            yield call(
                f"{F}.binary_cross_entropy",
                T(dtype, (3, 4), "unit", grad=True),
                target,
                T(dtype, (4,), "positive"),
                reduction=reduction,
            )
            yield call(f"{F}.binary_cross_entropy_with_logits", T(dtype, (3, 4), grad=True), target, reduction=reduction)
            yield call(
                f"{F}.binary_cross_entropy_with_logits",
                T(dtype, (3, 4), grad=True), target, T(dtype, (4,), "positive"), reduction=reduction, pos_weight=T(dtype, (4,), "positive", seed=2),
            )  # fmt: skip
    ends = T("float32", (4,), [0.0, 1.0, 0.0, 1.0])
    yield call(f"{F}.binary_cross_entropy", T("float32", (4,), [0.0, 1.0, 1.0, 0.0], grad=True), ends, reduction="none")
    yield call(
        f"{F}.binary_cross_entropy_with_logits",
        T("float32", (4,), [-1000.0, 1000.0, 1000.0, -1000.0], grad=True),
        ends,
        reduction="none",
    )
    yield call(f"{F}.binary_cross_entropy", T("float32", (2,), [0.5, 1.5]), T("float32", (2,))).raises(
        RuntimeError, "between 0 and 1"
    )
    yield call(f"{F}.binary_cross_entropy", T("float32", (2,), "unit"), T("float32", (3,), "unit")).raises(
        ValueError, "[2]", "[3]"
    )
    yield call(f"{F}.binary_cross_entropy_with_logits", T("float32", (2,)), T("float32", (3,))).raises(ValueError, "[2]", "[3]")
    yield call(f"{F}.binary_cross_entropy", T("float32", (0,), grad=True), T("float32", (0,)))


TARGETS = [2, 0, 1, 1, 3]


def nll():
    target = T("int64", (5,), TARGETS)
    for reduction in REDUCTIONS:
        for dtype in FLOATS:
            yield call(f"{F}.nll_loss", T(dtype, (5, 4), grad=True), target, reduction=reduction)
            yield call(f"{F}.nll_loss", T(dtype, (5, 4), grad=True), target, T(dtype, (4,), "positive"), reduction=reduction)
        yield call(f"{F}.nll_loss", T("float32", (5, 4), grad=True), target, ignore_index=1, reduction=reduction)
        yield call(
            f"{F}.nll_loss",
            T("float32", (5, 4), layout="transposed", grad=True),
            T("int64", (5,), [-100, 0, -100, 1, 3]),
            reduction=reduction,
        )
        yield call(
            f"{F}.nll_loss", T("float32", (2, 4, 3), grad=True), T("int64", (2, 3), [0, 1, 2, 3, 3, 0]), reduction=reduction
        )
        yield call(
            f"{F}.nll_loss",
            T("float32", (2, 3, 2, 2), grad=True),
            T("int64", (2, 2, 2), [0, 1, 2, 0, 0, 1, 2, 2]),
            T("float32", (3,), "positive"),
            reduction=reduction,
        )
        yield call(f"{F}.nll_loss", T("float32", (4,), grad=True), T("int64", (), [2]), reduction=reduction)
        yield call(f"{F}.nll_loss", T("float32", (0, 4), grad=True), T("int64", (0,)), reduction=reduction)
    yield call(f"{F}.nll_loss", T("float32", (2, 4), grad=True), T("int64", (2,), -100))
    yield call(f"{F}.nll_loss", T("float32", (2, 4)), T("int64", (2,), [0, 4])).raises(IndexError, "4", "out of bounds")
    yield call(f"{F}.nll_loss", T("float32", (2, 4)), T("int64", (2,), [0, -1])).raises(IndexError, "-1", "out of bounds")
    yield call(f"{F}.nll_loss", T("float32", (2, 4)), T("int64", (3,), [0, 1, 1])).raises(ValueError, "2", "3")
    yield call(f"{F}.nll_loss", T("float32", (2, 4)), T("float32", (2,))).raises(RuntimeError, "Long", "Float")
    yield call(f"{F}.nll_loss", T("float32", (2, 4)), T("int64", (2,), 0), T("float32", (3,))).raises(RuntimeError, "weight", "4")


def cross_entropy():
    target = T("int64", (5,), TARGETS)
    for reduction in REDUCTIONS:
        for smoothing in (0.0, 0.1, 1.0):
            for weight in (None, T("float32", (4,), "positive")):
                yield call(
                    f"{F}.cross_entropy",
                    T("float32", (5, 4), grad=True),
                    target,
                    weight,
                    reduction=reduction,
                    label_smoothing=smoothing,
                )
                yield call(
                    f"{F}.cross_entropy",
                    T("float32", (5, 4), grad=True),
                    T("float32", (5, 4), "unit", grad=True),
                    weight,
                    reduction=reduction,
                    label_smoothing=smoothing,
                )
            yield call(
                f"{F}.cross_entropy",
                T("float64", (5, 4), grad=True),
                target,
                ignore_index=1,
                reduction=reduction,
                label_smoothing=smoothing,
            )
        yield call(
            f"{F}.cross_entropy",
            T("float32", (2, 4, 3), grad=True),
            T("int64", (2, 3), [0, 1, 2, 3, 3, -100]),
            reduction=reduction,
        )
        yield call(f"{F}.cross_entropy", T("float32", (4,), grad=True), T("int64", (), [2]), reduction=reduction)
        yield call(f"{F}.cross_entropy", T("float32", (0, 4), grad=True), T("int64", (0,)), reduction=reduction)
    for layout in LAYOUTS:
        yield call(f"{F}.cross_entropy", T("float32", (5, 4), layout=layout, grad=True), target)
    big = [1000.0, -1000.0, 0.0, 500.0, -1e30, 1e30, 0.0, 1.0]
    yield call(f"{F}.cross_entropy", T("float32", (2, 4), big, grad=True), T("int64", (2,), [0, 2]))
    yield call(f"{F}.cross_entropy", T("float32", (2, 4), grad=True), T("int64", (2,), -100))
    yield call(f"{F}.cross_entropy", T("float32", (33, 10), grad=True), T("int64", (33,), [k % 10 for k in range(33)]))
    yield call(f"{F}.cross_entropy", T("float32", (2, 4)), T("int64", (2,), [0, 4])).raises(IndexError, "4", "out of bounds")
    yield call(f"{F}.cross_entropy", T("float32", (2, 4)), T("int64", (3,), [0, 1, 1])).raises(ValueError, "2", "3")
    yield call(f"{F}.cross_entropy", T("float32", (2, 4)), T("int32", (2,), [0, 1])).may_raise()
    yield call(f"{F}.cross_entropy", T("float32", (2, 4)), target, label_smoothing=1.5).may_raise()


def others():
    for reduction in (*REDUCTIONS, "batchmean"):
        for log_target in (False, True):
            target = T("float32", (3, 4), "unit", grad=True, seed=5)
            yield call(f"{F}.kl_div", T("float32", (3, 4), grad=True), target, reduction=reduction, log_target=log_target)
    zeros = T("float32", (4,), [0.0, 0.25, 0.75, 0.0])
    yield call(f"{F}.kl_div", T("float32", (4,), grad=True), zeros, reduction="sum")
    signs = T("float32", (3,), [1.0, -1.0, 1.0])
    for reduction in REDUCTIONS:
        a, b = T("float32", (3,), grad=True), T("float32", (3,), grad=True, seed=4)
        yield call(f"{F}.margin_ranking_loss", a, b, signs, margin=0.5, reduction=reduction)
        yield call(f"{F}.hinge_embedding_loss", a, signs, reduction=reduction)
        yield call(f"{F}.soft_margin_loss", a, signs, reduction=reduction)
        yield call(f"{F}.poisson_nll_loss", a, T("float32", (3,), "positive"), reduction=reduction)
        yield call(f"{F}.gaussian_nll_loss", a, b, T("float32", (3,), "positive", grad=True), reduction=reduction)
        rows = [T("float32", (3, 4), grad=True, seed=s) for s in range(3)]
        yield call(f"{F}.triplet_margin_loss", *rows, reduction=reduction)
        yield call(f"{F}.cosine_embedding_loss", rows[0], rows[1], signs, reduction=reduction)
