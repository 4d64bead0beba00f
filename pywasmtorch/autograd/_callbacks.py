"""Callbacks from the core: hooks, custom Functions, tracebacks. Contract: `wasm/callbacks.md`.

The core knows every Python object by a number. `registry` maps the numbers to the objects until the core says that it
has forgotten one.
"""

from __future__ import annotations

import gc
import itertools
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from .._core import frame
from .._core.host.protocol import SHORT_FRAME
from .._core.tensor_type import Tensor

host, wrap = frame.host, frame.wrap

TENSOR_HOOK, POST_ACCUMULATE_HOOK, NODE_PREHOOK, NODE_POSTHOOK, FUNCTION_BACKWARD, RELEASE, TRACE_CREATE, TRACE_REPORT = range(1, 9)
PACK, UNPACK = 10, 11
LAST_ID = (1 << 31) - 1

registry: dict[int, Any] = {}
_numbers = itertools.count(1)


def register(thing: Any) -> int:
    """A number for `thing`, which stays alive until the core releases the number."""
    global _numbers
    while True:
        number = next(_numbers)
        if number > LAST_ID:
            _numbers = itertools.count(1)
        elif number not in registry:
            registry[number] = thing
            return number


def forget(number: int) -> None:
    """Takes back a number that the core was not given."""
    registry.pop(number, None)


def known_as(number: int) -> Any:
    """The object behind a number."""
    thing = registry[number]
    return thing() if type(thing) is weakref.ref else thing


def find_or_register(lookup: Callable[[int], int], make: Callable[[], Any]) -> tuple[int, Any]:
    """The object that the core names at one place, with its number. `lookup(0)` is its number there; `lookup(n)` enters n
    where it has none."""
    number = lookup(0)
    if not number:
        number = register(make())
        try:
            lookup(number)
        except BaseException:
            forget(number)
            raise
    return number, known_as(number)


# ---- hooks that refer to their own tensor ----
tensor_hooks: set[int] = set()  # the numbers of hooks on tensors
_lent: list[int] = []


def keep_with(tensor: Tensor, number: int, hooks: HookTable) -> None:
    """Lets the garbage collector see hooks from their tensor.

    A hook often refers to its own tensor: a circle through the core, which the collector cannot follow. So the tensor's
    Python object refers to its hooks, too, and while the collector runs, `registry` refers only weakly to the hooks of
    tensors that nobody else holds in the core.
    """
    tensor.__dict__.setdefault("_hooks", {})[number] = hooks
    if _on_collection not in gc.callbacks:
        gc.callbacks.append(_on_collection)
    tensor_hooks.add(number)


def _on_collection(phase: str, info: dict[str, int]) -> None:
    if phase == "start" and info["generation"] > 0:
        for number in tuple(tensor_hooks):
            hooks = registry.get(number)
            tensor = hooks.owner() if isinstance(hooks, HookTable) else None
            if tensor is not None and host.call_export("pwt_held_once", tensor._h):
                registry[number] = weakref.ref(hooks)
                _lent.append(number)
    elif phase == "stop":
        while _lent:
            number = _lent.pop()
            if number in registry and (hooks := known_as(number)) is not None:
                registry[number] = hooks


# ---- the frame ----
def words_here() -> Any:
    """The slots of the calling thread's frame, as integers."""
    return frame.here()[0]


def take(handle: int) -> Tensor | None:
    return wrap(handle) if handle else None


def take_list(start: int) -> tuple[tuple[Tensor | None, ...], int]:
    """The list of tensors at a slot, and the slot behind it."""
    handles, end = frame.list_at(words_here(), start)
    return tuple([take(handle) for handle in handles]), end


def leave(tensor: Tensor | None) -> None:
    """The tensor that a callback leaves for the core, which takes over the hold on it."""
    words_here()[0] = 0 if tensor is None else tensor._h
    hold(tensor)


def leave_list(tensors: Sequence[Tensor | None]) -> None:
    frame.put_maybe_tensors(words_here(), 0, tensors)
    for tensor in tensors:
        hold(tensor)


def hold(tensor: Tensor | None) -> None:
    if tensor is not None:
        host.call_export("pwt_hold", tensor._h)


# ---- hooks ----
class HookTable(dict[int, Any]):
    """All hooks of one kind at one place, in the order of their registration."""

    __slots__ = ("__weakref__", "owner")

    def __init__(self, owner: Any = None) -> None:
        super().__init__()
        self.owner = owner  # a weak reference to the tensor


def name_of(hook: Any) -> str:
    return getattr(hook, "__name__", "<unknown>")


def type_text(tensor: Tensor) -> str:
    return tensor.type()  # type: ignore[attr-defined]


def check_replacement(before: Tensor | None, after: Any, hook: Any) -> None:
    """torch's rules for what a hook may put in a gradient's place."""
    if after is None:
        return
    if not isinstance(after, Tensor):
        raise TypeError(f"expected Variable, but hook returned '{type(after).__name__}'")
    if before is None:
        raise RuntimeError("can't replace a None gradient with a non-None value")
    if type_text(before) != type_text(after):
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the type of value (was {type_text(before)} got {type_text(after)})")
    if before.shape != after.shape:  # type: ignore[attr-defined]
        raise RuntimeError(f"hook '{name_of(hook)}' has changed the size of value")


def check_replacements(before: tuple[Any, ...], after: Any, hook: Any) -> None:
    if not isinstance(after, tuple):
        raise TypeError(f"expected tuple, but hook returned '{type(after).__name__}'")
    if len(after) != len(before):
        raise RuntimeError(f"hook '{name_of(hook)}' has returned an incorrect number of values "
                           f"(got {len(after)}, but expected {len(before)})")
    for old, new in zip(before, after):
        check_replacement(old, new, hook)


def run_tensor_hooks(hooks: HookTable) -> None:
    grad = take(words_here()[0])
    for hook in list(hooks.values()):
        result = hook(grad)
        check_replacement(grad, result, hook)
        if result is not None:
            grad = result
    leave(grad)


def run_post_accumulate_hooks(hooks: HookTable) -> None:
    words = words_here()
    leaf = take(words[0])
    known = hooks.owner() if hooks.owner is not None else None
    for hook in list(hooks.values()):
        result = hook(leaf if known is None else known)
        if result is not None:
            raise TypeError(f"expected Variable, but hook returned '{type(result).__name__}'")


def run_node_prehooks(hooks: HookTable) -> None:
    words = words_here()
    grads, _ = take_list(0)
    changed = False
    for hook in list(hooks.values()):
        result = hook(grads)
        if result is not None:
            check_replacements(grads, result, hook)
            grads, changed = result, True
    if changed:
        leave_list(grads)
    else:
        words[0] = -1


def run_node_posthooks(hooks: HookTable) -> None:
    words = words_here()
    grad_inputs, end = take_list(0)
    grad_outputs, _ = take_list(end)
    changed = False
    for hook in list(hooks.values()):
        result = hook(grad_inputs, grad_outputs)
        if result is not None:
            check_replacements(grad_inputs, result, hook)
            grad_inputs, changed = result, True
    if changed:
        leave_list(grad_inputs)
    else:
        words[0] = -1


def run_function_backward(context: Any) -> None:
    words = words_here()
    node = words[0]
    grads, _ = take_list(1)
    leave_list(context._run_backward(node, grads))


def create_trace() -> None:
    words = words_here()
    from .anomaly_mode import current_trace

    words[0] = register(current_trace())


def report_trace(metadata: dict[str, Any]) -> None:
    words = words_here()
    from .anomaly_mode import report

    report(words[0], metadata)


# ---- what programs make of saved tensors ----
class _SavedHooks(threading.local):
    """Of each thread: pairs of pack and unpack, of which the last is in force, and messages of those who want none."""

    def __init__(self) -> None:
        self.refusals: list[str] = []
        self.pairs: list[tuple[Callable[[Tensor], Any], Callable[[Any], Any]]] = []


saved_hooks = _SavedHooks()

MODIFIES = (
    "A saved tensor pack hook is modifying its input in place. Tensors provided as input to pack hook cannot be modified by in-place operations "
    "as this can lead to unexpected side-effects. Please open an issue if you need to perform in-place operations on the input to a pack hook."
)


class Packed:
    """What a pack hook made of a saved tensor, and the hook that undoes it."""

    __slots__ = ("value", "unpack")

    def __init__(self, value: Any, unpack: Callable[[Any], Any]) -> None:
        self.value, self.unpack = value, unpack


def pack_saved() -> None:
    words = words_here()
    from .._core.generated import ops

    tensor = wrap(words[0])
    pack, unpack = saved_hooks.pairs[-1]
    version = ops._version(tensor)
    grad_mode = ops._set_grad_enabled(False)
    try:
        packed = Packed(pack(tensor), unpack)
    finally:
        ops._set_grad_enabled(grad_mode)
    if ops._version(tensor) != version:
        raise RuntimeError(MODIFIES)
    words[0] = register(packed)


def unpack_saved(packed: Packed) -> None:
    result = packed.unpack(packed.value)
    if not isinstance(result, Tensor):
        raise TypeError(f"Output of saved tensor unpack_hook expected to be a Tensor but got result of type {type(result).__name__}")
    leave(result)


def release(number: int) -> None:
    """May run while the core reads or writes a frame, which a finalizer that uses tensors must not change."""
    words = words_here()
    kept = words[:SHORT_FRAME].tobytes()
    tensor_hooks.discard(number)
    registry.pop(number, None)
    words[:SHORT_FRAME] = memoryview(kept).cast("q")


RUN = {
    TENSOR_HOOK: run_tensor_hooks, POST_ACCUMULATE_HOOK: run_post_accumulate_hooks, NODE_PREHOOK: run_node_prehooks,
    NODE_POSTHOOK: run_node_posthooks, FUNCTION_BACKWARD: run_function_backward, UNPACK: unpack_saved,
}


def on_call(kind: int, number: int) -> int:
    if kind == RELEASE:
        release(number)
    elif kind == PACK:
        pack_saved()
    elif kind == TRACE_CREATE:
        create_trace()
    elif kind == TRACE_REPORT:
        report_trace(known_as(number) if number else {})
    else:
        RUN[kind](known_as(number))
    return 0


host.set_callback(on_call)
