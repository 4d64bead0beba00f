"""Shared by all tests: which library is tested."""

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
