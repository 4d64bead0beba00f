"""Second derivatives of PyTorch's operator database, by finite differences: our `gradgradcheck` on the smallest float64 samples.

``python -m tests.golden.opdb --gradgrad [NAME ...]`` runs it. A sample that PyTorch's own `gradgradcheck` rejects, too,
does not count.
"""

import collections
import warnings

from . import evaluate, opdb_paths
from .opdb import LiveFamily, Unrecordable, recorder_class, samples_of, within
from .replay import text_of_case

SAMPLES, ELEMENTS, MOST_ELEMENTS, SECONDS = 3, 40, 450, 15


def small_samples(op):
    """The samples with the fewest elements that need gradients, and more than none."""
    import torch

    def elements(sample):
        tensors = [t for t in torch.utils._pytree.tree_leaves((sample.input, sample.args, sample.kwargs)) if isinstance(t, torch.Tensor)]
        return sum(t.numel() for t in tensors if t.requires_grad), sum(t.numel() for t in tensors)

    sized = [(elements(sample), k, sample) for k, sample in enumerate(samples_of(op, "float64", True))]
    sized = sorted((entry for entry in sized if 0 < entry[0][0] <= MOST_ELEMENTS), key=lambda entry: entry[:2])
    small = [sample for (count, _), _, sample in sized[:SAMPLES] if count <= ELEMENTS]
    return small or [sample for _, _, sample in sized[:1]]


def encoded(recorder, op, sample):
    """The call of a sample, without running it."""
    case = {"op": opdb_paths.path_of(op), **opdb_paths.options_of(op, sample)}
    args, kwargs = opdb_paths.arguments_of(op, sample)
    case["args"] = [recorder.encode_argument(value) for value in args]
    case["kwargs"] = {name: recorder.encode_argument(value) for name, value in kwargs.items()}
    return case


def _function(lib, op, case, sample, tensors, names):
    """The call as a function of the tensors that need gradients, with the database's wrapper around it."""
    hermitian = op.gradcheck_wrapper.__name__ == "gradcheck_wrapper_hermitian_input"
    triangular = op.gradcheck_wrapper.__name__ == "gradcheck_wrapper_triangular_input"

    def function(*leaves):
        given = {**tensors, **dict(zip(names, leaves))}
        if "seed" in case:
            lib.manual_seed(case["seed"])
        args = evaluate.decode(case["args"], lib, given)
        kwargs = {name: evaluate.decode(value, lib, given) for name, value in case["kwargs"].items()}
        if hermitian:
            args[0] = args[0] + args[0].mH
        if triangular:
            args[0] = args[0].triu() if kwargs.get("upper", False) else args[0].tril()
        if case.get("inplace"):
            args[0] = args[0].clone()
        result = evaluate.resolve(lib, case["op"])(*args, **kwargs)
        if op.name.startswith("masked.") and case["kwargs"].get("mask") is not None:
            result = _kept(lib, op, result, args, kwargs)
        if "afterwards" in case:
            result = evaluate.AFTERWARDS[case["afterwards"]](lib, result)
        elif sample.output_process_fn_grad is not None:
            result = sample.output_process_fn_grad(result)
        return [t for t in evaluate.tensors_in(lib, result) if t.dtype.is_floating_point or t.dtype.is_complex]

    return function


def _kept(lib, op, result, args, kwargs):
    """Zeros where everything was masked out: nothing is determined there."""
    mask = lib.broadcast_to(kwargs["mask"], args[0].shape).to(lib.bool)
    if result.shape != args[0].shape:
        place = 2 if op.name == "masked.norm" else 1
        dim = kwargs["dim"] if "dim" in kwargs else args[place] if len(args) > place else None
        dims = range(args[0].ndim) if dim is None or dim == () else [dim] if isinstance(dim, int) else dim
        for d in sorted({d % max(args[0].ndim, 1) for d in dims}, reverse=True):
            mask = mask.any(d, keepdim=kwargs.get("keepdim", False))
    return lib.where(mask, result, lib.zeros_like(result))


def _check(lib, op, case, sample, make_input):
    tensors = {}
    for name in evaluate.references([case["args"], *case["kwargs"].values()]):
        if name not in tensors:
            tensor = make_input(int(name.strip("@g")))[1]
            # a clone, as finite differences step in place
            tensors[name] = tensor.clone().requires_grad_() if name.endswith("g") else tensor
    names = [name for name in tensors if name.endswith("g")]
    function = _function(lib, op, case, sample, tensors, names)
    leaves = [tensors[name] for name in names]
    outputs = function(*leaves)
    if not any(output.requires_grad for output in outputs):
        return
    lib.manual_seed(0)
    seeds = [lib.randn(output.shape, dtype=output.dtype).requires_grad_() for output in outputs if output.requires_grad]
    lib.autograd.gradgradcheck(lambda *given: [o for o in function(*given) if o.requires_grad], leaves, seeds, atol=1e-5, rtol=1e-3)


def compare(lib, op):
    """(checked, failures, skipped) of one entry."""
    import torch

    recorder = recorder_class()()
    family = LiveFamily(recorder)
    count, failures, skipped = 0, [], collections.Counter()
    for sample in small_samples(op):
        try:
            case = encoded(recorder, op, sample)
        except (Unrecordable, TypeError) as error:
            skipped[f"cannot be recorded: {error}"] += 1
            continue
        found = _outcome(lib, op, case, sample, lambda number: family.make_input(lib, number))
        if found is not None:
            theirs = _outcome(torch, op, case, sample, recorder.make_input)
            if theirs is not None:
                skipped[f"torch: {theirs[:80]}"] += 1
                continue
            failures.append((text_of_case(case, recorder.inputs), found))
        count += 1
    return count, failures, skipped


def _outcome(lib, op, case, sample, make_input):
    """None where the check passes, else what it raises."""

    def check():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _check(lib, op, case, sample, make_input)

    return within(SECONDS, check)
