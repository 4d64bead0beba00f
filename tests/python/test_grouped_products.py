"""grouped_mm: each form, its gradient, what is past the last group, and what is refused; values are PyTorch's."""

import pytest


def operands(lib):
    return lib.arange(32.0).reshape(4, 8), lib.arange(64.0).reshape(2, 8, 4)


def ends(lib, *values):
    return lib.tensor(values, dtype=lib.int32)


def test_rows_in_groups(lib):
    a, b = operands(lib)
    found = lib.nn.functional.grouped_mm(a, b, offs=ends(lib, 1, 4))
    assert found.tolist() == [[560.0, 588.0, 616.0, 644.0], [4400.0, 4492.0, 4584.0, 4676.0], [7344.0, 7500.0, 7656.0, 7812.0], [10288.0, 10508.0, 10728.0, 10948.0]]
    assert lib._grouped_mm(a, b, ends(lib, 1, 4)).equal(found)
    by_columns = b.mT.contiguous().mT
    assert lib.nn.functional.grouped_mm(a, by_columns, offs=ends(lib, 1, 4)).equal(found)
    assert lib.nn.functional.grouped_mm(a[:0], b, offs=ends(lib, 0, 0)).shape == (0, 4)


def test_the_other_forms(lib):
    F = lib.nn.functional
    assert F.grouped_mm(lib.ones(2, 4, 8), lib.ones(8, 4), offs=ends(lib, 1, 4)).tolist() == [[8.0] * 4] * 4
    assert F.grouped_mm(lib.ones(4, 8), lib.ones(8, 4), offs=ends(lib, 2, 8)).tolist() == [[[2.0] * 4] * 4, [[6.0] * 4] * 4]
    assert F.grouped_mm(lib.ones(4, 8), lib.ones(8, 4), offs=ends(lib, 3, 6)).tolist() == [[[3.0] * 4] * 4] * 2
    assert F.grouped_mm(lib.ones(2, 4, 8), lib.ones(2, 8, 4)).tolist() == [[[8.0] * 4] * 4] * 2
    for kind in (lib.bfloat16, lib.float16):
        found = F.grouped_mm(lib.ones(4, 8, dtype=kind), lib.ones(2, 8, 8, dtype=kind), offs=ends(lib, 1, 4), out_dtype=kind)
        assert found.dtype == kind and found.tolist() == [[8.0] * 8] * 4


def test_gradient_of_groups(lib):
    a, b = (x.requires_grad_() for x in operands(lib))
    found = lib.nn.functional.grouped_mm(a, b, offs=ends(lib, 1, 3))
    (found * lib.arange(16.0).reshape(4, 4))[:3].sum().backward()
    assert a.grad[0].tolist() == [14.0, 38.0, 62.0, 86.0, 110.0, 134.0, 158.0, 182.0]
    assert a.grad[2].tolist() == [1278.0, 1430.0, 1582.0, 1734.0, 1886.0, 2038.0, 2190.0, 2342.0]
    assert b.grad[0].tolist() == [[0.0, row, 2.0 * row, 3.0 * row] for row in range(8)]
    assert b.grad[1, :2].tolist() == [[160.0, 184.0, 208.0, 232.0], [172.0, 198.0, 224.0, 250.0]]


@pytest.mark.parametrize("a, b, options, says", [
    ((4, 8), (2, 8, 4), {}, "Have to provide offsets if there is a 2d matrix"),
    ((2, 4, 8), (2, 8, 4), {"offs": (1, 4)}, "Have to provide offsets if there is a 2d matrix"),
    ((4, 8), (2, 8, 4), {"offs": (4,)}, "matrix batch sizes have to match"),
    ((2, 4, 8), (3, 8, 4), {}, "batched dimension has to match"),
    ((4, 8), (2, 4, 4), {"offs": (1, 4)}, "contraction dimension of mat_a and mat_b must match"),
    ((4,), (2, 8, 4), {"offs": (1, 4)}, "mat_a has to be 2 or 3d"),
    ((4, 8), (8,), {"offs": (1, 4)}, "mat_b has to be 2 or 3d"),
    ((4, 7), (2, 7, 4), {"offs": (1, 4)}, "strides should be multiple of 16 bytes"),
    ((4, 8), (2, 8, 3), {"offs": (1, 4)}, "strides should be multiple of 16 bytes"),
])
def test_shapes_that_are_refused(lib, a, b, options, says):
    options = {name: ends(lib, *value) for name, value in options.items()}
    with pytest.raises(RuntimeError, match=says):
        lib.nn.functional.grouped_mm(lib.ones(a), lib.ones(b), **options)


def test_types_that_are_refused(lib):
    F, (a, b), offs = lib.nn.functional, operands(lib), ends(lib, 1, 4)
    for says, call in {
        "Offsets have to be int32": lambda: F.grouped_mm(a, b, offs=offs.long()),
        "offs has to be 1D": lambda: F.grouped_mm(a, b, offs=offs[None]),
        "Expected mat_a to be Float32, BFloat16 or Float16 matrix, got Double": lambda: F.grouped_mm(a.double(), b.double(), offs=offs),
        "Bias not supported yet": lambda: F.grouped_mm(a, b, offs=offs, bias=lib.ones(4)),
        "output dtype must match": lambda: F.grouped_mm(a, b, offs=offs, out_dtype=lib.float64),
        "to have the same dtype": lambda: F.grouped_mm(a.half(), lib.ones(2, 8, 8), offs=offs),
        "Invalid strides/sizes": lambda: F.grouped_mm(a[:, ::2], b[:, :4], offs=offs),
    }.items():
        with pytest.raises(RuntimeError, match=says):
            call()
