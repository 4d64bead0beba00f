"""Record the results of every case with PyTorch: ``python -m tests.golden.record [FAMILY ...]``."""

import importlib
import pkgutil
import sys
import warnings

import torch

from . import cases as case_modules
from . import evaluate, stand_in, store
from .dsl import Call, Name, T
from .programs import digest, programs_of, run_program
from .replay import bytes_of


class Recorder:
    def __init__(self):
        self.pools = store.Pools()
        self.inputs, self.numbers = [], {}
        self.mistakes = []

    def encode_argument(self, value):
        if isinstance(value, T):
            data, count = value.storage()
            width = store.ITEM_SIZES[value.dtype]
            period = store.period_of(data, width)
            place = self.pools.add(value.dtype, data[: period * width])
            entry = [value.dtype, place, period, value.size, value.stride, value.offset]
            entry += [count] if period < count else []
            key = repr(entry)
            if key not in self.numbers:
                self.numbers[key] = len(self.inputs)
                self.inputs.append(entry)
            return f"@{self.numbers[key]}{'g' if value.grad else ''}"
        if isinstance(value, Name):
            return f"torch.{value.name}"
        if isinstance(value, str):
            return f"={value}"
        if value is ...:
            return "..."
        if isinstance(value, slice):
            return {"s": [self.encode_argument(part) for part in (value.start, value.stop, value.step)]}
        if isinstance(value, tuple):
            return {"t": [self.encode_argument(item) for item in value]}
        if isinstance(value, list):
            return [self.encode_argument(item) for item in value]
        if isinstance(value, complex):
            return {"c": [value.real, value.imag]}
        if value is None or isinstance(value, (bool, int, float)):
            return value
        raise TypeError(f"cannot record an argument of type {type(value).__name__}")

    def encode_result(self, value, strides=False):
        if isinstance(value, torch.Tensor):
            dtype = evaluate.dtype_name(value)
            entry = [dtype, self.pools.add(dtype, bytes_of(torch, value)), list(value.shape)]
            if strides:
                entry += [list(value.stride()), value.storage_offset()]
            return {"G" if value.requires_grad else "T": entry}
        if isinstance(value, torch.Size):
            return {"t": list(value)}
        if isinstance(value, tuple):
            items = [self.encode_result(item, strides) for item in value]
            names = getattr(type(value), "__match_args__", None)
            if names:
                return {"n": list(names), "t": items}
            return {"t": items}
        if isinstance(value, list):
            return [self.encode_result(item, strides) for item in value]
        if isinstance(value, dict):
            return {"d": {key: self.encode_result(item, strides) for key, item in value.items()}}
        if isinstance(value, str):
            if ", message lacks [" in value:
                raise SystemExit(f"a program's error is not what it says: {value}")
            return f"={value}"
        if isinstance(value, complex):
            return {"c": [value.real, value.imag]}
        if value is None or isinstance(value, (bool, int, float)):
            return value
        if isinstance(value, (torch.dtype, torch.device)):
            return str(value)
        raise TypeError(f"cannot record a result of type {type(value).__name__}")

    def make_input(self, number):
        entry = self.inputs[number]
        dtype, _, _, size, stride, offset = entry[:6]
        return evaluate.build_input(torch, dtype, store.input_bytes(self.pools.data, entry), size, stride, offset)

    def record(self, call):
        """The entry of one call, or None where PyTorch has no kernel for the dtype."""
        entry = {"op": call.op}
        if call.args:
            entry["args"] = [self.encode_argument(value) for value in call.args]
        if call.kwargs:
            entry["kwargs"] = {name: self.encode_argument(value) for name, value in call.kwargs.items()}
        options = dict(call.options)
        may_raise = options.pop("may_raise", False)
        strides = options.get("strides", False)
        entry.update(options)
        before = {}
        outcome = evaluate.run(torch, entry, lambda number: self._remember(number, before))
        if outcome.backward_error is not None:
            return self.record(without_gradients(call))
        if outcome.error is not None:
            return self._record_error(call, entry, outcome.error, may_raise)
        if call.error:
            return self.mistake(call, "raised nothing")
        entry["out"] = self.encode_result(outcome.out, strides)
        if outcome.same is not None:
            entry["same"] = outcome.same
        if strides and outcome.view_of is not None:
            entry["view_of"] = outcome.view_of
        if not any(name.endswith("g") for name in outcome.storages):
            entry.update(self._changed_storages(outcome, before))
        if outcome.grads:
            entry["grads"] = {name: self.encode_result(grad) for name, grad in outcome.grads.items()}
        return entry

    def _remember(self, number, before):
        storage, tensor = self.make_input(number)
        before[number] = bytes_of(torch, storage)
        return storage, tensor

    def _changed_storages(self, outcome, before):
        changed = {}
        for name, storage in outcome.storages.items():
            if bytes_of(torch, storage) != before[int(name.strip("@g"))]:
                changed[name] = self.encode_result(storage)
        return {"after": changed} if changed else {}

    def _record_error(self, call, entry, error, may_raise):
        if "not implemented for" in str(error) and call.error is None:
            return None
        if call.error is None and not may_raise:
            return self.mistake(call, f"raised {type(error).__name__}: {error}")
        if call.error is None:
            entry["raises"] = [public_type(error)]
            return entry
        name, *fragments = entry["raises"]
        missing = [fragment for fragment in fragments if fragment.lower() not in str(error).lower()]
        if public_type(error) != name or missing:
            return self.mistake(call, f"raised {type(error).__name__}, lacking {missing}: {error}")
        return entry

    def mistake(self, call, what):
        """Note a case that does not do in PyTorch what it says."""
        self.mistakes.append(f"{self.text(call)} {what}")

    def text(self, call):
        parts = [*map(text_of, call.args), *(f"{name}={text_of(value)}" for name, value in call.kwargs.items())]
        return f"{call.op}({', '.join(parts)})"


def without_gradients(call):
    """The same call for inputs that require none, for what PyTorch cannot differentiate."""
    for value in [*call.args, *call.kwargs.values()]:
        for tensor in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(tensor, T):
                tensor.grad = False
    return call


def text_of(value):
    if isinstance(value, T):
        return f"T({value.dtype}, {tuple(value.size)}, {value.layout})"
    return repr(value)


def public_type(error):
    """The name of the most derived built-in exception that the error is."""
    return next(base.__name__ for base in type(error).__mro__ if base.__module__ == "builtins")


def record_family(name):
    module = importlib.import_module(f"{case_modules.__name__}.{name}")
    recorder = Recorder()
    entries = {}
    skipped = 0
    for call in getattr(module, "cases", list)():
        if not isinstance(call, Call):
            raise SystemExit(f"{name}: {call!r} is not a call")
        entry = recorder.record(call)
        skipped += entry is None
        if entry is not None:
            entries.setdefault(repr(entry), entry)
    if recorder.mistakes:
        raise SystemExit("\n".join([f"{name}: {len(recorder.mistakes)} mistakes", *recorder.mistakes]))
    programs = {}
    for program in programs_of(module):
        programs[program.__name__] = {
            "digest": digest(program),
            "results": recorder.encode_result(run_program(torch, program)),
        }
    index = {
        "torch": torch.__version__.partition("+")[0],
        "signed_zeros": getattr(module, "SIGNED_ZEROS", False),
        "inputs": recorder.inputs,
        "cases": sorted(entries.values(), key=lambda entry: entry["op"]),
        "programs": programs,
    }
    store.write(name, index, recorder.pools)
    size = sum((store.FOLDER / f"{name}{suffix}").stat().st_size for suffix in (".json", ".safetensors"))
    print(f"{name:12} {len(entries):6} calls {len(programs):4} programs {skipped:5} without a kernel {size / 1024:8.0f} KB")
    return len(entries), len(programs), size


def main(names):
    warnings.simplefilter("ignore")
    stand_in.install()
    known = [module.name for module in pkgutil.iter_modules(case_modules.__path__)]
    unknown = set(names) - set(known)
    if unknown:
        raise SystemExit(f"no family {', '.join(sorted(unknown))}; there are {', '.join(known)}")
    totals = [record_family(name) for name in names or known]
    calls, programs, size = map(sum, zip(*totals))
    print(f"{'':12} {calls:6} calls {programs:4} programs {size / 1024:8.0f} KB")


if __name__ == "__main__":
    main(sys.argv[1:])
