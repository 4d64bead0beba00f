"""Ten steps of every optimizer with every configuration in torch's ``optim_db``: parameters, state and groups."""

from ..dsl import program
from .nn_modules import wave

#: As in torch's ``optim_db``; a number in a list stands for a tensor.
CONFIGURATIONS = {
    "Adadelta": [
        {}, {"lr": 0.01}, {"weight_decay": 0.1}, {"maximize": True}, {"weight_decay": 0.1, "maximize": True},
        {"rho": 0.95, "weight_decay": 0.9},
    ],
    "Adafactor": [
        {}, {"weight_decay": 0.1, "lr": 0.01}, {"weight_decay": 0.1, "maximize": True}, {"beta2_decay": -1.0}, {"d": 1.5},
    ],
    "Adagrad": [
        {}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "maximize": True}, {"lr": 0.1},
        {"initial_accumulator_value": 0.1, "weight_decay": 0.1}, {"lr": 0.1, "lr_decay": 0.5, "weight_decay": 0.1}, {"lr": [0.001]},
    ],
    "Adam": [
        {}, {"lr": 0.01}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "maximize": True}, {"weight_decay": 0.1, "amsgrad": True},
    ],
    "AdamW": [
        {}, {"lr": 0.01}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "maximize": True}, {"weight_decay": 0.1, "amsgrad": True},
    ],
    "Adamax": [
        {}, {"lr": 0.1}, {"weight_decay": 0.1}, {"maximize": True}, {"weight_decay": 0.1, "maximize": True},
    ],
    "ASGD": [
        {}, {"lambd": 0.1}, {"lr": 0.02}, {"t0": 100}, {"maximize": True}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "maximize": True},
    ],
    "LBFGS": [
        {}, {"lr": 0.01}, {"lr": [0.001]}, {"tolerance_grad": 1e-06}, {"line_search_fn": "strong_wolfe"},
    ],
    "Muon": [
        {}, {"lr": 0.01}, {"lr": [0.001]}, {"weight_decay": 0.2}, {"momentum": 0.8}, {"ns_steps": 6},
        {"ns_coefficients": (3.4, -4.7, 2.0)},
    ],
    "NAdam": [
        {}, {"lr": 0.001}, {"momentum_decay": 0.006}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "momentum_decay": 0.006},
        {"weight_decay": 0.1, "momentum_decay": 0.006, "decoupled_weight_decay": True}, {"weight_decay": 0.1, "maximize": True},
    ],
    "RAdam": [
        {}, {"lr": 0.002}, {"eps": 1e-06}, {"weight_decay": 0.1}, {"weight_decay": 0.1, "decoupled_weight_decay": True},
        {"weight_decay": 0.1, "maximize": True},
    ],
    "RMSprop": [
        {}, {"lr": 0.001}, {"weight_decay": 0.1}, {"maximize": True}, {"weight_decay": 0.1, "centered": True},
        {"maximize": True, "weight_decay": 0.1}, {"weight_decay": 0.1, "centered": True, "momentum": 0.1},
        {"weight_decay": 0.1, "centered": True, "momentum": 0.1, "maximize": True},
    ],
    "Rprop": [
        {}, {"lr": 0.0002}, {"etas": (0.5, 1.5)}, {"step_sizes": (2e-06, 100)}, {"maximize": True},
    ],
    "SGD": [
        {}, {"lr": 0.01}, {"lr": [0.001]}, {"weight_decay": 0.5}, {"momentum": 0.9}, {"weight_decay": 0.1, "maximize": True},
        {"momentum": 0.9, "dampening": 0.5}, {"momentum": 0.9, "weight_decay": 0.1},
        {"momentum": 0.9, "nesterov": True, "weight_decay": 0.1},
    ],
}  # fmt: skip
#: Beyond them: momentum with amsgrad and the like, so that each branch is taken.
CONFIGURATIONS["RMSprop"] += [{"momentum": 0.9}, {"centered": True}]
CONFIGURATIONS["ASGD"] += [{"t0": 3, "alpha": 0.5}]
CONFIGURATIONS["Adam"] += [{"lr": [0.01]}, {"weight_decay": 0.1, "decoupled_weight_decay": True, "amsgrad": True}]
CONFIGURATIONS["RAdam"] += [{"betas": (0.8, 0.9)}]
CONFIGURATIONS["Adafactor"] += [{"eps": (1e-3, 0.1), "lr": 0.5}]
CONFIGURATIONS["Muon"] += [{"adjust_lr_fn": "match_rms_adamw", "nesterov": False}]


def parameters(torch, kind):
    """Matrices, and unless ``kind`` takes only these a vector, a number, a double one and a complex one."""
    values = [wave(torch, 3, 4), wave(torch, 5, 2, shift=1), wave(torch, 4, 3, shift=2)]
    if kind != "Muon":
        values += [wave(torch, 5, shift=3), wave(torch, shift=4), wave(torch, 2, 3, 2, shift=5).double()]
    if kind != "LBFGS":
        values[1] = values[1].t()
    if kind not in ("Muon", "Adafactor"):
        values.append(torch.complex(wave(torch, 3, shift=6), wave(torch, 3, shift=7)))
    return [value.requires_grad_() for value in values]


def loss_of(torch, params):
    total = 1.0
    for i, param in enumerate(params):
        real = torch.view_as_real(param) if param.is_complex() else param
        target = wave(torch, *real.shape, shift=20 + i)
        total = total + ((real - target) ** 2 * (1 + target**2)).float().sum() + 0.1 * (real.float().sum() - 1) ** 2
    return total


def run(torch, kind, options, steps=10):
    params = parameters(torch, kind)
    options = {key: torch.tensor(value[0]) if isinstance(value, list) else value for key, value in options.items()}
    optimizer = getattr(torch.optim, kind)(params, **options)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = loss_of(torch, params)
        loss.backward()
        return loss

    for step in range(steps):
        if kind == "LBFGS":
            losses.append(optimizer.step(closure).item())
            continue
        closure()
        if step == 2:
            # A parameter without a gradient keeps its state and its count of steps.
            params[1].grad = None
        optimizer.step()
    state = optimizer.state_dict()
    results = {"params": [param.detach() for param in params], "losses": losses, "repr": repr(optimizer)}
    results["groups"] = [{key: str(value) for key, value in group.items()} for group in state["param_groups"]]
    if kind == "LBFGS":
        # Near the minimum the history is noise.
        results["keys"] = [sorted(entry) for entry in state["state"].values()]
    else:
        results["state"] = {str(number): dict(entry) for number, entry in state["state"].items()}
        results["keys"] = [list(entry) for entry in state["state"].values()]
    return results


def ten_steps(kind):
    def steps(torch):
        return {str(options): run(torch, kind, options) for options in CONFIGURATIONS[kind]}

    steps.__name__ = steps.__qualname__ = kind.lower()
    steps.tolerance = 1e-4
    return program(steps)


adadelta, adafactor, adagrad = ten_steps("Adadelta"), ten_steps("Adafactor"), ten_steps("Adagrad")
adam, adamw, adamax = ten_steps("Adam"), ten_steps("AdamW"), ten_steps("Adamax")
asgd, lbfgs, muon = ten_steps("ASGD"), ten_steps("LBFGS"), ten_steps("Muon")
nadam, radam, rmsprop = ten_steps("NAdam"), ten_steps("RAdam"), ten_steps("RMSprop")
rprop, sgd = ten_steps("Rprop"), ten_steps("SGD")
