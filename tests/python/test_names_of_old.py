"""Older names that programs still use: storages of a dtype, `nuclear_norm`, `GradScaler`, `nn.functional.grad`."""

import struct

import pytest

import pywasmtorch as torch


@pytest.mark.parametrize("name, dtype, values", [("int", torch.int32, [1, -2]), ("double", torch.float64, [1.5, -2.25]), ("bool", torch.bool, [True, True]), ("half", torch.float16, [1.5, -2.25])])
def test_a_storage_of_another_dtype_is_a_copy(name, dtype, values):
    storage = torch.tensor([1.5, -2.25]).storage()
    other = getattr(storage, name)()
    assert other.dtype is dtype and other.tolist() == values
    other[0] = 0
    assert storage[0] == 1.5
    same = storage.float()
    same[0] = 0
    assert storage[0] == 1.5


def test_storages_of_buffers():
    data = struct.pack("<3f", 1, 2, 3)
    assert torch.FloatStorage.from_buffer(data, "little").tolist() == [1, 2, 3]
    assert torch.FloatStorage.from_buffer(struct.pack(">2f", 1, 2), "big").tolist() == [1, 2]
    assert torch.FloatStorage.from_buffer(data, byte_order="native", count=1, offset=4).tolist() == [2]
    assert torch.ByteStorage.from_buffer(bytearray(b"ab")).tolist() == [97, 98]
    with pytest.raises(RuntimeError, match="byte_order"):
        torch.FloatStorage.from_buffer(data)
    with pytest.raises(ValueError, match="offset"):
        torch.FloatStorage.from_buffer(data, "little", -1, 100)
    with pytest.raises(ValueError, match="elements of 4 bytes"):
        torch.FloatStorage.from_buffer(data, "little", 4)
    with pytest.raises(ValueError, match="middle"):
        torch.FloatStorage.from_buffer(data, "middle")


def test_nuclear_norm():
    assert torch.nuclear_norm(torch.tensor([[1.0, 2.0], [3.0, 4.0]])).item() == pytest.approx(5.8309519, rel=1e-6)
    assert torch.nuclear_norm(torch.ones(2, 2, 2), [0, 1]).tolist() == pytest.approx([2, 2], rel=1e-6)
    assert torch.nuclear_norm(torch.eye(2), keepdim=True).shape == (1, 1)
    with pytest.raises(RuntimeError, match="2 dimensions"):
        torch.nuclear_norm(torch.ones(2))


def test_places():
    assert torch.GradScaler is torch.amp.GradScaler and torch.nn.functional.grad is torch.nn.grad and torch.Storage is torch.FloatStorage
