"""What the programs in golden/scripts do not show of __torch_function__, torch.fx and torch.library: what stays as it was, threads, and what is not here."""

import importlib
import inspect
import subprocess
import sys
import textwrap
import threading

import pytest


def run(program):
    if sys.platform == "emscripten":
        pytest.skip("there are no processes in Pyodide")
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_importing_the_package_loads_none_of_it():
    found = run("""
        import sys
        import pywasmtorch
        print(*(name for name in sys.modules if name.partition(".")[2].partition(".")[0] in ("fx", "library", "ops", "overrides")))
    """)
    assert found == []


def test_functions_ask_only_once_there_is_something_to_ask():
    assert run("""
        import pywasmtorch as torch
        from pywasmtorch._core import overriding

        add, code = torch.add, torch.add.__code__
        torch.nn.Parameter(torch.ones(2)) + 1
        torch.nn.Linear(2, 2)(torch.ones(2))
        print(len(overriding.originals))
        class Sub(torch.Tensor):
            pass
        print(torch.add is add, torch.add.__code__ is code, torch.Tensor.__add__ in overriding.originals, len(overriding.originals) > 500)
    """) == ["0", "True", "False", "False", "True"]


@pytest.fixture
def torch(lib):
    importlib.import_module(f"{lib.__name__}.overrides")
    return lib


def test_signatures_and_frames_stay_readable(torch):
    class Looks(torch.Tensor):
        seen = 0

        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            frame = sys._getframe()
            while frame is not None:
                cls.seen += len(frame.f_locals) >= 0
                frame = frame.f_back
            return super().__torch_function__(func, types, args, kwargs)

    x = torch.ones(2, 1).as_subclass(Looks)
    for call in (lambda: x.squeeze(1), lambda: x.clone().squeeze_(), lambda: x.flip(0), lambda: x.new_zeros(2), lambda: torch.nn.functional.layer_norm(x, (1,))):
        assert type(call()) is Looks
    assert Looks.seen > 10
    assert list(inspect.signature(torch.nn.functional.mse_loss).parameters)[:2] == ["input", "target"]


@pytest.mark.skipif(sys.platform == "emscripten", reason="Pyodide has one thread")
def test_modes_are_of_one_thread(torch):
    seen = []

    class Mode(importlib.import_module(f"{torch.__name__}.overrides").TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            seen.append(threading.get_ident())
            return func(*args, **(kwargs or {}))

    other = threading.Thread(target=lambda: torch.ones(2).add(1))
    with Mode():
        other.start()
        other.join()
        torch.ones(2)
    assert seen == [threading.get_ident()]


def test_a_mode_ends_with_an_error(torch):
    class Mode(importlib.import_module(f"{torch.__name__}.overrides").TorchFunctionMode):
        def __torch_function__(self, func, types, args=(), kwargs=None):
            raise LookupError("asked")

    x = torch.ones(2)
    with pytest.raises(LookupError), Mode():
        x + 1
    assert (x + 1).tolist() == [2, 2]


def test_gradients_reach_through_subclasses(torch):
    class Sub(torch.Tensor):
        pass

    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64).as_subclass(Sub).requires_grad_()
    (grad,) = torch.autograd.grad((x.sin() * x).sum(), (x,))
    plain = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    assert torch.allclose(torch.as_tensor(grad), plain.sin() + plain * plain.cos())


def test_a_traced_module_trains_as_its_source(torch):
    fx = importlib.import_module(f"{torch.__name__}.fx")
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    traced = fx.symbolic_trace(model)
    x = torch.randn(5, 3)
    traced(x).pow(2).sum().backward()
    grads = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).pow(2).sum().backward()
    assert all(torch.equal(a, p.grad) for a, p in zip(grads, model.parameters()))


def test_what_is_not_here_says_so_when_used(lib):
    if lib.__name__ == "torch":
        pytest.skip("PyTorch has it")
    library = importlib.import_module(f"{lib.__name__}.library")
    ops = importlib.import_module(f"{lib.__name__}.ops")
    fx = importlib.import_module(f"{lib.__name__}.fx")

    class Wrapper(lib.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
            return func(*args)

    uses = {
        "wrap_triton": lambda: library.wrap_triton(None), "triton_op": lambda: library.triton_op("a::b", mutates_args=()), "Library": lambda: library.Library("aten", "IMPL"),
        "load_library": lambda: ops.load_library(__file__), "__torch_dispatch__": lambda: lib.ones(2).as_subclass(Wrapper),
        "concrete_args": lambda: fx.symbolic_trace(lambda x: x[0], concrete_args={"x": [1, fx.PH]}), "register_torch_dispatch": lambda: library.register_torch_dispatch("a::b", Wrapper),
    }
    for name, use in uses.items():
        with pytest.raises(NotImplementedError, match=name):
            use()
    with pytest.raises(AttributeError, match=r"pywasmtorch has no torch\.fx\.passes\.graph_drawer"):
        _ = fx.passes.graph_drawer
