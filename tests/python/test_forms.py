"""Forms of calls: deprecated signatures, the dtype of out=, plain tuples, dtype errors."""

import pytest


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_factors_before_tensors(lib):
    x, m, b = lib.tensor([1.0, 2.0]), lib.tensor([[1.0, 2.0], [3.0, 4.0]]), lib.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    assert lib.add(x, 2, x).tolist() == x.add(2, x).tolist() == [3.0, 6.0]
    assert lib.sub(x, 2, x).tolist() == [-1.0, -2.0]
    assert x.clone().add_(2, x).tolist() == [3.0, 6.0]
    assert lib.addcmul(x, 2, x, x).tolist() == [3.0, 10.0]
    assert lib.addcdiv(x, 2, x, x, out=lib.empty(0)).tolist() == [3.0, 4.0]
    assert lib.addmm(2, m, m, m).tolist() == [[9.0, 14.0], [21.0, 30.0]]
    assert lib.addmm(2, m, 3, m, m).tolist() == m.addmm(2, 3, m, m).tolist() == [[23.0, 34.0], [51.0, 74.0]]
    assert lib.addmv(2, x, m, x).tolist() == [7.0, 15.0]
    assert lib.addr(2, m, 3, x, x).tolist() == [[5.0, 10.0], [12.0, 20.0]]
    assert lib.baddbmm(2, b, b, b).tolist() == [[[9.0, 14.0], [21.0, 30.0]]]
    assert m.clone().addbmm_(2, 3, b, b).tolist() == [[23.0, 34.0], [51.0, 74.0]]
    with pytest.raises(TypeError):
        lib.add(x, x, x)
    with pytest.raises(TypeError):
        lib.addmm(m, m, m, m)


def test_addbmm_in_place_grows_to_the_result(lib):
    x = lib.ones(2)
    assert x.addbmm_(lib.ones(1, 2, 2), lib.ones(1, 2, 2)) is x
    assert x.tolist() == [[3.0, 3.0], [3.0, 3.0]]
    with pytest.raises(RuntimeError):
        lib.ones(1, 2).addmm_(lib.ones(2, 2), lib.ones(2, 2))


@pytest.mark.parametrize("name", ["sort", "max", "min", "median", "cummax", "mode"])
def test_one_out_for_two_results(lib, name):
    with pytest.raises(TypeError):
        getattr(lib, name)(lib.ones(2), 0, out=lib.ones(2))
    assert lib.ones(2).sum().item() == 2


def test_out_says_the_dtype(lib):
    x = lib.tensor([1.7, 1.7, 1.7])
    assert lib.cumsum(x, 0, out=lib.zeros(3, dtype=lib.int64)).tolist() == [1, 2, 3]
    assert lib.cumprod(x, 0, out=lib.zeros(3, dtype=lib.int32)).tolist() == [1, 1, 1]
    assert lib.sum(x, 0, out=lib.zeros((), dtype=lib.int64)).item() == 3
    assert lib.prod(x, 0, out=lib.zeros((), dtype=lib.int64)).item() == 1
    with pytest.raises(NotImplementedError):
        lib.cumsum(x, 0, out=lib.zeros(3, dtype=lib.bool))
    with pytest.raises(RuntimeError):
        lib.cumsum(x, 0, dtype=lib.float64, out=lib.zeros(3))


def test_out_of_the_very_dtype(lib):
    x, wide = lib.ones(2), lib.zeros(2, dtype=lib.complex128)
    for call in (lambda: lib.polar(x, x, out=wide), lambda: lib.complex(x, x, out=wide), lambda: lib.isin(x, x, out=lib.ones(2)), lambda: lib.isin(x, 1, out=lib.ones(2)),
                 lambda: lib.nn.functional.logsigmoid(x, out=x.double())):
        with pytest.raises(RuntimeError):
            call()
    assert lib.polar(x, x * 0, out=lib.zeros(2, dtype=lib.complex64)).tolist() == [1, 1]


def test_functionals_with_out(lib):
    F, x = lib.nn.functional, lib.ones(1, 2, 2, 2)
    for call in (lambda out: F.avg_pool2d(x, 2, out=out), lambda out: F.avg_pool3d(x, 2, out=out), lambda out: F.linear(x, lib.eye(2), out=out)):
        out = lib.empty(0)
        assert call(out) is out and set(out.reshape(-1).tolist()) == {1.0}
    for function in (F.gelu, F.softplus, F.softshrink, F.hardshrink, F.logsigmoid):
        out = lib.empty(0)
        assert function(x, out=out) is out and out.equal(function(x))


def test_plain_tuples(lib):
    x = lib.ones(1, 4)
    assert type(lib.std_mean(x)) is type(lib.var_mean(x, 0)) is type(lib.var_mean(x, 0, True)) is type(lib.adaptive_max_pool1d(x, 2)) is tuple


REFUSED = {
    "maximum": lambda lib, c, b, i: lib.maximum(c, c), "minimum": lambda lib, c, b, i: lib.minimum(c, c.real), "fmax": lambda lib, c, b, i: lib.fmax(c.real, c),
    "fmin": lambda lib, c, b, i: lib.fmin(c, c), "max": lambda lib, c, b, i: lib.max(c, c), "heaviside": lambda lib, c, b, i: lib.heaviside(c, c),
    "isposinf": lambda lib, c, b, i: lib.isposinf(c), "isneginf": lambda lib, c, b, i: lib.isneginf(c), "argmax": lambda lib, c, b, i: lib.argmax(c),
    "argmin": lambda lib, c, b, i: lib.argmin(b), "relu": lambda lib, c, b, i: lib.relu(b), "hardtanh": lambda lib, c, b, i: lib.nn.functional.hardtanh(b),
    "hardtanh of uint8": lambda lib, c, b, i: lib.nn.functional.hardtanh(i.to(lib.uint8)), "gradient": lambda lib, c, b, i: lib.gradient(i.to(lib.uint8)),
    "kl_div": lambda lib, c, b, i: lib.nn.functional.kl_div(c.real, i), "kl_div of complex": lambda lib, c, b, i: lib.nn.functional.kl_div(c, c),
    "soft_margin_loss": lambda lib, c, b, i: lib.nn.functional.soft_margin_loss(i, c.real),
    "gaussian_nll_loss": lambda lib, c, b, i: lib.nn.functional.gaussian_nll_loss(c.real, c.real, i),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_refused_by_dtype(lib, name):
    with pytest.raises(RuntimeError) as caught:
        REFUSED[name](lib, lib.ones(3, dtype=lib.complex64), lib.ones(3, dtype=lib.bool), lib.ones(3, dtype=lib.int64))
    assert not isinstance(caught.value, NotImplementedError)


def test_not_implemented_by_dtype(lib):
    F, b, i, c = lib.nn.functional, lib.ones(2, dtype=lib.bool), lib.ones(2, dtype=lib.int64), lib.ones(2, dtype=lib.complex64)
    for call in (lambda: lib.pow(b, b), lambda: b.clone().pow_(b), lambda: F.mse_loss(c, c), lambda: F.mse_loss(i, i), lambda: lib.logcumsumexp(lib.tensor(1), 0)):
        with pytest.raises(NotImplementedError):
            call()
    assert lib.pow(b, True).tolist() == [True, True]
    assert F.mse_loss(b, lib.tensor([3.0, 2.0])).item() == 2.5
    assert F.margin_ranking_loss(i, i, i, margin=1).item() == 1.0
    assert F.soft_margin_loss(lib.zeros(2), b).item() == pytest.approx(0.6931472, rel=1e-6)
