"""Calls, errors, traps and callbacks, on the mock core."""


def test_arguments_and_results(run_python):
    run_python("""
        assert value(SUM, 1, 2, -9) == -6
        assert value(SUM, 2**62, -2**63) == 2**62 - 2**63
        host.doubles[0] = -3.5
        assert host.invoke(HALVE) == 1 and host.doubles[0] == -1.75
    """)


def test_handles_above_two_gigabytes_stay_positive(run_python):
    run_python("assert call(HIGH) == 0xfffffff0")


def test_errors_have_the_type_and_the_message_of_the_core(run_python):
    run_python("""
        kinds = {1: RuntimeError, 2: ValueError, 3: TypeError, 4: IndexError, 5: NotImplementedError, 6: MemoryError}
        for kind, expected in kinds.items():
            error = error_of(lambda: call(FAIL, kind))
            assert type(error) is expected, (kind, error)
            assert error.args == ("expected \\u20ac, got nothing",)
        assert value(SUM, 7) == 7
    """)


def test_a_trap_is_a_runtime_error_and_the_next_call_works(run_python):
    run_python("""
        for op in (UNREACHABLE, OUT_OF_BOUNDS):
            error = error_of(lambda: call(op))
            assert isinstance(error, RuntimeError) and "bug in pywasmtorch" in str(error), error
            assert value(SUM, 7) == 7
        assert "OUT_OF_BOUNDS" in str(error)
    """)


def test_overflowing_the_stack_is_a_runtime_error_many_times_over(run_python):
    run_python("""
        for _ in range(20):
            assert isinstance(error_of(lambda: call(RECURSE, 10**6)), RuntimeError)
            assert value(RECURSE, 100) == 5050
    """)


def test_callbacks_call_in_again(run_python):
    run_python("""
        seen = []
        def callback(kind, id):
            seen.append((kind, id, value(SUM, 20, 22)))
            return 0
        host.set_callback(callback)
        call(CALL_HOST, 3, -4)
        assert seen == [(3, -4, 42)]
    """)


def test_an_exception_in_a_callback_comes_out_as_it_is(run_python):
    run_python("""
        def callback(kind, id):
            raise LookupError("mine") from KeyError("cause")
        host.set_callback(callback)
        error = error_of(lambda: call(CALL_HOST, 3, 4))
        assert type(error) is LookupError and isinstance(error.__cause__, KeyError)
        assert value(SUM, 7) == 7
        def interrupted(kind, id):
            raise KeyboardInterrupt
        host.set_callback(interrupted)
        assert type(error_of(lambda: call(CALL_HOST, 3, 4))) is KeyboardInterrupt
        assert isinstance(error_of(lambda: call(FAIL, 2)), ValueError)
    """)


def test_a_trap_inside_a_callback_gives_its_stack_back(run_python):
    run_python("""
        def callback(kind, id):
            for _ in range(20):
                assert isinstance(error_of(lambda: call(RECURSE, 10**6)), RuntimeError)
                assert value(RECURSE, 100) == 5050
            return 0
        host.set_callback(callback)
        call(CALL_HOST, 3, 4)
    """)


def test_a_callback_that_traps_without_catching_ends_the_outer_call(run_python):
    run_python("""
        host.set_callback(lambda kind, id: call(UNREACHABLE))
        assert isinstance(error_of(lambda: call(CALL_HOST, 3, 4)), RuntimeError)
        assert value(SUM, 7) == 7
    """)


def test_dead_handles_are_released_with_the_next_calls(run_python):
    run_python("""
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
    """)


def test_memory_is_read_written_and_viewed(run_python):
    run_python("""
        import array
        address = host.alloc(1 << 20)
        assert address % 64 == 0
        host.write(address, array.array("q", [1, -2, 3]))
        assert host.read_i64(address, 3) == (1, -2, 3)
        assert host.read(address, 8) == b"\\1" + bytes(7)
        host.view(address, 8)[0] = 5
        assert host.read_i64(address, 1) == (5,)
        assert host.read(address, 0) == b""
        for bad in ((-1, 4), (0, -1), (1 << 32, 1), (0, 1 << 32)):
            assert isinstance(error_of(lambda: host.view(*bad)), IndexError), bad
        host.free(address)
    """)


def test_views_see_memory_that_was_added_later(run_python):
    run_python("""
        before = host.view(0, 16)
        address = call(GROW, 100 << 20)
        host.view(address, 100 << 20)[-1] = 77
        assert host.read(address + (100 << 20) - 1, 1) == b"M"
        assert bytes(before) == host.read(0, 16)
    """)


def test_long_calls_let_other_threads_run(run_python):
    run_python("""
        import threading
        host.words[0], host.words[1] = 1, 300_000_000
        ticks, finished = [], threading.Event()
        def tick():
            while not finished.wait(0.001):
                ticks.append(1)
        thread = threading.Thread(target=tick)
        thread.start()
        with host.lock:
            assert host.invoke_long(PARALLEL | 2 << 16) == 1
        finished.set()
        thread.join()
        assert ticks
    """)
