"""docs/torch-names.md agrees with the recorded comparison."""

import sys

import pytest
from golden import opdb_page


@pytest.mark.skipif(sys.platform == "emscripten", reason="the page stands in the repository, which is not mounted there")
def test_page_is_up_to_date():
    assert opdb_page.PAGE.read_text() == opdb_page.text(), "run: python -m tests.golden.opdb_page"
