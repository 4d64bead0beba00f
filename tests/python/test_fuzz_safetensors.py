"""Damaged and random bytes against the safetensors reader."""

import json
import struct

import pytest

from pywasmtorch import safetensors
from pywasmtorch.safetensors import SafetensorError

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
st = pytest.importorskip("hypothesis.strategies")

HEADER = json.dumps(
    {
        "x": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]},
        "y": {"dtype": "U8", "shape": [3], "data_offsets": [8, 11]},
    }
).encode()
VALID = struct.pack("<Q", len(HEADER)) + HEADER + bytes(range(11))
CHANGES = st.lists(st.tuples(st.integers(0, len(VALID) - 1), st.integers(0, 255)), min_size=1, max_size=4)


def load_or_refuse(data):
    """The tensors in ``data``, or None where it is refused with the reader's own errors."""
    try:
        return safetensors.load(data)
    except (SafetensorError, NotImplementedError):
        return None


def test_undamaged():
    assert {name: tensor.numel() for name, tensor in load_or_refuse(VALID).items()} == {"x": 2, "y": 3}


@hypothesis.settings(max_examples=300, deadline=None)
@hypothesis.given(CHANGES, st.integers(0, len(VALID)))
def test_damaged_files(changes, length):
    data = bytearray(VALID)
    for place, byte in changes:
        data[place] = byte
    for candidate in (bytes(data), bytes(data[:length])):
        tensors = load_or_refuse(candidate) or {}
        assert sum(tensor.numel() * tensor.element_size() for tensor in tensors.values()) <= len(candidate)


@hypothesis.settings(max_examples=200, deadline=None)
@hypothesis.given(st.binary(max_size=200))
def test_random_bytes(data):
    assert not load_or_refuse(data)
    assert not load_or_refuse(struct.pack("<Q", len(data)) + data)
