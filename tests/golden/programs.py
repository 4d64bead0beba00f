"""Programs: functions that take the library under test and return a dict of results to compare."""

import hashlib
import inspect


def programs_of(module):
    return [value for value in vars(module).values() if getattr(value, "is_program", False)]


def digest(program):
    """A short hash of the program's source, which tells a recording that is older than its program."""
    return hashlib.sha256(inspect.getsource(program).encode()).hexdigest()[:12]


def run_program(lib, program):
    lib.manual_seed(0)
    return program(lib)
