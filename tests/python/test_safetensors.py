"""safetensors files: round trips, the format's bytes, agreement with the reference package, and hostile data."""

import json
import struct

import pytest

import pywasmtorch as torch
from pywasmtorch import safetensors
from pywasmtorch.safetensors import SafetensorError

DTYPES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "float16": "F16", "bfloat16": "BF16",
    "float32": "F32", "float64": "F64", "uint16": "U16", "uint32": "U32", "uint64": "U64", "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
    "float8_e4m3fnuz": "F8_E4M3FNUZ", "float8_e5m2fnuz": "F8_E5M2FNUZ", "float8_e8m0fnu": "F8_E8M0",
}  # fmt: skip


def pack(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def same(left, right):
    return left.dtype == right.dtype and left.shape == right.shape and left.tolist() == right.tolist()


@pytest.mark.parametrize("name", DTYPES)
@pytest.mark.parametrize("size", [(), (0,), (3,), (2, 0, 3), (2, 3)])
def test_round_trip(name, size, tmp_path):
    count = 1
    for extent in size:
        count *= extent
    tensor = torch.arange(count).reshape(size).to(getattr(torch, name))
    assert same(safetensors.load(safetensors.save({"x": tensor}))["x"], tensor)
    safetensors.save_file({"x": tensor}, tmp_path / "x.safetensors")
    assert same(safetensors.load_file(tmp_path / "x.safetensors")["x"], tensor)


def test_bytes_of_a_file():
    data = safetensors.save({"b": torch.tensor([1, 2], dtype=torch.uint8), "a": torch.tensor([1.0])}, {"k": "v"})
    header = b'{"__metadata__":{"k":"v"},"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[4,6]}}'
    header += b" " * (-len(header) % 8)
    assert data == struct.pack("<Q", len(header)) + header + struct.pack("<f", 1.0) + b"\x01\x02"


def test_special_values_keep_their_bits():
    values = torch.tensor([float("nan"), float("inf"), -0.0, 1e-45])
    loaded = safetensors.load(safetensors.save({"x": values}))["x"]
    assert loaded.view(torch.int32).tolist() == values.view(torch.int32).tolist()


def test_loaded_tensors_are_separate():
    data = bytearray(safetensors.save({"a": torch.zeros(2), "b": torch.zeros(2)}))
    loaded = safetensors.load(data)
    loaded["a"].fill_(5)
    data[-1] = 99
    assert loaded["b"].tolist() == [0, 0]


def test_metadata_and_names(tmp_path):
    path = tmp_path / "x.safetensors"
    safetensors.save_file({"ü": torch.tensor([1]), "": torch.tensor(2.0), "layer.0/weight": torch.zeros(1)}, path, {"ключ": "值"})
    with safetensors.safe_open(path, framework="pt") as file:
        assert file.metadata() == {"ключ": "值"}
        assert file.keys() == ["", "layer.0/weight", "ü"]
        assert file.get_tensor("ü").tolist() == [1]
        assert file.get_slice("ü").get_shape() == [1] and file.get_slice("ü").get_dtype() == "I64"
        with pytest.raises(SafetensorError, match=r"x\.safetensors.*'absent'"):
            file.get_tensor("absent")


def test_slices(tmp_path):
    path = tmp_path / "x.safetensors"
    values = torch.arange(12.0).reshape(3, 4)
    safetensors.save_file({"x": values}, path)
    with safetensors.safe_open(path) as file:
        assert file.get_slice("x")[1:, ::2].tolist() == values[1:, ::2].tolist()
    with pytest.raises(ValueError, match="closed"):
        file.get_tensor("x")


def test_parameters_are_saved_without_their_graph():
    parameter = torch.ones(2, requires_grad=True)
    loaded = safetensors.load(safetensors.save({"x": parameter}))["x"]
    assert loaded.tolist() == [1, 1] and not loaded.requires_grad


def test_what_cannot_be_saved():
    x = torch.arange(6.0).reshape(2, 3)
    with pytest.raises(ValueError, match="'x' is not contiguous"):
        safetensors.save({"x": x.t()})
    with pytest.raises(RuntimeError, match="'x' and 'y' share memory"):
        safetensors.save({"x": x, "y": x[1]})
    with pytest.raises(TypeError, match="'x' is not a tensor but int"):
        safetensors.save({"x": 3})
    with pytest.raises(TypeError, match="expected a dict .* got list"):
        safetensors.save([x])
    with pytest.raises(SafetensorError, match="__metadata__ holds text only, but 'a' is int"):
        safetensors.save({"x": x}, {"a": 1})
    with pytest.raises(SafetensorError, match="'__metadata__' cannot be a tensor's name"):
        safetensors.save({"__metadata__": x})
    with pytest.raises(SafetensorError, match="3 cannot be a tensor's name"):
        safetensors.save({3: x})


def test_separate_parts_of_one_storage_can_be_saved():
    x = torch.arange(6.0).reshape(2, 3)
    loaded = safetensors.load(safetensors.save({"a": x[0], "b": x[1]}))
    assert loaded["a"].tolist() == [0, 1, 2] and loaded["b"].tolist() == [3, 4, 5]


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="absent"):
        safetensors.load_file(tmp_path / "absent")
    with pytest.raises(NotImplementedError, match="'tf'"):
        safetensors.safe_open(tmp_path / "absent", framework="tf")
    with pytest.raises(NotImplementedError, match="'cuda'"):
        safetensors.load_file(tmp_path / "absent", device="cuda")


DATA = b"\0" * 8
DEEP = b'{"a":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
HOSTILE = {
    "nothing": (b"", "0 bytes are too few"),
    "half a length": (b"\0" * 7, "7 bytes are too few"),
    "header over the limit": (struct.pack("<Q", 100_000_001) + b"{}", "100000001 is over the limit"),
    "largest length": (b"\xff" * 8, "18446744073709551615 is over the limit"),
    "header past the end": (struct.pack("<Q", 10) + b"{}", "length 10 reaches past the end: 2 bytes"),
    "empty header": (pack(b""), "not valid JSON"),
    "not UTF-8": (pack(b'{"\xff":1}'), "not UTF-8: .* at byte 2"),
    "not JSON": (pack(b"{a}"), "not valid JSON"),
    "cut off": (pack(b'{"x":'), "not valid JSON"),
    "list": (pack(b"[]"), "must be a JSON object, not list"),
    "number": (pack(b"3"), "must be a JSON object, not int"),
    "leading space": (pack(b" {}"), "must begin with '{'"),
    "two values": (pack(b"{}{}"), "not valid JSON"),
    "nested": (pack(DEEP), "nested too deeply"),
    "endless text of quotes": (pack(b'{"' + b'\\"' * 1_000_000), "not valid JSON"),
    "duplicate tensor": (pack(b'{"x":1,"x":2}'), "'x' stands twice"),
    "duplicate key": (pack(b'{"x":{"dtype":"U8","dtype":"U8"}}'), "'dtype' stands twice"),
    "NaN": (pack(b'{"x":NaN}'), "NaN is not JSON"),
    "huge number": (pack(b'{"x":' + b"9" * 5000 + b"}"), "not valid JSON|exactly the keys"),
    "entry is a list": (pack({"x": []}), "'x' must have exactly the keys"),
    "key missing": (pack({"x": {"dtype": "U8", "shape": []}}), "'x' must have exactly the keys"),
    "key too many": (pack({"x": {**entry(), "more": 1}}, DATA), "'x' must have exactly the keys"),
    "unknown dtype": (pack({"x": entry("F31")}, DATA), "'x' has the unknown dtype 'F31'"),
    "dtype is a number": (pack({"x": entry(32)}, DATA), "dtype of tensor 'x' must be text, not int"),
    "shape is a number": (pack({"x": {**entry(), "shape": 2}}, DATA), "shape of tensor 'x' must be a list"),
    "negative size": (pack({"x": entry(shape=[-2])}, DATA), "shape of tensor 'x' must be a list of sizes"),
    "fractional size": (pack({"x": entry(shape=[2.0])}, DATA), "shape of tensor 'x' must be a list of sizes"),
    "bool as size": (pack({"x": entry(shape=[True, 2])}, DATA), "shape of tensor 'x' must be a list of sizes"),
    "size over 64 bits": (pack({"x": entry(shape=[2**64])}, DATA), "shape of tensor 'x' must be a list of sizes"),
    "product over 64 bits": (pack({"x": entry(shape=[2**32, 2**32])}, DATA), "shape of tensor 'x' overflows"),
    "wraps to the right count": (pack({"x": entry(shape=[2**62 + 1, 2])}, DATA), "shape of tensor 'x' overflows"),
    "zero hides an overflow": (pack({"x": entry(shape=[2**62, 2**62, 0], offsets=(0, 0))}), "shape of tensor 'x' overflows"),
    "too many dimensions": (pack({"x": entry(shape=[1] * 17 + [2])}, DATA), "'x' has 18 dimensions"),
    "one offset": (pack({"x": {**entry(), "data_offsets": [0]}}, DATA), "data_offsets of tensor 'x' must be two"),
    "negative offset": (pack({"x": entry(offsets=(-8, 0))}, DATA), "data_offsets of tensor 'x' must be two"),
    "offsets backwards": (pack({"x": entry(offsets=(8, 0))}, DATA), "'x' run backwards, from 8 to 0"),
    "offset past the end": (pack({"x": entry(offsets=(0, 16), shape=[4])}, DATA), "'x' ends at byte 16, but the data has 8"),
    "offset near 64 bits": (pack({"x": entry(offsets=(2**63 - 8, 2**63 - 1))}, DATA), "'x' ends at byte 9223372036854775807"),
    "shape and range disagree": (pack({"x": entry(shape=[3])}, DATA), r"'x' of shape \[3\] and dtype F32 needs 12 bytes, but has 8"),
    "overlap": (pack({"x": entry(), "y": entry("U8", [4], (4, 8))}, DATA), "'y' begins at byte 4, inside another"),
    "same range twice": (pack({"x": entry(), "y": entry()}, DATA), "begins at byte 0, inside another"),
    "hole at the beginning": (pack({"x": entry("U8", [4], (4, 8))}, DATA), "bytes 0 to 4 before tensor 'x'"),
    "hole between": (pack({"x": entry("U8", [2], (0, 2)), "y": entry("U8", [4], (4, 8))}, DATA), "bytes 2 to 4 before tensor 'y'"),
    "trailing bytes": (pack({"x": entry("U8", [4], (0, 4))}, DATA), "4 bytes follow the last tensor"),
    "bytes without tensors": (pack({}, DATA), "8 bytes follow the last tensor"),
    "metadata is text": (pack({"__metadata__": "a"}), "__metadata__ must be an object, not str"),
    "metadata holds a number": (pack({"__metadata__": {"a": 1}}), "'a' is int"),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_data(name, tmp_path):
    data, fault = HOSTILE[name]
    with pytest.raises(SafetensorError, match=f"^safetensors data: .*({fault})"):
        safetensors.load(data)
    path = tmp_path / "hostile.safetensors"
    path.write_bytes(data)
    with pytest.raises(SafetensorError, match=f"hostile.safetensors: .*({fault})"):
        safetensors.load_file(path)


LONG = '"' * 1_000_000
LONG_NAMES = {
    "a tensor's": pack({LONG: entry(shape=[1])}, DATA),
    "a dtype's": pack({"x": entry(LONG)}, DATA),
    "the metadata's": pack({"__metadata__": {LONG: 1}}),
    "one that stands twice": pack(b"{" + json.dumps(LONG).encode() + b":1," + json.dumps(LONG).encode() + b":1}"),
}


@pytest.mark.parametrize("name", LONG_NAMES)
def test_a_long_name_is_not_repeated_in_the_error(name):
    with pytest.raises(SafetensorError, match="1000000 characters") as caught:
        safetensors.load(LONG_NAMES[name])
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize("dtype", ["F4", "F6_E2M3", "F6_E3M2"])
def test_known_but_missing_dtypes_are_named(dtype):
    with pytest.raises(NotImplementedError, match=f"'x' has dtype {dtype}"):
        safetensors.load(pack({"x": entry(dtype, [2], (0, 8))}, DATA))


def test_no_tensors():
    assert safetensors.load(pack(b"{}")) == {} and safetensors.load(safetensors.save({})) == {}


def test_parts_of_tensors_are_read(tmp_path):
    x = torch.arange(24.0).reshape(2, 3, 4)
    safetensors.save_file({"a": torch.ones(3), "x": x, "s": torch.tensor(2.0), "e": torch.empty(0, 2)}, tmp_path / "x.safetensors")
    with safetensors.safe_open(tmp_path / "x.safetensors", framework="pt") as file:
        part = file.get_slice("x")
        assert part.get_shape() == [2, 3, 4] and part.get_dtype() == "F32"
        for index in (0, -1, slice(1, None), slice(1, 10), slice(2, 1), slice(0, 2, 2), (1, 2), (slice(0, 1), slice(1, 3), -1), (..., 0), (None, 1)):
            assert same(part[index], x[index])
        for index in (2, -3, (0, 0, 0, 0)):
            with pytest.raises(IndexError):
                part[index]
        assert file.get_slice("s")[...].item() == 2 and file.get_slice("e")[0:3].shape == (0, 2)
        read = []
        file._file = type("Counting", (), {"seek": file._file.seek, "read": lambda self, n, f=file._file: read.append(n) or f.read(n), "close": file._file.close})()
        part[1, 0]
        assert read == [48]


def tied_model():
    model = torch.nn.Module()
    model.b, model.a = torch.nn.Linear(2, 2, bias=False), torch.nn.Linear(2, 2, bias=False)
    model.a.weight = model.b.weight
    model.register_buffer("t", torch.arange(6.0).reshape(2, 3).t())
    model.register_buffer("row", model.t[1])
    return model


def test_models(tmp_path):
    from pywasmtorch.safetensors.torch import load_model, save_model

    path, model = tmp_path / "x.safetensors", tied_model()
    save_model(model, path, {"by": "test"})
    with safetensors.safe_open(path) as file:
        assert file.keys() == ["a.weight", "t"] and file.metadata() == {"by": "test", "b.weight": "a.weight", "row": "t"}
    twin = tied_model()
    assert load_model(twin, path) == (set(), [])
    assert twin.b.weight.equal(model.a.weight) and twin.t.equal(model.t) and twin.row.tolist() == [1, 4]
    twin.extra = torch.nn.Parameter(torch.ones(1))
    with pytest.raises(RuntimeError, match='Missing key.*"extra"'):
        load_model(twin, path)
    assert load_model(twin, path, strict=False) == ({"extra"}, [])
    del twin.t, twin.row, twin.extra
    with pytest.raises(RuntimeError, match='Unexpected key.*"t"'):
        load_model(twin, path)
    with pytest.raises(ValueError, match="contiguous"):
        save_model(model, path, force_contiguous=False)
    model = torch.nn.Module()
    x = torch.ones(4)
    model.register_buffer("x", x[:3])
    model.register_buffer("y", x[1:])
    with pytest.raises(RuntimeError, match="found no name to keep among"):
        save_model(model, path)
    model = torch.nn.Module()
    model.register_buffer("x", x[:2])
    model.register_buffer("y", x[2:])
    save_model(model, path)
    assert sorted(safetensors.load_file(path)) == ["x", "y"]


def test_reference_package_reads_and_writes_the_same(tmp_path):
    real = pytest.importorskip("torch", reason="PyTorch is not installed, so nothing to compare with")
    reference = pytest.importorskip(
        "safetensors.torch", reason="the safetensors package is not installed, so nothing to compare with"
    )
    tensors = {name: torch.arange(5).to(getattr(torch, name)) for name in DTYPES}
    data = safetensors.save(tensors, {"format": "pt"})
    loaded = reference.load(data)
    assert {name: value.tolist() for name, value in loaded.items()} == {name: value.tolist() for name, value in tensors.items()}
    theirs = reference.save({name: real.arange(5).to(getattr(real, name)) for name in DTYPES}, {"format": "pt"})
    ours = safetensors.load(theirs)
    assert {name: value.tolist() for name, value in ours.items()} == {name: value.tolist() for name, value in tensors.items()}
