"""Custom Functions."""

import re
import warnings

import pytest

import pywasmtorch as torch
from pywasmtorch import autograd
from pywasmtorch.autograd.function import once_differentiable


def leaf(*values):
    return torch.tensor(values, dtype=torch.float32, requires_grad=True)


def refuses(message, kind=RuntimeError):
    return pytest.raises(kind, match="^" + re.escape(message) + "$")


def function(forward, backward=None, **members):
    """A Function called Mine."""
    members["forward"] = staticmethod(forward)
    if backward:
        members["backward"] = staticmethod(backward)
    return type("Mine", (autograd.Function,), members).apply


class Product(autograd.Function):
    @staticmethod
    def forward(ctx, x, y, scale=1):
        ctx.save_for_backward(x, y)
        ctx.scale = scale
        return x * y * scale

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y * ctx.scale, grad * x * ctx.scale, None


class TestCalls:
    def test_gradients(self):
        x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
        z = Product.apply(x, y, 10)
        assert z.tolist() == [30, 80] and z.grad_fn.name() == "ProductBackward" and z.grad_fn.scale == 10
        z.sum().backward()
        assert x.grad.tolist() == [30, 40] and y.grad.tolist() == [10, 20]

    def test_second_derivatives(self):
        x, y = leaf(1.0, 2.0), leaf(3.0, 4.0)
        gx, = autograd.grad(Product.apply(x, y, 10).sum(), x, create_graph=True)
        gy, = autograd.grad(gx.sum(), y)
        assert gx.tolist() == [30, 40] and gy.tolist() == [10, 10]

    def test_without_recording(self):
        x, y = leaf(1.0), torch.ones(1)
        assert not Product.apply(y, y).requires_grad
        with torch.no_grad():
            assert not Product.apply(x, y).requires_grad
        assert Product.apply(x, y).requires_grad

    def test_grad_mode_inside(self):
        seen = []

        def forward(ctx, x):
            seen.append(torch.is_grad_enabled())
            return x * 1

        def backward(ctx, grad):
            seen.append(torch.is_grad_enabled())
            return grad

        apply = function(forward, backward)
        apply(leaf(1.0)).backward()
        x = leaf(1.0)
        autograd.grad(apply(x), x, create_graph=True)
        assert seen == [False, False, False, True] and torch.is_grad_enabled()

    def test_a_forward_that_fails(self):
        with pytest.raises(ZeroDivisionError):
            function(lambda ctx, x: 1 / 0)(leaf(1.0))
        assert torch.is_grad_enabled()

    def test_needs_input_grad(self):
        seen = []

        def forward(ctx, a, b, c):
            seen.append(ctx.needs_input_grad)
            return a * 1

        function(forward)(leaf(1.0), torch.ones(1), 5)
        assert seen == [(True, False, False)]

    def test_outputs_of_all_kinds(self):
        seen = []

        def backward(ctx, *grads):
            seen.append([g if g is None else g.tolist() for g in grads])
            return grads[0] * 2

        apply = function(lambda ctx, x: (x * 1, (x * 2).to(torch.int64), 5, None, "text"), backward)
        out = apply(leaf(1.0, 2.0))
        assert out[0].requires_grad and not out[1].requires_grad and out[2:] == (5, None, "text")
        out[0].sum().backward()
        assert seen == [[[1.0, 1.0], [0, 0], None, None, None]]
        assert function(lambda ctx, x: [x * 1], backward)(leaf(1.0))[0].grad_fn is None
        assert function(lambda ctx, x: 7, backward)(leaf(1.0)) == 7

    def test_gradients_that_do_not_arrive(self):
        seen = []

        def forward(ctx, x, y, materialize):
            ctx.set_materialize_grads(materialize)
            return x * 2, y * 2

        def backward(ctx, g, h):
            seen.append((g.tolist(), h if h is None else h.tolist()))
            return g, h, None

        apply = function(forward, backward)
        x, y = leaf(1.0), leaf(2.0)
        apply(x, y, True)[0].backward()
        assert y.grad.tolist() == [0]
        y.grad = None
        apply(x, y, False)[0].backward()
        assert seen == [([1.0], [0.0]), ([1.0], None)] and x.grad.tolist() == [2] and y.grad is None

    def test_setup_context(self):
        class Power(autograd.Function):
            @staticmethod
            def forward(x, exponent=2):
                return x**exponent

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(inputs[0], output)
                ctx.exponent = inputs[1]

            @staticmethod
            def backward(ctx, grad):
                x, result = ctx.saved_tensors
                return grad * ctx.exponent * result / x, None

        x = leaf(2.0, 3.0)
        Power.apply(x).sum().backward()
        Power.apply(x=x, exponent=3).sum().backward()
        assert x.grad.tolist() == [4 + 12, 6 + 27]

    def test_vjp(self):
        apply = function(lambda ctx, x: x * 3, vjp=staticmethod(lambda ctx, grad: grad * 3))
        x = leaf(1.0)
        apply(x).backward()
        assert x.grad.tolist() == [3]

    def test_nodes(self):
        y = Product.apply(leaf(1.0), leaf(2.0))
        assert type(y.grad_fn).__name__ == "ProductBackward"
        assert re.fullmatch(r"<torch.autograd.function.ProductBackward object at 0x[0-9a-f]+>", repr(y.grad_fn))
        assert [n.name() for n, _ in y.grad_fn.next_functions] == ["torch::autograd::AccumulateGrad"] * 2
        assert [t.tolist() for t in y.grad_fn.saved_tensors] == [[1], [2]] and y.grad_fn.needs_input_grad == (True, True)
        with pytest.raises(AttributeError):
            assert y.grad_fn.nothing

    def test_the_context_lives_as_long_as_the_node(self):
        node = Product.apply(leaf(1.0), leaf(2.0), 7).grad_fn
        assert node.scale == 7 and node.saved_tensors[1].tolist() == [2]

    def test_many_inputs_and_outputs(self):
        count = 200
        apply = function(lambda ctx, *xs: tuple([x * (i + 1) for i, x in enumerate(xs)]),
                         lambda ctx, *grads: tuple([g * (i + 1) for i, g in enumerate(grads)]))
        x = torch.ones(count, requires_grad=True)
        torch.stack(apply(*x.unbind())).sum().backward()
        assert x.grad.tolist() == [float(i + 1) for i in range(count)]


class TestSaved:
    def test_outputs(self):
        def forward(ctx, x):
            result = x.exp()
            ctx.save_for_backward(result, None)
            return result

        def backward(ctx, grad):
            result, nothing = ctx.saved_tensors
            assert nothing is None
            return grad * result

        apply = function(forward, backward)
        x = torch.zeros(2, requires_grad=True)
        first, = autograd.grad(apply(x).sum(), x, create_graph=True)
        second, = autograd.grad(first.sum(), x)
        assert first.tolist() == [1, 1] and second.tolist() == [1, 1]

    def test_changed_in_between(self):
        x = leaf(1.0, 2.0)
        y = x * 1
        z = Product.apply(y, y)
        y.add_(1)
        with pytest.raises(RuntimeError, match="which is output 0 of Add, is at version 1; expected version 0 instead"):
            z.sum().backward()
        z = Product.apply(x, x).mul_(2)
        z.sum().backward()
        assert x.grad.tolist() == [4, 8]

    def test_a_changed_output(self):
        def forward(ctx, x):
            result = x * 1
            ctx.save_for_backward(result)
            return result

        y = function(forward, lambda ctx, grad: grad * ctx.saved_tensors[0])(leaf(1.0))
        y.add_(1)
        with pytest.raises(RuntimeError, match="which is output 0 of Mine, is at version 1; expected version 0 instead"):
            y.backward()

    def test_freed(self):
        z = Product.apply(leaf(1.0), leaf(2.0))
        z.backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            z.backward()
        with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
            assert z.grad_fn.saved_tensors

    def test_nothing_saved_nothing_missed(self):
        x = leaf(1.0)
        y = function(lambda ctx, x: x * 2, lambda ctx, grad: grad * 2)(x)
        y.backward()
        y.backward()
        assert x.grad.tolist() == [4]

    def test_what_is_no_tensor(self):
        with refuses("save_for_backward can only save variables, but argument 1 is of type int", TypeError):
            function(lambda ctx, x: ctx.save_for_backward(x, 3))(leaf(1.0))


class TestInputsThatComeBack:
    def test_as_they_are(self):
        apply = function(lambda ctx, x: x, lambda ctx, grad: grad * 2)
        x = leaf(1.0, 2.0)
        y = apply(x)
        assert y is not x and y._is_view() and y.data_ptr() == x.data_ptr()
        y.sum().backward()
        assert x.grad.tolist() == [2, 2]
        with torch.no_grad():
            z = apply(x)
        assert z is not x and not z.requires_grad
        with refuses("Output 0 of Mine is a view and is being modified inplace. This view was created inside a custom Function (or because "
                     "an input was returned as-is) and the autograd logic to handle view+inplace would override the custom backward "
                     "associated with the custom Function, leading to incorrect gradients. This behavior is forbidden. You can fix this "
                     "by cloning the output of the custom Function."):
            apply(x).add_(1)

    def test_views_of_them(self):
        y = function(lambda ctx, x: x[:1], lambda ctx, grad: grad)(leaf(1.0, 2.0) + 1)
        with pytest.raises(RuntimeError, match="Output 0 of Mine is a view and is being modified inplace. This view was created inside"):
            y.add_(1)
        a, b = function(lambda ctx, x: (x[:1], x[1:]), lambda ctx, g, h: torch.ones(2))(leaf(1.0, 2.0) + 1)
        with pytest.raises(RuntimeError, match="Output 0 of Mine is a view and is being modified inplace. This view is the output of a "
                                               "function that returns multiple views"):
            a.add_(1)

    def test_changed_in_place(self):
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x

        apply = function(forward, lambda ctx, grad: grad * 2)
        x = leaf(1.0, 2.0)
        y = x * 1
        z = apply(y)
        assert z is y and y.grad_fn.name() == "MineBackward"
        y.sum().backward()
        assert x.grad.tolist() == [2, 2]
        y = x * 3
        v = y[:1]
        assert apply(v) is v
        assert v.grad_fn.name() == "AsStridedBackward0" and y.grad_fn.name() == "torch::autograd::CopySlices"
        y.sum().backward()
        assert y.tolist() == [6, 6] and x.grad.tolist() == [8, 5]
        plain = torch.ones(1)
        assert apply(plain) is plain and plain.tolist() == [2] and plain._version == 2
        with refuses("a leaf Variable that requires grad has been used in an in-place operation."):
            apply(x)

    def test_changed_and_saved(self):
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.exp_()
            ctx.save_for_backward(x)
            return x

        apply = function(forward, lambda ctx, grad: grad * ctx.saved_tensors[0])
        x = torch.zeros(2, requires_grad=True)
        for make in (lambda: x * 1, lambda: (x * 1)[:]):
            y = apply(make())
            first, = autograd.grad(y.sum(), x, create_graph=True)
            assert first.tolist() == [1, 1]

    def test_changed_and_not_returned(self):
        def forward(ctx, x, y):
            ctx.mark_dirty(x)
            x.mul_(2)
            return y * 1

        with refuses("Some elements marked as dirty during the forward method were not returned as output. The inputs that are modified "
                     "inplace must all be outputs of the Function."):
            function(forward)(leaf(1.0) + 1, leaf(1.0))

    def test_a_changed_view_beside_another_output(self):
        def forward(ctx, x):
            ctx.mark_dirty(x)
            x.mul_(2)
            return x, x * 1

        with pytest.raises(RuntimeError, match="If your Function modifies inplace an input that is a view of another Tensor, your Function "
                                               "cannot return more than one Tensor."):
            function(forward)((leaf(1.0, 2.0) + 1)[:1])

    def test_marked_but_no_input(self):
        def forward(ctx, x):
            y = x * 2
            ctx.mark_dirty(y)
            return y

        with pytest.warns(UserWarning, match="received a tensor that was not an input"):
            y = function(forward, lambda ctx, grad: grad * 2)(leaf(1.0))
        assert y.grad_fn.name() == "MineBackward"

    def test_returned_saved_and_set_up(self):
        class Same(autograd.Function):
            @staticmethod
            def forward(x):
                return x

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(inputs[0])

        with pytest.raises(RuntimeError, match="An input that has been returned as-is as output is being saved for backward."):
            Same.apply(leaf(1.0))

    def test_not_differentiable(self):
        seen = []

        def forward(ctx, x):
            a, b = x * 1, x * 2
            ctx.mark_non_differentiable(b)
            return a, b

        def backward(ctx, g, h):
            seen.append((g.tolist(), h.tolist()))
            return g

        a, b = function(forward, backward)(leaf(1.0))
        assert a.requires_grad and not b.requires_grad and b.grad_fn is None
        a.backward()
        assert seen == [([1.0], [0.0])]


class TestRefusals:
    def test_number_of_gradients(self):
        x = leaf(1.0)
        for result, got in ((lambda g: g, 1), (lambda g: (g, g, g), 3)):
            with refuses(f"function MineBackward returned an incorrect number of gradients (expected 2, got {got})"):
                function(lambda ctx, x, y: x * y, lambda ctx, g: result(g))(x, x).backward()
        function(lambda ctx, x, y: x * y, lambda ctx, g: (g, g, None))(x, x).backward()
        assert x.grad.tolist() == [2]

    def test_kinds_of_gradients(self):
        x = leaf(1.0)
        with refuses("expected Variable or None (got int)"):
            function(lambda ctx, x: x * 1, lambda ctx, g: 1)(x).backward()
        with refuses("function MineBackward returned a gradient different than None at position 2, but the corresponding forward input was "
                     "not a Variable"):
            function(lambda ctx, x, n: x * n, lambda ctx, g: (g, g))(x, 2).backward()

    def test_sizes_of_gradients(self):
        x = leaf(1.0, 2.0, 3.0)
        with refuses("Function MineBackward returned an invalid gradient at index 0 - got [2] but expected shape compatible with [3]"):
            function(lambda ctx, x: x * 2, lambda ctx, g: torch.ones(2))(x).sum().backward()

    def test_dtypes_of_gradients(self):
        x = leaf(1.0)
        for dtype in (torch.float64, torch.int64):
            function(lambda ctx, x: x * 2, lambda ctx, g: torch.ones(1, dtype=dtype))(x).sum().backward()
        assert x.grad.dtype == torch.float32 and x.grad.tolist() == [2]

    def test_no_gradient(self):
        x = leaf(1.0)
        function(lambda ctx, x: x * 2, lambda ctx, g: None)(x).backward()
        assert x.grad is None

    def test_missing_methods(self):
        class Empty(autograd.Function):
            pass

        with refuses("You must implement the forward function for custom autograd.Function.", NotImplementedError):
            Empty.apply(leaf(1.0))
        with refuses("You must implement either the backward or vjp method for your custom autograd.Function to use it with backward mode "
                     "AD.", NotImplementedError):
            function(lambda ctx, x: x * 2)(leaf(1.0)).backward()
        for name in ("jvp", "vmap"):
            with pytest.raises(NotImplementedError):
                getattr(Empty, name)(None, None)
        with pytest.raises(RuntimeError, match="Implementing both 'backward' and 'vjp' for a custom Function is not allowed"):
            function(lambda ctx, x: x * 2, lambda ctx, g: g, vjp=staticmethod(lambda ctx, g: g))(leaf(1.0)).backward()

    def test_instances(self):
        with pytest.warns(DeprecationWarning, match="should not be instantiated"):
            instance = Product()
        with warnings.catch_warnings(), pytest.raises(RuntimeError, match="Legacy autograd function with non-static forward method"):
            warnings.simplefilter("ignore")
            instance(leaf(1.0))

    def test_an_exception_in_backward(self):
        x = leaf(1.0)
        with pytest.raises(ZeroDivisionError):
            function(lambda ctx, x: x * 2, lambda ctx, g: 1 / 0)(x * 1).exp().backward()
        assert x.grad is None


class TestOnceDifferentiable:
    def test_it(self):
        apply = function(lambda ctx, x: x * 2, once_differentiable(lambda ctx, grad: grad * 2))
        x = leaf(1.0)
        apply(x).backward()
        assert x.grad.tolist() == [2]
        y = apply(x)
        first, = autograd.grad((y * y).sum(), x, create_graph=True)
        assert first.tolist() == [8]
        with refuses("trying to differentiate twice a function that was marked with @once_differentiable"):
            first.backward()
        first, = autograd.grad(apply(x), x, create_graph=True)
        assert not first.requires_grad
