"""Runs one recorded call with a library that has PyTorch's interface: `torch` itself or `pywasmtorch`.

A call is a dict as it stands in an index file:

- ``op``: the callable, ``torch.nn.functional.pad``, ``Tensor.add_`` (a method or property of the first argument) or
  ``operator.getitem`` (Python's operator module);
- ``args`` and ``kwargs``: values as `decode` reads them;
- ``seed``: what `manual_seed` is given first, where there is one;
- ``inplace``: the first argument is changed; where it needs a gradient the call gets a clone of it;
- ``afterwards``: what of the result is determined, a name in `AFTERWARDS`.
"""

import operator

from .calls import AFTERWARDS, CALLS
from .values import contiguous_strides, pack


def decode(value, lib, tensors):
    """The Python value that an index file's ``value`` stands for. Strings are marked by their beginning: ``@3`` is input
    tensor 3, ``@3g`` the same with requires_grad, ``=mean`` the text "mean", ``torch.float32`` an attribute of the library
    and ``...`` the Ellipsis. ``{"t": [...]}`` is a tuple, ``{"s": [...]}`` a slice and ``{"c": [...]}`` a complex number, and
    ``{"o": [name, (field, value), ...]}`` an object of `nn` made of these fields, such as a distance."""
    if isinstance(value, str):
        if value.startswith("@"):
            return tensors[value]
        if value.startswith("="):
            return value[1:]
        return ... if value == "..." else getattr(lib, value.removeprefix("torch."))
    if isinstance(value, list):
        return [decode(item, lib, tensors) for item in value]
    if isinstance(value, dict):
        ((kind, items),) = value.items()
        items = [decode(item, lib, tensors) for item in items]
        return {"t": tuple, "s": lambda parts: slice(*parts), "c": lambda parts: complex(*parts),
                "o": lambda parts: getattr(lib.nn, parts[0])(**dict(parts[1:]))}[kind](items)
    return value


def references(value):
    """The input tensors that an encoded value names, in order."""
    if isinstance(value, str):
        return [value] if value.startswith("@") else []
    if isinstance(value, dict):
        return [name for item in value.values() for name in references(item)]
    if isinstance(value, list):
        return [name for item in value for name in references(item)]
    return []


def resolve(lib, op):
    root, _, path = op.partition(".")
    if root == "operator":
        return getattr(operator, path)
    if root == "call":
        return lambda *args, **kwargs: CALLS[path](lib, *args, **kwargs)
    if root == "Tensor":
        return lambda self, *args, **kwargs: _member(self, path, args, kwargs)
    target = lib
    for name in path.split("."):
        target = getattr(target, name)
    return target


def _member(self, name, args, kwargs):
    member = getattr(self, name)
    return member(*args, **kwargs) if callable(member) and not hasattr(member, "stride") else member


def build_input(lib, dtype, data, size, stride, offset):
    """A tensor over a storage that holds ``data``, with the strides and the offset that were recorded."""
    torch_dtype = getattr(lib, dtype)
    storage = lib.frombuffer(bytearray(data), dtype=torch_dtype) if len(data) else lib.empty(0, dtype=torch_dtype)
    return storage, storage.as_strided(size, stride, offset)


def cotangent(lib, tensor, number):
    """A fixed gradient for output ``number``: values from -9/8 to 11/8 that no type rounds."""
    count = tensor.numel()
    numbers = [((k * 7 + number * 3) % 11 - 5) / 4 + 1 / 8 for k in range(count)]
    dtype = dtype_name(tensor)
    data = pack(dtype, numbers)
    size = list(tensor.shape)
    return build_input(lib, dtype, data, size, contiguous_strides(size), 0)[1].to(tensor.device)


def dtype_name(tensor):
    return str(tensor.dtype).rpartition(".")[2]


def tensors_in(lib, value):
    if isinstance(value, lib.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for item in value for tensor in tensors_in(lib, item)]
    return []


def without_contents(lib, value):
    """Zeros where the tensor's elements are not determined."""
    return lib.zeros_like(value) if isinstance(value, lib.Tensor) else value


class Outcome:
    """What a call did: ``out``, ``storages`` of the inputs by reference, ``grads`` by reference, ``same`` (the result is this
    argument or keyword), ``view_of`` (the result shares this input's memory), ``error`` or ``backward_error``."""

    out = error = backward_error = same = view_of = None

    def __init__(self):
        self.storages, self.grads = {}, {}


def run(lib, case, make_input, with_gradients=True):
    """Run the call. ``make_input(number)`` gives ``(storage, tensor)`` for an input."""
    outcome = Outcome()
    tensors, leaves = {}, {}
    for name in references([case.get("args", []), *case.get("kwargs", {}).values()]):
        if name in tensors:
            continue
        storage, tensor = make_input(int(name.strip("@g")))
        outcome.storages[name] = storage
        if name.endswith("g"):
            leaves[name] = tensor.requires_grad_() if with_gradients else tensor
        tensors[name] = tensor
    if "seed" in case:
        lib.manual_seed(case["seed"])
    if case.get("inplace") and leaves:
        changed = references(case["args"][:1])[0]
        tensors[changed] = tensors[changed].clone()
    try:
        args = decode(case.get("args", []), lib, tensors)
        kwargs = {name: decode(value, lib, tensors) for name, value in case.get("kwargs", {}).items()}
        result = resolve(lib, case["op"])(*args, **kwargs)
        if "afterwards" in case:
            result = AFTERWARDS[case["afterwards"]](lib, result)
    except Exception as error:
        outcome.error = error
        return outcome
    outcome.out = args[0] if case["op"] == "operator.setitem" else result
    outcome.same = _same(result, args, kwargs)
    outcome.view_of = _view_of(lib, outcome.out, tensors)
    if leaves and with_gradients:
        try:
            outcome.grads = _gradients(lib, outcome.out, leaves)
        except Exception as error:
            outcome.backward_error = error
    return outcome


def _same(result, args, kwargs):
    for place, value in [*enumerate(args), *kwargs.items()]:
        if result is value and hasattr(result, "stride"):
            return place
    return None


def _view_of(lib, result, tensors):
    """The input whose memory the result's elements lie in, by address; None for results that have their own."""
    results = tensors_in(lib, result)
    if not results or not results[0].numel():
        return None
    address = results[0].data_ptr()
    for name, tensor in tensors.items():
        base = tensor.data_ptr() - tensor.storage_offset() * tensor.element_size()
        if tensor.numel() and base + results[0].storage_offset() * results[0].element_size() == address:
            return name
    return None


def _gradients(lib, result, leaves):
    outputs = [tensor for tensor in tensors_in(lib, result) if tensor.requires_grad]
    if not outputs:
        return {}
    cotangents = [cotangent(lib, tensor, number) for number, tensor in enumerate(outputs)]
    grads = lib.autograd.grad(outputs, list(leaves.values()), cotangents, allow_unused=True)
    return dict(zip(leaves, grads))
