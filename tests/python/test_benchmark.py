"""torch.utils.benchmark: tables of Compare as PyTorch 2.13 printed them, tensors of Fuzzer as it drew them."""

import pytest

import pywasmtorch as torch
from pywasmtorch.utils.benchmark import (
    Compare,
    FuzzedParameter,
    FuzzedTensor,
    Fuzzer,
    Measurement,
    ParameterAlias,
    TaskSpec,
    Timer,
)


def results():
    found = []
    for threads in (1, 4):
        for name, env, times in (("small", "base", [1e-5, 1.02e-5, 1.01e-5]), ("large", "fast", [3e-3, 2.5e-3, 4e-3])):
            for description, factor in (("ours", 1.0), ("theirs", 2.5)):
                if (threads, name, description) != (4, "large", "theirs"):
                    task = TaskSpec(stmt="f(x)", setup="", label="add", sub_label=name, description=description, env=env, num_threads=threads)
                    found.append(Measurement(10, [t * factor / threads * 10 for t in times], task))
    return found


PLAIN = """\
[--------------- add ---------------]
                 |   ours   |  theirs
1 threads: --------------------------
  (base)  small  |    10.1  |    25.2
  (fast)  large  |  3000.0  |  7500.0
4 threads: --------------------------
  (base)  small  |     2.5  |     6.3
  (fast)  large  |   750.0  |{0}

Times are in microseconds (us).
"""

TRIMMED = """\
[--------------------- add ---------------------]
                 |      ours      |     theirs{0}
1 threads: --------------------------------------
  (base)  small  |    10          |    25{1}
  (fast)  large  |  3000 (! 25%)  |  8000 (! 25%)
4 threads: --------------------------------------
  (base)  small  |     2          |     6{1}
  (fast)  large  |   800 (! 25%)  |{2}

Times are in microseconds (us).
(! XX%) Measurement has high variance, where XX is the IQR / median * 100.
"""


def test_measurements_side_by_side():
    assert str(Compare(results())) == PLAIN.format(" " * 8)
    compare = Compare(results()[:3])
    compare.extend_results(results()[3:])
    compare.trim_significant_figures()
    compare.highlight_warnings()
    assert str(compare) == TRIMMED.format(" " * 3, " " * 8, " " * 14)
    with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
        compare.extend_results([1.0])


def test_the_best_of_a_row_is_green():
    compare = Compare(results())
    compare.colorize(rowwise=True)
    green, red = "\033[92m\033[1m{}\033[0m\033[0m", "\033[2m\033[91m{}\033[0m\033[0m"
    assert f"  (base)  small  |  {green.format('  10.1')}  |  {red.format('  25.2')}" in str(compare)


def test_code_may_stand_indented():
    timer = Timer("""
        z = x + y
        if z:
            z = 2
    """, setup="""
        x = 1
        y = 2
    """)
    assert timer.timeit(2).number_per_run == 2 and timer.timeit(2).setup == "x = 1\ny = 2"


def test_measurements_of_one_task_are_merged():
    task = TaskSpec(stmt="x", setup="")
    (merged,) = Measurement.merge([Measurement(10, [1.0], task), Measurement(20, [4.0], task)])
    assert merged.number_per_run == 10 and merged.times == [0.1, 0.2] and merged.as_row_name == "x"


def test_tensors_to_measure_with():
    pytest.importorskip("numpy")
    parameters = [FuzzedParameter("k0", 1, 64, "loguniform"), [FuzzedParameter("k1", 1, 64, "uniform"), FuzzedParameter("p", 0.5, 1.5, "uniform", strict=True)]]
    tensor = FuzzedTensor("x", ("k0", "k1", 2), steps=(1, 2, 1), min_elements=20, max_elements=4096, probability_contiguous=0.3)
    found = [(tuple(t["x"].shape), t["x"].stride(), p["x"]["order"].tolist()) for t, p, _ in Fuzzer(parameters, [tensor], seed=0).take(4)]
    assert found == [
        ((19, 4, 2), (8, 2, 152), [2, 0, 1]), ((6, 7, 2), (28, 4, 1), [0, 1, 2]), ((7, 40, 2), (160, 2, 80), [0, 2, 1]), ((1, 10, 2), (20, 2, 20), [2, 0, 1]),
    ]  # fmt: skip


def test_aliases_and_choices():
    pytest.importorskip("numpy")
    parameters = [FuzzedParameter("n", 2, 9, "uniform"), FuzzedParameter("m", distribution={1: 0.5, ParameterAlias("n"): 0.5})]
    sizes = [(t["x"].shape[0], p["n"]) for t, _, p in Fuzzer(parameters, [FuzzedTensor("x", ("m",), dtype=torch.int32)], seed=1).take(20)]
    assert {size == n for size, n in sizes} == {True, False} and all(size in (1, n) for size, n in sizes)
    with pytest.raises(AssertionError, match="not normalized"):
        FuzzedParameter("m", distribution={1: 0.5})
