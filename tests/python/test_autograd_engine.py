"""The backward pass: gradients, errors, and tensors that it must not change."""

import re

import pytest

import pywasmtorch as torch
from pywasmtorch import autograd

TWICE = (
    "Trying to backward through the graph a second time (or directly access saved tensors after they have already been freed). "
    "Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). Specify retain_graph=True if "
    "you need to backward through the graph a second time or if you need to access saved tensors after calling backward."
)


def leaf(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def refuses(message, kind=RuntimeError):
    return pytest.raises(kind, match="^" + re.escape(message) + "$")


class TestGradients:
    def test_products_and_sums(self):
        x, y = leaf(1.0, 2.0, 3.0), leaf(4.0, 5.0, 6.0)
        (x * y + x).sum().backward()
        assert x.grad.tolist() == [5, 6, 7] and y.grad.tolist() == [1, 2, 3]

    def test_a_tensor_used_many_times(self):
        x = leaf(1.0, 2.0)
        y = x * x
        (y * y + y + x).sum().backward()
        assert x.grad.tolist() == [7, 37]

    def test_broadcast_inputs_get_sums(self):
        x, y, z = leaf([1.0], [2.0], [3.0]), leaf(1.0, 10.0), torch.tensor(2.0, requires_grad=True)
        (x * y * z).sum().backward()
        assert x.grad.tolist() == [[22], [22], [22]] and y.grad.tolist() == [12, 12] and z.grad.item() == 66

    def test_gradients_have_the_dtype_of_their_tensor(self):
        x, y, h = leaf(1.0, 2.0), leaf(3.0, 4.0, dtype=torch.float64), leaf(5.0, 6.0, dtype=torch.float16)
        (x * y * h).sum().backward()
        assert (x.grad.dtype, y.grad.dtype, h.grad.dtype) == (torch.float32, torch.float64, torch.float16)
        assert x.grad.tolist() == [15, 24] and h.grad.tolist() == [3, 8]

    def test_integer_inputs_take_no_part(self):
        x, n = leaf(1.0, 2.0), torch.tensor([3, 4])
        y = x * n
        assert y.grad_fn.next_functions[1][0] is None
        y.sum().backward()
        assert x.grad.tolist() == [3, 4] and n.grad is None

    def test_empty_and_zero_dimensional_tensors(self):
        x = torch.zeros(0, 3, requires_grad=True)
        (x * 2).sum().backward()
        assert x.grad.shape == (0, 3)
        s = torch.tensor(3.0, requires_grad=True)
        (s * s).backward()
        assert s.grad.item() == 6 and s.grad.shape == ()

    def test_strided_leaves(self):
        x = torch.arange(6.0).reshape(2, 3).t().detach().requires_grad_()
        (x * torch.arange(6.0).reshape(3, 2)).sum().backward()
        assert x.grad.tolist() == [[0, 1], [2, 3], [4, 5]] and x.grad.stride() == (1, 3)

    def test_expanded_leaves_get_contiguous_gradients(self):
        x = torch.ones(3).expand(2, 3).requires_grad_()
        (x * 2).sum().backward()
        assert x.grad.stride() == (3, 1) and x.grad.tolist() == [[2, 2, 2], [2, 2, 2]]

    def test_nan_and_inf_pass_through(self):
        x = leaf(0.0, float("inf"), float("nan"))
        (x * 2).sum().backward()
        assert x.grad.tolist() == [2, 2, 2]
        y = leaf(0.0)
        (y * float("inf")).sum().backward()
        assert y.grad.tolist() == [float("inf")]

    def test_higher_derivatives(self):
        x = leaf(1.0, 2.0, -3.0)
        first, = autograd.grad((x * x * x).sum(), x, create_graph=True)
        second, = autograd.grad(first.sum(), x, create_graph=True)
        third, = autograd.grad(second.sum(), x)
        assert first.tolist() == [3, 12, 27] and second.tolist() == [6, 12, -18] and third.tolist() == [6, 6, 6]
        assert first.grad_fn is not None and not third.requires_grad

    def test_higher_derivatives_through_a_saved_result(self):
        x = leaf(0.0, 1.0, dtype=torch.float64)
        value = x.exp()
        for _ in range(3):
            value, = autograd.grad(value.sum(), x, create_graph=True)
        assert value.tolist() == pytest.approx([1, 2.718281828459045], rel=1e-12)

    def test_gradients_of_sizes_that_can_be_summed_are_summed(self):
        class Widens(autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return torch.ones(4, *grad.shape)

        x = leaf(1.0, 2.0, 3.0)
        Widens.apply(x).sum().backward()
        assert x.grad.tolist() == [4, 4, 4]

    def test_many_outputs_of_one_operator(self):
        x = torch.arange(1.0, 41.0).requires_grad_()
        parts = x.unbind()
        sum(p * i for i, p in enumerate(parts)).backward()
        assert x.grad.tolist() == [float(i) for i in range(40)]

    def test_only_one_of_many_outputs(self):
        x = leaf(1.0, 2.0, 3.0)
        x.unbind()[1].backward()
        assert x.grad.tolist() == [0, 1, 0]


class TestAccumulation:
    def test_adds_in_place(self):
        x = leaf(1.0, 2.0)
        (x * 2).sum().backward()
        first = x.grad
        (x * 3).sum().backward()
        assert x.grad is first and first.tolist() == [5, 5]

    def test_a_given_gradient_is_not_taken_over(self):
        x, given = leaf(1.0, 2.0), torch.ones(2)
        x.backward(given)
        x.grad.add_(1)
        assert given.tolist() == [1, 1]

    def test_two_leaves_do_not_share_a_gradient(self):
        x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
        (x + y).sum().backward()
        x.grad.add_(1)
        assert y.grad.tolist() == [1, 1] and x.grad.tolist() == [2, 2]

    def test_a_gradient_that_a_hook_kept_is_not_taken_over(self):
        x, kept = leaf(1.0, 2.0), []
        y = x * 2
        y.register_hook(lambda grad: kept.append(grad))
        y.reshape(2, 1).sum().backward()
        x.grad.add_(1)
        assert kept[0].tolist() == [1, 1]

    def test_into_a_gradient_that_the_program_set(self):
        x = leaf(1.0, 2.0)
        x.grad = torch.ones(2)
        mine = x.grad
        (x * 2).sum().backward()
        assert mine.tolist() == [3, 3]

    def test_named_inputs_only(self):
        x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
        z = x * y
        z.sum().backward(inputs=[y, z])
        assert x.grad is None and y.grad.tolist() == [1, 2] and z.grad.tolist() == [1, 1]
        (x * 2).sum().backward(inputs=x)
        assert x.grad.tolist() == [2, 2]

    def test_inputs_that_the_roots_do_not_reach(self):
        x, other = leaf(1.0), leaf(2.0)
        (x * 2).sum().backward(inputs=[other])
        assert x.grad is None and other.grad is None

    def test_with_create_graph_there_is_a_new_gradient_with_history(self):
        x = leaf(2.0)
        with pytest.warns(UserWarning, match="will create a reference cycle between the parameter and its gradient"):
            (x * x * x).sum().backward(create_graph=True)
        assert x.grad.tolist() == [12] and x.grad.requires_grad
        second, = autograd.grad(x.grad.sum(), x)
        assert second.tolist() == [12]
        x.grad = None

    def test_a_leaf_that_no_longer_asks(self):
        x = leaf(1.0)
        y = x * 2
        x.requires_grad_(False)
        y.backward()
        assert x.grad is None

    def test_data_that_changed_size_in_between(self):
        x = leaf(1.0, 2.0, 3.0)
        y = x * 2
        x.data = torch.ones(5, dtype=torch.float64)
        y.sum().backward()
        assert x.grad.tolist() == [2, 2, 2]


class TestGrad:
    def test_leaves_grad_alone(self):
        x = leaf(1.0, 2.0)
        result = autograd.grad((x * x).sum(), x)
        assert isinstance(result, tuple) and result[0].tolist() == [2, 4] and x.grad is None

    def test_intermediates(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        z = y * 3
        gx, gy = autograd.grad(z.sum(), [x, y])
        assert gx.tolist() == [6, 6] and gy.tolist() == [3, 3]

    def test_several_roots_one_of_which_is_an_input(self):
        x = leaf(1.0, 2.0)
        a = x * 2
        b = a * 3
        gx, ga = autograd.grad([b.sum(), a.sum()], [x, a])
        assert gx.tolist() == [8, 8] and ga.tolist() == [4, 4]

    def test_of_itself(self):
        x = torch.tensor(5.0, requires_grad=True)
        assert [g.item() for g in autograd.grad(x, [x, x])] == [1, 1]

    def test_given_gradients(self):
        x = leaf(1.0, 2.0)
        y = x * x
        assert autograd.grad(y, x, torch.tensor([1.0, 10.0]), retain_graph=True)[0].tolist() == [2, 40]
        assert autograd.grad([y, y], x, [torch.tensor([1.0, 10.0]), torch.tensor([1.0, 1.0])])[0].tolist() == [4, 44]

    def test_gradients_in_batches(self):
        x = leaf(1.0, 2.0)
        result, = autograd.grad(x * x, x, torch.eye(2), is_grads_batched=True)
        assert result.tolist() == [[2, 0], [0, 4]]
        with pytest.raises(RuntimeError, match="If `is_grads_batched=True`, we interpret the first dimension of each grad_output"):
            autograd.grad(x * x, x, torch.ones(2), is_grads_batched=True)

    def test_unused(self):
        x, other = leaf(1.0), leaf(2.0)
        with refuses("The differentiated Tensor at index 0 appears to not have been used in the graph. Set allow_unused=True if "
                     "this is the desired behavior."):
            autograd.grad(x * 2, other)
        assert autograd.grad(x * 2, [other, x], allow_unused=True)[0] is None
        zeros, = autograd.grad(x * 2, other, materialize_grads=True)
        assert zeros.tolist() == [0]
        with pytest.raises(ValueError, match="Expected allow_unused to be True or not passed when materialize_grads=True"):
            autograd.grad(x * 2, other, materialize_grads=True, allow_unused=False)

    def test_refusals(self):
        x = leaf(1.0)
        with refuses("One of the differentiated Tensors does not require grad"):
            autograd.grad(x * 2, torch.ones(1))
        with refuses("`inputs` argument to `grad()` cannot be empty."):
            autograd.grad(x * 2, [])
        with pytest.raises(TypeError):
            autograd.grad(x * 2, 3)
        with pytest.raises(TypeError):
            autograd.grad(3, x)

    def test_only_what_is_needed_runs(self):
        x, y, ran = leaf(1.0), leaf(2.0), []
        u, v = x * 2, y * 3
        u.register_hook(lambda grad: ran.append("u"))
        v.register_hook(lambda grad: ran.append("v"))
        autograd.grad(u * v, y)
        assert ran == ["v"]


class TestRefusals:
    def test_roots_without_history(self):
        with refuses("element 0 of tensors does not require grad and does not have a grad_fn"):
            torch.ones(()).backward()
        with refuses("element 1 of tensors does not require grad and does not have a grad_fn"):
            autograd.backward([leaf(1.0), torch.ones(1)])

    def test_gradients_that_must_be_given(self):
        with refuses("grad can be implicitly created only for scalar outputs"):
            (leaf(1.0, 2.0) * 2).backward()
        (leaf(1.0) * 2).backward()

    def test_gradients_of_other_sizes(self):
        with refuses("Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a shape of torch.Size([3])."):
            (leaf(1.0, 2.0, 3.0) * 2).backward(torch.ones(2))

    def test_gradients_of_other_dtypes_are_converted(self):
        x = leaf(1.0, 2.0)
        (x * 2).backward(torch.ones(2, dtype=torch.float64))
        (x * 2).backward(torch.ones(2, dtype=torch.int64))
        assert x.grad.dtype == torch.float32 and x.grad.tolist() == [4, 4]

    def test_gradients_that_are_no_tensors(self):
        with pytest.raises(TypeError, match="gradients can be either Tensors or None, but got int"):
            autograd.backward([leaf(1.0)], [3])

    def test_empty_inputs(self):
        with refuses("`inputs` argument to `backward()` cannot be empty."):
            (leaf(1.0) * 2).backward(inputs=[])
        with refuses("can't retain_grad on Tensor that has requires_grad=False"):
            (leaf(1.0) * 2).backward(inputs=[torch.ones(1)])

    def test_a_second_pass(self):
        x = leaf(1.0, 2.0)
        y = x.exp().sum()
        y.backward()
        with refuses(TWICE):
            y.backward()

    def test_a_second_pass_where_nothing_was_saved(self):
        x = leaf(1.0, 2.0)
        y = (x + x).sum()
        y.backward()
        y.backward()
        assert x.grad.tolist() == [4, 4]

    def test_a_retained_graph(self):
        x = leaf(1.0, 2.0)
        y = (x * x).sum()
        y.backward(retain_graph=True)
        y.backward(retain_graph=True)
        y.backward()
        assert x.grad.tolist() == [6, 12]
        with refuses(TWICE):
            y.backward()

    def test_a_failed_pass_leaves_the_rest_usable(self):
        x = leaf(1.0, 2.0)
        y = x * x
        y.register_hook(lambda grad: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            y.sum().backward()
        (x * x).sum().backward()
        assert x.grad.tolist() == [2, 4]
        assert torch.is_grad_enabled()


class TestGraphs:
    def test_a_hundred_thousand_nodes(self):
        x = leaf(1.0, 2.0)
        y = x
        for _ in range(100_000):
            y = y + x
        y.sum().backward()
        assert x.grad.tolist() == [100_001, 100_001]

    def test_a_long_graph_that_never_runs(self):
        y = leaf(0.5)
        for _ in range(100_000):
            y = y.sin()
        assert y.requires_grad

    def test_many_paths_through_few_nodes(self):
        x = leaf(1.0)
        y = x
        for _ in range(20):
            y = y + y
        y.backward()
        assert x.grad.item() == 2**20

    def test_a_pass_inside_a_pass(self):
        x = leaf(1.0, 2.0)

        def inner(grad):
            with torch.enable_grad():
                w = leaf(3.0, 4.0)
                (w * w).sum().backward()
            return grad * w.grad

        y = x * 1
        y.register_hook(inner)
        y.sum().backward()
        assert x.grad.tolist() == [6, 8]

    def test_passes_nested_in_passes(self):
        depth = 20

        class Deeper(autograd.Function):
            @staticmethod
            def forward(ctx, x, level):
                ctx.level = level
                return x * 1

            @staticmethod
            def backward(ctx, grad):
                if ctx.level == depth:
                    return grad, None
                with torch.enable_grad():
                    x = torch.ones(1, requires_grad=True)
                    Deeper.apply(x, ctx.level + 1).sum().backward()
                return grad * (x.grad + 1), None

        x = torch.ones(1, requires_grad=True)
        Deeper.apply(x, 0).sum().backward()
        assert x.grad.item() == depth + 1

    def test_a_pass_through_the_same_graph_from_a_hook(self):
        x = leaf(2.0)
        y = x * x
        results = []
        z = y * 1
        z.register_hook(lambda grad: results.append(autograd.grad(y, x, retain_graph=True)[0].item()))
        z.backward()
        assert results == [4] and x.grad.item() == 4

    def test_a_hook_that_drops_the_graph(self):
        x = leaf(1.0, 2.0)
        held = {"y": x * 2}
        held["y"].register_hook(lambda grad: held.clear())
        held["z"] = held["y"] * held["y"]
        held["z"].sum().backward()
        assert x.grad.tolist() == [8, 16] and not held

    def test_nodes(self):
        x = leaf(1.0, 2.0)
        y = x * 2 + x
        node = y.grad_fn
        assert node.name() == "AddBackward0" and type(node).__name__ == "AddBackward0"
        assert re.fullmatch(r"<AddBackward0 object at 0x[0-9a-f]+>", repr(node))
        (product, zero), (accumulate, _) = node.next_functions
        assert product.name() == "MulBackward0" and zero == 0
        assert accumulate.name() == "torch::autograd::AccumulateGrad" and accumulate.variable.tolist() == [1, 2]
        assert product.next_functions[0][0] == accumulate and product.next_functions[1] == (None, 0)
        assert hash(y.grad_fn) == hash(node) and node != product and len({node, y.grad_fn, product}) == 2
        assert x.grad_fn is None and accumulate.next_functions == ()

    def test_a_node_outlives_its_tensors(self):
        node = (leaf(1.0) * 2 + 1).grad_fn
        assert node.next_functions[0][0].next_functions[0][0].variable.tolist() == [1.0]

    def test_a_node_is_called(self):
        y = leaf(1.0, 2.0) * 3
        result = y.grad_fn(torch.tensor([1.0, 10.0]))
        assert result[0].tolist() == [3, 30] and result[1] is None

    def test_gradient_edges(self):
        x = leaf(1.0, 2.0)
        edge = autograd.graph.get_gradient_edge(x.unbind()[1])
        assert edge.output_nr == 1 and edge.node.name() == "UnbindBackward0"
        assert autograd.graph.get_gradient_edge(x).node.name() == "torch::autograd::AccumulateGrad"
        with pytest.raises(RuntimeError):
            autograd.graph.get_gradient_edge(torch.ones(1))


class TestFlags:
    def test_leaves_and_results(self):
        x = leaf(1.0)
        y = x * 2
        assert x.is_leaf and not y.is_leaf and y.requires_grad and torch.ones(1).is_leaf
        assert y.detach().is_leaf and not y.detach().requires_grad

    def test_requires_grad_of_results(self):
        y = leaf(1.0) * 2
        assert y.requires_grad_() is y
        off = ("you can only change requires_grad flags of leaf variables. If you want to use a computed variable in a subgraph that "
               "doesn't require differentiation use var_no_grad = var.detach().")
        with refuses(off):
            y.requires_grad_(False)
        with refuses(off):
            y.requires_grad = False
        with refuses("you can only change requires_grad flags of leaf variables."):
            y.requires_grad = True

    def test_requires_grad_of_integers(self):
        with refuses("only Tensors of floating point dtype can require gradients"):
            torch.ones(2, dtype=torch.int64).requires_grad_()
        n = torch.ones(2, dtype=torch.int64)
        with refuses("only Tensors of floating point and complex dtype can require gradients"):
            n.requires_grad = True
        assert n.requires_grad_(False) is n

    def test_detach_shares_memory_and_version(self):
        x = leaf(1.0, 2.0)
        y = x * 1
        y.detach().add_(5)
        assert y.tolist() == [6, 7] and y._version == 1 and not y.detach()._is_view()

    def test_detach_in_place(self):
        x = leaf(1.0, 2.0)
        y = x * x
        z = y * 2
        assert y.detach_() is y and y.is_leaf and not y.requires_grad and y.grad_fn is None
        z.sum().backward()
        assert x.grad.tolist() == [4, 8]
        with pytest.raises(RuntimeError, match="Can't detach views in-place. Use detach"):
            (x * 2)[:1].detach_()

    def test_detach_in_place_of_what_was_saved(self):
        x = leaf(1.0, 2.0)
        y = x * x
        z = y * y
        y.detach_()
        with pytest.raises(RuntimeError, match="Trying to use a saved tensor that has been detached in-place"):
            z.sum().backward()

    def test_data(self):
        x = leaf(1.0, 2.0)
        y = x * x
        x.data.add_(10)
        assert x._version == 0 and not x.data.requires_grad
        y.sum().backward()
        assert x.grad.tolist() == [22, 24]
        x.data = torch.ones(5)
        assert x.tolist() == [1] * 5 and x.requires_grad and x.is_leaf
        with refuses("data set to a tensor that requires gradients must be floating point or complex dtype"):
            x.data = torch.ones(5, dtype=torch.int64)

    def test_grad_that_does_not_fit(self):
        x = leaf(1.0, 2.0)
        with refuses("attempting to assign a gradient of size '[3]' to a tensor of size '[2]'. Please ensure that the gradient and the "
                     "tensor are the same size"):
            x.grad = torch.ones(3)
        with pytest.raises(RuntimeError, match="attempting to assign a gradient with dtype 'double' to a tensor with grad_dtype 'Float'"):
            x.grad = torch.ones(2, dtype=torch.float64)
        with refuses("can't assign Variable as its own grad"):
            x.grad = x
        with refuses("assigned grad expected to be a Tensor or None but got grad of type int", TypeError):
            x.grad = 1
        plain = torch.ones(2)
        plain.grad = torch.zeros(2)
        assert plain.grad.tolist() == [0, 0]
        del plain.grad
        assert plain.grad is None

    def test_retain_grad(self):
        x = leaf(1.0, 2.0)
        y = x + x
        y.retain_grad()
        assert y.retains_grad and not x.retains_grad
        (y * 3).sum().backward()
        (y * 3).sum().backward()
        assert y.grad.tolist() == [6, 6]
        x.retain_grad()
        assert not x.retains_grad
        with refuses("can't retain_grad on Tensor that has requires_grad=False"):
            torch.ones(1).retain_grad()

    def test_retain_grad_of_a_tensor_that_is_gone(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        y.retain_grad()
        z = y * 3
        del y
        z.sum().backward()
        assert x.grad.tolist() == [6, 6]

    def test_variable(self):
        v = autograd.Variable(torch.ones(2), requires_grad=True)
        assert isinstance(v, autograd.Variable) and isinstance(v, torch.Tensor) and v.requires_grad and v.is_leaf
