"""Optimizers and schedulers: arguments, groups, state, hooks, messages. Numbers are in golden/cases/optim_steps.py."""

import copy
import pickle
import warnings

import pytest

import pywasmtorch as torch
from pywasmtorch import nn, optim
from pywasmtorch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
    required,
)

lr_scheduler = optim.lr_scheduler


def weight(*values):
    param = nn.Parameter(torch.tensor(values))
    param.grad = torch.ones(len(values))
    return param


class TestArguments:
    @pytest.mark.parametrize(
        "make, message",
        [
            (lambda p: optim.SGD(p, lr=-1), "Invalid learning rate: -1"),
            (lambda p: optim.SGD(p, momentum=-0.5), "Invalid momentum value: -0.5"),
            (lambda p: optim.SGD(p, weight_decay=-1), "Invalid weight_decay value: -1"),
            (lambda p: optim.SGD(p, nesterov=True), "Nesterov momentum requires a momentum and zero dampening"),
            (lambda p: optim.SGD(p, lr=torch.ones(2)), "Tensor lr must be 1-element"),
            (lambda p: optim.Adam(p, lr=-1), "Invalid learning rate: -1"),
            (lambda p: optim.Adam(p, eps=-1), "Invalid epsilon value: -1"),
            (lambda p: optim.Adam(p, betas=(1.0, 0.9)), "Invalid beta parameter at index 0: 1.0"),
            (lambda p: optim.Adam(p, betas=(0.9, 1.0)), "Invalid beta parameter at index 1: 1.0"),
            (lambda p: optim.AdamW(p, weight_decay=-1), "Invalid weight_decay value: -1"),
            (
                lambda p: optim.Adam(p, betas=(0.9, torch.tensor(0.9))),
                "betas must be either both floats or both Tensors",
            ),
            (
                lambda p: optim.Adam(p, lr=torch.tensor(0.1), foreach=True),
                "lr as a Tensor is not supported for capturable=False",
            ),
        ],
    )
    def test_values(self, make, message):
        with pytest.raises(ValueError, match=message):
            make([weight(1.0)])

    def test_implementations(self):
        for kind in (optim.SGD, optim.Adam, optim.AdamW):
            for options in ({"foreach": True}, {"fused": True}, {"differentiable": True}):
                assert kind([weight(1.0)], **options).param_groups[0][next(iter(options))] is True
            with pytest.raises(RuntimeError, match="`fused` does not support `differentiable`"):
                kind([weight(1.0)], fused=True, differentiable=True)
            with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be `True` together."):
                kind([weight(1.0)], fused=True, foreach=True)

    def test_parameters(self):
        for params, kind, message in (
            (torch.ones(1), TypeError, "should be an iterable of Tensors or dicts, but got torch.FloatTensor"),
            ([], ValueError, "optimizer got an empty parameter list"),
            ([3], TypeError, "optimizer can only optimize Tensors, but one of the params is int"),
            ([weight(1.0) * 2], ValueError, "can't optimize a non-leaf Tensor"),
            ([{"params": {weight(1.0)}}], TypeError, "the ordering of tensors in sets will change between runs"),
            ([("a", weight(1.0)), weight(1.0)], ValueError, "Some param names are missing"),
        ):
            with pytest.raises(kind, match=message):
                optim.SGD(params, lr=0.1)

    def test_groups(self):
        first, second = weight(1.0), weight(2.0)
        optimizer = optim.SGD([first], lr=0.1)
        with pytest.raises(TypeError, match="param_group must be a dict, but got <class 'list'>"):
            optimizer.add_param_group([second])
        with pytest.raises(ValueError, match="some parameters appear in more than one parameter group"):
            optimizer.add_param_group({"params": [first]})
        with pytest.raises(ValueError, match="cannot add param group with names to the optimizer"):
            optimizer.add_param_group({"params": [("b", second)]})
        with pytest.warns(UserWarning, match="a parameter group with duplicate parameters"):
            optim.SGD([second, second], lr=0.1)
        optimizer.add_param_group({"params": second, "lr": 5})
        assert [group["lr"] for group in optimizer.param_groups] == [0.1, 5]
        assert optimizer.param_groups[1]["params"] == [second] and optimizer.param_groups[1]["momentum"] == 0

    def test_required(self):
        class Needy(optim.Optimizer):
            def __init__(self, params, lr=required):
                super().__init__(params, {"lr": lr})

        with pytest.raises(ValueError, match="didn't specify a value of required optimization parameter lr"):
            Needy([weight(1.0)])
        assert Needy([{"params": [weight(1.0)], "lr": 3}]).param_groups[0]["lr"] == 3
        with pytest.raises(NotImplementedError):
            Needy([weight(1.0)], 1).step()

    def test_printing(self):
        optimizer = optim.SGD([{"params": [weight(1.0)]}, {"params": [weight(2.0)], "lr": 1}], lr=0.5, momentum=0.9)
        group = (
            "Parameter Group {}\n    dampening: 0\n    differentiable: False\n    foreach: None\n    fused: None\n"
            "    lr: {}\n    maximize: False\n    momentum: 0.9\n    nesterov: False\n    weight_decay: 0\n"
        )
        assert repr(optimizer) == f"SGD (\n{group.format(0, 0.5)}\n{group.format(1, 1)})"


class TestStep:
    def test_closure(self):
        param = weight(1.0)
        optimizer = optim.SGD([param], lr=0.5)

        def closure():
            assert torch.is_grad_enabled()
            param.grad = None
            loss = (param * 3).sum()
            loss.backward()
            return loss

        with torch.no_grad():
            assert optimizer.step(closure).item() == 3.0
        assert param.tolist() == [-0.5] and optimizer.step() is None

    def test_zero_grad(self):
        param = weight(1.0, 2.0)
        optimizer = optim.SGD([param])
        grad = param.grad
        optimizer.zero_grad(set_to_none=False)
        assert param.grad is grad and grad.tolist() == [0.0, 0.0]
        optimizer.zero_grad()
        assert param.grad is None

    def test_parameters_without_gradient_stay(self):
        still, moving = nn.Parameter(torch.ones(1)), weight(1.0)
        for kind in (optim.SGD, optim.Adam):
            optimizer = kind([still, moving], lr=0.25)
            optimizer.step()
            assert still.item() == 1.0 and still not in optimizer.state
        assert moving.item() < 1

    def test_state(self):
        param = weight(1.0)
        optimizer = optim.SGD([param], lr=0.5, momentum=0.9)
        assert dict(optimizer.state) == {}
        optimizer.step()
        assert list(optimizer.state[param]) == ["momentum_buffer"]
        adam = optim.Adam([param], amsgrad=True)
        adam.step()
        state = adam.state[param]
        assert list(state) == ["step", "exp_avg", "exp_avg_sq", "max_exp_avg_sq"]
        assert state["step"].item() == 1.0 and state["step"].dtype == torch.float32 and state["step"].dim() == 0
        assert not any(value.requires_grad for value in state.values())

    def test_strided_and_other_dtypes(self):
        for dtype in (torch.float64, torch.float16, torch.bfloat16):
            base = torch.arange(6, dtype=dtype).reshape(2, 3)
            param = nn.Parameter(base.t())
            param.grad = torch.ones(3, 2, dtype=dtype)
            for optimizer in (optim.SGD([param], lr=0.5, momentum=0.5), optim.AdamW([param], lr=0.5, weight_decay=0)):
                before = param.detach().clone()
                optimizer.step()
                assert ((before - param - 0.5).abs() < 0.01).all() and param.dtype == dtype
            assert param.data_ptr() == base.data_ptr()

    def test_the_learning_rate_can_be_a_tensor(self):
        rate = torch.tensor([0.25])
        param = weight(1.0)
        optimizer = optim.SGD([param], lr=rate)
        optimizer.step()
        rate.fill_(0.5)
        optimizer.step()
        assert param.tolist() == [0.25]

    def test_differentiable(self):
        start = torch.ones(2, requires_grad=True)
        rate = torch.tensor(0.1, requires_grad=True)
        param = start.clone()
        param.retain_grad()
        optimizer = optim.SGD([param], lr=rate, differentiable=True)
        param.grad = start * 3
        optimizer.step()
        grads = torch.autograd.grad(param.sum(), [start, rate])
        # param = start - rate * 3 * start
        assert [round(g, 5) for g in grads[0].tolist()] == [0.7, 0.7] and grads[1].item() == -6.0

    def test_a_subclass_steps_with_hooks(self):
        seen = []

        class Plain(optim.Optimizer):
            def __init__(self, params):
                super().__init__(params, {})

            def step(self, closure=None):
                seen.append("step")

        optimizer = Plain([weight(1.0)])
        optimizer.register_step_pre_hook(lambda *args: seen.append("pre"))
        optimizer.register_step_post_hook(lambda *args: seen.append("post"))
        optimizer.step()
        assert seen == ["pre", "step", "post"]


KINDS = [getattr(optim, name) for name in optim.__all__ if name[0].isupper() and name not in ("Optimizer", "SparseAdam")]
STEPPED = [kind for kind in KINDS if kind.__name__ not in ("LBFGS", "Muon")]


def matrix(dtype=torch.float32):
    param = nn.Parameter(torch.tensor([[0.5, -1.0], [2.0, 0.25]], dtype=dtype))
    param.grad = torch.tensor([[1.0, -0.5], [0.25, 2.0]], dtype=dtype)
    return param


class TestEveryOptimizer:
    @pytest.mark.parametrize("kind", KINDS)
    def test_a_step_changes_parameters_in_place(self, kind):
        param = matrix()
        place, version = param.data_ptr(), param._version
        optimizer = kind([param])
        square = (param * param).sum()
        assert optimizer.step(lambda: torch.tensor(7.0)).item() == 7
        assert param.data_ptr() == place and param._version > version and not param.equal(matrix())
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            square.backward()

    @pytest.mark.parametrize("kind", STEPPED)
    def test_layouts_agree(self, kind):
        """Transposed and stepped parameters and gradients, and halves, go as contiguous ones do."""
        plain = matrix(torch.float64)
        stepped = torch.zeros(2, 4, dtype=torch.float64)[:, ::2].copy_(plain.detach().t()).t().detach().requires_grad_()
        stepped.grad = torch.stack([plain.grad] * 2, -1)[..., 0]
        half = matrix(torch.float16)
        for param in (plain, stepped, half):
            optimizer = kind([param])
            for _ in range(3):
                optimizer.step()
        assert stepped.equal(plain) and stepped.stride() == (2, 4)
        assert (half.double() - plain).abs().max() < 0.01 and half.dtype == torch.float16

    @pytest.mark.parametrize("kind", [kind for kind in STEPPED if kind is not optim.Adafactor])
    def test_nothing_to_do(self, kind):
        empty = nn.Parameter(torch.ones(0, 3))
        empty.grad = torch.ones(0, 3)
        still = weight(1.0)
        still.grad = None
        optimizer = kind([empty, still])
        optimizer.step()
        optimizer.step()
        assert still.item() == 1.0 and empty.shape == (0, 3)

    @pytest.mark.parametrize("kind", [optim.Adadelta, optim.Adagrad, optim.Adam, optim.Adamax, optim.NAdam, optim.RMSprop])
    def test_nan_stays_where_it_is(self, kind):
        param = weight(1.0, 1.0, 1.0)
        param.grad[0] = float("nan")
        kind([param]).step()
        assert param.isnan().tolist() == [True, False, False]

    def test_many_parameters_go_in_pieces(self, monkeypatch):
        if lib_is_ours():
            monkeypatch.setattr("pywasmtorch.optim._fused.PIECE", 3)
        params = [weight(1.0) for _ in range(7)]
        for optimizer in (optim.SGD(params, lr=0.5, momentum=0.5), optim.Adam(params, lr=0.5)):
            optimizer.step()
            optimizer.step()
        assert {round(param.item(), 4) for param in params} == {-1.25}

    def test_capturable_is_refused_by_the_step(self):
        for kind in STEPPED:
            if kind.__name__ in ("SGD", "Adagrad", "Adafactor"):
                continue
            with pytest.raises(AssertionError, match="If capturable=True, params.* must be on supported devices: .'cuda', 'xpu'"):
                kind([weight(1.0)], capturable=True).step()

    def test_fused_refuses_complex_parameters(self):
        for kind in (optim.SGD, optim.Adagrad, optim.Adam, optim.AdamW):
            param = torch.ones(2, dtype=torch.complex64, requires_grad=True)
            param.grad = torch.ones(2, dtype=torch.complex64)
            with pytest.raises(RuntimeError, match="`fused=True` requires all the params to be floating point Tensors"):
                kind([param], fused=True).step()

    def test_foreign_state_is_refused(self):
        for entry, value, message in (
            ("exp_avg", torch.ones(2), "size \\[3\\]"),
            ("exp_avg", torch.ones(3, dtype=torch.complex64), "dtype"),
            ("step", torch.ones(2), "must be one"),
        ):
            param = weight(1.0, 2.0, 3.0)
            optimizer = optim.NAdam([param])
            optimizer.step()
            optimizer.state[param][entry] = value
            before = param.tolist()
            with pytest.raises(RuntimeError, match=message if lib_is_ours() else None):
                optimizer.step()
            assert param.tolist() == before or not lib_is_ours()

    def test_inference_tensors_are_refused(self):
        with torch.inference_mode():
            param = torch.ones(2)
            param.grad = torch.ones(2)
        with pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
            optim.SGD([param], lr=0.1).step()



class TestLBFGS:
    def rosenbrock(self, **options):
        param = nn.Parameter(torch.tensor([-1.2, 1.0], dtype=torch.float64))
        optimizer = optim.LBFGS([param], **options)

        def closure():
            optimizer.zero_grad()
            loss = (1 - param[0]) ** 2 + 100 * (param[1] - param[0] ** 2) ** 2
            loss.backward()
            return loss

        return param, [optimizer.step(closure).item() for _ in range(8)], optimizer

    def test_line_search_finds_the_minimum(self):
        param, losses, optimizer = self.rosenbrock(line_search_fn="strong_wolfe")
        assert [round(x, 4) for x in param.tolist()] == [1.0, 1.0] and losses[0] == pytest.approx(24.2) and losses[-1] < 1e-8
        (state,) = optimizer.state.values()
        assert state["n_iter"] < 60 and state["func_evals"] < 80

    def test_history_is_bounded(self):
        _, _, optimizer = self.rosenbrock(line_search_fn="strong_wolfe", history_size=2)
        (state,) = optimizer.state.values()
        assert len(state["old_dirs"]) == len(state["ro"]) == 2

    def test_limits(self):
        param, losses, _ = self.rosenbrock(max_iter=0)
        assert param.tolist() == [-1.2, 1.0] and losses == [losses[0]] * 8
        with pytest.raises(RuntimeError, match="only 'strong_wolfe' is supported"):
            self.rosenbrock(line_search_fn="armijo")
        with pytest.raises(ValueError, match="LBFGS doesn't support per-parameter options"):
            optim.LBFGS([{"params": [weight(1.0)]}, {"params": [weight(2.0)]}])


class TestHooks:
    def test_step(self):
        seen = []
        optimizer = optim.SGD([weight(1.0)], lr=0.1)
        handles = [
            register_optimizer_step_pre_hook(lambda o, args, kwargs: seen.append("global pre")),
            register_optimizer_step_post_hook(lambda o, args, kwargs: seen.append("global post")),
            optimizer.register_step_pre_hook(lambda o, args, kwargs: seen.append(("pre", o is optimizer))),
            optimizer.register_step_post_hook(lambda o, args, kwargs: seen.append(("post", kwargs))),
        ]
        optimizer.step(closure=None)
        assert seen == ["global pre", ("pre", True), ("post", {"closure": None}), "global post"]
        for handle in handles:
            handle.remove()
        optimizer.step()
        assert len(seen) == 4

    def test_replaced_arguments(self):
        optimizer = optim.SGD([weight(1.0)], lr=0.1)
        optimizer.register_step_pre_hook(lambda o, args, kwargs: ((o, lambda: "loss"), {}))
        assert optimizer.step() == "loss"

    def test_wrong_results(self):
        optimizer = optim.SGD([weight(1.0)], lr=0.1)
        optimizer.register_step_pre_hook(lambda o, args, kwargs: 3)
        with pytest.raises(RuntimeError, match="must return None or a tuple of .new_args, new_kwargs., but got 3"):
            optimizer.step()

    def test_state_dict(self):
        seen = []
        optimizer = optim.SGD([weight(1.0)], lr=0.1)
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("save"))
        optimizer.register_state_dict_pre_hook(lambda o: seen.append("save first"), prepend=True)
        optimizer.register_state_dict_post_hook(lambda o, state: {**state, "more": 1})
        state = optimizer.state_dict()
        assert state["more"] == 1 and seen == ["save first", "save"]
        optimizer.register_load_state_dict_pre_hook(lambda o, state: seen.append(state.pop("more")))
        optimizer.register_load_state_dict_post_hook(lambda o: seen.append("loaded"))
        optimizer.load_state_dict(state)
        assert seen[2:] == [1, "loaded"] and state["more"] == 1


class TestSaving:
    def test_layout(self):
        params = [weight(1.0), weight(2.0), weight(3.0)]
        optimizer = optim.SGD([{"params": params[:2]}, {"params": params[2:], "lr": 1}], lr=0.5, momentum=0.9)
        optimizer.step()
        state = optimizer.state_dict()
        assert list(state) == ["state", "param_groups"] and list(state["state"]) == [0, 1, 2]
        assert state["state"][2]["momentum_buffer"].tolist() == [1.0]
        assert state["param_groups"][1] == {
            "lr": 1,
            "momentum": 0.9,
            "dampening": 0,
            "weight_decay": 0,
            "nesterov": False,
            "maximize": False,
            "foreach": None,
            "differentiable": False,
            "fused": None,
            "params": [2],
        }

    def test_loading(self):
        source = optim.Adam([weight(1.0), weight(2.0)], lr=0.5)
        source.step()
        params = [weight(1.0), nn.Parameter(torch.tensor([2.0], dtype=torch.float64))]
        target = optim.Adam(params, lr=3)
        target.load_state_dict(source.state_dict())
        assert target.param_groups[0]["lr"] == 0.5 and target.param_groups[0]["params"] == params
        assert target.state[params[0]]["exp_avg"].dtype == torch.float32
        assert target.state[params[1]]["exp_avg"].dtype == torch.float64
        assert target.state[params[1]]["step"].dtype == torch.float32
        target.load_state_dict(
            {
                "state": {0: {"step": 7, "exp_avg": 0, "exp_avg_sq": 0}},
                "param_groups": source.state_dict()["param_groups"],
            }
        )
        assert target.state[params[0]]["step"].item() == 7.0

    def test_names(self):
        net = nn.Linear(1, 1)
        optimizer = optim.SGD(net.named_parameters(), lr=0.1)
        state = optimizer.state_dict()
        assert state["param_groups"][0]["param_names"] == ["weight", "bias"]
        del state["param_groups"][0]["param_names"]
        optimizer.load_state_dict(state)
        assert optimizer.param_groups[0]["param_names"] == ["weight", "bias"]

    def test_refused(self):
        optimizer = optim.SGD([weight(1.0)], lr=0.1)
        state = optim.SGD([weight(1.0), weight(1.0)], lr=0.1).state_dict()
        with pytest.raises(ValueError, match="doesn't match the size of optimizer's group"):
            optimizer.load_state_dict(state)
        state = optim.SGD([{"params": [weight(1.0)]}, {"params": [weight(1.0)]}], lr=0.1).state_dict()
        with pytest.raises(ValueError, match="loaded state dict has a different number of parameter groups"):
            optimizer.load_state_dict(state)

    def test_copies(self):
        optimizer = optim.SGD([weight(1.0)], lr=0.1, momentum=0.9)
        optimizer.step()
        for twin in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
            (param,) = twin.param_groups[0]["params"]
            param.grad = torch.ones(1)
            twin.step()
            assert [round(x, 5) for x in param.tolist()] == [0.71]


def optimizer_of(*rates, **options):
    return optim.SGD([{"params": [weight(1.0)], "lr": rate} for rate in rates], lr=0.1, **options)


class TestSchedulers:
    def test_they_set_the_rate_at_once(self):
        optimizer = optimizer_of(0.5, 2)
        scheduler = lr_scheduler.LinearLR(optimizer, 0.5)
        assert [group["lr"] for group in optimizer.param_groups] == [0.25, 1] == scheduler.get_last_lr()
        assert [group["initial_lr"] for group in optimizer.param_groups] == [0.5, 2] == scheduler.base_lrs

    def test_order_of_steps(self):
        optimizer = optimizer_of(0.5)
        scheduler = lr_scheduler.StepLR(optimizer, 2)
        with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step..` before `optimizer.step..`"):
            scheduler.step()
        optimizer = optimizer_of(0.5)
        scheduler = lr_scheduler.StepLR(optimizer, 2)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for _ in range(3):
                optimizer.step()
                scheduler.step()
        assert scheduler.get_last_lr() == [0.05]

    def test_warnings(self):
        optimizer = optimizer_of(0.5)
        scheduler = lr_scheduler.StepLR(optimizer, 2)
        optimizer.step()
        with pytest.warns(UserWarning, match="please use `get_last_lr..`"):
            scheduler.get_lr()
        with pytest.warns(UserWarning, match="The epoch parameter in `scheduler.step..`"):
            scheduler.step(5)
        assert scheduler.get_last_lr() == [pytest.approx(0.005)]

    @pytest.mark.parametrize(
        "make, kind, message",
        [
            (lambda o: lr_scheduler.StepLR("o", 1), TypeError, "str is not an Optimizer"),
            (
                lambda o: lr_scheduler.StepLR(o, 1, last_epoch=3),
                KeyError,
                "'initial_lr' is not specified in param_groups.0.",
            ),
            (lambda o: lr_scheduler.LambdaLR(o, [abs]), ValueError, "Expected 2 lr_lambdas, but got 1"),
            (lambda o: lr_scheduler.MultiplicativeLR(o, 3), TypeError, "lr_lambda should be a function, but got int"),
            (lambda o: lr_scheduler.ConstantLR(o, 2), ValueError, "factor expected to be between 0 and 1"),
            (lambda o: lr_scheduler.LinearLR(o, 0), ValueError, "expected to be greater than 0 and less or equal to 1"),
            (
                lambda o: lr_scheduler.LinearLR(o, 1, 2),
                ValueError,
                "Ending multiplicative factor expected to be between 0 and 1",
            ),
            (
                lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 0),
                ValueError,
                "Expected positive integer T_0, but got 0",
            ),
            (
                lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 1, 0),
                ValueError,
                "Expected integer T_mult >= 1, but got 0",
            ),
            (lambda o: lr_scheduler.ReduceLROnPlateau(o, factor=1.0), ValueError, "Factor should be < 1.0."),
            (lambda o: lr_scheduler.ReduceLROnPlateau(o, "best"), ValueError, "mode best is unknown!"),
            (
                lambda o: lr_scheduler.ReduceLROnPlateau(o, threshold_mode="x"),
                ValueError,
                "threshold mode x is unknown!",
            ),
            (lambda o: lr_scheduler.ReduceLROnPlateau(o, min_lr=[1]), ValueError, "expected 2 min_lrs, got 1"),
            (
                lambda o: lr_scheduler.CyclicLR(o, [1], 2),
                ValueError,
                "base_lr must have the same length as optimizer.param_groups",
            ),
            (lambda o: lr_scheduler.CyclicLR(o, 1, 2, mode="x"), ValueError, "mode is invalid and scale_fn is None"),
            (lambda o: lr_scheduler.OneCycleLR(o, 1), ValueError, "You must define either total_steps OR"),
            (
                lambda o: lr_scheduler.OneCycleLR(o, 1, 0),
                ValueError,
                "Expected positive integer total_steps, but got 0",
            ),
            (
                lambda o: lr_scheduler.OneCycleLR(o, 1, epochs=0, steps_per_epoch=1),
                ValueError,
                "positive integer epochs, but got 0",
            ),
            (
                lambda o: lr_scheduler.OneCycleLR(o, 1, 9, pct_start=2.0),
                ValueError,
                "between 0 and 1 pct_start, but got 2.0",
            ),
            (
                lambda o: lr_scheduler.OneCycleLR(o, 1, 9, anneal_strategy="x"),
                ValueError,
                "one of 'cos' or 'linear', instead got x",
            ),
            (
                lambda o: lr_scheduler.SequentialLR(o, [], []),
                ValueError,
                "expects at least one scheduler, but got no scheduler",
            ),
            (lambda o: lr_scheduler.ChainedScheduler([]), ValueError, "expects at least one scheduler to be chained"),
            (
                lambda o: lr_scheduler.SequentialLR(o, [lr_scheduler.ConstantLR(o)], [1]),
                ValueError,
                "one more than the number of milestone points",
            ),
            (
                lambda o: lr_scheduler.ChainedScheduler([lr_scheduler.ReduceLROnPlateau(o)]),
                ValueError,
                "does not support `ReduceLROnPlateau` scheduler",
            ),
            (
                lambda o: lr_scheduler.ChainedScheduler(
                    [lr_scheduler.ConstantLR(o), lr_scheduler.ConstantLR(optimizer_of(1))]
                ),
                ValueError,
                "expects all schedulers to belong to the same optimizer",
            ),
        ],
    )
    def test_refused(self, make, kind, message):
        with pytest.raises(kind, match=message):
            make(optimizer_of(0.1, 0.2))

    def test_a_cycle_ends(self):
        optimizer = optimizer_of(0.1, momentum=0.9)
        scheduler = lr_scheduler.OneCycleLR(optimizer, 1.0, total_steps=2)
        optimizer.step()
        scheduler.step()
        scheduler.step()
        with pytest.raises(ValueError, match="Tried to step 3 times. The specified number of total steps is 2"):
            scheduler.step()

    def test_momentum_is_needed(self):
        class Plain(optim.Optimizer):
            def __init__(self, params):
                super().__init__(params, {"lr": 0.1})

        for make in (lambda o: lr_scheduler.CyclicLR(o, 1, 2), lambda o: lr_scheduler.OneCycleLR(o, 1, 5)):
            with pytest.raises(ValueError, match="optimizer must support momentum or beta1"):
                make(Plain([weight(1.0)]))

    def test_state(self):
        class Halving:
            def __init__(self):
                self.base = 0.5

            def __call__(self, epoch):
                return self.base**epoch

        optimizer = optimizer_of(1.0, 1.0)
        scheduler = lr_scheduler.LambdaLR(optimizer, [Halving(), lambda epoch: 1.0])
        state = scheduler.state_dict()
        assert "optimizer" not in state and state["lr_lambdas"] == [{"base": 0.5}, None] and state["last_epoch"] == 0
        state["lr_lambdas"][0]["base"] = 0.25
        state["last_epoch"] = 1
        scheduler.load_state_dict(state)
        optimizer.step()
        scheduler.step()
        assert scheduler.get_last_lr() == [0.0625, 1.0]
        assert state["lr_lambdas"] == [{"base": 0.25}, None]

    def test_state_of_composites(self):
        optimizer = optimizer_of(1.0)
        scheduler = lr_scheduler.SequentialLR(
            optimizer, [lr_scheduler.ConstantLR(optimizer, 0.5, 1), lr_scheduler.ExponentialLR(optimizer, 0.5)], [2]
        )
        optimizer.step()
        scheduler.step()
        state = scheduler.state_dict()
        assert [part["last_epoch"] for part in state["_schedulers"]] == [1, -1]
        again = optimizer_of(1.0)
        twin = lr_scheduler.SequentialLR(
            again, [lr_scheduler.ConstantLR(again, 0.5, 1), lr_scheduler.ExponentialLR(again, 0.5)], [2]
        )
        again.load_state_dict(optimizer.state_dict())
        twin.load_state_dict(state)
        for pair in ((optimizer, scheduler), (again, twin)):
            for _ in range(3):
                pair[0].step()
                pair[1].step()
        assert twin.get_last_lr() == scheduler.get_last_lr() == [0.25]

    def test_a_rate_that_is_a_tensor_is_changed_in_place(self):
        rate = torch.tensor(0.5)
        optimizer = optim.SGD([weight(1.0)], lr=rate)
        scheduler = lr_scheduler.ExponentialLR(optimizer, 0.5)
        optimizer.step()
        scheduler.step()
        assert rate.item() == 0.25 and optimizer.param_groups[0]["lr"] is rate
        assert scheduler.get_last_lr()[0].item() == 0.25

    def test_plateau_with_a_new_group(self):
        optimizer = optimizer_of(1.0)
        scheduler = lr_scheduler.ReduceLROnPlateau(optimizer, patience=0, min_lr=[0.1])
        optimizer.add_param_group({"params": [weight(1.0)]})
        scheduler.step(torch.tensor(1.0))
        with pytest.raises(RuntimeError, match="The number of param groups in the `optimizer` .2. differs"):
            scheduler.step(2.0)


def lib_is_ours():
    return torch.__name__ == "pywasmtorch"
