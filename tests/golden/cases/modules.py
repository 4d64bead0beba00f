"""`nn.Module` and the modules: results, gradients, state, hooks, messages; schedulers and optimizers step by step."""

from ..dsl import error_of, program


def inputs(torch, *size):
    count = 1
    for extent in size:
        count *= extent
    return (torch.arange(count, dtype=torch.float32) * 37 % 19 / 7 - 1.2).reshape(size)


def fill(torch, module):
    """Give the module's parameters fixed values, so that no random numbers are involved."""
    with torch.no_grad():
        for number, parameter in enumerate(module.parameters()):
            parameter.copy_(inputs(torch, *parameter.shape) * 0.3 + 0.05 * number)
    return module


@program
def forward_and_gradients(torch):
    nn = torch.nn
    modules = {
        "linear": (nn.Linear(4, 3), (2, 4)), "conv1d": (nn.Conv1d(2, 4, 3, padding=1), (2, 2, 6)), "conv2d": (nn.Conv2d(2, 4, 3, stride=2, groups=2), (1, 2, 7, 6)),
        "padding modes": (nn.Conv2d(1, 2, 3, padding=1, padding_mode="reflect"), (1, 1, 4, 4)), "batch_norm1d": (nn.BatchNorm1d(3), (4, 3)), "batch_norm2d": (nn.BatchNorm2d(2), (3, 2, 2, 3)),
        "layer_norm": (nn.LayerNorm((2, 3)), (4, 2, 3)), "group_norm": (nn.GroupNorm(2, 4), (2, 4, 3)), "max_pool": (nn.MaxPool2d(2, 1), (1, 2, 4, 4)), "avg_pool": (nn.AvgPool2d(2), (1, 2, 4, 4)),
        "adaptive": (nn.AdaptiveAvgPool2d((2, 1)), (1, 2, 5, 4)), "flatten": (nn.Flatten(), (2, 3, 2)), "unflatten": (nn.Unflatten(1, (2, 2)), (3, 4)), "softmax": (nn.Softmax(dim=-1), (2, 5)),
        "log_softmax": (nn.LogSoftmax(dim=1), (2, 5)), "gelu": (nn.GELU(), (2, 5)), "gelu tanh": (nn.GELU(approximate="tanh"), (2, 5)), "silu": (nn.SiLU(), (2, 5)), "elu": (nn.ELU(0.5), (2, 5)),
        "softplus": (nn.Softplus(), (2, 5)), "leaky_relu": (nn.LeakyReLU(0.3), (2, 5)), "identity": (nn.Identity(), (2, 5)), "hardtanh": (nn.Hardtanh(), (2, 5)),
        "sequential": (nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 2)), (3, 4)), "dropout": (nn.Dropout(0.0), (2, 5)), "instance_norm": (nn.InstanceNorm2d(2), (2, 2, 3, 3)),
    }  # fmt: skip
    results = {}
    for name, (module, size) in modules.items():
        x = inputs(torch, *size).requires_grad_()
        y = fill(torch, module)(x)
        (y * inputs(torch, *y.shape)).sum().backward()
        buffers = dict(module.named_buffers())
        module.eval()
        results[name] = {
            "y": y,
            "x.grad": x.grad,
            "grads": [p.grad for p in module.parameters()],
            "buffers": buffers,
            "evaluated": module(x.detach()),
        }
    return results


@program
def losses(torch):
    nn = torch.nn
    classes = torch.tensor([0, 2, 1])
    pairs = {
        "cross_entropy": (nn.CrossEntropyLoss(label_smoothing=0.1), classes), "weighted": (nn.CrossEntropyLoss(weight=torch.tensor([0.2, 0.5, 0.3])), classes),
        "nll": (nn.NLLLoss(ignore_index=2), classes), "mse": (nn.MSELoss(), inputs(torch, 3, 3).abs()), "sum": (nn.MSELoss(reduction="sum"), inputs(torch, 3, 3).abs()),
        "l1": (nn.L1Loss(), inputs(torch, 3, 3).abs()), "bce logits": (nn.BCEWithLogitsLoss(), inputs(torch, 3, 3).sigmoid()), "smooth": (nn.SmoothL1Loss(), inputs(torch, 3, 3).abs()),
    }  # fmt: skip
    results = {}
    for name, (loss, target) in pairs.items():
        x = inputs(torch, 3, 3).requires_grad_()
        value = loss(x, target)
        value.backward()
        results[name] = [value, x.grad]
    return results


def tree(torch):
    nn = torch.nn

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)
            self.scale = nn.Parameter(torch.ones(2))
            self.register_buffer("count", torch.zeros(1, dtype=torch.int64))
            self.register_buffer("hidden", torch.ones(1), persistent=False)
            self.register_parameter("nothing", None)

        def forward(self, x):
            return self.inner(x) * self.scale

    class Tree(nn.Module):
        def __init__(self):
            super().__init__()
            self.blocks = nn.ModuleList([Block(), Block()])
            self.head = nn.Sequential(nn.Linear(2, 1), nn.ReLU())
            self.tied = self.blocks[0].inner

        def forward(self, x):
            for block in self.blocks:
                x = block(x)
            return self.head(x)

    return fill(torch, Tree())


@program
def traversal(torch):
    model = tree(torch)
    visited = []
    model.apply(lambda module: visited.append(type(module).__name__))
    return {
        "parameters": [name for name, _ in model.named_parameters()], "without duplicates": len(list(model.parameters())),
        "duplicates": [name for name, _ in model.named_parameters(remove_duplicate=False)], "buffers": [name for name, _ in model.named_buffers()], "children": [name for name, _ in model.named_children()],
        "modules": [name for name, _ in model.named_modules()], "state": list(model.state_dict()), "visited": visited, "own": [name for name, _ in model.named_parameters(recurse=False)],
        "submodule": type(model.get_submodule("blocks.1.inner")).__name__, "parameter": list(model.get_parameter("blocks.0.scale").shape), "text": str(model), "y": model(inputs(torch, 3, 2)),
        "missing": error_of(lambda: model.get_submodule("blocks.7")), "attribute": error_of(lambda: model.nothing_here, "nothing_here"), "prefix": list(model.state_dict(prefix="p."))[:2],
    }  # fmt: skip


@program
def modes_and_conversions(torch):
    model = tree(torch)
    model.eval()
    off = [module.training for module in model.modules()]
    model.train()
    model.blocks[0].requires_grad_(False)
    double = tree(torch).double()
    moved = tree(torch).to(torch.float16)
    (model(inputs(torch, 2, 2)).sum()).backward()
    had = [p.grad is not None for p in model.parameters()]
    model.zero_grad()
    return {
        "off": any(off), "requires": [p.requires_grad for p in model.parameters()], "had": had, "after": [p.grad is None for p in model.parameters()],
        "double": [str(v.dtype) for v in double.state_dict().values()], "half": [str(v.dtype) for v in moved.state_dict().values()], "bad": error_of(lambda: model.to(torch.int64), "floating"),
        "train type": error_of(lambda: model.train(1), "bool"),
    }  # fmt: skip


@program
def loading_state(torch):
    model, other = tree(torch), tree(torch)
    state = {name: value.clone() for name, value in model.state_dict().items()}
    message = str(other.load_state_dict(state))
    missing = {name: value for name, value in state.items() if "head" not in name}
    extra = {**state, "more": torch.ones(1)}
    wrong = {**state, "head.0.weight": torch.ones(3, 3)}
    partial = other.load_state_dict({**missing, "more": torch.ones(1)}, strict=False)
    alias = model.state_dict()
    alias["head.0.bias"].fill_(5)
    return {
        "message": message, "missing": error_of(lambda: other.load_state_dict(missing), "Tree", "Missing key(s)", '"head.0.weight", "head.0.bias"'),
        "unexpected": error_of(lambda: other.load_state_dict(extra), "Unexpected key(s)", '"more"'),
        "wrong": error_of(lambda: other.load_state_dict(wrong), "size mismatch", "head.0.weight", "torch.Size([3, 3])", "torch.Size([1, 2])"),
        "partial": [list(partial.missing_keys), list(partial.unexpected_keys)], "alias": model.head[0].bias.detach(), "not a dict": error_of(lambda: other.load_state_dict([1])),
        "half": str(other.load_state_dict({name: value.double() for name, value in state.items()})), "dtype": str(other.head[0].weight.dtype),
    }  # fmt: skip


@program
def module_hooks(torch):
    model = fill(torch, torch.nn.Linear(2, 2))
    log = []
    handles = [
        model.register_forward_pre_hook(lambda module, args: log.append("before") or (args[0] * 2,)),
        model.register_forward_hook(lambda module, args, output: log.append("after") or output + 1),
        model.register_full_backward_hook(
            lambda module, grad_input, grad_output: log.append(["backward", grad_output[0].tolist()])
        ),
    ]
    x = inputs(torch, 1, 2).requires_grad_()
    y = model(x)
    y.sum().backward()
    for handle in handles:
        handle.remove()
    return {"y": y, "log": log, "grad": x.grad, "plain": model(x)}


@program
def containers(torch):
    nn = torch.nn
    sequence = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
    sequence.append(nn.Tanh())
    sequence.insert(1, nn.Sigmoid())
    named = nn.Sequential()
    named.add_module("first", nn.Linear(1, 1))
    modules = nn.ModuleList([nn.ReLU()])
    modules.extend([nn.Tanh(), nn.ELU()])
    modules[1] = nn.Sigmoid()
    mapping = nn.ModuleDict({"a": nn.ReLU()})
    mapping["b"] = nn.Tanh()
    mapping.update({"c": nn.ELU()})
    removed = mapping.pop("a")
    parameters = nn.ParameterList([nn.Parameter(torch.ones(1)), nn.Parameter(torch.zeros(2))])
    return {
        "sequence": [type(m).__name__ for m in sequence], "slice": [type(m).__name__ for m in sequence[1:3]], "len": len(sequence), "last": type(sequence[-1]).__name__, "named": str(named),
        "list": [type(m).__name__ for m in modules], "sum": len(modules + modules), "dict": list(mapping), "removed": type(removed).__name__, "in": "b" in mapping, "items": [k for k, _ in mapping.items()],
        "parameters": [list(p.shape) for p in parameters], "names": [name for name, _ in nn.ModuleList([parameters]).named_parameters()], "index": error_of(lambda: sequence[9]), "key": error_of(lambda: mapping["z"]),
        "not a module": error_of(lambda: nn.Sequential(3), "Module"), "delete": (sequence.__delitem__(0), len(sequence))[1],
    }  # fmt: skip


@program
def module_errors(torch):
    nn = torch.nn

    class Early(nn.Module):
        def __init__(self):
            self.layer = nn.Linear(1, 1)

    class Parameterless(nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = nn.Parameter(torch.zeros(1))

    module = Parameterless()
    return {
        "before init": error_of(Early, "__init__"), "no forward": error_of(lambda: nn.Module()(1), "forward"), "assign": error_of(lambda: setattr(module, "weight", torch.zeros(1)), "weight", "Parameter"),
        "dotted": error_of(lambda: module.register_buffer("a.b", torch.zeros(1)), "."), "twice": error_of(lambda: module.register_buffer("weight", torch.zeros(1)), "weight"),
        "buffer type": error_of(lambda: module.register_buffer("b", 3), "int"), "groups": error_of(lambda: nn.Conv2d(3, 4, 3, groups=2), "groups"), "dropout": error_of(lambda: nn.Dropout(2), "2"),
        "linear input": error_of(lambda: nn.Linear(3, 2)(torch.zeros(2, 4)), "2x4", "3x2"), "batch_norm dims": error_of(lambda: nn.BatchNorm2d(3)(torch.zeros(2, 3)), "4D", "2D"),
        "embedding": error_of(lambda: nn.Embedding(3, 2)(torch.tensor([3])), "index"), "parameter": error_of(lambda: nn.Parameter(torch.tensor([1])), "floating"), "none": error_of(lambda: setattr(module, "weight", None)),
    }  # fmt: skip


@program
def utilities(torch):
    utils = torch.nn.utils
    model = fill(torch, torch.nn.Linear(3, 2))
    (model(inputs(torch, 4, 3)) ** 2).sum().backward()
    vector = utils.parameters_to_vector(model.parameters())
    before = [p.grad.clone() for p in model.parameters()]
    norm = utils.clip_grad_norm_(model.parameters(), 1.5)
    clipped = [p.grad.clone() for p in model.parameters()]
    utils.clip_grad_value_(model.parameters(), 0.25)
    with torch.no_grad():
        utils.vector_to_parameters(vector * 2, model.parameters())
    return {
        "vector": vector,
        "before": before,
        "norm": norm,
        "clipped": clipped,
        "values": [p.grad for p in model.parameters()],
        "doubled": model.weight.detach(),
    }


def optimise(torch, make, steps=6, groups=False):
    """Weights after each step of an optimizer on a fixed function."""
    a = inputs(torch, 3, 2).requires_grad_()
    b = inputs(torch, 2).requires_grad_()
    c = torch.ones(1, requires_grad=True)
    optimizer = make([{"params": [a]}, {"params": [b], "lr": 0.02, "weight_decay": 0.3}] if groups else [a, b, c])
    track = []
    for step in range(steps):
        optimizer.zero_grad()
        loss = ((a @ b - 1) ** 2).sum() + (a**4).sum() * 0.1 + (b * step).sum() * 0.05
        loss.backward()
        optimizer.step()
        track.append([loss.detach(), a.detach().clone(), b.detach().clone()])
    return track


@program
def optimizers(torch):
    optim = torch.optim
    makers = {
        "sgd": lambda p: optim.SGD(p, lr=0.05), "momentum": lambda p: optim.SGD(p, lr=0.05, momentum=0.9), "dampening": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, dampening=0.5),
        "nesterov": lambda p: optim.SGD(p, lr=0.05, momentum=0.9, nesterov=True), "decay": lambda p: optim.SGD(p, lr=0.05, weight_decay=0.1), "maximize": lambda p: optim.SGD(p, lr=0.01, maximize=True),
        "adam": lambda p: optim.Adam(p, lr=0.05), "adam decay": lambda p: optim.Adam(p, lr=0.05, weight_decay=0.1), "adam betas": lambda p: optim.Adam(p, lr=0.05, betas=(0.5, 0.7), eps=1e-3),
        "amsgrad": lambda p: optim.Adam(p, lr=0.05, amsgrad=True), "adamw": lambda p: optim.AdamW(p, lr=0.05), "adamw decay": lambda p: optim.AdamW(p, lr=0.05, weight_decay=0.5),
        "adamw amsgrad": lambda p: optim.AdamW(p, lr=0.05, amsgrad=True), "adam maximize": lambda p: optim.Adam(p, lr=0.01, maximize=True),
    }  # fmt: skip
    results = {name: optimise(torch, make) for name, make in makers.items()}
    for name in ("momentum", "adam", "adamw"):
        results[f"{name} in groups"] = optimise(torch, makers[name], groups=True)
    return results


@program
def optimizer_state(torch):
    optim = torch.optim
    x = torch.ones(2, requires_grad=True)
    results = {}
    for name, make in {"sgd": lambda p: optim.SGD(p, lr=0.1, momentum=0.9), "adam": lambda p: optim.Adam(p, lr=0.1)}.items():
        first = make([x])
        (x * torch.tensor([1.0, -2.0])).sum().backward()
        first.step()
        state = first.state_dict()
        second = make([x])
        second.load_state_dict(state)
        second.step()
        groups = {
            key: value
            for key, value in state["param_groups"][0].items()
            if isinstance(value, (int, float, bool, list, tuple, type(None)))
        }
        results[name] = {"state": dict(state["state"][0].items()), "groups": groups, "x": x.detach().clone()}
    closure = optim.SGD([x], lr=0.1)

    def loss():
        closure.zero_grad()
        value = (x * x).sum()
        value.backward()
        return value

    results["closure"] = [closure.step(loss), x.detach()]
    closure.add_param_group({"params": torch.ones(1, requires_grad=True)})
    results["groups"] = [len(closure.param_groups), closure.param_groups[1]["lr"]]
    results["errors"] = {
        "empty": error_of(lambda: optim.SGD([], lr=0.1), "empty"), "rate": error_of(lambda: optim.SGD([x], lr=-1), "-1"), "tensor": error_of(lambda: optim.SGD(x, lr=0.1)),
        "leaf": error_of(lambda: optim.SGD([x * 2], lr=0.1), "leaf"), "number": error_of(lambda: optim.SGD([1], lr=0.1), "int"), "betas": error_of(lambda: optim.Adam([x], betas=(1.5, 0.9)), "1.5"),
        "nesterov": error_of(lambda: optim.SGD([x], lr=0.1, nesterov=True), "nesterov"), "twice": error_of(lambda: optim.SGD([{"params": [x]}, {"params": [x]}], lr=0.1)),
    }  # fmt: skip
    return results


@program
def schedulers(torch):
    schedule = torch.optim.lr_scheduler
    makers = {
        "step": lambda o: schedule.StepLR(o, 3, 0.5), "multi": lambda o: schedule.MultiStepLR(o, [2, 5], 0.1), "exponential": lambda o: schedule.ExponentialLR(o, 0.9),
        "cosine": lambda o: schedule.CosineAnnealingLR(o, 6, 0.01), "lambda": lambda o: schedule.LambdaLR(o, lambda epoch: 1 / (1 + epoch)), "linear": lambda o: schedule.LinearLR(o, 0.25, total_iters=4),
    }  # fmt: skip
    results = {}
    for name, make in makers.items():
        optimizer = torch.optim.SGD([torch.ones(1, requires_grad=True)], lr=0.4)
        scheduler = make(optimizer)
        rates = []
        for _ in range(9):
            optimizer.step()
            scheduler.step()
            rates.append(optimizer.param_groups[0]["lr"])
        results[name] = [rates, scheduler.get_last_lr(), scheduler.last_epoch]
    return results


@program
def data_loading(torch):
    data = torch.utils.data

    class Squares(data.Dataset):
        def __len__(self):
            return 5

        def __getitem__(self, index):
            return {"x": index, "y": [float(index**2), torch.tensor([index])], "name": str(index)}

    class Stream(data.IterableDataset):
        def __iter__(self):
            return iter(range(5))

    tensors = data.TensorDataset(torch.arange(6).reshape(3, 2), torch.arange(3))
    subset, joined = data.Subset(tensors, [2, 0]), data.ConcatDataset([tensors, tensors])
    return {
        "batches": list(data.DataLoader(Squares(), batch_size=2)), "drop": len(data.DataLoader(Squares(), batch_size=2, drop_last=True)), "stream": list(data.DataLoader(Stream(), batch_size=2)),
        "single": list(data.DataLoader(range(3), batch_size=None)), "own": list(data.DataLoader(range(3), batch_size=2, collate_fn=lambda batch: batch)), "tensors": list(data.DataLoader(tensors, 2)),
        "subset": [subset[0], len(subset)], "joined": [joined[4], len(joined)], "last": tensors[-1], "sizes": error_of(lambda: data.TensorDataset(torch.ones(2), torch.ones(3))),
        "collate": data.default_collate([(1, 2.0), (3, 4.0)]), "size": error_of(lambda: data.DataLoader(tensors, batch_size=0), "batch_size"), "sampler": list(data.DataLoader(range(4), sampler=[3, 1])),
        "batch_sampler": list(data.DataLoader(range(4), batch_sampler=[[3, 1], [0]])), "both": error_of(lambda: data.DataLoader(tensors, shuffle=True, sampler=[0])),
    }  # fmt: skip
