"""The safetensors format: load_file, save_file, safe_open, serialize, deserialize."""

import json
import os
import re
import struct

import pywasmtorch as torch

MAX_HEADER_BYTES = 100_000_000
MAX_HEADER_DEPTH = 8
MAX_DIMENSIONS = 16
MAX_INT64 = 2**63 - 1
LONGEST_SHOWN = 200  # characters of a name in a message

ITEM_SIZES = {
    "BOOL": 1, "U8": 1, "I8": 1, "I16": 2, "I32": 4, "I64": 8, "F16": 2, "BF16": 2, "F32": 4, "F64": 8, "C64": 8,
    "U16": 2, "U32": 4, "U64": 8, "F8_E4M3": 1, "F8_E5M2": 1, "F8_E4M3FNUZ": 1, "F8_E5M2FNUZ": 1, "F8_E8M0": 1,
}  # fmt: skip
UNSUPPORTED = frozenset("F4 F6_E2M3 F6_E3M2".split())
TORCH_NAMES = {
    "BOOL": "bool", "U8": "uint8", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64", "F16": "float16",
    "BF16": "bfloat16", "F32": "float32", "F64": "float64", "C64": "complex64", "U16": "uint16", "U32": "uint32", "U64": "uint64", "F8_E4M3": "float8_e4m3fn",
    "F8_E5M2": "float8_e5m2", "F8_E4M3FNUZ": "float8_e4m3fnuz", "F8_E5M2FNUZ": "float8_e5m2fnuz", "F8_E8M0": "float8_e8m0fnu",
}  # fmt: skip
# a text without an end is taken to the end: starting again at each of its quotes would be quadratic
_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
FORMAT_NAMES = {name: dtype for dtype, name in TORCH_NAMES.items()}


class SafetensorError(ValueError):
    """The data breaks a rule of the safetensors format."""


class _Faults:
    """Raises errors that begin with the name of what is being read or written."""

    def __init__(self, source):
        self.source = source

    def fail(self, fault):
        raise SafetensorError(f"{self.source}: {fault}")

    def unsupported(self, fault):
        raise NotImplementedError(f"{self.source}: {fault}")


# Tensors and bytes


def _tensor_from_bytes(data, dtype, shape):
    torch_dtype = getattr(torch, TORCH_NAMES[dtype])
    if not data:
        return torch.empty(shape, dtype=torch_dtype)
    return torch.frombuffer(bytearray(data), dtype=torch_dtype).reshape(shape)


def _bytes_of_tensor(tensor):
    from .._tensor.from_data import to_bytes

    return to_bytes(tensor.detach())


# Header


def _shown(value):
    """A value from a file, in a message: its beginning, where it is long."""
    if isinstance(value, str):
        return repr(value) if len(value) <= LONGEST_SHOWN else f"{value[:LONGEST_SHOWN]!r}… ({len(value)} characters)"
    return repr(value)


def _refuse_constant(text):
    raise ValueError(f"{text} is not JSON")


def _object_without_duplicates(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        seen = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"key {_shown(key)} stands twice in one object")
            seen.add(key)
    return result


def _header_length(prefix, available, faults):
    if len(prefix) < 8:
        faults.fail(f"{len(prefix)} bytes are too few for the 8-byte header length")
    (length,) = struct.unpack("<Q", prefix)
    if length > MAX_HEADER_BYTES:
        faults.fail(f"the header length {length} is over the limit of {MAX_HEADER_BYTES} bytes")
    if length > available - 8:
        faults.fail(f"the header length {length} reaches past the end: {available - 8} bytes follow it")
    return length


def _is_deep(text):
    """Whether brackets are nested deeper than a header's are. Python's JSON parser recurses, and Pyodide does not survive that."""
    depth = 0
    for bracket in _BRACKET.findall(_STRING.sub(b"", text)):
        depth += 1 if bracket in b"[{" else -1
        if depth > MAX_HEADER_DEPTH:
            return True
    return False


def _parse_header(text, data_bytes, faults):
    """Return ``(entries, metadata)``: the checked entries by name in the header's order, as (dtype, shape, begin, end)."""
    if _is_deep(text):
        faults.fail("the header is nested too deeply")
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=_object_without_duplicates, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        faults.fail(f"the header is not UTF-8: {error.reason} at byte {error.start}")
    except ValueError as error:
        faults.fail(f"the header is not valid JSON: {error}")
    if not isinstance(header, dict):
        faults.fail(f"the header must be a JSON object, not {type(header).__name__}")
    if not text.startswith(b"{"):
        faults.fail("the header must begin with '{'")

    metadata = header.pop("__metadata__", None)
    if metadata is not None:
        _check_metadata(metadata, faults)
    entries = {name: _check_entry(name, entry, data_bytes, faults) for name, entry in header.items()}
    _check_coverage(entries, data_bytes, faults)
    return entries, metadata


def _check_metadata(metadata, faults):
    if not isinstance(metadata, dict):
        faults.fail(f"__metadata__ must be an object, not {type(metadata).__name__}")
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            faults.fail(f"__metadata__ holds text only, but {_shown(key)} is {type(value).__name__}")


def _is_size(value):
    return type(value) is int and 0 <= value <= MAX_INT64


def _check_entry(name, entry, data_bytes, faults):
    if not isinstance(entry, dict) or entry.keys() != {"dtype", "shape", "data_offsets"}:
        faults.fail(f"tensor {_shown(name)} must have exactly the keys dtype, shape and data_offsets")
    dtype, shape, offsets = entry["dtype"], entry["shape"], entry["data_offsets"]
    if not isinstance(dtype, str):
        faults.fail(f"the dtype of tensor {_shown(name)} must be text, not {type(dtype).__name__}")
    if dtype in UNSUPPORTED:
        faults.unsupported(f"tensor {_shown(name)} has dtype {dtype}, which pywasmtorch does not have")
    if dtype not in ITEM_SIZES:
        faults.fail(f"tensor {_shown(name)} has the unknown dtype {_shown(dtype)}")
    if not isinstance(shape, list) or not all(map(_is_size, shape)):
        faults.fail(f"the shape of tensor {_shown(name)} must be a list of sizes from 0 to 2**63 - 1")
    if len(shape) > MAX_DIMENSIONS:
        faults.fail(f"tensor {_shown(name)} has {len(shape)} dimensions, more than the {MAX_DIMENSIONS} that pywasmtorch has")
    if not isinstance(offsets, list) or len(offsets) != 2 or not all(map(_is_size, offsets)):
        faults.fail(f"data_offsets of tensor {_shown(name)} must be two sizes from 0 to 2**63 - 1")
    begin, end = offsets
    if begin > end:
        faults.fail(f"data_offsets of tensor {_shown(name)} run backwards, from {begin} to {end}")
    if end > data_bytes:
        faults.fail(f"tensor {_shown(name)} ends at byte {end}, but the data has {data_bytes} bytes")
    needed = ITEM_SIZES[dtype]
    for size in shape:
        needed *= max(size, 1)
        if needed > MAX_INT64:
            faults.fail(f"the shape of tensor {_shown(name)} overflows 64 bits")
    if 0 in shape:
        needed = 0
    if needed != end - begin:
        faults.fail(f"tensor {_shown(name)} of shape {shape} and dtype {dtype} needs {needed} bytes, but has {end - begin}")
    return dtype, tuple(shape), begin, end


def _check_coverage(entries, data_bytes, faults):
    position = 0
    for name, (_, _, begin, end) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if begin < position:
            faults.fail(f"tensor {_shown(name)} begins at byte {begin}, inside another tensor that ends at {position}")
        if begin > position:
            faults.fail(f"bytes {position} to {begin} before tensor {_shown(name)} belong to no tensor")
        position = end
    if position != data_bytes:
        faults.fail(f"{data_bytes - position} bytes follow the last tensor")


# Whole files in memory


def deserialize(data):
    """Return the tensors in ``data`` (bytes-like) as a list of ``(name, {"dtype", "shape", "data"})`` in the order of
    their bytes; ``dtype`` is the format's name for it and ``data`` a read-only memoryview.

    Raises SafetensorError where the format is broken and NotImplementedError for a dtype that pywasmtorch does not have.
    """
    return _deserialize(data, "safetensors data")[0]


def _deserialize(data, source):
    faults = _Faults(source)
    view = memoryview(data).toreadonly().cast("B")
    length = _header_length(bytes(view[:8]), len(view), faults)
    body = view[8 + length :]
    entries, metadata = _parse_header(bytes(view[8 : 8 + length]), len(body), faults)
    tensors = [
        (name, {"dtype": dtype, "shape": shape, "data": body[begin:end]})
        for name, (dtype, shape, begin, end) in sorted(entries.items(), key=lambda item: item[1][2:])
    ]
    return tensors, metadata


def serialize(tensors, metadata=None):
    """Return the bytes of a safetensors file with ``tensors``, a dict from names to ``{"dtype", "shape", "data"}``.

    Larger item types stand first and names are in order, so that each tensor is aligned and equal input gives equal bytes.
    Raises SafetensorError where a name, dtype, shape or length is not what the format allows.
    """
    faults = _Faults("safetensors data")
    header = {}
    if metadata is not None:
        _check_metadata(metadata, faults)
        header["__metadata__"] = dict(sorted(metadata.items()))
    chunks, position = [], 0
    for name in _storage_order(tensors, faults):
        tensor = tensors[name]
        data = memoryview(tensor["data"]).cast("B")
        end = position + len(data)
        entry = {"dtype": tensor["dtype"], "shape": list(tensor["shape"]), "data_offsets": [position, end]}
        _check_entry(name, entry, end, faults)
        header[name] = entry
        chunks.append(data)
        position = end
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    text += b" " * (-len(text) % 8)
    if len(text) > MAX_HEADER_BYTES:
        faults.fail(f"the header takes {len(text)} bytes, over the limit of {MAX_HEADER_BYTES}")
    return b"".join([struct.pack("<Q", len(text)), text, *chunks])


def _storage_order(tensors, faults):
    for name, tensor in tensors.items():
        if not isinstance(name, str) or name == "__metadata__":
            faults.fail(f"{_shown(name)} cannot be a tensor's name")
        if tensor["dtype"] not in ITEM_SIZES:
            faults.fail(f"tensor {_shown(name)} has dtype {_shown(tensor['dtype'])}, which cannot be written")
    return sorted(tensors, key=lambda name: (-ITEM_SIZES[tensors[name]["dtype"]], name))


def load(data):
    """Return the tensors in ``data``, the bytes of a safetensors file, as a dict from names to new tensors."""
    return {name: _tensor_from_bytes(**tensor) for name, tensor in deserialize(data)}


def save(tensors, metadata=None):
    """Return the bytes of a safetensors file with ``tensors``, a dict from names to contiguous tensors.

    ``metadata`` is an optional dict of text. Raises ValueError for a tensor that is not contiguous and for a dtype that the
    format does not have, RuntimeError for tensors that share memory, TypeError for what is not a tensor.
    """
    return serialize(_described(tensors), metadata)


def _described(tensors):
    if not isinstance(tensors, dict):
        raise TypeError(f"expected a dict from names to tensors, got {type(tensors).__name__}")
    for name, tensor in tensors.items():
        if not isinstance(tensor, torch.Tensor):
            raise TypeError(f"{_shown(name)} is not a tensor but {type(tensor).__name__}")
        if not tensor.is_contiguous():
            raise ValueError(f"tensor {_shown(name)} is not contiguous: call .contiguous() on it before saving")
    _refuse_shared_memory(tensors)
    return {
        name: {"dtype": _format_name(name, tensor), "shape": tuple(tensor.shape), "data": _bytes_of_tensor(tensor)}
        for name, tensor in tensors.items()
    }


def _format_name(name, tensor):
    dtype = str(tensor.dtype).rpartition(".")[2]
    if dtype not in FORMAT_NAMES:
        raise ValueError(f"tensor {_shown(name)} has dtype {tensor.dtype}, which the safetensors format does not have")
    return FORMAT_NAMES[dtype]


def _refuse_shared_memory(tensors):
    ranges = sorted(
        (tensor.data_ptr(), tensor.data_ptr() + tensor.numel() * tensor.element_size(), name)
        for name, tensor in tensors.items()
        if tensor.numel()
    )
    for (_, end, name), (begin, _, other) in zip(ranges, ranges[1:]):
        if begin < end:
            raise RuntimeError(f"tensors {_shown(name)} and {_shown(other)} share memory: save one of them, or a clone")


# Files


def load_file(filename, device="cpu"):
    """Return the tensors in the file as a dict from names to new tensors.

    Raises SafetensorError, naming file and fault, where the format is broken.
    """
    with safe_open(filename, framework="pt", device=device) as file:
        return {name: file.get_tensor(name) for name in file.offset_keys()}


def save_file(tensors, filename, metadata=None):
    """Write ``tensors``, a dict from names to contiguous tensors, to the file. Raises as ``save`` does."""
    data = save(tensors, metadata)
    with open(filename, "wb") as file:
        file.write(data)


class safe_open:
    """Opens a safetensors file and reads single tensors from it; a context manager.

    ``framework`` is "pt" or "torch" and ``device`` "cpu". The header is checked on opening; a tensor's bytes are read when
    ``get_tensor`` asks for them.
    """

    def __init__(self, filename, framework="pt", device="cpu"):
        if framework not in ("pt", "torch"):
            raise NotImplementedError(f"framework {framework!r} is not available, only 'pt'")
        if str(device) != "cpu":
            raise NotImplementedError(f"device {device!r} is not available, only 'cpu'")
        faults = _Faults(os.fspath(filename))
        self._file = open(filename, "rb")
        try:
            available = self._file.seek(0, os.SEEK_END)
            self._file.seek(0)
            length = _header_length(self._file.read(8), available, faults)
            self._data_start = 8 + length
            text = self._file.read(length)
            self._entries, self._metadata = _parse_header(text, available - self._data_start, faults)
        except BaseException:
            self._file.close()
            raise
        self._faults = faults

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self._file.close()

    def keys(self):
        """Names of the tensors, in alphabetical order."""
        return sorted(self._entries)

    def offset_keys(self):
        """Names of the tensors, in the order of their bytes."""
        return sorted(self._entries, key=lambda name: self._entries[name][2:])

    def metadata(self):
        """The file's ``__metadata__``, a dict of text, or None."""
        return self._metadata

    def get_tensor(self, name):
        """Read one tensor. Raises SafetensorError where the file has none of that name."""
        dtype, shape, begin, end = self._entry(name)
        return _tensor_from_bytes(self._read(name, begin, end), dtype, shape)

    def _read(self, name, begin, end):
        self._file.seek(self._data_start + begin)
        data = self._file.read(end - begin)
        if len(data) != end - begin:
            self._faults.fail(f"the file became shorter while tensor {_shown(name)} was read")
        return data

    def _rows(self, name, first, count):
        """Reads ``count`` rows of a tensor from row ``first``, no others."""
        dtype, shape, begin, end = self._entry(name)
        width = (end - begin) // shape[0] if shape[0] else 0
        data = self._read(name, begin + first * width, begin + (first + count) * width)
        return _tensor_from_bytes(data, dtype, (count, *shape[1:]))

    def get_slice(self, name):
        """Return an object whose indexing reads a part of the tensor, with ``get_shape()`` and ``get_dtype()``.

        Of an index that begins with a number or a range, only the rows that it names are read.
        """
        return _Slice(self, name, *self._entry(name)[:2])

    def _entry(self, name):
        if name not in self._entries:
            self._faults.fail(f"there is no tensor {_shown(name)}")
        return self._entries[name]


class _Slice:
    def __init__(self, file, name, dtype, shape):
        self._file, self._name, self._dtype, self._shape = file, name, dtype, shape

    def get_dtype(self):
        return self._dtype

    def get_shape(self):
        return list(self._shape)

    def __getitem__(self, index):
        first, *rest = index if isinstance(index, tuple) else (index,)
        rows = self._shape[0] if self._shape else 0
        if rows and isinstance(first, slice) and first.step in (None, 1):
            start, stop, _ = first.indices(rows)
            return self._file._rows(self._name, start, max(stop - start, 0))[(slice(None), *rest)]
        if rows and type(first) is int and -rows <= first < rows:
            return self._file._rows(self._name, first % rows, 1)[(0, *rest)]
        return self._file.get_tensor(self._name)[index]
