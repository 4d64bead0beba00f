"""Hooks of modules: forward, backward, global, in order, with keywords, and when something fails."""

import gc
import warnings
import weakref

import pytest

import pywasmtorch as torch
from pywasmtorch import nn

LIB = nn.modules.module


class Double(nn.Module):
    def forward(self, x, offset=0):
        return x * 2 + offset


class Failing(nn.Module):
    def forward(self, x):
        raise ValueError("forward failed")


def ones():
    return torch.ones(2, requires_grad=True)


class TestForward:
    def test_order_and_prepend(self):
        seen = []
        module = Double()
        module.register_forward_pre_hook(lambda m, args: seen.append("pre 1"))
        module.register_forward_pre_hook(lambda m, args: seen.append("pre 2"), prepend=True)
        module.register_forward_hook(lambda m, args, out: seen.append("post 1"))
        module.register_forward_hook(lambda m, args, out: seen.append("post 2"), prepend=True)
        module(ones())
        assert seen == ["pre 2", "pre 1", "post 2", "post 1"]

    def test_what_they_get_and_replace(self):
        module = Double()
        module.register_forward_pre_hook(lambda m, args: args[0] + 1)
        module.register_forward_pre_hook(lambda m, args: (args[0] * 10,))
        module.register_forward_hook(lambda m, args, out: (m is module, args[0].tolist(), out.tolist()))
        assert module(torch.zeros(1)) == (True, [10.0], [20.0])

    def test_keywords(self):
        module = Double()
        pre = module.register_forward_pre_hook(
            lambda m, args, kwargs: (args, {"offset": kwargs["offset"] + 1}), with_kwargs=True
        )
        module.register_forward_hook(lambda m, args, kwargs, out: out + kwargs["offset"] * 100, with_kwargs=True)
        assert module(torch.zeros(1), offset=3).tolist() == [404.0]
        pre.remove()
        assert module(torch.zeros(1), offset=3).tolist() == [303.0]
        assert not module._forward_pre_hooks_with_kwargs
        module.register_forward_pre_hook(lambda m, args, kwargs: 5, with_kwargs=True)
        with pytest.raises(
            RuntimeError, match="forward pre-hook must return None or a tuple of .new_args, new_kwargs., but got 5"
        ):
            module(torch.zeros(1), offset=3)

    def test_removal(self):
        module = Double()
        with module.register_forward_hook(lambda m, args, out: "replaced"):
            assert module(torch.zeros(1)) == "replaced"
        assert module(torch.zeros(1)).tolist() == [0.0]
        handle = module.register_forward_hook(lambda m, args, out: None)
        handle.remove()
        handle.remove()

    def test_a_handle_does_not_keep_the_module(self):
        module = Double()
        handle = module.register_forward_hook(lambda m, args, out: None)
        gone = weakref.ref(module)
        del module
        gc.collect()
        assert gone() is None
        handle.remove()

    def test_always_call(self):
        seen = []
        module = Failing()
        module.register_forward_hook(lambda m, args, out: seen.append("not this"))
        module.register_forward_hook(lambda m, args, out: seen.append(("always", out)), always_call=True)
        module.register_forward_hook(
            lambda m, args, kwargs, out: seen.append(("with kwargs", kwargs)), with_kwargs=True, always_call=True
        )
        with pytest.raises(ValueError, match="forward failed"):
            module(ones())
        assert seen == [("always", None), ("with kwargs", {})]

    def test_always_called_hooks_run_once(self):
        seen = []
        module = Double()
        module.register_forward_hook(lambda m, args, out: seen.append("first"), always_call=True)
        module.register_forward_hook(lambda m, args, out: 1 / 0)
        module.register_forward_hook(lambda m, args, out: seen.append("last"), always_call=True)
        with pytest.raises(ZeroDivisionError):
            module(ones())
        assert seen == ["first", "last"]

    def test_a_failing_always_called_hook_only_warns(self):
        module = Failing()
        module.register_forward_hook(lambda m, args, out: 1 / 0, always_call=True)
        with pytest.warns(UserWarning, match="silenced as another error was raised in forward: division by zero"):
            with pytest.raises(ValueError, match="forward failed"):
                module(ones())

    def test_global(self):
        seen = []
        handles = [
            LIB.register_module_forward_pre_hook(lambda m, args: seen.append(f"pre {type(m).__name__}")),
            LIB.register_module_forward_hook(lambda m, args, out: seen.append(f"post {type(m).__name__}")),
        ]
        try:
            nn.Sequential(Double(), nn.ReLU())(ones())
        finally:
            for handle in handles:
                handle.remove()
        Double()(ones())
        assert seen == ["pre Sequential", "pre Double", "post Double", "pre ReLU", "post ReLU", "post Sequential"]

    def test_global_always_call(self):
        seen = []
        with LIB.register_module_forward_hook(lambda m, args, out: seen.append(out), always_call=True):
            with pytest.raises(ValueError, match="forward failed"):
                Failing()(ones())
        assert seen == [None]


class TestBackward:
    def test_gradients_of_inputs_and_outputs(self):
        seen = []
        module = Double()
        module.register_full_backward_hook(lambda m, gi, go: seen.append((gi[0].tolist(), go[0].tolist())))
        x = ones()
        (module(x) * torch.tensor([1.0, 3.0])).sum().backward()
        assert seen == [([2.0, 6.0], [1.0, 3.0])]
        assert x.grad.tolist() == [2.0, 6.0]

    def test_replacing_gradients(self):
        module = Double()
        module.register_full_backward_pre_hook(lambda m, go: (go[0] * 10,))
        module.register_full_backward_hook(lambda m, gi, go: (gi[0] + 1,))
        module.register_full_backward_hook(lambda m, gi, go: (gi[0] * 2,))
        x = ones()
        module(x).sum().backward()
        assert x.grad.tolist() == [42.0, 42.0]

    def test_order(self):
        seen = []
        module = Double()
        module.register_full_backward_hook(lambda m, gi, go: seen.append("hook 1"))
        module.register_full_backward_hook(lambda m, gi, go: seen.append("hook 2"), prepend=True)
        module.register_full_backward_pre_hook(lambda m, go: seen.append("pre 1"))
        module.register_full_backward_pre_hook(lambda m, go: seen.append("pre 2"), prepend=True)
        module(ones()).sum().backward()
        assert seen == ["pre 2", "pre 1", "hook 2", "hook 1"]

    def test_several_inputs_and_outputs(self):
        class Two(nn.Module):
            def forward(self, a, flag, b):
                return a * b, "text", a + b

        seen = []
        module = Two()
        module.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go)))
        a, b = ones(), torch.full((2,), 3.0, requires_grad=True)
        product, _, total = module(a, True, b)
        (product + total * 10).sum().backward()
        ((grad_inputs, grad_outputs),) = seen
        assert [None if g is None else g.tolist() for g in grad_inputs] == [[13.0, 13.0], None, [11.0, 11.0]]
        assert [None if g is None else g.tolist() for g in grad_outputs] == [[1.0, 1.0], None, [10.0, 10.0]]

    def test_without_gradients_nothing_happens(self):
        module = Double()
        module.register_full_backward_hook(lambda m, gi, go: 1 / 0)
        assert module(torch.ones(2)).grad_fn is None
        with torch.no_grad():
            assert module(ones()).grad_fn is None

    def test_inputs_that_need_no_gradient(self):
        seen = []
        module = nn.Linear(2, 1)
        module.register_full_backward_hook(lambda m, gi, go: seen.append((gi, go[0].tolist())))
        output = module(torch.ones(1, 2))
        with pytest.warns(UserWarning, match="no inputs require grad"):
            output.sum().backward()
        assert seen == [((None,), [[1.0]])]
        assert module.weight.grad.tolist() == [[1.0, 1.0]]

    def test_wrong_numbers(self):
        module = Double()
        handle = module.register_full_backward_hook(lambda m, gi, go: (gi[0], gi[0]))
        with pytest.raises(
            RuntimeError, match="Backward hook returned an invalid number of grad_input, got 2, but expected 1"
        ):
            module(ones()).sum().backward()
        handle.remove()
        module.register_full_backward_pre_hook(lambda m, go: (go[0], go[0]))
        with pytest.raises(
            RuntimeError, match="Backward pre hook returned an invalid number of grad_output, got 2, but expected 1"
        ):
            module(ones()).sum().backward()

    def test_an_output_that_is_no_tensor(self):
        class Named(nn.Module):
            def forward(self, x):
                return {"x": x * 2}

        module = Named()
        module.register_full_backward_hook(lambda m, gi, go: None)
        with pytest.warns(UserWarning, match="module output should be a Tensor or a tuple of Tensors"):
            module(ones())

    def test_global(self):
        seen = []
        handles = [
            LIB.register_module_full_backward_pre_hook(lambda m, go: seen.append(f"pre {type(m).__name__}")),
            LIB.register_module_full_backward_hook(lambda m, gi, go: seen.append(type(m).__name__)),
        ]
        try:
            nn.Sequential(Double(), nn.Tanh())(ones()).sum().backward()
        finally:
            for handle in handles:
                handle.remove()
        assert seen == ["pre Sequential", "pre Tanh", "Tanh", "pre Double", "Double", "Sequential"]

    def test_kinds_do_not_mix(self):
        module = Double()
        module.register_full_backward_hook(lambda m, gi, go: None)
        with pytest.raises(
            RuntimeError, match="Cannot use both regular backward hooks and full backward hooks on a single Module"
        ):
            module.register_backward_hook(lambda m, gi, go: None)

    def test_older_kind(self):
        seen = []
        module = nn.Tanh()
        module.register_backward_hook(lambda m, gi, go: seen.append((m is module, go[0].tolist())))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            output = module(ones() * 0)
        (output * 3).sum().backward()
        assert seen == [(True, [3.0, 3.0])]
        with pytest.raises(RuntimeError, match="Cannot use both"):
            module.register_full_backward_hook(lambda m, gi, go: None)

    def test_older_kind_warns_where_it_misses_something(self):
        module = Double()
        module.register_backward_hook(lambda m, gi, go: None)
        with pytest.warns(FutureWarning, match="multiple autograd Nodes"):
            module(ones() * 1)

    def test_hooks_of_a_network_see_each_other(self):
        network = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        shapes = []
        for module in network:
            module.register_full_backward_hook(
                lambda m, gi, go: shapes.append([None if g is None else list(g.shape) for g in (*gi, *go)])
            )
        network(torch.ones(4, 2, requires_grad=True)).sum().backward()
        assert shapes == [[[4, 3], [4, 1]], [[4, 3], [4, 3]], [[4, 2], [4, 3]]]
