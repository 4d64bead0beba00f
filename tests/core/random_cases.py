"""Cases of the random engine's tests: recorded from torch and replayed by the C core.

A case is a seed and a row of fills, one after the other from one generator. Each fill names a distribution,
a dtype, a size and its parameters; parameters that are tensors are given by ``ramp`` or ``cycle``.
"""

import dataclasses
import hashlib

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
SIZES = (*range(41), 100, 1000)
SOME_SIZES = (0, 1, 5, 16, 33, 300)


@dataclasses.dataclass(frozen=True)
class Case:
    """``exact``: the bits are torch's; otherwise the numbers agree to a tolerance, and the words used are the same."""

    name: str
    seed: int
    fill: str
    dtype: str
    sizes: tuple
    arguments: tuple = ()
    exact: bool = True


def cycle(values, n):
    """``n`` values that repeat ``values``."""
    return [values[i % len(values)] for i in range(n)]


# In float64 the last bits are those of the functions used; in narrower dtypes rounding leaves torch's bits.
ROUNDED = ("normal", "normal_strided", "exponential", "log_normal", "cauchy", "gamma", "dirichlet")

PROBABILITIES = (0.0, 1.0, 0.5, 0.25, 0.1, 0.9, 1e-3)
RATES = (0.0, 0.3, 1.0, 3.0, 9.99, 10.0, 25.0, 400.0, 1e6)
ALPHAS = (0.0, 0.05, 0.5, 0.999, 1.0, 1.5, 3.0, 40.0, 1e5)
COUNTS = (0.0, 1.0, 5.0, 20.0, 39.0, 100.0, 1000.0, 1e6)
WEIGHTS = (0.5, 3.0, 0.0, 1.25, 7.0, 1e-3, 1.0)
WEIGHT_ROWS = 3
CHANCES = (0.5, 0.1, 0.9, 0.3, 0.7, 0.02)


def cases():
    out = []

    def add(fill, dtype, *arguments, sizes=SOME_SIZES, seed=None):
        exact = dtype != "float64" or fill not in ROUNDED
        seed = 1000 + len(out) if seed is None else seed
        name = "-".join(str(part) for part in (fill, dtype, *arguments, seed))
        out.append(Case(name, seed, fill, dtype, tuple(sizes), arguments, exact))

    for seed in (0, 1, 42, 2**31, 2**32 + 7, 2**64 - 1, 0x123456789ABCDEF):
        add("uniform", "float32", 0.0, 1.0, seed=seed)
        add("normal", "float32", 0.0, 1.0, seed=seed)
        add("random", "int64", seed=seed)
    for dtype in FLOATS:
        add("uniform", dtype, 0.0, 1.0, sizes=SIZES)
        for bounds in ((-0.1767766952966369, 0.1767766952966369), (2.5, 9.1), (-1.0, 1.0), (3.0, 3.0), (-1e-3, 60000.0)):
            add("uniform", dtype, *bounds)
        add("normal", dtype, 0.0, 1.0, sizes=SIZES)
        add("normal", dtype, -5.0, 0.02, sizes=SIZES)
        add("normal", dtype, 3.0, 0.0)
        add("normal_strided", dtype, 0.5, 2.0, sizes=SIZES)
        for fill, arguments in (
            ("exponential", (1.0,)),
            ("exponential", (0.01,)),
            ("log_normal", (0.0, 0.5)),
            ("cauchy", (0.0, 1.0)),
            ("cauchy", (-2.0, 0.3)),
        ):
            add(fill, dtype, *arguments)
        add("geometric", dtype, 0.3)
        add("poisson", dtype)
    add("uniform", "float64", -1e300, 1e300)
    add("uniform", "float32", -1.6e38, 1.6e38)
    for dtype in ("bool", *INTEGERS, *FLOATS):
        add("random", dtype, sizes=SIZES)
        add("random_from_to", dtype, 0, 2)
        add("random_from", dtype, 1)
        add("bernoulli", dtype, 0.3)
        for p_dtype in FLOATS:
            add("bernoulli_tensor", dtype, p_dtype)
    for dtype in INTEGERS:
        add("geometric", dtype, 0.05)
    for dtype in ("int32", "int64", "float32", "float64", "bfloat16"):
        add("random_from_to", dtype, 0, 2**28 - 1)
        add("random_from_to", dtype, 0, 2**28)
        add("random_from_to", dtype, -(2**31), 2**31 - 1)
    for dtype in ("int64", "float32", "float64", "bfloat16"):
        add("random_from_to", dtype, -(2**40), 2**62 + 12345)
        add("random_from_to", dtype, -(2**63), 2**63 - 1)
        add("random_from", dtype, -(2**63))
        add("random_from", dtype, -(2**62) - 3)
    for bounds in ((-7, 300), (2**24 - 3, 2**24 + 9), (2**30 + 3, 2**30 + 2000), (-(2**30) - 65, -(2**30) + 63)):
        add("random_from_to", "float32", *bounds)
    for bounds in ((-2050, 2051), (-60000, 65504), (4097, 4123)):
        add("random_from_to", "float16", *bounds)
    for bounds in ((-257, 300), (1025, 1041)):
        add("random_from_to", "bfloat16", *bounds)
    for dtype in (*INTEGERS, *FLOATS):
        add("randperm", dtype, sizes=(0, 1, 2, 3, 10, 40, 100, 127))
    add("randperm", "int64", sizes=(1000, 100003))
    for dtype in ("float32", "float64"):
        add("gamma", dtype)
        add("binomial", dtype)
        add("dirichlet", dtype, sizes=(1, 2, 5, 9))
    for dtype in FLOATS:
        for samples, replacement in ((1, False), (1, True), (3, False), (40, True)):
            add("multinomial", dtype, samples, replacement, sizes=(5, 7, 100, 1000))
    return out


STATE_WORDS = 24 + 8 * 624
HAS_NORMAL = STATE_WORDS + 24
SAMPLE_STEP = 17


def digest(data):
    return hashlib.sha256(data).hexdigest()[:24]


def words_used(state):
    """The part of a generator's state that is the same wherever the same words were drawn."""
    return digest(state[:STATE_WORDS] + state[HAS_NORMAL : HAS_NORMAL + 4])


def summary(case, drawn, state, decoded):
    """What is recorded of a case's bytes and final state; ``decoded(bytes, dtype)`` gives the numbers in them."""
    numbers = decoded(drawn, "int64" if case.fill == "multinomial" else case.dtype)
    if case.exact:
        return {"state": words_used(state), "sha256": digest(drawn), "first": numbers[:3]}
    return {"state": words_used(state), "count": len(numbers), "sample": numbers[::SAMPLE_STEP]}
