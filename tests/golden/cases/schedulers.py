"""Schedulers: learning rates and momenta step by step, state dicts, averaged models."""

from ..dsl import error_of, program
from .nn_modules import wave


class Power:
    """A factor whose base belongs to the scheduler's state."""

    def __init__(self, base):
        self.base = base

    def __call__(self, epoch):
        return self.base**epoch


def plain(value):
    """What a state holds, in the keys' order, with functions by their names."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in sorted(value.items())}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return f"function {getattr(value, '__name__', 'object')}" if callable(value) else value


def ways(torch, o):
    lib, swa = torch.optim.lr_scheduler, torch.optim.swa_utils
    return {
        "LambdaLR": lambda: lib.LambdaLR(o, [Power(0.9), lambda epoch: 1 / (1 + epoch)]),
        "MultiplicativeLR": lambda: lib.MultiplicativeLR(o, [Power(0.95), lambda epoch: 0.9]),
        "StepLR": lambda: lib.StepLR(o, 3, gamma=0.5), "MultiStepLR": lambda: lib.MultiStepLR(o, [2, 2, 5], gamma=0.5),
        "ConstantLR": lambda: lib.ConstantLR(o, 0.5, 2), "LinearLR": lambda: lib.LinearLR(o, 0.5, 0.1, 7),
        "ExponentialLR": lambda: lib.ExponentialLR(o, 0.9), "PolynomialLR": lambda: lib.PolynomialLR(o, 6, power=2.0),
        "CosineAnnealingLR": lambda: lib.CosineAnnealingLR(o, 4, 0.001), "T_max 1": lambda: lib.CosineAnnealingLR(o, 1),
        "CosineAnnealingWarmRestarts": lambda: lib.CosineAnnealingWarmRestarts(o, 3, 2, 0.001),
        "CyclicLR": lambda: lib.CyclicLR(o, 0.001, 0.1, step_size_up=3, step_size_down=2, mode="triangular2"),
        "CyclicLR exp_range": lambda: lib.CyclicLR(o, 0.001, [0.1, 0.2], step_size_up=3, mode="exp_range", gamma=0.9),
        "CyclicLR iterations": lambda: lib.CyclicLR(o, 0.001, 0.1, step_size_up=3, scale_fn=Power(0.9), scale_mode="iterations"),
        "OneCycleLR": lambda: lib.OneCycleLR(o, 0.2, total_steps=14),
        "OneCycleLR three phases": lambda: lib.OneCycleLR(
            o, [0.2, 0.3], epochs=5, steps_per_epoch=3, three_phase=True, anneal_strategy="linear"
        ),
        "SequentialLR": lambda: lib.SequentialLR(
            o, [lib.ConstantLR(o, 0.1, 2), lib.LinearLR(o, 0.5, 1.0, 3), lib.CosineAnnealingLR(o, 5)], [2, 6]
        ),
        "SequentialLR restarts": lambda: lib.SequentialLR(o, [lib.LinearLR(o, 0.1), lib.CosineAnnealingWarmRestarts(o, 3)], [4]),
        "SequentialLR one cycle": lambda: lib.SequentialLR(o, [lib.LinearLR(o, 0.1), lib.OneCycleLR(o, 0.2, total_steps=20)], [4]),
        "SequentialLR of a chain": lambda: lib.SequentialLR(
            o, [lib.ChainedScheduler([lib.ConstantLR(o, 0.1, 2), lib.ExponentialLR(o, 0.9)]), lib.StepLR(o, 2)], [4]
        ),
        "ChainedScheduler": lambda: lib.ChainedScheduler([lib.ConstantLR(o, 0.1, 2), lib.ExponentialLR(o, 0.9)], optimizer=o),
        "SWALR": lambda: swa.SWALR(o, 0.05, anneal_epochs=4),
        "SWALR linear": lambda: swa.SWALR(o, [0.05, 0.01], anneal_epochs=5, anneal_strategy="linear"),
        "SWALR at once": lambda: swa.SWALR(o, 0.05, anneal_epochs=0),
    }  # fmt: skip


def optimizer_of(torch, kind="SGD", as_tensor=False):
    first, second = torch.ones(2, requires_grad=True), torch.ones(1, requires_grad=True)
    rates = [torch.tensor(rate) if as_tensor else rate for rate in (0.1, 0.3)]
    options = {"momentum": 0.9} if kind == "SGD" else {}
    return getattr(torch.optim, kind)([{"params": [first]}, {"params": [second], "lr": rates[1]}], lr=rates[0], **options)


def follow(torch, name, kind="SGD", as_tensor=False, epochs=()):
    optimizer = optimizer_of(torch, kind, as_tensor)
    scheduler = ways(torch, optimizer)[name]()
    found = []
    for step in range(13):
        groups = optimizer.param_groups
        found.append([scheduler.get_last_lr(), [group.get("momentum", list(group.get("betas", ()))) for group in groups]])
        optimizer.step()
        if step in epochs:
            scheduler.step(step + 2)
        else:
            scheduler.step()
        if step in (0, 6):
            found.append(plain(scheduler.state_dict()))
    return [plain(found), [{key: f"{value:.9g}" if isinstance(value, float) else str(value) for key, value in group.items()} for group in optimizer.state_dict()["param_groups"]]]


@program
def schedules(torch):
    return {name: follow(torch, name) for name in ways(torch, optimizer_of(torch))}


@program
def with_adam(torch):
    return {name: follow(torch, name, "Adam")[0] for name in ("CyclicLR", "CyclicLR exp_range", "OneCycleLR")}


@program
def tensor_rates(torch):
    names = ("StepLR", "LinearLR", "CosineAnnealingLR", "CyclicLR", "OneCycleLR", "SequentialLR", "SWALR")
    return {name: follow(torch, name, as_tensor=True)[0] for name in names}


@program
def closed_forms(torch):
    """An epoch as argument jumps there, by the closed form where there is one."""
    names = ("LambdaLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR", "PolynomialLR", "CosineAnnealingLR")
    return {name: follow(torch, name, epochs=(3, 7, 11))[0] for name in (*names, "CosineAnnealingWarmRestarts")}


@program
def refusals(torch):
    lib, swa, o = torch.optim.lr_scheduler, torch.optim.swa_utils, optimizer_of(torch)
    return {
        "last_epoch": error_of(lambda: lib.StepLR(o, 3, last_epoch=4), "param 'initial_lr' is not specified in param_groups[0]"),
        "optimizer": error_of(lambda: lib.StepLR(3, 2), "int is not an Optimizer"),
        "lambdas": error_of(lambda: lib.LambdaLR(o, [lambda epoch: 1]), "Expected 2 lr_lambdas, but got 1"),
        "strategy": error_of(lambda: swa.SWALR(o, 0.05, anneal_strategy="x"), "must be one of 'cos' or 'linear', instead got x"),
        "epochs": error_of(lambda: swa.SWALR(o, 0.05, anneal_epochs=-1), "anneal_epochs must be equal or greater than 0, got -1"),
        "rates": error_of(lambda: swa.SWALR(o, [0.05]), "swa_lr must have the same length as optimizer.param_groups"),
        "decay": error_of(lambda: swa.get_ema_avg_fn(1.5), "Invalid decay value 1.5"),
        "multi decay": error_of(lambda: swa.get_ema_multi_avg_fn(-1), "Invalid decay value -1"),
        "both": error_of(
            lambda: swa.AveragedModel(torch.nn.Linear(1, 1), avg_fn=swa.get_swa_avg_fn(), multi_avg_fn=swa.get_swa_multi_avg_fn()),
            "Only one of avg_fn and multi_avg_fn should be provided",
        ),
    }


@program
def averaged_models(torch):
    nn, swa = torch.nn, torch.optim.swa_utils
    functions = {
        "mean": {}, "mean of one": {"avg_fn": swa.get_swa_avg_fn()}, "mean of all": {"multi_avg_fn": swa.get_swa_multi_avg_fn()},
        "ema": {"avg_fn": swa.get_ema_avg_fn(0.9)}, "ema of all": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.9)},
        "own": {"avg_fn": lambda average, value, count: 0.5 * average + 0.5 * value}, "buffers": {"use_buffers": True},
        "ema of buffers": {"multi_avg_fn": swa.get_ema_multi_avg_fn(0.5), "use_buffers": True},
    }  # fmt: skip
    results = {}
    for name, options in functions.items():
        torch.manual_seed(0)
        model = nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4, momentum=0.3), nn.Linear(4, 2, bias=False))
        averaged = swa.AveragedModel(model, **options)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        batches = [wave(torch, 5, 3, shift=k) for k in range(3)]
        for batch in batches:
            optimizer.zero_grad()
            (model(batch) ** 2).sum().backward()
            optimizer.step()
            averaged.update_parameters(model)
        results[name] = {key: value.clone() for key, value in averaged.state_dict().items()}
        averaged.eval()
        swa.update_bn(iter(batches), averaged)
        swa.update_bn([(batch, 1) for batch in batches], model)
        results[name]["updated"] = [averaged.module[1].running_var, model[1].running_mean, model[1].momentum, averaged.training]
        results[name]["output"] = averaged(batches[0]).detach()
    return results
