"""Whole modules in safetensors files, in which each tensor stands once."""


def _shared_names(state):
    """Lists of the names whose tensors are the same elements. RuntimeError where tensors share only a part of their elements."""
    places = {}
    for name, tensor in state.items():
        if tensor.numel():
            places.setdefault(tensor.untyped_storage().data_ptr(), []).append(name)
    groups = []
    for names in places.values():
        kinds = {}
        for name in names:
            t = state[name]
            kinds.setdefault((t.data_ptr(), t.numel(), t.dtype, tuple(t.shape), t.stride()), []).append(name)
        groups.extend(kinds.values())
    return [sorted(names) for names in groups]


def save_model(model, filename, metadata=None, force_contiguous=True):
    """Write a module's parameters and buffers to the file.

    Of names that share one tensor the first stands in the file, and the metadata says which it stands for. With
    ``force_contiguous`` other layouts are copied first; without, they raise ValueError.
    """
    from . import save_file

    state = model.state_dict()
    notes = dict(metadata or {})
    for kept, *others in _shared_names(state):
        for name in others:
            del state[name]
            notes.setdefault(name, kept)
    if force_contiguous:
        state = {name: tensor.contiguous() for name, tensor in state.items()}
    save_file(dict(state), filename, notes or None)


def load_model(model, filename, strict=True, device="cpu"):
    """Load the file into a module; returns (missing names, unexpected names).

    RuntimeError, naming the tensors, where ``strict`` and there are any.
    """
    from . import load_file

    loaded = load_file(filename, device=device)
    missing, unexpected = model.load_state_dict(loaded, strict=False)
    missing = set(missing)
    for names in _shared_names(model.state_dict()):
        if any(name in loaded for name in names):
            missing -= set(names)
    if strict and (missing or unexpected):
        text = f"Error(s) in loading state_dict for {type(model).__name__}:"
        if missing:
            text += f"\n    Missing key(s) in state_dict: {', '.join(map(repr, sorted(missing)))}"
        if unexpected:
            text += f"\n    Unexpected key(s) in state_dict: {', '.join(map(repr, sorted(unexpected)))}"
        raise RuntimeError(text)
    return missing, unexpected
