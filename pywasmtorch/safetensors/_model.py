"""save_model and load_model: each shared tensor is stored once."""

from ._file import LONGEST_SHOWN, load_file, save_file


def _range_of(tensor):
    """The bytes between a tensor's first element and its last, both included."""
    begin = tensor.data_ptr()
    last = sum((n - 1) * stride for n, stride in zip(tensor.shape, tensor.stride()))
    return begin, begin + (last + 1) * tensor.element_size()


def _shared_names(state):
    """Lists of the names whose tensors share elements, each list with the one first that holds all of them.

    RuntimeError where none does.
    """
    groups, end = [], 0
    for (begin, stop), name in sorted((_range_of(tensor), name) for name, tensor in state.items() if tensor.numel()):
        if groups and begin < end:
            groups[-1].append(name)
        else:
            groups.append([name])
        end = max(end, stop)
    return [_complete_first(names, state) if len(names) > 1 else names for names in groups]


def _complete_first(names, state):
    begin, end = min(_range_of(state[n])[0] for n in names), max(_range_of(state[n])[1] for n in names)
    complete = [n for n in sorted(names) if _range_of(state[n]) == (begin, end) and state[n].numel() * state[n].element_size() == end - begin]
    if not complete:
        raise RuntimeError(f"found no name to keep among {sorted(names)}, which share memory: none of them holds all of it")
    return [complete[0], *sorted(set(names) - {complete[0]})]


def save_model(model, filename, metadata=None, force_contiguous=True):
    """Write a module's parameters and buffers to the file.

    Of names that share elements the one that holds all stands in the file, and the metadata says which it stands for. With
    ``force_contiguous`` other layouts are copied first; without, they raise ValueError.
    """
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
    loaded = load_file(filename, device=device)
    missing, unexpected = model.load_state_dict(loaded, strict=False)
    missing = set(missing)
    for names in _shared_names(model.state_dict()):
        if any(name in loaded for name in names):
            missing -= set(names)
    if strict and (missing or unexpected):
        text = f"Error(s) in loading state_dict for {type(model).__name__}:"
        for kind, names in (("Missing", sorted(missing)), ("Unexpected", sorted(unexpected))):
            if names:
                quoted = ", ".join(f'"{name if len(name) <= LONGEST_SHOWN else name[:LONGEST_SHOWN] + "…"}"' for name in names)
                text += f"\n    {kind} key(s) in state_dict: {quoted}"
        raise RuntimeError(text)
    return missing, unexpected
