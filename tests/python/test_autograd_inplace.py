"""In-place operators and views: changed histories and errors."""

import re

import pytest

import pywasmtorch as torch
from pywasmtorch import autograd

MODIFIED = ("one of the variables needed for gradient computation has been modified by an inplace operation: {}; expected version {} "
            "instead. Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
            "torch.autograd.set_detect_anomaly(True, check_nan=False).")
AMBIGUOUS = ("Given that this use case is ambiguous and error-prone, it is forbidden. You can clarify your code by moving both the view "
             "and the inplace either both inside the {0} block (if you don't want the inplace to be tracked) or both outside (if you "
             "want the inplace to be tracked).")
MULTIPLE = ("This view is the output of a function that returns multiple views. Such functions do not allow the output views to be "
            "modified inplace. You should replace the inplace operation by an out-of-place one.")


def leaf(*values, dtype=torch.float32):
    return torch.tensor(values, dtype=dtype, requires_grad=True)


def refuses(message):
    return pytest.raises(RuntimeError, match="^" + re.escape(message) + "$")


class TestVersions:
    def test_a_saved_result_of_an_operator(self):
        x = leaf(1.0, 2.0, 3.0)
        y = x + 1
        z = y * y
        y.add_(1)
        with refuses(MODIFIED.format("[torch.FloatTensor [3]], which is output 0 of Add, is at version 1", 0)):
            z.sum().backward()

    def test_a_saved_plain_tensor(self):
        x, y = leaf([1.0, 2.0]), torch.ones(1, 2, dtype=torch.float64)
        z = x * y
        y.add_(1)
        y.mul_(2)
        with refuses(MODIFIED.format("[torch.DoubleTensor [1, 2]] is at version 2", 0)):
            z.sum().backward()

    def test_a_saved_output(self):
        y = leaf(1.0, 2.0).exp()
        y.add_(1)
        with refuses(MODIFIED.format("[torch.FloatTensor [2]], which is output 0 of Exp, is at version 1", 0)):
            y.sum().backward()

    def test_an_output_saved_by_an_operator_in_place(self):
        x = leaf(0.0, 1.0)
        y = x * 1
        y.exp_()
        y.sum().backward()
        assert x.grad.tolist() == pytest.approx([1, 2.7182817], rel=1e-6)

    def test_a_change_through_a_view(self):
        x = leaf(1.0, 2.0, 3.0)
        y = x * 1
        z = y * y
        y[:1].mul_(2)
        with pytest.raises(RuntimeError, match="is at version 1; expected version 0 instead"):
            z.sum().backward()

    def test_a_change_of_what_is_not_needed(self):
        x = leaf(1.0, 2.0)
        y = x * 1
        z = y + 1
        y.mul_(5)
        z.sum().backward()
        assert x.grad.tolist() == [1, 1]

    def test_an_operator_on_its_own_result(self):
        x = leaf(1.0, 2.0)
        y = x * 1
        y.mul_(y)
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            y.sum().backward()

    def test_a_leaf_changed_without_recording(self):
        x = leaf(1.0, 2.0)
        y = x * x
        with torch.no_grad():
            x.add_(1)
        assert x.tolist() == [2, 3] and x._version == 1 and x.requires_grad
        with refuses(MODIFIED.format("[torch.FloatTensor [2]] is at version 1", 0)):
            y.sum().backward()

    def test_counts(self):
        x = torch.ones(3)
        y = x[1:]
        y.add_(1)
        x.mul_(2)
        assert x._version == y._version == 2 and x.detach()._version == 2 and x.data._version == 0


class TestHistory:
    def test_of_a_result(self):
        x = leaf(1.0, 2.0)
        y = x * 2
        y.mul_(torch.tensor([10.0, 100.0]))
        y.add_(x)
        y.sum().backward()
        assert x.grad.tolist() == [21, 201]

    def test_of_a_plain_tensor(self):
        x = leaf(3.0, 4.0)
        y = torch.ones(2)
        y.mul_(x)
        assert y.requires_grad and not y.is_leaf
        y.sum().backward()
        assert x.grad.tolist() == [1, 1]

    def test_twice_differentiable(self):
        x = leaf(2.0, 3.0)
        y = x * x
        y.mul_(x)
        first, = autograd.grad(y.sum(), x, create_graph=True)
        second, = autograd.grad(first.sum(), x)
        assert first.tolist() == [12, 27] and second.tolist() == [12, 18]

    def test_what_was_overwritten_gets_no_gradient(self):
        x, z = leaf(1.0, 2.0), leaf(5.0, 6.0)
        y = x * 3
        y.copy_(z)
        (y * 2).sum().backward()
        assert x.grad.tolist() == [0, 0] and z.grad.tolist() == [2, 2]
        y = x * 3
        y.zero_()
        y.sum().backward()
        assert x.grad.tolist() == [0, 0]

    def test_index_assignment(self):
        x, z = leaf(1.0, 2.0, 3.0), leaf(7.0)
        y = x * 2
        y[1] = z[0] * 5
        assert y.grad_fn.name() == "torch::autograd::CopySlices"
        (y * torch.tensor([1.0, 10.0, 100.0])).sum().backward()
        assert y.tolist() == [2, 35, 6] and x.grad.tolist() == [2, 0, 200] and z.grad.tolist() == [50]


class TestCircles:
    """What was saved and then changed must not keep its own graph alive: the check after each test would find it."""

    def test_saved_then_overwritten_with_the_result(self):
        w, buffer = leaf(1.0, 2.0), torch.ones(2)
        z = w * buffer
        buffer.copy_(z)
        with refuses(MODIFIED.format("[torch.FloatTensor [2]], which is output 0 of torch::autograd::CopyBackwards, is at version 1", 0)):
            buffer.sum().backward()

    def test_a_buffer_filled_from_itself(self):
        w, buffer = leaf(2.0, 3.0), torch.ones(4, 2)
        for i in range(1, 4):
            buffer[i] = buffer[i - 1] * w
        assert buffer[3].tolist() == [8, 27] and buffer.requires_grad
        with pytest.raises(RuntimeError, match="which is output 0 of AsStrided"):
            buffer.sum().backward()

    def test_an_operator_on_its_own_result(self):
        y = leaf(1.0, 2.0) * 1
        y.mul_(y)
        v = y[:1]
        v.mul_(y[1:])
        y.add_(1)
        with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
            y.sum().backward()

    def test_what_changed_later_again(self):
        x = leaf(1.0, 2.0)
        y = x * 1
        z = y * y
        y.add_(z)
        y.mul_(2)
        with refuses(MODIFIED.format("[torch.FloatTensor [2]], which is output 0 of Mul, is at version 2", 0)):
            z.sum().backward()


class TestViews:
    def test_a_view_of_a_view(self):
        x = leaf(1.0, 2.0, 3.0, 4.0)
        a = x * 1
        v = a[1:3]
        w = v[:1]
        w.mul_(5)
        assert w._base is a or w._base.tolist() == a.tolist()
        assert a.grad_fn.name() == "torch::autograd::CopySlices" and w.grad_fn.name() == "AsStridedBackward0"
        v.mul_(torch.tensor([10.0, 100.0]))
        assert a.tolist() == [1, 100, 300, 4]
        (a * torch.tensor([1.0, 2.0, 3.0, 4.0])).sum().backward()
        assert x.grad.tolist() == [1, 100, 300, 4]

    def test_other_views_see_the_change(self):
        x = leaf(3.0, 4.0)
        base = torch.ones(3)
        v, other = base[:2], base[1:]
        v.mul_(x)
        assert base.requires_grad and other.requires_grad and not other.is_leaf
        assert other.grad_fn.name() == "AsStridedBackward0" and other.grad_fn.next_functions[0][0] == base.grad_fn
        (other * torch.tensor([7.0, 9.0])).sum().backward()
        assert x.grad.tolist() == [0, 7]

    def test_views_that_overlap(self):
        x = torch.ones(4, requires_grad=True)
        a = x * 1
        v = a.view(2, 2)
        w = v[0]
        w.mul_(3)
        u = a[1:3]
        u.add_(w.sum())
        (a * torch.arange(4.0)).sum().backward()
        assert x.grad.tolist() == [9, 12, 2, 3] and a.tolist() == [3, 9, 7, 1]

    def test_a_transposed_view(self):
        x = torch.arange(6.0, requires_grad=True)
        a = (x * 1).view(2, 3)
        a.t()[1].mul_(torch.tensor([10.0, 100.0]))
        (a * a).sum().backward()
        assert a.tolist() == [[0, 10, 2], [3, 400, 5]]
        assert x.grad.tolist() == [0, 200, 4, 6, 80000, 10]

    def test_a_base_with_other_strides(self):
        x = leaf([1.0, 2.0], [3.0, 4.0])
        a = (x * x).t().clone().t()
        a[1].mul_(torch.tensor([10.0, 100.0]))
        first, = autograd.grad(a.sum(), x, create_graph=True)
        second, = autograd.grad(first.sum(), x)
        assert first.tolist() == [[2, 4], [60, 800]] and second.tolist() == [[2, 2], [20, 200]]

    def test_a_diagonal(self):
        x = torch.ones(3, 3, requires_grad=True)
        a = x * 2
        a.diagonal().zero_()
        a.sum().backward()
        assert x.grad.tolist() == [[0, 2, 2], [2, 0, 2], [2, 2, 0]]

    def test_a_view_that_asks_for_a_gradient_itself(self):
        x = torch.ones(3)
        v = x[:2]
        v.requires_grad_()
        assert v.is_leaf and v._is_view() and not x.requires_grad
        with refuses("a view of a leaf Variable that requires grad is being used in an in-place operation."):
            v.add_(1)
        x.mul_(leaf(1.0, 2.0, 3.0))
        assert v.grad_fn.name() == "AsStridedBackward0"

    def test_bases(self):
        x = leaf(1.0, 2.0, 3.0)
        assert x._base is None and not x._is_view()
        v = x.view(3)[:2].view(2)
        assert v._is_view() and v._base.data_ptr() == x.data_ptr() and v._base.shape == (3,)
        assert not x.detach()._is_view() and not x.data._is_view() and not (x * 1)._is_view()

    def test_hooks_of_a_view_whose_base_changed(self):
        x, seen = leaf(1.0, 2.0, 3.0), []
        y = x * 2
        v = y[:2]
        v.register_hook(lambda grad: seen.append(grad.tolist()))
        y.mul_(3)
        (v * 1).sum().backward()
        assert seen == [] and x.grad.tolist() == [6, 6, 0]

    def test_retain_grad_follows_the_tensor(self):
        x = leaf(1.0, 2.0, 3.0)
        y = x * 2
        v = y[:2]
        y.retain_grad()
        v.retain_grad()
        y.mul_(2)
        (v * 3).sum().backward()
        assert v.grad.tolist() == [3, 3] and y.grad.tolist() == [3, 3, 0] and x.grad.tolist() == [12, 12, 0]

    def test_data_of_a_view_and_of_its_base(self):
        x = leaf(1.0, 2.0, 3.0)
        y = x + 1
        v = y[:2]
        y.data = torch.zeros(3)
        assert v.tolist() == [2, 3] and y.tolist() == [0, 0, 0] and v.grad_fn.name() == "SliceBackward0"


class TestRefusals:
    def test_leaves(self):
        x = leaf(1.0, 2.0)
        with refuses("a leaf Variable that requires grad is being used in an in-place operation."):
            x.add_(1)
        with refuses("a view of a leaf Variable that requires grad is being used in an in-place operation."):
            x[:1].add_(1)
        with refuses("a view of a leaf Variable that requires grad is being used in an in-place operation."):
            x[0] = 1
        assert x.tolist() == [1, 2]

    def test_outputs_of_several_views(self):
        y = leaf(1.0, 2.0, 3.0) + 1
        parts = y.unbind()
        with refuses(f"Output 1 of Unbind is a view and is being modified inplace. {MULTIPLE}"):
            parts[1].add_(1)
        y.add_(1)
        with refuses(f"Output 0 of Unbind is a view and its base or another view of its base has been modified inplace. {MULTIPLE}"):
            assert parts[0].grad_fn
        plain = torch.ones(3)
        plain.unbind()[0].mul_(2)
        assert plain.tolist() == [2, 1, 1]

    def test_views_made_without_recording(self):
        base, x = torch.ones(3), leaf(1.0, 2.0)
        with torch.no_grad():
            v = base[:2]
        v.mul_(2)
        with refuses("A view was created in no_grad mode and is being modified inplace with grad mode enabled. "
                     + AMBIGUOUS.format("no_grad")):
            v.mul_(x)
        assert base.tolist() == [2, 2, 1] and not base.requires_grad
        y = x + 1
        with torch.no_grad():
            v = y[:1]
        assert v.requires_grad and v.is_leaf and v.grad_fn is None
        y.mul_(2)
        with refuses("A view was created in no_grad mode and its base or another view of its base has been modified inplace with grad "
                     "mode enabled. " + AMBIGUOUS.format("no_grad")):
            assert v.grad_fn

    def test_views_made_in_inference_mode(self):
        base = torch.ones(3)
        with torch.inference_mode():
            v = base[:2]
        with refuses("A view was created in inference mode and is being modified inplace in normal mode. "
                     + AMBIGUOUS.format("inference_mode")):
            v.mul_(leaf(1.0, 2.0))

    def test_inference_tensors(self):
        with torch.inference_mode():
            made = torch.ones(2)
            made.add_(1)
        assert made.is_inference() and made.tolist() == [2, 2] and made[0].is_inference()
        for tensor in (made, made.view(2)):
            with refuses("Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone to get a normal "
                         "tensor before doing inplace update.See https://github.com/pytorch/rfcs/pull/17 for more details."):
                tensor.add_(1)
        with refuses("Inference tensors cannot be saved for backward. Please do not use Tensors created in inference mode in computation "
                     "tracked by autograd. To work around this, you can make a clone to get a normal tensor and use it in autograd, or "
                     "use `torch.no_grad()` instead of `torch.inference_mode()`."):
            made * leaf(1.0, 2.0)
        with refuses("Setting requires_grad=True on inference tensor outside InferenceMode is not allowed."):
            made.requires_grad_()
        with refuses("Inference tensors do not track version counter."):
            assert made._version
        assert (made + leaf(1.0, 2.0)).requires_grad and not (made * 2).is_inference() and not made.clone().is_inference()

    def test_normal_tensors_in_inference_mode(self):
        x, y = torch.ones(3), leaf(1.0, 2.0)
        with torch.inference_mode():
            x.add_(1)
            assert x._version == 1 and not x[1:].is_inference() and (x + 1).is_inference() and not (y * 2).requires_grad
            assert x[1:]._is_view() and not (x + 1)[0]._is_view()
