"""Rounding of 16-bit floats, integers and Python numbers, as in torch 2.13."""

import pytest

import pywasmtorch as torch

F = torch.nn.functional


def test_numbers_among_themselves_stay_double():
    x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
    torch.lerp(x, x.detach() * 2, 0.4).sum().backward()
    assert x.grad.tolist() == [0.6, 0.6]
    y = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    torch.pow(2.0, y).backward()
    assert y.grad.item() == pytest.approx(1.3862943611198906, rel=1e-15)
    assert torch.mul(2.0, 3.0).dtype is torch.float32
    assert torch.add(2, 3.0).dtype is torch.float32
    assert torch.div(1, 3).item() == torch.tensor(1 / 3).item()


def test_images_of_bytes():
    x = (torch.arange(16) * 17).to(torch.uint8).reshape(1, 1, 4, 4)
    assert F.interpolate(x, (3, 6), mode="bicubic").flatten().tolist() == [8, 16, 30, 39, 53, 61, 101, 109, 123, 132, 146, 154, 194, 202, 216, 225, 239, 247]
    bilinear = F.interpolate(x, (3, 6), mode="bilinear", align_corners=True)
    assert bilinear.flatten().tolist() == [0, 10, 20, 31, 41, 51, 102, 112, 122, 133, 143, 153, 204, 214, 224, 235, 245, 255]


def test_means_of_integers_go_towards_zero():
    assert F.avg_pool2d(torch.tensor([[[-7, 3, 2, 5], [1, -9, 4, -4]]]), 2).tolist() == [[[-3, 1]]]
    assert F.avg_pool1d(torch.tensor([[-7, 3, 2, 5]]), 3, 1, 1, count_include_pad=False).tolist() == [[-2, 0, 3, 3]]


def test_ranges():
    assert torch.linspace(4.3, -3, 9, dtype=torch.float16).tolist() == [4.30078125, 3.388671875, 2.4765625, 1.5625, 0.650390625, -0.26171875, -1.1748046875, -2.087890625, -3.0]
    assert torch.logspace(4.3, 0, 3, dtype=torch.bfloat16).tolist() == [20480.0, 143.0, 1.0]
    assert torch.arange(0.0, -8.1, -4.0, dtype=torch.int64).tolist() == [0, -4]


def test_sums_round_after_each_batch():
    b = (torch.arange(12.0).reshape(3, 2, 2) / 7).half()
    assert torch.addbmm(torch.full((2, 2), 0.3).half(), b, b, beta=0.7, alpha=0.3).tolist() == [[1.447265625, 1.6123046875], [1.814453125, 2.052734375]]


def test_counts_of_halves():
    assert torch.histc(torch.tensor([-2.53, 1.27, 9.9], dtype=torch.float16), 9, -10, 10).tolist() == [0, 0, 0, 1, 0, 1, 0, 0, 1]
