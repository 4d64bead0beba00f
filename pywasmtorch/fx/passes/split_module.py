"""split_module: one module of parts, which a function gives each node to."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from ..graph import Graph
from ..graph_module import GraphModule
from ..node import Node, map_arg

__all__ = ["Partition", "split_module"]


class Partition:
    """One part: its nodes, what it takes and what it gives."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.submod_name = f"submod_{name}"
        self.node_names: list[str] = []
        self.inputs: dict[str, None] = {}
        self.outputs: dict[str, None] = {}
        self.dependencies: dict[str, None] = {}
        self.dependents: dict[str, None] = {}
        self.graph = Graph()
        self.environment: dict[Node, Node] = {}
        self.targets: dict[str, Any] = {}

    def __repr__(self) -> str:
        return (f"name: {self.name},\n nodes: {self.node_names},\n inputs: {self.inputs},\n outputs: {self.outputs},\n partitions depended on: {self.dependencies},\n "
                f"partition dependents: {self.dependents}")


def _target(module: Any, path: str) -> Any:
    for part in path.split("."):
        if not hasattr(module, part):
            raise AttributeError(f"node target {path} not found!")
        module = getattr(module, part)
    return module


def split_module(m: GraphModule, root_m: Any, split_callback: Callable[[Node], Any], qualname_map: dict[str, str] | None = None, keep_original_order: bool | None = False,
                 keep_original_node_name: bool | None = False, keep_original_input_name: bool = True, *, partition_affix: str | None = None,
                 tuple_return: bool = False) -> GraphModule:
    """A GraphModule with a submodule `submod_NAME` for each NAME that `split_callback(node)` gives, in an order in which they can run.
    ValueError where parts need one another in a circle. `qualname_map` is filled: where each module or attribute was before."""
    parts: dict[str, Partition] = {}
    owner: dict[str, str] = {}
    originals = {node.name: node for node in m.graph.nodes}
    inputs = [n for n in m.graph.nodes if n.op == "placeholder"]

    def uses(definition: Node, user: Node | None) -> None:
        source, target = owner.get(definition.name), owner.get(user.name) if user is not None else None
        if source == target and user is not None:
            return
        if source is not None:
            parts[source].outputs.setdefault(definition.name)
            if target is not None:
                parts[source].dependents.setdefault(target)
        if target is not None:
            parts[target].inputs.setdefault(definition.name)
            if source is not None:
                parts[target].dependencies.setdefault(source)

    for node in m.graph.nodes:
        if node.op in ("placeholder", "get_attr", "output"):
            continue
        name = str(split_callback(node))
        part = parts.setdefault(name, Partition(name))
        if partition_affix is not None:
            part.submod_name = f"submod_{partition_affix}_{name}"
        part.node_names.append(node.name)
        owner[node.name] = name
    for node in m.graph.nodes:
        if node.op == "output":
            map_arg(node.args[0], lambda n: uses(n, None))
        elif node.name in owner:
            map_arg((node.args, node.kwargs), lambda n: uses(n, node))
    order = _sorted(parts, bool(keep_original_order), m.graph)

    for name in order:
        _fill(parts[name], originals, m, qualname_map, keep_original_node_name, keep_original_input_name)

    graph = Graph()
    graph._codegen = m.graph._codegen
    environment: dict[str, Any] = {}
    attributes: dict[str, Any] = {}
    for node in inputs:
        environment[node.name] = graph.node_copy(node)
    used_outside = {n.name for node in m.graph.nodes for n in node.all_input_nodes if n.op == "get_attr"}
    for node in m.graph.nodes:
        if node.op == "get_attr" and node.name in used_outside:
            environment[node.name] = graph.node_copy(node)
            attributes[str(node.target)] = _target(m, str(node.target))
    for name in order:
        part = parts[name]
        results = tuple(part.environment[originals[n]] for n in part.outputs)
        if results or tuple_return:
            part.graph.output(results[0] if len(results) == 1 and not tuple_return else results)
        attributes[part.submod_name] = GraphModule(part.targets, part.graph)
        call = graph.call_module(part.submod_name, tuple(environment[n] for n in part.inputs))
        if len(results) == 1 and not tuple_return:
            environment[next(iter(part.outputs))] = call
        else:
            for i, output in enumerate(part.outputs):
                environment[output] = graph.call_function(operator.getitem, (call, i))
    for node in m.graph.nodes:
        if node.op == "output":
            graph.output(map_arg(node.args[0], lambda n: environment[n.name])).meta = dict(node.meta)
    unused = [n for n in graph.nodes if n.op == "get_attr" and not n.users]
    for node in unused:
        graph.erase_node(node)
    result = GraphModule(attributes, graph)
    result.train(m.training)
    return result


def _sorted(parts: dict[str, Partition], as_given: bool, graph: Graph) -> list[str]:
    """The parts so that each comes behind what it needs."""
    if as_given:
        left, done = list(parts), []
        while left:
            ready = next((n for n in left if all(d in done for d in parts[n].dependencies)), None)
            if ready is None:
                raise ValueError("cycle exists between partitions!")
            left.remove(ready)
            done.append(ready)
        return done
    waits = {name: len(part.dependencies) for name, part in parts.items()}
    roots = [name for name, count in waits.items() if count == 0]
    order: list[str] = []
    while roots:
        name = roots.pop(0)
        order.append(name)
        for dependent in parts[name].dependents:
            waits[dependent] -= 1
            if not waits[dependent]:
                roots.append(dependent)
    if len(order) != len(parts):
        raise ValueError("cycle exists between partitions!")
    return order


def _fill(part: Partition, originals: dict[str, Node], m: GraphModule, places: dict[str, str] | None, keep_names: Any, keep_input_names: bool) -> None:
    for i, name in enumerate(part.inputs):
        node = originals[name]
        default = node.args[0] if node.op == "placeholder" and node.args else ...
        placeholder = part.graph.placeholder(name if keep_input_names else f"arg_{i}", type_expr=node.type, default_value=default)
        placeholder.meta = dict(node.meta)
        part.environment[node] = placeholder
    for name in part.node_names:
        node = originals[name]
        target: Any = node.target
        if node.op in ("call_module", "get_attr"):
            value = _target(m, str(target))
            if node.op == "call_module":
                target = str(target).replace(".", "_")
                if places is not None:
                    places[f"{part.submod_name}.{target}"] = str(node.target)
            part.targets[target] = value
        new = part.graph.create_node(node.op, target, map_arg(node.args, lambda n: part.environment[n]), dict(map_arg(node.kwargs, lambda n: part.environment[n])),
                                     name=node.name if keep_names else None, type_expr=node.type)
        new.meta = dict(node.meta)
        part.environment[node] = new


