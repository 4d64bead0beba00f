"""Every recorded result of PyTorch, replayed; one test for each operator and each program."""

import pytest
from golden import opdb_differences, replay, store

FAMILIES = {name: replay.Family(name) for name in store.names()}
OPERATORS = [(name, op) for name, family in FAMILIES.items() for op in family.operators()]
PROGRAMS = [(name, program) for name, family in FAMILIES.items() for program in family.programs()]
NEED_NUMPY = {("meta", "messages"), ("meta", "refused"), ("stored_dtypes", "float8"), ("stored_dtypes", "unsigned")}
SHOWN_FAILURES = 8
KNOWN = opdb_differences.read()


@pytest.mark.parametrize("family, op", OPERATORS, ids=[f"{family}-{op}" for family, op in OPERATORS])
def test_operator(lib, family, op):
    failures = FAMILIES[family].check_operator(lib, op, KNOWN if lib.__name__ == "pywasmtorch" else {})
    total = len(FAMILIES[family].cases(op))
    shown = "\n".join(failures[:SHOWN_FAILURES])
    if failures:
        pytest.fail(f"{op}: {len(failures)} of {total} recorded cases differ from PyTorch\n{shown}", pytrace=False)


@pytest.mark.parametrize("family, program", PROGRAMS, ids=[f"{family}-{program}" for family, program in PROGRAMS])
def test_program(lib, family, program):
    if (family, program) in NEED_NUMPY:
        pytest.importorskip("numpy", reason="the program hands tensors to numpy")
    found = FAMILIES[family].check_program(lib, program)
    if found:
        pytest.fail(f"{program} differs from PyTorch: {found}", pytrace=False)
