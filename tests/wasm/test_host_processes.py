"""Threads, forks, memory limits and the compiled module's cache, on the mock core."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

WAIT = """
        import time
        def wait_until(condition):
            end = time.monotonic() + 20
            while not condition():
                assert time.monotonic() < end, "waited too long"
                time.sleep(0.001)
        def ready():
            return host.call_export("pwt_workers_ready")
"""


def test_workers_start_when_there_is_work_for_them(run_python):
    run_python(WAIT + """
        import threading
        assert host.num_threads == 3 and threading.active_count() == 1
        assert value(PARALLEL, 1, 10) == 0 and threading.active_count() == 1
        value(PARALLEL, 2, 10)
        assert threading.active_count() == 3
        wait_until(lambda: ready() == 2)
        wait_until(lambda: value(PARALLEL, 64, 200_000) > 0)
        host.pool.stop()
        assert ready() == 0 and threading.active_count() == 1
        host.set_num_threads(2)
        assert host.num_threads == 2 and threading.active_count() == 1
        wait_until(lambda: value(PARALLEL, 64, 200_000) > 0)
        assert threading.active_count() == 2
        host.set_num_threads(4)
        assert threading.active_count() == 4
    """, PYWASMTORCH_NUM_THREADS="3")


def test_one_thread_starts_no_workers(run_python):
    run_python("""
        import threading
        assert value(PARALLEL, 64, 10) == 0
        assert threading.active_count() == 1
    """, PYWASMTORCH_NUM_THREADS="1")


def test_other_threads_go_on_while_the_caller_waits_for_its_workers(run_python):
    run_python(WAIT + """
        import threading
        host.start_threads(2)
        wait_until(lambda: ready() == 1)
        ticks, finished = [], threading.Event()
        def tick():
            while not finished.wait(0.001):
                ticks.append(1)
        thread = threading.Thread(target=tick, daemon=True)
        thread.start()
        def taken_while_waiting():
            before = len(ticks)
            return value(PARALLEL, 2, 500_000_000) == 1 and len(ticks) > before + 1
        wait_until(taken_while_waiting)
        finished.set()
        thread.join()
    """, timeout=120)


def test_the_process_ends_with_workers_running(run_python):
    run_python("host.start_threads(4)", timeout=20)
    run_python("host.start_threads(4); sys.exit(7)", expect=7, timeout=20)
    run_python("host.start_threads(4); raise ValueError", expect=1, timeout=20)


def test_the_process_ends_with_tensors_and_views_alive():
    # the interpreter's last collection finds the tensors together with the host, in an order of its own
    program = """
import pywasmtorch as torch
a, b = torch.ones(3), torch.ones(1 << 16)
view = b.numpy()
class Looks:
    def __del__(self, view=view):
        assert len(view.tobytes()) == 1 << 18
looks = Looks()
looks.cycle = looks, lambda: a + b
"""
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


def test_the_number_of_threads_comes_from_the_environment(run_python):
    out = run_python("print(host.num_threads)", PYWASMTORCH_NUM_THREADS="5")
    assert out == "5\n"
    run_python("host.set_num_threads(1000); assert host.num_threads == 16")
    for bad in ("0", "-1", "two"):
        run_python("""
            try:
                _host.load()
            except ValueError as error:
                assert "PYWASMTORCH_NUM_THREADS" in str(error)
            else:
                sys.exit(1)
        """, load=False, PYWASMTORCH_NUM_THREADS=bad)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_child_has_its_own_core_and_workers(run_python):
    run_python(WAIT + """
        import os
        address = host.alloc(8)
        host.write(address, b"parent!!")
        host.start_threads(3)
        wait_until(lambda: ready() == 2)
        child = os.fork()
        if child == 0:
            status = 1
            try:
                wait_until(lambda: value(PARALLEL, 64, 200_000) > 0)
                assert ready() == 2
                assert host.read(address, 8) == b"parent!!"
                host.write(address, b"child!!!")
                status = 0
            finally:
                os._exit(status)
        assert os.waitpid(child, 0)[1] == 0
        assert host.read(address, 8) == b"parent!!"
        wait_until(lambda: value(PARALLEL, 64, 200_000) > 0)
    """)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_multiprocessing_children_end_cleanly(run_python):
    run_python("""
        import multiprocessing
        host.start_threads(2)
        def work(queue):
            queue.put(value(SUM, 40, 2))
        context = multiprocessing.get_context("fork")
        queue = context.Queue()
        children = [context.Process(target=work, args=(queue,)) for _ in range(3)]
        for child in children:
            child.start()
        assert [queue.get(timeout=20) for _ in children] == [42] * 3
        for child in children:
            child.join(20)
            assert child.exitcode == 0
    """)


def test_the_memory_limit_is_a_memory_error_and_later_calls_work(run_python):
    run_python("""
        assert host.memory_limit == 32 << 20
        assert isinstance(error_of(lambda: call(GROW, 64 << 20)), MemoryError)
        assert call(GROW, 1 << 20)
        assert isinstance(error_of(lambda: host.alloc(1 << 31)), MemoryError)
        assert isinstance(error_of(lambda: host.alloc(1 << 40)), MemoryError)
    """, PYWASMTORCH_MEMORY="32M")
    run_python("assert host.memory_limit == 65535 << 16")


def test_bad_memory_sizes_are_refused(run_python):
    for bad in ("lots", "-1", "64K"):
        run_python("""
            import sys
            try:
                _host.load()
            except ValueError as error:
                assert "PYWASMTORCH_MEMORY" in str(error)
            else:
                sys.exit(1)
        """, load=False, PYWASMTORCH_MEMORY=bad)


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS is enforced on Linux")
def test_less_memory_where_the_system_refuses_four_gigabytes(run_python):
    run_python("""
        import resource, sys
        import wasmtime
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (1500 << 20),) * 2)
        host = _host.load()
        assert host.memory_limit == 1 << 30, host.memory_limit
        address = host.alloc(200 << 20)
        host.view(address, 200 << 20)[-1] = 1
        try:
            host.alloc(900 << 20)
        except MemoryError:
            pass
        else:
            sys.exit("no MemoryError")
    """, load=False)


def test_the_compiled_module_is_kept_and_damage_is_noticed(run_python, tmp_path):
    cache = tmp_path / "cache"
    run_python("assert value(SUM, 7) == 7")
    entry, = cache.glob("*.cwasm")
    good = entry.read_bytes()
    run_python("""
        import wasmtime
        assert value(SUM, 7) == 7
    """)
    assert entry.read_bytes() == good
    half = len(good) // 2
    for damaged in (b"", good[:100], good[:-1], good[:half] + bytes([good[half] ^ 1]) + good[half + 1:]):
        entry.write_bytes(damaged)
        run_python("assert value(SUM, 7) == 7")
        assert entry.read_bytes()[:30] == good[:30]
    assert not list(cache.glob("*.part"))


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_cache_that_others_could_write_is_not_used(run_python, tmp_path):
    cache = tmp_path / "cache"
    run_python("pass")
    assert cache.stat().st_mode & 0o777 == 0o700
    entry, = cache.glob("*.cwasm")
    entry.unlink()
    cache.chmod(0o777)
    run_python("""
        assert value(SUM, 7) == 7
        import os, pathlib
        from pywasmtorch._core.host import cache
        said = cache.state()
        assert os.environ["PYWASMTORCH_CACHE"] in said and "not used: others may write to it" in said, said
        cache.folder().chmod(0o700)
        assert cache.state().endswith(", in use")
    """)
    assert not list(cache.iterdir())
    cache.chmod(0o777)
    run_python("""
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            _host.load()
        assert [w.category for w in caught] == [RuntimeWarning] and "chmod 700" in str(caught[0].message), caught
    """, load=False)


def test_windows_keeps_its_cache_among_the_users_own_folders(run_python, tmp_path):
    run_python("""
        import os, pathlib
        from pywasmtorch._core.host import cache
        base = pathlib.Path(os.environ["PYWASMTORCH_CACHE"]).parent
        for name in ("home", "home/cache", "shared"):
            (base / name).mkdir()
        os.environ.update(USERPROFILE=str(base / "home"), LOCALAPPDATA="")
        cache.os = type("windows", (), {"name": "nt", "environ": os.environ})
        assert cache._is_private(base / "home" / "cache")
        assert not cache._is_private(base / "shared") and not cache._is_private(base / "home") and not cache._is_private(base / "none")
        assert "not inside of the user" in cache._reason(base / "shared")
    """)


def test_an_unusable_cache_is_no_error(run_python, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    run_python("assert value(SUM, 7) == 7", PYWASMTORCH_CACHE=str(blocked))
    run_python("assert value(SUM, 7) == 7", PYWASMTORCH_CACHE="0")


def test_a_missing_binary_says_how_to_build_it(run_python):
    run_python("""
        import sys
        try:
            _host.load()
        except RuntimeError as error:
            assert "make build" in str(error)
        else:
            sys.exit(1)
    """, load=False, PYWASMTORCH_BINARY="nowhere.wasm")


def test_long_calls_let_other_threads_run(run_python):
    run_python("""
        import threading
        ticks, finished = [], threading.Event()
        def tick():
            while not finished.wait(0.001):
                ticks.append(1)
        thread = threading.Thread(target=tick)
        thread.start()
        value(PARALLEL, 2000, 100_000)
        finished.set()
        thread.join()
        assert len(ticks) > 3, ticks
    """, PYWASMTORCH_NUM_THREADS="1")


def test_long_calls_end_at_an_interrupt(run_python):
    run_python("""
        import signal, threading, time
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background of a shell
        timer = threading.Timer(0.05, signal.raise_signal, [signal.SIGINT])
        timer.start()
        started = time.monotonic()
        try:
            value(PARALLEL, 2_000_000, 100_000)
        except KeyboardInterrupt:
            pass
        else:
            raise AssertionError("it went on")
        assert time.monotonic() - started < 20
        assert value(SUM, 1, 2) == 3
    """, PYWASMTORCH_NUM_THREADS="1")
