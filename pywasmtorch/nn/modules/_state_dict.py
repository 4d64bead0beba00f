"""state_dict and load_state_dict of Module."""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping
from typing import Any

import pywasmtorch as torch

from ..._tensor import Tensor
from ..parameter import Parameter, is_lazy
from ._hooks import Hooks, WrappedHook, register

EXTRA_STATE_KEY = "_extra_state"


class _IncompatibleKeys(namedtuple("_IncompatibleKeys", ["missing_keys", "unexpected_keys"])):
    """What ``load_state_dict`` did not find, and what it found no use for."""

    __slots__ = ()

    def __repr__(self):
        if not self.missing_keys and not self.unexpected_keys:
            return "<All keys matched successfully>"
        return super().__repr__()

    __str__ = __repr__


class StateDictMethods:
    """The part of ``Module`` that saves and loads."""

    _version = 1

    _parameters: dict[str, Any]
    _buffers: dict[str, Any]
    _non_persistent_buffers_set: set[str]
    _modules: dict[str, Any]
    _state_dict_hooks: Hooks
    _state_dict_pre_hooks: Hooks
    _load_state_dict_pre_hooks: Hooks
    _load_state_dict_post_hooks: Hooks

    def get_extra_state(self):
        """Anything that a subclass wants to keep in its state dictionary besides tensors; it must pickle."""
        raise RuntimeError(f"{type(self).__name__} defines no get_extra_state, so it must not be called")

    def set_extra_state(self, state):
        """Take back what ``get_extra_state`` gave; subclasses that define the one define the other."""
        raise RuntimeError(f"{type(self).__name__} defines no set_extra_state, so it must not be called")

    def state_dict(self, *args, destination=None, prefix="", keep_vars=False):
        """The parameters and persistent buffers of this module and its children, by dotted name.

        Args:
            destination (dict, optional): the dictionary to fill. Default: a new ``OrderedDict``.
            prefix (str): put before every name. Default: ``""``.
            keep_vars (bool): give the tensors themselves rather than detached ones. Default: ``False``.

        The tensors share memory with the module's; ``_metadata`` on the result holds the versions.
        """
        if args:
            destination, prefix, keep_vars = _read_positional(args, destination, prefix, keep_vars)
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        metadata = {"version": self._version}
        if hasattr(destination, "_metadata"):
            destination._metadata[prefix[:-1]] = metadata
        for hook in self._state_dict_pre_hooks.values():
            hook(self, prefix, keep_vars)
        self._save_to_state_dict(destination, prefix, keep_vars)
        for name, child in self._modules.items():
            if child is not None:
                child.state_dict(destination=destination, prefix=f"{prefix}{name}.", keep_vars=keep_vars)
        for hook in self._state_dict_hooks.values():
            replaced = hook(self, destination, prefix, metadata)
            if replaced is None:
                continue
            if getattr(hook, "_from_public_api", False):
                raise RuntimeError("state_dict post-hook must return None")
            destination = replaced
        return destination

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        for name, tensor in self._local_state().items():
            destination[prefix + name] = tensor if keep_vars else tensor.detach()
        if type(self).get_extra_state is not StateDictMethods.get_extra_state:
            destination[prefix + EXTRA_STATE_KEY] = self.get_extra_state()

    def _local_state(self):
        members = dict(self._parameters)
        for name, buffer in self._buffers.items():
            if name not in self._non_persistent_buffers_set:
                members[name] = buffer
        return {name: value for name, value in members.items() if value is not None}

    def load_state_dict(self, state_dict, strict=True, assign=False):
        """Copy the tensors of ``state_dict`` into this module and its children.

        Args:
            state_dict (Mapping): tensors by dotted name.
            strict (bool): raise where names are missing or left over. Default: ``True``.
            assign (bool): put the given tensors in place of the module's own instead of copying. Default: ``False``.

        Returns:
            A named tuple ``(missing_keys, unexpected_keys)``.

        Raises:
            TypeError: ``state_dict`` is no mapping.
            RuntimeError: shapes differ, or names do under ``strict``; all of them are listed.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(f"Expected state_dict to be dict-like, got {type(state_dict)}.")
        metadata = getattr(state_dict, "_metadata", None)
        state_dict = OrderedDict(state_dict)
        if metadata is not None:
            state_dict._metadata = metadata
        keys = _IncompatibleKeys([], [])
        errors: list[str] = []
        _load_tree(self, state_dict, "", metadata or {}, assign, keys, errors)
        if strict:
            kinds = [("Missing", keys.missing_keys), ("Unexpected", keys.unexpected_keys)]
            errors = [_list_keys(kind, names) for kind, names in kinds if names] + errors
        if errors:
            details = "\n\t".join(errors)
            raise RuntimeError(f"Error(s) in loading state_dict for {type(self).__name__}:\n\t{details}")
        return keys

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs):
        for hook in self._load_state_dict_pre_hooks.values():
            hook(state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys, error_msgs)
        assign = local_metadata.get("assign_to_params_buffers", False)
        members = self._local_state()
        for name, current in members.items():
            key = prefix + name
            if key in state_dict:
                error = _load_tensor(self, name, current, key, state_dict[key], assign)
                if error is not None:
                    error_msgs.append(error)
            elif strict:
                missing_keys.append(key)
        extra_key = prefix + EXTRA_STATE_KEY
        if type(self).set_extra_state is not StateDictMethods.set_extra_state:
            if extra_key in state_dict:
                self.set_extra_state(state_dict[extra_key])
            elif strict:
                missing_keys.append(extra_key)
        elif strict and extra_key in state_dict:
            unexpected_keys.append(extra_key)
        if not strict:
            return
        for key in state_dict:
            if key.startswith(prefix) and key != extra_key:
                first, dot, _ = key[len(prefix) :].partition(".")
                if first not in (self._modules if dot else members):
                    unexpected_keys.append(key)

    def register_state_dict_pre_hook(self, hook):
        """Call ``hook(module, prefix, keep_vars)`` before ``state_dict`` collects."""
        return register(self._state_dict_pre_hooks, hook)

    def register_state_dict_post_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, local_metadata)`` after ``state_dict``; it must return None."""
        hook._from_public_api = True
        return register(self._state_dict_hooks, hook)

    def _register_state_dict_hook(self, hook):
        if getattr(hook, "_from_public_api", False):
            raise RuntimeError(
                "Cannot register the same function as the state dict post hook that was "
                "previously registered via register_state_dict_post_hook"
            )
        return register(self._state_dict_hooks, hook)

    def register_load_state_dict_pre_hook(self, hook):
        """Call ``hook(module, state_dict, prefix, local_metadata, strict, missing_keys, unexpected_keys,
        error_msgs)`` before this module reads its own tensors."""
        return self._register_load_state_dict_pre_hook(hook, with_module=True)

    def _register_load_state_dict_pre_hook(self, hook, with_module=False):
        return register(self._load_state_dict_pre_hooks, WrappedHook(hook, self if with_module else None))

    def register_load_state_dict_post_hook(self, hook):
        """Call ``hook(module, incompatible_keys)`` after loading; it may change the lists in place."""
        return register(self._load_state_dict_post_hooks, hook)


def _read_positional(args, destination, prefix, keep_vars):
    warnings.warn("Positional args are being deprecated, use kwargs instead.", FutureWarning, stacklevel=3)
    if destination is None:
        destination = args[0]
    if len(args) > 1 and prefix == "":
        prefix = args[1]
    if len(args) > 2 and keep_vars is False:
        keep_vars = args[2]
    return destination, prefix, keep_vars


def _list_keys(kind, names):
    quoted = ", ".join(f'"{name}"' for name in names)
    return f"{kind} key(s) in state_dict: {quoted}. "


def _load_tree(module, state_dict, prefix, metadata, assign, keys, errors):
    local_metadata = dict(metadata.get(prefix[:-1], ()))
    if assign:
        local_metadata["assign_to_params_buffers"] = assign
    # Always strict here, so that the keys are reported even where they raise nothing.
    module._load_from_state_dict(state_dict, prefix, local_metadata, True, *keys, errors)
    for name, child in module._modules.items():
        if child is not None:
            child_prefix = f"{prefix}{name}."
            child_state = {key: value for key, value in state_dict.items() if key.startswith(child_prefix)}
            _load_tree(child, child_state, child_prefix, metadata, assign, keys, errors)
    for hook in module._load_state_dict_post_hooks.values():
        if hook(module, keys) is not None:
            raise AssertionError(
                "Hooks registered with ``register_load_state_dict_post_hook`` are not expected to return new values, "
                "if incompatible_keys need to be modified, it should be done inplace."
            )


_NOTHING_COPIED = (
    "for {}: copying from a non-meta parameter in the checkpoint to a meta parameter in the current model, which is a no-op. (Did you mean to "
    "pass `assign=True` to assign items in the state dictionary to their corresponding key in the module instead of copying them in place?)"
)


def _load_tensor(module, name, current, key, loaded, assign):
    """Copy or assign one tensor; returns the message of what went wrong, or None."""
    if not isinstance(loaded, Tensor):
        return (
            f'While copying the parameter named "{key}", expected torch.Tensor or Tensor-like object from checkpoint '
            f"but received {type(loaded)}"
        )
    if is_lazy(current) and is_lazy(loaded):
        return None
    if current.dim() == 0 and tuple(loaded.shape) == (1,):
        loaded = loaded[0]
    if loaded.shape != current.shape:
        return (
            f"size mismatch for {key}: copying a param with shape {loaded.shape} from checkpoint, "
            f"the shape in current model is {current.shape}."
        )
    try:
        with torch.no_grad():
            if assign:
                setattr(module, name, _as_member(loaded, current))
            else:
                if current.is_meta and not loaded.is_meta:
                    warnings.warn(_NOTHING_COPIED.format(key), stacklevel=2)
                current.copy_(loaded)
    except Exception as error:
        return (
            f'While copying the parameter named "{key}", whose dimensions in the model are {current.size()} and '
            f"whose dimensions in the checkpoint are {loaded.size()}, an exception occurred : {error.args}."
        )
    return None


def _as_member(loaded, current):
    if not isinstance(current, Parameter):
        return loaded
    if isinstance(loaded, Parameter):
        return loaded.requires_grad_(current.requires_grad)
    return Parameter(loaded, requires_grad=current.requires_grad)


def consume_prefix_in_state_dict_if_present(state_dict, prefix):
    """Strip ``prefix`` from the keys of ``state_dict`` and of its metadata, in place."""
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix) :]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    if metadata is not None:
        owner = prefix.replace(".", "")
        for key in list(metadata):
            if key and (key == owner or key.startswith(prefix)):
                metadata[key[len(prefix) :]] = metadata.pop(key)
