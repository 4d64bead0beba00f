"""torch.func and torch.vmap: values from closed forms or as PyTorch 2.13 gave them, errors as it words them."""

import math

import pytest

import pywasmtorch as torch
from pywasmtorch.func import (
    functional_call,
    grad,
    grad_and_value,
    hessian,
    jacfwd,
    jacrev,
    jvp,
    linearize,
    stack_module_state,
    vjp,
    vmap,
)

X = [1.0, 2.0, 3.0]


def near(actual, expected):
    return torch.allclose(actual, torch.tensor(expected, dtype=actual.dtype))


def test_derivatives_of_any_order():
    s = torch.tensor(0.7, dtype=torch.float64)
    f = torch.sin
    for expected in (math.cos(0.7), -math.sin(0.7), -math.cos(0.7), math.sin(0.7)):
        f = grad(f)
        assert near(f(s), expected) and not f(s).requires_grad


def test_nested_levels_keep_their_variables_apart():
    s = torch.tensor(0.7, dtype=torch.float64)
    three = torch.tensor(3.0, dtype=torch.float64)
    assert near(grad(lambda a: grad(lambda b: a * b * b)(three))(s), 6)
    assert near(grad(lambda a: grad(lambda b: a * b * b)(a))(s), 4 * 0.7)
    assert near(grad(lambda a: vjp(torch.sin, a)[1](a)[0])(s), math.cos(0.7) - 0.7 * math.sin(0.7))
    assert near(grad(lambda a: jvp(torch.sin, (a,), (torch.ones_like(a),))[1])(s), -math.sin(0.7))


def test_outer_autograd_sees_through():
    s = torch.tensor(0.7, dtype=torch.float64)
    w = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    g = grad(lambda a: w * a * a)(s)
    g.backward()
    assert near(g.detach(), 2.8) and near(w.grad, 1.4)
    w.grad = None
    grad(lambda a: a**3)(w).backward()
    assert near(w.grad, 12)
    with torch.no_grad():
        assert not grad(lambda a: w * a**3)(s).requires_grad
    value, back = vjp(lambda a: a * w, s)
    assert value.requires_grad and back(torch.ones_like(s))[0].requires_grad
    assert s.grad is None and not s.requires_grad


def test_no_grad_inside_is_respected():
    s = torch.tensor(0.7, dtype=torch.float64)
    def f(a):
        with torch.no_grad():
            c = a.sin()
        return a * c

    assert near(grad(f)(s), math.sin(0.7)) and near(grad(grad(f))(s), 0)


def test_inside_inference_mode():
    s = torch.tensor(0.7, dtype=torch.float64)
    with torch.inference_mode():
        assert near(grad(torch.sin)(s.clone()), math.cos(0.7))
        assert torch.is_inference_mode_enabled()


def test_arguments_and_aux():
    x = torch.tensor(X)
    grads, aux = grad(lambda a, b: ((a * b).sum(), (a, {"n": b})), argnums=(1, 0), has_aux=True)(x, x * 2)
    assert grads[0].tolist() == X and grads[1].tolist() == [2, 4, 6]
    assert aux[0].tolist() == X and not aux[0].requires_grad
    grads, value = grad_and_value(lambda p, b, scale=1: scale * (p["x"] * b).sum())({"x": x, "y": x}, x, scale=2)
    assert list(grads) == ["x", "y"] and grads["x"].tolist() == [2, 4, 6] and grads["y"].tolist() == [0, 0, 0] and value == 28
    assert [type(g) for g in grad(lambda p: p[0][0] * p[1])([(x[0],), x[1]])] == [tuple, torch.Tensor]


def test_products():
    x = torch.tensor(X)
    (value, same), back = vjp(lambda a: (a * a, a), x)
    assert value.tolist() == [1, 4, 9] and back((x, x))[0].tolist() == [3, 10, 21] and back((x, x))[0].tolist() == [3, 10, 21]
    out, tangent = jvp(lambda a, b: {"dot": a @ b, "a": a, "one": torch.ones(2)}, (x, x), (x, x * 0))
    assert out["dot"] == 14 and tangent["dot"] == 14 and tangent["a"].tolist() == X and tangent["one"].tolist() == [0, 0]
    assert jvp(grad(lambda a: (a**3).sum()), (x,), (x,))[1].tolist() == [6, 24, 54]
    value, push = linearize(lambda a: a * a, x)
    assert push(x).tolist() == [2, 8, 18] and push(torch.ones(3)).tolist() == [2, 4, 6]
    z = torch.tensor([1 + 2j, -1j])
    assert jvp(lambda a: a * a, (z,), (z,))[1].tolist() == (2 * z * z).tolist()


def test_jacobians():
    x = torch.tensor(X)
    square, total = jacrev(lambda a: (a * a, a.sum()))(x)
    assert square.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 6]] and total.tolist() == [1, 1, 1]
    assert jacfwd(lambda a: a.repeat(2))(x).tolist() == torch.eye(3).repeat(2, 1).tolist()
    assert hessian(lambda a: (a**3).sum() * a[0])(x).tolist() == [[12, 12, 27], [12, 12, 0], [27, 0, 18]]
    result = jacrev(lambda a, b: {"u": a * b, "v": a.sum() * b}, argnums=(0, 1))(x, x)
    assert result["u"][0].tolist() == torch.diag(x).tolist() and result["v"][1].tolist() == (6 * torch.eye(3)).tolist()
    assert result["v"][0].tolist() == [[1, 1, 1], [2, 2, 2], [3, 3, 3]]
    assert jacrev(lambda a: a.new_zeros(0))(x).shape == (0, 3)
    assert jacfwd(lambda a: (a.repeat(3), a.sum()), has_aux=True)(x)[1] == 6
    nested = hessian(lambda d: (d["a"] ** 2 * d["b"]).sum())({"a": x, "b": x})
    assert nested["a"]["b"].tolist() == torch.diag(2 * x).tolist() and nested["b"]["b"].sum() == 0


def test_vmap_shapes():
    x = torch.tensor(X)
    assert torch.vmap(torch.dot)(x.reshape(3, 1), x.reshape(3, 1)).tolist() == [1, 4, 9]
    assert vmap(vmap(lambda a, b: a * b, (None, 0)), (0, None))(x, x).tolist() == torch.outer(x, x).tolist()
    m = torch.arange(6.0).reshape(2, 3)
    assert vmap(lambda a: a, in_dims=-1)(m).tolist() == m.t().tolist()
    assert vmap(lambda a: {"p": a, "q": (a, 2 * a)}, out_dims={"p": 0, "q": 1})(m)["q"][1].tolist() == (2 * m).t().tolist()
    assert vmap(lambda d, n: d["a"] * n + d["b"].sum(), in_dims=({"a": 0, "b": None}, None))({"a": x, "b": x}, 2).tolist() == [8, 10, 12]
    assert vmap(lambda a: a.sum(-1, keepdim=True))(torch.zeros(0, 2)).shape == (0, 1)
    assert vmap(lambda a: (a, 5), out_dims=(0, None))(x)[1] == 5
    changed = x.clone()
    assert vmap(lambda a: a.add_(1), chunk_size=2)(changed).tolist() == changed.tolist() == [2, 3, 4]


def test_vmap_random_numbers():
    x = torch.tensor(X)
    torch.manual_seed(3)
    once = torch.rand(2)
    torch.manual_seed(3)
    same = vmap(lambda a: torch.rand(2), randomness="same")(x)
    assert same.tolist() == [once.tolist()] * 3
    different = vmap(lambda a: torch.rand(2), randomness="different")(x)
    assert different[0].tolist() != different[1].tolist()
    with pytest.raises(RuntimeError, match="randomness error mode"):
        vmap(lambda a: a * torch.rand(()))(x)


def test_gradients_of_each_sample_and_ensembles():
    torch.manual_seed(0)
    model = torch.nn.Linear(3, 2)
    inputs, targets = torch.randn(4, 3), torch.randn(4, 2)
    params = {name: p.detach() for name, p in model.named_parameters()}

    def loss(params, a, b):
        return ((functional_call(model, params, (a,)) - b) ** 2).mean()

    each = vmap(grad(loss), (None, 0, 0))(params, inputs, targets)
    for k in range(4):
        model.zero_grad()
        ((model(inputs[k]) - targets[k]) ** 2).mean().backward()
        assert torch.allclose(each["weight"][k], model.weight.grad) and torch.allclose(each["bias"][k], model.bias.grad)
    other = torch.nn.Linear(3, 2)
    stacked, buffers = stack_module_state([model, other])
    assert stacked["weight"].shape == (2, 2, 3) and stacked["weight"].is_leaf and stacked["weight"].requires_grad and buffers == {}
    outputs = vmap(lambda p, b, a: functional_call(model, (p, b), a), (0, 0, None))(stacked, buffers, inputs)
    assert torch.allclose(outputs[1], other(inputs)) and outputs.requires_grad


class Tied(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.a = torch.nn.Parameter(torch.ones(()))
        self.b = self.a
        self.register_buffer("c", torch.ones(()))

    def forward(self, x):
        self.c = self.c + 1
        return x + self.a + self.b + self.c


def test_functional_call_with_tied_weights_and_buffers():
    module, zero = Tied(), torch.zeros(())
    assert functional_call(module, {"a": zero, "c": zero}, zero) == 1
    assert functional_call(module, {"a": zero, "c": zero}, zero, tie_weights=False) == 2
    given = {"c": zero}
    functional_call(module, given, zero)
    assert given["c"] == 1 and module.c == 1 and module.a == 1
    with pytest.raises(ValueError, match=r"multiple values for keys \['a', 'b'\], which are tied"):
        functional_call(module, {"a": zero, "b": zero + 1}, zero)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        functional_call(module, {"q": zero}, zero, strict=True)
    with pytest.raises(ValueError, match="appeared in multiple dictionaries"):
        functional_call(module, [{"a": zero}, {"a": zero}], zero)


ERRORS = [
    (lambda x: grad(lambda a: a)(x), RuntimeError, "return a scalar Tensor, got tensor with 1 dims"),
    (lambda x: grad(lambda a: a)(3), ValueError, "Thing passed to transform API must be Tensor, got <class 'int'>"),
    (lambda x: grad(lambda a: 3)(x), RuntimeError, "Expected f.* to return a Tensor, got <class 'int'>"),
    (lambda x: grad(lambda a: a.sum(), argnums=2)(x), RuntimeError, "Got argnum=2, but only 1 positional inputs"),
    (lambda x: grad(lambda a: a.sum(), argnums=(0, 0))(x), RuntimeError, "argnums elements must be unique"),
    (lambda x: grad(lambda a: (a, a, a), has_aux=True)(x), RuntimeError, r"should be a tuple: \(output, aux\)"),
    (lambda x: grad(lambda a: a.add_(1).sum())(x), RuntimeError, "a leaf Variable that requires grad"),
    (lambda x: vjp(lambda a: a.long(), x), RuntimeError, "must be floating-point or complex Tensors, got Tensor with dtype torch.int64"),
    (lambda x: vjp(lambda a: (a, a), x)[1](x), RuntimeError, r"cotangents: \*, primal output: \(\*, \*\)"),
    (lambda x: jvp(lambda a: a, x, x), RuntimeError, "Expected primals to be a tuple"),
    (lambda x: jvp(lambda a: a, (x,), (x, x)), RuntimeError, "same python structure"),
    (lambda x: jvp(lambda a: a, (x,), (x[:2],)), RuntimeError, "forward gradient that has a different size"),
    (lambda x: jvp(lambda a: torch.ones(2), (x,), (x,), strict=True), RuntimeError, "independent of the inputs"),
    (lambda x: jacrev(lambda a: a)(x.to(torch.complex64)), RuntimeError, "Expected all inputs to be real"),
    (lambda x: linearize(torch.sin, x)[1](x.double()), RuntimeError, "tangent:0 with dtype torch.float64"),
    (lambda x: vmap(lambda a: a, in_dims=3)(x), ValueError, "expected in_dim to satisfy -1 <= in_dim < 1"),
    (lambda x: vmap(lambda a: a, in_dims=(0, 1))(x), ValueError, "in_dims is not compatible with the structure of `inputs`"),
    (lambda x: vmap(lambda a: a)(3), ValueError, "cannot vmap over non-Tensor arguments"),
    (lambda x: vmap(lambda a, b: a)(x, x[:2]), ValueError, r"got sizes \[3, 2\]"),
    (lambda x: vmap(lambda a: 1.0)(x), ValueError, "must only return Tensors, got type <class 'float'>"),
    (lambda x: vmap(lambda a: a, out_dims=None)(x), ValueError, "can not return a BatchedTensor when out_dim is None"),
    (lambda x: vmap(lambda a: a, out_dims=3)(x), IndexError, "Dimension out of range"),
    (lambda x: vmap(torch.sin, randomness="x"), RuntimeError, "Only allowed values for randomness"),
    (lambda x: vmap(torch.sin, chunk_size=0), ValueError, "chunk_size should be None or greater than 0"),
    (lambda x: vmap(lambda a, b: a.add_(b), (None, 0))(torch.zeros(()), x), RuntimeError, "inplace arithmetic"),
    (lambda x: torch.func.functionalize(torch.sin), NotImplementedError, "functionalize"),
]


@pytest.mark.parametrize("call, kind, message", ERRORS, ids=range(len(ERRORS)))
def test_errors(call, kind, message):
    x = torch.tensor(X)
    with pytest.raises(kind, match=message):
        call(x)
    assert torch.is_grad_enabled() and not x.requires_grad


def test_nothing_is_left_behind():
    x = torch.tensor(X)
    def work():
        vmap(hessian(lambda a: (a.sin() * a).sum()))(x.reshape(3, 1))
        jvp(grad(lambda a: (a**3).sum()), (x,), (x,))
        w = torch.tensor(2.0, requires_grad=True)
        vjp(lambda a: grad(lambda b: (a * b * w).sum())(a), x)[1](x)

    work()
    before = torch.memory_allocated()
    for _ in range(3):
        work()
    assert torch.memory_allocated() <= before


def test_vmap_over_passes_through_one_graph():
    x = torch.tensor(X, requires_grad=True)
    y = x**2
    rows = vmap(lambda v: torch.autograd.grad(y, x, v)[0])(torch.eye(3))
    assert near(rows, [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0], [0.0, 0.0, 6.0]])
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(y.sum(), x)
    z = x.exp()
    nested = vmap(vmap(lambda v: torch.autograd.grad(z, x, v, retain_graph=False)[0]))(torch.eye(3)[:, None])
    assert near(nested[:, 0], torch.diag(x.detach().exp()).tolist())
