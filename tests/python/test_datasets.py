"""The data sets in the package."""

import pywasmtorch as torch
from pywasmtorch import datasets


def test_digits():
    images, labels = datasets.digits()
    assert images.shape == (1797, 8, 8) and images.dtype == torch.uint8
    assert labels.shape == (1797,) and labels.dtype == torch.int64
    assert images.max().item() == 16 and images.min().item() == 0
    assert [int((labels == digit).sum()) for digit in range(10)] == [178, 182, 177, 183, 181, 182, 181, 179, 174, 180]
    assert labels[:10].tolist() == list(range(10))
    assert images[0].tolist() == [
        [0, 0, 5, 13, 9, 1, 0, 0],
        [0, 0, 13, 15, 10, 15, 5, 0],
        [0, 3, 15, 2, 0, 11, 8, 0],
        [0, 4, 12, 0, 0, 8, 8, 0],
        [0, 5, 8, 0, 0, 9, 8, 0],
        [0, 4, 11, 0, 1, 12, 7, 0],
        [0, 2, 14, 5, 10, 12, 0, 0],
        [0, 0, 6, 13, 10, 0, 0, 0],
    ]


def test_each_call_gives_its_own_tensors():
    images, _ = datasets.digits()
    images.zero_()
    assert int(datasets.digits()[0].sum()) == 561718
