"""Optimizers side by side with PyTorch: its own configurations, its own errors, and states that go from one to the other."""

import warnings

import pytest
from golden.cases.optimisers import CONFIGURATIONS, loss_of, parameters

torch = pytest.importorskip("torch", reason="PyTorch is not installed, so there is nothing to compare with")
common = pytest.importorskip("torch.testing._internal.common_optimizers", reason="this PyTorch has no test inputs")

import pywasmtorch  # noqa: E402

INFOS = [info for info in common.optim_db if info.optim_cls.__name__ != "SparseAdam"]
KINDS = [info.optim_cls.__name__ for info in INFOS]


def to_other(lib, value):
    """A copy of a structure with its tensors made by ``lib``."""
    if isinstance(value, (torch.Tensor, pywasmtorch.Tensor)):
        dtype = getattr(lib, str(value.dtype).removeprefix("torch."))
        copy = lib.tensor(value.tolist(), dtype=dtype)
        return copy.reshape(tuple(value.shape)).requires_grad_(value.requires_grad and value.is_leaf)
    if isinstance(value, dict):
        return {key: to_other(lib, item) for key, item in value.items()}
    return type(value)(to_other(lib, item) for item in value) if isinstance(value, (list, tuple)) else value


def advance(lib, optimizer, params, steps):
    def closure():
        optimizer.zero_grad()
        loss = loss_of(lib, params)
        loss.backward()
        return loss

    for _ in range(steps):
        optimizer.step(closure)


def numbers(param):
    param = param.detach()
    parts = (param.real, param.imag) if param.is_complex() else (param,)
    return [number for part in parts for number in part.reshape(-1).tolist()]


def make(lib, kind, params, options):
    options = {key: lib.tensor(value[0]) if isinstance(value, list) else value for key, value in options.items()}
    return getattr(lib.optim, kind)(params, **options)


@pytest.mark.parametrize("info", INFOS, ids=KINDS)
def test_every_configuration_of_torch_is_recorded(info):
    for case in info.optim_inputs_func("cpu"):
        options = {key: [round(value.item(), 9)] if isinstance(value, torch.Tensor) else value for key, value in case.kwargs.items()}
        assert options in CONFIGURATIONS[info.optim_cls.__name__]


@pytest.mark.parametrize("source, target", [(torch, pywasmtorch), (pywasmtorch, torch)], ids=["from torch", "to torch"])
@pytest.mark.parametrize("kind", KINDS)
def test_states_go_over(kind, source, target):
    """Three steps here and three there are what six here are."""
    options = CONFIGURATIONS[kind][-1]
    params = parameters(source, kind)
    if kind == "LBFGS":
        # Its state is loaded as of the first parameter's dtype.
        params = params[:4]
    optimizer = make(source, kind, params, options)
    advance(source, optimizer, params, 3)
    others = to_other(target, [param.detach() for param in params])
    for other in others:
        other.requires_grad_()
    twin = make(target, kind, others, {})
    twin.load_state_dict(to_other(target, optimizer.state_dict()))
    mine, theirs = optimizer.state_dict(), twin.state_dict()
    assert list(theirs) == list(mine) and list(theirs["state"]) == list(mine["state"])
    for number, entry in mine["state"].items():
        assert list(theirs["state"][number]) == list(entry)
    assert [list(group) for group in theirs["param_groups"]] == [list(group) for group in mine["param_groups"]]
    advance(source, optimizer, params, 3)
    advance(target, twin, others, 3)
    # Where the loss cannot tell points apart any more L-BFGS stops.
    tolerance = 1e-3 if kind == "LBFGS" else 1e-4
    for param, other in zip(params, others, strict=True):
        assert numbers(other) == pytest.approx(numbers(param), rel=1e-4, abs=tolerance)


@pytest.mark.parametrize("info", INFOS, ids=KINDS)
def test_errors(info):
    kind = info.optim_cls.__name__
    for case in info.optim_error_inputs_func("cpu", torch.float32):
        inputs, outcomes = case.optimizer_error_input, []
        for lib in (torch, pywasmtorch):
            params = inputs.params if lib is torch else to_params(inputs.params)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                with pytest.raises(case.error_type, match=case.error_regex) as caught:
                    params = params or [lib.nn.Parameter(lib.ones(1, 1))]
                    optimizer = getattr(lib.optim, kind)(params, **to_other(lib, inputs.kwargs))
                    assert case.error_on == common.OptimizerErrorEnum.STEP_ERROR
                    optimizer.step()
            outcomes.append(str(caught.value).split(";")[0])
        assert outcomes[0] == outcomes[1]


def to_params(params):
    """Like ``to_other``, with the same tensor in two places staying the same."""
    known = {}

    def copy(value):
        if isinstance(value, torch.Tensor):
            if id(value) not in known:
                known[id(value)] = to_other(pywasmtorch, value)
                known[id(value)].grad = None if value.grad is None else to_other(pywasmtorch, value.grad)
            return known[id(value)]
        if isinstance(value, dict):
            return {key: copy(item) for key, item in value.items()}
        return type(value)(copy(item) for item in value) if isinstance(value, (list, tuple)) else value

    return copy(params)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("LBFGS", "Muon", "Adafactor")])
def test_gradients_through_steps(kind):
    """What a differentiable step records: the derivative by the start and by the gradients."""
    for options in CONFIGURATIONS[kind]:
        outcomes = []
        for lib in (torch, pywasmtorch):
            start = lib.tensor([[0.5, -1.0, 2.0]], dtype=lib.float64, requires_grad=True)
            slope = lib.tensor([[1.5, 0.25, -0.75]], dtype=lib.float64, requires_grad=True)
            param = start.clone()
            param.retain_grad()
            optimizer = make(lib, kind, [param], {**options, "differentiable": True})
            for step in range(6):
                param.grad = slope * (1 + step) + param.detach() * 0.1
                optimizer.step()
            try:
                found = lib.autograd.grad((param**2).sum(), [start, slope])
            except RuntimeError as error:
                # torch overwrites what some of its steps have saved; these here do not.
                assert lib is torch and "modified by an inplace operation" in str(error)
                break
            outcomes.append([number for tensor in (param, *found) for number in tensor.detach().reshape(-1).tolist()])
        else:
            assert outcomes[0] == pytest.approx(outcomes[1], rel=1e-4, abs=1e-6)
