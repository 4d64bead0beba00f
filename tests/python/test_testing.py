"""torch.testing: assert_close and its messages; make_tensor's ranges."""

import pytest

NAN = float("nan")


def said(lib, left, right, **options):
    """The error's text, or None."""
    try:
        lib.testing.assert_close(left, right, **options)
    except AssertionError as error:
        return str(error)


def test_equal_and_close_things(lib):
    t = lib.tensor
    for left, right in [
        (t([1.0, 2.0]), t([1.0, 2.0 + 1e-6])), (1, 1), (1.0, 1.0 + 1e-9), (1j, 1j), (True, True), (None, None), ([1, (2.0, t([3]))], [1, (2.0, t([3]))]),
        ({"a": t(1.0), "b": 2}, {"b": 2, "a": t(1.0)}), (t([]), t([])), (t([float("inf")]), t([float("inf")])), (t([True, False]), t([True, False])),
    ]:
        assert said(lib, left, right) is None
    assert said(lib, t([NAN]), t([NAN]), equal_nan=True) is None
    assert said(lib, NAN, NAN, equal_nan=True) is None
    assert said(lib, t([1.0, 2]), t([1.0, 2], dtype=lib.float64), check_dtype=False) is None
    assert said(lib, 1, 1.0, check_dtype=False) is None
    assert said(lib, t([1.0, 2, 3]), t([1.0, 2, 4]), rtol=1, atol=2) is None


def test_what_is_said_of_tensors(lib):
    t = lib.tensor
    assert said(lib, t([1.0, 2, 3]), t([1.0, 2, 4])) == (
        "Tensor-likes are not close!\n\nMismatched elements: 1 / 3 (33.3%)\nGreatest absolute difference: 1.0 at index (2,) (up to 1e-05 allowed)\n"
        "Greatest relative difference: 0.25 at index (2,) (up to 1.3e-06 allowed)"
    )
    assert said(lib, lib.zeros(2, 3, dtype=lib.int64), lib.ones(2, 3, dtype=lib.int64)) == (
        "Tensor-likes are not equal!\n\nMismatched elements: 6 / 6 (100.0%)\nGreatest absolute difference: 1 at index (0, 0)\n"
        "Greatest relative difference: 1.0 at index (0, 0)"
    )
    assert "difference: 1 at index (1,)\nGreatest relative difference: 1.0" in said(lib, t([True, False]), t([True, True]))
    assert "relative difference: inf at index (0,)" in said(lib, t([1.0, 0]), t([0.0, 0]))
    assert "absolute difference: nan at index (0,)" in said(lib, t([NAN]), t([NAN]))
    assert said(lib, t(1.0), t(2.0)) == (
        "Scalars are not close!\n\nExpected 2.0 but got 1.0.\nAbsolute difference: 1.0 (up to 1e-05 allowed)\nRelative difference: 0.5 (up to 1.3e-06 allowed)"
    )
    assert said(lib, t([1.0, 2]), t([[1.0, 2]])) == "The values for attribute 'shape' do not match: torch.Size([2]) != torch.Size([1, 2])."
    assert said(lib, t([1.0]), t([1.0], dtype=lib.float64)) == "The values for attribute 'dtype' do not match: torch.float32 != torch.float64."
    assert said(lib, t([[1.0, 2], [3, 4]])[:, 0], t([1.0, 3]), check_stride=True) == "The values for attribute 'stride()' do not match: (2,) != (1,)."


def test_what_is_said_of_numbers_and_containers(lib):
    t = lib.tensor
    assert said(lib, 1, 2) == "Scalars are not equal!\n\nExpected 2 but got 1.\nAbsolute difference: 1\nRelative difference: 0.5"
    assert said(lib, 1, 1.0) == "The (d)types do not match: <class 'int'> != <class 'float'>."
    assert said(lib, True, False) == "Booleans mismatch: True is not False"
    assert said(lib, None, 1) == "None mismatch: None is not 1"
    assert said(lib, [1.0], [1.0, 2.0]) == "The length of the sequences mismatch: 1 != 2"
    assert said(lib, {"a": 1.0}, {"b": 1.0}) == (
        "The keys of the mappings do not match:\nMissing keys in the actual mapping: ['b']\nAdditional keys in the actual mapping: ['a']"
    )
    assert said(lib, [1, {"k": t([1.0])}], [1, {"k": t([2.0])}]).endswith("\n\nThe failure occurred for item [1]['k']")
    assert said(lib, t([1.0]), t([3.0]), msg="mine") == "mine"
    assert said(lib, t([1.0]), t([3.0]), msg=lambda text: text[:6]) == "Tensor"


def test_what_cannot_be_compared(lib):
    close = lib.testing.assert_close
    with pytest.raises(ValueError, match="'rtol' and 'atol' must be either specified or omitted, but got no atol"):
        close(1.0, 1.0, rtol=1e-3)
    for left, right in [("a", "a"), (lib.ones(2), [1.0, 1.0]), (object(), object())]:
        with pytest.raises(TypeError, match="No comparison pair was able to handle inputs of type"):
            close(left, right)


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16", "complex64", "int64", "int32", "uint8", "bool"])
def test_made_tensors(lib, name):
    dtype = getattr(lib, name)
    made = lib.testing.make_tensor(3, 40, dtype=dtype, device="cpu")
    parts = lib.view_as_real(made) if made.is_complex() else made.double()
    low, high = {"uint8": (0, 9), "bool": (0, 1)}.get(name, (-9, 9))
    assert made.shape == (3, 40) and made.dtype == dtype
    assert low <= parts.min() < parts.max() <= high
    assert not lib.testing.make_tensor((2, 3), dtype=dtype, device="cpu", noncontiguous=True).is_contiguous()
    assert bool((lib.testing.make_tensor(50, dtype=dtype, device="cpu", low=0, high=2, exclude_zero=True) != 0).all())


def test_made_tensors_are_those_of_the_seed(lib):
    lib.manual_seed(0)
    made = lib.testing.make_tensor(2, dtype=lib.float32, device="cpu", low=0, high=1)
    lib.manual_seed(0)
    assert made.tolist() == lib.rand(2).tolist()
    for options in [{"low": 2, "high": 1}, {"low": NAN}, {"requires_grad": True}]:
        with pytest.raises(ValueError):
            lib.testing.make_tensor(2, dtype=lib.int64, device="cpu", **options)
