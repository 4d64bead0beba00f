"""Known differences from PyTorch's operator database, with reasons: ``opdb_differences.json``, reasons by entry and dtype.

``python -m tests.golden.opdb_differences`` lists the recorded entries that differ and stand in no list.
"""

import importlib
import json
import pathlib
import sys

from . import replay, store

FILE = pathlib.Path(__file__).parent / "opdb_differences.json"


def read():
    """The reason for each "NAME DTYPE" ("NAME errors" for refusals) that differs."""
    reasons = json.loads(FILE.read_text())
    return {f"{name} {dtype}": reason for reason, entries in reasons.items() for name, dtypes in entries.items() for dtype in dtypes}


def families():
    return [replay.Family(name) for name in store.names() if name.startswith("opdb_")]


def main():
    lib, known, total = importlib.import_module("pywasmtorch"), read(), set()
    differing = {}
    for family in families():
        for case in family.index["cases"]:
            total.add(case["entry"])
            found = family.check(lib, case)
            if found:
                differing.setdefault(case["entry"], f"{replay.text_of_case(case, family.inputs)[:200]}\n    {found[:200]}")
    for entry in sorted(differing.keys() - known):
        print(f"{entry}: {differing[entry]}")
    for entry in sorted(known.keys() - differing.keys()):
        print(f"{entry} agrees, but is listed")
    print(f"{len(differing)} of {len(total)} entries differ, {len(differing.keys() & known.keys())} of them are listed")
    return bool(differing.keys() ^ known.keys())


if __name__ == "__main__":
    sys.exit(main())
