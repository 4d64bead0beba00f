"""Tests of every host on the mock core. Runs in CPython and in Pyodide; prints a line of JSON for each test."""
from __future__ import annotations

import array
import asyncio
import inspect
import json
import sys
import traceback
import types
from pathlib import Path

PACKAGE = types.ModuleType("pywasmtorch")  # its own __init__ wants the real core
PACKAGE.__path__ = [str(Path(__file__).resolve().parents[2] / "pywasmtorch")]
sys.modules["pywasmtorch"] = PACKAGE

from pywasmtorch._core import host as _host  # noqa: E402

(SUM, FAIL, UNREACHABLE, OUT_OF_BOUNDS, RECURSE, CALL_HOST, NEW, LIVE, HALVE, PARALLEL, GROW, HIGH,
 WORKER_TRAP, COUNT_UP, RELEASE_CALLS) = range(1, 16)
IN_PYODIDE = sys.platform == "emscripten"
host = _host.load()


def call(op, *arguments):
    if host.dead:
        host.flush()
    for i, argument in enumerate(arguments):
        host.words[i] = argument
    result = host.invoke(op | len(arguments) << 16)
    if not result:
        host.raise_error()
    return result


def value(op, *arguments):
    call(op, *arguments)
    return host.words[0]


def error_of(action, *arguments):
    try:
        action(*arguments)
    except BaseException as error:
        return error
    raise AssertionError("no exception")


def test_arguments_and_results():
    assert value(SUM, 1, 2, -9) == -6
    assert value(SUM, 2**62, -2**63) == 2**62 - 2**63
    host.doubles[0] = -3.5
    assert host.invoke(HALVE) == 1 and host.doubles[0] == -1.75


def test_long_frames():
    numbers = list(range(-500, 20_000))
    assert value(SUM, *numbers) == sum(numbers)
    for n in (63, 64, 65, 66, 127, 128, 129, 1000, 30_000, 65_535):
        call(COUNT_UP, n)
        assert list(host.words[:n]) == list(range(n)), n
        assert value(SUM, 1, 2) == 3
        assert value(SUM, *range(n)) == n * (n - 1) // 2, n
        assert value(SUM, *range(1, n + 1)) == n * (n + 1) // 2, n


def test_long_frames_around_a_callback():
    def callback(kind, id):
        assert list(host.words[3:400]) == list(range(3, 400))
        for n in (3, 500):
            assert value(SUM, *[1] * n) == n
        for i in range(900):
            host.words[i] = i
        return 0

    host.set_callback(callback)
    numbers = list(range(400))
    numbers[0] = 3
    call(CALL_HOST, *numbers)
    assert host.words[0] == 4 and list(host.words[4:900]) == list(range(4, 900))


def test_a_release_in_between_leaves_the_arguments_alone():
    def callback(kind, id):
        kept = bytes(host.words[:64].cast("B"))
        assert value(SUM, 1, 2, 3) == 6
        host.words[:64] = memoryview(kept).cast("q")
        return 0

    host.set_callback(callback)
    call(RELEASE_CALLS, 6)
    try:
        for n in (3, 400):
            host.dead.append(call(NEW))
            assert value(SUM, *range(n)) == n * (n - 1) // 2, n
    finally:
        call(RELEASE_CALLS, 0)


def test_handles_above_two_gigabytes_stay_positive():
    assert call(HIGH) == 0xfffffff0


def test_errors_have_the_type_and_the_message_of_the_core():
    kinds = {1: RuntimeError, 2: ValueError, 3: TypeError, 4: IndexError, 5: NotImplementedError, 6: MemoryError}
    for kind, expected in kinds.items():
        error = error_of(call, FAIL, kind)
        assert type(error) is expected, (kind, error)
        assert error.args == ("expected \u20ac, got nothing",)
    assert value(SUM, 7) == 7


def test_a_trap_is_a_runtime_error_and_the_next_call_works():
    for op, text in ((UNREACHABLE, "unreachable"), (OUT_OF_BOUNDS, "out of bounds")):
        error = error_of(call, op)
        assert isinstance(error, RuntimeError), error
        assert "bug in pywasmtorch" in str(error) and text in str(error).lower().replace("_", " "), error
        assert value(SUM, 7) == 7


def test_overflowing_the_stack_is_a_runtime_error_many_times_over():
    for _ in range(20):
        assert isinstance(error_of(call, RECURSE, 10**6), RuntimeError)
        assert value(RECURSE, 100) == 5050


def test_callbacks_call_in_again():
    seen = []

    def callback(kind, id):
        seen.append((kind, id, value(SUM, 20, 22)))
        return 0

    host.set_callback(callback)
    call(CALL_HOST, 3, -4)
    assert seen == [(3, -4, 42)]


def test_the_frame_travels_both_ways_in_a_callback():
    def callback(kind, id):
        assert host.words[2] == 41
        call(SUM, 1, 2, 3, 4, 5)
        host.words[3] = 2**62
        return 0

    host.set_callback(callback)
    assert value(CALL_HOST, 3, 4) == 2**62 + 1


def test_an_exception_in_a_callback_comes_out_as_it_is():
    def failing(kind, id):
        raise LookupError("mine") from KeyError("cause")

    def interrupted(kind, id):
        raise KeyboardInterrupt

    host.set_callback(failing)
    error = error_of(call, CALL_HOST, 3, 4)
    assert type(error) is LookupError and isinstance(error.__cause__, KeyError)
    assert value(SUM, 7) == 7
    host.set_callback(interrupted)
    assert type(error_of(call, CALL_HOST, 3, 4)) is KeyboardInterrupt
    assert isinstance(error_of(call, FAIL, 2), ValueError)


def test_an_exception_outlives_the_callbacks_that_unwinding_makes():
    def callback(kind, id):
        if kind == 3:
            raise LookupError("mine")
        return 0

    host.set_callback(callback)
    host.words[0], host.words[1] = 3, 4
    assert host.invoke(CALL_HOST | 2 << 16) == 0
    assert call(CALL_HOST, 6, 1) == 1
    host.words[0] = 7
    host.invoke(FAIL | 1 << 16)
    assert type(error_of(host.raise_error)) is LookupError


def test_a_trap_inside_a_callback_gives_its_stack_back():
    def callback(kind, id):
        for _ in range(20):
            assert isinstance(error_of(call, RECURSE, 10**6), RuntimeError)
            assert value(RECURSE, 100) == 5050
        return 0

    host.set_callback(callback)
    call(CALL_HOST, 3, 4)


def test_a_callback_that_traps_without_catching_ends_the_outer_call():
    host.set_callback(lambda kind, id: call(UNREACHABLE))
    assert isinstance(error_of(call, CALL_HOST, 3, 4), RuntimeError)
    assert value(SUM, 7) == 7


def test_dead_handles_are_released_with_the_next_calls():
    handles = [call(NEW) for _ in range(10_000)]
    assert value(LIVE) == 10_000
    host.dead += handles
    while host.dead:
        value(LIVE)
    assert value(LIVE) == 0
    for _ in range(3):
        host.dead.append(call(NEW))
        host.flush()
    assert value(LIVE) == 0


class Holder:
    """Has a handle as a tensor has, and a further one that it lets go of at once when it is gone."""

    def __init__(self, child=None):
        self._h = call(NEW)
        self.child = child

    def __del__(self):
        host.finalize(self)


def test_finalizers_hand_over_and_overflow():
    many = [Holder() for _ in range(10_000)]
    assert value(LIVE) == 10_000
    del many
    assert 10_000 - 4096 <= len(host.dead) < 10_000  # as many as the area has slots before its end did not wait
    while host.dead:
        value(LIVE)
    assert value(LIVE) == 0
    nothing = Holder.__new__(Holder)
    del nothing
    Holder()
    assert value(LIVE) == 0


def test_a_release_that_calls_back_may_let_others_go():
    kept = {}

    def callback(kind, id):
        assert kind == 6
        if kept:
            kept.popitem()
        return 0

    host.set_callback(callback)
    for i in range(100):
        kept[i] = Holder()
    call(RELEASE_CALLS, 6)
    try:
        kept.popitem()
        while kept:
            call(LIVE)
        assert value(LIVE) == 0
    finally:
        call(RELEASE_CALLS, 0)


def test_memory_is_read_and_written():
    address = host.alloc(1 << 20)
    assert address % 64 == 0
    host.write(address, array.array("q", [1, -2, 3]))
    assert host.read_i64(address, 3) == (1, -2, 3)
    assert host.read(address, 8) == b"\1" + bytes(7)
    large = bytes(range(256)) * 4096
    host.write(address, large)
    assert host.read(address, len(large)) == large
    assert host.read(address + 255, 2) == b"\xff\0"
    assert host.read(address, 0) == b""
    host.write(address, b"")
    for bad in ((-1, 4), (0, -1), (1 << 32, 1), (0, 1 << 32), (-8, 16), ((1 << 32) - 65536, 16)):
        assert isinstance(error_of(host.read, *bad), IndexError), bad
    for bad in (-1, 1 << 32, (1 << 32) - 65536):
        for data in (b"x", bytes(100_000)):
            assert isinstance(error_of(host.write, bad, data), IndexError), bad
    host.free(address)


def test_memory_that_was_added_later():
    before = host.read(0, 4096)
    address = call(GROW, 100 << 20)
    last = address + (100 << 20) - 1
    host.write(last, b"M")
    assert host.read(last, 1) == b"M"
    assert host.read(0, 4096) == before
    assert value(SUM, 1, 2) == 3


def test_views():
    address = host.alloc(4096)
    if IN_PYODIDE:
        assert isinstance(error_of(host.view, address, 8), NotImplementedError)
        return
    view = host.view(address, 8)
    view[0] = 5
    assert host.read_i64(address, 1) == (int.from_bytes(view, "little"),)
    call(GROW, 50 << 20)
    view[1] = 6
    assert host.read(address, 2) == b"\5\6"
    for bad in ((-1, 4), (0, -1), (1 << 32, 1), (0, 1 << 32)):
        assert isinstance(error_of(host.view, *bad), IndexError), bad


def test_too_much_memory_is_a_memory_error():
    assert isinstance(error_of(host.alloc, 1 << 40), MemoryError)
    assert isinstance(error_of(host.alloc, -1), MemoryError)
    assert value(SUM, 7) == 7


async def start_threads(n):
    """Starts threads, and waits until they are there."""
    started = host.start_threads(n)
    if inspect.isawaitable(started):
        await started
    while host.call_export("pwt_workers_ready") < n - 1:
        await asyncio.sleep(0.001)


def has_threads():
    return not IN_PYODIDE or host.shared


async def test_bad_thread_counts_are_refused():
    for bad in (0, -1, 1.5, "2", True):
        assert isinstance(error_of(host.set_num_threads, bad), ValueError), bad
        try:
            await start_threads(bad)
        except ValueError:
            pass
        else:
            raise AssertionError(bad)


async def test_threads():
    if not has_threads():
        assert await host.start_threads(3) == 1
        assert value(PARALLEL, 8, 1000) == 0
        return
    await start_threads(3)
    assert host.num_threads == 3
    while value(PARALLEL, 64, 200_000) == 0:
        await asyncio.sleep(0.001)
    host.set_num_threads(1)
    assert host.num_threads == 1
    assert value(PARALLEL, 8, 1000) == 0
    host.set_num_threads(2)
    while value(PARALLEL, 64, 200_000) == 0:
        await asyncio.sleep(0.001)


async def test_a_trap_in_a_worker_is_a_runtime_error_and_later_loops_work():
    if not has_threads():
        return
    for _ in range(3):
        await start_threads(3)
        error = None
        while error is None:  # until a worker got a chunk
            try:
                call(WORKER_TRAP, 64, 1_000_000)
            except RuntimeError as caught:
                error = caught
        assert "bug in pywasmtorch" in str(error), error
        assert value(PARALLEL, 64, 1000) >= 0
    await start_threads(3)
    while value(PARALLEL, 64, 200_000) == 0:
        await asyncio.sleep(0.001)


async def async_main():
    for name, test in list(globals().items()):
        if not name.startswith("test_"):
            continue
        failure = None
        try:
            outcome = test()
            if inspect.isawaitable(outcome):
                await outcome
        except BaseException:
            failure = traceback.format_exc()
        print(json.dumps([name, failure]), flush=True)


if __name__ == "__main__" and not IN_PYODIDE:
    asyncio.run(async_main())
