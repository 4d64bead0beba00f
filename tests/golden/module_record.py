"""PyTorch's own database of modules: ``python -m tests.golden.module_record`` records a few samples of every class.

With ``--compare [NAME ...]`` nothing is written: all samples are run by PyTorch, then here.
"""

import itertools
import sys
import warnings

import torch

from . import evaluate, module_runs, opdb, store
from .opdb_record import spread

SAMPLES = 12
LARGEST_CASE = 12000  # bytes of tensors


class ModuleRecorder(opdb.recorder_class()):
    def encode_argument(self, value):
        if isinstance(value, torch.nn.Module):
            args, kwargs = value._made_from
            return {"m": [type(value).__name__, *self.arguments(args, kwargs)]}
        if type(value).__name__ == "LinearCrossEntropyOptions":
            return {"o": [f"={type(value).__name__}", *[
                {"t": [f"={field}", self.encode_argument(getattr(value, field))]} for field in value.__dataclass_fields__
            ]]}
        if callable(value) and getattr(torch.nn.functional, getattr(value, "__name__", ""), None) is value:
            return f"torch.nn.functional.{value.__name__}"
        if isinstance(value, (list, tuple)):
            items = [self.encode_argument(item) for item in value]
            return {"t": items} if isinstance(value, tuple) else items
        return super().encode_argument(value)

    def arguments(self, args, kwargs):
        return [self.encode_argument(a) for a in args], {key: self.encode_argument(a) for key, a in kwargs.items()}

    def module_case(self, info, sample, training):
        call = sample.forward_input
        case = {"op": info.name, "module": True, "init": list(self.arguments(sample.constructor_input.args, sample.constructor_input.kwargs))}
        case["call"] = list(self.arguments(call.args, call.kwargs))
        if not training:
            case["eval"] = True
        results = module_runs.run(torch, case, self.make_input)
        return {**case, "out": self.encode_result(results)}

    def make_input(self, number):
        return evaluate.build_input(torch, *self._input(number))

    def _input(self, number):
        dtype, _, _, size, stride, offset = self.inputs[number][:6]
        return dtype, store.input_bytes(self.pools.data, self.inputs[number]), size, stride, offset


def remember_arguments(kind):
    """Modules of `kind` know what they were made from."""
    original = kind.__init__

    def init(self, *args, **kwargs):
        original(self, *args, **kwargs)
        object.__setattr__(self, "_made_from", (args, {k: v for k, v in kwargs.items() if k not in ("device", "dtype")}))

    kind.__init__ = init


def samples_of(info):
    modes = [True, False] if info.train_and_eval_differ else [True]
    for training in modes:
        torch.manual_seed(0)
        for sample in info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=True, training=training):
            sample.constructor_input.kwargs.pop("dtype", None)
            sample.constructor_input.kwargs.pop("device", None)
            yield training, sample


def bytes_in(value):
    if isinstance(value, torch.Tensor):
        return value.untyped_storage().nbytes()
    if isinstance(value, (list, tuple)):
        return sum(map(bytes_in, value))
    return sum(map(bytes_in, value.values())) if isinstance(value, dict) else 0


def cases_of(recorder, info, everything=False):
    found = [(training, sample) for training, sample in itertools.islice(samples_of(info), 400) if everything or bytes_in(
        [sample.constructor_input.args, sample.constructor_input.kwargs, sample.forward_input.args, sample.forward_input.kwargs]) <= LARGEST_CASE]
    for training, sample in found if everything else spread(found, SAMPLES):
        try:
            yield recorder.module_case(info, sample, training)
        except Exception as error:
            print(f"{info.name}: not recorded: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)


def compare(database):
    import pywasmtorch

    from .opdb import LiveFamily
    from .replay import text_of_case

    agree = 0
    for info in database:
        recorder = ModuleRecorder()
        cases = list(cases_of(recorder, info, everything=True))
        family = LiveFamily(recorder)
        failures = []
        for case in cases:
            try:
                found = family.check(pywasmtorch, case)
            except Exception as error:
                found = f"{type(error).__name__}: {error}"
            if found:
                failures.append((text_of_case(case, recorder.inputs), found))
        agree += bool(cases) and not failures
        if failures or not cases:
            print(f"{info.name}: {len(failures)} of {len(cases)} differ")
            for text, found in failures[:3]:
                print(f"    {text[:300]}\n        {found[:400]}")
    print(f"{agree} of {len(database)} classes agree")


def main():
    from torch.testing._internal.common_modules import module_db

    warnings.simplefilter("ignore")
    remember_arguments(torch.nn.TransformerEncoderLayer)
    names = sys.argv[2:]
    if sys.argv[1:2] == ["--compare"]:
        return compare([info for info in module_db if not names or info.name.removeprefix("nn.") in names])
    recorder, cases = ModuleRecorder(), []
    for info in module_db:
        cases += cases_of(recorder, info)
    index = {"torch": torch.__version__.partition("+")[0], "signed_zeros": False, "inputs": recorder.inputs, "cases": cases, "programs": {}}
    store.write("module_db", index, recorder.pools)
    print(f"module_db: {len(cases)} cases of {len({case['op'] for case in cases})} classes, {sum(map(len, recorder.pools.data.values()))} bytes of tensors")


if __name__ == "__main__":
    main()
