"""Products of vectors, matrices and batches, and einsum."""

from ..dsl import FLOATS, HALVES, INTEGERS, LAYOUTS, Name, T, call

NAN = float("nan")
INF = float("inf")
MATRIX_SIZES = [
    (1, 1, 1),
    (2, 3, 4),
    (4, 4, 4),
    (5, 1, 3),
    (1, 7, 1),
    (8, 8, 8),
    (3, 17, 5),
    (17, 3, 9),
    (13, 16, 33),
    (0, 3, 2),
    (2, 0, 3),
    (2, 3, 0),
]


def cases():
    yield from matrices()
    yield from batches()
    yield from broadcasting()
    yield from additions()
    yield from vectors()
    yield from einsum()
    yield from sums()
    yield from norms()
    yield from distances()
    yield from errors()


def pair(left, right, dtype="float32", layout="contiguous", other="contiguous", grad=True):
    grad = grad and dtype in FLOATS
    return T(dtype, left, layout=layout, grad=grad), T(dtype, right, layout=other, grad=grad, seed=7)


def matrices():
    for m, k, n in MATRIX_SIZES:
        yield call("torch.mm", *pair((m, k), (k, n)))
        yield call("torch.matmul", *pair((m, k), (k, n), "float64"))
        yield call("torch.nn.functional.linear", *pair((m, k), (n, k)), T("float32", (n,), grad=True, seed=3))
    for left in ["contiguous", *LAYOUTS]:
        for right in ["contiguous", *LAYOUTS]:
            yield call("torch.mm", *pair((3, 5), (5, 4), layout=left, other=right))
            yield call("operator.matmul", *pair((6, 5), (5, 7), "float64", left, right))
    for dtype in (*INTEGERS, *HALVES):
        yield call("torch.mm", *pair((3, 4), (4, 5), dtype))
        yield call("torch.matmul", *pair((2, 3, 4), (4, 5), dtype))
    for numbers in ([NAN, 0.0, 1.0, 2.0], [INF, 0.0, -INF, 1.0], [0.0, 0.0, 0.0, 0.0]):
        yield call("torch.mm", T("float32", (2, 2), numbers), T("float32", (2, 2), [0.0, 1.0, 2.0, INF]))
    yield call("torch.mm", *pair((2, 3), (3, 2), grad=False), out=T("float32", (2, 2)))
    yield call("torch.mm", *pair((2, 3), (3, 2), grad=False), out=T("float32", (2, 2), layout="transposed"))


def batches():
    for b, m, k, n in [(1, 2, 3, 4), (3, 2, 3, 4), (2, 5, 1, 5), (0, 2, 3, 4), (2, 3, 0, 4), (4, 9, 8, 7)]:
        yield call("torch.bmm", *pair((b, m, k), (b, k, n)))
    for left in LAYOUTS:
        yield call("torch.bmm", *pair((3, 4, 5), (3, 5, 2), layout=left))
        yield call("torch.bmm", *pair((3, 4, 5), (3, 5, 2), "float64", other=left))
    yield call("torch.bmm", *pair((2, 3, 4), (2, 4, 2), "int64"))
    yield call("torch.bmm", *pair((2, 3, 4), (2, 4, 2), "bfloat16"))
    yield call("torch.baddbmm", T("float32", (2, 3, 1), grad=True), *pair((2, 3, 4), (2, 4, 5)), beta=0.5, alpha=2)
    yield call("torch.baddbmm", T("float32", (5,), grad=True), *pair((2, 3, 4), (2, 4, 5)))


def broadcasting():
    sizes = [
        ((3,), (3,)), ((3,), (3, 2)), ((2, 3), (3,)), ((2, 2, 3), (3,)), ((3,), (2, 3, 4)), ((2, 1, 3, 4), (5, 4, 2)), ((1, 3, 4), (2, 4, 5)),
        ((2, 3, 4), (4, 5)), ((3, 4), (2, 4, 5)), ((2, 3, 2, 3), (2, 1, 3, 2)), ((0, 2, 3), (3, 4)), ((2, 0), (0,)), ((0,), (0,)),
        ((1, 1, 2, 3), (4, 5, 3, 1)), ((5, 1), (1,)), ((1,), (1, 5)), ((2, 3, 4, 5), (5,)),
    ]  # fmt: skip
    for left, right in sizes:
        yield call("torch.matmul", *pair(left, right))
        yield call("operator.matmul", *pair(left, right, "float64", "stepped"))
    yield call("torch.matmul", *pair((2, 3, 4), (2, 4, 3), layout="expanded", other="transposed"))


def additions():
    for bias in [(2, 4), (4,), (1, 4), (2, 1), (), (1,)]:
        for beta, alpha in ((1, 1), (0.5, -2), (0, 1)):
            yield call("torch.addmm", T("float32", bias, grad=True), *pair((2, 3), (3, 4)), beta=beta, alpha=alpha)
    yield call("torch.addmm", T("float32", (2, 4), NAN), *pair((2, 3), (3, 4)), beta=0)
    yield call(
        "torch.addmm",
        T("float64", (2, 4), layout="transposed", grad=True),
        *pair((2, 3), (3, 4), "float64", "transposed", "stepped"),
    )
    yield call("torch.addmm", T("int64", (4,)), *pair((2, 3), (3, 4), "int64"), beta=2, alpha=3)
    yield call("Tensor.addmm_", T("float32", (2, 4), layout="transposed"), *pair((2, 3), (3, 4), grad=False))
    yield call("torch.addmv", T("float32", (2,), grad=True), *pair((2, 3), (3,)), beta=0.5, alpha=2)
    yield call("torch.addr", T("float32", (2, 3), grad=True), *pair((2,), (3,)), beta=0.5, alpha=2)
    for bias in (None, T("float32", (5,), grad=True, seed=2)):
        for size in ((4,), (3, 4), (2, 3, 4), (0, 4)):
            yield call("torch.nn.functional.linear", *pair(size, (5, 4)), bias)
    yield call("torch.nn.functional.linear", *pair((2, 3, 4), (5, 4), layout="transposed", other="stepped"), None)
    yield call("torch.nn.functional.linear", *pair((2, 4), (5, 4), "bfloat16"), T("bfloat16", (5,)))


def vectors():
    for count in (0, 1, 5, 33):
        yield call("torch.dot", *pair((count,), (count,)))
        yield call("torch.inner", *pair((count,), (count,), "float64"))
        yield call("torch.mv", *pair((3, count), (count,)))
        yield call("torch.outer", *pair((count,), (4,)))
    yield call("torch.dot", *pair((5,), (5,), "int64"))
    yield call("torch.dot", *pair((5,), (5,), "float32", "stepped", "stepped"))
    yield call("torch.outer", *pair((3,), (4,), "int32"))
    yield call("torch.outer", *pair((3,), (4,), "float64", "stepped"))
    yield call("torch.inner", *pair((2, 3), (4, 3)))
    yield call("torch.kron", *pair((2, 3), (2, 2)))
    yield call("torch.tensordot", *pair((2, 3, 4), (3, 4, 5)), 2)
    yield call("torch.tensordot", *pair((2, 3, 4), (4, 2, 5)), ([0, 2], [1, 0]))
    yield call("torch.linalg.cross", *pair((2, 3), (2, 3)))
    yield call("torch.trace", T("float32", (3, 4), grad=True))
    yield call("torch.chain_matmul", T("float32", (2, 3)), T("float32", (3, 4)), T("float32", (4, 2)))
    yield call("torch.linalg.multi_dot", [T("float32", (2, 3), grad=True), T("float32", (3, 4)), T("float32", (4, 2))])
    yield call("torch.matrix_power", T("float32", (3, 3), grad=True), 3)
    yield call("torch.vdot", *pair((3,), (3,)))
    for p in (2.0, 1.0):
        yield call("torch.cdist", *pair((4, 3), (5, 3)), p)


def einsum():
    table = [
        ("ij,jk->ik", (2, 3), (3, 4)), ("ij,jk", (2, 3), (3, 4)), ("ij,kj->ik", (2, 3), (4, 3)), ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
        ("i,i->", (4,), (4,)), ("i,j->ij", (3,), (4,)), ("ij,ij->ij", (2, 3), (2, 3)), ("ij,ij->i", (2, 3), (2, 3)), ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4)),
        ("...ij,...jk->...ik", (2, 1, 3, 4), (5, 4, 2)), ("ij,j->i", (2, 3), (3,)), ("abc,cd->abd", (2, 3, 4), (4, 2)), ("ik,jk->ji", (2, 3), (4, 3)), (" i j , j k -> i k ", (2, 3), (3, 4)),
        ("ab,cd->abcd", (2, 2), (2, 2)), ("ij,ji->", (3, 2), (2, 3)), ("...i,...i->...", (2, 3), (2, 3)),
    ]  # fmt: skip
    for equation, left, right in table:
        yield call("torch.einsum", equation, *pair(left, right))
    for equation, size in [
        ("ii->i", (3, 3)),
        ("ii->", (3, 3)),
        ("ij->ji", (2, 3)),
        ("ij->", (2, 3)),
        ("ijk->ki", (2, 3, 4)),
        ("...ij->...ji", (2, 3, 4)),
        ("ji", (2, 3)),
        ("ij->i", (2, 3)),
        ("iij->j", (2, 2, 3)),
    ]:
        yield call("torch.einsum", equation, T("float32", size, grad=True))
    yield call("torch.einsum", "ij,jk,kl->il", *pair((2, 3), (3, 4)), T("float32", (4, 2), grad=True))
    yield call("torch.einsum", "ij,jk->ik", [T("float32", (2, 3)), T("float32", (3, 4))])
    yield call("torch.einsum", "i,i->i", T("int64", (3,)), T("int64", (3,)))
    for equation in ("ij,jk->iz", "ij->ij,", "ij,jk", "i", "ij->ijj", "i1->i"):
        yield call("torch.einsum", equation, T("float32", (2, 3))).raises(RuntimeError, "einsum")
    yield call("torch.einsum", "ij,jk->ik", *pair((2, 3), (4, 5))).raises(RuntimeError, "einsum")


def sums():
    for bias in [(2, 3, 5), (3, 1), (5,), ()]:
        for beta, alpha in ((1, 1), (0.5, -2), (0, 3)):
            yield call("torch.baddbmm", T("float64", bias, grad=True), *pair((2, 3, 4), (2, 4, 5), "float64", "transposed"), beta=beta, alpha=alpha)
    for bias in [(3, 5), (5,), ()]:
        for beta, alpha in ((1, 1), (0.5, -2), (0, 3)):
            yield call("torch.addbmm", T("float64", bias, grad=True), *pair((2, 3, 4), (2, 4, 5), "float64", other="transposed"), beta=beta, alpha=alpha)
            yield call("torch.addr", T("float64", bias, grad=True), *pair((3,), (5,), "float64", "stepped"), beta=beta, alpha=alpha)
    for bias in [(3,), (1,), ()]:
        yield call("torch.addmv", T("float64", bias, grad=True), *pair((3, 4), (4,), "float64", "transposed"), beta=2, alpha=-0.5)
    yield call("torch.baddbmm", T("float32", (2, 3, 5), NAN), *pair((2, 3, 0), (2, 0, 5)), beta=0)
    yield call("torch.addbmm", T("float32", (3, 5)), *pair((0, 3, 4), (0, 4, 5)))
    yield call("torch.baddbmm", T("int64", (5,)), *pair((2, 3, 4), (2, 4, 5), "int64"), beta=2, alpha=3)
    yield call("torch.addr", T("bool", (2, 3)), T("bool", (2,)), T("bool", (3,)))
    yield call("torch.addr", T("int64", (2, 3)), T("float32", (2,)), T("int32", (3,)))
    yield call("Tensor.baddbmm_", T("float32", (2, 3, 5)), *pair((2, 3, 4), (2, 4, 5), grad=False), alpha=2)
    yield call("Tensor.addbmm_", T("float32", (3, 5)), *pair((2, 3, 4), (2, 4, 5), grad=False), beta=0.5)
    yield call("Tensor.addmv_", T("float32", (3,)), *pair((3, 4), (4,), grad=False), alpha=2)
    yield call("Tensor.addr_", T("float32", (3, 4)), *pair((3,), (4,), grad=False), beta=3)
    yield call("torch.addr", T("int64", (2, 3)), T("int64", (2,)), T("int64", (3,)), beta=0.5).raises(RuntimeError, "beta")
    yield call("torch.baddbmm", T("float64", (5,)), *pair((2, 3, 4), (2, 4, 5))).raises(RuntimeError, "double", "float")
    yield call("torch.addbmm", T("float32", (5,)), *pair((2, 3, 4), (3, 4, 5))).raises(RuntimeError, "2", "3")
    yield call("torch.addmv", T("float32", (3,)), *pair((2, 3), (3,))).raises(RuntimeError, "2x3")
    yield call("torch.inner", *pair((3,), (2, 4, 3)))
    yield call("torch.inner", *pair((), (2, 3)))
    yield call("torch.inner", *pair((2, 3), (4, 4))).raises(RuntimeError, "[2, 3]", "[4, 4]")
    yield call("torch.kron", *pair((2,), (3, 2), "float64"))
    yield call("torch.tensordot", *pair((2, 3), (4, 5)), 0)
    yield call("torch.tensordot", *pair((2, 1), (2, 3)), ([0, 1], [0, 1]))
    yield call("torch.tensordot", *pair((2, 3), (4, 5)), 1).raises(RuntimeError, "3", "4")
    yield call("torch.linalg.cross", *pair((1, 3), (5, 3), "float64"))
    yield call("torch.linalg.cross", *pair((2, 4), (2, 4))).raises(RuntimeError, "3", "4")
    yield call("torch.cross", *pair((3, 4), (3, 4)), dim=0)
    for size in ((3,), (2, 3), (2, 2, 3)):
        lead = size[:-1]
        yield call("torch.nn.functional.bilinear", *pair(size, (*lead, 4)), T("float32", (5, 3, 4), grad=True), T("float32", (5,), grad=True))
    yield call("torch.nn.functional.bilinear", *pair((2, 3), (2, 4)), T("float32", (5, 4, 4))).raises(RuntimeError, "3", "4")
    yield call("torch.linalg.multi_dot", [T("float32", (9,), grad=True), T("float32", (9, 2)), T("float32", (2, 8)), T("float32", (8,))])
    yield call("torch.linalg.multi_dot", [T("float32", (2, 3)), T("float32", (4, 5))]).raises(RuntimeError, "[2, 3]", "[4, 5]")
    for n in (0, 1, 2, 5):
        yield call("torch.matrix_power", T("float64", (2, 3, 3)), n)
    yield call("torch.einsum", "cb...,...bbbd->cd", *pair((2, 2), (2, 2, 2, 2)))
    yield call("torch.einsum", T("float32", (5, 2, 3), grad=True), [..., 0, 1], T("float32", (3, 4), grad=True), [1, 2], [2, ..., 0])
    yield call("torch.einsum", "ij,ik->jk", *pair((1, 3), (4, 2)))
    yield call("torch.einsum", "ab,ab,bc->ac", *pair((2, 3), (2, 3)), T("float32", (3, 4), grad=True))


def norms():
    for order in ("fro", 1, -1, INF, -INF):
        for dim in ((-2, -1), (2, 0)):
            yield call("torch.linalg.matrix_norm", T("float64", (2, 3, 4), "distinct", grad=True), order, dim)
        yield call("torch.linalg.norm", T("float64", (3, 4), "distinct", grad=True), order, keepdim=True)
    yield call("torch.linalg.norm", T("float32", (2, 3, 4), grad=True))
    yield call("torch.linalg.norm", T("float32", (2, 3, 4), grad=True), 3, 1)
    yield call("torch.linalg.vector_norm", T("float32", (2, 3)), dtype=Name("float64"))
    yield call("torch.linalg.vector_norm", T("int64", (2, 3))).raises(RuntimeError, "Long")
    yield call("torch.linalg.vector_norm", T("float64", (2, 3)), dtype=Name("float32")).raises(RuntimeError, "Double", "Float")
    yield call("torch.linalg.matrix_norm", T("float32", (3,))).raises(RuntimeError, "2 dimensions")
    yield call("torch.linalg.matrix_norm", T("float32", (3, 4)), "foo").raises(RuntimeError, "foo")
    yield call("torch.linalg.norm", T("float32", (2, 3, 4)), 2).raises(RuntimeError, "3D")
    yield call("torch.linalg.vecdot", *pair((2, 3), (2, 3)))


def distances():
    for p in (0.0, 1.0, 1.5, 2.0, 3.0, INF):
        yield call("torch.cdist", *pair((4, 3), (6, 3), "float64"), p)
    yield call("torch.cdist", *pair((2, 1, 4, 3), (3, 5, 3), "float64", "transposed"))
    yield call("torch.cdist", *pair((30, 4), (27, 4), "float64"), compute_mode="donot_use_mm_for_euclid_dist")
    yield call("torch.cdist", *pair((0, 3), (5, 3)))
    yield call("torch.cdist", *pair((2, 0), (3, 0)))
    yield call("torch.cdist", *pair((2, 3), (2, 4))).raises(RuntimeError, "3", "4")
    yield call("torch.cdist", *pair((2, 3), (2, 3)), -1.0).raises(RuntimeError, "negative")


def errors():
    yield call("torch.mm", *pair((2, 3), (4, 5))).raises(RuntimeError, "2x3", "4x5")
    yield call("torch.mm", *pair((2,), (2, 3))).raises(RuntimeError, "matri")
    yield call("torch.bmm", *pair((2, 3, 4), (3, 4, 5))).raises(RuntimeError, "batch", "2", "3")
    yield call("torch.bmm", *pair((2, 3), (3, 4))).raises(RuntimeError, "3D")
    yield call("torch.matmul", *pair((2, 3), (4,))).raises(RuntimeError, "3", "4")
    yield call("torch.matmul", *pair((2, 3, 4), (3, 4, 5))).raises(RuntimeError, "2", "3")
    yield call("torch.matmul", T("float32", ()), T("float32", (2,))).raises(RuntimeError, "0D")
    yield call("torch.matmul", T("float32", (2, 2)), T("float64", (2, 2))).raises(RuntimeError, "dtype", "float", "double")
    yield call("torch.mm", T("float32", (2, 2)), T("int64", (2, 2))).raises(RuntimeError, "dtype", "float", "long")
    yield call("torch.mm", T("bool", (2, 2)), T("bool", (2, 2))).may_raise()
    yield call("torch.dot", *pair((2,), (3,))).raises(RuntimeError, "2", "3")
    yield call("torch.dot", *pair((2, 2), (2,))).raises(RuntimeError, "1D")
    yield call("torch.outer", *pair((2, 2), (2,))).raises(RuntimeError, "1")
    yield call("torch.mv", *pair((2, 3), (2,))).raises(RuntimeError, "2", "3")
    yield call("torch.addmm", T("float32", (3, 3)), *pair((2, 3), (3, 4))).raises(RuntimeError, "size")
    yield call("torch.nn.functional.linear", *pair((2, 3), (4, 5))).raises(RuntimeError, "2x3", "5x4")
    yield call("torch.mm", T("float32", (2, 2))).raises(TypeError, "mm")
    yield call("torch.mm", T("float32", (2, 2)), 3).raises(TypeError, "int")
