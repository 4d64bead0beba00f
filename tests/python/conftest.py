"""No test leaves a tensor behind."""

import gc
import importlib

import pytest

FAILED = pytest.StashKey()


def alive():
    """How many tensors and bytes the core keeps."""
    core = importlib.import_module("pywasmtorch._core.memory")
    return core.live_tensors(), core.memory_allocated()


@pytest.fixture(scope="session", autouse=True)
def steady_state(request):
    """What stays for good is there before the first test: the core's random engine and the stacks of its threads. What was
    imported by then is not looked at each time that garbage is collected."""
    importlib.import_module("pywasmtorch").rand(1_000_000).exp()
    gc.collect()
    gc.freeze()
    before = None if request.config.getoption("--target") == "torch" else alive()
    yield
    gc.unfreeze()
    if before and not request.session.testsfailed:
        gc.collect()
        assert alive() == before, f"(live tensors, bytes) were {before} before the first test and are {alive()} after the last"


@pytest.fixture(autouse=True)
def seeded(steady_state):
    """Processes draw their own random numbers; tests draw the same in every run."""
    importlib.import_module("pywasmtorch").manual_seed(0)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item):
    report = yield
    if report.failed:
        item.stash[FAILED] = True
    return report


@pytest.fixture(autouse=True)
def nothing_left_behind(request, steady_state):
    """After every test as many tensors and bytes are alive as before it."""
    if request.config.getoption("--target") == "torch":
        yield
        return
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
