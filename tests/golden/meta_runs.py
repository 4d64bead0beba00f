"""The recorded calls of `opdb_*` on meta tensors: results and gradients have the shapes, dtypes and strides that the same call gives on
the CPU, and nothing is read or written. ``python -m tests.golden.meta_runs [OPERATOR ...]`` prints what differs here;
with ``--record`` (needs PyTorch) it writes which calls PyTorch refuses on meta."""

import collections
import importlib
import json
import sys
import warnings
from pathlib import Path

from . import evaluate, module_runs
from .replay import Family, text_of_case

FAMILIES = ("opdb_core", "opdb_fft", "opdb_linalg", "opdb_masked", "opdb_nn_functional", "opdb_signal")
BY_VALUES = {"torch.prod"}  # which way its gradient takes, and so the gradient's strides, depends on whether there is a zero
REFUSED = Path(__file__).with_name("meta_refused.json")


def described(lib, value, device):
    """A result without its values: tensors as dtype, shape, strides and whether they require grad."""
    if isinstance(value, lib.Tensor):
        if value.device.type != device:
            return f"a tensor on {value.device}"
        strides = [stride for stride, size in zip(value.stride(), value.shape) if size > 1] if value.numel() else None
        return evaluate.dtype_name(value), list(value.shape), strides, value.requires_grad
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [described(lib, item, device) for item in value]
    if isinstance(value, dict):
        return {key: described(lib, item, device) for key, item in value.items()}
    return value


def inputs_on(lib, family, device):
    """What makes a case's inputs there."""

    def make_input(number):
        storage, tensor = family.make_input(lib, number)
        if device == "cpu":
            return storage, tensor
        storage = storage.to("meta")
        return storage, storage.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())

    return make_input


def run(lib, family, case, device):
    if case.get("kwargs", {}).get("device") == "=cpu":
        case = {**case, "kwargs": {**case["kwargs"], "device": f"={device}"}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return evaluate.run(lib, case, inputs_on(lib, family, device))


def refusal(error):
    """Whether an error says that meta tensors have no values."""
    return type(error) is NotImplementedError or "meta tensor" in str(error) or "Meta tensor" in str(error)


def compare(lib, family, case):
    """None where both agree, "refused" where meta tensors have no values for it, else a sentence."""
    on_cpu, on_meta = run(lib, family, case, "cpu"), run(lib, family, case, "meta")
    if on_cpu.error is not None:
        return None
    for error in (on_meta.error, on_meta.backward_error if on_cpu.backward_error is None else None):
        if error is not None:
            return "refused" if refusal(error) else f"{type(error).__name__}: {error}"
    wanted, got = described(lib, on_cpu.out, "cpu"), described(lib, on_meta.out, "meta")
    if wanted != got:
        return f"{got}, on the CPU {wanted}"
    wanted = {name: described(lib, grad, "cpu") for name, grad in on_cpu.grads.items()}
    got = {name: described(lib, grad, "meta") for name, grad in on_meta.grads.items()}
    return None if wanted == got or case["op"] in BY_VALUES else f"gradients {got}, on the CPU {wanted}"


def compare_module(lib, family, case):
    """The same of a module, constructed on the device."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = described(lib, module_runs.run(lib, case, inputs_on(lib, family, "cpu")), "cpu")
        try:
            with lib.device("meta"):
                got = described(lib, module_runs.run(lib, case, inputs_on(lib, family, "meta")), "meta")
        except Exception as error:
            return "refused" if refusal(error) else f"{type(error).__name__}: {error}"
    return None if wanted == got else f"{got}, on the CPU {wanted}"


def cases_of(family):
    """Each call on its own dtype and no error inputs, by operator."""
    found = collections.defaultdict(list)
    for case in family.index["cases"]:
        places = [*evaluate.references([case.get("args", []), *case.get("kwargs", {}).values()]), *(["device"] if "device" in case.get("kwargs", {}) else [])]
        if "raises" not in case and places:
            found[case["op"]].append(case)
    return found


def main():
    names = sys.argv[1:]
    lib = importlib.import_module("torch" if "--record" in names else "pywasmtorch")
    refused = {}
    for name in FAMILIES:
        family = Family(name)
        for op, cases in cases_of(family).items():
            if "--record" not in names and names and op not in names:
                continue
            found = [(case, compare(lib, family, case)) for case in cases]
            if any(what == "refused" for _, what in found):
                refused[op] = sum(what == "refused" for _, what in found)
            differing = [(case, what) for case, what in found if what and what != "refused"]
            for case, what in differing[:2] if "--record" not in names else []:
                print(f"{len(differing)}/{len(cases)} {text_of_case(case, family.inputs)[:200]}\n    {' '.join(what.split())[:330]}", flush=True)
    if "--record" in names:
        REFUSED.write_text(json.dumps(refused, indent=1) + "\n")
    print("refused:", refused)


if __name__ == "__main__":
    main()
