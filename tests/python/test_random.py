"""Generators, fills, samples and dropout beyond the recorded cases in golden/cases/random.py."""

import copy
import math
import pickle

import pytest

import pywasmtorch as torch

NEW_SEED = 67280421310721


def seeded(function, *arguments, **names):
    torch.manual_seed(0)
    return function(*arguments, **names)


class TestGenerator:
    def test_a_new_one_starts_from_torchs_default_seed(self):
        assert torch.Generator().initial_seed() == NEW_SEED
        assert torch.rand(3, generator=torch.Generator()).tolist() == torch.rand(3, generator=torch.Generator().manual_seed(NEW_SEED)).tolist()

    def test_seeds_wrap_at_64_bits(self):
        generator = torch.Generator()
        assert generator.manual_seed(-1).initial_seed() == 2**64 - 1
        assert generator.manual_seed(-(2**63)).initial_seed() == 2**63
        assert generator.manual_seed(2**64 - 1).initial_seed() == 2**64 - 1
        for seed in (2**64, -(2**63) - 1):
            with pytest.raises(ValueError, match="Overflow when unpacking long long"):
                generator.manual_seed(seed)
        with pytest.raises(RuntimeError, match="manual_seed expected a long, but got float"):
            generator.manual_seed(1.5)

    def test_generators_are_apart(self):
        a, b = torch.Generator().manual_seed(0), torch.Generator().manual_seed(0)
        torch.manual_seed(1)
        first = torch.rand(4, generator=a)
        torch.rand(7)
        assert torch.equal(torch.rand(4, generator=b), first)
        torch.manual_seed(0)
        assert torch.equal(torch.rand(4), first)

    def test_state_goes_on_where_it_was(self):
        generator = torch.Generator().manual_seed(3)
        torch.randn(5, generator=generator)  # leaves half a pair behind
        state = generator.get_state()
        assert state.dtype is torch.uint8 and state.shape == (5056,)
        expected = torch.randn(5, generator=generator)
        assert torch.equal(torch.randn(5, generator=generator.set_state(state)), expected)
        assert torch.equal(torch.randn(5, generator=torch.Generator().set_state(state)), expected)

    def test_copies_go_their_own_way(self):
        generator = torch.Generator().manual_seed(3)
        torch.rand(5, generator=generator)
        copies = [copy.deepcopy(generator), pickle.loads(pickle.dumps(generator)), generator.clone_state()]
        expected = torch.rand(5, generator=generator)
        for other in copies:
            assert other.initial_seed() == 3
            assert torch.equal(torch.rand(5, generator=other), expected)

    def test_bad_states(self):
        with pytest.raises(TypeError, match="torch.ByteTensor"):
            torch.set_rng_state(3)
        with pytest.raises(TypeError, match="RNG state must be a torch.ByteTensor"):
            torch.set_rng_state(torch.zeros(5056))
        with pytest.raises(RuntimeError, match="size 5056 but found the input RNG state size to be 3"):
            torch.set_rng_state(torch.zeros(3, dtype=torch.uint8))
        with pytest.raises(RuntimeError, match="Invalid mt19937 state"):
            torch.set_rng_state(torch.zeros(5056, dtype=torch.uint8))

    def test_fork_rng(self):
        torch.manual_seed(0)
        with torch.random.fork_rng():
            inside = torch.rand(2)
            with pytest.raises(KeyError):
                with torch.random.fork_rng():
                    torch.manual_seed(5)
                    raise KeyError
            torch.rand(3)
        assert torch.equal(torch.rand(2), inside)
        with torch.random.fork_rng(enabled=False):
            torch.manual_seed(9)
        assert torch.initial_seed() == 9

    def test_seed_is_new_each_time(self):
        generator = torch.Generator()
        seeds = {generator.seed() for _ in range(5)}
        assert len(seeds) == 5 and generator.initial_seed() in seeds
        assert torch.seed() == torch.initial_seed() == torch.default_generator.initial_seed()
        assert torch.manual_seed(4) is torch.default_generator

    def test_what_is_no_generator(self):
        for call in (lambda: torch.rand(3, generator=3), lambda: torch.randperm(3, generator="x"), lambda: torch.zeros(2).normal_(generator=1)):
            with pytest.raises(TypeError):
                call()


class TestFactories:
    def test_sizes(self):
        expected = seeded(torch.rand, 2, 3)
        assert torch.equal(seeded(torch.rand, (2, 3)), expected)
        assert torch.equal(seeded(torch.rand, size=(2, 3)), expected)
        assert torch.equal(seeded(torch.rand, torch.Size([2, 3])), expected)
        assert torch.equal(seeded(torch.rand_like, torch.zeros(2, 3)), expected)
        for wrong in (lambda: torch.rand(), lambda: torch.rand(2.5), lambda: torch.rand([2], [3]), lambda: torch.randint(2, 2), lambda: torch.randint(3)):
            with pytest.raises(TypeError):
                wrong()

    def test_out_is_resized_and_filled(self):
        out = torch.empty(0, dtype=torch.float64)
        assert seeded(torch.rand, 2, 3, out=out) is out
        assert torch.equal(out, seeded(torch.rand, 2, 3, dtype=torch.float64))
        assert torch.equal(seeded(torch.randperm, 5, out=torch.empty(0)), seeded(torch.randperm, 5).float())
        with pytest.raises(RuntimeError, match="does not match dtype of out"):
            torch.rand(3, out=torch.empty(3), dtype=torch.float64)

    def test_options(self):
        assert torch.rand(2, requires_grad=True).requires_grad
        assert torch.randint(3, (2,), dtype=torch.float32, requires_grad=True).requires_grad
        with pytest.raises(RuntimeError, match="floating point"):
            torch.randint(3, (2,), requires_grad=True)
        with pytest.raises(NotImplementedError, match="Long"):
            torch.rand(2, dtype=torch.int64)

    def test_randint_forms(self):
        expected = seeded(torch.randint, 0, 5, (9,))
        for forms in ((5, (9,)), {"high": 5, "size": (9,)}, {"low": 0, "high": 5, "size": (9,)}):
            found = seeded(torch.randint, **forms) if isinstance(forms, dict) else seeded(torch.randint, *forms)
            assert torch.equal(found, expected)
        assert torch.equal(seeded(torch.randint_like, torch.zeros(9), 5), expected.float())
        assert torch.equal(seeded(torch.randint_like, torch.zeros(9), 0, 5), expected.float())
        with pytest.raises(TypeError, match="'high' .*must be int, not float"):
            torch.randint(2.5, (2,))
        with pytest.raises(RuntimeError, match="from=3 >= to=3"):
            torch.randint(3, 3, (2,))

    def test_like_keeps_the_order_of_strides(self):
        like = torch.zeros(4, 3).t()
        assert torch.rand_like(like).stride() == (1, 3)
        assert torch.equal(seeded(torch.rand_like, like), seeded(torch.rand, 4, 3).t())


FILLS = {
    "uniform_": (), "normal_": (), "random_": (50,), "exponential_": (), "geometric_": (0.3,), "log_normal_": (), "cauchy_": (), "bernoulli_": (0.4,),
}  # fmt: skip


class TestFills:
    @pytest.mark.parametrize("name", FILLS)
    def test_memory_is_filled_in_its_own_order(self, name):
        def fill(x):
            return seeded(getattr(x, name), *FILLS[name])

        row = fill(torch.zeros(10, dtype=torch.float64))
        assert torch.equal(fill(torch.zeros(5, 2, dtype=torch.float64).t()), row.reshape(5, 2).t())
        wide = torch.zeros(2, 10, dtype=torch.float64)
        view = wide[:, ::2]
        assert fill(view) is view
        assert torch.equal(view, row.reshape(2, 5)) and wide[:, 1::2].abs().sum() == 0

    @pytest.mark.parametrize("name", FILLS)
    def test_gradients_end_there(self, name):
        x = torch.ones(3, requires_grad=True)
        with pytest.raises(RuntimeError, match="leaf"):
            getattr(x, name)(*FILLS[name])
        y = x * 2
        getattr(y, name)(*FILLS[name])
        y.sum().backward()
        assert x.grad.tolist() == [0, 0, 0]
        with torch.no_grad():
            assert getattr(x, name)(*FILLS[name]) is x

    def test_overlapping_memory_is_refused(self):
        before = torch.manual_seed(0).get_state()
        for name, arguments in FILLS.items():
            with pytest.raises(RuntimeError, match="single memory location"):
                getattr(torch.zeros(1).expand(3), name)(*arguments)
        assert torch.equal(torch.get_rng_state(), before)

    @pytest.mark.parametrize(
        "name, arguments, message",
        [
            ("uniform_", (5, 2), "found from=5 > to=2"),
            ("normal_", (0, -1), "std >= 0.0, but found std -1"),
            ("random_", (9, 2), "from=9 >= to=2"),
            ("exponential_", (0,), "lambda > 0.0, but found lambda=0"),
            ("geometric_", (1,), r"p to be in \(0, 1\), but got p=1"),
            ("log_normal_", (0, 0), "std > 0.0, but found std=0"),
            ("cauchy_", (0, -2), "sigma > 0.0, but found sigma=-2"),
            ("bernoulli_", (1.5,), r"p to be in \[0, 1\], but got p=1.5"),
        ],
    )
    def test_bad_parameters(self, name, arguments, message):
        with pytest.raises(RuntimeError, match=message):
            getattr(torch.zeros(3), name)(*arguments)

    def test_keyword_from(self):
        assert torch.equal(seeded(torch.zeros(4).uniform_, **{"from": 2, "to": 3}), seeded(torch.rand, 4) + 2)
        x = seeded(torch.zeros(20).random_, **{"from": 3, "to": 5})
        assert set(x.tolist()) == {3.0, 4.0}

    def test_probabilities_of_any_size(self):
        p = torch.tensor([[0.0], [1.0]])
        assert torch.zeros(2, 3).bernoulli_(p).tolist() == [[0, 0, 0], [1, 1, 1]]
        assert torch.zeros(3, 2, dtype=torch.int64).t().bernoulli_(p).tolist() == [[0, 0, 0], [1, 1, 1]]
        assert torch.zeros(2).bernoulli_(torch.tensor(1.0)).tolist() == [1, 1]
        with pytest.raises(RuntimeError, match="expanded size"):
            torch.zeros(2, 3).bernoulli_(torch.rand(2))

    def test_complex_normals_have_unit_variance(self):
        z = seeded(torch.randn, 4000, dtype=torch.complex64)
        assert abs((z * z.conj_physical()).sum().item().real / 4000 - 1) < 0.05


class TestSamples:
    def test_normal_with_tensors(self):
        noise = seeded(torch.randn, 3, 2)
        mean, std = torch.tensor([[1.0], [2.0], [3.0]]), torch.tensor([0.5, 2.0])
        assert torch.allclose(seeded(torch.normal, mean, std), noise * std + mean)
        assert torch.equal(seeded(torch.normal, mean.expand(3, 2), 1.0), noise + mean)
        assert torch.allclose(seeded(torch.normal, 1.0, std.expand(3, 2)), noise * std + 1)
        assert torch.allclose(seeded(torch.normal, mean=1.0, std=2.0, size=(3, 2)), noise * 2 + 1)

    def test_normal_refuses(self):
        with pytest.raises(RuntimeError, match="all elements of std >= 0.0"):
            torch.normal(torch.zeros(2), torch.tensor([1.0, -1.0]))
        with pytest.raises(RuntimeError, match="std >= 0.0, but found std -1"):
            torch.normal(0.0, -1.0, (2,))
        with pytest.raises(TypeError):
            torch.normal(0.0, 1.0)

    def test_normal_gives_zero_gradients(self):
        mean, std = torch.zeros(2, 1, requires_grad=True), torch.ones(3, requires_grad=True)
        torch.normal(mean, std).sum().backward()
        assert mean.grad.tolist() == [[0], [0]] and std.grad.tolist() == [0, 0, 0]

    def test_certain_outcomes(self):
        assert torch.bernoulli(torch.tensor([0.0, 1.0])).tolist() == [0, 1]
        assert torch.poisson(torch.zeros(3)).tolist() == [0, 0, 0]
        assert torch.binomial(torch.tensor([[3.0, 3.0], [5.0, 5.0]]), torch.tensor([0.0, 1.0])).tolist() == [[0, 3], [0, 5]]
        assert sorted(torch.multinomial(torch.tensor([0.2, 0.0, 0.3]), 2).tolist()) == [0, 2]
        assert torch.multinomial(torch.tensor([[0.0, 1.0], [1.0, 0.0]]), 3, replacement=True).tolist() == [[1, 1, 1], [0, 0, 0]]

    @pytest.mark.parametrize(
        "call, message",
        [
            (lambda: torch.poisson(torch.tensor([-1.0])), "non-negative"),
            (lambda: torch.multinomial(torch.ones(2, 2, 2), 1), "1 or 2 dim"),
            (lambda: torch.multinomial(torch.ones(2), 3), "without replacement"),
            (lambda: torch.multinomial(torch.tensor([-1.0, 2.0]), 1), "element < 0"),
            (lambda: torch.multinomial(torch.zeros(2), 1), "<= 0"),
            (lambda: torch.bernoulli(torch.tensor([1.5])), "p_in"),
        ],
    )
    def test_bad_parameters(self, call, message):
        with pytest.raises(RuntimeError, match=message):
            call()

    def test_missing_derivatives_say_so(self):
        p = torch.full((2,), 0.5, requires_grad=True)
        with pytest.raises(RuntimeError, match="binomial.* is not implemented"):
            torch.binomial(torch.ones(2), p).sum().backward()
        with pytest.raises(RuntimeError, match="bernoulli.* is not implemented"):
            torch.bernoulli(p, 0.5).sum().backward()


def lower_gamma(a, x):
    """The regularised incomplete gamma function, by its power series (Abramowitz and Stegun, 6.5.29)."""
    term = total = 1 / a
    n = 0
    while term > 1e-18 * total:
        n += 1
        term *= x / (a + n)
        total += term
    return math.exp(a * math.log(x) - x - math.lgamma(a)) * total


@pytest.mark.parametrize("a, x", [(0.05, 1e-6), (0.3, 0.07), (0.9, 2.1), (1.0, 0.69), (1.5, 8.0), (3.0, 0.4), (7.0, 10.5), (9.0, 20.0), (40.0, 41.0), (100.0, 133.0), (1000.0, 930.0)])
def test_gradient_of_gamma_samples(a, x):
    h = 1e-5 * a
    by_shape = (lower_gamma(a + h, x) - lower_gamma(a - h, x)) / (2 * h)
    density = math.exp((a - 1) * math.log(x) - x - math.lgamma(a))
    found = torch._standard_gamma_grad(torch.tensor(a, dtype=torch.float64), torch.tensor(x, dtype=torch.float64)).item()
    assert found == pytest.approx(-by_shape / density, rel=1e-3)


class TestDropout:
    def test_draws_one_number_for_each_element(self):
        x = torch.ones(6)
        mask = seeded(torch.zeros(6).bernoulli_, 0.75)
        assert torch.equal(seeded(torch.dropout, x, 0.25, True), mask / 0.75)
        after = torch.rand(1)
        seeded(torch.zeros(6).bernoulli_, 0.75)
        assert torch.equal(torch.rand(1), after)

    def test_channels(self):
        mask = seeded(torch.zeros(2, 3, 1).bernoulli_, 0.5)
        assert torch.equal(seeded(torch.feature_dropout, torch.ones(2, 3, 4), 0.5, True), (mask * 2).expand(2, 3, 4))
        with pytest.raises(RuntimeError, match="at least 2 dimensions"):
            torch.feature_dropout(torch.ones(3), 0.5, True)

    def test_gradient_is_the_mask(self):
        x = torch.rand(8, dtype=torch.float64, requires_grad=True)
        y = seeded(torch.dropout, x, 0.5, True)
        y.sum().backward()
        assert torch.equal(x.grad, (y.detach() != 0) * 2.0)

    def test_alpha_dropout_keeps_mean_and_variance(self):
        x = seeded(torch.randn, 20000)
        y = torch.alpha_dropout(x, 0.3, True)
        assert abs(y.mean().item()) < 0.03 and abs(y.var().item() - 1) < 0.03

    @pytest.mark.parametrize("name", ["dropout", "feature_dropout", "alpha_dropout", "feature_alpha_dropout"])
    def test_forms(self, name):
        x = torch.rand(3, 4, 2) + 1
        function, inplace = getattr(torch, name), getattr(torch, f"{name}_")
        assert torch.equal(function(x, 0.5, False), x) and torch.equal(function(x, 0.0, True), x)
        assert torch.equal(function(x, 1.0, True), torch.zeros(3, 4, 2))
        y = x.clone()
        assert seeded(inplace, y, 0.5, True) is y
        assert torch.equal(y, seeded(function, x, 0.5, True))
        for p in (-0.1, 1.5):
            with pytest.raises(RuntimeError, match="probability has to be between 0 and 1"):
                function(x, p, True)
