"""tree_map, tree_flatten, tree_unflatten and others: nested containers as lists of leaves."""

from __future__ import annotations

from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

PyTree = Context = Any


def _kind_of(tree: Any) -> Any:
    kind = type(tree)
    if kind in SUPPORTED_NODES:
        return kind
    return namedtuple if isinstance(tree, tuple) and hasattr(kind, "_fields") and hasattr(kind, "_make") else None


class NodeDef(NamedTuple):
    """How a container is taken apart and put together."""

    type: Any
    flatten_fn: Callable[[Any], tuple[list[Any], Any]]
    unflatten_fn: Callable[[list[Any], Any], Any]
    flatten_with_keys_fn: Callable[[Any], tuple[list[tuple[Any, Any]], Any]] | None = None


class SequenceKey(NamedTuple):
    """A place in a sequence, in the path to a leaf."""

    idx: int

    def __str__(self) -> str:
        return f"[{self.idx!r}]"

    def get(self, sequence: Any) -> Any:
        return sequence[self.idx]


class MappingKey(NamedTuple):
    """A key of a mapping, in the path to a leaf."""

    key: Any

    def __str__(self) -> str:
        return f"[{self.key!r}]"

    def get(self, mapping: Any) -> Any:
        return mapping[self.key]


class GetAttrKey(NamedTuple):
    """A name of an attribute, in the path to a leaf."""

    name: str

    def __str__(self) -> str:
        return f".{self.name}"

    def get(self, obj: Any) -> Any:
        return getattr(obj, self.name)


def _list_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), None


def _dict_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d.values()), list(d)


def _dict_unflatten(values: Any, context: Any) -> dict[Any, Any]:
    return dict(zip(context, values))


def _defaultdict_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d.values()), [d.default_factory, list(d)]


def _dict_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    values, context = _dict_flatten(d)
    return [(MappingKey(key), value) for key, value in zip(context, values)], context


def _defaultdict_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return _dict_flatten_with_keys(d)[0], _defaultdict_flatten(d)[1]


def _with_places(flatten: Any) -> Any:
    def flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
        values, context = flatten(d)
        return [(SequenceKey(i), value) for i, value in enumerate(values)], context

    return flatten_with_keys


def _deque_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), d.maxlen


def _namedtuple_flatten(d: Any) -> tuple[list[Any], Any]:
    return list(d), type(d)


def _namedtuple_flatten_with_keys(d: Any) -> tuple[list[tuple[Any, Any]], Any]:
    return [(GetAttrKey(name), value) for name, value in zip(d._fields, d)], type(d)


SUPPORTED_NODES: dict[Any, NodeDef] = {
    node.type: node for node in (
        NodeDef(tuple, _list_flatten, lambda c, _: tuple(c), _with_places(_list_flatten)),
        NodeDef(list, _list_flatten, lambda c, _: list(c), _with_places(_list_flatten)),
        NodeDef(dict, _dict_flatten, _dict_unflatten, _dict_flatten_with_keys),
        NodeDef(namedtuple, _namedtuple_flatten, lambda c, kind: kind._make(c), _namedtuple_flatten_with_keys),
        NodeDef(OrderedDict, _dict_flatten, lambda c, keys: OrderedDict(zip(keys, c)), _dict_flatten_with_keys),
        NodeDef(defaultdict, _defaultdict_flatten, lambda c, context: defaultdict(context[0], zip(context[1], c)), _defaultdict_flatten_with_keys),
        NodeDef(deque, _deque_flatten, lambda c, length: deque(c, maxlen=length), _with_places(_deque_flatten)),
    )
}
BUILTIN_TYPES = set(SUPPORTED_NODES)


def _get_node_type(tree: Any) -> Any:
    """The type under which a container is registered; a leaf's own."""
    return _kind_of(tree) or type(tree)


def register_pytree_node(cls: type, flatten_fn: Callable[[Any], Any], unflatten_fn: Callable[[Any, Any], Any], **names: Any) -> None:
    """Makes instances of `cls` containers: `flatten_fn(instance)` gives (children, context), `unflatten_fn(children, context)` an instance."""
    if cls in SUPPORTED_NODES:
        raise ValueError(f"{cls} is already registered as pytree node.")
    SUPPORTED_NODES[cls] = NodeDef(cls, flatten_fn, unflatten_fn, names.get("flatten_with_keys_fn"))


_register_pytree_node = register_pytree_node


class TreeSpec:
    """The structure of a nested container; a leaf's has no children."""

    __slots__ = ("type", "context", "_children", "num_leaves")

    def __init__(self, type: Any, context: Any, children: list[TreeSpec]) -> None:
        self.type, self.context, self._children = type, context, children
        self.num_leaves = 1 if type is None else sum(c.num_leaves for c in children)

    def is_leaf(self) -> bool:
        return self.type is None

    def children(self) -> list[TreeSpec]:
        return list(self._children)

    def unflatten(self, leaves: Any) -> PyTree:
        return tree_unflatten(leaves, self)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TreeSpec):
            return NotImplemented
        if self.type is dict and other.type is dict and set(self.context) == set(other.context):
            others = dict(zip(other.context, other._children))
            return all(others[key] == child for key, child in zip(self.context, self._children))
        return self.type == other.type and self.context == other.context and self._children == other._children

    def __hash__(self) -> int:
        return hash((str(self.type), self.num_leaves))

    def __repr__(self, indent: int = 0) -> str:
        if self.type is None:
            return "*"
        name = self.type.__name__
        gap = ",\n" + " " * (indent + 2)
        return f"TreeSpec({name}, {self.context}, [{gap.join(c.__repr__(indent + 2) for c in self._children)}])"


class LeafSpec(TreeSpec):
    """The structure of a leaf."""

    __slots__ = ()

    def __init__(self) -> None:
        super().__init__(None, None, [])


_LEAF = LeafSpec()


def _flatten_into(leaves: list[Any], tree: Any, is_leaf: Callable[[Any], bool] | None) -> TreeSpec:
    kind = _kind_of(tree)
    if kind is None or (is_leaf is not None and is_leaf(tree)):
        leaves.append(tree)
        return _LEAF
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree)
    return TreeSpec(kind, context, [_flatten_into(leaves, child, is_leaf) for child in children])


def tree_flatten(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[Any], TreeSpec]:
    """The leaves in order, and the structure."""
    leaves: list[Any] = []
    spec = _flatten_into(leaves, tree, is_leaf)
    return leaves, spec


def _build(spec: TreeSpec, leaves: Iterator[Any]) -> Any:
    if spec.type is None:
        return next(leaves)
    return SUPPORTED_NODES[spec.type].unflatten_fn([_build(child, leaves) for child in spec._children], spec.context)


def tree_unflatten(leaves: Any, treespec: TreeSpec) -> PyTree:
    """The container of this structure with these leaves. ValueError where their numbers differ."""
    if not isinstance(treespec, TreeSpec):
        raise TypeError(f"tree_unflatten(leaves, treespec): Expected `treespec` to be instance of TreeSpec but got item of type {type(treespec)}.")
    leaves = list(leaves)
    if len(leaves) != treespec.num_leaves:
        raise ValueError(f"treespec.unflatten(leaves): `leaves` has length {len(leaves)} but the spec refers to a pytree that holds "
                         f"{treespec.num_leaves} items ({treespec}).")
    return _build(treespec, iter(leaves))


def tree_leaves(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[Any]:
    return tree_flatten(tree, is_leaf)[0]


def tree_structure(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> TreeSpec:
    return tree_flatten(tree, is_leaf)[1]


def tree_is_leaf(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return _kind_of(tree) is None or (is_leaf is not None and is_leaf(tree))


def _flatten_like(spec: TreeSpec, tree: Any) -> list[Any]:
    """The leaves of a tree that has at least this structure."""
    if spec.type is None:
        return [tree]
    kind = _kind_of(tree)
    children, context = SUPPORTED_NODES[kind].flatten_fn(tree) if kind is not None else ([], None)
    if kind != spec.type or len(children) != len(spec._children):
        raise ValueError(f"Node type mismatch; expected {spec.type!r}, but got {type(tree)!r}.")
    if kind in (dict, OrderedDict):
        if set(context) != set(spec.context):
            raise ValueError(f"Node keys mismatch; expected {spec.context!r}, but got {context!r}.")
        children = [tree[key] for key in spec.context]
    return [leaf for child, part in zip(spec._children, children) for leaf in _flatten_like(child, part)]


def tree_map(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> PyTree:
    """The container of `func`'s results on the leaves of `tree` and what stands there in `rests`."""
    leaves, spec = tree_flatten(tree, is_leaf)
    return tree_unflatten([func(*values) for values in zip(leaves, *(_flatten_like(spec, r) for r in rests))], spec)


def tree_map_(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> PyTree:
    """As :func:`tree_map` for its effects: returns `tree` itself."""
    tree_map(func, tree, *rests, is_leaf=is_leaf)
    return tree


def tree_map_only(type_or_types: Any, func: Any, tree: Any = None, is_leaf: Callable[[Any], bool] | None = None) -> PyTree:
    """:func:`tree_map` on the leaves of a type (or of a tuple of types, or that a predicate accepts); others stay."""
    accepts = type_or_types if callable(type_or_types) and not isinstance(type_or_types, type) else lambda x: isinstance(x, type_or_types)
    return tree_map(lambda x: func(x) if accepts(x) else x, tree, is_leaf=is_leaf)


def tree_all(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return all(map(pred, tree_leaves(tree, is_leaf)))


def tree_any(pred: Callable[[Any], bool], tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> bool:
    return any(map(pred, tree_leaves(tree, is_leaf)))


def _broadcast_to_and_flatten(tree: PyTree, treespec: TreeSpec) -> list[Any] | None:
    """The leaves of `tree`, each repeated for the whole part of the structure that it stands for; None where it does not fit."""
    if _kind_of(tree) is None:
        return [tree] * treespec.num_leaves
    if treespec.type is None or _kind_of(tree) != treespec.type:
        return None
    children, context = SUPPORTED_NODES[treespec.type].flatten_fn(tree)
    if len(children) != len(treespec._children):
        return None
    if treespec.type in (dict, OrderedDict):
        if set(context) != set(treespec.context):
            return None
        children = [tree[key] for key in treespec.context]
    elif context != treespec.context:
        return None
    result: list[Any] = []
    for child, part in zip(treespec._children, children):
        leaves = _broadcast_to_and_flatten(part, child)
        if leaves is None:
            return None
        result += leaves
    return result


def _leaves_with_path(tree: PyTree, is_leaf: Callable[[Any], bool] | None, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if tree_is_leaf(tree, is_leaf):
        yield path, tree
        return
    node = SUPPORTED_NODES[_kind_of(tree)]
    if node.flatten_with_keys_fn is None:
        raise ValueError(f"Did not find a flatten_with_keys_fn for type: {node.type}. Please pass a flatten_with_keys_fn argument to register_pytree_node.")
    for key, child in node.flatten_with_keys_fn(tree)[0]:
        yield from _leaves_with_path(child, is_leaf, (*path, key))


def tree_leaves_with_path(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> list[tuple[tuple[Any, ...], Any]]:
    """The leaves in order, each with the keys that lead to it. ValueError for a registered type that has no keys."""
    return list(_leaves_with_path(tree, is_leaf, ()))


def tree_flatten_with_path(tree: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> tuple[list[tuple[tuple[Any, ...], Any]], TreeSpec]:
    return tree_leaves_with_path(tree, is_leaf), tree_structure(tree, is_leaf)


def tree_map_with_path(func: Callable[..., Any], tree: PyTree, *rests: PyTree, is_leaf: Callable[[Any], bool] | None = None) -> PyTree:
    """As :func:`tree_map` with the path to the leaf as `func`'s first argument."""
    leaves, spec = tree_flatten_with_path(tree, is_leaf)
    return tree_unflatten([func(path, leaf, *more) for (path, leaf), *more in zip(leaves, *(_flatten_like(spec, r) for r in rests))], spec)


def keystr(kp: Any) -> str:
    """A path as a program would write it."""
    return "".join(map(str, kp))
