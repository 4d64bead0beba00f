"""StreamReader and TarReader: checkpoint formats before zip, a stream of pickles and a tar file.

The stream: pickles of a magic number, a version, the machine, the object, and the storages' keys; then each storage as a
64-bit count and its bytes, little-endian. The tar: `storages`, `tensors` and `pickle`, tied together by ids.
"""

from __future__ import annotations

import pickle
import struct
import tarfile
from typing import Any, NoReturn

from .._core import dtype as _dtype
from .._tensor import rebuild
from .._tensor.storage import CHUNK, TypedStorage, UntypedStorage
from ._pickler import Storages, pickled, unpickled
from ._restricted import RestrictedUnpickler, Stream

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def save_stream(value: Any, file: Any, pickle_module: Any, protocol: int) -> None:
    storages = Storages(legacy=True)
    for head in (MAGIC_NUMBER, PROTOCOL_VERSION, {"protocol_version": PROTOCOL_VERSION, "little_endian": True, "type_sizes": {"short": 2, "int": 4, "long": 4}}):
        pickle_module.dump(head, file, protocol=protocol)
    pickled(value, file, pickle_module, protocol, storages)
    keys = sorted(storages.found)
    pickle_module.dump(keys, file, protocol=protocol)
    for key in keys:
        storage = storages.found[key]
        file.write(struct.pack("<q", storage.nbytes() // storages.dtypes[key].itemsize))
        for chunk in storage._chunks():
            file.write(chunk)


class StreamReader:
    """One file. RuntimeError and UnpicklingError, without the file's name, where it is broken."""

    def __init__(self, file: Any, restore: Any, pickle_module: Any, options: dict[str, Any]) -> None:
        self.file, self.restore, self.pickle_module, self.options = file, restore, pickle_module, options
        start = file.tell()
        self.length = file.seek(0, 2)
        file.seek(start)
        self.room = self.length - start
        self.storages: dict[Any, TypedStorage] = {}
        self.views: dict[Any, TypedStorage] = {}

    def fail(self, fault: str) -> NoReturn:
        raise RuntimeError(fault)

    def pickle(self) -> Any:
        if self.pickle_module is None:
            stream = Stream(self.file, self.length)
            return RestrictedUnpickler(stream, self.persistent_load, self.options.get("encoding", "utf-8"), stream.left, stream.left).load()
        return unpickled(self.file, self.persistent_load, self.pickle_module, self.options)

    def load(self) -> Any:
        first = self.file.read(1)
        self.file.seek(-len(first), 1)
        if first and first != pickle.PROTO:
            self.fail("Invalid magic number; corrupt file? It begins neither as a zip file nor as a pickle")
        if self.pickle() != MAGIC_NUMBER:
            self.fail("Invalid magic number; corrupt file?")
        version = self.pickle()
        if version != PROTOCOL_VERSION:
            self.fail(f"Invalid protocol version: {version if isinstance(version, int) else type(version).__name__}")
        self.pickle()
        result = self.pickle()
        keys = self.pickle()
        if not isinstance(keys, list) or any(not isinstance(k, (str, bytes, int)) for k in keys) or len(set(keys)) != len(keys):
            self.fail("the keys of the storages are not a list of names")
        for key in keys:
            if key not in self.storages:
                self.fail(f"storage key {str(key)[:40]!r} belongs to no storage of the pickle")
            self.fill(key, self.storages.pop(key))
        if self.storages:
            self.fail(f"storage {str(next(iter(self.storages)))[:40]!r} has no bytes in the file")
        return result

    def fill(self, key: Any, storage: TypedStorage) -> None:
        head = self.file.read(8)
        if len(head) != 8:
            self.fail(f"the file ends before the bytes of storage {str(key)[:40]!r}")
        (count,) = struct.unpack("<q", head)
        if count != storage.size():
            self.fail(f"storage {str(key)[:40]!r} has {count} elements in the file, but {storage.size()} in the pickle")
        self.copy(storage.untyped(), f"storage {str(key)[:40]!r}")

    def copy(self, storage: UntypedStorage, what: str) -> None:
        count = storage.nbytes()
        for at in range(0, count, CHUNK):
            data = self.file.read(min(CHUNK, count - at))
            if len(data) != min(CHUNK, count - at):
                self.fail(f"unexpected EOF: the file ends {count - at - len(data)} bytes before the end of {what}")
            storage._write(at, data)

    def allocated(self, kind: Any, count: Any, location: Any) -> TypedStorage:
        """A storage whose bytes come later in the file, which must be long enough for all of them."""
        dtype = storage_dtype(kind)
        if type(count) is not int or count < 0:
            self.fail("the size of a storage must be a number of elements")
        self.room -= count * dtype.itemsize
        if self.room < 0:
            self.fail(f"a storage of {count} elements is larger than the rest of the file")
        return TypedStorage(wrap_storage=self.restore(UntypedStorage(count * dtype.itemsize), text(location)), dtype=dtype)

    def persistent_load(self, pid: Any) -> Any:
        if not isinstance(pid, tuple) or not pid:
            self.fail(f"a persistent id must be a tuple, not {type(pid).__name__}")
        if text(pid[0]) == "module" and self.pickle_module is not None:
            return pid[1]
        if text(pid[0]) != "storage" or len(pid) not in (5, 6):
            self.fail("a persistent id must describe a storage")
        _, kind, key, location, count, *view = pid
        if not isinstance(key, (str, bytes, int)):
            self.fail(f"the key of a storage must be text, not {type(key).__name__}")
        root = self.views.get(("root", key))
        if root is None:
            root = self.storages[key] = self.views["root", key] = self.allocated(kind, count, location)
        elif root.dtype is not storage_dtype(kind):
            self.fail(f"storage {str(key)[:40]!r} is named as {storage_dtype(kind)} and as {root.dtype}")
        if not view or view[0] is None:
            return root
        return self.view_of(root, view[0])

    def view_of(self, root: TypedStorage, view: Any) -> TypedStorage:
        """A part of a storage, as versions before 0.4 had them."""
        if not isinstance(view, tuple) or len(view) != 3 or not isinstance(view[0], (str, bytes, int)) or any(type(v) is not int for v in view[1:]):
            self.fail("a view of a storage must be described by key, offset and size")
        key, offset, size = view
        if offset < 0 or size < 0 or offset + size > root.size():
            self.fail(f"a view of {size} elements from {offset} reaches outside of its storage of {root.size()}")
        return self.views.setdefault(("view", key), root[offset : offset + size])


def storage_dtype(kind: Any) -> _dtype.dtype:
    """The dtype of a class of storages. UnpicklingError for anything else."""
    if kind is UntypedStorage:
        return _dtype.uint8
    dtype = getattr(kind, "dtype", None) if isinstance(kind, type) else None
    if not isinstance(dtype, _dtype.dtype):
        raise pickle.UnpicklingError(f"a persistent id must name a class of storages, not {getattr(kind, '__name__', type(kind).__name__)}")
    return dtype


def text(value: Any) -> str:
    if isinstance(value, bytes):
        value = value.decode("ascii")
    if not isinstance(value, str):
        raise pickle.UnpicklingError(f"text is needed in a persistent id, not {type(value).__name__}")
    return value


# ---- tar ----
def open_tar(file: Any) -> tarfile.TarFile | None:
    """The file as a tar archive, or None where it is none."""
    start = file.tell()
    head = file.read(512)
    file.seek(start)
    if len(head) < 512 or head[257:262] != b"ustar":
        return None
    try:
        return tarfile.open(fileobj=file, mode="r:", format=tarfile.PAX_FORMAT)
    except tarfile.TarError:
        file.seek(start)
        return None


class TarReader(StreamReader):
    """A file of version 0.1."""

    def load_tar(self, tar: tarfile.TarFile) -> Any:
        self.objects: dict[Any, Any] = {}
        for name, read in (("storages", self.read_storages), ("tensors", self.read_tensors)):
            self.open(tar, name)
            read()
        self.open(tar, "pickle")
        return unpickled(self.file, self.find_object, self.pickle_module, self.options)

    def open(self, tar: tarfile.TarFile, name: str) -> None:
        try:
            member = tar.extractfile(name)
        except (KeyError, tarfile.TarError):
            member = None
        if member is None:
            self.fail(f"the tar file has no {name!r}")
        self.file = member

    def plain(self) -> Any:
        return unpickled(self.file, self.find_object, self.pickle_module, self.options)

    def numbers(self, form: str) -> tuple[int, ...]:
        data = self.file.read(struct.calcsize(form))
        if len(data) != struct.calcsize(form):
            self.fail("the tar file is cut off")
        return struct.unpack(form, data)

    def read_storages(self) -> None:
        for _ in range(self.plain()):
            key, location, kind = self.plain()
            (count,) = self.numbers("<q")
            storage = self.allocated(kind, count, location)
            self.copy(storage.untyped(), "a storage")
            self.objects[key] = storage
        for target, root, offset, count in self.plain():
            self.objects[target] = self.view_of(self.objects[root], (target, offset, count))

    def read_tensors(self) -> None:
        for _ in range(self.plain()):
            key, storage, _ = self.plain()
            (dims,) = self.numbers("<i4x")
            if not 0 <= dims <= rebuild.MAX_DIMENSIONS:
                self.fail(f"a tensor has {dims} dimensions")
            size, stride = self.numbers(f"<{dims}q"), self.numbers(f"<{dims}q")
            (offset,) = self.numbers("<q")
            self.objects[key] = rebuild._rebuild_tensor(self.objects[storage], offset, size, stride)

    def find_object(self, pid: Any) -> Any:
        if isinstance(pid, tuple):
            return pid[0]
        return self.objects[int(pid)]
