"""Arguments of the wrong kind and values at the edges: torch's error types, and the next call works."""

import pathlib
import subprocess
import sys

import pytest

WRONG = [
    ("cat", lambda torch: torch.cat(None)),
    ("cat of a tensor", lambda torch: torch.cat(torch.ones(2, 3))),
    ("cat of None", lambda torch: torch.cat([torch.ones(2), None])),
    ("meshgrid", lambda torch: torch.meshgrid(None, indexing="ij")),
    ("broadcast_to", lambda torch: torch.broadcast_to(torch.ones(2), [torch.ones(2, 2)])),
    ("nansum", lambda torch: torch.nansum(torch.ones(2), [torch.tensor([1.0])])),
    ("isclose", lambda torch: torch.isclose(torch.ones(2), None)),
    ("allclose", lambda torch: torch.ones(2).allclose("a")),
    ("atleast_1d", lambda torch: torch.atleast_1d(3)),
    ("diff", lambda torch: torch.diff(2.5)),
    ("numel", lambda torch: torch.numel([1])),
    ("type_as", lambda torch: torch.ones(2).type_as(None)),
    ("contiguous", lambda torch: torch.ones(2).contiguous(memory_format="a")),
    ("softmax", lambda torch: torch.softmax(torch.ones(2), "a")),
    ("add", lambda torch: torch.add(torch.ones(2), "a")),
    ("reshape", lambda torch: torch.reshape(torch.ones(2), None)),
]


@pytest.mark.parametrize("call", [call for _, call in WRONG], ids=[name for name, _ in WRONG])
def test_wrong_types(lib, call):
    with pytest.raises(TypeError):
        call(lib)
    assert lib.ones(2).sum().item() == 2


@pytest.mark.parametrize("dtype, low", [("int8", -(2**7)), ("int16", -(2**15)), ("int32", -(2**31)), ("int64", -(2**63))])
def test_division_by_minus_one_wraps(lib, dtype, low):
    if lib.__name__ == "torch":
        pytest.skip("torch ends the process with a floating-point exception here")
    x = lib.tensor([low, 7], dtype=getattr(lib, dtype))
    minus = lib.tensor([-1, -1], dtype=getattr(lib, dtype))
    assert (x // minus).tolist() == [low, -7]
    assert (x % minus).tolist() == [0, 0]
    assert lib.fmod(x, minus).tolist() == [0, 0]
    assert lib.div(x, minus, rounding_mode="trunc").tolist() == [low, -7]
    assert (-x).tolist() == [low, -7]
    assert x.abs().tolist() == [low, 7]


@pytest.mark.parametrize("operator", ["floor_divide", "remainder", "fmod"])
def test_integers_by_zero(lib, operator):
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(lib, operator)(lib.tensor([1, 2]), lib.tensor([1, 0]))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        getattr(lib, operator)(lib.tensor([1, 2]), 0)


def test_integers_stay_exact(lib):
    big = 2**63 - 1
    x = lib.tensor([big, big - 1, -big])
    assert (x - 1).tolist() == [big - 1, big - 2, -big - 1]
    assert x.max().item() == big
    assert x.sort()[0].tolist() == [-big, big - 1, big]
    assert lib.tensor([250, 10], dtype=lib.uint8).add(10).tolist() == [4, 20]


def test_sizes_that_do_not_fit(lib):
    with pytest.raises((RuntimeError, MemoryError)):
        lib.empty(2**40, 2**40)
    with pytest.raises(RuntimeError):
        lib.empty(-1)
    with pytest.raises(RuntimeError):
        lib.ones(3).as_strided((4,), (1,))
    with pytest.raises(RuntimeError):
        lib.ones(3).as_strided((2, 2), (2**62, 2**62))
    assert lib.ones(2).sum().item() == 2


def test_as_many_terms_as_asked_for(lib):
    with pytest.raises(RuntimeError):
        lib.mvlgamma(lib.tensor([9.0]), 2**63 - 1)


AFTER_A_TRAP = """
import struct, pywasmtorch as torch
from pywasmtorch._core.frame import host
x, w = torch.tensor([1.0], requires_grad=True), torch.tensor([3.0])
y = x * w
storage = w._h + 12
good = host.read(storage, 4)
host.write(storage, struct.pack("<I", 0xFFFFFFF0))
try:
    y.backward()
except RuntimeError as error:
    assert "the tensor core stopped" in str(error)
else:
    raise AssertionError("nothing trapped")
host.write(storage, bytes(good))
assert torch.is_grad_enabled()
(x * w).backward()
assert x.grad.tolist() == [3.0]
"""


@pytest.mark.skipif(sys.platform == "emscripten", reason="starts a process")
def test_grad_mode_is_back_after_a_trap_in_backward(lib):
    if lib.__name__ == "torch":
        pytest.skip("a trap is WebAssembly's")
    subprocess.run([sys.executable, "-c", AFTER_A_TRAP], check=True, cwd=pathlib.Path(__file__).parents[2])


def test_many_tensors_at_once(lib):
    rows = [lib.tensor([float(i)]) for i in range(10_000)]
    assert lib.cat(rows).sum().item() == 49_995_000


def test_lists_that_do_not_fit(lib):
    x = lib.arange(6.0)
    with pytest.raises((RuntimeError, MemoryError)):
        lib.tensor_split(x, 2**62)
    with pytest.raises((RuntimeError, MemoryError)):
        lib.chunk(lib.ones(0), 2**62)
    assert [part.tolist() for part in x.chunk(2**40)] == [[float(i)] for i in range(6)]
    assert [part.tolist() for part in x.split(2**40)] == [x.tolist()]


def test_a_tensor_is_no_dimension(lib):
    x = lib.tensor([1.0, 5.0])
    assert lib.max(x, lib.tensor(3.0)).tolist() == [3.0, 5.0]
    assert lib.min(x, lib.tensor(3)).tolist() == [1.0, 3.0]


def test_no_dimension_to_reduce(lib):
    x = lib.tensor([[True, False], [True, True]])
    assert lib.any(x, dim=[]).tolist() == x.tolist()
    assert lib.all(x, dim=[]).tolist() == x.tolist()
    assert lib.all(x).item() is False


def test_results_wrap_in_their_own_dtype_before_out_takes_them(lib):
    x = lib.tensor([200, 3], dtype=lib.uint8)
    out = lib.empty(2, dtype=lib.int32)
    assert lib.add(x, x, out=out).tolist() == [144, 6]
    y = lib.tensor([256.0, 2.0], dtype=lib.bfloat16)
    assert lib.add(y, lib.tensor([1.0, 1.0], dtype=lib.bfloat16), out=lib.empty(2)).tolist() == [256.0, 3.0]


def test_the_absolute_value_of_a_complex_tensor_does_not_fit_into_it(lib):
    z = lib.tensor([3 + 4j])
    with pytest.raises(RuntimeError, match="abs"):
        z.abs_()
    assert z.tolist() == [3 + 4j] and z.abs().tolist() == [5.0]


def test_strides_and_lengths_whose_ends_overflow(lib):
    x = lib.ones(3)
    for call in (lambda: x.as_strided((2,), (2**62,)), lambda: x.as_strided((2,), (2**61,)), lambda: lib.as_strided_copy(x, (2,), (2**62,)),
                 lambda: lib.as_strided_scatter(x, lib.ones(2), (2,), (2**62,)), lambda: x.as_strided((2,), (1,), 2**63 - 1),
                 lambda: lib.narrow(x, 0, 1, 2**63 - 1), lambda: x.unfold(0, 2**63 - 1, 1)):
        with pytest.raises(RuntimeError):
            call()
    square = lib.ones(2, 2)
    for diagonal in (2**63 - 1, 2**62):
        assert lib.triu(square, diagonal).tolist() == lib.tril(square, -diagonal).tolist() == [[0, 0], [0, 0]]
        assert lib.tril(square, diagonal).equal(square) and lib.triu(square, -diagonal).equal(square)


def test_numbers_that_do_not_fit_the_dtype(lib):
    u, mask, place = lib.ones(2, dtype=lib.uint8), lib.ones(2, dtype=lib.bool), lib.tensor([0])
    for call in (lambda: u.masked_fill(mask, 2**40), lambda: u.masked_fill_(mask, 300), lambda: u.index_fill(0, place, 300), lambda: u.index_fill_(0, place, 2**63 - 1),
                 lambda: lib.ones(2, dtype=lib.float16).masked_fill(mask, -1e9), lambda: lib.ones(2).masked_fill(mask, 1e40)):
        with pytest.raises(RuntimeError, match="without overflow"):
            call()
    assert lib.ones(2, dtype=lib.float16).masked_fill(mask, -float("inf")).tolist() == [-float("inf")] * 2


def test_nan_stays_in_factorizations(lib):
    a = lib.tensor([[1.0, 0.0, 0.0], [float("nan"), 1.0, 0.0], [0.0, 0.0, 1.0]])
    for result in (*lib.linalg.qr(a), lib.geqrf(a)[0]):
        assert result[0, 0].isnan()
    with pytest.raises(RuntimeError):
        lib.linalg.lstsq(a, lib.ones(3, 1))


def test_refused_before_computing(lib):
    c = lib.ones(2, dtype=lib.complex64)
    for function in (lib.max, lib.min):
        with pytest.raises(RuntimeError, match="complex"):
            function(c, 0)
    for x in (c, c.real.long(), c.real.bool()):
        with pytest.raises(NotImplementedError):
            lib.nn.functional.glu(x)
    with pytest.raises(NotImplementedError):
        lib.nn.functional.interpolate(lib.ones(3), 2)
    with pytest.raises(RuntimeError):
        lib.block_diag(lib.ones(1, 1, 1))


def test_gradients_of_extremes_with_nan(lib):
    for function in (lib.maximum, lib.minimum):
        x = lib.tensor([float("nan"), 1.0, 2.0], requires_grad=True)
        y = lib.tensor([1.0, float("nan"), 2.0], requires_grad=True)
        for grad in lib.autograd.grad(function(x, y).sum(), (x, y)):
            assert grad.tolist() == [1.0, 1.0, 0.5]


@pytest.mark.filterwarnings("ignore")
def test_more_correction_than_elements(lib):
    x = lib.tensor([1.0, 2.0], requires_grad=True)
    assert lib.autograd.grad(x.var(0, correction=5), x)[0].tolist() == pytest.approx([1 / 3, -1 / 3])


def test_nothing_to_step_through(lib):
    with pytest.raises(RuntimeError):
        lib.arange(0, 1, float("nan"))
    none = lib.tensor([0, 0])
    with pytest.raises(RuntimeError):
        lib.nn.functional.ctc_loss(lib.zeros(0, 2, 3), lib.zeros(2, 0, dtype=lib.int64), none, none)


def test_sources_of_another_number(lib):
    x, places = lib.ones(3), lib.tensor([0, 1])
    for source in (lib.ones(3), lib.ones(2, 2)):
        with pytest.raises(IndexError):
            lib.index_copy(x, 0, places, source)
        with pytest.raises(RuntimeError):
            lib.index_add(x, 0, places, source)


@pytest.mark.parametrize("name", ["zeros", "ones", "empty", "rand", "randn", "full"])
def test_unknown_keywords_of_creation_are_refused(lib, name):
    value = (0,) if name == "full" else ()
    with pytest.raises(TypeError, match="nonsense"):
        getattr(lib, name)((2,), *value, nonsense=1)
