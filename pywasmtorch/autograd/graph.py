"""Node, GradientEdge, saved_tensors_hooks, save_on_cpu; hooks on tensors and nodes."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from .._core import frame
from .._core.generated import ops
from .._core.hooks import RemovableHandle
from .._core.tensor_type import Tensor
from . import _callbacks
from ._callbacks import HookTable

__all__ = [
    "GradientEdge", "Node", "allow_mutation_on_saved_tensors", "disable_saved_tensors_hooks", "get_gradient_edge",
    "increment_version", "register_multi_grad_hook", "save_on_cpu", "saved_tensors_hooks",
]

# kinds of hooks as the core numbers them
ON_TENSOR, BEFORE_NODE, AFTER_NODE, AFTER_ACCUMULATION, METADATA = 0, 2, 3, 4, 5


#: nodes whose operator takes numbers, of which torch keeps no edge, not even an empty one
OF_NUMBERS = {"RsubBackward1", "PowBackward0", "ClampBackward1", "MaskedFillBackward0"}


class Node:
    """One recorded operator. Two objects for the same node are equal.

    Nodes come from :attr:`Tensor.grad_fn` and :attr:`next_functions`; their class is named after the operator, as in
    ``AddBackward0``.
    """

    __slots__ = ("__weakref__", "_h")
    _h: int  # its address
    _name: str
    __del__ = frame.host.finalize

    def name(self) -> str:
        """The node's name, ``AddBackward0`` or ``torch::autograd::AccumulateGrad``."""
        return self._name

    @property
    def next_functions(self) -> tuple[tuple[Node | None, int], ...]:
        """For each input of the operator the node that its gradient goes to (None where there is none) and the output of
        that node which it is the gradient of."""
        edges = ops._node_edges(self._h).tolist()
        if self._name in OF_NUMBERS:
            edges = [edge for edge in edges if edge[0]]
        return tuple([(wrap_node(address), output) for address, output in edges])

    @property
    def metadata(self) -> dict[str, Any]:
        """A dictionary that belongs to the node."""
        return _callbacks.find_or_register(lambda n: ops._node_hooks(self._h, METADATA, n), dict)[1]

    @property
    def requires_grad(self) -> bool:
        return True

    def _sequence_nr(self) -> int:
        return ops._node_sequence(self._h)

    def register_hook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Registers ``fn(grad_inputs, grad_outputs)``, called after the node ran in a backward pass.

        Both arguments are tuples of tensors or None; a tuple that ``fn`` returns takes the place of ``grad_inputs``.
        """
        return add(fn, lambda n: ops._node_hooks(self._h, AFTER_NODE, n))

    def register_prehook(self, fn: Callable[..., Any]) -> RemovableHandle:
        """Registers ``fn(grad_outputs)``, called before the node runs; a tuple that it returns takes their place."""
        return add(fn, lambda n: ops._node_hooks(self._h, BEFORE_NODE, n))

    def __call__(self, *grad_outputs: Tensor | None) -> Any:
        results = ops._node_call(self._h, grad_outputs)
        return results[0] if len(results) == 1 else results

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and other._h == self._h

    def __hash__(self) -> int:
        return hash(self._h)

    def __repr__(self) -> str:
        module = type(self).__module__
        return f"<{'' if module == __name__ else module + '.'}{type(self).__name__} object at {self._h:#x}>"


class _LeafNode(Node):
    """AccumulateGrad: the node at a leaf."""

    __slots__ = ()

    @property
    def variable(self) -> Tensor:
        """The leaf: the program's own object where it still holds it."""
        import gc

        leaf = ops._node_variable(self._h)
        own = (o for o in gc.get_objects() if isinstance(o, Tensor) and o is not leaf and getattr(o, "_h", None) == leaf._h)
        return next(own, leaf)


_classes: dict[str, type[Node]] = {}


def class_of(address: int) -> type[Node]:
    """The class of nodes of this name, made when the first is seen."""
    full = bytes(ops._node_name(address).tolist()).decode()
    if full not in _classes:
        name = full.rpartition("::")[2]
        base = _LeafNode if name == "AccumulateGrad" else Node
        _classes[full] = type(name, (base,), {"__slots__": (), "__module__": __name__, "_name": full})
    return _classes[full]


def wrap_node(address: int) -> Node | None:
    """The Python object for a node's address, whose reference it takes over."""
    if not address:
        return None
    number = ops._node_host_id(address)
    context = _callbacks.registry.get(number) if number else None
    node = object.__new__(class_of(address) if context is None else context._node_class())
    node._h = address
    if context is not None:
        node._context = context
    return node


def node_of(tensor: Tensor) -> Node | None:
    """The node that made the tensor; None for leaves."""
    return wrap_node(ops._grad_fn(tensor))


# ---- hooks ----
def add(hook: Callable[..., Any], lookup: Callable[[int], int]) -> RemovableHandle:
    _, hooks = _callbacks.find_or_register(lookup, HookTable)
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle


def add_to_tensor(tensor: Tensor, kind: int, hook: Callable[..., Any]) -> tuple[RemovableHandle, int]:
    """The hook's handle, and the number under which the core knows all hooks of this kind on the tensor."""
    number, hooks = _callbacks.find_or_register(lambda n: ops._tensor_hooks(tensor, kind, n), lambda: HookTable(weakref.ref(tensor)))
    if number not in tensor.__dict__.get("_hooks", ()):
        _callbacks.keep_with(tensor, number, hooks)
    handle = RemovableHandle(hooks)
    hooks[handle.id] = hook
    return handle, number


def register_tensor_hook(tensor: Tensor, hook: Callable[[Tensor], Tensor | None]) -> RemovableHandle:
    """`Tensor.register_hook`: `hook(grad)` runs each time a gradient with respect to the tensor is computed."""
    return add_to_tensor(tensor, ON_TENSOR, hook)[0]


def register_post_accumulate_grad_hook(tensor: Tensor, hook: Callable[[Tensor], None]) -> RemovableHandle:
    """`Tensor.register_post_accumulate_grad_hook`: `hook(tensor)` runs after the leaf's `grad` was added to."""
    return add_to_tensor(tensor, AFTER_ACCUMULATION, hook)[0]


class _HandleOfMany(RemovableHandle):
    """Removes hooks from several tensors at once."""

    def __init__(self, handles: Sequence[RemovableHandle]) -> None:
        self.handles = tuple(handles)

    def remove(self) -> None:
        for handle in self.handles:
            handle.remove()

    def __getstate__(self) -> Any:
        return self.handles

    def __setstate__(self, state: Any) -> None:
        self.handles = state


class _Awaited:
    """A tensor that :func:`register_multi_grad_hook` waits for, not kept alive by that."""

    __slots__ = ("number", "address", "tensor")

    def __init__(self, tensor: Tensor, number: int) -> None:
        self.number = number  # of the hooks; known as long as the node or the leaf lives
        self.address = 0 if tensor.is_leaf else node_of(tensor)._h  # type: ignore[attr-defined, union-attr]
        self.tensor = weakref.ref(tensor)

    def is_in_this_pass(self) -> bool:
        if self.number not in _callbacks.registry:
            return False
        if self.address:
            return ops._node_will_run(self.address)
        leaf = self.tensor()
        if leaf is None:
            return False
        node = get_gradient_edge(leaf).node
        return ops._node_will_run(node._h)


def register_multi_grad_hook(tensors: Sequence[Tensor], fn: Callable[..., Any], *, mode: str = "all") -> RemovableHandle:
    """Registers a hook on several tensors, all of which require grad.

    Args:
        tensors: leaves or results.
        fn: with ``mode="all"`` called as ``fn(grads)`` once in a backward pass, when it has computed the gradients of all of
            ``tensors`` that it reaches; with None for the others. With ``mode="any"`` called as ``fn(grad)`` for the first.
        mode: ``"all"`` or ``"any"``; ValueError otherwise.
    """
    if mode not in ("all", "any"):
        raise ValueError(f"Expects mode to be one of ('all', 'any') but got {mode}")
    awaited: list[_Awaited] = []
    passes: dict[int, tuple[int, list[Tensor | None]]] = {}  # gradients to come, and those that came

    def on_grad(index: int, grad: Tensor) -> None:
        current = ops._running_pass()
        if current not in passes:
            passes.clear()
            passes[current] = sum(a.is_in_this_pass() for a in awaited), [None] * len(awaited)
            if mode == "any":
                fn(grad)
        missing, grads = passes[current]
        grads[index] = grad
        passes[current] = missing - 1, grads
        if missing == 1:
            passes[current] = 0, []
            if mode == "all":
                fn(grads)

    handles = []
    for i, tensor in enumerate(tensors):
        handle, number = add_to_tensor(tensor, ON_TENSOR, lambda grad, i=i: on_grad(i, grad))  # type: ignore[misc]
        handles.append(handle)
        awaited.append(_Awaited(tensor, number))
    return _HandleOfMany(handles)


# ---- edges ----
class GradientEdge(NamedTuple):
    """Where a tensor's gradient goes: a node, and which of its outputs the tensor is."""

    node: Node
    output_nr: int


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The edge of a tensor that requires grad; RuntimeError for others."""
    node = wrap_node(ops._gradient_edge(tensor))
    if node is None:
        raise RuntimeError("It is not possible to get the gradient edge for a Tensor that does not require gradients")
    return GradientEdge(node, ops._output_nr(tensor))


# ---- saved tensors ----
class saved_tensors_hooks:
    """Has operators that are recorded inside the block keep ``pack_hook(tensor)`` instead of each tensor that their backward needs, and give
    it to ``unpack_hook`` when it is needed.

    ``pack_hook`` gets the tensor without history, must not change it in place (RuntimeError), and runs without gradients; what it returns is
    kept as it is. ``unpack_hook`` returns a tensor (else TypeError) of the same size and dtype (else RuntimeError). Of nested blocks the inner
    one counts. Saved tensors with hooks are not checked for changes in place.
    """

    def __init__(self, pack_hook: Callable[[Tensor], Any], unpack_hook: Callable[[Any], Tensor]) -> None:
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        if _callbacks.saved_hooks.refusals:
            raise RuntimeError(_callbacks.saved_hooks.refusals[-1])
        _callbacks.saved_hooks.pairs.append((self.pack_hook, self.unpack_hook))
        ops._set_saved_hooks(True)

    def __exit__(self, *exception: Any) -> None:
        _callbacks.saved_hooks.pairs.pop()
        ops._set_saved_hooks(bool(_callbacks.saved_hooks.pairs))


class save_on_cpu(saved_tensors_hooks):
    """Keeps copies of saved tensors: everything lives on the CPU. ``pin_memory`` raises NotImplementedError."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda") -> None:
        if pin_memory:
            raise NotImplementedError("pywasmtorch has no pinned memory")
        super().__init__(lambda tensor: tensor.clone(), lambda packed: packed)  # type: ignore[attr-defined]


class disable_saved_tensors_hooks:
    """Inside the block, or the function it decorates, :class:`saved_tensors_hooks` is an error (RuntimeError) with this message; so is the
    block itself where such hooks are in force."""

    def __init__(self, error_message: str) -> None:
        self.error_message = error_message

    def __enter__(self) -> None:
        if _callbacks.saved_hooks.pairs:
            raise RuntimeError(self.error_message)
        _callbacks.saved_hooks.refusals.append(self.error_message)

    def __exit__(self, *exception: Any) -> None:
        _callbacks.saved_hooks.refusals.pop()

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def wrapper(*arguments: Any, **names: Any) -> Any:
            with disable_saved_tensors_hooks(self.error_message):
                return function(*arguments, **names)

        return wrapper


def increment_version(tensor: Tensor | Sequence[Tensor]) -> None:
    """Tells autograd that the tensor's memory (or that of several) was changed behind its back. RuntimeError for inference tensors."""
    for one in (tensor,) if isinstance(tensor, Tensor) else tensor:
        if ops._is_inference(one):
            raise RuntimeError("Inference tensors do not track version counter.")
        ops._bump_version(one)


# ---- what is not here ----
def allow_mutation_on_saved_tensors() -> Any:
    """NotImplementedError: a change in place of what was saved is an error in the backward pass."""
    raise NotImplementedError("pywasmtorch has no torch.autograd.graph.allow_mutation_on_saved_tensors")
