"""Bools whose bytes are neither 0 nor 1: each is one true element, for every reader."""

import importlib
import json

import pytest

import pywasmtorch as torch

BYTES = [0, 2, 3, 255, 1, 0, 4]
TRUTH = [False, True, True, True, True, False, True]


def odd():
    return torch.tensor(BYTES, dtype=torch.uint8).view(torch.bool)


def from_set():
    return torch.empty(0, dtype=torch.bool).set_(torch.tensor(BYTES, dtype=torch.uint8).untyped_storage())


def from_storage():
    x = torch.zeros(7, dtype=torch.bool)
    for i, byte in enumerate(BYTES):
        x.untyped_storage()[i] = byte
    return x


def from_view():
    x = torch.zeros(7, dtype=torch.bool)
    x.view(torch.uint8).copy_(torch.tensor(BYTES, dtype=torch.uint8))
    return x


def from_int16():
    return torch.tensor([512, -253, 1, 4], dtype=torch.int16).view(torch.bool)[:7]


WAYS = {
    "view": odd, "frombuffer": lambda: torch.frombuffer(bytearray(BYTES), dtype=torch.bool), "set_": from_set, "untyped storage": from_storage,
    "view of a bool": from_view, "view of int16": from_int16,
}


@pytest.mark.parametrize("way", WAYS)
def test_however_they_were_written(way):
    x = WAYS[way]()
    plain = torch.tensor(TRUTH)
    assert x.view(torch.uint8).tolist() == BYTES and x.tolist() == TRUTH
    assert x.sum().item() == 5 and torch.equal(x, plain) and x.eq(plain).all() and (x * 1).tolist() == [int(v) for v in TRUTH]


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.complex128])
def test_conversion(dtype):
    assert odd().to(dtype).tolist() == torch.tensor(TRUTH).to(dtype).tolist()
    assert odd()[::2].to(dtype).tolist() == torch.tensor(TRUTH[::2]).to(dtype).tolist()


Z = [True, False, False, True, True, False, True]


def pair():
    return odd(), torch.tensor([7, 0, 0, 1, 2, 0, 8], dtype=torch.uint8).view(torch.bool)


READERS = {
    "eq": lambda x, z: x == z, "ne": lambda x, z: x != z, "lt": lambda x, z: x < z, "ge": lambda x, z: x >= z, "eq a number": lambda x, z: x == 1,
    "and": lambda x, z: x & z, "or": lambda x, z: x | z, "xor": lambda x, z: x ^ z, "not": lambda x, z: ~x,
    "logical_and": torch.logical_and, "logical_or": torch.logical_or, "logical_xor": torch.logical_xor, "logical_not": lambda x, z: torch.logical_not(x),
    "add": lambda x, z: x + z, "mul": lambda x, z: x * z, "with an integer": lambda x, z: (x & 3) + x * 2, "div": lambda x, z: x / 2, "pow": lambda x, z: 2**x,
    "cumsum": lambda x, z: x.cumsum(0), "cumprod": lambda x, z: x.cumprod(0), "sum of columns": lambda x, z: torch.stack([x, z]).sum(0), "prod": lambda x, z: x.prod(),
    "mean": lambda x, z: x.mean(dtype=torch.float32), "any": lambda x, z: torch.stack([x, z]).any(0), "all": lambda x, z: torch.stack([x, z]).all(0),
    "all of them": lambda x, z: x[1:5].all(), "max": lambda x, z: torch.max(x, 0)[1], "amax": lambda x, z: x.amax(), "maximum": torch.maximum,
    "sort": lambda x, z: x.sort(stable=True)[1], "unique": lambda x, z: x.unique(return_counts=True)[1], "unique_consecutive": lambda x, z: torch.unique_consecutive(x),
    "nonzero": lambda x, z: x.nonzero(), "count_nonzero": lambda x, z: torch.count_nonzero(x),
    "mask": lambda x, z: torch.arange(7)[x], "masked_fill": lambda x, z: torch.arange(7).masked_fill(x, 9), "where": lambda x, z: torch.where(x, 1, 0),
    "where of bools": lambda x, z: torch.where(z, x, z).int(), "cat": lambda x, z: torch.cat([x, z]).int(), "gather": lambda x, z: x.gather(0, torch.tensor([1, 2])).int(),
    "accumulate": lambda x, z: x.index_put((torch.tensor([1]),), torch.tensor(True), accumulate=True).int(), "exp": lambda x, z: x.exp(), "isclose": torch.isclose,
    "diff": lambda x, z: x.diff(), "pad": lambda x, z: torch.nn.functional.pad(x, (1, 1)).int(), "equal": lambda x, z: torch.tensor(torch.equal(x, z)),
}


@pytest.mark.parametrize("name", READERS)
def test_readers(name):
    found, expected = (READERS[name](*inputs) for inputs in (pair(), (torch.tensor(TRUTH), torch.tensor(Z))))
    assert found.dtype is expected.dtype and found.tolist() == expected.tolist()


def test_in_place():
    for name in ("logical_and_", "logical_or_", "logical_xor_", "bitwise_xor_", "eq_", "mul_", "add_"):
        x, z = pair()
        assert getattr(x, name)(z).tolist() == getattr(torch.tensor(TRUTH), name)(torch.tensor(Z)).tolist(), name


def test_results_of_operators_are_0_and_1():
    x, z = pair()
    for result in (x & z, x | z, x ^ z, ~x, torch.logical_or(x, z), x == z):
        assert set(result.view(torch.uint8).tolist()) <= {0, 1}


def test_single_elements():
    x = odd()
    assert x[1].item() is True and bool(x[3]) and int(x[3]) == 1 and float(x[2]) == 1.0 and x[6].is_nonzero()
    assert repr(x[:3]) == "tensor([False,  True,  True])"


def test_an_attention_mask():
    q, v = torch.ones(1, 1, 2), torch.arange(6.0).reshape(1, 3, 2)
    result = torch.nn.functional.scaled_dot_product_attention(q, torch.ones(1, 3, 2), v, attn_mask=odd()[None, :3])
    assert result.tolist() == [[[3.0, 4.0]]]


def test_safetensors():
    load = importlib.import_module("pywasmtorch.safetensors.torch").load
    header = json.dumps({"a": {"dtype": "BOOL", "shape": [7], "data_offsets": [0, 7]}}).encode()
    x = load(len(header).to_bytes(8, "little") + header + bytes(BYTES))["a"]
    assert x.sum().item() == 5 and torch.equal(x, torch.tensor(TRUTH))
