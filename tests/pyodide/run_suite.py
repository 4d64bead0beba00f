"""Runs inside Pyodide: pytest on the tests that it is given, with the package from the wheel."""

import sys

import pytest

import pywasmtorch

# the tests' configuration puts the source tree first; what is imported already stays
if "site-packages" not in pywasmtorch.__file__:
    sys.exit(f"pywasmtorch was to come from the wheel, not from {pywasmtorch.__file__}")
sys.exit(int(pytest.main([*sys.argv[1:], "-p", "no:cacheprovider"])))
