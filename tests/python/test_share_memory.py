"""Memory is not shared between processes, and whoever asks for it is told."""

import pytest

import pywasmtorch as torch

pytestmark = pytest.mark.filterwarnings("ignore:TypedStorage is deprecated")


@pytest.fixture(autouse=True)
def only_here(request):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch shares memory")


def adagrad():
    return torch.optim.Adagrad([torch.nn.Parameter(torch.ones(2))])


@pytest.mark.parametrize("share", [
    lambda: torch.ones(2).share_memory_(), lambda: torch.ones(2).untyped_storage().share_memory_(), lambda: torch.ones(2).storage().share_memory_(),
    lambda: torch.nn.Linear(2, 2).share_memory(), lambda: torch.nn.Sequential(torch.nn.BatchNorm1d(2)).share_memory(), lambda: adagrad().share_memory(),
    lambda: torch.nn.Parameter(torch.ones(2)).share_memory_(),
])
def test_sharing_is_refused_by_name(share):
    with pytest.raises(NotImplementedError, match=r"share_memory_\(\): pywasmtorch shares no memory between processes"):
        share()


def test_nothing_is_shared():
    t = torch.ones(2)
    assert not t.is_shared() and not t.untyped_storage().is_shared() and not t.storage().is_shared()


def test_a_module_without_tensors_has_nothing_to_share():
    module = torch.nn.ReLU()
    assert module.share_memory() is module
