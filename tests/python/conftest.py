"""No test leaves a tensor behind."""

import gc
import importlib

import pytest

FAILED = pytest.StashKey()


@pytest.fixture(scope="session", autouse=True)
def steady_state():
    """What stays for good is there before the first test: the core's random engine and the stacks of its threads. What was
    imported by then is not looked at each time that garbage is collected."""
    importlib.import_module("pywasmtorch").rand(1_000_000).exp()
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
    if request.config.getoption("--target") == "torch":
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
