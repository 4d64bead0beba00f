# torch.fx: graphs of programs, run, changed, split and written down as code.
import copy
import math
import operator
import pickle

import torch
import torch.nn.functional as F
from torch import fx, nn
from torch.fx import Graph, GraphModule, Interpreter, Tracer, Transformer, symbolic_trace
from torch.fx.passes.shape_prop import ShapeProp
from torch.fx.passes.split_module import split_module
from torch.fx.subgraph_rewriter import replace_pattern


def sec(n):
    print("=====", n)


def tryit(f):
    try:
        return f()
    except Exception as e:
        print(type(e).__name__, str(e)[:150].replace("\n", "|"))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(3, 4, 3)
        self.bn = nn.BatchNorm2d(4)
        self.l = nn.Linear(4, 2)
        self.seq = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Linear(4, 4), nn.ReLU()))
        self.p = nn.Parameter(torch.full((4,), 0.5))

    def forward(self, x):
        x = self.bn(self.c(x))
        x = F.relu(x)
        x = x.mean((2, 3))
        y = self.seq(x) * self.p
        return self.l(y)


torch.manual_seed(0)
m = Net().eval()
x = torch.arange(2 * 3 * 5 * 5.0).reshape(2, 3, 5, 5) / 100
g = symbolic_trace(m)
sec("run")
print(torch.allclose(g(x), m(x)), type(g).__name__, type(g).__mro__[1].__name__)
print(g.code)
sec("interp")


class Printing(Interpreter):
    def run_node(self, n):
        r = super().run_node(n)
        print(n.op, n.name, tuple(r.shape) if isinstance(r, torch.Tensor) else type(r).__name__)
        return r


print(torch.allclose(Printing(g).run(x), m(x)))
sec("transform")


class T(Transformer):
    def call_function(self, target, args, kwargs):
        if target is F.relu:
            return torch.neg(*args)
        return super().call_function(target, args, kwargs)

    def call_method(self, target, args, kwargs):
        return super().call_method(target, args, kwargs) * 2


t = T(g).transform()
print(t.code)
sec("copy")
d = copy.deepcopy(g)
print(d.code == g.code, torch.allclose(d(x), m(x)), d.p is g.p)
pk = pickle.loads(pickle.dumps(g))
print(pk.code == g.code, torch.allclose(pk(x), m(x)), type(pk).__name__)
sec("shape")
ShapeProp(g).propagate(x)
for n in g.graph.nodes:
    print(n.name, n.meta["tensor_meta"].shape if "tensor_meta" in n.meta else None, n.meta.get("type").__name__)
print(g.graph.nodes.__iter__().__next__().meta["tensor_meta"])
sec("replace")


def f(x, w1, w2):
    m1 = torch.cat([w1, w2]).sum()
    m2 = torch.cat([w1, w2]).sum()
    return x + torch.max(m1) + torch.max(m2)


gf = symbolic_trace(f)
ms = replace_pattern(gf, lambda w1, w2: torch.cat([w1, w2]).sum(), lambda w1, w2: torch.stack([w1, w2]))
print(gf.code, len(ms), ms[0].anchor)
gr = symbolic_trace(m)
replace_pattern(gr, lambda x: F.relu(x), lambda x: F.gelu(x).abs())
print(gr.code)


def h(x):
    return torch.relu(x).neg() + torch.relu(torch.relu(x))


gh = symbolic_trace(h)
ms = replace_pattern(gh, lambda a: torch.relu(a), lambda a: torch.sigmoid(a) * 2)
print(gh.code, len(ms))
gh = symbolic_trace(lambda x: (x + x).neg() - (x + x).neg() * 3)
ms = replace_pattern(gh, lambda a, b: (a + b).neg(), lambda a, b: a - b)
print(gh.code, len(ms))
sec("split")
sp = split_module(symbolic_trace(m), m, lambda n: 0 if n.name in ("c", "bn", "relu") else 1)
print(sp.code, sp.submod_0.code, sp.submod_1.code, torch.allclose(sp(x), m(x)))


def mod(x, y):
    a = x + y
    b = a * 2
    c = b - x
    d = a / c
    return (d, a)


i = [0]
sp = split_module(symbolic_trace(mod), None, lambda n: {"add": 0, "mul": 1, "sub": 2, "truediv": 1}.get(n.name) if n.name != "truediv" else 3)
print(sp.code, sp.graph)
for k in range(4):
    print(getattr(sp, f"submod_{k}").code)
sec("edit")
g = symbolic_trace(m)
for n in g.graph.nodes:
    if n.target is F.relu:
        with g.graph.inserting_after(n):
            nn_ = g.graph.call_function(torch.sigmoid, (n,))
        n.replace_all_uses_with(nn_, delete_user_cb=lambda u: u is not nn_)
g.graph.lint()
g.recompile()
print(g.code)
n = [n for n in g.graph.nodes if n.name == "sigmoid"][0]
print(n.users, n.all_input_nodes, n.args, n.prev, n.next, list(n.args[0].users))
tryit(lambda: g.graph.erase_node(n))
n.replace_all_uses_with(n.args[0])
g.graph.erase_node(n)
g.recompile()
print(g.code)
with g.graph.inserting_before(next(iter(g.graph.nodes)).next):
    g.graph.call_function(torch.neg, (next(iter(g.graph.nodes)),))
print(g.graph.eliminate_dead_code(), len(g.graph.nodes))
print([n.name for n in reversed(g.graph.nodes)])
g.add_submodule("a.b", nn.ReLU())
print(hasattr(g, "a"), g.delete_submodule("a.b"))
g.delete_all_unused_submodules()
print([n for n, _ in g.named_modules()])
sec("errors")
tryit(lambda: symbolic_trace(lambda x: x if x else 1))
tryit(lambda: symbolic_trace(lambda x: len(x)))
tryit(lambda: symbolic_trace(lambda x: [*x]))
tryit(lambda: symbolic_trace(lambda x: torch.zeros(x)))


def setit(x):
    x[0] = 1
    return x


tryit(lambda: print(symbolic_trace(setit).code))
tryit(lambda: symbolic_trace(lambda x: int(x)))
tryit(lambda: symbolic_trace(lambda x: range(x)))
tryit(lambda: symbolic_trace(lambda x: math.floor(x)).code)
tryit(lambda: print(symbolic_trace(lambda x: 1 in x).code))
gg = Graph()
a = gg.placeholder("a")
b = gg.call_function(torch.relu, (a,))
gg.output(b)
tryit(lambda: a.args[0])
tryit(lambda: b.args.append(1))
c = gg.call_function(torch.cat, ([a, b],))
g2 = Graph()
z = g2.placeholder("z")
y = g2.call_function(torch.neg, (a,))
tryit(lambda: g2.lint())
sec("concrete")


def cf(x, flag, n=2):
    return x * n if flag else x


print(symbolic_trace(cf, concrete_args={"flag": True}).code)
print(symbolic_trace(cf, concrete_args={"flag": False, "n": 3})(torch.ones(2), False, 3))
tryit(lambda: symbolic_trace(cf, concrete_args={"flag": True})(torch.ones(2), False))
sec("graph")
gr = Graph()
x1 = gr.placeholder("x", type_expr=torch.Tensor)
y1 = gr.placeholder("y", default_value=3)
s = gr.call_function(operator.add, (x1, y1))
u = gr.call_method("relu", (s,))
w = gr.get_attr("w")
lin = gr.call_module("lin", (u,), {})
gr.output((lin, w, {"k": s, "f": float("nan"), "d": torch.device("cpu"), "s": slice(1, s)}))
gm = GraphModule({"w": torch.ones(2), "lin": nn.Identity()}, gr, "Foo")
print(gm.code, gr, gm)
print(gm(torch.ones(1)))
print(gr.python_code("self").src == gm.code)
g3 = Graph()
vm = {}
out = g3.graph_copy(gr, vm)
g3.output(out)
print(g3)
print(fx.map_arg((x1, [y1]), lambda n: n.name), fx.node.map_aggregate({"a": (1, 2)}, lambda v: v + 1))
sec("readable")
gm.print_readable()
sec("iadd")


def ia(x, y):
    operator.iadd(x, y)
    x[0]
    a, b = x.split(2)
    return a


print(symbolic_trace(ia).code)


class Ttr(Tracer):
    def is_leaf_module(self, m, q):
        return isinstance(m, nn.Sequential) or super().is_leaf_module(m, q)


tr = Ttr()
gg = tr.trace(m)
print(gg)
gmm = GraphModule(m, gg)
print(torch.allclose(gmm(x), m(x)))
for n in gg.nodes:
    print(n.name, n.meta.get("nn_module_stack") and {k: (a, b.__name__) for k, (a, b) in n.meta["nn_module_stack"].items()})
print(symbolic_trace(nn.Sequential(nn.Linear(1, 1), nn.ReLU())).code)


@fx.wrap
def foo(x):
    return x


@fx.wrap
def bar(x, y=2):
    return x


print(symbolic_trace(lambda x: bar(foo(x)) + bar(foo(x), y=x)).graph)
print(symbolic_trace(lambda x: x.contiguous().view(x.shape[0], -1).size(-1)).code)


def ann(x: torch.Tensor, n: int = 3) -> torch.Tensor:
    return x + n


print(symbolic_trace(ann).code, symbolic_trace(ann).graph)


def ann2(x: list[torch.Tensor], n: int | None = None, d: dict[str, tuple[int, int]] | None = None) -> tuple[torch.Tensor, int]:
    return (x[0], n)


print(symbolic_trace(ann2).code)
