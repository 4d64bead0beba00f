"""Index and tensor files of one family: ``NAME.json`` and ``NAME.safetensors``.

Tensor contents stand in one pool for each dtype, each content once; the index points into them.
"""

import importlib.util
import json
import pathlib
import sys

from .values import ITEM_SIZES

FOLDER = pathlib.Path(__file__).parent / "recorded"
POOL_TYPES = {
    "bool": "BOOL", "uint8": "U8", "int8": "I8", "int16": "I16", "int32": "I32", "int64": "I64", "float16": "F16",
    "bfloat16": "BF16", "float32": "F32", "float64": "F64", "complex64": "C64", "complex128": "F64",
}  # fmt: skip


def safetensors():
    """The package's reader and writer, which need no tensor library for bytes."""
    if "pywasmtorch.safetensors" in sys.modules:
        return sys.modules["pywasmtorch.safetensors"]
    path = pathlib.Path(__file__).parents[2] / "pywasmtorch" / "safetensors.py"
    if not path.exists():
        return importlib.import_module("pywasmtorch.safetensors")
    spec = importlib.util.spec_from_file_location("_golden_safetensors", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Pools:
    def __init__(self):
        self.data = {}
        self.places = {}

    def add(self, dtype, data):
        """The element number at which ``data`` stands in the pool of ``dtype``."""
        data = bytes(data)
        key = dtype, data
        if key not in self.places:
            pool = self.data.setdefault(dtype, bytearray())
            found = pool.find(data) if len(data) < 4096 else -1
            if found < 0 or found % ITEM_SIZES[dtype]:
                found = len(pool)
                pool += data
            self.places[key] = found // ITEM_SIZES[dtype]
        return self.places[key]


def period_of(data, width):
    """The least number of elements, up to a few hundred, whose repetition is ``data``; all of them for short data."""
    count = len(data) // width
    if count < 1000:
        return count
    return next((p for p in range(1, 400) if data[p * width :] == data[: -p * width]), count)


def input_bytes(pools, entry):
    """Contents of an input's storage: the recorded elements, repeated until the storage is full.

    An input is [dtype, first element in the pool, elements there, size, strides, offset] and, where the elements are to be
    repeated, the storage's whole count.
    """
    dtype, start, period, *layout = entry
    count = layout[3] if len(layout) > 3 else period
    data = slice_of(pools, dtype, start, period)
    return (data * (count // period + 1))[: count * ITEM_SIZES[dtype]] if count > period else data


def names():
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def write(name, index, pools):
    FOLDER.mkdir(exist_ok=True)
    lines = [f"{json.dumps(key)}: {_dump(value)}" for key, value in index.items()]
    (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    tensors = {}
    for dtype, data in pools.data.items():
        count = len(data) // ITEM_SIZES[dtype]
        shape = (count * 2,) if dtype == "complex128" else (count,)
        tensors[dtype] = {"dtype": POOL_TYPES[dtype], "shape": shape, "data": data}
    (FOLDER / f"{name}.safetensors").write_bytes(safetensors().serialize(tensors))


def _dump(value):
    if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return "[\n" + ",\n".join(json.dumps(item, separators=(",", ":")) for item in value) + "\n]"
    if isinstance(value, dict) and value:
        items = (f"{json.dumps(key)}: {json.dumps(item, separators=(',', ':'))}" for key, item in value.items())
        return "{\n" + ",\n".join(items) + "\n}"
    return json.dumps(value)


def read_index(name):
    return json.loads((FOLDER / f"{name}.json").read_text())


def read_pools(name):
    tensors = safetensors().deserialize((FOLDER / f"{name}.safetensors").read_bytes())
    return {dtype: tensor["data"] for dtype, tensor in tensors}


def slice_of(pools, dtype, start, count):
    size = ITEM_SIZES[dtype]
    return bytes(pools[dtype][start * size : (start + count) * size]) if count else b""
