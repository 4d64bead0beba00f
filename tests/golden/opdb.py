"""PyTorch's operator database (op_db): its samples run by PyTorch, then replayed here.

``python -m tests.golden.opdb [NAME ...]`` compares live and needs PyTorch (and its test dependency expecttest):

    --dtype float32,int64     these dtypes (default float32; "all" for the ten)
    --errors                  the database's error inputs instead of its samples
    --gradgrad                second derivatives in float64 by finite differences (opdb_gradgrad)
    --inplace, --out, --views these forms of the operators (opdb_forms)
    --family linalg           names that begin so
    --show 3                  failures shown for each entry
    --json FILE               every entry's outcome
"""

import argparse
import collections
import importlib
import inspect
import json
import signal
import sys
import warnings

from . import evaluate, opdb_paths, store
from .opdb_paths import full_name
from .replay import Family, text_of_case

DTYPES = ["float32", "float64", "int64", "int32", "uint8", "bool", "float16", "bfloat16", "complex64", "complex128"]
SECONDS_FOR_A_CASE = 20
MAX_DIMS = 16  # see docs/differences.md
ATTRIBUTES = {"p": "norm"}  # where a module keeps an argument of its class under another name


def database():
    import torch.testing._internal.common_methods_invocations as invocations

    return [op for op in invocations.op_db if wanted(op.name)]


def wanted(name):
    """Leaves out what no user of a CPU tensor library calls."""
    if name.startswith(("torch.", "jiterator", "sparse.", "native_")) or name.startswith("_") and not name.startswith("__"):
        return False
    return name not in ("to_sparse", "hash_tensor", "chalf", "max_pool2d_with_indices_backward")


class Unrecordable(Exception):
    """An argument that a file cannot hold."""


def recorder_class():
    import torch

    from .record import Recorder, bytes_of, public_type

    names = {value: name for name, value in vars(torch).items()
             if isinstance(value, (torch.dtype, torch.memory_format, torch.layout))}

    class SampleRecorder(Recorder):
        """Encodes the database's arguments, which are PyTorch tensors."""

        def encode_argument(self, value):
            if isinstance(value, torch.Tensor):
                return self._encode_tensor(value)
            if isinstance(value, (torch.dtype, torch.memory_format, torch.layout)):
                return str(value) if str(value).startswith("torch.") else f"torch.{names[value]}"
            if isinstance(value, torch.device):
                return f"={value.type}"
            if isinstance(value, torch.Size):
                return {"t": list(value)}
            if type(value).__module__ == "numpy":
                return self.encode_argument(value.item() if value.ndim == 0 else value.tolist())
            if isinstance(value, range):
                return list(value)
            if type(value).__module__.startswith("torch.nn.modules") and not list(getattr(value, "parameters", list)()):
                return self._encode_made(value)
            if callable(value) or isinstance(value, torch.Generator):
                raise Unrecordable(str(value))
            return super().encode_argument(value)

        def _encode_made(self, value):
            """An object of torch.nn without parameters: its class's name and what it is made of."""
            names = list(inspect.signature(type(value)).parameters)
            fields = [{"t": [f"={name}", self.encode_argument(getattr(value, ATTRIBUTES.get(name, name)))]} for name in names]
            return {"o": [f"={type(value).__name__}", *fields]}

        def _encode_tensor(self, value):
            if value.layout != torch.strided or value.is_quantized or value.dim() > MAX_DIMS:
                raise Unrecordable(f"a tensor that is not strided, or of more than {MAX_DIMS} dimensions")
            plain = value.detach()
            if plain.is_conj() or plain.is_neg():
                plain = plain.resolve_conj().resolve_neg()
            dtype = evaluate.dtype_name(plain)
            if dtype not in store.POOL_TYPES:
                raise Unrecordable(dtype)
            storage = torch.empty(0, dtype=plain.dtype).set_(plain.untyped_storage())
            count = storage.numel()
            data = bytes_of(torch, storage)
            entry = [dtype, self.pools.add(dtype, data), count, list(plain.shape), list(plain.stride()), plain.storage_offset()]
            key = repr(entry)
            if key not in self.numbers:
                self.numbers[key] = len(self.inputs)
                self.inputs.append(entry)
            return f"@{self.numbers[key]}{'g' if value.requires_grad else ''}"

        def encode_result(self, value, strides=False):
            if isinstance(value, (torch.memory_format, torch.layout)):
                return str(value)
            if isinstance(value, torch.Tensor) and evaluate.dtype_name(value) not in store.POOL_TYPES:
                raise Unrecordable(f"a result of {value.dtype}")
            return super().encode_result(value, strides)

        def sample(self, op, sample, **options):
            """The case of one sample, with what PyTorch gives, or None where the database's sample fails in PyTorch."""
            entry = {"op": opdb_paths.path_for(op, sample), **opdb_paths.options_of(op, sample), **options}
            args, kwargs = opdb_paths.arguments_of(op, sample)
            entry["args"] = [self.encode_argument(value) for value in args]
            if kwargs:
                entry["kwargs"] = {name: self.encode_argument(value) for name, value in kwargs.items()}
            before = {}
            outcome = evaluate.run(torch, entry, lambda number: self._remember(number, before))
            if outcome.error is not None:
                if "error" not in entry:
                    raise outcome.error
                del entry["error"]
                return {**entry, "raises": [public_type(outcome.error)]}
            if "error" in entry:
                return None
            if not entry.get("contents", True):
                outcome.out = evaluate.without_contents(torch, outcome.out)
            entry["out"] = self.encode_result(outcome.out)
            if outcome.same is not None:
                entry["same"] = outcome.same
            if not any(name.endswith("g") for name in outcome.storages):
                entry.update(self._changed_storages(outcome, before))
            if not entry.get("contents", True):
                return entry
            if outcome.backward_error is not None:
                entry["gradient"] = False
            elif outcome.grads:
                entry["grads"] = {name: self.encode_result(grad) for name, grad in outcome.grads.items()}
            return entry

    return SampleRecorder


class LiveFamily(Family):
    """What a recorder holds, as if it had been read from a file."""

    def __init__(self, recorder):
        self.name, self.inputs, self._pools = "opdb", recorder.inputs, recorder.pools.data
        self.index = {"signed_zeros": False}


def samples_of(op, dtype, with_gradients):
    import torch

    torch_dtype = getattr(torch, dtype)
    grad = with_gradients and op.supports_autograd and (torch_dtype.is_floating_point or torch_dtype.is_complex)
    torch.manual_seed(0)
    return op.sample_inputs("cpu", torch_dtype, requires_grad=grad and torch_dtype in op.supported_backward_dtypes("cpu"))


def error_samples_of(op):
    return [error.sample_input for error in op.error_inputs("cpu")] if op.error_inputs_func else []


class TimeOut(Exception):
    pass


def _ring(*_):
    raise TimeOut


def within(seconds, action):
    """What the action returns, or in words that it took too long or what it raised."""
    signal.signal(signal.SIGALRM, _ring)
    signal.alarm(seconds)
    try:
        return action()
    except TimeOut:
        return f"took more than {seconds} s"
    except Exception as error:
        return f"{type(error).__name__}: {' '.join(str(error).split())}"
    finally:
        signal.alarm(0)


def compare(lib, op, dtype, errors=False):
    """(recorded, failures, skipped) of one entry: failures are pairs of the case as text and what differs."""
    recorder = recorder_class()()
    family = LiveFamily(recorder)
    failures, count, skipped = [], 0, collections.Counter()
    samples = error_samples_of(op) if errors else samples_of(op, dtype, True)
    options = {"error": True} if errors else {}
    iterator = iter(samples)
    while True:
        try:
            sample = next(iterator)
        except StopIteration:
            break
        except Exception as error:
            skipped[f"the database: {type(error).__name__}"] += 1
            break
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                case = recorder.sample(op, sample, **options)
        except (Unrecordable, TypeError) as error:
            skipped[f"cannot be recorded: {str(error)[:80]}"] += 1
            continue
        except Exception as error:
            skipped[f"torch: {type(error).__name__}: {str(error)[:80]}"] += 1
            continue
        if case is None:
            skipped["torch raises nothing"] += 1
            continue
        count += 1
        found = within(SECONDS_FOR_A_CASE, lambda: family.check(lib, case))
        if found:
            failures.append((text_of_case(case, recorder.inputs), found))
    return count, failures, skipped


def command_line():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--dtype", default="float32")
    for what in ("errors", "gradgrad", "inplace", "out", "views"):
        parser.add_argument(f"--{what}", dest="what", action="store_const", const=what)
    parser.add_argument("--family", default="")
    parser.add_argument("--show", type=int, default=2)
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--json")
    parser.add_argument("--part", default="0/1", help="K/N: every N-th entry, from the K-th on")
    return parser.parse_args()


def chosen(options):
    """The entries that the command line names."""
    part, parts = map(int, options.part.split("/"))
    ops = [op for op in database() if not options.names or op.name in options.names or full_name(op) in options.names]
    return [op for op in ops if op.name.startswith(options.family)][part::parts]


def comparison(what):
    """For --gradgrad and the like: whether an entry has that, and what compares it."""
    from . import opdb_forms, opdb_gradgrad

    if what == "gradgrad":
        return lambda op: op.supports_gradgrad, lambda lib, op, dtype: opdb_gradgrad.compare(lib, op)
    if what in opdb_forms.FORMS:
        return lambda op: opdb_forms.applies(what, op), lambda lib, op, dtype: opdb_forms.compare(lib, op, what, dtype)
    return lambda op: True, lambda lib, op, dtype: compare(lib, op, dtype, what == "errors")


def dtypes_of(op, options):
    """The dtypes to compare; None for what takes no dtype."""
    import torch

    if options.what == "errors":
        return [None]
    names = ["float64"] if options.what == "gradgrad" else DTYPES if options.dtype == "all" else options.dtype.split(",")
    return [name for name in names if getattr(torch, name) in op.dtypes]


def main():
    options = command_line()
    lib = importlib.import_module("pywasmtorch")
    applies, compared = comparison(options.what)
    outcome, totals = {}, collections.Counter()
    for op in filter(applies, chosen(options)):
        for dtype in dtypes_of(op, options):
            count, failures, skipped = compared(lib, op, dtype)
            name = f"{full_name(op)} {dtype}" if dtype else full_name(op)
            state = "agree" if count and not failures else "differ" if count else "nothing to compare"
            totals[state] += 1
            outcome[name] = {"cases": count, "failures": failures[:20], "failed": len(failures), "skipped": dict(skipped)}
            if state == "differ" or not count and options.what != "views":  # most operators give no views
                note = f" (skipped: {dict(skipped)})" if skipped else ""
                print(f"{name}: {len(failures)} of {count} differ{note}", flush=True)
            for text, found in failures[: options.show]:
                print(f"    {text[:options.width]}\n        {found[:options.width]}")
    print(dict(totals))
    if options.json:
        with open(options.json, "w") as file:
            json.dump(outcome, file, indent=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())
