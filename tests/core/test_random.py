"""The random engine against draws of torch 2.13 (random_expected.json, made by record_random.py)."""

import json
import math
import pathlib

import pytest

from core import random_cases as rc
from core import random_native as rn

EXPECTED = json.loads(pathlib.Path(__file__).with_name("random_expected.json").read_text())["cases"]
CASES = {case.name: case for case in rc.cases()}
TOLERANCE = {"float64": 1e-13, "float32": 1e-6}


def test_every_case_is_recorded():
    assert list(EXPECTED) == list(CASES)


def assert_close(drawn, expected, tolerance):
    assert len(drawn) == len(expected)
    for index, (ours, theirs) in enumerate(zip(drawn, expected)):
        assert math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance), (index, ours, theirs)


@pytest.mark.parametrize("name", CASES)
def test_draws_what_torch_drew(name):
    case, expected = CASES[name], EXPECTED[name]
    drawn, state = rn.draw(case)
    found = rc.summary(case, drawn, state, rn.decoded)
    if case.exact:
        assert found["first"] == expected["first"]
        assert found["sha256"] == expected["sha256"]
    else:
        assert found["count"] == expected["count"]
        assert_close(found["sample"], expected["sample"], TOLERANCE[case.dtype])
    assert found["state"] == expected["state"]


def test_first_words_are_mersenne_twister_19937():
    """Of seed 5489, as the C++ standard gives them; the 10000th is 4123659995 ([rand.predef])."""
    generator = rn.Generator(5489)
    words = [generator.lib.pwt_random32(generator.memory) for _ in range(10000)]
    assert words[:3] == [3499211612, 581869302, 3890346734]
    assert words[9999] == 4123659995


def test_state_layout_and_round_trip():
    generator = rn.Generator(2**63 + 11)
    generator.fill("normal", "float32", 3, 0.0, 1.0)
    state = generator.get_state()
    assert len(state) == 5056
    assert int.from_bytes(state[:8], "little") == 2**63 + 11
    assert int.from_bytes(state[16:24], "little") == 8  # words used
    assert state[5040] == 1  # a cached normal sample
    follow = [generator.fill(name, "float32", n, 0.0, 1.0) for name, n in (("normal", 5), ("uniform", 700), ("normal", 20))]
    other = rn.Generator(0)
    other.set_state(state)
    assert other.get_state() == state
    assert [other.fill(name, "float32", n, 0.0, 1.0) for name, n in (("normal", 5), ("uniform", 700), ("normal", 20))] == follow


@pytest.mark.parametrize(
    "offset, value", [(8, 0), (8, 625), (8, -1), (12, 0), (16, 625), (16, 624)], ids=lambda value: str(value)
)
def test_states_that_would_read_outside_are_refused(offset, value):
    generator = rn.Generator(3)
    generator.fill("uniform", "float32", 7, 0.0, 1.0)
    before = generator.get_state()
    broken = bytearray(before)
    broken[offset : offset + 4] = value.to_bytes(4, "little", signed=value < 0)
    with pytest.raises(rn.CoreError, match="Invalid mt19937 state"):
        generator.set_state(bytes(broken))
    with pytest.raises(rn.CoreError, match="Expected a CPUGeneratorImplState of size 5056 but found the input RNG state size to be 10"):
        generator.set_state(bytes(10))
    assert generator.get_state() == before


def test_words_in_bulk_are_the_words_one_by_one():
    one, bulk = rn.Generator(9), rn.Generator(9)
    words = [one.lib.pwt_random32(one.memory) for _ in range(3000)]
    out, found = (rn.ctypes.c_uint32 * 3000)(), []
    for n in (0, 1, 622, 2, 624, 625, 1000, 126):
        bulk.call("pwt_random_words", out, rn.ctypes.c_int64(n))
        found += out[:n]
    assert found == words


ERRORS = [
    ("uniform", "float32", (2.0, 1.0), "uniform_ expects to return a [from, to) range, but found from=2 > to=1"),
    ("uniform", "float32", (math.nan, 1.0), "from is out of bounds for float"),
    ("uniform", "float16", (0.0, 70000.0), "to is out of bounds for c10::Half"),
    ("uniform", "float16", (-60000.0, 60000.0), "uniform_ expects to-from <= std::numeric_limits<Half>::max(), but found to=60000 and from=-60000 which result in to-from to exceed the limit"),
    ("uniform", "int64", (0.0, 1.0), "\"check_uniform_bounds\" not implemented for 'Long'"),
    ("normal", "float32", (0.0, -0.25), "normal expects std >= 0.0, but found std -0.25"),
    ("normal", "float32", (0.0, math.nan), "normal expects std >= 0.0, but found std nan"),
    ("normal", "int64", (0.0, 1.0), "\"normal_kernel_cpu\" not implemented for 'Long'"),
    ("random", "complex64", (), "\"random_kernel_cpu\" not implemented for 'ComplexFloat'"),
    ("random_from_to", "int64", (5, 5), "random_ expects 'from' to be less than 'to', but got from=5 >= to=5"),
    ("random_from_to", "uint8", (-1, 2), "from is out of bounds for unsigned char"),
    ("random_from_to", "uint8", (0, 257), "to - 1 is out of bounds for unsigned char"),
    ("random_from_to", "int16", (0, 40000), "to - 1 is out of bounds for short int"),
    ("random_from_to", "bool", (0, 3), "to - 1 is out of bounds for bool"),
    ("random_from_to", "float16", (0, 65506), "to - 1 is out of bounds for c10::Half"),
    ("random_from_to", "float32", (2**30 + 1, 2**30 + 2), "random_ expects 'from' casted to dtype to be less than 'to' casted to dtype, but got from=1073741952 >= to=1073741826"),
    ("random_from_to", "complex64", (0, 5), "check_random_bounds handles only integral, floating-point and boolean types"),
    ("random_from", "float32", (2**25,), "random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, but got from=33554432 > to_inc=16777216"),
    ("random_from", "int32", (2**31,), "from is out of bounds for int"),
    ("random_from", "int32", (-(2**63),), "random_full_64_bits_range_kernel_cpu handles only int64, double, float and bfloat16"),
    ("random_from", "float16", (-(2**63),), "\"random_full_64_bits_range_kernel_cpu\" not implemented for 'Half'"),
    ("bernoulli", "float32", (1.5,), "bernoulli_ expects p to be in [0, 1], but got p=1.5"),
    ("exponential", "float32", (0.0,), "exponential_ expects lambda > 0.0, but found lambda=0"),
    ("exponential", "int32", (1.0,), "Exponential distribution is a continuous probability distribution. dtype must be a floating point but you specified Int"),
    ("geometric", "float32", (1.0,), "geometric_ expects p to be in (0, 1), but got p=1"),
    ("geometric", "bool", (0.5,), "\"geometric_cpu\" not implemented for 'Bool'"),
    ("log_normal", "float32", (0.0, 0.0), "log_normal_ expects std > 0.0, but found std=0"),
    ("cauchy", "int64", (0.0, 1.0), "Cauchy distribution is a continuous probability distribution. dtype must be a floating point but you specified long int"),
    ("randperm", "bool", (), "\"randperm\" not implemented for 'Bool'"),
]


@pytest.mark.parametrize("fill, dtype, arguments, message", ERRORS, ids=lambda value: str(value)[:30])
def test_refuses_what_torch_refuses(fill, dtype, arguments, message):
    generator = rn.Generator(0)
    before = generator.get_state()
    with pytest.raises(rn.CoreError) as caught:
        generator.fill(fill, dtype, 2, *arguments)
    assert str(caught.value) == message
    assert generator.get_state() == before


@pytest.mark.parametrize(
    "dtype, n, message",
    [
        ("uint8", 257, "value cannot be converted to type uint8_t without overflow"),
        ("int8", 129, "value cannot be converted to type int8_t without overflow"),
        ("float16", 2050, "n cannot be greater than 2049 for Half type."),
        ("int64", -1, "Trying to create tensor with negative dimension -1: [-1]"),
    ],
)
def test_permutations_that_the_dtype_cannot_hold(dtype, n, message):
    with pytest.raises(rn.CoreError) as caught:
        rn.Generator(0).check(rn.Generator(0).call("pwt_fill_randperm", rn.DTYPES.index(dtype), None, rn.ctypes.c_int64(n)))
    assert str(caught.value) == message


def test_parameters_outside_the_domain():
    generator = rn.Generator(0)
    one = rn.ctypes.c_int64(1)
    for name, values, message in (
        ("poisson", (-1.0, math.nan), "invalid Poisson rate, expected rate to be non-negative"),
        ("bernoulli", (-0.1, 1.5, math.nan), "Expected p_in >= 0 && p_in <= 1 to be true, but got false."),
    ):
        for value in values:
            parameter = rn.converted([value], "float32")
            arguments = (rn.DTYPES.index("float32"), parameter) if name == "bernoulli" else (parameter,)
            with pytest.raises(rn.CoreError) as caught:
                generator.sample(name, "float32", 1, *arguments, one)
            assert str(caught.value) == message
    for alpha in (-1.0, -5.0, math.nan):  # torch loops for ever
        sample = generator.sample("gamma", "float64", 1, rn.converted([alpha], "float64"), one)
        assert math.isnan(rn.decoded(sample, "float64")[0])
    for count, p in ((math.nan, 0.5), (5.0, math.nan)):
        sample = generator.sample("binomial", "float64", 1, rn.converted([count], "float64"), rn.converted([p], "float64"), one)
        assert math.isnan(rn.decoded(sample, "float64")[0])


@pytest.mark.parametrize(
    "weights, classes, samples, replacement, message",
    [
        ([1.0, -1.0], 2, 1, False, "probability tensor contains either `inf`, `nan` or element < 0"),
        ([1.0, math.inf], 2, 1, True, "probability tensor contains either `inf`, `nan` or element < 0"),
        ([1.0, math.nan], 2, 2, False, "probability tensor contains either `inf`, `nan` or element < 0"),
        ([1.0, 1.0, 0.0, 0.0], 2, 1, False, "invalid multinomial distribution (sum of probabilities <= 0)"),
        ([1.0, 1.0, 0.0, 0.0], 2, 2, True, "invalid multinomial distribution (sum of probabilities <= 0)"),
        ([1.0, -1.0], 2, 2, True, "invalid multinomial distribution (encountering probability entry < 0)"),
        ([1.0, math.nan], 2, 2, True, "invalid multinomial distribution (encountering probability entry < 0)"),
        ([1.0, math.inf], 2, 2, True, "invalid multinomial distribution (encountering probability entry = infinity or NaN)"),
        ([1.0, 1.0], 2, 3, False, "cannot sample n_sample > prob_dist.size(-1) samples without replacement"),
        ([1.0, 1.0], 2, 0, True, "cannot sample n_sample <= 0 samples"),
        ([1.0], 2**24 + 1, 1, True, "number of categories cannot exceed 2^24"),
    ],
)
def test_multinomial_refuses_what_torch_refuses(weights, classes, samples, replacement, message):
    rows = max(1, len(weights) // classes)
    for dtype in rc.FLOATS:
        with pytest.raises(rn.CoreError) as caught:
            rn.Generator(0).multinomial(dtype, rn.converted(weights, dtype), rows, classes, samples, replacement)
        assert str(caught.value) == message


def test_multinomial_without_replacement_takes_zero_weights_last():
    """What torch 2.13 gave for multinomial([1, 0, 0], 3); without rows nothing is drawn."""
    generator = rn.Generator(0)
    assert rn.decoded(generator.multinomial("float32", rn.converted([1.0, 0.0, 0.0], "float32"), 1, 3, 3, False), "int64") == [0, 1, 2]
    state = generator.get_state()
    assert generator.multinomial("float32", b"", 0, 4, 3, False) == b""
    assert generator.get_state() == state
    with pytest.raises(rn.CoreError, match="multinomial only supports floating-point dtypes for input, got: Long"):
        generator.multinomial("int64", rn.converted([1, 2], "int64", "int64"), 1, 2, 1, False)
