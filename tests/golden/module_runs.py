"""Runs one recorded module: constructed from a seed, called, differentiated, its state read.

A case has ``init`` and ``call``, each ``[args, kwargs]`` encoded as in `evaluate`; ``{"m": [name, args, kwargs]}`` is a module made
from them. With ``eval`` the module is put in evaluation mode first.
"""

import warnings

from . import evaluate

SEED = 7


def decode(value, lib, tensors):
    if isinstance(value, str) and value.startswith("torch.nn."):
        return evaluate.resolve(lib, value)
    if isinstance(value, dict) and "m" in value:
        name, args, kwargs = value["m"]
        return make(lib, name, [args, kwargs], tensors)
    if isinstance(value, list):
        return [decode(item, lib, tensors) for item in value]
    if isinstance(value, dict) and "t" in value:
        return tuple(decode(item, lib, tensors) for item in value["t"])
    return evaluate.decode(value, lib, tensors)


def make(lib, name, arguments, tensors):
    args, kwargs = arguments
    return getattr(lib.nn, name)(*[decode(a, lib, tensors) for a in args], **{key: decode(a, lib, tensors) for key, a in kwargs.items()})


def plain(lib, value):
    """Detached tensors in lists, whatever held them."""
    if isinstance(value, lib.Tensor):
        return value.detach()
    if isinstance(value, (list, tuple)):
        return [plain(lib, item) for item in value]
    return value


def run(lib, case, make_input):
    """What is compared, as a dict."""
    names = sorted(set(evaluate.references([case["init"][0], case["call"][0]]) + [
        name for part in ("init", "call") for value in case[part][1].values() for name in evaluate.references(value)
    ]))
    tensors = {name: make_input(int(name.strip("@g")))[1] for name in names}
    leaves = [name for name in names if name.endswith("g")]
    for name in leaves:
        tensors[name].requires_grad_()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        lib.manual_seed(SEED)
        module = make(lib, case["op"].removeprefix("nn."), case["init"], tensors).to(lib.float32)
        results = {"repr": repr(module), "names": list(module.state_dict())}
        module.train(not case.get("eval", False))
        args = [decode(a, lib, tensors) for a in case["call"][0]]
        output = module(*args, **{key: decode(a, lib, tensors) for key, a in case["call"][1].items()})
    results["output"] = plain(lib, output)
    state = module.state_dict()
    results["metadata"] = {key: str(value) for key, value in state._metadata.items()}
    results["state"] = {key: value.detach().clone() for key, value in state.items()}
    outputs = [tensor for tensor in evaluate.tensors_in(lib, output) if tensor.requires_grad]
    wanted = [tensors[name] for name in leaves] + [p for p in module.parameters() if p.requires_grad]
    if outputs and wanted:
        cotangents = [evaluate.cotangent(lib, tensor, number) for number, tensor in enumerate(outputs)]
        results["gradients"] = list(lib.autograd.grad(outputs, wanted, cotangents, allow_unused=True))
    return results
