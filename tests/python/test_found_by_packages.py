"""Behaviour that published packages rely on: shapes of assigned values, names in errors, buffers without a shape, deprecated names."""

import pytest


def test_leading_ones_of_a_value_are_dropped(lib):
    mask = lib.tensor([True, False, True, True])
    for index in (mask, lib.tensor([0, 2, 3]), (mask, slice(None)), slice(0, 3)):
        x = lib.zeros(4, 5)
        x[index] = lib.arange(5.0).reshape(1, 1, 5)
        y = lib.zeros(4, 5)
        y[index] = lib.arange(5.0).expand(1, 3, 5)
        rows = [0, 1, 2] if index == slice(0, 3) else [0, 2, 3]
        want = [[0.0, 1.0, 2.0, 3.0, 4.0] if row in rows else [0.0] * 5 for row in range(4)]
        assert x.tolist() == want and y.tolist() == want
    with pytest.raises(RuntimeError, match=r"value tensor of shape \[2, 3, 5\] cannot be broadcast to indexing result of shape \[3, 5\]"):
        lib.zeros(4, 5)[mask] = lib.ones(2, 3, 5)


def test_gradient_of_a_value_with_leading_ones(lib):
    x, value = lib.zeros(4, 2), lib.ones(1, 1, 2, requires_grad=True)
    x[lib.tensor([0, 3])] = value
    (x * lib.arange(8.0).reshape(4, 2)).sum().backward()
    assert value.grad.tolist() == [[[6.0, 8.0]]]


def test_last_dimension_that_does_not_broadcast_is_named(lib):
    for act in (lambda a, b: a + b, lambda a, b: a.add_(b), lib.broadcast_tensors):
        with pytest.raises(RuntimeError, match=r"tensor a \(5\) must match the size of tensor b \(3\) at non-singleton dimension 2"):
            act(lib.zeros(3, 4, 5), lib.zeros(4, 3))


def test_layer_norm_names_the_shape_that_it_wants(lib):
    with pytest.raises(RuntimeError, match=r"expected input with shape \[\*, 4, 3\], but got input of size\s?\[2, 3\]"):
        lib.nn.functional.layer_norm(lib.zeros(2, 3), (4, 3))


@pytest.mark.filterwarnings("ignore:Lazy modules")
def test_buffers_without_a_shape_are_converted(lib):
    layer = lib.nn.LazyBatchNorm1d().double()
    assert type(layer.running_mean).__name__ == "UninitializedBuffer" and layer.running_mean.dtype == lib.float64
    out = layer(lib.tensor([[1.0, 2.0], [3.0, 6.0]], dtype=lib.float64))
    assert layer.running_mean.tolist() == pytest.approx([0.2, 0.4]) and out.dtype == lib.float64


@pytest.mark.filterwarnings("ignore:'saved_variables'")
def test_former_name_of_saved_tensors(lib):
    class Square(lib.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, grad):
            return 2 * ctx.saved_variables[0] * grad

    x = lib.tensor(3.0, requires_grad=True)
    Square.apply(x).backward()
    assert x.grad.item() == 6.0


def test_a_scheduler_notes_steps_of_an_optimizer_that_wraps_another(lib, recwarn):
    class Wrapper(lib.optim.Optimizer):
        def __init__(self, inner):
            self.inner = inner

        param_groups = property(lambda self: self.inner.param_groups)

        def step(self, closure=None):
            self.inner.step(closure)

    optimizer = Wrapper(lib.optim.SGD([lib.nn.Parameter(lib.ones(1))], lr=1.0))
    scheduler = lib.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    optimizer.step()
    scheduler.step()
    assert not recwarn.list and optimizer.param_groups[0]["lr"] == 0.5
    early = lib.optim.lr_scheduler.StepLR(Wrapper(optimizer.inner), 1, 0.5)
    with pytest.warns(UserWarning, match="Detected call of `lr_scheduler.step..` before `optimizer.step..`"):
        early.step()
