"""Shared by all tests: which library is tested, and that no test leaves a tensor behind."""

import gc
import importlib
import pathlib
import sys

import pytest

TESTS = pathlib.Path(__file__).parent

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


@pytest.fixture(autouse=True)
def nothing_left_behind(request):
    """After every test as many tensors and bytes are alive as before it."""
    core = getattr(sys.modules.get("pywasmtorch"), "_C", None)
    if not hasattr(core, "live_tensors"):
        yield
        return

    def alive():
        for _ in range(2):  # what goes at first may be what keeps the rest from being seen as garbage
            gc.collect()
            core.live_tensors()
        return core.live_tensors(), core.memory_allocated()

    before = alive()
    yield
    after = alive()
    assert after == before, f"(live tensors, bytes) were {before} before the test and are {after} after it"
