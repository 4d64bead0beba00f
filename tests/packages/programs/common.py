"""Shared by the programs: paths of packages, stand-ins for packages that are not installed, the report."""

import importlib.machinery
import importlib.util
import json
import random
import sys
import traceback
from pathlib import Path
from types import ModuleType

CHECKPOINTS = Path(__file__).resolve().parents[3] / "build" / "checkpoints"


class Absent:
    """Stands for a name of a package that is not installed: it may be mentioned, as in an annotation, and not used."""

    def __init__(self, name):
        self._name = name

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return Absent(f"{self._name}.{name}")

    def __call__(self, *args, **kwargs):
        raise ImportError(f"{self._name} is not installed")

    def __or__(self, other):
        return self

    __ror__ = __getitem__ = __or__


def stand_in(name, /, **members):
    """Puts a module of that name, and the packages above it, in the place of one that is not installed."""
    module = sys.modules.get(name)
    if module is None:
        module = sys.modules[name] = ModuleType(name)
        module.__path__, module.__spec__ = [], importlib.machinery.ModuleSpec(name, None)
        module.__getattr__ = Absent(name).__getattr__
        parent, _, last = name.rpartition(".")
        if parent:
            setattr(stand_in(parent), last, module)
    vars(module).update(members)
    return module


def need_numpy():
    """numpy where it is installed; elsewhere its names can be mentioned, which is enough for the parts that these programs use."""
    if importlib.util.find_spec("numpy") is None:
        stand_in("numpy", nan=float("nan"))
        return False
    return True


def package(name, without_init=None):
    """Makes a downloaded package importable; `without_init` names an import whose own `__init__` needs what is not installed."""
    folder = CHECKPOINTS / name
    sys.path.insert(0, str(folder))
    if without_init:
        stand_in(without_init).__path__ = [str(folder / without_init)]
    return folder


_report = {}


def report(**results):
    """Keeps tensors, lists or numbers, for `finish` to print."""
    for name, result in results.items():
        if hasattr(result, "detach"):
            flat = result.detach().flatten().tolist()
            _report[name] = {"dtype": str(result.dtype), "shape": list(result.shape), "values": [_rounded(x) for x in flat]}
        else:
            _report[name] = result


def _rounded(x):
    return float(f"{x:.8g}") if isinstance(x, float) else x


def finish():
    """Prints the report as one line of JSON."""
    print(json.dumps(_report))


def pattern(*shape, step=0.37):
    """A tensor without chance in it: the sine of its indices."""
    import torch

    n = torch.Size(shape).numel()
    return (torch.arange(n, dtype=torch.float64) * step).sin().float().reshape(shape)


def some(tensor, most=48):
    """At most that many entries of a tensor, evenly taken."""
    flat = tensor.detach().flatten()
    return flat[:: max(1, -(-len(flat) // most))]


def case(name, make):
    """Runs forward and backward: `make()` gives a module and its output, or a module, its output and a loss.

    Reports the output and the norm of each gradient. What stops a program is reported too.
    """
    import torch

    torch.manual_seed(1)
    random.seed(1)
    try:
        module, out, *loss = make()
        (loss[0] if loss else (out * pattern(*out.shape, step=0.71)).sum()).backward()
        norms = [torch.zeros(()) if p.grad is None else p.grad.norm().float() for p in module.parameters()]
        report(**{name: some(out), f"{name}_grads": some(torch.stack(norms), 100)})
        report(**{f"{name}_shape": list(out.shape), f"{name}_names": len(module.state_dict())})
    except Exception as error:
        if "--trace" in sys.argv:
            traceback.print_exc()
        report(**{name: f"{type(error).__name__}: {error}"})
