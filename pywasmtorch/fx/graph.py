"""Graph: a program as a list of nodes."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import pywasmtorch as torch

from ._codegen import CodeGen, PythonCode, code_of, inplace_methods, magic_methods, reflectable_magic_methods
from ._namespace import CUSTOM_BUILTINS, Namespace, snake_case
from .node import Argument, Node, Target, map_arg

__all__ = ["CodeGen", "Graph", "PythonCode", "inplace_methods", "magic_methods", "reflectable_magic_methods"]

_custom_builtins = CUSTOM_BUILTINS
_Namespace = Namespace


class _node_list:
    """The nodes of a graph in order, as they are now."""

    def __init__(self, graph: Graph, backwards: bool = False) -> None:
        self.graph, self.backwards = graph, backwards

    def __len__(self) -> int:
        return self.graph._len

    def __iter__(self) -> Iterator[Node]:
        root = self.graph._root
        node = root._prev if self.backwards else root._next
        while node is not root:
            if not node._erased:
                yield node
            node = node._prev if self.backwards else node._next

    def __reversed__(self) -> _node_list:
        return _node_list(self.graph, not self.backwards)


class _PlaceOfNewNodes:
    """Where nodes are inserted; as a context, until it ends."""

    def __init__(self, graph: Graph, insert: Callable[[Node], None]) -> None:
        self.graph, self.before = graph, graph._insert
        graph._insert = insert

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        self.graph._insert = self.before


class Graph:
    """Nodes in the order in which they run: inputs, operations and one output."""

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None, tracer_extras: dict[str, Any] | None = None) -> None:
        self._root = Node(self, "", "root", "", (), {})
        self._len = 0
        self._insert = self._root.prepend
        self._graph_namespace = Namespace()
        self._owning_module = owning_module
        self._tracer_cls, self._tracer_extras = tracer_cls, tracer_extras
        self._codegen = CodeGen()

    @property
    def owning_module(self) -> Any:
        return self._owning_module

    @owning_module.setter
    def owning_module(self, mod: Any) -> None:
        self._owning_module = mod

    @property
    def nodes(self) -> _node_list:
        """The nodes in order; may be iterated while the graph changes, and reversed."""
        return _node_list(self)

    def output_node(self) -> Node:
        return next(iter(self.find_nodes(op="output")))

    def find_nodes(self, *, op: str, target: Any = None, sort: bool = True) -> list[Node]:
        """The nodes of an op, and for `call_function` of a target, in order."""
        return [n for n in self.nodes if n.op == op and (target is None or n.target == target)]

    # ---- making nodes ----
    def create_node(self, op: str, target: Target, args: tuple[Argument, ...] | None = None, kwargs: dict[str, Argument] | None = None, name: str | None = None,
                    type_expr: Any = None) -> Node:
        """A new node at the place of new nodes."""
        if op not in ("call_function", "call_method", "get_attr", "call_module", "placeholder", "output"):
            raise AssertionError(f"op {op!r} is not one of a graph's")
        args, kwargs = () if args is None else args, {} if kwargs is None else kwargs
        if not isinstance(args, tuple):
            raise AssertionError("args must be a tuple")
        if not isinstance(kwargs, dict):
            raise AssertionError("kwargs must be a dict")
        name = self._graph_namespace.create_name(name if name is not None else self._target_to_str(target), None)
        node = Node(self, name, op, target, args, kwargs, type_expr)
        for hook in getattr(self.owning_module, "_create_node_hooks", ()):
            hook(node)
        self._graph_namespace.associate_name_with_obj(name, node)
        self._insert(node)
        self._len += 1
        return node

    def _target_to_str(self, target: Target) -> str:
        if callable(target):
            name = getattr(target, "__name__", type(target).__name__).removesuffix("_function")
            module = getattr(target, "__module__", None) or ""
            for family in ("linalg", "fft"):
                if module.endswith(f".{family}"):
                    name = f"{family}_{name}"
        else:
            name = str(target)
        if name.startswith("__") and name.endswith("__"):
            name = name[2:-2]
        return snake_case(name)

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """An input of the function."""
        return self.create_node("placeholder", name, () if default_value is ... else (default_value,), {}, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """The parameter, buffer or other attribute of the module at a dotted path. Warns where the owning module has none."""
        if self.owning_module is not None and not _attribute_exists(self.owning_module, qualified_name):
            warnings.warn(f"Attempted to insert a get_attr Node with no underlying reference in the owning GraphModule! Call GraphModule.add_submodule to add the "
                          f"necessary submodule, GraphModule.add_parameter to add the necessary Parameter, or nn.Module.register_buffer to add the necessary buffer "
                          f"({qualified_name})", stacklevel=2)
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_module(self, module_name: str, args: tuple[Argument, ...] | None = None, kwargs: dict[str, Argument] | None = None, type_expr: Any = None) -> Node:
        """A call of the submodule at a dotted path."""
        if self.owning_module is not None and not _attribute_exists(self.owning_module, module_name):
            warnings.warn("Attempted to insert a call_module Node with no underlying reference in the owning GraphModule! Call GraphModule.add_submodule to add the "
                          "necessary submodule", stacklevel=2)
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def call_method(self, method_name: str, args: tuple[Argument, ...] | None = None, kwargs: dict[str, Argument] | None = None, type_expr: Any = None) -> Node:
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_function(self, the_function: Callable[..., Any], args: tuple[Argument, ...] | None = None, kwargs: dict[str, Argument] | None = None, type_expr: Any = None,
                      name: str | None = None) -> Node:
        """A call of a function."""
        return self.create_node("call_function", the_function, args, kwargs, name=name, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """What the function returns."""
        return self.create_node("output", "output", (result,), {}, type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable[[Node], Argument] = lambda x: x) -> Node:
        """A node of another graph in this one, whose arguments `arg_transform` gives."""
        args, kwargs = map_arg(node.args, arg_transform), map_arg(node.kwargs, arg_transform)
        copy = self.create_node(node.op, node.target, args, dict(kwargs), node.name, node.type)
        copy.meta = dict(node.meta)
        return copy

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False) -> Any:
        """Copies all nodes of another graph but those in `val_map`, which it fills; returns what that graph returns."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], lambda n: val_map[n])
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, lambda n: val_map[n])
        return None

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Graph:
        import copy

        memo = {} if memo is None else memo
        graph = Graph(tracer_cls=self._tracer_cls)
        graph._codegen = copy.deepcopy(self._codegen)
        nodes: dict[Node, Node] = {}
        result = graph.graph_copy(self, val_map=nodes, return_output_node=True)
        if result is not None:
            value, old = result
            output = graph.output(value, type_expr=getattr(old, "type", None))
            output.meta = dict(old.meta)
        for node in nodes.values():
            node.meta = dict(node.meta)
        return graph

    # ---- changing it ----
    def inserting_before(self, n: Node | None = None) -> _PlaceOfNewNodes:
        """New nodes come before this one (None: at the beginning), until the context ends."""
        if n is None:
            return self.inserting_after(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert before is not in graph.")
        return _PlaceOfNewNodes(self, n.prepend)

    def inserting_after(self, n: Node | None = None) -> _PlaceOfNewNodes:
        """New nodes come behind this one (None: at the end), until the context ends."""
        if n is None:
            return self.inserting_before(self._root)
        if n.graph is not self:
            raise AssertionError("Node to insert after is not in graph.")
        return _PlaceOfNewNodes(self, n.append)

    def erase_node(self, to_erase: Node) -> None:
        """Takes a node out. RuntimeError where others use it."""
        if to_erase.users:
            raise RuntimeError(f"Tried to erase Node {to_erase} but it still had {len(to_erase.users)} users in the graph: {to_erase.users}!")
        if to_erase.graph is not self:
            raise RuntimeError(f"Attempting to remove {to_erase} from wrong graph!")
        if to_erase._erased:
            warnings.warn(f"erase_node({to_erase}) on an already erased node", stacklevel=2)
            return
        for hook in getattr(self.owning_module, "_erase_node_hooks", ()):
            hook(to_erase)
        to_erase._remove_from_list()
        to_erase._erased = True
        self._len -= 1
        to_erase._update((), {})

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Takes out nodes that nobody uses, but those that do something else; returns whether there were any."""
        self.lint()
        impure = is_impure_node or (lambda node: node.is_impure())
        changed = False
        for node in reversed(self.nodes):
            if not impure(node) and not node.users:
                self.erase_node(node)
                changed = True
        return changed

    def process_inputs(self, *args: Any) -> Any:
        return self._codegen.process_inputs(*args)

    def process_outputs(self, out: Any) -> Any:
        return self._codegen.process_outputs(out)

    def set_codegen(self, codegen: CodeGen) -> None:
        self._codegen = codegen

    def on_generate_code(self, make_transformer: Callable[[Any], Callable[[list[str]], list[str]]]) -> Any:
        """`make_transformer(the one before)` gives a function from lines to lines; as a context, until it ends."""
        before = self._codegen._body_transformer
        self._codegen._body_transformer = make_transformer(before)
        return _Restoring(self, before)

    # ---- text and checks ----
    def python_code(self, root_module: str, *, verbose: bool = False, include_stride: bool = False, include_device: bool = False, colored: bool = False) -> PythonCode:
        """The source of `forward`, in which the module is called `root_module`, and the globals that it needs."""
        return code_of(self, root_module, verbose)

    def __str__(self) -> str:
        placeholders: list[str] = []
        lines = [n.format_node(placeholders) for n in self.nodes if n.op != "placeholder"]
        inputs = [n.format_node() for n in self.nodes if n.op == "placeholder"]
        return f"graph({', '.join(placeholders)}):" + "".join(f"\n    {line}" for line in [*inputs, *lines] if line)

    def print_tabular(self) -> None:
        """Prints a table of the nodes."""
        rows = [[n.op, n.name, str(n.target), str(n.args), str(n.kwargs)] for n in self.nodes]
        head = ["opcode", "name", "target", "args", "kwargs"]
        widths = [max(len(text) for text in column) for column in zip(head, *rows)]
        lines = [head, ["-" * width for width in widths], *rows]
        print("\n".join("  ".join(text.ljust(width) for text, width in zip(line, widths)).rstrip() for line in lines))

    def lint(self) -> None:
        """RuntimeError where the graph is not well formed: a node before what it uses, two of one name, a target that is not there."""
        seen: set[Node] = set()
        names: set[str] = set()

        def check(used: Node, user: Node) -> None:
            if used.graph is not self:
                raise RuntimeError(f"Argument '{used}' of Node '{user}' does not belong to this Graph, but was used as an argument! If you are copying nodes from "
                                   "another graph, make sure to use ``arg_transform`` on node_copy() to remap values\n" + str(self))
            if used not in seen:
                raise RuntimeError(f"Argument '{used}' of Node '{user}' was used before it has been defined! Please check that Nodes in the graph are "
                                   f"topologically ordered\n{self}")

        for node in self.nodes:
            if node.graph is not self:
                raise RuntimeError(f"Node '{node}' does not belong to this Graph!")
            map_arg(node.args, lambda used: check(used, node))
            map_arg(node.kwargs, lambda used: check(used, node))
            seen.add(node)
            if node.name in names:
                raise RuntimeError(f"Node redefined name {node.name}!")
            names.add(node.name)
        if self.owning_module is not None:
            for node in self.nodes:
                if node.op in ("get_attr", "call_module"):
                    self._check_target(node)

    def _check_target(self, node: Node) -> None:
        value = self.owning_module
        path = str(node.target).split(".")
        for i, part in enumerate(path):
            if not hasattr(value, part):
                raise RuntimeError(f"Node {node} target {node.target} references nonexistent attribute {part} of {'.'.join(path[:i])}")
            value = getattr(value, part)
        if node.op == "call_module" and not isinstance(value, torch.nn.Module):
            raise RuntimeError(f"Node {node} target {node.target} {path[-1]} of {'.'.join(path[:-1])} does not reference an nn.Module")


class _Restoring:
    def __init__(self, graph: Graph, before: Any) -> None:
        self.graph, self.before = graph, before

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        self.graph._codegen._body_transformer = self.before


def _attribute_exists(module: Any, path: str) -> bool:
    for part in path.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True

