"""digits: 1,797 handwritten digits."""

import zlib
from pathlib import Path

import pywasmtorch as torch

DIGITS_COUNT = 1797


def digits():
    """Return the handwritten digits as ``(images, labels)``.

    ``images`` is uint8 of size [1797, 8, 8] with values 0 (empty) to 16 (full); ``labels`` is int64 of size [1797] with
    values 0 to 9. Source: E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
    Repository, 1998, CC BY 4.0.
    """
    data = bytearray(zlib.decompress((Path(__file__).parent / "digits.zlib").read_bytes()))
    pixels = DIGITS_COUNT * 64
    images = torch.frombuffer(data, dtype=torch.uint8, count=pixels)
    labels = torch.frombuffer(data, dtype=torch.uint8, offset=pixels)
    return images.reshape(64, DIGITS_COUNT).t().reshape(DIGITS_COUNT, 8, 8), labels.to(torch.int64)
