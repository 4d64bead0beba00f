"""torchvision's operators: values by formulas written out here, gradients, empty input, errors; and the libraries that they stand for."""

import math

import pytest

import pywasmtorch as torch


@pytest.fixture
def vision(tmp_path):
    (tmp_path / "torchvision").mkdir()
    (tmp_path / "torchvision" / "_C.so").write_bytes(b"")
    torch.ops.load_library(tmp_path / "torchvision" / "_C.so")
    return torch.ops.torchvision


# ---- what the operators say ----
def bilinear(plane, y, x):
    """A sample of a plane [H][W]; what is more than one element outside is 0."""
    height, width = len(plane), len(plane[0])
    if not (-1 <= y <= height and -1 <= x <= width):
        return 0.0
    y, x = min(max(y, 0.0), height - 1), min(max(x, 0.0), width - 1)
    top, left = int(y), int(x)
    bottom, right = min(top + 1, height - 1), min(left + 1, width - 1)
    down, across = y - top, x - left
    upper = plane[top][left] * (1 - across) + plane[top][right] * across
    return upper * (1 - down) + (plane[bottom][left] * (1 - across) + plane[bottom][right] * across) * down


def aligned_bin(plane, roi, scale, at, pooled, sampling, aligned, sensitive):
    starts, steps, grids = [], [], []
    for d in range(2):
        shift = 0.5 if aligned else 0.0
        start = roi[1 - d] * scale - shift
        extent = roi[3 - d] * scale - shift - start
        extent = extent if aligned else max(extent, 1.0)
        steps.append(extent / pooled[d])
        starts.append(start + at[d] * steps[d])
        grids.append(sampling if sampling > 0 else math.ceil(steps[d]))
    total = sum(
        bilinear(plane, starts[0] + (i + 0.5) * steps[0] / grids[0], starts[1] + (j + 0.5) * steps[1] / grids[1])
        for i in range(grids[0]) for j in range(grids[1])
    )
    return total / (grids[0] * grids[1] if sensitive else max(grids[0] * grids[1], 1))


def half_away(x):
    return math.floor(abs(x) + 0.5) * (1 if x >= 0 else -1)


def elements(plane, roi, scale, at, pooled, sensitive):
    """Of a bin, the places in its plane; the position-sensitive kind never reaches the last row and column."""
    ranges = []
    for d, size in enumerate((len(plane), len(plane[0]))):
        start, end = half_away(roi[1 - d] * scale), half_away(roi[3 - d] * scale)
        step = max(end - start + (not sensitive), 1) / pooled[d]
        last = size - sensitive
        ranges.append(range(min(max(start + math.floor(at[d] * step), 0), last), min(max(start + math.ceil((at[d] + 1) * step), 0), last)))
    return [(i, j) for i in ranges[0] for j in ranges[1]]


def pooled_by(images, rois, pooled, sensitive, one):
    """Results [K][C][PH][PW] of one(plane, roi, bin), where the position-sensitive kind has a plane for each bin."""
    bins = [(i, j) for i in range(pooled[0]) for j in range(pooled[1])]
    results = []
    for image, *roi in rois:
        planes = images[int(image)]
        channels = len(planes) // len(bins) if sensitive else len(planes)
        flat = [[one(planes[c * len(bins) + n if sensitive else c], roi, at) for n, at in enumerate(bins)] for c in range(channels)]
        results.append([[row[i * pooled[1] : (i + 1) * pooled[1]] for i in range(pooled[0])] for row in flat])
    return torch.tensor(results, dtype=torch.float64)


ROIS = [[0, 0.0, 0.0, 4.0, 3.0], [1, 1.2, 0.7, 6.1, 4.4], [0, -3.0, -2.0, 2.0, 1.5], [1, 4.0, 2.0, 11.0, 9.0], [0, 2.0, 2.0, 2.0, 2.0], [1, -9.0, -9.0, -8.0, -8.0]]


def case(channels, dtype=torch.float64):
    return torch.randn(2, channels, 5, 7, dtype=dtype), torch.tensor(ROIS, dtype=dtype)


# ---- values ----
@pytest.mark.parametrize("sampling", [-1, 1, 3])
@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_roi_align(vision, sampling, scale):
    x, rois = case(12)
    for pooled in ((2, 3), (1, 1)):
        for aligned in (False, True):
            want = pooled_by(x.tolist(), ROIS, pooled, False, lambda plane, roi, at: aligned_bin(plane, roi, scale, at, pooled, sampling, aligned, False))
            torch.testing.assert_close(vision.roi_align(x, rois, scale, *pooled, sampling, aligned), want)
        want = pooled_by(x.tolist(), ROIS[:4], pooled, True, lambda plane, roi, at: aligned_bin(plane, roi, scale, at, pooled, sampling, True, True))
        got, mapping = vision.ps_roi_align(x, rois[:4], scale, *pooled, sampling)
        torch.testing.assert_close(got, want)
        assert mapping.dtype == torch.int32 and mapping[0].flatten().tolist() == list(range(12)) and mapping.shape == got.shape


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_roi_pool(vision, scale):
    x, rois = case(12)
    for pooled in ((2, 3), (1, 1)):
        def largest(plane, roi, at, pooled=pooled):
            return max((plane[i][j] for i, j in elements(plane, roi, scale, at, pooled, False)), default=0.0)

        def mean(plane, roi, at, pooled=pooled):
            inside = elements(plane, roi, scale, at, pooled, True)
            return sum(plane[i][j] for i, j in inside) / max(len(inside), 1)

        got, at = vision.roi_pool(x, rois, scale, *pooled)
        torch.testing.assert_close(got, pooled_by(x.tolist(), ROIS, pooled, False, largest))
        assert at.dtype == torch.int32 and at[5].eq(-1).all() and got[5].eq(0).all()
        torch.testing.assert_close(x[0].flatten(1).gather(1, at[0].flatten(1).long()), got[0].flatten(1))
        got, mapping = vision.ps_roi_pool(x, rois, scale, *pooled)
        torch.testing.assert_close(got, pooled_by(x.tolist(), ROIS, pooled, True, mean))
        assert mapping.dtype == torch.int32 and mapping[0].flatten().tolist() == list(range(12))


def overlap(a, b):
    common = max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))
    return common / ((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - common)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_nms(vision, dtype):
    boxes = torch.rand(60, 4, dtype=dtype) * 10
    boxes[:, 2:] += boxes[:, :2]
    scores = (torch.rand(60, dtype=dtype) * 20).round()  # equal scores: the first box comes first
    for threshold in (0.0, 0.1, 0.3, 0.6, 1.0):
        kept = []
        for i in sorted(range(60), key=lambda i: -scores[i].item()):
            if all(overlap(boxes[j].tolist(), boxes[i].tolist()) <= threshold for j in kept):
                kept.append(i)
        got = vision.nms(boxes, scores, threshold)
        assert got.tolist() == kept and got.dtype == torch.int64
        assert vision.nms(boxes.t().contiguous().t(), scores, threshold).tolist() == kept
    assert vision.nms(boxes[:0], scores[:0], 0.5).shape == (0,)


def deformed(x, weight, offset, mask, bias, stride, padding, dilation, groups, offset_groups):
    """deform_conv2d as one sum after the other."""
    (batch, channels, height, width), (outputs, each, rows, columns) = x.shape, weight.shape
    result = torch.zeros(batch, outputs, *offset.shape[2:], dtype=torch.float64)

    def read(plane, y, x):
        if not (-1 < y < height and -1 < x < width):
            return 0.0
        top, left = math.floor(y), math.floor(x)
        near = [(i, j) for i in (top, top + 1) for j in (left, left + 1)]
        return sum(plane[i][j] * (1 - abs(y - i)) * (1 - abs(x - j)) for i, j in near if 0 <= i < height and 0 <= j < width)

    planes, w, places, shares = x.tolist(), weight.tolist(), offset.tolist(), mask.tolist()
    for n in range(batch):
        for o in range(outputs):
            for i in range(offset.shape[2]):
                for j in range(offset.shape[3]):
                    total = bias[o].item()
                    for c in range(each):
                        channel = o // (outputs // groups) * each + c
                        for k in range(rows * columns):
                            tap = channel // (channels // offset_groups) * rows * columns + k
                            y = i * stride[0] - padding[0] + k // columns * dilation[0] + places[n][2 * tap][i][j]
                            z = j * stride[1] - padding[1] + k % columns * dilation[1] + places[n][2 * tap + 1][i][j]
                            total += w[o][c][k // columns][k % columns] * shares[n][tap][i][j] * read(planes[n][channel], y, z)
                    result[n, o, i, j] = total
    return result


FORMS = [((1, 1), (0, 0), (1, 1), 1, 1), ((2, 1), (1, 2), (1, 2), 2, 1), ((1, 2), (1, 0), (2, 1), 1, 2), ((1, 1), (1, 1), (1, 1), 2, 4)]


def deform_case(stride, padding, dilation, groups, offset_groups):
    size = [(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, p, d, k, s in zip((5, 6), padding, dilation, (2, 3), stride)]
    x, weight = torch.randn(2, 4, 5, 6, dtype=torch.float64), torch.randn(6, 4 // groups, 2, 3, dtype=torch.float64)
    offset, mask = torch.randn(2, 12 * offset_groups, *size, dtype=torch.float64) * 1.5, torch.rand(2, 6 * offset_groups, *size, dtype=torch.float64)
    return x, weight, offset, mask, torch.randn(6, dtype=torch.float64)


@pytest.mark.parametrize(("stride", "padding", "dilation", "groups", "offset_groups"), FORMS)
def test_deform_conv2d(vision, stride, padding, dilation, groups, offset_groups):
    tensors = deform_case(stride, padding, dilation, groups, offset_groups)
    numbers = (*stride, *padding, *dilation, groups, offset_groups)
    want = deformed(*tensors, stride, padding, dilation, groups, offset_groups)
    torch.testing.assert_close(vision.deform_conv2d(*tensors, *numbers, True), want)
    x, weight, offset, mask, bias = tensors
    single = vision.deform_conv2d(*(t.float() for t in tensors), *numbers, True)
    torch.testing.assert_close(single.double(), want, rtol=1e-4, atol=1e-4)
    none = torch.zeros(2, 1, dtype=torch.float64)  # what torchvision passes for no mask
    plain = vision.deform_conv2d(x, weight, offset, none, bias[:0], *numbers, False)
    torch.testing.assert_close(plain, deformed(x, weight, offset, torch.ones_like(mask), bias * 0, stride, padding, dilation, groups, offset_groups))
    still = vision.deform_conv2d(x, weight, torch.zeros_like(offset), none, bias, *numbers, False)
    torch.testing.assert_close(still, torch.nn.functional.conv2d(x, weight, bias, stride, padding, dilation, groups))


# ---- gradients ----
def test_gradients_of_regions(vision):
    x, rois = case(12)
    x.requires_grad_()
    check = torch.autograd.gradcheck
    for aligned in (False, True):
        assert check(lambda x: vision.roi_align(x, rois, 0.7, 2, 3, -1, aligned), (x,))
    assert check(lambda x: vision.roi_pool(x, rois, 1.0, 2, 3)[0], (x,))
    assert check(lambda x: vision.ps_roi_align(x, rois[:4], 0.7, 2, 3, 2)[0], (x,))
    inside = torch.tensor([[0, 1, 1, 4, 4], [1, 0, 0, 5, 3]], dtype=torch.float64)  # elsewhere the gradient reaches one row further than the mean
    assert check(lambda x: vision.ps_roi_pool(x, inside, 1.0, 2, 3)[0], (x,))


def test_gradient_of_ps_roi_pool_reaches_the_last_row(vision):
    x = torch.zeros(1, 1, 2, 2, requires_grad=True)
    result, _ = vision.ps_roi_pool(x, torch.tensor([[0.0, 0.0, 0.0, 2.0, 2.0]]), 1.0, 1, 1)
    result.sum().backward()
    assert x.grad.tolist() == [[[[0.25, 0.25], [0.25, 0.25]]]]  # as torchvision


@pytest.mark.parametrize(("stride", "padding", "dilation", "groups", "offset_groups"), FORMS)
def test_gradients_of_deform_conv2d(vision, stride, padding, dilation, groups, offset_groups):
    tensors = deform_case(stride, padding, dilation, groups, offset_groups)
    numbers = (*stride, *padding, *dilation, groups, offset_groups)
    inputs = [t.requires_grad_() for t in tensors]
    assert torch.autograd.gradcheck(lambda *t: vision.deform_conv2d(*t, *numbers, True), inputs)
    result = vision.deform_conv2d(*inputs, *numbers, True)
    grad = torch.randn_like(result)
    want = torch.autograd.grad(result, inputs, grad)
    for got, expected in zip(vision._deform_conv2d_backward(grad, *(t.detach() for t in inputs), *numbers, True), want):
        torch.testing.assert_close(got, expected)


def test_backward_operators(vision):
    x, rois = case(12)
    x.requires_grad_()
    pooled, sizes = (2, 3), (2, 12, 5, 7)
    result = vision.roi_align(x, rois, 0.7, *pooled, 2, True)
    grad = torch.randn_like(result)
    torch.testing.assert_close(vision._roi_align_backward(grad, rois, 0.7, *pooled, *sizes, 2, True), *torch.autograd.grad(result, x, grad))
    result, at = vision.roi_pool(x, rois, 0.7, *pooled)
    torch.testing.assert_close(vision._roi_pool_backward(grad, rois, at, 0.7, *pooled, *sizes), *torch.autograd.grad(result, x, grad))
    result, at = vision.ps_roi_align(x, rois[:4], 0.7, *pooled, 2)
    grad = torch.randn_like(result)
    torch.testing.assert_close(vision._ps_roi_align_backward(grad, rois[:4], at, 0.7, *pooled, 2, *sizes), *torch.autograd.grad(result, x, grad))
    result, at = vision.ps_roi_pool(x, rois[:4], 0.7, *pooled)
    torch.testing.assert_close(vision._ps_roi_pool_backward(grad, rois[:4], at, 0.7, *pooled, *sizes), *torch.autograd.grad(result, x, grad))


def test_second_derivatives_are_refused(vision):
    x, rois = case(6)
    x.requires_grad_()
    for name, result in (("roi_align", vision.roi_align(x, rois, 1.0, 1, 1, 1, True)), ("roi_pool", vision.roi_pool(x, rois, 1.0, 1, 1)[0])):
        (grad,) = torch.autograd.grad(result.square().sum(), x, create_graph=True)
        with pytest.raises(RuntimeError, match=f"double backwards on {name} not supported"):
            grad.sum().backward()


# ---- empty input, other dtypes, what does not fit ----
def test_empty_input(vision):
    x, rois = torch.rand(2, 4, 5, 7, requires_grad=True), torch.tensor(ROIS)
    for operator in (lambda x, r: vision.roi_align(x, r, 1.0, 2, 2, -1, True), lambda x, r: vision.roi_pool(x, r, 1.0, 2, 2)[0]):
        result = operator(x, rois[:0])
        result.sum().backward()
        assert result.shape == (0, 4, 2, 2) and x.grad.eq(0).all()
        assert operator(x[:, :0], rois).shape == (6, 0, 2, 2)
        assert operator(x[:, :, :0], rois).eq(0).all()
        assert operator(x[:0], rois[:0]).shape == (0, 4, 2, 2)
    assert vision.ps_roi_align(x, rois[:0], 1.0, 2, 2, -1)[1].shape == (0, 1, 2, 2)
    none = vision.deform_conv2d(x[:0], torch.ones(3, 4, 1, 1), torch.zeros(0, 2, 5, 7), torch.ones(0, 1, 5, 7), torch.zeros(3), 1, 1, 0, 0, 1, 1, 1, 1, True)
    assert none.shape == (0, 3, 5, 7)


def test_regions_that_are_no_numbers(vision):
    x = torch.ones(1, 4, 5, 7)
    rois = torch.tensor([[0, math.nan, 0, 2, 2], [0, 0, 0, math.inf, 2], [0, -1e30, -1e30, 1e30, 1e30]])
    for result in (vision.roi_align(x, rois, 1.0, 2, 2, -1, True), vision.roi_align(x, rois, 1.0, 2, 2, 2, False), vision.ps_roi_align(x, rois, 1.0, 2, 2, -1)[0]):
        assert result[0].nan_to_num().eq(0).all()
    assert vision.roi_pool(x, rois, 1.0, 2, 2)[1][:2].eq(-1).all()
    assert vision.ps_roi_pool(x, rois, 1.0, 2, 2)[0][:2].eq(0).all()


def test_half(vision):
    x, rois = case(12, torch.float32)
    for operator in (lambda x, r: vision.roi_align(x, r, 1.0, 2, 3, -1, False), lambda x, r: vision.roi_pool(x, r, 1.0, 2, 3)[0], lambda x, r: vision.ps_roi_pool(x, r, 1.0, 2, 3)[0]):
        got = operator(x.half(), rois.half())
        assert got.dtype == torch.float16
        torch.testing.assert_close(got, operator(x.half().float(), rois.half().float()).half())


def test_meta(vision):
    x, rois = torch.empty(2, 12, 5, 7, device="meta"), torch.empty(6, 5, device="meta")
    assert vision.roi_align(x, rois, 1.0, 2, 3, -1, True).shape == (6, 12, 2, 3)
    assert [t.shape for t in vision.ps_roi_pool(x, rois, 1.0, 2, 3)] == [(6, 2, 2, 3)] * 2
    with pytest.raises(NotImplementedError):
        vision.nms(torch.empty(3, 4, device="meta"), torch.empty(3, device="meta"), 0.5)


def test_errors(vision):
    boxes, scores = torch.rand(3, 4), torch.rand(3)
    for arguments, message in (
        ((boxes[0], scores), "boxes should be a 2d tensor, got 1D"), ((boxes[:, :3], scores), "boxes should have 4 elements in dimension 1, got 3"),
        ((boxes, scores[None]), "scores should be a 1d tensor, got 2D"), ((boxes, scores[:2]), "same number of elements in dimension 0, got 3 and 2"),
        ((boxes, scores.double()), "dets should have the same type as scores"), ((boxes.long(), scores.long()), "\"nms_kernel\" not implemented for 'Long'"),
    ):
        with pytest.raises(RuntimeError, match=message):
            vision.nms(*arguments, 0.5)
    x, rois = torch.rand(2, 4, 5, 7), torch.tensor(ROIS)
    for arguments, message in (
        ((x, rois[:, :4]), r"rois must have shape as Tensor\[K, 5\]"), ((x, rois.double()), "input should have the same type as rois"),
        ((x.long(), rois.long()), "\"roi_align_forward_kernel\" not implemented for 'Long'"), ((x[0], rois), "input should have 4 dimensions, got 3"),
        ((x, rois + 2), "region 0 is of no image in a batch of 2"), ((x, rois * math.nan), "region 0 is of no image"),
    ):
        with pytest.raises(RuntimeError, match=message):
            vision.roi_align(*arguments, 1.0, 2, 2, -1, False)
    with pytest.raises(RuntimeError, match="negative dimension -2"):
        vision.roi_align(x, rois, 1.0, -2, 2, -1, False)
    with pytest.raises(RuntimeError, match=r"input channels must be a multiple of pooling height \* pooling width"):
        vision.ps_roi_align(x[:, :3], rois, 1.0, 2, 2, -1)
    with pytest.raises(RuntimeError, match="channel_mapping is not the one of the forward pass"):
        vision._ps_roi_pool_backward(torch.ones(6, 1, 2, 2), rois, torch.zeros(6, 1, 2, 2, dtype=torch.int32), 1.0, 2, 2, 2, 4, 5, 7)


def test_errors_of_deform_conv2d(vision):
    x, weight, offset, mask, bias = torch.rand(2, 4, 5, 6), torch.ones(6, 4, 3, 3), torch.zeros(2, 18, 3, 4), torch.ones(2, 9, 3, 4), torch.zeros(6)

    def run(x=x, weight=weight, offset=offset, mask=mask, bias=bias, stride=1, padding=0, groups=1, offset_groups=1):
        return vision.deform_conv2d(x, weight, offset, mask, bias, stride, stride, padding, padding, 1, 1, groups, offset_groups, True)

    for change, message in (
        ({"x": x[0]}, "input should have 4 dimensions, got 3"), ({"offset": offset[:, :17]}, r"offset.shape\[1\] is not valid: got: 17 expected: 18"),
        ({"mask": mask[:, :8]}, r"mask.shape\[1\] is not valid: got: 8 expected: 9"), ({"mask": mask[:1]}, "invalid batch size of mask"),
        ({"offset": offset[:, :, :2]}, r"offset output dims: \(2, 4\) - computed output dims: \(3, 4\)"), ({"offset": offset[:1]}, "invalid batch size of offset"),
        ({"groups": 3}, "do not fit together"), ({"offset_groups": 3}, "do not fit together"), ({"stride": 0}, "should be greater than 0"),
        ({"padding": -1}, "padding not negative"), ({"bias": bias[:2]}, r"bias should have sizes \[6\], got \[2\]"), ({"weight": weight.double()}, "weight should have the same type"),
    ):
        with pytest.raises(RuntimeError, match=message):
            run(**change)


# ---- libraries ----
def test_libraries_that_are_replaced(tmp_path, vision):
    assert vision._cuda_version() == -1 and str(vision.nms) == "torchvision.nms"
    with pytest.raises(NotImplementedError, match="qnms"):
        vision.qnms(torch.rand(3, 4), torch.rand(3), 0.5)
    with pytest.raises(OSError, match="No such file"):
        torch.ops.load_library(tmp_path / "torchvision" / "_C_stable.so")
    (tmp_path / "_C.so").write_bytes(b"")
    with pytest.raises(NotImplementedError, match="loads no compiled operators"):
        torch.ops.load_library(tmp_path / "_C.so")


def test_registered_for_autocast(vision):
    before = dict(torch.library._operators["torchvision::roi_align"].kernels)
    keys = torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCPU) | torch._C.DispatchKeySet(torch._C.DispatchKey.AutocastCUDA)

    def widened(x, *rest):
        with torch._C._ExcludeDispatchKeyGuard(keys):
            assert not torch.is_autocast_enabled("cpu")
            return vision.roi_align(x.float(), *rest).to(x.dtype)

    try:
        torch.library.Library("torchvision", "IMPL").impl("roi_align", widened, "AutocastCPU")
        with torch.autocast("cpu", dtype=torch.bfloat16):
            assert vision.roi_align(torch.ones(1, 1, 3, 3).bfloat16(), torch.tensor([[0.0, 0, 0, 2, 2]]), 1.0, 1, 1, 1, True).dtype == torch.bfloat16
            assert torch.is_autocast_enabled("cpu")
    finally:
        torch.library._operators["torchvision::roi_align"].kernels = before
