"""default_collate and default_convert."""

import copy
from collections.abc import Mapping, MutableMapping, MutableSequence, Sequence

import pywasmtorch as torch

from ...._tensor import Tensor

_CANNOT_COLLATE = "default_collate: batch must contain tensors, numpy arrays, numbers, dicts or lists; found {}"


def _numpy_kind(kind):
    """``"array"`` or ``"scalar"`` for NumPy's classes, told by their names: NumPy is optional."""
    names = {base.__name__ for base in kind.__mro__ if base.__module__ == "numpy"}
    if "ndarray" in names:
        return "array"
    return "scalar" if names & {"bool", "bool_", "number", "object_"} else None


def _holds_text(array):
    return any(code in array.dtype.str for code in "SaUO")


def _rebuild_mapping(mapping, values):
    """A mapping of the same kind with other values, or a dict where its class does not allow it."""
    try:
        if isinstance(mapping, MutableMapping):
            clone = copy.copy(mapping)
            clone.update(values)
            return clone
        return type(mapping)(values)
    except TypeError:
        return values


def _rebuild_sequence(sequence, values):
    """A sequence of the same kind with other items, or a list where its class does not allow it."""
    try:
        if isinstance(sequence, MutableSequence):
            clone = copy.copy(sequence)
            for i, value in enumerate(values):
                clone[i] = value
            return clone
        return type(sequence)(values)
    except TypeError:
        return values


def default_convert(data):
    """NumPy arrays and numbers as tensors, also inside of collections; anything else as it is."""
    kind = type(data)
    if isinstance(data, Tensor):
        return data
    numpy_kind = _numpy_kind(kind)
    if numpy_kind is not None:
        is_text = numpy_kind == "array" and _holds_text(data)
        return data if is_text else torch.as_tensor(data)
    if isinstance(data, Mapping):
        return _rebuild_mapping(data, {key: default_convert(data[key]) for key in data})
    if isinstance(data, tuple):
        converted = [default_convert(item) for item in data]
        return kind(*converted) if hasattr(data, "_fields") else converted
    if isinstance(data, Sequence) and not isinstance(data, (str, bytes)):
        return _rebuild_sequence(data, [default_convert(item) for item in data])
    return data


def default_collate(batch):
    """Stack a list of samples.

    Tensors and arrays get a new dimension 0; floats become float64 and ints int64 tensors; strings stay a list;
    mappings and sequences are collated item by item, tuples giving lists and named tuples their own kind.

    Raises:
        TypeError: a sample is of another kind.
        RuntimeError: sequences differ in length.
    """
    return collate(batch, collate_fn_map=default_collate_fn_map)


def collate(batch, *, collate_fn_map=None):
    """Stack a list of samples with a function for each class.

    Args:
        batch (list): the samples, of which the first one says how to go on.
        collate_fn_map (dict, optional): from a class, or a tuple of them, to a function
            ``f(batch, *, collate_fn_map)``; the exact class is looked for first.
    """
    first = batch[0]
    kind = type(first)
    function = _find_function(first, collate_fn_map)
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)

    def go_on(samples):
        return collate(samples, collate_fn_map=collate_fn_map)

    if isinstance(first, Mapping):
        return _rebuild_mapping(first, {key: go_on([sample[key] for sample in batch]) for key in first})
    if isinstance(first, tuple) and hasattr(first, "_fields"):
        return kind(*(go_on(samples) for samples in zip(*batch, strict=False)))
    if isinstance(first, Sequence):
        if any(len(sample) != len(first) for sample in batch):
            raise RuntimeError("each element in list of batch should be of equal size")
        collated = [go_on(samples) for samples in zip(*batch, strict=False)]
        return collated if isinstance(first, tuple) else _rebuild_sequence(first, collated)
    raise TypeError(_CANNOT_COLLATE.format(kind))


def _find_function(sample, functions):
    if functions is None:
        return None
    kind = type(sample)
    if kind in functions:
        return functions[kind]
    if functions is default_collate_fn_map:
        numpy_kind = _numpy_kind(kind)
        if numpy_kind is not None:
            return collate_numpy_array_fn if numpy_kind == "array" else collate_numpy_scalar_fn
    return next((functions[other] for other in functions if isinstance(sample, other)), None)


def collate_tensor_fn(batch, *, collate_fn_map=None):
    return torch.stack(batch, 0)


def collate_numpy_array_fn(batch, *, collate_fn_map=None):
    if _holds_text(batch[0]):
        raise TypeError(_CANNOT_COLLATE.format(batch[0].dtype))
    return torch.stack([torch.as_tensor(array) for array in batch], 0)


def collate_numpy_scalar_fn(batch, *, collate_fn_map=None):
    return torch.as_tensor(batch)


def collate_float_fn(batch, *, collate_fn_map=None):
    return torch.tensor(batch, dtype=torch.float64)


def collate_int_fn(batch, *, collate_fn_map=None):
    return torch.tensor(batch)


def collate_str_fn(batch, *, collate_fn_map=None):
    return batch


default_collate_fn_map = {
    Tensor: collate_tensor_fn,
    float: collate_float_fn,
    int: collate_int_fn,
    str: collate_str_fn,
    bytes: collate_str_fn,
}
