"""The engine: accumulation, retained graphs, partial and higher derivatives, grad modes, hooks, custom functions, errors."""

from ..dsl import error_of, program


def leaf(torch, *size, scale=0.25, shift=-1.0, dtype=None):
    """A leaf with the numbers 0, 1, 2, ... times ``scale`` plus ``shift``."""
    count = 1
    for extent in size:
        count *= extent
    numbers = torch.arange(count, dtype=dtype or torch.float32) * scale + shift
    return numbers.reshape(size).requires_grad_()


@program
def leaf_used_many_times(torch):
    x = leaf(torch, 3)
    y = x * x + x.exp() * x - 2 * x
    y.sum().backward()
    return {"y": y, "grad": x.grad, "leaf": [x.is_leaf, y.is_leaf], "requires": [x.requires_grad, x.grad.requires_grad]}


@program
def accumulation_over_calls(torch):
    x = leaf(torch, 2, 2)
    results = {}
    for step in range(3):
        (x**2).sum().backward()
        results[str(step)] = x.grad.clone()
    x.grad = None
    (3 * x).sum().backward()
    results["after None"] = x.grad
    x.grad.zero_()
    (x * x).mean().backward()
    results["after zero"] = x.grad
    return results


@program
def diamonds_and_order(torch):
    a, b = leaf(torch, 3), leaf(torch, 3, shift=0.5)
    c = a * b
    d = c.sin()
    e = c.cos() * d
    f = (d * e + c).sum() * (e * e).sum()
    f.backward()
    return {"f": f, "a": a.grad, "b": b.grad}


@program
def broadcasting_in_backward(torch):
    a, b, c, d = leaf(torch, 2, 1, 3), leaf(torch, 4, 1), leaf(torch), leaf(torch, 3)
    y = (a * b + c) / (2 + d * d)
    y.backward(torch.arange(24.0).reshape(2, 4, 3) / 8)
    return {"a": a.grad, "b": b.grad, "c": c.grad, "d": d.grad}


@program
def backward_needs(torch):
    x = leaf(torch, 3)
    y = x * 2
    return {
        "scalar": error_of(lambda: y.backward(), "scalar"),
        "shape": error_of(lambda: y.backward(torch.ones(2)), "[2]", "[3]"),
        "no grad": error_of(lambda: torch.ones(1).backward(), "does not require grad"),
        "not a tensor": error_of(lambda: y.backward(3)),
        "integer": error_of(lambda: torch.ones(2, dtype=torch.int64).requires_grad_(), "floating"),
        "intermediate": error_of(lambda: y.requires_grad_(False), "leaf"),
        "gradient of one element": y[:1].backward(torch.ones(1)) is None,
        "grad": x.grad,
    }


@program
def graph_is_freed(torch):
    x = leaf(torch, 3)
    y = (x.exp() * x).sum()
    y.backward(retain_graph=True)
    once = x.grad.clone()
    y.backward()
    twice = x.grad.clone()
    third = error_of(lambda: y.backward(), "second time", "retain_graph")
    z = (x + 1).sum()
    z.backward()
    return {"once": once, "twice": twice, "third": third, "nothing was saved": error_of(lambda: z.backward()), "grad": x.grad}


@program
def grad_of_some_inputs(torch):
    a, b, c = leaf(torch, 2), leaf(torch, 2, shift=1.0), leaf(torch, 2)
    y = (a * b * b).sum()
    by_a, by_b = torch.autograd.grad(y, [a, b], retain_graph=True)
    unused = torch.autograd.grad(y, [a, c], retain_graph=True, allow_unused=True)
    zeros = torch.autograd.grad(y, [a, c], retain_graph=True, materialize_grads=True)
    missing = error_of(lambda: torch.autograd.grad(y, [c], retain_graph=True), "allow_unused")
    two = torch.autograd.grad([y, a * 3], [a], [None, torch.ones(2) * 0.5], retain_graph=True)
    y.backward(inputs=[b])
    return {
        "a": by_a, "b": by_b, "unused": unused, "zeros": zeros, "missing": missing, "two": two, "a.grad": a.grad, "b.grad": b.grad,
    }  # fmt: skip


@program
def grad_of_intermediates(torch):
    x = leaf(torch, 3)
    y = x * 2
    z = y.exp()
    (by_y,) = torch.autograd.grad(z.sum(), y, retain_graph=True)
    y.retain_grad()
    z.sum().backward()
    return {"by y": by_y, "y.grad": y.grad, "x.grad": x.grad, "retains": [y.retains_grad, z.retains_grad, x.retains_grad]}


@program
def second_derivatives(torch):
    nn = torch.nn.functional
    functions = {
        "cube": lambda x: x**3, "exp": torch.exp, "log": lambda x: torch.log(x * x + 1), "sin": torch.sin, "tanh": torch.tanh,
        "sigmoid": torch.sigmoid, "sqrt": lambda x: torch.sqrt(x * x + 0.5), "div": lambda x: 1 / (x * x + 1), "softmax": lambda x: x.softmax(1),
        "log_softmax": lambda x: x.log_softmax(0), "prod": lambda x: x.prod(1), "matmul": lambda x: x @ x.t() @ x, "norm": lambda x: x.norm(dim=1),
        "var": lambda x: x.var(0), "logsumexp": lambda x: x.logsumexp(1), "cumprod": lambda x: (x + 2).cumprod(0), "gelu": nn.gelu,
        "silu": nn.silu, "softplus": nn.softplus, "elu": nn.elu, "layer_norm": lambda x: nn.layer_norm(x, (3,)), "max": lambda x: x.max(1).values ** 2,
        "gather": lambda x: x.gather(0, torch.tensor([[0, 1, 0]])) ** 3, "index": lambda x: x[[0, 0, 1]] ** 3, "where": lambda x: torch.where(x > 0, x**3, x**2),
        "atan2": lambda x: torch.atan2(x, x * x + 1), "erf": torch.erf, "pow": lambda x: (x * x + 1) ** (x * 0.5), "std": lambda x: x.std(1),
        "mse": lambda x: nn.mse_loss(x, x.detach() * 0.5), "cross_entropy": lambda x: nn.cross_entropy(x, torch.tensor([0, 2])),
        "conv1d": lambda x: nn.conv1d(x.reshape(1, 2, 3), (x * x).reshape(1, 2, 3), padding=1), "reciprocal": lambda x: (x + 4).reciprocal(),
        "expand": lambda x: x[:1].expand(3, 3) ** 3, "cat": lambda x: torch.cat([x, x * x]) ** 2, "sort": lambda x: x.sort(1).values ** 3,
        "lerp": lambda x: torch.lerp(x, x * x, x * 0.5), "addcmul": lambda x: torch.addcmul(x, x, x * x), "bmm": lambda x: torch.bmm(x[None], x.t()[None]),
        "avg_pool": lambda x: nn.avg_pool1d(x[None] ** 3, 2), "max_pool": lambda x: nn.max_pool1d(x[None] ** 3, 2), "rsqrt": lambda x: (x * x + 1).rsqrt(),
        "batch_norm": lambda x: nn.batch_norm(x, None, None, training=True), "einsum": lambda x: torch.einsum("ij,kj->ik", x, x * x),
    }  # fmt: skip
    results = {}
    for name, function in functions.items():
        x = leaf(torch, 2, 3, dtype=torch.float64, scale=0.3, shift=-0.7)
        y = function(x)
        weight = torch.arange(y.numel(), dtype=torch.float64).reshape(y.shape) * 0.3 + 0.4
        (first,) = torch.autograd.grad((y * weight).sum(), x, create_graph=True)
        (second,) = torch.autograd.grad((first * first).sum(), x)
        results[name] = [first.detach(), second]
    return results


second_derivatives.tolerance = 1e-8


@program
def third_derivative(torch):
    x = leaf(torch, 4, dtype=torch.float64)
    y = (x**4 + x.sin()).sum()
    found = []
    for _ in range(4):
        (y,) = torch.autograd.grad(y.sum(), x, create_graph=True)
        found.append(y.detach())
    return {str(order + 1): value for order, value in enumerate(found)}


@program
def create_graph_into_grad(torch):
    x = leaf(torch, 3)
    (x**3).sum().backward(create_graph=True)
    first = x.grad
    x.grad = None
    first.sum().backward()
    return {"first": first, "second": x.grad, "fn": first.grad_fn is not None}


@program
def grad_modes(torch):
    x = leaf(torch, 2)
    with torch.no_grad():
        a = x * 2
        with torch.enable_grad():
            b = x * 2
        modes = [torch.is_grad_enabled()]
    with torch.set_grad_enabled(False):
        c = x * 2
    torch.set_grad_enabled(False)
    d = x * 2
    torch.set_grad_enabled(True)

    @torch.no_grad()
    def decorated(value):
        return value * 2

    @torch.enable_grad()
    def enabled(value):
        return value * 2

    with torch.no_grad():
        e = enabled(x)
        created = torch.zeros(2, requires_grad=True)
        view = x[:1]
    modes.append(torch.is_grad_enabled())
    tensors = [a, b, c, d, decorated(x), e, created, view]
    return {
        "requires": [t.requires_grad for t in tensors],
        "leaf": [t.is_leaf for t in tensors],
        "modes": modes,
        "name": decorated.__name__,
    }


@program
def inference_mode(torch):
    x = leaf(torch, 2)
    with torch.inference_mode():
        a = x * 2
        flags = [a.is_inference(), torch.is_inference_mode_enabled(), a.requires_grad, torch.is_grad_enabled()]
        a.add_(1)
    return {
        "flags": flags, "a": a.clone(), "outside": a.is_inference(),
        "saved": error_of(lambda: (a * x).sum().backward(), "inference"),
        "changed": error_of(lambda: a.add_(1), "inference"),
        "version": error_of(lambda: a._version, "inference"),
        "requires": error_of(lambda: a.requires_grad_(), "inference"),
    }  # fmt: skip


@program
def detach_and_data(torch):
    x = leaf(torch, 3)
    y = x * 2
    d = y.detach()
    d[0] = 9.0
    e = x.data
    e[1] = 5.0
    f = x.detach().clone().requires_grad_()
    (f * 3).sum().backward()
    z = x * 3
    z.detach_()
    return {
        "y": y, "d": d, "x": x, "f.grad": f.grad, "leaf": [d.is_leaf, e.is_leaf, z.is_leaf, y.is_leaf], "requires": [d.requires_grad, z.requires_grad],
        "same memory": [d.data_ptr() == y.data_ptr(), e.data_ptr() == x.data_ptr()],
    }  # fmt: skip


@program
def tensor_hooks(torch):
    x = leaf(torch, 3)
    seen = []
    y = x * 2
    first = y.register_hook(lambda grad: seen.append(grad.tolist()))
    y.register_hook(lambda grad: grad * 10)
    x.register_hook(lambda grad: grad + 1)
    y.sum().backward(retain_graph=True)
    once = x.grad.clone()
    first.remove()
    y.sum().backward()
    return {"seen": seen, "once": once, "twice": x.grad, "needs": error_of(lambda: torch.ones(1).register_hook(print), "require")}


@program
def post_accumulate_hooks(torch):
    x = leaf(torch, 2)
    log = []

    def step(parameter):
        log.append(parameter.grad.tolist())
        with torch.no_grad():
            parameter.sub_(0.5 * parameter.grad)
        parameter.grad = None

    handle = x.register_post_accumulate_grad_hook(step)
    (x * x).sum().backward()
    (x * x).sum().backward()
    handle.remove()
    (x * x).sum().backward()
    return {
        "log": log,
        "x": x,
        "grad": x.grad,
        "leaf only": error_of(lambda: (x * 2).register_post_accumulate_grad_hook(step), "leaf"),
    }


@program
def node_hooks(torch):
    x = leaf(torch, 2)
    y = x.exp()
    z = y * 3
    log = []
    post = y.grad_fn.register_hook(lambda inputs, outputs: log.append([inputs[0].tolist(), outputs[0].tolist()]))
    pre = z.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    z.sum().backward(retain_graph=True)
    once = x.grad.clone()
    post.remove()
    pre.remove()
    x.grad = None
    z.sum().backward()
    return {"log": log, "once": once, "then": x.grad}


@program
def retained_grad_and_hooks(torch):
    x = leaf(torch, 2)
    y = x * 3
    y.retain_grad()
    y.register_hook(lambda grad: grad * 4)
    y.sum().backward()
    return {"y.grad": y.grad, "x.grad": x.grad}


@program
def graph_from_python(torch):
    x, w = leaf(torch, 2, 3), leaf(torch, 3, 2)
    y = (x @ w).relu().sum()
    names, node = [], y.grad_fn
    while node is not None:
        names.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return {
        "names": names, "inputs": [pair[1] for pair in y.grad_fn.next_functions], "name": y.grad_fn.name(), "leaf": str(x.grad_fn),
        "variable": y.grad_fn.next_functions[0][0].next_functions[0][0].next_functions[0][0].variable is x,
    }  # fmt: skip


@program
def names_of_nodes(torch):
    # composites, which may show the nodes of their parts, are left out
    x, w = leaf(torch, 2, 3), leaf(torch, 3, 3)
    nn = torch.nn.functional
    made = [
        x + 1, x - x, x * 2, x / 2, x**2, -x, x.exp(), x.log(), x.sin(), x.tanh(), x.sigmoid(), x.relu(), x.sum(), x.sum(0), x.mean(), x.mean(1),
        x.max(), x.max(1)[0], x.t(), x.transpose(0, 1), x.reshape(-1), x.view(6), x.permute(1, 0), x[0], x[:, 1:], x[None], x[[0, 1]], x.expand(2, 2, 3),
        x.clone(), x.softmax(1), x.log_softmax(1), x @ w, x.double(), torch.cat([x, x]), x.unsqueeze(0), x.squeeze(), x.flatten(),
        torch.where(x > 0, x, w[:2]), x.clamp(0, 1), x.abs(), x.sqrt(), x.var(), x.std(), x.norm(), x.prod(), x.cumsum(0), x.gather(0, torch.zeros(1, 3, dtype=torch.int64)),
        x.masked_fill(x > 0, 0), nn.linear(x, w, w[0]), nn.gelu(x), nn.silu(x),
        nn.layer_norm(x, (3,)), nn.embedding(torch.tensor([0]), x), nn.leaky_relu(x), nn.softplus(x), x.sort()[0], x.topk(1)[0], x.flip(0), x.roll(1), x.tril(),
        x.unfold(1, 2, 1), x.diagonal(), x.narrow(0, 0, 1), x.select(0, 0), x.split(1)[0], x.chunk(2)[0], x.unbind(0)[0], x.pow(w[:2]),
        x.minimum(w[:2]), torch.einsum("ij->ji", x), x.logsumexp(0), x.erf(), x.floor(), x.sign(), x.lerp(x, 0.5), torch.addmm(w[0], x, w), x.index_select(0, torch.tensor([0])),
        nn.pad(x, (1, 1)), x.T, x.mT, x.contiguous(), x.detach().requires_grad_() * 1, torch.bmm(x[None], w[None]), x.atan2(x), x.fmod(2), x.remainder(2),
    ]  # fmt: skip
    return {str(number): type(tensor.grad_fn).__name__ for number, tensor in enumerate(made)}


@program
def deep_graph(torch):
    x = leaf(torch, 2)
    y = x
    for _ in range(5000):
        y = y * 1.0001
    y.sum().backward()
    return {"y": y, "grad": x.grad}


@program
def double_and_float(torch):
    x = leaf(torch, 3)
    y = (x.double() ** 2).half().float() * 2
    y.sum().backward()
    z = leaf(torch, 2, dtype=torch.float64)
    (z.float() * 3).sum().backward()
    return {"x": x.grad, "z": z.grad, "dtypes": [str(x.grad.dtype), str(z.grad.dtype)]}


@program
def assigning_grad(torch):
    x = leaf(torch, 3)
    x.grad = torch.ones(3)
    (x * 2).sum().backward()
    added = x.grad.clone()

    def assign(value):
        x.grad = value

    return {
        "added": added,
        "size": error_of(lambda: assign(torch.ones(2))),
        "dtype": error_of(lambda: assign(torch.ones(3, dtype=torch.float64))),
        "type": error_of(lambda: assign(3)),
        "deleted": assign(None) is None and x.grad is None,
    }


@program
def gradient_stealing(torch):
    """Gradients that reach two leaves through one tensor are separate afterwards."""
    a, b = leaf(torch, 2), leaf(torch, 2)
    (a + b).backward(torch.tensor([1.0, 2.0]))
    a.grad.add_(10)
    given = torch.tensor([1.0, 2.0])
    c = leaf(torch, 2)
    c.backward(given)
    c.grad.add_(5)
    return {"a": a.grad, "b": b.grad, "given": given, "c": c.grad}


@program
def gradients_of_expanded_and_strided(torch):
    x = leaf(torch, 3, 2)
    w = x.t()
    y = w.expand(4, 2, 3)
    (y * torch.arange(24.0).reshape(4, 2, 3)).sum().backward()
    z = leaf(torch, 4)
    torch.as_strided(z, (3, 2), (1, 1)).pow(2).sum().backward()
    return {"x": x.grad, "strides": list(x.grad.stride()), "z": z.grad}


@program
def custom_function(torch):
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.save_for_backward(x)
            ctx.scale = scale
            return x**3 * scale

        @staticmethod
        def backward(ctx, grad):
            (x,) = ctx.saved_tensors
            return grad * 3 * x**2 * ctx.scale, None

    x = leaf(torch, 3)
    y = Cube.apply(x, 2.0)
    (first,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    return {"y": y, "first": first, "second": second, "node": type(y.grad_fn).__name__}


@program
def custom_function_with_setup(torch):
    class Product(torch.autograd.Function):
        @staticmethod
        def forward(x, y):
            return x * y, x + y

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)

        @staticmethod
        def backward(ctx, by_product, by_sum):
            x, y = ctx.saved_tensors
            return by_product * y + by_sum, by_product * x + by_sum

    a, b = leaf(torch, 2), leaf(torch, 2, shift=2.0)
    product, total = Product.apply(a, b)
    (product.sum() + 2 * total.sum()).backward()
    return {"product": product, "a": a.grad, "b": b.grad}


@program
def custom_function_contexts(torch):
    log = []

    class Function(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, flag):
            ctx.mark_non_differentiable(mask := x > 0)
            log.append(list(ctx.needs_input_grad))
            return x * y, mask

        @staticmethod
        def backward(ctx, grad, mask_grad):
            log.append([list(ctx.needs_input_grad), mask_grad.dtype is torch.bool])
            return grad * 2, grad * 3, None

    a, b = leaf(torch, 2), torch.ones(2)
    product, mask = Function.apply(a, b, True)
    product.sum().backward()
    return {"a": a.grad, "log": log, "mask": mask, "requires": [product.requires_grad, mask.requires_grad]}


@program
def custom_function_inplace(torch):
    class Double(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.mul_(2)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = leaf(torch, 3)
    y = x * 1
    z = Double.apply(y)
    (z * z).sum().backward()
    return {"z": z, "same": z is y, "grad": x.grad, "leaf": error_of(lambda: Double.apply(leaf(torch, 2)), "leaf")}


@program
def custom_function_once(torch):
    class Once(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        @torch.autograd.function.once_differentiable
        def backward(ctx, grad):
            return grad * 2

    x = leaf(torch, 2)
    (first,) = torch.autograd.grad((Once.apply(x) ** 2).sum(), x, create_graph=True)
    return {"first": first, "second": error_of(lambda: first.sum().backward(), "once_differentiable")}


@program
def custom_function_errors(torch):
    def function(backward):
        class Function(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

        Function.backward = staticmethod(backward)
        return lambda: Function.apply(leaf(torch, 2)).sum().backward()

    def failing(ctx, grad):
        raise KeyError("own error")

    return {
        "too many": error_of(function(lambda ctx, grad: (grad, grad)), "incorrect number", "expected 1", "got 2"),
        "extra None": error_of(function(lambda ctx, grad: (grad, None))),
        "wrong size": error_of(function(lambda ctx, grad: grad[:1].expand(3)), "[3]", "[2]"),
        "broadcast": error_of(function(lambda ctx, grad: grad[:1].expand(5, 2))),
        "wrong type": error_of(function(lambda ctx, grad: 3)),
        "none": error_of(function(lambda ctx, grad: None)),
        "own": error_of(function(failing), "own error"),
        "missing backward": error_of(
            lambda: (
                type("F", (torch.autograd.Function,), {"forward": staticmethod(lambda ctx, x: x * 2)})
                .apply(leaf(torch, 2))
                .sum()
                .backward()
            )
        ),
        "called": error_of(lambda: torch.autograd.Function()(1)),
    }


@program
def custom_function_returns_input(torch):
    class Same(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, grad):
            return grad * 7

    class View(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(-1)

        @staticmethod
        def backward(ctx, grad):
            return grad.view(2, 2) * 3

    x = leaf(torch, 2, 2)
    y = Same.apply(x)
    y.sum().backward()
    z = View.apply(x)
    z.sum().backward()
    return {"grad": x.grad, "same": y is x, "shares": z.data_ptr() == x.data_ptr()}


@program
def materialized_gradients(torch):
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, a, b):
            seen.append([a is None, b is None])
            return a * 2 if b is None else a * 2 + b * 3, None

    seen = []
    x = leaf(torch, 2)
    for materialize in (True, False):
        Two.apply(x, materialize)[0].sum().backward()
    return {"grad": x.grad, "seen": seen}


@program
def anomaly_mode(torch):
    x = torch.tensor([0.0, 1.0], requires_grad=True)

    def run():
        with torch.autograd.set_detect_anomaly(True):
            (torch.sqrt(x) * 0).sum().backward()

    return {"nan": error_of(run, "nan", "SqrtBackward0"), "enabled": torch.is_anomaly_enabled()}


@program
def gradient_checks(torch):
    check, twice = torch.autograd.gradcheck, torch.autograd.gradgradcheck
    x = leaf(torch, 2, 2, dtype=torch.float64)

    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, value):
            return value * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 3

    return {
        "right": check(lambda v: (v.sin() * v, v.exp()), (x,)),
        "two": check(torch.matmul, (x, x.detach().clone().requires_grad_())),
        "second": twice(lambda v: v**3, (x,)),
        "wrong": check(Wrong.apply, (x,), raise_exception=False),
        "raised": error_of(lambda: check(Wrong.apply, (x,)), "Jacobian mismatch"),
        "no input": error_of(lambda: check(torch.sin, (x.detach(),)), "requires_grad"),
    }


@program
def jacobians(torch):
    functional = torch.autograd.functional
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([0.5, -1.0, 3.0])
    return {
        "jacobian": functional.jacobian(lambda a, b: a[:, None] * b.sin(), (x, y)),
        "hessian": functional.hessian(lambda a: (a**3).sum() * a[0], x),
        "vjp": functional.vjp(lambda a: a**2, x, torch.ones(2)),
        "jvp": functional.jvp(lambda a: a**2, x, torch.ones(2)),
    }


@program
def leaf_changed_under_no_grad(torch):
    w = leaf(torch, 3)
    for _ in range(3):
        loss = ((w - 1) ** 2).sum()
        loss.backward()
        with torch.no_grad():
            w -= 0.1 * w.grad
            w.grad.zero_()
    return {"w": w, "grad": w.grad, "leaf": w.is_leaf, "version": w._version}


@program
def backward_in_hooks_and_functions(torch):
    class Inner(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            with torch.enable_grad():
                ctx.x = x.detach().requires_grad_()
                ctx.y = ctx.x.sin() * ctx.x
            return ctx.y.detach()

        @staticmethod
        def backward(ctx, grad):
            ctx.y.backward(grad)
            return ctx.x.grad

    x = leaf(torch, 3)
    (Inner.apply(x) ** 2).sum().backward()
    return {"grad": x.grad}
