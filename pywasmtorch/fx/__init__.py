"""torch.fx: programs as graphs, traced with proxies, changed, and made into modules again."""

from .._core.names import absent as _absent
from . import immutable_collections, node, passes, proxy, subgraph_rewriter
from ._symbolic_trace import PH, ProxyableClassMeta, Tracer, symbolic_trace, wrap
from .graph import CodeGen, Graph
from .graph_module import GraphModule
from .interpreter import Interpreter, Transformer
from .node import Node, has_side_effect, map_arg
from .proxy import Proxy
from .subgraph_rewriter import replace_pattern

__all__ = [
    "PH", "CodeGen", "Graph", "GraphModule", "Interpreter", "Node", "Proxy", "ProxyableClassMeta", "Tracer", "Transformer", "has_side_effect", "immutable_collections",
    "map_arg", "node", "passes", "proxy", "replace_pattern", "subgraph_rewriter", "symbolic_trace", "wrap",
]

__getattr__ = _absent(__name__)
