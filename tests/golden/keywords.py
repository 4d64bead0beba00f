"""Which keyword names PyTorch takes for what, NumPy's among them: calls by name alone, recorded with what they give.

``python -m tests.golden.keywords`` writes ``recorded/keywords.txt`` and needs PyTorch (and its test dependency expecttest).
The calls are made of the samples of PyTorch's operator database and of the signatures in its stubs; each line is one that
PyTorch takes, or refuses for NumPy's names.
"""

import ast
import importlib
import inspect
import pathlib
import sys
import warnings

from .keyword_calls import described, evaluated

FILE = pathlib.Path(__file__).parent / "recorded" / "keywords.txt"
SAMPLES = 80
NUMPY = ({"dim": "axis"}, {"keepdim": "keepdims"}, {"dim": "axis", "keepdim": "keepdims"}, {"input": "x"}, {"input": "a"}, {"input": "x1"}, {"other": "x2"})
NUMPY_NAMES = {name for renames in NUMPY for name in renames.values()}
SCHEMA_MODULES = {"linalg": "linalg_", "fft": "fft_", "special": "special_"}


def stub_signatures(path, inside=None):
    """name -> [parameter names of each overload] of a stub's functions, or of the methods of one of its classes."""
    body = ast.parse(path.read_text()).body
    if inside:
        body = next(n.body for n in body if isinstance(n, ast.ClassDef) and n.name == inside)
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            a = node.args
            names = [p.arg for p in (*a.posonlyargs, *a.args)]
            found.setdefault(node.name, []).append((names[1:] if inside else names, [p.arg for p in a.kwonlyargs]))
    return found


def signatures(torch):
    stubs = pathlib.Path(torch.__file__).parent / "_C"
    functions = stub_signatures(stubs / "_VariableFunctions.pyi")
    methods = stub_signatures(stubs / "__init__.pyi", "TensorBase")
    nn = stub_signatures(stubs / "_nn.pyi")

    def of(path):
        *modules, name = path.split(".")
        if modules == ["Tensor"]:
            return methods.get(name, [])
        value = torch
        for part in path.split("."):
            value = getattr(value, part)
        try:
            return [([p.name for p in inspect.signature(value).parameters.values() if p.kind == p.POSITIONAL_OR_KEYWORD], [])]
        except (TypeError, ValueError):
            pass
        if not modules:
            return functions.get(name, [])
        if modules[0] in SCHEMA_MODULES:
            packet = getattr(torch.ops.aten, SCHEMA_MODULES[modules[0]] + name, None)
            return [] if packet is None else [
                (["input" if a.name == "self" else a.name for a in getattr(packet, o)._schema.arguments if not a.kwarg_only], []) for o in packet.overloads()
            ]
        return nn.get(name, []) + functions.get(name, [])

    return of


def text(value, literal):
    import torch

    if isinstance(value, torch.Tensor):
        if value.layout != torch.strided or value.is_quantized or value.numel() > 60:
            raise ValueError(value)
        kind = str(value.dtype).removeprefix("torch.")
        if not literal and (value.is_floating_point() or value.is_complex()):
            return f"ramp({tuple(value.shape)}, torch.{kind})"
        if value.numel() == 0:
            return f"torch.empty({tuple(value.shape)}, dtype=torch.{kind})"
        return f"torch.tensor({value.detach().resolve_conj().resolve_neg().tolist()}, dtype=torch.{kind})"
    if isinstance(value, (torch.dtype, torch.layout, torch.memory_format)):
        return str(value)
    if isinstance(value, torch.device):
        return "'cpu'"
    if isinstance(value, (list, tuple)):
        inside = ", ".join(text(v, literal) for v in value)
        return f"[{inside}]" if isinstance(value, list) else f"({inside}{',' if len(value) == 1 else ''})"
    if isinstance(value, (bool, int, float, complex, str, type(None))):
        return repr(value)
    raise ValueError(value)


def calls_of(path, bound, with_self):
    """Ways to write one call by name."""
    bound = dict(bound)
    given = [bound] + [{renames.get(k, k): v for k, v in bound.items()} for renames in NUMPY if any(k in bound for k in renames)]
    for names in given:
        for literal in (False, True):
            try:
                inside = ", ".join(f"{k}={text(v, literal)}" for k, v in names.items())
                head = f"{text(with_self, literal)}.{path.removeprefix('Tensor.')}" if with_self is not None else f"torch.{path}"
            except ValueError:
                continue
            yield (path, *sorted(names)), f"{head}({inside})", literal


def bindings(path, args, kwargs, of):
    """The sample's arguments under the names that a signature gives them."""
    for names, only in of(path):
        if len(args) > len(names) or not set(kwargs) <= {*names, *only, "out"}:
            continue
        bound = dict(zip(names, args))
        if not set(bound) & set(kwargs):
            yield {**bound, **kwargs}


def candidates(torch, of):
    from . import opdb, opdb_paths

    for op in opdb.database():
        path = opdb_paths.path_of(op)
        if path.startswith("call.") or op.name.startswith("__"):
            continue
        dtype = next((d for d in (torch.float32, torch.int64, torch.bool, torch.complex64) if d in op.dtypes), None)
        if dtype is None:
            continue
        path = path.removeprefix("torch.")
        for number, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=False)):
            if number >= SAMPLES:
                break
            args, kwargs = opdb_paths.arguments_of(op, sample)
            if not path.startswith("Tensor."):
                for bound in bindings(path, args, kwargs, of):
                    yield from calls_of(path, bound, None)
            if args and isinstance(args[0], torch.Tensor):
                method = path.removeprefix("Tensor.")
                for name in (method, method + "_"):
                    if "." not in name and hasattr(torch.Tensor, name):
                        for bound in bindings(f"Tensor.{name}", args[1:], kwargs, of):
                            if bound:
                                yield from calls_of(f"Tensor.{name}", bound, args[0])


def lines(torch):
    found = {}
    for key, call, literal in candidates(torch, signatures(torch)):
        known = found.get(key)
        if len(call) > 700 or known and known[1] != "TypeError" and (known[2] <= literal and len(known[0]) <= len(call)):
            continue
        try:
            outcome = described(torch, evaluated(torch, call))
        except TypeError:
            if not NUMPY_NAMES & {*key}:
                continue
            outcome = "TypeError"
        except Exception:
            continue
        if outcome == "TypeError" and known:
            continue
        found[key] = (call, outcome, literal)
    return [f"{call} -> {outcome}\n" for call, outcome, _ in sorted(found.values())]


def main():
    warnings.simplefilter("ignore")
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    written = lines(torch)
    FILE.write_text("".join(written))
    print(f"{len(written)} calls")
    return 0


if __name__ == "__main__":
    sys.exit(main())
