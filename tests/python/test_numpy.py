"""NumPy's arrays and numbers beside tensors, as PyTorch takes them."""

import pytest

np = pytest.importorskip("numpy")


def test_arrays_index(lib):
    x = lib.arange(12.0).reshape(4, 3)
    assert x[np.array([2, 0])].tolist() == [[6, 7, 8], [0, 1, 2]]
    assert x[np.array([2, 0]), 1].tolist() == [7, 1]
    assert x[:, np.array([1])].tolist() == [[1], [4], [7], [10]]
    assert x[np.array([True, False, False, True])].tolist() == [[0, 1, 2], [9, 10, 11]]
    assert x[np.array([0, 1]), np.array([1, 2])].tolist() == [1, 5]
    assert x[np.int64(1), np.array(2)].item() == 5
    x[np.array([0, 3])] = 0.0
    assert x.sum(1).tolist() == [0, 12, 21, 0]


@pytest.mark.parametrize(
    "make, name",
    [
        (lambda lib: np.float64(1), "float64"),
        (lambda lib: [np.float64(1)], "float64"),
        (lambda lib: [np.ones(2), np.ones(2)], "float64"),
        (lambda lib: [np.int32(1)], "int32"),
        (lambda lib: [np.ones(1, np.int32)], "int32"),
        (lambda lib: [np.uint8(1)], "uint8"),
        (lambda lib: [np.float32(1), 2.0], "float32"),
        (lambda lib: [np.int32(1), 2], "int64"),
        (lambda lib: [np.bool_(True)], "bool"),
        (lambda lib: [lib.ones((), dtype=lib.float64)], "float64"),
        (lambda lib: [lib.ones((), dtype=lib.int32), lib.ones((), dtype=lib.int16)], "int32"),
        (lambda lib: [1, True], "int64"),
        (lambda lib: [], "float32"),
    ],
)
def test_dtypes_of_what_tensors_are_made_of(lib, make, name):
    assert lib.tensor(make(lib)).dtype is getattr(lib, name)
    assert lib.as_tensor(make(lib)).dtype is getattr(lib, name)


def test_operators_with_arrays_give_tensors_of_numpys_dtype(lib):
    t, a = lib.ones(2), np.array([1.0, 2.0])
    for result, values in [(t + a, [2, 3]), (t - a, [0, -1]), (t * a, [1, 2]), (t / a, [1, 0.5]), (t**a, [1, 1]), (t @ a, 3)]:
        assert isinstance(result, lib.Tensor) and result.dtype is lib.float64 and result.tolist() == values
    assert (t == a).dtype is lib.bool and (t == a).tolist() == [True, False] and (a == t).tolist() == [True, False]
    before = t
    t += a
    assert t is not before and t.tolist() == [2, 3]
    with pytest.raises(TypeError):
        assert t > a


def test_functions_of_numpy_give_tensors(lib):
    t = lib.zeros(2)
    assert isinstance(np.sin(t), lib.Tensor) and np.cos(t).tolist() == [1, 1]
    assert np.add(t, 1).dtype is lib.float32
    assert np.isnan(t).dtype is lib.uint8
    with pytest.raises(RuntimeError, match="requires grad"):
        np.sin(t.requires_grad_())
