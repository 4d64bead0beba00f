"""no_grad, enable_grad, inference_mode, as blocks and as decorators; gradcheck."""

import pytest

import pywasmtorch as torch
from pywasmtorch import autograd
from pywasmtorch.autograd import functional


def leaf(*values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


class TestModes:
    def test_blocks(self):
        x = leaf(1.0)
        with torch.no_grad():
            assert not torch.is_grad_enabled() and not (x * 2).requires_grad
            with torch.enable_grad():
                assert torch.is_grad_enabled() and (x * 2).requires_grad
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()

    def test_after_an_exception(self):
        with pytest.raises(ZeroDivisionError), torch.no_grad():
            raise ZeroDivisionError
        assert torch.is_grad_enabled()

    def test_set_grad_enabled(self):
        torch.set_grad_enabled(False)
        assert not torch.is_grad_enabled()
        torch.set_grad_enabled(True)
        with torch.set_grad_enabled(False):
            assert not torch.is_grad_enabled()
        assert torch.is_grad_enabled()

        @torch.set_grad_enabled(False)
        def inside():
            return torch.is_grad_enabled()

        assert torch.is_grad_enabled() and not inside() and torch.is_grad_enabled()

    def test_decorators(self):
        @torch.no_grad()
        def with_parentheses(a, b=2):
            """Says it."""
            return a, b, torch.is_grad_enabled()

        @torch.no_grad
        def without():
            return torch.is_grad_enabled()

        assert with_parentheses(1, b=3) == (1, 3, False) and with_parentheses.__doc__ == "Says it."
        assert with_parentheses.__name__ == "with_parentheses" and without() is False and torch.is_grad_enabled()

    def test_classes(self):
        class Plain:
            def __init__(self):
                self.recording = torch.is_grad_enabled()

        with pytest.warns(FutureWarning, match="Decorating classes is deprecated"):
            made = torch.no_grad()(Plain)
        assert made().recording is False

    def test_generators(self):
        seen = []

        @torch.no_grad()
        def generate():
            try:
                seen.append((yield torch.is_grad_enabled()))
                seen.append(torch.is_grad_enabled())
                try:
                    yield 1
                except KeyError:
                    seen.append(("caught", torch.is_grad_enabled()))
                    yield 2
                return 3
            finally:
                seen.append(("end", torch.is_grad_enabled()))

        running = generate()
        assert next(running) is False and torch.is_grad_enabled()
        assert running.send("sent") == 1 and running.throw(KeyError()) == 2
        with pytest.raises(StopIteration) as stop:
            next(running)
        assert stop.value.value == 3 and seen == ["sent", False, ("caught", False), ("end", False)]
        running = generate()
        next(running)
        running.close()
        assert seen[-1] == ("end", False) and torch.is_grad_enabled()

    def test_inference_mode(self):
        with torch.inference_mode():
            assert torch.is_inference_mode_enabled() and not torch.is_grad_enabled()
            with torch.inference_mode(False):
                assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled() and not torch.ones(1).is_inference()
            assert torch.ones(1).is_inference()
        assert not torch.is_inference_mode_enabled() and torch.is_grad_enabled()

        @torch.inference_mode()
        def inside():
            return torch.is_inference_mode_enabled()

        @torch.inference_mode
        def bare():
            return torch.is_inference_mode_enabled()

        assert inside() and bare() and not torch.is_inference_mode_enabled()

    def test_inference_mode_inside_no_grad(self):
        with torch.no_grad():
            with torch.inference_mode():
                pass
            assert not torch.is_grad_enabled()


class TestGradcheck:
    def test_right_gradients(self):
        x, y = leaf(0.3, 2.0, -3.0), leaf(1.0, 0.5, 2.0)
        assert autograd.gradcheck(lambda a, b: (a * b).sin(), (x, y))
        assert autograd.gradgradcheck(lambda a, b: (a * b).sin(), (x, y))
        assert autograd.gradcheck(lambda a: a.unbind(), x)

    def test_closures(self):
        w, x = leaf(1.0, 2.0), torch.tensor([3.0, 4.0], dtype=torch.float64)
        assert autograd.gradcheck(lambda *parameters: (w * w * x).sum(), [w]) and w.tolist() == [1, 2]

    def test_strided_inputs(self):
        x = torch.arange(6.0, dtype=torch.float64).reshape(2, 3).t().detach().requires_grad_()
        assert autograd.gradcheck(lambda a: a * a, x) and autograd.gradgradcheck(lambda a: a * a, x)

    def test_wrong_gradients(self):
        class Wrong(autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                return grad * 3

        x = leaf(1.0, 2.0)
        with pytest.raises(RuntimeError, match="Jacobian mismatch for output 0 with respect to input 0,\nnumerical:tensor") as caught:
            autograd.gradcheck(Wrong.apply, x)
        assert type(caught.value).__name__ == "GradcheckError"
        assert autograd.gradcheck(Wrong.apply, x, raise_exception=False) is False

    def test_wrong_second_derivatives(self):
        class Square(autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x

            @staticmethod
            def backward(ctx, grad):
                return grad * 2 * ctx.saved_tensors[0].detach()

        x = leaf(1.0, 2.0)
        assert autograd.gradcheck(Square.apply, x) and not autograd.gradgradcheck(Square.apply, x, raise_exception=False)

    def test_a_backward_that_does_not_multiply(self):
        class Constant(autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 1

            @staticmethod
            def backward(ctx, grad):
                return grad + (grad == 0).all() * 1.0

        with pytest.raises(RuntimeError, match="backward not multiplied by grad_output"):
            autograd.gradcheck(Constant.apply, leaf(1.0))

    def test_refusals(self):
        with pytest.raises(ValueError, match="gradcheck expects at least one input tensor to require gradient"):
            autograd.gradcheck(lambda a: a, torch.ones(1, dtype=torch.float64))
        with pytest.raises(RuntimeError, match="The 0th input has a dimension with stride 0"):
            autograd.gradcheck(lambda a: a * 2, torch.ones(1, dtype=torch.float64).expand(3).requires_grad_())
        with pytest.warns(UserWarning, match="is not a double precision floating point or complex"):
            autograd.gradcheck(lambda a: a * 2, leaf(1.0, dtype=torch.float32), atol=1)

    def test_outputs_without_gradient(self):
        with pytest.raises(RuntimeError, match="Numerical gradient for function expected to be zero"):
            autograd.gradcheck(lambda a: a.detach() * 2, leaf(1.0))
        assert autograd.gradcheck(lambda a: torch.ones(2), leaf(1.0))


class TestFunctional:
    def test_jacobian(self):
        x, y = leaf(1.0, 2.0), leaf(3.0)
        assert functional.jacobian(lambda a: a * a, x).tolist() == [[2, 0], [0, 4]]
        by_x, by_y = functional.jacobian(lambda a, b: a * a * b, (x, y))
        assert by_x.tolist() == [[6, 0], [0, 12]] and by_y.tolist() == [[1], [4]]
        rows = functional.jacobian(lambda a: (a.sum(), a * 3), x)
        assert rows[0].tolist() == [1, 1] and rows[1].tolist() == [[3, 0], [0, 3]]
        assert functional.jacobian(lambda a: a.reshape(2, 1) * a, x).shape == (2, 2, 2)
        assert not functional.jacobian(lambda a: a * a, x).requires_grad
        assert functional.jacobian(lambda a: a * a, x, create_graph=True).requires_grad

    def test_independent_outputs(self):
        x, y = leaf(1.0, 2.0), leaf(3.0)
        assert functional.jacobian(lambda a, b: a * 2, (x, y))[1].tolist() == [[0], [0]]
        with pytest.raises(RuntimeError, match="is independent of input 1. This is not allowed in strict mode"):
            functional.jacobian(lambda a, b: a * 2, (x, y), strict=True)

    def test_hessian(self):
        x, y = leaf(1.0, 2.0), leaf(3.0)
        assert functional.hessian(lambda a: (a * a * a).sum(), x).tolist() == [[6, 0], [0, 12]]
        (xx, xy), (yx, yy) = functional.hessian(lambda a, b: (a * a * b).sum(), (x, y))
        assert xx.tolist() == [[6, 0], [0, 6]] and xy.tolist() == [[2], [4]] and yx.tolist() == [[2, 4]] and yy.tolist() == [[0]]
        with pytest.raises(RuntimeError, match="The Tensor returned by the function given to hessian should contain a single element"):
            functional.hessian(lambda a: a * 2, x)

    def test_products(self):
        x, v = leaf(1.0, 2.0), torch.tensor([1.0, 10.0], dtype=torch.float64)
        value, product = functional.vjp(lambda a: a * a, x, v)
        assert value.tolist() == [1, 4] and product.tolist() == [2, 40] and not product.requires_grad
        value, product = functional.jvp(lambda a: (a.sum(), a * a), x, v)
        assert value[0].item() == 3 and product[0].item() == 11 and product[1].tolist() == [2, 40]
        for name in ("vhp", "hvp"):
            value, product = getattr(functional, name)(lambda a: (a * a * a).sum(), x, v)
            assert value.item() == 9 and product.tolist() == [6, 120]
        assert functional.vjp(lambda a: a.sum(), x)[1].tolist() == [1, 1]

    def test_products_refuse(self):
        x = leaf(1.0, 2.0)
        with pytest.raises(RuntimeError, match="The vector v can only be None if the user-provided function returns a single Tensor with a"):
            functional.vjp(lambda a: a * a, x)
        with pytest.raises(RuntimeError, match="v has invalid size: should be torch.Size"):
            functional.vjp(lambda a: a * a, x, torch.ones(3, dtype=torch.float64))
        with pytest.raises(TypeError, match="The inputs given to vjp must be either a Tensor or a tuple of Tensors"):
            functional.vjp(lambda a: a * a, 3)
