"""Replay recorded cases with a library and report differences. Needs neither PyTorch nor NumPy."""

import builtins
import ctypes
import importlib
import warnings

from . import evaluate, module_runs, store
from .programs import digest, programs_of, run_program
from .values import GRADIENT_TOLERANCES, TOLERANCES, close, difference, relatively_close

MODULE_TOLERANCE = 1e-4


def bytes_of(lib, tensor):
    """The elements' bytes in row-major order."""
    tensor = tensor.detach()
    if lib.__name__ == "torch":
        tensor = tensor.clone() if tensor._is_zerotensor() else tensor.resolve_conj().resolve_neg().contiguous()
        return ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size())
    return importlib.import_module(f"{lib.__name__}._tensor.from_data").to_bytes(tensor)


def text_of_case(case, inputs):
    """The call as a person would write it, input tensors by dtype and size."""

    def text(value):
        if isinstance(value, str) and value.startswith("@"):
            dtype, _, _, size, stride, offset = inputs[int(value.strip("@g"))][:6]
            strided = evaluate.contiguous_strides(size) != stride or offset
            layout = f" strides {stride} offset {offset}" if strided else ""
            return f"<{dtype} {size}{layout}{' requires_grad' if value.endswith('g') else ''}>"
        if isinstance(value, str):
            return repr(value[1:]) if value.startswith("=") else value
        if isinstance(value, list):
            return f"[{', '.join(map(text, value))}]"
        if isinstance(value, dict):
            ((kind, items),) = value.items()
            if kind == "m":
                return f"nn.{items[0]}({', '.join([*map(text, items[1]), *(f'{k}={text(v)}' for k, v in items[2].items())])})"
            opening = {"t": "(", "s": "slice(", "c": "complex(", "o": "nn("}[kind]
            return f"{opening}{', '.join(map(text, items))}{',' if kind == 't' and len(items) == 1 else ''})"
        return repr(value)

    if "module" in case:
        made, called = (", ".join([*map(text, args), *(f"{k}={text(v)}" for k, v in kwargs.items())]) for args, kwargs in (case["init"], case["call"]))
        return f"{case['op']}({made}){'.eval()' if case.get('eval') else ''}({called})"
    arguments = [text(value) for value in case.get("args", [])]
    arguments += [f"{name}={text(value)}" for name, value in case.get("kwargs", {}).items()]
    return f"{case['op']}({', '.join(arguments)})"


class Comparison:
    """Compares results of the library with recorded ones. Each method returns None or a sentence about the difference."""

    def __init__(self, lib, pools, signed_zeros=False, relative=False):
        self.lib, self.pools, self.signed_zeros = lib, pools, signed_zeros
        self.numbers_agree = relatively_close if relative else close

    def value(self, expected, actual, tolerance=None, tolerances=TOLERANCES):
        if isinstance(expected, dict) and ("T" in expected or "G" in expected):
            return self._tensor(expected, actual, tolerance, tolerances)
        if isinstance(expected, dict) and "d" in expected:
            return self._dict(expected["d"], actual, tolerance)
        if isinstance(expected, dict) and "c" in expected:
            expected = complex(*expected["c"])
        elif isinstance(expected, (dict, list)):
            return self._sequence(expected, actual, tolerance, tolerances)
        if isinstance(expected, str):
            wanted = expected[1:] if expected.startswith("=") else expected
            return None if str(actual) == wanted else f"{_shown(actual)}, expected {_shown(wanted)}"
        if type(expected) is not type(actual):
            return f"{_shown(actual)} of type {type(actual).__name__}, expected {expected!r}"
        if isinstance(expected, (float, complex)):
            tolerance = TOLERANCES["float32"] if tolerance is None else tolerance
            return None if self.numbers_agree(expected, actual, tolerance) else f"{actual!r}, expected {expected!r}"
        return None if expected == actual else f"{actual!r}, expected {expected!r}"

    def _tensor(self, expected, actual, tolerance, tolerances):
        ((kind, (dtype, start, size, *layout)),) = expected.items()
        if not isinstance(actual, self.lib.Tensor):
            return f"{_shown(actual)} of type {type(actual).__name__}, expected a tensor {dtype} {size}"
        count = 1
        for extent in size:
            count *= extent
        wanted = dtype, size, store.slice_of(self.pools, dtype, start, count)
        got = evaluate.dtype_name(actual), list(actual.shape), bytes_of(self.lib, actual)
        tolerance = tolerances.get(dtype, 0) if tolerance is None else tolerance
        found = difference(wanted, got, tolerance, self.signed_zeros and tolerances is TOLERANCES)
        if found:
            return found
        if layout and [list(actual.stride()), actual.storage_offset()] != layout:
            return f"strides {list(actual.stride())} and offset {actual.storage_offset()}, expected {layout[0]}, {layout[1]}"
        if actual.requires_grad != (kind == "G"):
            return f"requires_grad is {actual.requires_grad}, expected {kind == 'G'}"
        return None

    def _sequence(self, expected, actual, tolerance, tolerances):
        wanted_type = list if isinstance(expected, list) else tuple
        items = expected if isinstance(expected, list) else expected["t"]
        if not isinstance(actual, wanted_type):
            return f"{_shown(actual)} of type {type(actual).__name__}, expected a {wanted_type.__name__}"
        if len(items) != len(actual):
            return f"{len(actual)} items, expected {len(items)}"
        for number, (wanted, got) in enumerate(zip(items, actual)):
            found = self.value(wanted, got, tolerance, tolerances)
            if found:
                return f"item {number}: {found}"
        for number, name in enumerate(expected.get("n", []) if isinstance(expected, dict) else []):
            if getattr(actual, name, None) is not actual[number]:
                return f"field {name} is not item {number}"
        return None

    def _dict(self, expected, actual, tolerance):
        if not isinstance(actual, dict) or list(actual) != list(expected):
            return f"keys {list(actual)}, expected {list(expected)}"
        differences = [(key, self.value(wanted, actual[key], tolerance)) for key, wanted in expected.items()]
        return "; ".join(f"{key}: {found}" for key, found in differences if found) or None


def _shown(value):
    text = repr(value)
    return text if len(text) <= 400 else f"{text[:400]}..."


class Family:
    """The recordings of one family, read when they are first needed."""

    def __init__(self, name):
        self.name = name
        self.index = store.read_index(name)
        self.inputs = self.index["inputs"]
        self._pools = None

    @property
    def pools(self):
        if self._pools is None:
            self._pools = store.read_pools(self.name)
        return self._pools

    def operators(self):
        return sorted({case["op"] for case in self.index["cases"]})

    def cases(self, op):
        return [case for case in self.index["cases"] if case["op"] == op]

    def programs(self):
        return sorted(self.index["programs"])

    def input_bytes(self, number):
        return store.input_bytes(self.pools, self.inputs[number])

    def make_input(self, lib, number):
        dtype, _, _, size, stride, offset = self.inputs[number][:6]
        return evaluate.build_input(lib, dtype, self.input_bytes(number), size, stride, offset)

    def check(self, lib, case):
        """None where the library does what was recorded, else a sentence."""
        if "module" in case:
            return self._check_module(lib, case)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            outcome = evaluate.run(lib, case, lambda number: self.make_input(lib, number))
        return self._check_error(case, outcome) if "raises" in case else self._check_result(lib, case, outcome)

    def _check_module(self, lib, case):
        try:
            results = module_runs.run(lib, case, lambda number: self.make_input(lib, number))
        except Exception as error:
            return f"raised {type(error).__name__}: {error}"
        return Comparison(lib, self.pools).value(case["out"], results, MODULE_TOLERANCE)

    def _check_error(self, case, outcome):
        name, *fragments = case["raises"]
        if outcome.error is None:
            return f"raised nothing, expected {name}"
        error = outcome.error
        if not isinstance(error, getattr(builtins, name)):
            return f"raised {type(error).__name__}: {error}; expected {name}"
        missing = [fragment for fragment in fragments if fragment.lower() not in str(error).lower()]
        return f"the message lacks {missing}: {error}" if missing else None

    def _check_result(self, lib, case, outcome):
        if outcome.error is not None:
            return f"raised {type(outcome.error).__name__}: {outcome.error}"
        comparison = Comparison(lib, self.pools, self.index["signed_zeros"])
        if not case.get("contents", True):
            outcome.out = evaluate.without_contents(lib, outcome.out)
        found = comparison.value(case["out"], outcome.out, case.get("tol"))
        if found:
            return found
        if outcome.same != case.get("same"):
            return f"the result is argument {outcome.same!r} itself, expected {case.get('same')!r}"
        if case.get("strides") and outcome.view_of != case.get("view_of"):
            return f"the result is a view of {outcome.view_of}, expected {case.get('view_of')}"
        if not any(name.endswith("g") for name in outcome.storages):
            return self._check_storages(lib, case, outcome, comparison)
        return self._check_gradients(case, outcome, comparison)

    def _check_storages(self, lib, case, outcome, comparison):
        changed = case.get("after", {})
        for name, storage in outcome.storages.items():
            if name in changed:
                found = comparison.value(changed[name], storage, case.get("tol"))
                if found:
                    return f"storage of input {name} afterwards: {found}"
            elif bytes_of(lib, storage) != self.input_bytes(int(name.strip("@g"))):
                return f"input {name} was changed"
        return None

    def _check_gradients(self, case, outcome, comparison):
        if case.get("gradient") is False:
            return None
        if outcome.backward_error is not None:
            return f"backward raised {type(outcome.backward_error).__name__}: {outcome.backward_error}"
        for name, expected in case.get("grads", {}).items():
            found = comparison.value(expected, outcome.grads.get(name), case.get("grad_tol"), GRADIENT_TOLERANCES)
            if found:
                return f"gradient of input {name}: {found}"
        return None

    def check_program(self, lib, name):
        module = importlib.import_module(f"{__package__}.cases.{self.name}")
        program = next(program for program in programs_of(module) if program.__name__ == name)
        recorded = self.index["programs"][name]
        if digest(program) != recorded["digest"]:
            return "the program was changed after it was recorded: run python -m tests.golden.record"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = run_program(lib, program)
        relative = getattr(program, "relative", False)
        comparison = Comparison(lib, self.pools, self.index["signed_zeros"], relative)
        return comparison.value(recorded["results"], results, getattr(program, "tolerance", None))

    def check_operator(self, lib, op, known=frozenset()):
        """The failures of one operator's cases, as sentences; entries of the database that are `known` to differ must differ."""
        failures, differing = [], set()
        cases = self.cases(op)
        for number, case in enumerate(cases):
            found = self.check(lib, case)
            if found and case.get("entry") in known:
                differing.add(case["entry"])
            elif found:
                failures.append(f"case {number}: {text_of_case(case, self.inputs)}\n    {found}")
        agreeing = {case["entry"] for case in cases if case.get("entry") in known} - differing
        return failures + [f"{entry} is known to differ, but agrees: take it out of opdb_differences.json" for entry in sorted(agreeing)]
