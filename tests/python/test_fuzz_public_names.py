"""The first cases of tests/fuzz: all public names with random arguments, here and in PyTorch."""

import pathlib

import pytest

import pywasmtorch

torch = pytest.importorskip("torch", reason="PyTorch is not installed, so there is nothing to compare with")
if pywasmtorch is torch:
    pytest.skip("torch stands in for pywasmtorch: there is nothing to compare", allow_module_level=True)

from fuzz import explained  # noqa: E402  (it needs numpy, which stands beside PyTorch)
from fuzz.supervise import Supervisor  # noqa: E402

DIFFERENCES = pathlib.Path(__file__).parents[2] / "docs" / "differences.md"
SEED, CASES = 1, 3000


def test_no_difference_is_unexplained():
    report = Supervisor(SEED, jobs=1).run(0, CASES, None)
    # a case that ends PyTorch takes those beside it along
    assert report.cases >= CASES - 100 * len(report.ended_theirs) and len(report.answered) > 1000
    found = [f"{finding.kind} of {finding.target}\n{finding.program.text()}\nPyTorch: {finding.theirs}\nhere: {finding.ours}" for finding in report.sorted()]
    assert not found, "\n\n".join(found[:5])


def test_explanations_are_words_of_the_page():
    text = DIFFERENCES.read_text(encoding="utf-8")
    assert [row.statement for row in explained.TABLE if row.statement not in text] == []
    assert explained.STRIDES in text
