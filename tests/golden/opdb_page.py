"""Write ``docs/torch-names.md`` from the recorded samples: ``python -m tests.golden.opdb_page``."""

import collections
import pathlib
import sys

from . import opdb_differences

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "torch-names.md"
SHORT = {
    "float32": "f32", "float64": "f64", "int64": "i64", "int32": "i32", "uint8": "u8", "bool": "bool", "float16": "f16",
    "bfloat16": "bf16", "complex64": "c64", "complex128": "c128",
}  # fmt: skip
HEAD = """# PyTorch's names, compared

Generated from `tests/golden/recorded/opdb_*` by `python -m tests.golden.opdb_page`; do not edit. Each line is an entry of PyTorch's own
operator database (version {version}): the dtypes for which all recorded samples give PyTorch's values here, whether gradients were compared
too, and whether its refusals are the same. Of {pairs} pairs of entry and dtype {agree} agree; of {refusals} entries with recorded refusals
{refuse} do.

| torch | dtypes | gradients | refusals | differs |
|---|---|---|---|---|
"""


class Entry:
    def __init__(self):
        self.dtypes, self.grads, self.differs = {}, False, {}


def text():
    known = opdb_differences.read()
    entries, version = collections.defaultdict(Entry), ""
    for family in opdb_differences.families():
        version = family.index["torch"]
        for case in family.index["cases"]:
            name, _, dtype = case["entry"].rpartition(" ")
            entry = entries[name]
            reason = known.get(case["entry"])
            if reason:
                entry.differs.setdefault(reason, set()).add(dtype)
            entry.dtypes[dtype] = not reason
            entry.grads = entry.grads or bool(case.get("grads")) and not reason
    recorded = [agrees for entry in entries.values() for dtype, agrees in entry.dtypes.items() if dtype != "errors"]
    refusals = [entry.dtypes["errors"] for entry in entries.values() if "errors" in entry.dtypes]
    head = HEAD.format(version=version, pairs=len(recorded), agree=sum(recorded), refusals=len(refusals), refuse=sum(refusals))
    return head + "".join(f"{_line(name, entries[name])}\n" for name in sorted(entries))


def _line(name, entry):
    agreeing = [short for dtype, short in SHORT.items() if entry.dtypes.get(dtype)]
    refusals = {None: "", True: "yes", False: "no"}[entry.dtypes.get("errors")]
    differs = "; ".join(f"{', '.join(SHORT.get(d, d) for d in [*SHORT, 'errors'] if d in dtypes)}: {reason}"
                        for reason, dtypes in entry.differs.items())
    return f"| {name} | {' '.join(agreeing) or 'none'} | {'yes' if entry.grads else ''} | {refusals} | {differs} |"


def main():
    PAGE.write_text(text())


if __name__ == "__main__":
    sys.exit(main())
