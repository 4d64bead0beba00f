"""What PyTorch warns of, with its categories, at the line of the program that called."""

import warnings

import pytest

import pywasmtorch as torch


@pytest.fixture(autouse=True)
def each_time():
    torch.set_warn_always(True)
    yield
    torch.set_warn_always(False)


def said(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            call()
        except RuntimeError:
            pass
    return caught


def bytes_of_mask():
    return torch.tensor([1, 0], dtype=torch.uint8)


def complex_ones():
    return torch.ones(2, dtype=torch.complex64)


@pytest.mark.parametrize("call, text", [
    (lambda: (torch.ones(2, requires_grad=True) * 2).grad, "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed"),
    (lambda: complex_ones().to(torch.float32), "Casting complex values to real discards the imaginary part"),
    (lambda: complex_ones().float(), "Casting complex values to real discards the imaginary part"),
    (lambda: complex_ones().type(torch.int64), "Casting complex values to real discards the imaginary part"),
    (lambda: torch.ones(2).copy_(complex_ones()), "Casting complex values to real discards the imaginary part"),
    (lambda: torch.ones(2).__setitem__(0, complex_ones()[0]), "Casting complex values to real discards the imaginary part"),
    (lambda: torch.as_tensor(complex_ones(), dtype=torch.float64), "Casting complex values to real discards the imaginary part"),
    (lambda: torch.ones(1).std(), "std(): degrees of freedom is <= 0"),
    (lambda: torch.ones(2, 1).var(1), "var(): degrees of freedom is <= 0"),
    (lambda: torch.std(torch.ones(0), correction=0), "std(): degrees of freedom is <= 0"),
    (lambda: torch.var(torch.ones(3), correction=3), "var(): degrees of freedom is <= 0"),
    (lambda: torch.var_mean(torch.ones(())), "var_mean(): degrees of freedom is <= 0"),
    (lambda: torch.std_mean(torch.ones(1), 0), "std_mean(): degrees of freedom is <= 0"),
    (lambda: torch.tensor(torch.ones(2)), "To copy construct from a tensor, it is recommended to use"),
    (lambda: torch.ones(2).new_tensor(torch.ones(2)), "To copy construct from a tensor, it is recommended to use"),
    (lambda: torch.ones(2)[bytes_of_mask()], "indexing with dtype torch.uint8 is now deprecated"),
    (lambda: torch.where(bytes_of_mask(), torch.ones(2), torch.zeros(2)), "where received a uint8 condition tensor"),
    (lambda: torch.cross(torch.ones(2, 3), torch.ones(2, 3)), "Using torch.cross without specifying the dim arg is deprecated"),
    (lambda: torch.ones(2, 3).cross(torch.ones(2, 3)), "Using torch.cross without specifying the dim arg is deprecated"),
    (lambda: torch.frombuffer(b"abcd", dtype=torch.uint8), "The given buffer is not writable"),
])  # fmt: skip
def test_a_warning_at_the_callers_line(call, text):
    (warning,) = said(call)
    assert warning.category is UserWarning and str(warning.message).startswith(text)
    assert warning.filename == __file__


@pytest.mark.parametrize("call", [
    lambda: torch.ones(2, requires_grad=True).grad, lambda: torch.ones(2).grad, lambda: complex_ones().bool(), lambda: complex_ones().real,
    lambda: complex_ones().to(torch.complex128), lambda: torch.ones(2).std(), lambda: torch.ones(2, 1).std(1, correction=0), lambda: torch.ones(1).var(unbiased=False),
    lambda: torch.ones(1).var(0, False), lambda: torch.tensor([torch.ones(2)[0]]), lambda: torch.as_tensor(torch.ones(2)), lambda: torch.Tensor(torch.ones(2)),
    lambda: torch.linalg.cross(torch.ones(2, 3), torch.ones(2, 3)), lambda: torch.cross(torch.ones(2, 3), torch.ones(2, 3), dim=1),
    lambda: torch.where(torch.tensor([True, False]), 1.0, 2.0), lambda: torch.frombuffer(bytearray(4), dtype=torch.uint8),
])  # fmt: skip
def test_no_warning(call):
    assert not said(call)


def test_retained_gradients_are_no_surprise():
    y = torch.ones(2, requires_grad=True) * 2
    y.retain_grad()
    assert not said(lambda: y.grad)


def test_arrays_of_numpy():
    numpy = pytest.importorskip("numpy")
    pair = [numpy.ones(2), numpy.ones(2)]
    for call in (lambda: torch.tensor(pair), lambda: torch.as_tensor(pair), lambda: torch.tensor([pair])):
        found = said(call)
        assert found and all(w.category is UserWarning and str(w.message).startswith("Creating a tensor from a list of numpy.ndarrays is extremely slow") for w in found)
    fixed = numpy.arange(3.0)
    fixed.setflags(write=False)
    for call in (lambda: torch.from_numpy(fixed), lambda: torch.as_tensor(fixed), lambda: torch.asarray(fixed)):
        (warning,) = said(call)
        assert warning.category is UserWarning and str(warning.message).startswith("The given NumPy array is not writable")
    assert not said(lambda: torch.tensor(fixed)) and not said(lambda: torch.tensor(numpy.ones(2))) and not said(lambda: torch.tensor([numpy.float32(1)]))


def test_the_default_type_of_old():
    (warning,) = said(lambda: torch.set_default_tensor_type(torch.FloatTensor))
    assert warning.category is UserWarning and "torch.set_default_tensor_type() is deprecated as of PyTorch 2.1" in str(warning.message)


def test_what_is_said_once_is_said_once():
    torch.set_warn_always(False)
    said(lambda: complex_ones().float())
    assert not said(lambda: complex_ones().float())
    assert len(said(lambda: torch.ones(1).std())) == len(said(lambda: torch.ones(1).std())) == 1
