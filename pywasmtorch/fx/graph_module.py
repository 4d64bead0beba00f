"""GraphModule: a module whose forward is made from a graph."""

from __future__ import annotations

import contextlib
import copy
import itertools
import linecache
import os
import re
from pathlib import Path
from typing import Any

import pywasmtorch as torch

from ._codegen import PythonCode, torch_module
from ._namespace import CUSTOM_BUILTINS
from .graph import Graph

__all__ = ["GraphModule", "reduce_graph_module"]

OURS = __name__.partition(".")[0]
_numbers = itertools.count()
#: in ``meta``: attributes that copies of a module take over
_USER_PRESERVED_ATTRIBUTES_KEY = "_user_preserved_attributes"


#: the class Tracer, which is in a module that imports this one
_default_tracer: list[type] = []


def _exec_with_source(src: str, names: dict[str, Any]) -> None:
    """Runs generated source, which tracebacks then show."""
    name = f"<eval_with_key>.{next(_numbers)}"
    linecache.cache[name] = (len(src), None, src.splitlines(keepends=True), name)
    exec(compile(src, name, "exec"), names)


def _forward_from_src(src: str, names: dict[str, Any]) -> Any:
    names = dict(names)
    _exec_with_source(src, names)
    return names["forward"]


def _format_import_statement(name: str, obj: Any) -> str:
    if name in CUSTOM_BUILTINS:
        return CUSTOM_BUILTINS[name][0]
    module, attribute = torch_module(obj.__module__), obj.__name__
    return f"from {module} import {attribute} as {name}" if module != "builtins" or attribute != name else ""


def _format_import_block(names: dict[str, Any]) -> str:
    return "\n".join(sorted({line for name, obj in names.items() if name not in ("torch", "pytree") and (line := _format_import_statement(name, obj))}))


def reduce_graph_module(body: dict[str, Any], import_block: str) -> GraphModule:
    """What a pickle of a GraphModule calls: its source is run again, and traced."""
    names: dict[str, Any] = {name: value for name, (_, value) in CUSTOM_BUILTINS.items()}
    # the block says torch, as PyTorch's would; where this package is not torch, it is meant all the same
    exec(re.sub(r"^(from|import) torch\b", rf"\1 {OURS}", import_block, flags=re.MULTILINE), names)
    _exec_with_source(body["_code"], names)
    forward = names["forward"]
    return _deserialize(forward, body)


class _CodeOnlyModule(torch.nn.Module):
    def __init__(self, body: dict[str, Any]) -> None:
        super().__init__()
        self.__dict__.update(body)


def _deserialize(forward: Any, body: dict[str, Any]) -> GraphModule:
    class Traced(_CodeOnlyModule):
        pass

    Traced.forward = forward  # type: ignore[method-assign]
    tracer_class: Any = body.get("_tracer_cls") or _default_tracer[0]

    class KeepModules(tracer_class):  # type: ignore[misc, valid-type]
        """What was a leaf is one."""

        def is_leaf_module(self, _: Any, __: str) -> bool:
            return True

    module = Traced(body)
    graph = KeepModules(**body.get("_tracer_extras", {})).trace(module)
    graph._tracer_cls = tracer_class
    result = GraphModule(module, graph)
    left: dict[str, Any] = {**body, **module._modules, **module._parameters, **module._buffers}
    for key, value in left.items():
        if not hasattr(result, key):
            setattr(result, key, value)
    return result


def _copy_attr(source: Any, target: Any, path: str) -> None:
    *prefix, field = path.split(".")
    for part in prefix:
        inner, outer = getattr(source, part), getattr(target, part, None)
        if inner is outer:
            return
        if outer is None:
            outer = torch.nn.Module()
            setattr(target, part, outer)
        source, target = inner, outer
    value = getattr(source, field)
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        target.register_buffer(field, value)
    else:
        setattr(target, field, value)


def _assign_attr(value: Any, target: Any, path: str) -> None:
    *prefix, field = path.split(".")
    for part in prefix:
        inner = getattr(target, part, None)
        if inner is None:
            inner = torch.nn.Module()
            setattr(target, part, inner)
        target = inner
    if isinstance(value, torch.Tensor) and not isinstance(value, torch.nn.Parameter):
        target.register_buffer(field, value)
    else:
        setattr(target, field, value)


def _has_attr(module: Any, path: str) -> bool:
    for part in path.split("."):
        if not hasattr(module, part):
            return False
        module = getattr(module, part)
    return True


class GraphModule(torch.nn.Module):
    """A module with a graph; its ``forward`` and ``code`` come from that.

    Args:
        root (Module or dict): where the graph's modules, parameters and buffers are; what the graph names is taken from there.
        graph (Graph): the program.
        class_name (str): the name of the new module's class.
    """

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        for kind in cls.__mro__:
            if kind.__qualname__.split(".")[-1] != "GraphModuleImpl":
                cls = kind
                break

        class GraphModuleImpl(cls):  # type: ignore[misc, valid-type]
            pass

        return super().__new__(GraphModuleImpl)  # type: ignore[misc]

    def __init__(self, root: Any, graph: Graph, class_name: str = "GraphModule") -> None:
        super().__init__()
        self.__class__.__name__ = class_name
        targets = [str(n.target) for n in graph.nodes if n.op in ("get_attr", "call_module")]
        if isinstance(root, torch.nn.Module):
            if hasattr(root, "training"):
                self.training = root.training
            for hook in ("_replace_hooks", "_create_node_hooks", "_erase_node_hooks"):
                if hasattr(root, hook):
                    setattr(self, hook, getattr(root, hook))
            for target in targets:
                _copy_attr(root, self, target)
        elif isinstance(root, dict):
            for target in targets:
                if target not in root:
                    raise RuntimeError(f"Node {next(n for n in graph.nodes if str(n.target) == target)} referenced target {target} but that target was not provided in ``root``!")
            for target in sorted(targets, key=lambda t: t.count(".")):
                _assign_attr(root[target], self, target)
        else:
            raise RuntimeError("Unsupported type " + str(root) + " passed for root!")
        self.meta: dict[str, Any] = dict(getattr(root, "meta", {}) or {}) if isinstance(root, torch.nn.Module) else {}
        self.graph = graph
        self._tracer_cls = graph._tracer_cls if graph._tracer_cls and "<locals>" not in graph._tracer_cls.__qualname__ else None
        self._tracer_extras = dict(graph._tracer_extras or {})
        for name in ("_create_node_hooks", "_erase_node_hooks", "_replace_hooks"):
            if name not in self.__dict__:
                self.__dict__[name] = []

    __jit_unused_properties__ = ["graph"]

    @property
    def graph(self) -> Graph:
        """The program; after changing it, call ``recompile()``."""
        return self._graph

    @graph.setter
    def graph(self, g: Graph) -> None:
        if not isinstance(g, Graph):
            raise AssertionError(f"Expected a Graph instance, but got {type(g)}")
        self._graph = g
        g.owning_module = self
        self.recompile()

    @property
    def code(self) -> str:
        """The source of ``forward``."""
        return self._code

    def recompile(self) -> PythonCode:
        """Makes ``forward`` from the graph as it is now."""
        code = self._graph.python_code(root_module="self")
        self._code = code.src
        cls = type(self)
        cls.forward = _forward_from_src(self._code, code.globals)
        return code

    # ---- submodules ----
    def add_submodule(self, target: str, m: Any) -> bool:
        """Puts a module at a dotted path; whether that was possible."""
        *prefix, field = target.split(".")
        module: Any = self
        for part in prefix:
            inner = getattr(module, part, None)
            if inner is None:
                inner = torch.nn.Module()
                setattr(module, part, inner)
            if not isinstance(inner, torch.nn.Module):
                return False
            module = inner
        module.add_module(field, m)
        return True

    def delete_submodule(self, target: str) -> bool:
        """Takes the module at a dotted path away; whether there was one."""
        *path, name = target.split(".")
        module: Any = self
        for part in path:
            if not hasattr(module, part):
                return False
            module = getattr(module, part)
            if not isinstance(module, torch.nn.Module):
                return False
        if not hasattr(module, name) or not isinstance(getattr(module, name), torch.nn.Module):
            return False
        delattr(module, name)
        return True

    def delete_all_unused_submodules(self) -> None:
        """Takes all modules away that no node calls or reads."""
        used: set[str] = set()
        for node in self.graph.nodes:
            if node.op not in ("call_module", "get_attr"):
                continue
            parts = str(node.target).split(".")
            used |= {".".join(parts[:i]) for i in range(1, len(parts) + 1)}
            if node.op == "call_module":
                with contextlib.suppress(AttributeError):
                    used |= {f"{node.target}.{name}" for name, _ in self.get_submodule(str(node.target)).named_modules() if name}
        for name in [name for name, _ in self.named_modules() if name and name not in used]:
            self.delete_submodule(name)

    # ---- text, copies, files ----
    def print_readable(self, print_output: bool = True, include_stride: bool = False, include_device: bool = False, colored: bool = False) -> str:
        """Prints (and returns) the source of this module and of the GraphModules in it, as classes."""
        text = _readable(self, self._get_name())
        if print_output:
            print(text)
        return text

    def __str__(self) -> str:
        return "\n".join([super().__str__(), self._code, "# To see more debug info, please use `graph_module.print_readable()`"])

    def _replicate_for_data_parallel(self) -> Any:
        return self.__copy__()

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        result = type(self).__new__(type(self))
        memo[id(self)] = result
        body = {k: v for k, v in self.__dict__.items() if k not in ("_graph", "_code")}
        torch.nn.Module.__init__(result)
        result.__dict__.update(copy.deepcopy(body, memo))
        result.__class__.__name__ = self.__class__.__name__
        result.graph = copy.deepcopy(self._graph)
        result.graph._tracer_extras = self._graph._tracer_extras
        return result

    def __copy__(self) -> Any:
        return GraphModule(self, self.graph, self.__class__.__name__)

    def __reduce__(self) -> Any:
        body = {k: v for k, v in self.__dict__.items() if k != "_graph"}
        code = self.recompile()
        body["_code"] = self._code
        return reduce_graph_module, (body, _format_import_block(code.globals))

    def to_folder(self, folder: str | os.PathLike[str], module_name: str = "FxModule") -> None:
        """Writes the module into a folder: Python source and its tensors."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        torch.save(self.state_dict(), folder / "state_dict.pt")
        lines = ["import torch", _format_import_block(self.recompile().globals), "from torch.nn import *", "", f"class {module_name}(torch.nn.Module):", "    def __init__(self):",
                 "        super().__init__()"]
        for name, child in self.named_children():
            torch.save(child, folder / f"{name}.pt")
            lines.append(f"        self.{name} = torch.load({str(folder / f'{name}.pt')!r}, weights_only=False) # {type(child).__name__}")
        for kind, make in (("_buffers", "register_buffer({!r}, torch.empty({}, dtype={}))"), ("_parameters", "register_parameter({!r}, torch.nn.Parameter(torch.empty({}, dtype={})))")):
            for name, tensor in getattr(self, kind).items():
                if tensor is not None:
                    lines.append("        self." + make.format(name, list(tensor.shape), tensor.dtype))
        lines.append(f"        self.load_state_dict(torch.load({str(folder / 'state_dict.pt')!r}))")
        lines += ["    " + line for line in self._code.splitlines()]
        (folder / "module.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
        (folder / "__init__.py").write_text("from .module import *\n", encoding="utf-8")

    # ---- hooks on the graph ----
    @contextlib.contextmanager
    def _set_replace_hook(self, f: Any) -> Any:
        self._replace_hooks.append(f)
        try:
            yield
        finally:
            self._replace_hooks.remove(f)

    def _register_create_node_hook(self, f: Any) -> None:
        self._create_node_hooks.append(f)

    def _unregister_create_node_hook(self, f: Any) -> None:
        self._create_node_hooks.remove(f)

    def _register_erase_node_hook(self, f: Any) -> None:
        self._erase_node_hooks.append(f)

    def _unregister_erase_node_hook(self, f: Any) -> None:
        self._erase_node_hooks.remove(f)


def _readable(module: Any, name: str) -> str:
    code = module._graph.python_code(root_module="self", verbose=True).src.lstrip("\n")
    text = f"class {name}(torch.nn.Module):\n{_indented(code)}"
    inner = [_readable(child, child_name) for child_name, child in module.named_children() if hasattr(child, "_graph")]
    return "\n".join([text, *map(_indented, inner)])


def _indented(text: str) -> str:
    return "\n".join("    " + line if line.strip() else "" for line in text.split("\n"))
