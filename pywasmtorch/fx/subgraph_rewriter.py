"""replace_pattern: finds a pattern in a graph and puts another program in its place."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import pywasmtorch as torch

from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule, _assign_attr, _has_attr
from .node import Node, map_arg

__all__ = ["Match", "ReplacedPatterns", "replace_pattern", "replace_pattern_with_filters"]


class Match(NamedTuple):
    """Where a pattern was found: its last node, and which node stands for each of the pattern's."""

    anchor: Node
    nodes_map: dict[Node, Node]


@dataclass
class ReplacedPatterns:
    """A match, and the nodes that were put in its place."""

    anchor: Node
    nodes_map: dict[Node, Node]
    replacements: list[Node]


class InternalMatch:
    """A match, as filters see it."""

    def __init__(self, anchors: list[Node]) -> None:
        self.anchors = anchors
        self.nodes_map: dict[Node, Any] = {}
        self.placeholder_nodes: list[Any] = []
        self.returning_nodes: list[Any] = []


class _Matcher:
    def __init__(self, pattern: Graph, pattern_module: Any, module: Any, ignore_literals: bool) -> None:
        self.pattern, self.pattern_module, self.module, self.ignore_literals = pattern, pattern_module, module, ignore_literals
        output = next(n for n in pattern.nodes if n.op == "output")
        self.returned = output.all_input_nodes
        returned = set(self.returned)
        # a returned node that others of the pattern use is found with them
        self.anchors = [n for n in self.returned if not any(user.op != "output" for user in n.users)] or self.returned[:1]
        self.order = [n for n in pattern.nodes if n.op not in ("placeholder", "output")]
        self.outside = returned

    def find(self, graph: Graph) -> list[InternalMatch]:
        found, taken = [], set[Node]()
        first, *others = self.anchors
        for node in graph.nodes:
            match = InternalMatch([*self.anchors])
            if node in taken or not self.same(first, node, match) or not self.find_others(others, graph, match):
                continue
            inside = {n for p, n in match.nodes_map.items() if p.op != "placeholder"}
            if inside & taken or not self.is_closed(match, inside):
                continue
            taken |= inside
            match.placeholder_nodes = [match.nodes_map.get(n) for n in self.pattern.nodes if n.op == "placeholder"]
            match.returning_nodes = [match.nodes_map[n] for n in self.returned]
            found.append(match)
        return found

    def find_others(self, anchors: list[Node], graph: Graph, match: InternalMatch) -> bool:
        for anchor in anchors:
            for node in graph.nodes:
                before = dict(match.nodes_map)
                if node not in match.nodes_map.values() and self.same(anchor, node, match):
                    break
                match.nodes_map = before
            else:
                return False
        return True

    def is_closed(self, match: InternalMatch, inside: set[Node]) -> bool:
        """Nobody else uses what the pattern does not return."""
        return all(user in inside for p, n in match.nodes_map.items() if p.op != "placeholder" and p not in self.outside for user in n.users)

    def same(self, pattern: Any, node: Any, match: InternalMatch) -> bool:
        if not isinstance(node, Node):
            return False
        if pattern in match.nodes_map:
            return match.nodes_map[pattern] is node
        if any(node is known for known in match.nodes_map.values()):
            return False
        if pattern.op != "placeholder":
            if pattern.op != node.op:
                return False
            if pattern.op == "get_attr":
                if not self.same_attribute(pattern, node):
                    return False
            elif pattern.target != node.target:
                return False
        match.nodes_map[pattern] = node
        if pattern.op == "placeholder" or self.same_arguments(pattern, node, match):
            return True
        del match.nodes_map[pattern]
        return False

    def same_attribute(self, pattern: Node, node: Node) -> bool:
        if not _has_attr(self.module, str(node.target)) or not _has_attr(self.pattern_module, str(pattern.target)):
            return False
        mine, theirs = _attribute(self.module, str(node.target)), _attribute(self.pattern_module, str(pattern.target))
        if type(mine) is not type(theirs):
            return False
        return torch.equal(mine, theirs) if isinstance(mine, torch.Tensor) else str(pattern.target) == str(node.target)

    def same_arguments(self, pattern: Node, node: Node, match: InternalMatch) -> bool:
        p_args, n_args = list(pattern.args), list(node.args)
        p_names, n_names = dict(pattern.kwargs), dict(node.kwargs)
        if len(p_args) != len(n_args) or set(p_names) != set(n_names):
            p_known, n_known = pattern.normalized_arguments(self.pattern_module), node.normalized_arguments(self.module)
            if p_known is None or n_known is None:
                return False
            (p_args, p_names), (n_args, n_names) = (list(p_known[0]), dict(p_known[1])), (list(n_known[0]), dict(n_known[1]))
        return len(p_args) == len(n_args) and self.same_values(p_args, n_args, match) and set(p_names) == set(n_names) and all(
            self.same_value(value, n_names[name], match) for name, value in p_names.items())

    def same_values(self, patterns: Any, values: Any, match: InternalMatch) -> bool:
        return len(patterns) == len(values) and all(self.same_value(p, v, match) for p, v in zip(patterns, values))

    def same_value(self, pattern: Any, value: Any, match: InternalMatch) -> bool:
        if isinstance(pattern, Node):
            if isinstance(value, Node):
                return self.same(pattern, value, match)
            if pattern.op == "placeholder":  # an input of the pattern may be a number
                known = match.nodes_map.get(pattern, value)
                match.nodes_map[pattern] = value
                return type(known) is type(value) and known == value
            return False
        if isinstance(value, Node):
            return False
        if isinstance(pattern, (list, tuple)):
            return isinstance(value, (list, tuple)) and self.same_values(pattern, value, match)
        return self.ignore_literals or type(pattern) is type(value) and pattern == value


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part)
    return module


def _graph_of(program: Any) -> tuple[Graph, Any]:
    if isinstance(program, GraphModule):
        return program.graph, program
    if isinstance(program, Graph):
        return program, program.owning_module
    traced = symbolic_trace(program)
    return traced.graph, traced


def _replace_attributes(gm: GraphModule, replacement: Any) -> None:
    gm.delete_all_unused_submodules()
    if isinstance(replacement, GraphModule):
        replacement.graph.lint()
    for node in gm.graph.nodes:
        if node.op not in ("call_module", "get_attr") or _has_attr(gm, str(node.target)):
            continue
        if not isinstance(replacement, torch.nn.Module) or not _has_attr(replacement, str(node.target)):
            raise RuntimeError(f'Attempted to create a "{node.op}" node during subgraph rewriting with target {node.target}, but the referenced attribute does not exist '
                               "in the replacement GraphModule")
        _assign_attr(copy.deepcopy(_attribute(replacement, str(node.target))), gm, str(node.target))


def replace_pattern(gm: GraphModule, pattern: Any, replacement: Any) -> list[Match]:
    """Replaces every part of a module's graph that does what `pattern` does by `replacement`; both are functions or modules with the
    same inputs. Parts do not overlap, and nothing else may use values inside of them that the pattern does not return."""
    return [Match(found.anchor, found.nodes_map) for found in _replace(gm, pattern, replacement, None, False, None)]


def replace_pattern_with_filters(gm: GraphModule, pattern: Any, replacement: Any = None, match_filters: list[Callable[[Any, Graph, Graph], bool]] | None = None,
                                 ignore_literals: bool = False, replacement_callback: Any = None, node_name_match: str = "") -> list[ReplacedPatterns]:
    """`replace_pattern` where every filter(match, original graph, pattern's graph) is true; with `ignore_literals` numbers and text match any;
    `replacement_callback(match, original graph, pattern's graph)` gives a graph for each match."""
    if node_name_match:
        raise NotImplementedError("replace_pattern_with_filters(node_name_match=…) is not in pywasmtorch; see docs/differences.md")
    return _replace(gm, pattern, replacement, match_filters, ignore_literals, replacement_callback)


def _replace(gm: GraphModule, pattern: Any, replacement: Any, filters: Any, ignore_literals: bool, callback: Any) -> list[ReplacedPatterns]:
    graph = gm.graph
    pattern_graph, pattern_module = _graph_of(pattern)
    matcher = _Matcher(pattern_graph, pattern_module, gm, ignore_literals)
    matches = [m for m in matcher.find(graph) if all(f(m, graph, pattern_graph) for f in filters or ())]
    common = None if replacement is None else _graph_of(replacement)
    if common is None and callback is None:
        raise AssertionError("Must provide either replacement GraphModule or replacement_callback")
    results: list[ReplacedPatterns] = []
    moved: dict[Any, Node] = {}
    for match in matches:
        new_graph = callback(match, graph, pattern_graph) if common is None else common[0]
        results.append(_replace_one(graph, pattern_graph, new_graph, match, moved, matcher))
    gm.recompile()
    if isinstance(pattern, torch.nn.Module) or isinstance(replacement, torch.nn.Module):
        _replace_attributes(gm, replacement)
    return results


def _replace_one(graph: Graph, pattern_graph: Graph, new_graph: Graph, match: InternalMatch, moved: dict[Any, Node], matcher: _Matcher) -> ReplacedPatterns:
    inputs = [n for n in new_graph.nodes if n.op == "placeholder"]
    if len(inputs) != len(match.placeholder_nodes):
        raise AssertionError(f"the replacement takes {len(inputs)} inputs, the pattern {len(match.placeholder_nodes)}")
    values: dict[Node, Any] = {}
    for own, given in zip(inputs, match.placeholder_nodes):
        values[own] = moved.get(given, given) if isinstance(given, Node) else given
    inside = {n for p, n in match.nodes_map.items() if p.op != "placeholder"}
    users = {user for node in match.returning_nodes for user in node.users if user not in inside}
    place = next((n for n in graph.nodes if n in users), None)
    if place is None:
        place = next((n for n in graph.nodes if n.op == "output"), None)
    before = set(graph.nodes)
    with graph.inserting_before(place):
        copied = graph.graph_copy(new_graph, values)
    copied = (copied,) if isinstance(copied, Node) else tuple(_nodes_in(copied))
    if len(copied) != len(match.returning_nodes):
        raise AssertionError(f"the replacement returns {len(copied)} values, the pattern {len(match.returning_nodes)}")
    for old, new in zip(match.returning_nodes, copied):
        old.replace_all_uses_with(new)
        moved[old] = new
    for node in reversed(pattern_graph.nodes):
        if node.op not in ("placeholder", "output") and match.nodes_map[node] in graph.nodes:
            graph.erase_node(match.nodes_map[node])
    return ReplacedPatterns(match.nodes_map[matcher.anchors[0]], match.nodes_map, [n for n in graph.nodes if n not in before])


def _nodes_in(value: Any) -> list[Node]:
    found: list[Node] = []
    map_arg(value, lambda n: found.append(n))
    return found
