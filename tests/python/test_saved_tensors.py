"""Hooks on saved tensors, and checkpoints that are made of them; expected values from closed forms and from runs without."""

import pytest

import pywasmtorch as torch
from pywasmtorch.autograd import graph
from pywasmtorch.utils.checkpoint import CheckpointError, checkpoint, checkpoint_sequential, set_checkpoint_early_stop


def leaf():
    return torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)


class TestHooks:
    def test_first_and_second_derivatives_go_through_what_was_unpacked(self):
        x, seen = leaf(), []

        def pack(tensor):
            seen.append((tuple(tensor.shape), tensor.requires_grad, torch.is_grad_enabled()))
            return tensor.tolist()

        with graph.saved_tensors_hooks(pack, lambda packed: torch.tensor(packed, dtype=torch.float64)):
            y = ((x.sin() * x).exp()).sum()
        assert seen == [((3,), False, False)] * 4
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        (h,) = torch.autograd.grad(g.sum(), x)
        z = leaf()
        (expected,) = torch.autograd.grad(((z.sin() * z).exp()).sum(), z, create_graph=True)
        assert torch.equal(g, expected) and torch.allclose(h, torch.autograd.grad(expected.sum(), z)[0])

    def test_what_is_unpacked_counts(self):
        x = leaf()
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t * 10):
            y = (x * x).sum()
        y.backward()
        assert x.grad.tolist() == [20, 40, 60]

    def test_lists_in_the_frame_survive_a_hook_that_computes(self):
        parts = [torch.full((k % 3 + 1,), float(k), requires_grad=True) for k in range(40)]
        with graph.saved_tensors_hooks(lambda t: torch.cat([t.reshape(-1)] * 70)[: t.numel()].reshape(t.shape), lambda t: t):
            y = torch.cat(parts).cumsum(0).prod() + torch.einsum("i,i->", parts[0], parts[3])
        y.backward()
        assert parts[0].grad.shape == (1,)

    def test_inner_hooks_count_and_errors_leave_everything_as_it_was(self):
        x, order = leaf(), []
        with graph.saved_tensors_hooks(lambda t: order.append("outer") or t, lambda t: t):
            with graph.saved_tensors_hooks(lambda t: order.append("inner") or t, lambda t: t):
                x.sin()
            x.sin()
        assert order == ["inner", "outer"]
        with pytest.raises(ZeroDivisionError), graph.saved_tensors_hooks(lambda t: 1 / 0, lambda t: t):
            x.sin()
        x.sin().sum().backward()
        with graph.saved_tensors_hooks(lambda t: t, lambda t: 3):
            y = x.sin().sum()
        with pytest.raises(TypeError, match="unpack_hook expected to be a Tensor but got result of type int"):
            y.backward()
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t[:2]):
            y = x.sin().sum()
        with pytest.raises(RuntimeError, match="the unpack hook of a saved tensor returned"):
            y.backward()
        with pytest.raises(RuntimeError, match="pack hook is modifying its input in place"), graph.saved_tensors_hooks(lambda t: t.add_(1), lambda t: t):
            x.sin()

    def test_disabled(self):
        with graph.disable_saved_tensors_hooks("not here"), pytest.raises(RuntimeError, match="not here"):
            with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
                pass
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t), pytest.raises(RuntimeError, match="not here"):
            with graph.disable_saved_tensors_hooks("not here"):
                pass

    def test_copies_and_custom_functions(self):
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, grad):
                return 2 * grad * ctx.saved_tensors[0]

        x = leaf()
        with graph.save_on_cpu():
            y = Square.apply(x).sum()
        y.backward()
        assert x.grad.tolist() == [2, 4, 6]

    def test_versions(self):
        x = leaf()
        y = (x * x).sum()
        graph.increment_version(x)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


class TestCheckpoint:
    @pytest.mark.parametrize("use_reentrant", [True, False])
    def test_gradients_of_inputs_and_of_parameters(self, use_reentrant):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Tanh(), torch.nn.Linear(3, 3)).double()
        x = leaf()
        checkpoint(net, x, use_reentrant=use_reentrant).sum().backward()
        found = [x.grad, *(p.grad for p in net.parameters())]
        net.zero_grad()
        z = leaf()
        net(z).sum().backward()
        for a, b in zip(found, [z.grad, *(p.grad for p in net.parameters())]):
            assert torch.equal(a, b)

    def test_without_reentry_everything_works(self):
        x = leaf()
        y = checkpoint(lambda a, scale=1: {"y": (a.sin().exp() * scale, a * 2)}, x, use_reentrant=False, scale=3)["y"][0].sum()
        (g,) = torch.autograd.grad(y, x, create_graph=True)
        assert torch.allclose(g, 3 * x.cos() * x.sin().exp())
        (h,) = torch.autograd.grad(g.sum(), x)
        assert torch.allclose(h, 3 * (x.cos() ** 2 - x.sin()) * x.sin().exp())

        def inner(a):
            return checkpoint(lambda b: b.sin().exp(), a, use_reentrant=False).cos().exp()

        y = checkpoint(inner, x, use_reentrant=False).sum()
        z = leaf()
        expected = torch.autograd.grad(z.sin().exp().cos().exp().sum(), z)[0]
        for _ in range(2):
            assert torch.allclose(torch.autograd.grad(y, x, retain_graph=True)[0], expected)

    def test_memory_is_freed_until_the_backward_pass(self):
        x = torch.ones(1000, dtype=torch.float64, requires_grad=True)

        def steps(a):
            for _ in range(10):
                a = a.sin()
            return a

        before = torch.memory_allocated()
        y = checkpoint(steps, x, use_reentrant=False)
        assert torch.memory_allocated() - before < 3 * 8000
        y.sum().backward()
        assert torch.memory_allocated() - before < 4 * 8000

    def test_runs_again_only_as_far_as_needed(self):
        calls = []

        def f(a):
            y = a.sin().exp()
            calls.append(1)
            return y.detach() + y * 0 + y

        x = leaf()
        checkpoint(f, x, use_reentrant=False).sum().backward()
        assert len(calls) == 1
        with set_checkpoint_early_stop(False):
            checkpoint(f, x, use_reentrant=False).sum().backward()
        assert len(calls) == 3

    def test_random_numbers_are_those_of_the_first_run(self):
        for use_reentrant in (True, False):
            x = leaf()
            y = checkpoint(lambda a: torch.nn.functional.dropout(a * a, 0.5), x, use_reentrant=use_reentrant)
            torch.rand(5)
            y.sum().backward()
            assert torch.equal(x.grad != 0, y != 0)

    def test_errors(self):
        x, calls = leaf(), []
        y = checkpoint(torch.sin, x, use_reentrant=True).sum()
        with pytest.raises(RuntimeError, match="use_reentrant=True, torch.utils.checkpoint is incompatible with .grad"):
            torch.autograd.grad(y, x)
        with pytest.raises(ValueError, match="Unexpected keyword arguments: scale"):
            checkpoint(torch.sin, x, use_reentrant=True, scale=2)
        with pytest.warns(UserWarning, match="use_reentrant parameter should be passed"):
            checkpoint(torch.sin, x)

        def fickle(a):
            calls.append(1)
            return a.sin().exp() if len(calls) == 1 else a.sin()

        with pytest.raises(CheckpointError, match="A different number of tensors was saved"):
            checkpoint(fickle, x, use_reentrant=False).sum().backward()
        v = x * 1
        y = checkpoint(lambda a: a.sin().exp(), v, use_reentrant=False).sum()
        with torch.no_grad():
            v.add_(1)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()

    @pytest.mark.parametrize("use_reentrant", [True, False])
    def test_sequential(self, use_reentrant):
        x = leaf()
        checkpoint_sequential([torch.sin, torch.exp, torch.tanh, torch.cos, torch.sin], 2, x, use_reentrant=use_reentrant).sum().backward()
        z = leaf()
        z.sin().exp().tanh().cos().sin().sum().backward()
        assert torch.allclose(x.grad, z.grad)


def test_hooks_leave_nothing_behind():
    def work():
        x = leaf()
        with graph.saved_tensors_hooks(lambda t: t.clone(), lambda t: t):
            y = (x.sin() * x).exp()
        y.sum().backward(retain_graph=True)
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            x.exp()
        checkpoint(lambda a: a.sin().exp(), x, use_reentrant=False)
        checkpoint(lambda a: a.sin().exp(), x, use_reentrant=False).sum().backward()

    work()
    before = torch.memory_allocated()
    for _ in range(3):
        work()
    assert torch.memory_allocated() <= before


def test_profiler_names():
    with torch.autograd.profiler.record_function("part"):
        pass
    with torch.autograd.profiler.profile() as profile:
        torch.ones(2).exp()
    assert any(average.key.endswith("exp") for average in profile.key_averages())


class TestOut:
    def test_resizing_what_has_elements_warns(self):
        x = torch.ones(3)
        with pytest.warns(UserWarning, match=r"resized since it had shape \[2\], which does not match the required output shape \[3\]"):
            assert torch.sin(x, out=torch.zeros(2)).shape == (3,)
        assert torch.sin(x, out=torch.empty(0)).shape == (3,)

    def test_overloads_without_a_kernel_for_it(self):
        x = torch.tensor([1.0, 5.0, 2.0])
        out = torch.zeros(())
        assert torch.max(x, out=out) is out and out == 5
        values, places = torch.zeros(()), torch.zeros((), dtype=torch.int64)
        torch.max(x, 0, out=(values, places))
        assert values == 5 and places == 1
        with pytest.raises(RuntimeError, match="don't support automatic differentiation"):
            torch.max(x.requires_grad_(), 0, out=(values, places))
