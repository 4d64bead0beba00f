"""`memory_format=` wherever it is taken: the strides of the result, and the values whatever they are."""

import pytest

import pywasmtorch as torch

F = torch.nn.functional
LAST, LAST_3D, ROWS, KEEP = torch.channels_last, torch.channels_last_3d, torch.contiguous_format, torch.preserve_format
SIZES = (2, 3, 4, 5)
STRIDES = {LAST: (60, 1, 15, 3), ROWS: (60, 20, 5, 1)}
LIKE = [torch.empty_like, torch.zeros_like, torch.ones_like, torch.rand_like, torch.randn_like, lambda x, **names: torch.full_like(x, 2, **names),
        lambda x, **names: torch.randint_like(x, 5, **names), lambda x, **names: torch.empty_like(x, dtype=torch.int8, **names)]
COPIES = [lambda x, **names: x.clone(**names), torch.clone, lambda x, **names: x.double(**names), lambda x, **names: x.half(**names), lambda x, **names: x.int(**names),
          lambda x, **names: x.to(torch.float64, **names), lambda x, **names: x.type(torch.float64, **names), lambda x, **names: x.to(x.dtype, copy=True, **names)]


def rows():
    return torch.arange(120.0).reshape(SIZES)


def last():
    return rows().contiguous(memory_format=LAST)


@pytest.mark.parametrize("make", LIKE + COPIES)
@pytest.mark.parametrize("source", [rows, last, lambda: rows().transpose(1, 3).contiguous().transpose(1, 3), lambda: torch.ones(1, 3, 1, 1).expand(SIZES)])
def test_results_of_a_format(make, source):
    x = source()
    for form, strides in STRIDES.items():
        result = make(x, memory_format=form)
        assert result.stride() == strides and result.is_contiguous(memory_format=form)
    assert make(x).stride() == make(x, memory_format=KEEP).stride()
    with pytest.raises(RuntimeError, match="required rank 5 tensor to use channels_last_3d format"):
        make(x, memory_format=LAST_3D)


@pytest.mark.parametrize("copy", COPIES)
def test_values_and_gradients_of_copies(copy):
    x = rows().requires_grad_()
    y = copy(x, memory_format=LAST)
    assert y.to(torch.float32).equal(x)
    if y.requires_grad:
        (y * torch.arange(3).reshape(3, 1, 1)).sum().backward()
        assert x.grad.equal(torch.arange(3.0).reshape(3, 1, 1).expand(SIZES))


def test_what_has_the_format_is_not_copied():
    for x, form in ((rows(), ROWS), (last(), LAST)):
        for same in (x.to(memory_format=form), x.float(memory_format=form), x.cpu(memory_format=form), x.contiguous(memory_format=form), x.type(torch.float32, memory_format=form)):
            assert same.data_ptr() == x.data_ptr()
    x = rows().transpose(1, 3)
    assert x.to(memory_format=ROWS).stride() == x.stride()  # strides of neither format are taken for rows
    assert last()[:, :2].to(memory_format=LAST).stride() == (60, 1, 15, 3)
    assert last().to(memory_format=ROWS).stride() == last().cpu(memory_format=ROWS).stride() == STRIDES[ROWS]
    assert rows().to("cpu", memory_format=LAST).stride() == rows().to(rows(), memory_format=LAST).stride() == STRIDES[LAST]


def test_three_dimensions_of_space():
    x = torch.arange(240.0).reshape(2, 3, 4, 5, 2)
    for y in (x.clone(memory_format=LAST_3D), torch.empty_like(x, memory_format=LAST_3D), torch.empty(x.shape, memory_format=LAST_3D), x.to(memory_format=LAST_3D)):
        assert y.stride() == (120, 1, 30, 6, 3) and y.is_contiguous(memory_format=LAST_3D) and not y.is_contiguous()
    with pytest.raises(RuntimeError, match="required rank 4"):
        x.contiguous(memory_format=LAST)


def test_sizes_of_one_and_of_none():
    assert torch.ones(2, 1, 4, 5).clone(memory_format=LAST).stride() == (20, 1, 5, 1)
    assert torch.ones(2, 3, 1, 1).clone(memory_format=LAST).stride() == (3, 1, 3, 3)
    assert torch.ones(2, 3, 1, 1).contiguous(memory_format=LAST).stride() == (3, 1, 1, 1)
    assert torch.ones(2, 3, 1, 1).to(memory_format=LAST).stride() == (3, 1, 3, 3)
    assert torch.ones(2, 0, 4, 5).clone(memory_format=LAST).stride() == (0, 1, 0, 0)
    assert not torch.ones(2, 0, 4, 5).is_contiguous(memory_format=LAST) and torch.ones(2, 0, 4, 5).is_contiguous()


def test_empty():
    for form, strides in STRIDES.items():
        assert torch.empty(SIZES, memory_format=form).stride() == torch.empty(*SIZES, memory_format=form, dtype=torch.int8).stride() == strides
    with pytest.raises(RuntimeError, match="required rank 4"):
        torch.empty(2, 3, memory_format=LAST)
    with pytest.raises(RuntimeError, match="unsupported memory format Preserve"):
        torch.empty(SIZES, memory_format=KEEP)
    with pytest.raises(RuntimeError, match="incompatible with 'out'"):
        torch.empty(SIZES, memory_format=LAST, out=torch.ones(0))


def test_resizing():
    assert torch.zeros(3).resize_(SIZES, memory_format=LAST).stride() == STRIDES[LAST]
    assert last().resize_(SIZES).stride() == STRIDES[LAST] and last().resize_(SIZES, memory_format=ROWS).stride() == STRIDES[ROWS]
    assert torch.zeros(3).resize_as_(last()).stride() == STRIDES[ROWS]
    assert torch.zeros(3).resize_as_(last(), memory_format=KEEP).stride() == torch.zeros(3).resize_as_(rows(), memory_format=LAST).stride() == STRIDES[LAST]
    with pytest.raises(RuntimeError, match="Unsupported memory format"):
        torch.zeros(3).resize_(SIZES, memory_format=KEEP)
    x = torch.arange(4.0).reshape(2, 2).t()
    assert x.resize_(2, 2).tolist() == [[0, 2], [1, 3]]  # nothing to resize, so nothing changes


def test_modules():
    model = torch.nn.Sequential(torch.nn.Conv2d(4, 3, 3), torch.nn.BatchNorm2d(3), torch.nn.Flatten(), torch.nn.Linear(12, 2))
    x = torch.randn(1, 4, 4, 4)
    before, weight = model.eval()(x), model[0].weight
    wanted = weight.detach().clone()
    assert model.to(memory_format=LAST) is model and model[0].weight is weight
    assert weight.stride() == (36, 1, 12, 4) and weight.equal(wanted) and model[3].weight.stride() == (12, 1)
    assert torch.allclose(model(x.to(memory_format=LAST)), before, atol=1e-6)
    assert model.to(torch.float64, memory_format=ROWS)[0].weight.stride() == (36, 9, 3, 1) and model[0].weight.dtype == torch.float64
    with pytest.raises(RuntimeError, match="required rank 5"):
        torch.nn.Conv2d(4, 3, 3).to(memory_format=LAST_3D)
    assert torch.nn.Conv3d(4, 3, 3).to(memory_format=LAST_3D).weight.stride() == (108, 1, 36, 12, 4)


@pytest.mark.parametrize("value", [1, "channels_last"])
def test_other_values(value):
    x = rows()
    for call in (x.clone, x.contiguous, x.is_contiguous, x.double, x.to, lambda **names: torch.empty_like(x, **names), lambda **names: torch.empty(SIZES, **names),
                 lambda **names: x.resize_(SIZES, **names), lambda **names: torch.nn.Conv2d(1, 1, 1).to(**names)):
        with pytest.raises(TypeError, match="memory_format"):
            call(memory_format=value)
    with pytest.raises(RuntimeError, match="preserve memory format is unsupported"):
        x.transpose(0, 1).contiguous(memory_format=KEEP)


KEPT = {
    "cat": (lambda x: torch.cat([x, x], 1), (2, 8, 6, 6)), "batch_norm": (lambda x: F.batch_norm(x, None, None, training=True), (2, 4, 6, 6)),
    "group_norm": (lambda x: F.group_norm(x, 2), (2, 4, 6, 6)), "pad": (lambda x: F.pad(x, (1, 1, 1, 1)), (2, 4, 8, 8)), "flip": (lambda x: x.flip(1), (2, 4, 6, 6)),
    "roll": (lambda x: x.roll(1, 1), (2, 4, 6, 6)), "nearest": (lambda x: F.interpolate(x, scale_factor=2), (2, 4, 12, 12)),
    "bilinear": (lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"), (2, 4, 12, 12)), "pixel_unshuffle": (lambda x: F.pixel_unshuffle(x, 2), (2, 16, 3, 3)),
    "channel_shuffle": (lambda x: F.channel_shuffle(x, 2), (2, 4, 6, 6)), "conv2d": (lambda x: F.conv2d(x, torch.ones(8, 4, 3, 3)), (2, 8, 4, 4)),
}  # fmt: skip


@pytest.mark.parametrize("name", KEPT)
def test_channels_stay_last(name):
    function, shape = KEPT[name]
    plain = torch.arange(288.0).view(2, 4, 6, 6)
    x = plain.contiguous(memory_format=torch.channels_last)
    result = function(x)
    n, c, h, w = shape
    assert result.shape == shape and result.stride() == (c * h * w, 1, w * c, c)
    assert torch.equal(result, function(plain))
    assert function(plain).is_contiguous()


def test_concatenation_of_two_layouts_is_contiguous():
    x = torch.ones(2, 4, 6, 6)
    assert torch.cat([x, x.contiguous(memory_format=torch.channels_last)], 1).is_contiguous()
