"""Python code from a graph."""

from __future__ import annotations

import enum
import math
import re
import types
import typing
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pywasmtorch as torch

from .._core.names import torch_name_of
from ._namespace import CUSTOM_BUILTINS, Namespace
from .node import Node, _get_qualified_name, _type_repr, map_arg

if TYPE_CHECKING:
    from .graph import Graph

_OURS = __name__.partition(".")[0]
reflectable_magic_methods = {
    "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "floordiv": "{} // {}", "truediv": "{} / {}", "div": "{} / {}", "mod": "{} % {}", "pow": "{} ** {}",
    "lshift": "{} << {}", "rshift": "{} >> {}", "and_": "{} & {}", "or_": "{} | {}", "xor": "{} ^ {}", "getitem": "{}[{}]", "matmul": "{} @ {}",
}
magic_methods = {"eq": "{} == {}", "ne": "{} != {}", "lt": "{} < {}", "gt": "{} > {}", "le": "{} <= {}", "ge": "{} >= {}", "pos": "+{}", "neg": "-{}", "invert": "~{}", **reflectable_magic_methods}
inplace_methods = {
    "iadd": "{} += {}", "iand": "{} &= {}", "ifloordiv": "{} //= {}", "ilshift": "{} <<= {}", "imod": "{} %= {}", "imul": "{} *= {}", "imatmul": "{} @= {}", "ior": "{} |= {}",
    "ipow": "{} **= {}", "irshift": "{} >>= {}", "isub": "{} -= {}", "itruediv": "{} /= {}", "ixor": "{} ^= {}", "setitem": "{}[{}] = {}",
}


@dataclass
class PythonCode:
    """Source of a function, and the globals that it needs."""

    src: str
    globals: dict[str, Any]
    _lineno_map: dict[int, int | None] | None = None
    _prologue_start: int = 0


def is_from_torch(obj: Any) -> bool:
    """Whether generated code reaches it as `torch.….`"""
    module = getattr(obj, "__module__", None)
    if module is not None:
        return module.partition(".")[0] in ("torch", _OURS)
    return type(obj).__name__ in ("OpOverload", "OpOverloadPacket")


def format_target(base: str, target: str) -> str:
    """The attribute at a dotted path."""
    for part in target.split("."):
        base = f"{base}.{part}" if part.isidentifier() else f'getattr({base}, "{part}")'
    return base


@dataclass
class _Writer:
    """The state of writing one function."""

    root: str
    namespace: Namespace
    globals: dict[str, Any] = field(default_factory=dict)
    wrapped: dict[str, None] = field(default_factory=dict)
    parameters: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    returns: str = ""

    def add_global(self, hint: str, obj: Any) -> str:
        if is_from_torch(obj) and obj is not torch.device:
            return _get_qualified_name(obj) if not isinstance(obj, type) else _type_repr(obj)
        name = self.namespace.create_name(hint.replace(".", "_"), obj)
        self.globals[name] = obj
        return name

    def type_text(self, kind: Any) -> str:
        if kind == ():
            return "()"
        arguments = typing.get_args(kind)
        text = _type_repr(kind)
        if isinstance(kind, types.UnionType):
            return "|".join(map(self.type_text, arguments))
        if arguments:
            origin = typing.get_origin(kind) or kind
            if origin is not kind and getattr(kind, "_name", None) and not isinstance(kind, types.GenericAlias):
                origin = getattr(typing, kind._name if kind._name != "Optional" else "Union")  # as it was written: List, not list
            name = self.add_global(_type_repr(origin) if isinstance(origin, type) else str(origin), origin)
            return f"{name}[{','.join(self.type_text(a) if not isinstance(a, list) else str(a) for a in arguments)}]"
        return self.add_global(text, kind)

    def argument(self, value: Any) -> str:
        if isinstance(value, tuple):
            if hasattr(value, "_fields"):
                return f"{self.add_global(_type_repr(type(value)), type(value))}({', '.join(map(self.argument, value))})"
            return f"({', '.join(map(self.argument, value))}{',' if len(value) == 1 else ''})"
        if isinstance(value, list):
            return f"[{', '.join(map(self.argument, value))}]"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k!r}: {self.argument(v)}" for k, v in value.items()) + "}"
        if isinstance(value, slice):
            return f"slice({self.argument(value.start)}, {self.argument(value.stop)}, {self.argument(value.step)})"
        if isinstance(value, Node):
            return repr(value)
        if isinstance(value, float) and not math.isfinite(value):
            self.globals[str(value).lstrip("-")] = abs(value)
            return str(value)
        if isinstance(value, torch.Size):
            return f"torch.Size({list(value)})"
        if isinstance(value, type) or callable(value) and hasattr(value, "__name__"):
            return self.add_global(_type_repr(value) if isinstance(value, type) else _get_qualified_name(value), value)
        if isinstance(value, enum.Enum):
            return f"{self.add_global(_type_repr(type(value)), type(value))}.{value.name}"
        if isinstance(value, torch.device):
            self.globals["device"] = torch.device
        return repr(value)

    def arguments(self, args: Any, kwargs: Any) -> str:
        return ", ".join([*map(self.argument, args), *(f"{k} = {self.argument(v)}" for k, v in kwargs.items())])

    def annotation(self, node: Node) -> str:
        return "" if node.type is None else f" : {self.type_text(node.type)}"

    def node(self, node: Node) -> str:
        left = f"{node!r}{self.annotation(node)}"
        target: Any = node.target
        if node.op == "placeholder":
            default = f" = {self.argument(node.args[0])}" if node.args else ""
            self.parameters.append(f"{target}{self.annotation(node)}{default}")
            plain = target.replace("*", "")
            return f"{node!r} = {plain}\n" if plain != repr(node) else ""
        if node.op == "call_method":
            return f"{left} = {format_target(self.argument(node.args[0]), target)}({self.arguments(node.args[1:], node.kwargs)})"
        if node.op == "get_attr":
            return f"{left} = {format_target(self.root, target)}"
        if node.op == "call_module":
            return f"{left} = {format_target(self.root, target)}({self.arguments(node.args, node.kwargs)})"
        return self.function(node, left, target)

    def function(self, node: Node, left: str, target: Any) -> str:
        name = getattr(target, "__name__", "")
        if getattr(target, "__module__", None) == "_operator":
            if name in magic_methods:
                return f"{left} = {magic_methods[name].format(*map(self.argument, node.args))}"
            if name in inplace_methods:
                changed = inplace_methods[name].format(*map(self.argument, node.args))
                return f"{changed};  {left} = {self.argument(node.args[0])}"
        qualified = _get_qualified_name(target)
        name = self.add_global(qualified, target)
        if name == "getattr" and isinstance(node.args, tuple) and len(node.args) == 2 and isinstance(node.args[1], str) and node.args[1].isidentifier():
            return f"{left} = {format_target(self.argument(node.args[0]), node.args[1])}"
        if node.meta.get("is_wrapped", False):
            self.wrapped[name] = None
        return f"{left} = {name}({self.arguments(node.args, node.kwargs)})"


class CodeGen:
    """How a graph becomes a function; a subclass may give it another signature."""

    def __init__(self) -> None:
        self._body_transformer: Callable[[list[str]], list[str]] | None = None
        self._func_name = "forward"

    def gen_fn_def(self, free_vars: list[str], maybe_return_annotation: str) -> str:
        """The line that begins the function: `free_vars` are its parameters, with annotations and defaults."""
        if not free_vars or free_vars[0] != "self":
            free_vars.insert(0, "self")
        return f"def {self._func_name}({', '.join(free_vars)}){maybe_return_annotation}:"

    def generate_output(self, output_args: Any, *, descs: Any = None) -> str:
        """The line that returns the result."""
        return f"return {self._repr(output_args)}"

    _repr: Callable[[Any], str] = staticmethod(repr)

    def process_inputs(self, *args: Any) -> Any:
        """The inputs of the graph, of what its function was called with."""
        return args

    def process_outputs(self, outputs: Any) -> Any:
        return outputs

    def additional_globals(self) -> list[tuple[str, Any]]:
        """Names that the function needs beside those of its nodes."""
        return []

    def _gen_python_code(self, nodes: Any, root_module: str, namespace: Namespace, *, verbose: bool = False) -> PythonCode:
        writer = _Writer(root_module, namespace)
        for name, value in self.additional_globals():
            writer.add_global(name, value)
        last: dict[Node, list[Node]] = defaultdict(list)
        seen: set[Node] = set()
        for node in reversed(nodes):
            for used in _used_by(node):
                if used not in seen:
                    seen.add(used)
                    last[node].append(used)
        body: list[str] = []
        notes = where_from()
        for node in nodes:
            if verbose and (note := notes(node)):
                body.append(note)
            if node.op == "output":
                if node.type is not None:
                    writer.returns = f" -> {writer.type_text(node.type)}"
                self._repr = writer.argument
                body.append(f"{self.generate_output(node.args[0])}\n")
                continue
            text = writer.node(node)
            if not text and node.op == "placeholder":
                continue
            if node.op != "placeholder":
                done = last.get(node, [])
                if not node.users:
                    done = [*done, node]
                text += f";  {' = '.join([*(repr(n) for n in done), 'None'])}\n" if done else "\n"
            body.append(text)
        if not body:
            body.append("pass\n")
        if self._body_transformer is not None:
            body = self._body_transformer(body)
        prologue = self.gen_fn_def(writer.parameters, writer.returns)
        wraps = "\n".join(f'torch.fx._symbolic_trace.wrap("{name}")' for name in writer.wrapped)
        code = "\n".join("    " + line for line in "".join(body).split("\n"))
        self.__dict__.pop("_repr", None)
        for name, (_, value) in CUSTOM_BUILTINS.items():
            writer.globals.setdefault(name, value)
        return PythonCode(f"\n{wraps}\n\n{prologue}\n{code}", writer.globals)


def _used_by(node: Node) -> list[Node]:
    found: list[Node] = []
    map_arg(node.args, lambda n: found.append(n))
    map_arg(node.kwargs, lambda n: found.append(n))
    return found


def torch_module(name: str) -> str:
    """PyTorch's name of a module that may be this package's."""
    return torch_name_of(name) if name.partition(".")[0] == _OURS else name


def where_from() -> Callable[[Node], str]:
    """For each node in turn: a comment that says where the program made it, if it is another place than the last one's."""
    last: str | None = None

    def note(node: Node) -> str:
        nonlocal last
        if node.op in ("placeholder", "output"):
            return ""
        lines = (node.stack_trace or "").strip().splitlines()
        place = "# No stacktrace found for following nodes"
        if len(lines) > 1:
            file, line, function = re.match(r'\s*File "(.*)", line (\d+), in (.*)', lines[-2]).groups()  # type: ignore[union-attr]
            place = f"# File: {file}:{line} in {function}, code: {lines[-1].strip()}"
        if place == last:
            return ""
        last = place
        return place + "\n"

    return note


def code_of(graph: Graph, root_module: str, verbose: bool) -> PythonCode:
    namespace = Namespace()
    names: dict[Node, Any] = {}
    for node in graph.nodes:
        names[node] = node._repr_fn
        node._repr_fn = lambda n: namespace.create_name(n.name, n)
    try:
        return graph._codegen._gen_python_code(graph.nodes, root_module, namespace, verbose=verbose)
    finally:
        for node, before in names.items():
            node._repr_fn = before
