"""The other forms of PyTorch's operator database: in place, with out=, and in-place changes of views.

``python -m tests.golden.opdb --inplace | --out | --views [NAME ...]`` runs each form in PyTorch and here, and compares everything a program
can see: values, gradients, versions, sizes, strides, identity, warnings and the types of errors.
"""

import collections
import warnings

from . import evaluate, opdb_paths
from .opdb import LiveFamily, TimeOut, Unrecordable, recorder_class, samples_of, within
from .opdb_gradgrad import encoded
from .replay import GRADIENT_TOLERANCES, Comparison, text_of_case

SAMPLES, SECONDS = 6, 10


def _kind(error):
    """The nearest public exception type."""
    return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")


class Call:
    """One sample's call in one library: fresh tensors each time."""

    def __init__(self, lib, case, make_input):
        self.lib, self.case, self.make_input = lib, case, make_input

    def arguments(self, with_gradients=True):
        tensors, self.leaves = {}, []
        for name in evaluate.references([self.case["args"], *self.case["kwargs"].values()]):
            if name in tensors:
                continue
            tensor = self.make_input(int(name.strip("@g")))[1]
            if name.endswith("g") and with_gradients:
                self.leaves.append(tensor.requires_grad_())
            tensors[name] = tensor
        if "seed" in self.case:
            self.lib.manual_seed(self.case["seed"])
        args = evaluate.decode(self.case["args"], self.lib, tensors)
        return args, {name: evaluate.decode(value, self.lib, tensors) for name, value in self.case["kwargs"].items()}

    def gradients(self, outputs):
        outputs = [o for o in outputs if o.requires_grad]
        if not outputs or not self.leaves:
            return []
        seeds = [evaluate.cotangent(self.lib, o, k) for k, o in enumerate(outputs)]
        return list(self.lib.autograd.grad(outputs, self.leaves, seeds, allow_unused=True))


def _caught(action):
    """What the action returns, or the kind of what it raises; and the warnings on the way."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            result = action()
        except TimeOut:
            raise
        except Exception as error:
            return {"raises": _kind(error)}, str(error)
    warned = sorted({w.category.__name__ for w in seen if "resized" in str(w.message)})
    return {**result, "warned": warned}, ""


# ---- in place ----
def run_inplace(call, op):
    """The in-place method on a clone of the input."""

    def action():
        args, kwargs = call.arguments()
        target = args[0].clone() if isinstance(args[0], call.lib.Tensor) else args[0]
        version = target._version
        result = getattr(target, op.inplace_variant.__name__)(*args[1:], **kwargs)
        return {"value": target.detach(), "same": result is target, "versions": target._version - version,
                "gradients": call.gradients([target])}

    return [_caught(action), _caught(lambda: _on_leaf(call, op))]


def _on_leaf(call, op):
    """A leaf that requires grad refuses."""
    args, kwargs = call.arguments()
    getattr(args[0], op.inplace_variant.__name__)(*args[1:], **kwargs)
    return {}


# ---- out= ----
def _other_dtype(lib, dtype):
    return lib.int32 if dtype is lib.float32 or dtype.is_floating_point or dtype.is_complex else lib.float32


def _fresh_outs(lib, results, how):
    outs = []
    for result in results:
        shape, dtype = list(result.shape), result.dtype
        if how == "fits":
            out = lib.zeros(shape, dtype=dtype)
        elif how == "empty":
            out = lib.empty(0, dtype=dtype)
        elif how == "other size":
            out = lib.zeros([*shape, 2], dtype=dtype)
        elif how == "strided":
            out = lib.zeros([*shape, 2], dtype=dtype)[..., 0]
        elif how == "other dtype":
            out = lib.zeros(shape, dtype=_other_dtype(lib, dtype))
        else:
            out = lib.zeros(shape, dtype=lib.float64 if dtype is lib.float32 else lib.complex128 if dtype is lib.complex64 else dtype)
        outs.append(out)
    return outs


OUT_KINDS = ("fits", "empty", "other size", "strided", "other dtype", "wider")


def run_out(call, op):
    outcomes = []
    for how in OUT_KINDS:
        def action(how=how):
            args, kwargs = call.arguments(with_gradients=False)
            plain = evaluate.resolve(call.lib, call.case["op"])(*args, **kwargs)
            results = [plain] if isinstance(plain, call.lib.Tensor) else list(plain)
            args, kwargs = call.arguments(with_gradients=False)
            outs = _fresh_outs(call.lib, results, how)
            before = [o.data_ptr() for o in outs]
            given = outs[0] if isinstance(plain, call.lib.Tensor) else tuple(outs)
            result = evaluate.resolve(call.lib, call.case["op"])(*args, **kwargs, out=given)
            returned = [result] if isinstance(result, call.lib.Tensor) else list(result)
            values = [o.detach().to(r.dtype) if how == "wider" else o.detach() for o, r in zip(outs, results)]
            return {"value": values, "same": [a is b for a, b in zip(returned, outs)],
                    "strides": [list(o.stride()) for o in outs] if how == "strided" else [],
                    "in its memory": [a == o.data_ptr() for a, o in zip(before, outs)] if how in ("fits", "strided") else []}

        outcomes.append(_caught(action))
    if call.case.get("grads_wanted"):
        def refuses():
            args, kwargs = call.arguments()
            plain = evaluate.resolve(call.lib, call.case["op"])(*args, **kwargs)
            results = [plain] if isinstance(plain, call.lib.Tensor) else list(plain)
            outs = _fresh_outs(call.lib, results, "fits")
            evaluate.resolve(call.lib, call.case["op"])(*args, **kwargs, out=outs[0] if isinstance(plain, call.lib.Tensor) else tuple(outs))
            return {}

        outcomes.append(_caught(refuses))
    return outcomes


# ---- views ----
def run_views(call, op):
    """Changes each result in place, and looks at the base: its value, its version, its gradient."""

    def action(number):
        args, kwargs = call.arguments()
        base = args[0] if not isinstance(args[0], (list, tuple)) else args[0][0]
        base = base.clone()
        if isinstance(args[0], (list, tuple)):
            args[0] = [base, *args[0][1:]]
        else:
            args[0] = base
        results = evaluate.tensors_in(call.lib, evaluate.resolve(call.lib, call.case["op"])(*args, **kwargs))
        view = results[number]
        if view is base or not view.numel() or view._base is None or view._base.data_ptr() != base.data_ptr():
            return {"view": False}
        if 1 + sum((n - 1) * step for n, step in zip(view.shape, view.stride())) < view.numel():
            return {"view": True}  # it overlaps itself: the order of writing decides
        version = base._version
        view.mul_(2)
        view.add_(base.detach().sum() if view.dtype.is_floating_point else 1)
        return {"view": True, "value": base.detach(), "versions": base._version - version, "of view": view.detach(),
                "shares version": view._version == base._version, "gradients": call.gradients([base, view])}

    return [_caught(lambda: action(0)), _caught(lambda: action(-1))]


FORMS = {"inplace": run_inplace, "out": run_out, "views": run_views}


def applies(form, op):
    if form == "inplace":
        return op.inplace_variant is not None
    return op.supports_out if form == "out" else True


def _samples(op, dtype):
    """Some of the samples, from all over the database's list."""
    samples = list(samples_of(op, dtype, True))
    step = max(1, len(samples) // SAMPLES)
    return samples[::step][: SAMPLES + 2]


def _difference(lib, recorder, theirs, ours):
    comparison = Comparison(lib, recorder.pools.data)
    for k, ((expected, message), (actual, other_message)) in enumerate(zip(theirs, ours)):
        which = f"{OUT_KINDS[k]}: " if len(theirs) > 3 and k < len(OUT_KINDS) else f"[{k}] " if k else ""
        if "raises" in expected or "raises" in actual:
            if which == "wider: " and "raises" not in actual:
                continue  # some of PyTorch's operators want the very dtype; here every dtype is good that the result casts to
            if expected.get("raises") != actual.get("raises"):
                raised = f"raised {actual['raises']}: {other_message}" if "raises" in actual else "raised nothing"
                wanted = f"{expected['raises']}: {message}" if "raises" in expected else "a result"
                return f"{which}{raised}; expected {wanted}"
            continue
        for key, value in expected.items():
            tolerances = (None, GRADIENT_TOLERANCES) if key == "gradients" else ()
            found = comparison.value(recorder.encode_result(value), actual.get(key), *tolerances)
            if found:
                return f"{which}{key}: {found}"
    return None


def compare(lib, op, form, dtype="float32"):
    """(compared, failures, skipped) of one entry."""
    import torch

    recorder = recorder_class()()
    family = LiveFamily(recorder)
    count, failures, skipped = 0, [], collections.Counter()
    if form == "views" and not _gives_views(op, dtype):
        return 0, [], {"no view": 1}
    for sample in _samples(op, dtype):
        try:
            case = encoded(recorder, op, sample)
            case["grads_wanted"] = any(name.endswith("g") for name in evaluate.references([case["args"], *case["kwargs"].values()]))
            if form == "inplace" and case["op"].startswith("call."):
                raise Unrecordable("a call of more than one name")
            theirs = FORMS[form](Call(torch, case, recorder.make_input), op)
            encoded_theirs = [(t, m) for t, m in theirs]
        except (Unrecordable, TypeError) as error:
            skipped[f"cannot be recorded: {str(error)[:80]}"] += 1
            continue
        count += 1

        def check():
            ours = FORMS[form](Call(lib, case, lambda number: family.make_input(lib, number)), op)
            return _difference(lib, recorder, encoded_theirs, ours)

        found = within(SECONDS, check)
        if found:
            failures.append((text_of_case(case, recorder.inputs), found))
    return count, failures, skipped


def _gives_views(op, dtype):
    import torch

    for sample in samples_of(op, dtype, False):
        try:
            args, kwargs = opdb_paths.arguments_of(op, sample)
            result = evaluate.resolve(torch, opdb_paths.path_of(op))(*args, **kwargs)
        except Exception:
            return False
        return any(t._base is not None for t in evaluate.tensors_in(torch, result))
    return False
