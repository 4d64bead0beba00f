"""Checkpoints made by hand, byte by byte."""

import io
import pickle
import struct
import warnings
import zipfile

import pywasmtorch as torch

PROTOCOL = b"\x80\x02"


def zip_of(records, method=zipfile.ZIP_STORED):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as file, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of duplicate names
        for name, data in records.items() if isinstance(records, dict) else records:
            file.writestr(name, data)
    return buffer.getvalue()


def pickled_zip(body, data=bytes(24), method=zipfile.ZIP_STORED):
    """A checkpoint whose pickle is `body` and whose only storage is `data`."""
    return zip_of({"archive/data.pkl": body, "archive/byteorder": b"little", "archive/data/0": data, "archive/version": b"3\n"}, method)


def text(value):
    raw = value.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def number(value):
    raw = value.to_bytes((value.bit_length() // 8) + 1, "little", signed=True)
    return b"\x8a" + bytes([len(raw)]) + raw


def numbers(values):
    return b"(" + b"".join(map(number, values)) + b"t"


def storage_id(kind="FloatStorage", key="0", count=6, module="torch"):
    return b"(" + text("storage") + b"c" + f"{module}\n{kind}\n".encode() + text(key) + text("cpu") + number(count) + b"tQ"


def tensor(storage=None, offset=0, size=(2, 3), stride=(3, 1)):
    return b"ctorch._utils\n_rebuild_tensor_v2\n(" + (storage or storage_id()) + number(offset) + numbers(size) + numbers(stride) + b"\x89ccollections\nOrderedDict\n)RtR"


def whole(body, data=bytes(24)):
    return pickled_zip(PROTOCOL + body + b".", data)


def call(module, name, *arguments):
    return b"c" + f"{module}\n{name}\n".encode() + b"(" + b"".join(arguments) + b"tR"


def stream(body, keys=("0",), data=None):
    head = io.BytesIO()
    torch.save(1, head, _use_new_zipfile_serialization=False)
    prefix = head.getvalue()[: -len(pickle.dumps(1, 2) + pickle.dumps([], 2))]
    return prefix + PROTOCOL + body + b"." + pickle.dumps(list(keys), 2) + (struct.pack("<q6f", 6, *range(6)) if data is None else data)


def stream_tensor(count=6, view=b"N", **geometry):
    pid = b"(" + text("storage") + b"ctorch\nFloatStorage\n" + text("0") + text("cpu") + number(count) + view + b"tQ"
    return tensor(pid, **geometry)


def patched(data, place, raw):
    return data[:place] + raw + data[place + len(raw) :]
