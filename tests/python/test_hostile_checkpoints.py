"""Checkpoints from strangers: every damaged or hostile file gives an error that names it and the fault, soon, in little memory,
and nothing that it names is called."""

import io
import pickle
import re
import struct
import sys
import time
import zipfile

import pytest
from golden.checkpoints.forge import (
    PROTOCOL,
    call,
    number,
    numbers,
    patched,
    pickled_zip,
    storage_id,
    stream,
    stream_tensor,
    tensor,
    text,
    whole,
    zip_of,
)

import pywasmtorch as torch
from pywasmtorch import serialization

ERRORS = (pickle.UnpicklingError, RuntimeError, ValueError)
SECONDS, ROOM = 1.0, 16 << 20  # of the processor's time; memory besides twice the file's size


class Calls:
    """Notes that it was called, which no file may bring about."""

    happened = False

    def __call__(self, *_):
        Calls.happened = True


GOOD = whole(tensor())
DIRECTORY = GOOD.index(b"PK\x01\x02")
END = GOOD.index(b"PK\x05\x06")
SECOND = GOOD.index(b"PK\x01\x02", DIRECTORY + 1)


def overlapping():
    """Two records of the directory at the same bytes: what makes zip bombs without nesting."""
    entries = GOOD[DIRECTORY:END]
    third = entries.index(b"PK\x01\x02", SECOND - DIRECTORY + 1)
    return GOOD[:DIRECTORY] + patched(entries, third + 42, entries[SECOND - DIRECTORY + 42 : SECOND - DIRECTORY + 46]) + GOOD[END:]


def bomb():
    return pickled_zip(PROTOCOL + tensor(storage_id(count=1 << 26), size=(1 << 26,), stride=(1,)) + b".", bytes(1 << 28), zipfile.ZIP_DEFLATED)


def wrong_size_bomb():
    """Says that it inflates to a little, and inflates to a lot."""
    data = pickled_zip(PROTOCOL + tensor() + b".", bytes(1 << 24), zipfile.ZIP_DEFLATED)
    place = data.index(b"archive/data/0", data.index(b"PK\x01\x02"))
    return patched(data, place - 46 + 24, struct.pack("<I", 24))


def doubled(times):
    """A tuple of two of a tuple of two…, as the key of a dictionary."""
    return b"}" + b"K\x01" + b"q\x00h\x00\x86" * times + b"K\x01s"


def twins(count):
    """Many tuples with one hash: -1 and -2 have the same."""
    one, two = number(-1) + b"q\x01", number(-2) + b"q\x02"
    keys = [b"(" + b"".join(b"h\x01" if i >> k & 1 else b"h\x02" for k in range(15)) + b"tK\x01" for i in range(count)]
    return one + two + b"}(" + b"".join(keys) + b"u"


def frozen_twins(levels):
    """Two equal frozensets, each of two that are equal but for a number, as keys of one dictionary."""
    one = b"(\x91" + b"q\x000(h\x00K\x00\x86h\x00K\x01\x86\x91" * levels
    return pickled_zip(b"\x80\x04}(" + one + b"N" + one + b"Nu.")


LONG = "x" * 100_000
ATTACKS = {
    # the pickle calls what it should not
    "os.system": (whole(call("os", "system", text("true"))), "Unsupported global: GLOBAL os.system"),
    "posix.system": (whole(call("posix", "system", text("true"))), "GLOBAL posix.system"),
    "eval": (whole(call("builtins", "eval", text("1"))), "GLOBAL eval"),
    "eval of Python 2": (whole(call("__builtin__", "eval", text("1"))), "GLOBAL eval"),
    "getattr": (whole(call("builtins", "getattr", text("x"), text("y"))), "GLOBAL getattr"),
    "__import__": (whole(call("builtins", "__import__", text("os"))), "GLOBAL __import__"),
    "torch.load itself": (whole(call("torch.serialization", "load", text("x"))), "GLOBAL torch.serialization.load"),
    "_load_from_bytes": (whole(call("torch.storage", "_load_from_bytes", text("x"))), "GLOBAL torch.storage._load_from_bytes"),
    "a test's class": (whole(b"c" + f"{__name__}\nCalls\n".encode() + b")\x81)R"), "was not an allowed global"),
    "dotted name": (whole(b"ctorch\nserialization.os.system\n" + text("true") + b"\x85R"), "was not an allowed global"),
    "stack global": (pickled_zip(b"\x80\x04" + text("os") + text("system") + b"\x93" + text("true") + b"\x85R."), "GLOBAL os.system"),
    "stack global of numbers": (pickled_zip(b"\x80\x04K\x01K\x02\x93."), "STACK_GLOBAL requires str"),
    "calling a number": (whole(b"K\x01)R"), "Trying to call reduce for unrecognized function int"),
    "calling a tensor": (whole(tensor() + b")R"), "unrecognized function"),
    "calling a dtype": (whole(b"ctorch\nfloat32\n)R"), "unrecognized function"),
    "calling a storage class": (whole(b"ctorch\nFloatStorage\n" + number(1 << 40) + b"\x85R"), "unrecognized function FloatStorage"),
    "instances": (pickled_zip(b"(ios\nsystem\n."), "Unsupported operand"),
    "objects": (pickled_zip(b"(cos\nsystem\no."), "GLOBAL os.system"),
    "extension registry": (whole(b"\x82\x01"), "Unsupported operand 130"),
    "codecs": (whole(call("_codecs", "encode", text("x"), text("zlib"))), "only text can be encoded"),
    "huge bytearray": (whole(call("builtins", "bytearray", number(1 << 40))), "made of bytes"),
    "huge complex text": (whole(call("builtins", "complex", text("1"))), "made of numbers"),
    "Tensor of a size": (whole(call("torch", "Tensor", number(1 << 31))), "1 arguments instead of 0"),
    "FloatTensor of a size": (whole(call("torch", "FloatTensor", number(1 << 31))), "1 arguments instead of 0"),
    "meta tensor of negative size": (whole(call("torch._utils", "_rebuild_meta_tensor_no_storage", b"ctorch\nfloat32\n", number(-1) + b"\x85", number(1) + b"\x85", b"\x89")), "not negative"),
    "meta tensor of no dtype": (whole(call("torch._utils", "_rebuild_meta_tensor_no_storage", b"N", b")", b")", b"\x89")), "must be a torch.dtype"),
    "meta tensor of a huge size": (whole(call("torch._utils", "_rebuild_meta_tensor_no_storage", b"ctorch\nfloat32\n", number(1 << 62) + b"\x85", number(1) + b"\x85", b"\x89")), "overflowed"),
    # the state of objects
    "handle of a tensor": (whole(b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\nctorch\nFloatStorage\n)}" + text("_h") + b"K\x08stR"), "must be an allowed one"),
    "type made by another function": (whole(b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch\ndevice\nctorch\nTensor\n)}tR"), "must be made by"),
    "state of a list": (whole(b"]}b"), "Can only build .* but got list"),
    "state of a dict": (whole(b"ccollections\nOrderedDict\n)RK\x01b"), "state of an OrderedDict must be a dict"),
    "state of a tensor": (whole(tensor() + b"K\x01b"), "a tensor's state must be a tuple"),
    "append to a tuple": (whole(b")K\x01a"), "Can only append to lists, but got tuple"),
    "items of a list": (whole(b"]K\x01K\x02s"), "Can only set items"),
    "key without a value": (whole(b"}(K\x01u"), "a key has no value"),
    "list as a key": (whole(b"}]K\x01s"), "a key cannot be of type list"),
    "set of lists": (whole(call("builtins", "set", b"]]a")), "a key cannot be of type list"),
    # work and memory
    "exponential key": (whole(doubled(50)), "a key has too many parts"),
    "deep tuple": (whole(b"K\x01" + b"\x85" * 100_000), "nested too deeply"),
    "deep list": (whole(b"](" * 50_000 + b"e" * 50_000), "nested too deeply"),
    "deep dict": (whole(b"}" + b"K\x01}" * 50_000 + b"s" * 50_000), "nested too deeply"),
    "deep by calls": (whole(b"N" + b"q\x000ccollections\nOrderedDict\n](](K\x01h\x00ee\x85R" * 5_000), "nested too deeply"),
    "frozen sets, whose equality doubles with each level": (lambda: frozen_twins(60), "Unsupported operand 145"),
    "many opcodes of few bytes": (lambda: pickled_zip(PROTOCOL + b"N0" * (3 << 20) + b"N.", method=zipfile.ZIP_DEFLATED), "too many opcodes"),
    "calls of few bytes": (lambda: pickled_zip(PROTOCOL + b"ccollections\nOrderedDict\nq\x00" + b"h\x00)R0" * (1 << 20) + b"N.", method=zipfile.ZIP_DEFLATED),
                           "too many opcodes|too many calls"),
    "lists of few bytes": (lambda: pickled_zip(PROTOCOL + b"](" + b"]" * (3 << 20) + b"e.", method=zipfile.ZIP_DEFLATED), "too many"),
    "deep from outside": (whole(b"]q\x00" + b"]q\x010h\x00h\x01a0h\x01q\x000" * 50_000), "too many values change"),
    "keys with one hash": (whole(twins(3_000)), "too many keys have the same hash"),
    "many lists": (whole(b"]" * 400_000), "too many lists"),
    "many calls": (whole(b"ccollections\nOrderedDict\nq\x00]q\x01(" + text("a") * 20_000 + b"e" + b"0h\x00h\x01\x85R" * 20_000), "made of pairs|too many calls"),
    "many sets": (whole(b"c__builtin__\nset\nq\x000](" + b"".join(map(number, range(5000))) + b"eq\x010" + b"h\x00h\x01\x85R" * 5_000), "too many calls"),
    "many tensors": (whole(b"ctorch._utils\n_rebuild_tensor\nq\x000(" + storage_id() + b"K\x00))tq\x010" + b"h\x00h\x01R" * 20_000), "too many calls"),
    "memo that is not there": (whole(b"h\x05"), "Memo value not found at index 5"),
    "huge memo": (whole(b"Nr\xff\xff\xff\xff" * 10 + b"j\xfe\xff\xff\xff"), "Memo value not found"),
    "huge text": (whole(b"X\xff\xff\xff\xff"), "Ran out of input"),
    "huge text of 64 bits": (whole(b"\x8d" + b"\xff" * 7 + b"\x7f"), "Ran out of input"),
    "huge bytes": (whole(b"\x8e" + b"\xff" * 7 + b"\x7f"), "Ran out of input"),
    "huge integer": (whole(b"\x8b\xff\xff\xff\x7f"), "Unsupported operand 139"),
    "decimal integer": (whole(b"I" + b"9" * 5000 + b"\n"), "Unsupported operand"),
    "text that is not UTF-8": (whole(b"X\x02\x00\x00\x00\xff\xff"), "UnicodeDecodeError"),
    "nothing on the stack": (whole(b"a"), "IndexError"),
    "mark as a value": (whole(b"("), "value is missing"),
    "mark in a tuple": (whole(b"(K\x01\x86"), "items are missing"),
    "no mark": (whole(b"K\x01t"), "a mark is missing"),
    "no end": (pickled_zip(PROTOCOL + b"N"), "Ran out of input"),
    "empty pickle": (pickled_zip(b""), "Ran out of input"),
    "protocol 77": (pickled_zip(b"\x80\x4dN."), "unsupported pickle protocol: 77"),
    "endless name": (whole(b"c" + b"a" * 100_000), "name is too long"),
    "long name": (whole(b"c" + b"a" * 900 + b"\n" + b"b" * 900 + b"\n"), "was not an allowed global"),
    # tensors that reach outside
    "size": (whole(tensor(size=(7,), stride=(1,))), "needs 7 elements, out of bounds for storage of size 6"),
    "stride": (whole(tensor(stride=(100, 1))), "out of bounds"),
    "offset": (whole(tensor(offset=1)), "out of bounds"),
    "huge offset": (whole(tensor(offset=1 << 80)), "out of bounds"),
    "huge offset of nothing": (whole(tensor(offset=1 << 80, size=(0,), stride=(1,))), "out of bounds"),
    "negative offset": (whole(tensor(offset=-1)), "negative numbers"),
    "negative size": (whole(tensor(size=(-2, -3))), "negative numbers"),
    "negative stride": (whole(tensor(stride=(-1, 1))), "negative numbers"),
    "huge size without a stride": (whole(tensor(size=(1 << 62, 1 << 62), stride=(0, 0))), "overflows 64 bits"),
    "huge stride": (whole(tensor(size=(1, 1), stride=(1 << 80, 1))), "overflows 64 bits"),
    "wraps around": (whole(tensor(size=(2, 2), stride=((1 << 63) - 1, 1))), "out of bounds"),
    "fewer strides": (whole(tensor(stride=(1,))), "2 sizes cannot have 1 strides"),
    "17 dimensions": (whole(tensor(size=(1,) * 17, stride=(1,) * 17)), "at most 16 dimensions"),
    "text as a size": (whole(b"ctorch._utils\n_rebuild_tensor\n(" + storage_id() + b"K\x00" + text("ab") + numbers((1,)) + b"tR"), "must be a tuple of ints"),
    "tensor without a storage": (whole(tensor(b"N")), "made of a storage, not of NoneType"),
    "parameter of nothing": (whole(call("torch._utils", "_rebuild_parameter", b"N", b"\x88", b"N")), "made of a tensor, not of NoneType"),
    "too few arguments": (whole(b"ctorch._utils\n_rebuild_tensor_v2\n)R"), "TypeError"),
    # storages
    "unknown storage": (whole(tensor(storage_id(key="7"))), "there is no record 'archive/data/7'"),
    "storage with a path": (whole(tensor(storage_id(key="../../etc/passwd"))), "there is no record"),
    "more elements than bytes": (whole(tensor(storage_id(count=7))), "24 bytes, but 7 elements"),
    "fewer elements than bytes": (whole(tensor(storage_id(count=2))), "24 bytes, but 2 elements"),
    "huge storage": (whole(tensor(storage_id(count=1 << 60))), "24 bytes, but 1152921504606846976 elements"),
    "negative storage": (whole(tensor(storage_id(count=-6))), "must be a number of elements"),
    "storage as two dtypes": (whole(tensor() + tensor(storage_id("DoubleStorage", count=3)) + b"\x86"), "named as torch.float64 and as torch.float32"),
    "storage of no class": (whole(tensor(storage_id("float32"))), "must name a class of storages"),
    "id of something else": (whole(b"(" + text("module") + b"NNNNtQ"), "Only persistent_load of storage"),
    "id of a number": (whole(b"K\x01Q"), "id must be tuple, but got int"),
    "short id": (whole(text("storage") + b"\x85Q"), "must describe a storage"),
    # the zip file
    "cut off": (GOOD[:-30], "failed finding central directory"),
    "only its beginning": (GOOD[:4], "failed finding central directory"),
    "trailing bytes": (GOOD + b"x", "failed finding central directory"),
    "no records": (b"PK\x03\x04" + b"PK\x05\x06" + bytes(18), "no records"),
    "no pickle": (zip_of({"archive/version": b"3\n"}), "there is no record 'archive/data.pkl'"),
    "no folder": (zip_of({"data.pkl": PROTOCOL + b"N."}), "is not in a subdirectory"),
    "two folders": (zip_of({"a/version": b"3", "b/data.pkl": PROTOCOL + b"N."}), "there is no record 'a/data.pkl'"),
    "version 99": (zip_of({"a/data.pkl": PROTOCOL + b"N.", "a/version": b"99"}), "version '99'"),
    "long version": (zip_of({"a/data.pkl": PROTOCOL + b"N.", "a/version": b"1" * 10_000}), "version is damaged"),
    "byte order": (zip_of({"a/data.pkl": PROTOCOL + b"N.", "a/byteorder": b"middle"}), "Unknown endianness type: middle"),
    "parent folder": (zip_of({"../data.pkl": PROTOCOL + b"N."}), r"'\.\./data.pkl' is not allowed"),
    "parent inside": (zip_of({"a/../../data.pkl": b""}), "is not allowed"),
    "absolute name": (zip_of({"/etc/passwd": b""}), "is not allowed"),
    "backslash": (zip_of({"a\\..\\x": b""}), "is not allowed"),
    "drive": (zip_of({"c:/x": b""}), "is not allowed"),
    "duplicate records": (zip_of([("a/data.pkl", PROTOCOL + b"N."), ("a/data.pkl", PROTOCOL + b"N.")]), "'a/data.pkl' is there twice"),
    "overlapping records": (overlapping(), "inside of what begins at byte"),
    "directory past the end": (patched(GOOD, END + 16, b"\xf0\xff\xff\x7f"), "over its own end"),
    "many records": (patched(GOOD, END + 8, b"\xfe\xff\xfe\xff"), "cannot list 65534 records"),
    "disks": (patched(GOOD, END + 4, b"\x01\x00"), "split over several files"),
    "encrypted": (patched(GOOD, DIRECTORY + 8, b"\x01\x00"), "'archive/data.pkl' is encrypted"),
    "other method": (patched(GOOD, DIRECTORY + 10, b"\x0e\x00"), "compressed by method 14"),
    "stored and full size": (patched(GOOD, DIRECTORY + 24, b"\xff\xff\x00\x00"), "is stored in"),
    "record past the end": (patched(GOOD, DIRECTORY + 20, b"\xff\xff\xff\x7f" * 2), "inside of what begins"),
    "size of 64 bits without one": (patched(GOOD, DIRECTORY + 20, b"\xff\xff\xff\xff" * 2), "sizes of record .* are damaged"),
    "header of a record": (patched(GOOD, 0, b"PK\x03\x04\x00\x00\x00\x00\x08\x00"), "header of record 'archive/data.pkl' is damaged"),
    "name in the header": (patched(GOOD, 30, b"b"), "another name in its own header"),
    "length of the header": (patched(GOOD, 28, b"\xff\xff"), "inside of what begins at byte"),
    "checksum of the pickle": (patched(GOOD, GOOD.index(b"OrderedDict"), b"0"), "checksum is wrong"),
    "checksum of a storage": (patched(GOOD, GOOD.index(b"archive/data/0") + 14, b"\x01"), "checksum is wrong"),
    "locator of 64 bits": (zip_of({"a/data.pkl": b"N."})[:-22] + struct.pack("<4sIQI", b"PK\x06\x07", 0, 1 << 62, 1) + zip_of({"a/data.pkl": b"N."})[-22:], "past the end of the file"),
    "bomb": (bomb, "would inflate to 2684|would inflate to"),
    "wrong size": (wrong_size_bomb, "longer than the 24 bytes"),
    "not deflated": (patched(pickled_zip(PROTOCOL + b"N" * 100 + b".", method=zipfile.ZIP_DEFLATED), 46, b"\xff\xff\xff"), "cannot be inflated"),
    # the stream
    "empty file": (b"", "Ran out of input"),
    "text": (b"hello world", "begins neither as a zip file nor as a pickle"),
    "another pickle": (pickle.dumps({"x": 1}, 2), "Invalid magic number"),
    "no version": (pickle.dumps(serialization._legacy.MAGIC_NUMBER, 2) + pickle.dumps(7, 2), "Invalid protocol version: 7"),
    "stream calls": (stream(call("os", "system", text("true"))), "GLOBAL os.system"),
    "magic by a call": (PROTOCOL + call("os", "system", text("true")) + b".", "GLOBAL os.system"),
    "stream cut off": (stream(stream_tensor())[:-1], "unexpected EOF"),
    "stream without bytes": (stream(stream_tensor(), data=b""), "ends before the bytes"),
    "stream without keys": (stream(stream_tensor(), keys=()), "has no bytes in the file"),
    "stream with other keys": (stream(stream_tensor(), keys=("0", "1")), "belongs to no storage"),
    "key twice": (stream(stream_tensor(), keys=("0", "0")), "not a list of names"),
    "stream of another size": (stream(stream_tensor(5, size=(5,), stride=(1,))), "6 elements in the file, but 5"),
    "huge stream storage": (stream(stream_tensor(1 << 50)), "larger than the rest of the file"),
    "negative stream storage": (stream(stream_tensor(-1)), "must be a number of elements"),
    "view outside": (stream(stream_tensor(view=text("9") + number(4) + number(3) + b"\x87")), "reaches outside of its storage"),
    "negative view": (stream(stream_tensor(view=text("9") + number(-1) + number(3) + b"\x87")), "reaches outside of its storage"),
    "stream stride": (stream(stream_tensor(stride=(100, 1))), "out of bounds"),
    # numbers that are too large to show, names that are too long
    "long key": (whole(tensor(storage_id(key=LONG))), "there is no record"),
}  # fmt: skip


def refuse(path):
    """The error that loading gives. It names the file, is not long, and nothing was called."""
    with pytest.raises(ERRORS) as caught:
        torch.load(path)
    message = str(caught.value)
    assert message.startswith(str(path)) and len(message) < 3000 and not Calls.happened
    return message


@pytest.mark.parametrize("name", ATTACKS)
def test_attack(name, tmp_path):
    tracemalloc = pytest.importorskip("tracemalloc")
    data, fault = ATTACKS[name]
    data = data() if callable(data) else data
    path = tmp_path / "hostile.pt"
    path.write_bytes(data)
    begin = time.process_time()
    message = refuse(path)
    seconds = time.process_time() - begin
    assert re.search(fault, message), message
    assert seconds < SECONDS or sys.platform == "emscripten"  # there time goes by while others work
    before = torch.memory_allocated()
    tracemalloc.start()
    try:
        refuse(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= 2 * len(data) + ROOM and torch.memory_allocated() <= before + ROOM


def test_the_good_file_is_good():
    assert torch.load(io.BytesIO(GOOD)).tolist() == [[0, 0, 0], [0, 0, 0]]
    assert torch.load(io.BytesIO(stream(stream_tensor()))).tolist() == [[0, 1, 2], [3, 4, 5]]


def test_attributes_that_are_the_tensors_own_are_not_set():
    body = b"ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor\nctorch\nTensor\n(" + storage_id() + b"K\x00" + numbers((6,)) + numbers((1,)) + b"t}("
    body += b"".join(text(name) + number(8) for name in ("_h", "_grad", "_hooks", "__class__", "shape", "note")) + b"utR"
    x = torch.load(io.BytesIO(whole(body)))
    assert x.note == 8 and x.tolist() == [0] * 6 and x.grad is None and type(x) is torch.Tensor and x.shape == (6,)


def test_values_that_hold_themselves():
    x = torch.load(io.BytesIO(whole(b"]q\x00h\x00a}q\x01" + text("a") + b"h\x01s\x86")))
    assert x[0][0] is x[0] and x[1]["a"] is x[1]
    x[0].clear()
    x[1].clear()
