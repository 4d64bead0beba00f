"""More of PyTorch's operator database than its samples' values: second derivatives and the other forms of operators.

``python -m tests.golden.opdb_more --gradgrad | --inplace | --out | --views [NAME ...]`` needs what `opdb` needs:

    --gradgrad                second derivatives in float64 by finite differences (opdb_second)
    --inplace, --out, --views those forms, compared with PyTorch (opdb_forms)
    --dtype, --family, --part, --show, --width: as in opdb
"""

import argparse
import collections
import importlib
import sys

from . import opdb_forms, opdb_second
from .opdb import DTYPES, database, full_name


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    for form in ("gradgrad", "inplace", "out", "views"):
        parser.add_argument(f"--{form}", dest="form", action="store_const", const=form)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--family", default="")
    parser.add_argument("--part", default="0/1", help="K/N: every N-th entry, from the K-th on")
    parser.add_argument("--show", type=int, default=2)
    parser.add_argument("--width", type=int, default=300)
    options = parser.parse_args()
    if options.form is None:
        parser.error("one of --gradgrad, --inplace, --out and --views")
    import torch

    lib = importlib.import_module("pywasmtorch")
    dtypes = ["float64"] if options.form == "gradgrad" else DTYPES if options.dtype == "all" else options.dtype.split(",")
    part, parts = map(int, options.part.split("/"))
    ops = [op for op in database() if not options.names or op.name in options.names or full_name(op) in options.names]
    ops = [op for op in ops if op.name.startswith(options.family)][part::parts]
    totals = collections.Counter()
    for op in ops:
        if not (op.supports_gradgrad if options.form == "gradgrad" else opdb_forms.applies(options.form, op)):
            continue
        for dtype in dtypes:
            if getattr(torch, dtype) not in op.dtypes:
                continue
            if options.form == "gradgrad":
                count, failures, skipped = opdb_second.compare(lib, op)
            else:
                count, failures, skipped = opdb_forms.compare(lib, op, options.form, dtype)
            totals["agree" if count and not failures else "differ" if failures else "nothing to compare"] += 1
            if failures or skipped and not count and options.form != "views":
                print(f"{full_name(op)} {dtype}: {len(failures)} of {count} differ{f' (skipped: {skipped})' if skipped else ''}", flush=True)
            for text, found in failures[: options.show]:
                print(f"    {text[:options.width]}\n        {found[:options.width]}")
    print(dict(totals))
    return 0


if __name__ == "__main__":
    sys.exit(main())
