"""The walk in docs/architecture.md: each file on it exists, and each name stands in the file that it is said to stand in."""
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
FILE = re.compile(r"`((?:pywasmtorch|core-c|wasm|build|tests|docs)/[\w./-]+)`")
#: a file, a middle dot, and names of it
STOP = re.compile(FILE.pattern + r" · ((?:`\w+`(?:, )?)+)")

pytestmark = pytest.mark.skipif(not PAGE.is_file(), reason="needs the sources, which are not beside the tests here")


def absent(text: str) -> list[str]:
    text = re.sub(r"\s+", " ", text)
    found = [name for name in FILE.findall(text) if not (ROOT / name).exists()]
    for name, words in STOP.findall(text):
        content = (ROOT / name).read_text(encoding="utf-8") if (ROOT / name).is_file() else ""
        found += [f"{name}: {word}" for word in re.findall(r"\w+", words) if not re.search(rf"\b{word}\b", content)]
    return found


def test_every_name_on_the_page_exists():
    text = PAGE.read_text(encoding="utf-8")
    assert len(STOP.findall(re.sub(r"\s+", " ", text))) > 20
    assert not absent(text)


def test_a_name_that_is_gone_is_found():
    assert absent("1. `wasm/abi.c` · `pwt_invoke`, `pwt_gone`. And `wasm/absent.c`.") == ["wasm/absent.c", "wasm/abi.c: pwt_gone"]
