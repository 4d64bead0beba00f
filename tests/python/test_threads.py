"""Several Python threads that compute at once: each gets its own numbers, errors and modes."""
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest

import pywasmtorch as torch

pytestmark = pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide has one thread")


def in_threads(jobs, seconds=0.5):
    """Runs each job again and again in a thread of its own; what they returned that is not True."""
    wrong, stop = [], threading.Event()

    def run(job):
        while not stop.is_set():
            try:
                result = job()
            except BaseException as error:
                result = error
            if result is not True:
                wrong.append(result)
                return

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    stop.wait(seconds)
    stop.set()
    for thread in threads:
        thread.join()
    return wrong


@pytest.fixture
def restless():
    """Threads change as often as the interpreter can."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def adds(k):
    return lambda: ((torch.full((8,), float(k)) + 1) * 2).tolist() == [(k + 1) * 2.0] * 8


def multiplies(k):
    a, b = torch.full((64, 64), float(k + 1)), torch.ones(64, 64)
    return lambda: (a @ b)[63, 63].item() == 64.0 * (k + 1)


def differentiates(k):
    def job():
        x = torch.full((5,), float(k), requires_grad=True)
        x.register_hook(lambda g: g * (k + 1))
        ((x * x).sum() * 2).backward()
        return x.grad.tolist() == [4.0 * k * (k + 1)] * 5

    return job


def raises(k):
    def job():
        with pytest.raises(RuntimeError, match=f"2x3 and {k + 4}x5"):
            torch.zeros(2, 3) @ torch.zeros(k + 4, 5)
        return True

    return job


def turns_gradients_off(k):
    def job():
        if k % 2:
            with torch.no_grad():
                return not (torch.ones(2, requires_grad=True) * 2).requires_grad
        return (torch.ones(2, requires_grad=True) * 2).requires_grad

    return job


@pytest.mark.parametrize("kind", [adds, multiplies, differentiates, raises, turns_gradients_off])
def test_threads_keep_apart(kind):
    assert not in_threads([kind(k) for k in range(4)])


@pytest.mark.parametrize("kind", [adds, multiplies, differentiates, raises])
def test_threads_that_change_at_any_step_keep_apart(kind, restless):
    assert in_threads([kind(k) for k in range(4)]) == []


def test_a_gradient_that_a_hook_made_outlives_its_object(restless):
    """Nobody but the core has it any more when another thread releases what is dead."""
    def job(k):
        x = torch.full((5,), float(k), requires_grad=True)
        y = x * x
        y.register_hook(lambda g: torch.ones(5) * g)
        y.sum().backward()
        return x.grad.tolist() == [2.0 * k] * 5

    assert in_threads([lambda k=k: job(k) for k in range(4)], 1) == []


def test_threads_that_begin_at_the_same_time(restless):
    for _ in range(20):
        gate, wrong = threading.Barrier(6), []

        def run(k):
            gate.wait()
            if (torch.full((8,), k) + 1).tolist() != [k + 1] * 8:
                wrong.append(k)

        threads = [threading.Thread(target=run, args=(k,)) for k in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert wrong == []


def test_other_threads_run_during_one_long_operator():
    ticks, finished = [], threading.Event()

    def tick():
        while not finished.wait(0.001):
            ticks.append(1)

    a = torch.full((1000, 1000), 0.001)
    thread = threading.Thread(target=tick)
    thread.start()
    began = len(ticks)
    for _ in range(400):
        a @ a
        if len(ticks) > began + 3:
            break
    finished.set()
    thread.join()
    assert len(ticks) > began + 3


def test_different_work_in_each_thread():
    assert not in_threads([adds(1), multiplies(2), differentiates(3), raises(0), turns_gradients_off(1)])


def test_a_custom_function_in_each_thread():
    class Scale(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, grad):
            return grad * ctx.factor, None

    def job(k):
        def run():
            x = torch.ones(3, requires_grad=True)
            Scale.apply(x, k + 1).sum().backward()
            return x.grad.tolist() == [k + 1.0] * 3

        return run

    assert not in_threads([job(k) for k in range(4)])


def test_a_hook_may_wait_for_a_thread_that_computes():
    x = torch.ones(3, requires_grad=True)

    def hook(grad):
        sums = []
        thread = threading.Thread(target=lambda: sums.append((torch.ones(3) * 3).sum().item()))
        thread.start()
        thread.join()
        return grad * sums[0]

    x.register_hook(hook)
    (x * 2).sum().backward()
    assert x.grad.tolist() == [18.0] * 3


def test_the_first_thread_beside_this_one_starts_in_a_hook():
    program = """
        import threading
        import pywasmtorch as torch
        def in_a_thread(grad):
            sums = []
            thread = threading.Thread(target=lambda: sums.append((torch.ones(3) * 3).sum().item()))
            thread.start()
            thread.join()
            return grad * sums[0]
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return in_a_thread(x * x)
            @staticmethod
            def backward(ctx, grad):
                x, = ctx.saved_tensors
                return in_a_thread(2 * x * grad)
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        y.register_hook(in_a_thread)
        Square.apply(y).sum().backward()
        print(x.grad.tolist())
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=environment, timeout=100)
    assert done.stdout == "[648.0, 648.0, 648.0]\n", done.stderr


def test_modes_end_with_their_thread():
    torch.ones(1)
    thread = threading.Thread(target=lambda: torch.set_grad_enabled(False))
    thread.start()
    thread.join()
    seen = []
    for _ in range(3):
        thread = threading.Thread(target=lambda: seen.append((torch.ones(1, requires_grad=True) * 2).requires_grad))
        thread.start()
        thread.join()
    assert torch.is_grad_enabled() and seen == [True] * 3


def test_hooks_of_saved_tensors_are_refused_in_one_thread_alone():
    seen = []

    def job():
        with torch.autograd.graph.saved_tensors_hooks(lambda x: x, lambda x: x):
            seen.append(True)

    with torch.autograd.graph.disable_saved_tensors_hooks("no hooks here"):
        thread = threading.Thread(target=job)
        thread.start()
        thread.join()
        with pytest.raises(RuntimeError, match="no hooks here"):
            job()
    assert seen == [True]


def test_a_tensor_of_one_thread_in_another():
    made = []
    thread = threading.Thread(target=lambda: made.append(torch.arange(5.0, requires_grad=True) * 3))
    thread.start()
    thread.join()
    assert made[0].sum().item() == 30
    made.pop().sum().backward()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
def test_an_interrupt_ends_long_work_and_loses_nothing():
    program = """
        import os, signal, time
        signal.signal(signal.SIGINT, signal.default_int_handler)  # also where the tests run in the background of a shell
        import pywasmtorch as torch
        a = torch.full((1500, 1500), 0.001)
        a @ a
        before, started = torch.memory_allocated(), time.monotonic()
        wanted = lambda *_: os.kill(os.getpid(), signal.SIGINT)
        signal.signal(signal.SIGALRM, wanted)
        assert signal.getsignal(signal.SIGALRM) is wanted
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        try:
            while time.monotonic() < started + 60:
                torch.exp(a) @ a
        except KeyboardInterrupt:
            print("interrupted")
        assert abs((torch.ones(2) + 1).sum().item() - 4) == 0
        print(torch.memory_allocated() == before)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=environment, timeout=100)
    assert done.stdout.split() == ["interrupted", "True"], done.stderr


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no interval timer")
def test_a_timeout_by_signal_ends_long_work():
    program = """
        import signal
        import pywasmtorch as torch
        def late(*_):
            raise TimeoutError("late")
        signal.signal(signal.SIGALRM, late)
        a = torch.full((1000, 1000), 0.001)
        for _ in range(5):
            signal.setitimer(signal.ITIMER_REAL, 0.1)
            try:
                while True:
                    a = (a @ a) + 1
                    a = a / a.sum()
            except TimeoutError as error:
                print(error)
        print(signal.signal(signal.SIGALRM, signal.SIG_DFL) is late)
    """
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, env=environment, timeout=100)
    assert done.stdout.split() == ["late"] * 5 + ["True"], done.stderr
