"""In-place operators on leaves, intermediates and views: values, gradients, versions and errors; aliasing."""

from ..dsl import error_of, program
from .autograd import leaf


def gradients(torch, function, *sizes):
    """What ``function`` of fresh leaves gives, and their gradients for fixed cotangents."""
    leaves = [leaf(torch, *size, shift=-0.6 + number) for number, size in enumerate(sizes)]
    result = function(*leaves)
    weight = torch.arange(result.numel(), dtype=torch.float32).reshape(result.shape) * 0.5 - 1
    (result * weight).sum().backward()
    return [result.detach(), *[value.grad for value in leaves]]


@program
def intermediates(torch):
    def chain(x):
        y = x * 2
        y.add_(1)
        y.mul_(y.detach().clone())
        y.sin_()
        y.clamp_(-0.5, 0.9)
        y[0] = 0
        return y

    def self_product(x):
        y = x * 1
        y.mul_(x)
        y.mul_(x)
        return y

    def by_itself(x):
        y = x * 1
        y.add_(y)
        return y

    def fill(x):
        y = x.sin()
        y.fill_(3)
        return y * x

    def copied(x, z):
        y = x * 1
        y.copy_(z * 2)
        return y + x

    def masked(x):
        y = x * 1
        y.masked_fill_(x > 0, 2.0)
        return y * y

    def indexed(x, z):
        y = x * 1
        y.index_add_(0, torch.tensor([0, 0]), z)
        y.index_copy_(0, torch.tensor([1]), z[:1])
        y[torch.tensor([1, 0])] += z
        return y

    def scattered(x, z):
        y = x * 1
        y.scatter_(1, torch.tensor([[0], [2]]), z)
        y.scatter_add_(1, torch.tensor([[1], [1]]), z)
        return y

    def clamped(x):
        y = x * 2
        return y.clamp_(-0.5, 0.9)

    def stacked(x):
        numbers = torch.tensor([1, 2, 3])
        y = torch.stack([x, numbers])
        numbers.zero_()
        return y * y

    functions = {
        "clamped": (clamped, (3,)), "stacked": (stacked, (3,)), "chain": (chain, (2, 3)), "self product": (self_product, (3,)), "by itself": (by_itself, (3,)), "fill": (fill, (3,)), "copied": (copied, (2, 3), (3,)),
        "masked": (masked, (2, 3)), "indexed": (indexed, (2, 3), (2, 3)), "scattered": (scattered, (2, 3), (2, 1)),
    }  # fmt: skip
    return {name: gradients(torch, function, *sizes) for name, (function, *sizes) in functions.items()}


@program
def views_of_intermediates(torch):
    def row(x):
        y = x * 1
        y[0].mul_(3)
        return y

    def column_steps(x):
        y = x * 1
        y[:, ::2].exp_()
        return y

    def transposed(x):
        y = x * 1
        y.t()[0].mul_(x[:, 1])
        return y

    def view_of_view(x):
        y = x * 1
        v = y.view(-1)[1:5]
        w = v.view(2, 2)
        w[1].mul_(10)
        return y * y + 0 * w.sum() + v.sum()

    def view_made_first(x):
        y = x * 1
        v = y[0]
        y.mul_(2)
        return v * y[1]

    def view_changed_and_used(x):
        y = x * 1
        v = y[0]
        v.add_(1)
        v.mul_(2)
        return y.sum(0) + v

    def diagonal(x):
        y = x * 1
        y.diagonal().add_(5).mul_(2)
        return y

    def expanded_source(x, z):
        y = x * 1
        y[:] = z
        y[1:] += z * 2
        return y

    def narrow_and_select(x):
        y = x * 1
        y.narrow(1, 1, 2).select(1, 0).mul_(4)
        return y

    def strided(x):
        y = x * 1
        y.as_strided((2,), (4,), 1).mul_(3)
        return y

    def reshaped(x):
        y = x * 1
        y.reshape(-1)[2] = 7
        y.unsqueeze(0).squeeze(0)[1].mul_(2)
        return y

    def unfolded(x):
        y = x * 1
        y.unfold(1, 2, 2)[0].mul_(2)
        return y

    def mask_assigned(x, z):
        y = x * 1
        y[1][z[0] > 0] = 9.0
        y[0][[0, 2]] = z[1, :2] * 3
        return y

    functions = {
        "row": row, "column steps": column_steps, "transposed": transposed, "view of view": view_of_view, "view made first": view_made_first,
        "view changed and used": view_changed_and_used, "diagonal": diagonal, "narrow and select": narrow_and_select, "strided": strided, "reshaped": reshaped,
        "unfolded": unfolded,
    }  # fmt: skip
    results = {name: gradients(torch, function, (2, 3)) for name, function in functions.items()}
    results["expanded source"] = gradients(torch, expanded_source, (3, 2), (2,))
    results["mask assigned"] = gradients(torch, mask_assigned, (2, 3), (2, 3))
    return results


@program
def leaves_refuse(torch):
    x = leaf(torch, 2, 3)
    functions = {
        "add_": lambda: x.add_(1), "setitem": lambda: x.__setitem__(0, 1.0), "view": lambda: x[0].mul_(2), "view of view": lambda: x.view(-1)[1:].zero_(),
        "expand": lambda: x[:1].expand(2, 3).add_(1), "out": lambda: torch.add(x, 1, out=torch.empty(2, 3)), "into leaf": lambda: torch.ones(2, 3).add(1).add_(x) is None,
        "as out": lambda: torch.add(torch.ones(2, 3), 1, out=x), "detach_ a view": lambda: (x * 1)[0].detach_(), "unbind": lambda: x.unbind(0)[0].add_(1),
    }  # fmt: skip
    results = {name: error_of(function) for name, function in functions.items()}
    results["message"] = error_of(lambda: x.add_(1), "leaf", "in-place")
    results["view message"] = error_of(lambda: x[0].add_(1), "view", "leaf", "in-place")
    return results


@program
def leaves_without_grad(torch):
    buffer = torch.zeros(2, 3)
    x = leaf(torch, 3)
    buffer[0] = x * 2
    buffer[1] += x
    after = [buffer.requires_grad, buffer.is_leaf]
    (buffer * buffer).sum().backward()
    view = torch.zeros(4)
    part = view[1:3]
    part.mul_(0).add_(x[:2])
    view.sum().backward()
    return {
        "buffer": buffer,
        "flags": after,
        "grad": x.grad,
        "view": view,
        "part": part,
        "requires": [view.requires_grad, part.requires_grad],
    }


@program
def saved_tensors_are_guarded(torch):
    def attempt(function, fragments=("modified by an inplace operation",)):
        def run():
            x = leaf(torch, 3, shift=0.5)
            function(x).sum().backward()

        return error_of(run, *fragments)

    def exp(x):
        y = x.exp()
        y.add_(1)
        return y

    def product(x):
        y = x * 2
        z = y * y
        y.add_(1)
        return z

    def through_view(x):
        y = x * 2
        z = y.sin()
        y[0] = 5
        return z

    def through_base(x):
        y = x * 2
        z = y[1:].cos()
        y.zero_()
        return z

    def detached(x):
        y = x * 2
        z = y**2
        y.detach().zero_()
        return z

    def data(x):
        y = x * 2
        z = y**2
        y.data.zero_()
        return z

    def unharmed(x):
        y = x * 2
        z = y + 1
        y.zero_()
        return z

    def sigmoid(x):
        y = x.sigmoid()
        y.mul_(2)
        return y

    def relu(x):
        y = (x * 1).relu_()
        y.add_(1)
        return y

    def mutated_mask(x):
        mask = torch.tensor([True, False, True])
        y = torch.where(mask, x, x * 2)
        mask.fill_(False)
        return y

    def mutated_index(x):
        index = torch.tensor([0, 1])
        y = x[index]
        index.fill_(0)
        return y

    functions = [exp, product, through_view, through_base, detached, data, unharmed, sigmoid, relu, mutated_mask, mutated_index]
    results = {function.__name__: attempt(function) for function in functions}
    results["names the type"] = attempt(product, ["torch.FloatTensor", "[3]", "version 1", "expected version 0"])
    return results


@program
def versions(torch):
    x = torch.zeros(4)
    log = [x._version]
    x.add_(1)
    log.append(x._version)
    view = x[1:]
    view.mul_(2)
    log += [x._version, view._version]
    d = x.detach()
    d.add_(1)
    log += [x._version, d._version]
    x[0] = 3
    x[torch.tensor([1, 2])] = 4
    log.append(x._version)
    data = x.data
    data.add_(1)
    log += [x._version, data._version]
    torch.add(x, 1, out=x)
    log.append(x._version)
    with torch.no_grad():
        x.zero_()
    log.append(x._version)
    copy = x.clone()
    log.append(copy._version)
    x.requires_grad_()
    log.append(x._version)
    return {"log": log, "x": x.detach()}


@program
def several_outputs(torch):
    def attempt(make, change=lambda part: part.mul_(2)):
        x = leaf(torch, 4, 2)
        y = x * 1
        change(make(y)[0])
        y.sum().backward()
        return x.grad

    results = {}
    makers = {
        "unbind": lambda y: y.unbind(0),
        "split": lambda y: y.split(2),
        "chunk": lambda y: y.chunk(2),
        "tensor_split": lambda y: y.tensor_split(2),
    }
    for name, make in makers.items():
        results[name] = error_of(lambda: attempt(make), "output", "multiple views", "inplace")
    results["iteration"] = error_of(lambda: attempt(lambda y: list(y)), "multiple views")
    return results


@program
def views_under_no_grad(torch):
    x = leaf(torch, 4)
    y = x * 1
    with torch.no_grad():
        view = y[:2]
        z = y.view(2, 2)
        z.mul_(2)
    message = error_of(lambda: view.add_(1), "no_grad")
    y.sum().backward()
    return {"y": y, "grad": x.grad, "message": message, "view": view.detach(), "requires": [view.requires_grad, z.requires_grad]}


@program
def overlapping_memory(torch):
    x = torch.arange(6.0)
    expanded = x[:1].expand(3)
    results = {
        "expanded": error_of(lambda: expanded.add_(1), "memory location"),
        "partial": error_of(lambda: x[1:].add_(x[:-1]), "memory location"),
        "same": error_of(lambda: x.add_(x)),
        "out": error_of(lambda: torch.add(x[:3], 1, out=x[1:4]), "memory location"),
        "copy": error_of(lambda: x[1:].copy_(x[:-1]), "memory location"),
        "copy to expanded": error_of(lambda: expanded.copy_(torch.ones(3)), "memory location"),
        "reversed": error_of(lambda: x.view(2, 3).t().add_(x.view(3, 2)), "memory location"),
        "fill expanded": error_of(lambda: expanded.fill_(2)),
        "set partial": error_of(lambda: x.__setitem__(slice(1, None), x[:-1]), "memory location"),
        "matmul out": error_of(lambda: torch.mm(x.view(2, 3)[:, :2], x.view(2, 3)[:, :2], out=x.view(2, 3)[:, :2])),
    }
    results["x"] = x
    return results


@program
def aliasing(torch):
    x = torch.arange(12.0).reshape(3, 4)
    a, b, c = x[1], x.t(), x.reshape(4, 3)
    d, e = x.flatten(), x.contiguous()
    f, g = x[[0]], x.clone()
    x[1, 2] = 100
    x.mul_(2)
    a[0] = -1
    b[3, 2] = -2
    h = x.t().contiguous()
    h.zero_()
    i = x.to(torch.float32)
    i[0, 0] = 55
    j = x.double()
    j.zero_()
    k = torch.as_tensor(x)
    k[2, 2] = 77
    return {
        "x": x,
        "a": a,
        "b": b,
        "c": c,
        "d": d,
        "e": e,
        "f": f,
        "g": g,
        "is": [e is x, i is x, k is x, d.data_ptr() == x.data_ptr()],
    }


@program
def augmented_assignment(torch):
    x = torch.arange(4.0)
    same = x
    x += 1
    x *= 2
    x -= torch.ones(4)
    x /= 4
    x **= 2
    x //= 0.5
    x %= 3
    i = torch.arange(4)
    i <<= 2
    i |= 1
    i ^= 3
    i &= 7
    i >>= 1
    b = torch.tensor([True, False])
    b |= torch.tensor([False, False])
    y = torch.zeros(2, 3)
    y[0] += 1
    y[:, 1] -= torch.tensor([1.0, 2.0])
    y[y > 0] *= 5
    return {
        "x": x,
        "same": same is x,
        "i": i,
        "b": b,
        "y": y,
        "error": error_of(lambda: torch.arange(3).__itruediv__(2), "Float", "Long"),
    }


@program
def out_arguments(torch):
    a, b = torch.arange(6.0).reshape(2, 3), torch.ones(3)
    out = torch.empty(0)
    returned = torch.add(a, b, out=out)
    view = torch.zeros(4, 3)
    torch.mul(a, 2, out=view[1:3])
    strided = torch.zeros(3, 2)
    torch.exp(a, out=strided.t())
    pair = torch.empty(0), torch.empty(0, dtype=torch.int64)
    torch.max(a, 1, out=pair)
    double = torch.empty(2, 3, dtype=torch.float64)
    torch.sub(a, b, out=double)
    torch.cat([a, a], out=torch.empty(4, 3))
    return {
        "out": out, "same": returned is out, "view": view, "strided": strided, "pair": list(pair), "double": double,
        "narrow": error_of(lambda: torch.add(a, b, out=torch.empty(2, 3, dtype=torch.int64)), "Float", "Long"),
        "grad": error_of(lambda: torch.add(a.clone().requires_grad_(), b, out=torch.empty(2, 3)), "out="),
    }  # fmt: skip


@program
def self_assignment_by_index(torch):
    x = torch.arange(5.0)
    x[torch.tensor([0, 1, 2])] = x[torch.tensor([2, 1, 0])]
    y = torch.arange(6.0).reshape(2, 3)
    y[:] = y.flip(0)
    z = torch.arange(4.0)
    z[z > 1] = z[z > 1] * 10
    w = torch.zeros(3)
    w[torch.tensor([0, 0, 2])] += 1
    w.index_add_(0, torch.tensor([1, 1]), torch.ones(2))
    return {"x": x, "y": y, "z": z, "w": w}
