"""The walk in docs/architecture.md: each file on it exists, and each name stands in the file that it is said to stand in."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
FILE = re.compile(r"`((?:pywasmtorch|core-c|wasm|build|tests|docs)/[\w./-]+)`")
NAME = re.compile(r"`(_*[a-zA-Z]\w*)`")
#: what programs and tables say, not files
SAID = {"self", "other", "add", "sum", "grad", "kernel", "a", "b", "cumsum", "conv2d", "_conv", "binary", "isinstance"}

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the sources, which are not beside the tests here")


def absent(text: str) -> list[str]:
    """Files that are not there, and names that no file of their paragraph has."""
    found = []
    for paragraph in re.split(r"\n\n|\n(?=\d+\. )", text):
        files = FILE.findall(paragraph)
        found += [name for name in files if not (ROOT / name).exists()]
        content = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in files if (ROOT / name).is_file())
        if files:
            found += [name for name in NAME.findall(paragraph) if name not in SAID and not re.search(rf"\b{name}\b", content)]
    return found


def test_every_name_on_the_page_exists():
    text = PAGE.read_text(encoding="utf-8")
    walk = text[text.index("## A walk") : text.index("### Where the rest is")]
    assert len(NAME.findall(walk)) > 50
    assert not absent(walk) and not [name for name in FILE.findall(text) if not (ROOT / name).exists()]


def test_a_name_that_is_gone_is_found():
    assert absent("1. `wasm/abi.c` · `pwt_invoke`, `pwt_gone`. And `wasm/absent.c`.\n2. `wasm/frame.h` · `Frame`") == ["wasm/absent.c", "pwt_gone"]
