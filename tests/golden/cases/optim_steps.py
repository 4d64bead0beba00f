"""Optimizers step by step, and the learning rates that schedulers set."""

from ..dsl import program
from .nn_modules import wave


def network_of(torch):
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.Linear(5, 2))


def train(torch, make, steps=5):
    network = network_of(torch)
    optimizer = make(network)
    inputs, targets = wave(torch, 7, 3), wave(torch, 7, 2, shift=4)
    results = {"repr": repr(optimizer), "losses": []}
    for step in range(steps):
        optimizer.zero_grad()
        loss = ((network(inputs) - targets) ** 2).mean()
        loss.backward()
        if step == 2:
            # A parameter without a gradient keeps its state and its count of steps.
            network[0].bias.grad = None
        optimizer.step()
        results["losses"].append(loss.item())
    state = optimizer.state_dict()
    results["weights"] = [param.detach() for param in network.parameters()]
    results["state"] = {str(number): dict(value) for number, value in state["state"].items()}
    results["groups"] = [{key: str(value) for key, value in group.items()} for group in state["param_groups"]]
    return results


@program
def sgd(torch):
    results = {}
    for momentum, dampening, nesterov in ((0, 0, False), (0.9, 0, False), (0.9, 0.3, False), (0.9, 0, True)):
        for weight_decay, maximize in ((0, False), (0.05, False), (0.05, True)):
            options = {"momentum": momentum, "dampening": dampening, "nesterov": nesterov}
            options |= {"weight_decay": weight_decay, "maximize": maximize}
            results[str(options)] = train(torch, lambda net, options=options: torch.optim.SGD(net.parameters(), lr=0.1, **options))
    return results


@program
def adam(torch):
    results = {}
    for kind in ("Adam", "AdamW"):
        for options in ({}, {"amsgrad": True}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "amsgrad": True, "maximize": True}):
            make = getattr(torch.optim, kind)
            results[f"{kind} {options}"] = train(torch, lambda net, make=make, options=options: make(net.parameters(), lr=0.02, **options))
    options = {"betas": (0.5, 0.8), "eps": 0.01, "weight_decay": 0.1, "decoupled_weight_decay": True}
    results[f"Adam {options}"] = train(torch, lambda net: torch.optim.Adam(net.parameters(), **options))
    return results


@program
def groups(torch):
    def named(net):
        first = {"params": net[0].named_parameters(), "lr": 0.5}
        return torch.optim.SGD([first, {"params": net[2].named_parameters(), "momentum": 0.5}], lr=0.1)

    def added(net):
        optimizer = torch.optim.AdamW(net[0].parameters(), lr=0.1)
        optimizer.add_param_group({"params": net[2].weight, "weight_decay": 0})
        return optimizer

    return {"named": train(torch, named), "added": train(torch, added)}


@program
def closures(torch):
    weight = torch.nn.Parameter(torch.tensor([1.0, -2.0]))
    optimizer = torch.optim.SGD([weight], lr=0.25)

    def closure():
        optimizer.zero_grad()
        loss = (weight**2).sum()
        loss.backward()
        return loss

    with torch.no_grad():
        losses = [optimizer.step(closure).item() for _ in range(3)]
    return {"losses": losses, "weight": weight.detach()}


@program
def resumed(torch):
    """Training goes on from a state dictionary as if it had not stopped."""
    results = {}
    inputs = wave(torch, 4, 3)
    for kind, options in (("SGD", {"momentum": 0.9}), ("Adam", {"amsgrad": True})):
        make = getattr(torch.optim, kind)
        network = network_of(torch)
        optimizer = make(network.parameters(), lr=0.05, **options)
        for step in range(6):
            if step == 3:
                again, weights = optimizer.state_dict(), network.state_dict()
                network = network_of(torch)
                network.load_state_dict(weights)
                optimizer = make(network.parameters(), lr=9.0, **options)
                optimizer.load_state_dict(again)
            optimizer.zero_grad()
            network(inputs).square().sum().backward()
            optimizer.step()
        results[kind] = [param.detach() for param in network.parameters()]
    return results


def rates(torch, make, steps, kind="SGD"):
    """What two groups' learning rates and momenta are at each step."""
    params = [torch.nn.Parameter(torch.ones(2)), torch.nn.Parameter(torch.ones(1))]
    options = {"momentum": 0.9} if kind == "SGD" else {}
    optimizer = getattr(torch.optim, kind)([{"params": params[:1]}, {"params": params[1:], "lr": 0.3}], lr=0.1, **options)
    scheduler = make(optimizer)
    found = []
    for _ in range(steps):
        found.append([scheduler.get_last_lr(), [group["momentum"] if kind == "SGD" else group["betas"][0] for group in optimizer.param_groups]])
        optimizer.step()
        scheduler.step()
    return found


@program
def schedulers(torch):
    lib = torch.optim.lr_scheduler
    ways = {
        "LambdaLR": lambda o: lib.LambdaLR(o, lambda epoch: 0.9**epoch), "LambdaLR list": lambda o: lib.LambdaLR(o, [lambda e: 1 / (e + 1), lambda e: 1 + e]),
        "MultiplicativeLR": lambda o: lib.MultiplicativeLR(o, lambda epoch: 0.95), "StepLR": lambda o: lib.StepLR(o, 3),
        "MultiStepLR": lambda o: lib.MultiStepLR(o, [2, 2, 5], gamma=0.5), "ConstantLR": lambda o: lib.ConstantLR(o),
        "LinearLR": lambda o: lib.LinearLR(o), "LinearLR down": lambda o: lib.LinearLR(o, 0.5, 0.1, 7), "ExponentialLR": lambda o: lib.ExponentialLR(o, 0.9),
        "PolynomialLR": lambda o: lib.PolynomialLR(o, 6, power=2.0), "CosineAnnealingLR": lambda o: lib.CosineAnnealingLR(o, 4, 0.001),
        "CosineAnnealingWarmRestarts": lambda o: lib.CosineAnnealingWarmRestarts(o, 3, 2, 0.001),
        "CyclicLR": lambda o: lib.CyclicLR(o, 0.001, 0.1, step_size_up=3, step_size_down=2, mode="triangular2"),
        "CyclicLR exp_range": lambda o: lib.CyclicLR(o, 0.001, [0.1, 0.2], step_size_up=3, mode="exp_range", gamma=0.9),
        "CyclicLR scale_fn": lambda o: lib.CyclicLR(o, 0.001, 0.1, step_size_up=3, scale_fn=lambda x: 1 / x, cycle_momentum=False),
        "OneCycleLR": lambda o: lib.OneCycleLR(o, 0.2, total_steps=12),
        "OneCycleLR three phases": lambda o: lib.OneCycleLR(o, 0.2, epochs=4, steps_per_epoch=3, three_phase=True, anneal_strategy="linear"),
        "SequentialLR": lambda o: lib.SequentialLR(o, [lib.ConstantLR(o, 0.1, 2), lib.LinearLR(o, 0.5, 1.0, 3), lib.CosineAnnealingLR(o, 5)], [2, 6]),
        "ChainedScheduler": lambda o: lib.ChainedScheduler([lib.ConstantLR(o, 0.1, 2), lib.ExponentialLR(o, 0.9)]),
    }  # fmt: skip
    results = {name: rates(torch, make, 12) for name, make in ways.items()}
    for name in ("CyclicLR", "OneCycleLR"):
        results[f"{name} Adam"] = rates(torch, ways[name], 12, kind="Adam")
    return results


@program
def plateaus(torch):
    lib = torch.optim.lr_scheduler
    metrics = [1.0, 0.9, 0.95, 0.9, 0.99, 1.2, 1.3, 1.2, 0.8, 0.80001, 0.8, 0.8, 0.8, 0.8]
    results = {}
    for mode in ("min", "max"):
        for threshold_mode in ("rel", "abs"):
            optimizer = torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1)
            scheduler = lib.ReduceLROnPlateau(optimizer, mode, patience=1, threshold=0.01, threshold_mode=threshold_mode, cooldown=1, min_lr=1e-3)
            found = []
            for metric in metrics:
                scheduler.step(metric)
                found.append([scheduler.get_last_lr()[0], scheduler.num_bad_epochs, scheduler.best])
            results[f"{mode} {threshold_mode}"] = found
    return results


@program
def resumed_schedule(torch):
    lib = torch.optim.lr_scheduler
    weight = torch.nn.Parameter(torch.ones(1))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    scheduler = lib.CosineAnnealingLR(optimizer, 6)
    found = []
    for step in range(8):
        if step == 4:
            state, options = scheduler.state_dict(), optimizer.state_dict()
            optimizer = torch.optim.SGD([weight], lr=5.0)
            scheduler = lib.CosineAnnealingLR(optimizer, 6)
            optimizer.load_state_dict(options)
            scheduler.load_state_dict(state)
        optimizer.step()
        scheduler.step()
        found.append(scheduler.get_last_lr()[0])
    return {"rates": found}
