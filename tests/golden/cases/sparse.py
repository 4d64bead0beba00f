"""Sparse tensors: making, printing, converting, products, sums, gradients, sparse gradients of embeddings and the steps with them."""

import io

from ..dsl import error_of, program, relative


def seen(torch, x):
    """What there is to compare of a tensor of any layout."""
    if x.layout is torch.strided:
        return [x]
    if x.layout is torch.sparse_coo:
        return [x._indices(), x._values().detach(), list(x.shape), x.is_coalesced(), str(x.layout)]
    names = ("crow_indices", "col_indices") if x.layout is torch.sparse_csr else ("ccol_indices", "row_indices")
    return [*(getattr(x, name)() for name in names), x.values().detach(), list(x.shape), str(x.layout)]


def examples(torch):
    t = torch.tensor
    with torch.sparse.check_sparse_tensor_invariants(False):
        s = torch.sparse_coo_tensor(t([[0, 1, 1], [2, 0, 2]]), t([3.0, 4.0, 5.0]), (2, 3))
        u = torch.sparse_coo_tensor(t([[1, 0, 1], [0, 2, 0]]), t([3.0, 4.0, 5.0]), (2, 3))
        hybrid = torch.sparse_coo_tensor(t([[0, 1]]), t([[1.0, 2.0], [3.0, 4.0]]), (3, 2))
    return s, s.coalesce(), u, hybrid, s.to_sparse_csr(), torch.tensor([[1.0, 2.0], [0.0, -1.0], [0.5, 3.0]])


@program
def making_and_printing(torch):
    t = torch.tensor
    s, c, u, hybrid, csr, d = examples(torch)
    made = {
        "given": s, "coalesced": c, "repeated": u, "hybrid": hybrid, "double": s.double(), "int": torch.sparse_coo_tensor([[0, 1], [2, 0]], [1, 2]), "no size": torch.sparse_coo_tensor(t([[0, 3]]), t([1.0, 2.0])),
        "size": torch.sparse_coo_tensor((2, 3)), "named": torch.sparse_coo_tensor(size=(2, 3), dtype=torch.float64), "dtype": torch.sparse_coo_tensor(t([[0]]), t([1.5]), (2,), dtype=torch.float64), "csr": csr,
        "csc": s.to_sparse_csc(), "turned": csr.t(), "csr given": torch.sparse_csr_tensor([0, 1, 2], [0, 1], [1.0, 2.0]), "csr int32": torch.sparse_csr_tensor(t([0, 1, 2], dtype=torch.int32), t([0, 1], dtype=torch.int32), t([1.0, 2.0]), (2, 3), dtype=torch.float64),
        "csc given": torch.sparse_csc_tensor([0, 1, 2], [0, 1], [1.0, 2.0], (3, 2)), "dense": d.to_sparse(), "dense 1": d.to_sparse(1), "dense csr": d.to_sparse_csr(), "layout": d.to_sparse(layout=torch.sparse_csc), "mask": torch.ones(2, 3).sparse_mask(c), "diagonals": torch.sparse.spdiags(torch.arange(6.0).view(2, 3) + 1, t([0, 1]), (3, 3)),
        "requires grad": s.clone().requires_grad_(), "bool": (d > 0).to_sparse(), "half": s.half(), "complex": torch.sparse_coo_tensor(t([[0]]), t([1 + 2j]), (2,)), "large": torch.eye(40).to_sparse(), "empty csr": torch.zeros(2, 2).to_sparse_csr(), "zeros like": torch.zeros_like(s),
    }  # fmt: skip
    found = {name: [*seen(torch, x.detach()), x.to_dense().detach(), repr(x)] for name, x in made.items()}
    found["facts"] = [
        [x._nnz(), x.sparse_dim(), x.dense_dim(), x.dim(), x.ndim, x.numel(), len(x), x.is_sparse, x.is_sparse_csr, str(x.layout), x.requires_grad, x.is_leaf, list(x.size()), x.size(0), x.element_size()]
        for x in (s, c, hybrid, csr)
    ]
    found["values"] = [c.indices(), c.values(), csr.crow_indices(), csr.col_indices(), csr.values(), d.sparse_dim(), torch.is_tensor(s), torch.is_floating_point(s), isinstance(s, torch.Tensor)]
    found["compressed"] = [torch._convert_indices_from_coo_to_csr(t([0, 0, 2]), 4), torch._convert_indices_from_csr_to_coo(t([0, 2, 2, 3]), t([1, 5, 0]))]
    return found


@program
def arithmetic(torch):
    s, c, u, hybrid, csr, d = examples(torch)
    results = {
        "s + s": s + s, "s + u": s + u, "c + c": c + c, "c + u": c + u, "s - u": s - u, "s * 2": s * 2, "2 * s": 2 * s, "s / 2": s / 2, "s * s": s * s, "c * d": c * d.t(), "d * s": d.t() * s, "broadcast": s * torch.tensor([1.0, 2.0, 3.0]),
        "alpha": torch.add(s, s, alpha=2), "-s": -s, "abs": abs(-s), "sqrt": s.sqrt(), "sqrt u": u.sqrt(), "pow": s**2, "relu": (-s).relu(), "sin": u.sin(), "dense + s": d.t() + s, "dense.add": torch.ones(2, 3).add(u, alpha=2), "add_": torch.ones(2, 3).add_(u),
        "hybrid + hybrid": hybrid + hybrid, "hybrid * 3": hybrid * 3, "csr + csr": csr + csr, "csr * 2": csr * 2, "csr relu": csr.relu(), "mul_": s.clone().mul_(2), "s add_": s.clone().add_(u), "zero_": c.clone().zero_(), "isnan": s.isnan(),
        "double + float": s.double() + s, "t": s.t(), "T": s.T, "transpose": s.transpose(0, 1), "permute": s.permute(1, 0), "select": s[0], "column": s[:, 0], "element": s[0, 2], "csr row": csr[0], "index_select": s.index_select(0, torch.tensor([1, 1])),
        "index_select 1": s.index_select(1, torch.tensor([2, 0])), "hybrid index_select": hybrid.index_select(1, torch.tensor([1])), "cat": torch.cat([s, u]), "cat 1": torch.cat([s, u], 1), "stack": torch.stack([s, s]), "unsqueeze": s.unsqueeze(0), "coalesce": u.coalesce(), "clone": c.clone(), "detach": s.detach(),
    }  # fmt: skip
    return {name: [*(seen(torch, x) if name not in ("broadcast",) else []), x.to_dense()] for name, x in results.items()}


@program
def products_and_sums(torch):
    s, c, u, hybrid, csr, d = examples(torch)
    results = {
        "s @ d": s @ d, "u @ d": u @ d, "csr @ d": csr @ d, "mm": torch.mm(s, d), "spmm": torch.spmm(u, d), "sparse.mm": torch.sparse.mm(s, d), "s @ v": s @ torch.tensor([1.0, 2.0, 3.0]), "mv": torch.mv(u, torch.tensor([1.0, 2.0, 3.0])), "d @ s": d @ s, "s @ s": s @ s.t(), "u @ u": torch.sparse.mm(u, u.t()),
        "addmm": torch.sparse.addmm(torch.ones(2, 2), s, d, beta=2, alpha=3), "torch.addmm": torch.addmm(torch.ones(2, 2), u, d), "csr addmm": torch.addmm(torch.ones(2, 2), csr, d, beta=0.5), "double": s.double() @ d.double(), "int": s.int() @ d.int(), "complex": s.to(torch.complex64) @ (d * 1j), "sampled": torch.sparse.sampled_addmm(csr, torch.ones(2, 2), torch.ones(2, 3), beta=0.5, alpha=2.0),
        "sum": torch.sparse.sum(u), "sum 0": torch.sparse.sum(u, 0), "sum 1": torch.sparse.sum(s, 1), "sum 01": torch.sparse.sum(s, (0, 1)), "sum -1": torch.sparse.sum(hybrid, -1), "sum hybrid 0": torch.sparse.sum(hybrid, 0), "sum dtype": torch.sparse.sum(s, dtype=torch.float64), ".sum": s.sum(), "torch.sum": torch.sum(s), "csr sum": csr.sum(), "norm": u.norm(),
        "softmax 0": torch.sparse.softmax(u, 0), "softmax 1": torch.sparse.softmax(s, 1), "softmax dense": torch.sparse.softmax(hybrid, 1), "softmax hybrid": torch.sparse.softmax(hybrid, 0), "log_softmax": torch.sparse.log_softmax(s, dim=1),
    }  # fmt: skip
    return {name: seen(torch, x) for name, x in results.items()}


@program
def gradients(torch):
    found = {}

    def of(name, function, *inputs):
        leaves = [x.detach().clone().requires_grad_() for x in inputs]
        out = function(*leaves)
        (out * torch.arange(1.0, out.numel() + 1, dtype=out.dtype).view(out.shape)).sum().backward()
        found[name] = [part for x in leaves for part in ([x.grad.to_dense()] if x.grad is not None else [None])]

    s, c, u, hybrid, csr, d = examples(torch)
    of("sparse.mm", torch.sparse.mm, c, d)
    of("sparse.mm dense right", lambda x, y: torch.sparse.mm(x, y), u.coalesce(), d)
    of("mm", lambda y: torch.mm(s, y), d)
    of("csr", lambda y: csr @ y, d)
    of("to_dense", lambda x: x.to_dense(), c)
    of("values", lambda x: x.coalesce().values(), c)
    of("sum", lambda x: torch.sparse.sum(x), c)
    of("sum 0", lambda x: torch.sparse.sum(x, 0).to_dense(), c)
    of("sum dense", lambda x: torch.sparse.sum(x, 1).to_dense(), hybrid.coalesce())
    of("softmax", lambda x: torch.sparse.softmax(x, 1).to_dense(), c)
    of("log_softmax", lambda x: torch.sparse.log_softmax(x, 0).to_dense(), c)
    of("addition", lambda x, y: (x + y).to_dense(), c, c)
    of("number", lambda x: (x * 3).to_dense(), c)
    of("transposed", lambda x: x.t().to_dense(), c)
    of("addmm", lambda m, y: torch.sparse.addmm(m, s, y, beta=2.0, alpha=3.0), torch.ones(2, 2), d)
    of("built", lambda v: torch.sparse.mm(torch.sparse_coo_tensor(torch.tensor([[0, 1, 1], [2, 0, 2]]), v, (2, 3)), d), torch.tensor([3.0, 4.0, 5.0]))
    of("to_sparse", lambda x: x.to_sparse().to_dense(), d)
    of("dense + sparse", lambda x: x + s, torch.ones(2, 3))
    grads = torch.autograd.grad(torch.sparse.mm(c.requires_grad_(), d).sum(), c)
    found["autograd.grad"] = [*seen(torch, grads[0].coalesce()), grads[0].is_sparse, c.grad]
    return found


@program
def errors(torch):
    s, c, u, hybrid, csr, d = examples(torch)
    t = torch.tensor
    checks = {"check_invariants": True}
    return {
        "indices": error_of(lambda: s.indices(), "cannot get indices on an uncoalesced tensor"), "values": error_of(lambda: s.values(), "cannot get values on an uncoalesced tensor"), "csr indices": error_of(lambda: csr.indices(), "indices expected sparse coordinate tensor layout but got sparsecsr"),
        "crow": error_of(lambda: s.crow_indices(), "crow_indices expected sparse row compressed tensor layout but got sparse"), "dense indices": error_of(lambda: d.indices(), "but got strided"), "dense coalesce": error_of(lambda: d.coalesce(), "coalesce expected sparse coordinate tensor layout but got strided"),
        "numpy": error_of(lambda: s.numpy(), "can't convert sparse layout tensor to numpy"), "tolist": error_of(lambda: s.tolist(), "storage"), "storage": error_of(lambda: s.storage()), "data_ptr": error_of(lambda: s.data_ptr()), "item": error_of(lambda: s.item(), "a tensor with 6 elements cannot be converted to scalar"),
        "bool": error_of(lambda: bool(s), "ambiguous"), "s + 1": error_of(lambda: s + 1, "add(sparse, dense) is not supported"), "s + d": error_of(lambda: s + d.t(), "add(sparse, dense) is not supported"), "s / s": error_of(lambda: s / s, "sparse division requires a scalar"), "sizes": error_of(lambda: torch.ones(3, 3) + s, "same size"),
        "exp": error_of(lambda: torch.exp(s)), "equal": error_of(lambda: torch.equal(s, s)), "max": error_of(lambda: s.max()), "view": error_of(lambda: s.view(6)), "argmax": error_of(lambda: s.argmax()), "slice": error_of(lambda: s[0:1]), "contiguous": error_of(lambda: s.contiguous()), "cosine": error_of(lambda: torch.lgamma(s)),
        "mm": error_of(lambda: s @ d.t(), "expected dim 0 size 3, got 2"), "nnz": error_of(lambda: torch.sparse_coo_tensor(t([[0, 1]]), t([1.0, 2.0, 3.0])), "must have same nnz, but got nnz from indices: 2, nnz from values: 3"), "dims": error_of(lambda: torch.sparse_coo_tensor(t([[0, 1]]), t([1.0, 2.0]), (2, 3)), "'len(size) == sparse_dim + dense_dim' is not satisfied"),
        "1-d": error_of(lambda: torch.sparse_coo_tensor(t([0, 1]), t([1.0, 2.0])), "indices must be sparse_dim x nnz, but got: [2]"), "outside": error_of(lambda: torch.sparse_coo_tensor(t([[0, 5]]), t([1.0, 2.0]), (2,), **checks), "for dim 0, size is 2 but found index 5"), "negative": error_of(lambda: torch.sparse_coo_tensor(t([[0, -1]]), t([1.0, 2.0]), (2,), **checks), "found negative index -1 for dim 0"),
        "csr checked": error_of(lambda: torch.sparse_csr_tensor([0, 1, 3], [0, 1], [1.0, 2.0], (2, 2), **checks), "`crow_indices[..., -1] == nnz` is not satisfied"), "to_dense": error_of(lambda: s.to_dense(dtype=torch.float64), "dtype argument is not supported"), "to_sparse": error_of(lambda: s.to_sparse(1), "sparse_dim argument"),
        "mask": error_of(lambda: d.sparse_mask(c), "operands have incompatible sizes"), "leaf": error_of(lambda: c.clone().requires_grad_().mul_(2), "leaf variable that requires grad"), "index": error_of(lambda: s[5], "index 5 is out of bounds for dimension 0 with size 2"), "dim": error_of(lambda: s.transpose(0, 5), "dimension out of range"), "checking": [torch.sparse.check_sparse_tensor_invariants.is_enabled()],
    }  # fmt: skip


def trained(torch, make, steps=3):
    weight = torch.nn.Parameter(torch.arange(12.0).view(6, 2) / 10)
    optimizer = make([weight])
    for k in range(steps):
        optimizer.zero_grad()
        rows = torch.nn.functional.embedding(torch.tensor([[1, 2], [2, 5 - k]]), weight, sparse=True, padding_idx=5)
        ((rows + 0.1) ** 2).sum().backward()
        optimizer.step()
    grad = weight.grad.coalesce()
    return [weight.detach(), grad.indices(), grad.values(), weight.grad.is_sparse]


@program
@relative(1e-4)
def sparse_gradients(torch):
    F, optim = torch.nn.functional, torch.optim
    found = {
        "SGD": trained(torch, lambda p: optim.SGD(p, lr=0.1)), "momentum": trained(torch, lambda p: optim.SGD(p, lr=0.1, momentum=0.9)), "nesterov": trained(torch, lambda p: optim.SGD(p, lr=0.1, momentum=0.9, nesterov=True)),
        "Adagrad": trained(torch, lambda p: optim.Adagrad(p, lr=0.1, lr_decay=0.1)), "SparseAdam": trained(torch, lambda p: optim.SparseAdam(p, lr=0.1)), "maximize": trained(torch, lambda p: optim.SparseAdam(p, lr=0.1, maximize=True)),
    }  # fmt: skip
    for mode in ("sum", "mean"):
        weight, each = torch.nn.Parameter(torch.arange(12.0).view(6, 2) / 10), torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
        rows = F.embedding_bag(torch.tensor([1, 2, 2, 0]), weight, torch.tensor([0, 1, 1]), mode=mode, sparse=True, per_sample_weights=each if mode == "sum" else None, padding_idx=0)
        (rows**2).sum().backward()
        found[mode] = [rows, weight.grad.to_dense(), each.grad]
    module = torch.nn.Embedding(6, 2, sparse=True, _weight=torch.arange(12.0).view(6, 2) / 10)
    module(torch.tensor([1, 2, 1])).sum().backward()
    module(torch.tensor([3])).sum().backward()
    found["added up"] = [module.weight.grad.to_dense(), module.weight.grad.is_sparse]
    (module(torch.tensor([1])).sum() + (module.weight**2).sum()).backward()
    found["with dense"] = [module.weight.grad.to_dense()]
    module.zero_grad()
    found["forgotten"] = [module.weight.grad]
    rows = module(torch.tensor([1, 2, 1]))
    grad = torch.autograd.grad((rows**2).sum(), module.weight)[0]
    found["autograd.grad"] = [grad.is_sparse, grad.to_dense(), module.weight.grad]
    module.weight.grad = grad
    found["assigned"] = [module.weight.grad.to_dense()]
    refusals = {}
    for name in "Adam AdamW RMSprop Adamax NAdam RAdam ASGD Rprop Adadelta Adafactor".split():
        refusals[name] = error_of(lambda name=name: getattr(optim, name)([module.weight]).step(), "does not support sparse gradients")
    refusals["dense"] = error_of(lambda: trained_dense(torch), "sparseadam does not support dense gradients, please consider adam instead")
    refusals["decay"] = error_of(lambda: optim.SGD([module.weight], lr=0.1, weight_decay=0.1).step())
    refusals["Adagrad decay"] = error_of(lambda: optim.Adagrad([module.weight], lr=0.1, weight_decay=0.1).step(), "weight_decay option is not compatible with sparse gradients")
    refusals["lr"] = error_of(lambda: optim.SparseAdam([module.weight], lr=-1), "invalid learning rate: -1")
    found["refusals"] = refusals
    return found


def trained_dense(torch):
    p = torch.nn.Parameter(torch.ones(2))
    p.grad = torch.ones(2)
    torch.optim.SparseAdam([p]).step()


@program
def saving(torch):
    found = {}
    for name, x in zip(("given", "coalesced", "repeated", "hybrid", "csr"), examples(torch)):
        file = io.BytesIO()
        torch.save({"x": x}, file)
        file.seek(0)
        found[name] = seen(torch, torch.load(file)["x"])
    return found
