"""functional_call, stack_module_state, replace_all_batch_norm_modules_."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.tensor_type import Tensor

MISSING = object()


def _merged(dicts: Any) -> dict[str, Any]:
    if isinstance(dicts, dict):
        return dicts
    if not isinstance(dicts, Sequence):
        raise ValueError(f"Expected parameter_and_buffer_dicts to be a dict, or a list/tuple of dicts, but got {type(dicts)}")
    if not all(isinstance(d, dict) for d in dicts):
        raise ValueError("Expected all elements of parameter_and_buffer_dicts to be dictionaries")
    keys = [key for d in dicts for key in d]
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    if repeated:
        raise ValueError(f"{repeated} appeared in multiple dictionaries; behavior of functional call is ambiguous")
    return {key: value for d in dicts for key, value in d.items()}


def _named_tensors(module: Any) -> dict[str, Tensor]:
    return {**dict(module.named_parameters(remove_duplicate=False)), **dict(module.named_buffers(remove_duplicate=False))}


def _with_tied(module: Any, given: dict[str, Any]) -> dict[str, Any]:
    """What was given for one name stands for all names of the same tensor."""
    groups: dict[int, list[str]] = {}
    for name, tensor in _named_tensors(module).items():
        groups.setdefault(id(tensor), []).append(name)
    result = dict(given)
    for names in groups.values():
        present = [name for name in names if name in given]
        if len(names) < 2 or not present:
            continue
        if len({id(given[name]) for name in present}) > 1:
            raise ValueError(f"functional_call got multiple values for keys {sorted(names)}, which are tied. Consider using tie_weights=False")
        result.update(dict.fromkeys(names, given[present[0]]))
    return result


def _check_keys(module: Any, given: dict[str, Any]) -> None:
    names = _named_tensors(module)
    unexpected = [key for key in given if key not in names]
    missing = [key for key in names if key not in given]
    messages = [f"Unexpected key(s): {', '.join(map(repr, unexpected))}."] if unexpected else []
    messages += [f"Missing key(s): {', '.join(map(repr, missing))}."] if missing else []
    if messages:
        lines = "\n\t".join(messages)
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t{lines}")


def _owner(module: Any, name: str) -> tuple[Any, str]:
    path, _, last = name.rpartition(".")
    for part in path.split(".") if path else []:
        child = getattr(module, part, None)
        if child is None:
            raise AttributeError(f"{module._get_name()} has no attribute `{part}`")
        module = child
    return module, last


def _swap(module: Any, name: str, value: Any) -> Any:
    """Puts a tensor in a parameter's, buffer's or attribute's place, and returns what was there."""
    if value is not MISSING and value is not None and not isinstance(value, Tensor):
        raise TypeError(f"{value} is not an instance of torch.Tensor")
    owner, last = _owner(module, name)
    for table in (owner._parameters, owner._buffers):
        if last in table:
            before, table[last] = table[last], value
            return before
    before = getattr(owner, last, MISSING)
    if before is not MISSING and before is not None and not isinstance(before, Tensor):
        raise TypeError(f"attribute `{last}`: {before} is not an instance of torch.Tensor")
    if value is MISSING:
        delattr(owner, last)
    else:
        setattr(owner, last, value)
    return before


def functional_call(
    module: Any, parameter_and_buffer_dicts: Any, args: Any = None, kwargs: dict[str, Any] | None = None, *, tie_weights: bool = True,
    strict: bool = False,
) -> Any:
    """Calls a module with other parameters and buffers in the place of its own.

    Args:
        parameter_and_buffer_dicts: names to tensors, as `named_parameters` gives them, or a sequence of such dicts with different names. A
            buffer that the module replaces while it runs is replaced there, too.
        args: the module's argument, or a tuple of them.
        tie_weights: what is given for one name stands for the names that share its tensor. ValueError where these are given different ones.
        strict: the names must be exactly the module's (RuntimeError).
    """
    values = _merged(parameter_and_buffer_dicts)
    replaced = _with_tied(module, values) if tie_weights else dict(values)
    if strict:
        _check_keys(module, replaced)
    arguments = () if args is None else args if isinstance(args, tuple) else (args,)
    before: dict[str, Any] = {}
    try:
        for name, value in replaced.items():
            before[name] = _swap(module, name, value)
        return module(*arguments, **(kwargs or {}))
    finally:
        after = {name: _swap(module, name, value) for name, value in reversed(before.items())}
        values.update({name: after[name] for name in values if name in after and after[name] is not MISSING})


def _stacked(tensors: list[Tensor], name: str) -> Tensor:
    import pywasmtorch as torch

    asking = {t.requires_grad for t in tensors}  # type: ignore[attr-defined]
    if len(asking) > 1:
        raise RuntimeError(f"Expected {name} from each model to have the same .requires_grad")
    result = torch.stack(tensors)
    return result.detach().requires_grad_() if asking == {True} else result


def stack_module_state(models: Any) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The parameters and the buffers of modules of one class, stacked by name along a new first dimension: what :func:`vmap` over
    :func:`functional_call` takes. The stacked parameters are new leaves. RuntimeError for modules that differ."""
    if len(models) == 0:
        raise RuntimeError("stack_module_state: Expected at least one model, got 0.")
    if len({m.training for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to have the same training/eval mode.")
    if len({type(m) for m in models}) > 1:
        raise RuntimeError("stack_module_state: Expected all models to be of the same class.")
    results = []
    for kind in ("named_parameters", "named_buffers"):
        tables = [dict(getattr(m, kind)()) for m in models]
        results.append({name: _stacked([table[name] for table in tables], name) for name in tables[0]})
    return results[0], results[1]


def replace_all_batch_norm_modules_(root: Any) -> Any:
    """Has all batch normalizations below `root` keep no running statistics, in place, so that samples do not change them. Returns `root`."""
    from ..nn.modules.batchnorm import _BatchNorm

    for module in root.modules():
        if isinstance(module, _BatchNorm):
            module.running_mean = module.running_var = module.num_batches_tracked = None
            module.track_running_stats = False
    return root
