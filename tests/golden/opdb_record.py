"""Record a few samples of every operator in PyTorch's database: ``python -m tests.golden.opdb_record [GROUP ...]``.

Needs PyTorch and expecttest. Small samples are preferred, spread over the database's list; what PyTorch gives is recorded whether
this package agrees or not (`opdb_differences.json` says where it does not, and why).
"""

import collections
import itertools
import sys
import warnings

import torch

from . import opdb, opdb_paths, store

GROUPS = ["linalg", "fft", "special", "nn.functional", "masked", "signal"]
MANY = 1 << 40
LARGEST_CASE = 6000  # bytes of tensors
SAMPLES = {"float32": 8}
SAMPLES_OF_OTHER_DTYPES = 2
MOST_CANDIDATES = 120


def group_of(op):
    return next((group.replace(".", "_") for group in GROUPS if op.name.startswith(f"{group}.")), "core")


def bytes_in(value):
    if isinstance(value, torch.Tensor):
        return value.untyped_storage().nbytes() if value.layout == torch.strided else MANY
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_in, value))
    if isinstance(value, dict):
        return sum(map(bytes_in, value.values()))
    return 0


def candidates(op, dtype):
    """The database's samples that are small enough, with gradients where the dtype has them."""
    found = []
    try:
        for sample in itertools.islice(opdb.samples_of(op, dtype, True), MOST_CANDIDATES):
            if bytes_in([sample.input, sample.args, sample.kwargs]) <= LARGEST_CASE:
                found.append(sample)
    except Exception as error:
        print(f"{opdb.full_name(op)} {dtype}: the database fails: {type(error).__name__}", file=sys.stderr)
    return found


def spread(items, count):
    """At most `count` of the items, evenly spaced, the first and the last among them."""
    if len(items) <= count:
        return items
    return [items[i * (len(items) - 1) // (count - 1)] for i in range(count)]


def record_group(group, ops):
    recorder = opdb.recorder_class()()
    cases = []
    for op in ops:
        for dtype in opdb.DTYPES:
            if getattr(torch, dtype) not in op.dtypes:
                continue
            for sample in spread(candidates(op, dtype), SAMPLES.get(dtype, SAMPLES_OF_OTHER_DTYPES)):
                cases += _case(recorder, op, sample, dtype)
        for sample in opdb.error_samples_of(op):
            if bytes_in([sample.input, sample.args, sample.kwargs]) <= LARGEST_CASE:
                cases += _case(recorder, op, sample, "errors", error=True)
    index = {"torch": torch.__version__.partition("+")[0], "signed_zeros": False, "inputs": recorder.inputs,
             "cases": sorted(cases, key=lambda case: case["op"]), "programs": {}}
    store.write(f"opdb_{group}", index, recorder.pools)
    print(f"opdb_{group}: {len(cases)} cases, {sum(map(len, recorder.pools.data.values()))} bytes of tensors")


def _case(recorder, op, sample, dtype, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            case = recorder.sample(op, sample, **options)
        except Exception:
            return []  # the live comparison says which and why
    return [{**case, "entry": f"{opdb_paths.full_name(op)} {dtype}"}] if case else []


def main():
    groups = collections.defaultdict(list)
    for op in opdb.database():
        groups[group_of(op)].append(op)
    for group in sys.argv[1:] or sorted(groups):
        record_group(group, groups[group])


if __name__ == "__main__":
    main()
