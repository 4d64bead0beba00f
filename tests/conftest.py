"""Shared by all tests: which library is tested, and that no test leaves a tensor behind."""

import gc
import importlib
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).parent
FAILED = pytest.StashKey()

for folder in (TESTS, TESTS.parent):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))


def pytest_addoption(parser):
    parser.addoption(
        "--target",
        choices=("pywasmtorch", "torch"),
        default="pywasmtorch",
        help="the library under test: with torch, `import pywasmtorch` gives PyTorch, which shows that the tests are right",
    )


def pytest_configure(config):
    if config.getoption("--target") == "torch":
        importlib.import_module("golden.stand_in").install()


@pytest.fixture(scope="session")
def lib(request):
    """The library under test."""
    return importlib.import_module(request.config.getoption("--target"))


@pytest.fixture(scope="session", autouse=True)
def steady_state(request):
    """What stays for good is there before the first test: the core's random engine and the stacks of its threads. What was
    imported by then is not looked at each time that garbage is collected."""
    torch = sys.modules.get("pywasmtorch")
    if torch and request.config.getoption("--target") == "pywasmtorch":
        torch.rand(1_000_000).exp()
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(autouse=True)
def nothing_left_behind(request, steady_state):
    """After every test as many tensors and bytes are alive as before it."""
    if request.config.getoption("--target") == "torch" or "pywasmtorch" not in sys.modules:
        yield
        return
    core = importlib.import_module("pywasmtorch._C")

    def alive():
        return core.live_tensors(), core.memory_allocated()

    before = alive()
    yield
    if FAILED in request.node.stash:  # its traceback keeps what it worked on
        return
    for _ in range(3):  # what goes at first may be what keeps the rest from being seen as garbage
        after = alive()
        if after == before:
            return
        gc.collect()
    after = alive()
    assert after[0] <= before[0] and after[1] <= before[1], f"(live tensors, bytes) were {before} before the test and are {after} after it"
