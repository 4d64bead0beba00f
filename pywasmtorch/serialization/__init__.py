"""torch.save and torch.load: checkpoints compatible with PyTorch's in both directions."""

from __future__ import annotations

import io
import os
import pickle
import struct
import warnings
from enum import Enum
from typing import Any, NoReturn

from .._tensor.storage import TypedStorage, UntypedStorage
from ._archive import ArchiveReader, ArchiveWriter
from ._legacy import StreamReader, TarReader, open_tar, save_stream, storage_dtype, text
from ._location import default_restore_location, location_tag, register_package, restorer
from ._names import _get_layout as _get_layout
from ._names import storage_class
from ._pickler import Storages, pickled, unpickled
from ._restricted import RestrictedUnpickler, Stream, add_safe_globals, clear_safe_globals, get_safe_globals, safe_globals

__all__ = [
    "LoadEndianness", "SourceChangeWarning", "add_safe_globals", "clear_safe_globals", "default_restore_location", "get_crc32_options",
    "get_default_load_endianness", "get_default_mmap_options", "get_safe_globals", "get_unsafe_globals_in_checkpoint", "load", "location_tag",
    "register_package", "safe_globals", "save", "set_crc32_options", "set_default_load_endianness", "set_default_mmap_options", "skip_data",
]  # fmt: skip

DEFAULT_PROTOCOL = 2
LOCAL_ZIP_HEADER = b"PK\x03\x04"
TRUE = ("1", "y", "yes", "true")
#: what a broken pickle makes the machine for it raise
BROKEN = (IndexError, KeyError, struct.error, ValueError, TypeError, AttributeError, OverflowError, RecursionError, EOFError)
UNSAFE_MESSAGE = (
    "`weights_only=True` is the default of `torch.load`. With `weights_only=False` it may run any code that the file holds: do it only if "
    "you got the file from a trusted source."
)


class SourceChangeWarning(Warning):
    """Kept for programs that name it: sources of modules are neither saved nor compared."""


class LoadEndianness(Enum):
    """The byte order of checkpoints that do not say theirs."""

    NATIVE = 1
    LITTLE = 2
    BIG = 3


_options: dict[str, Any] = {"endianness": None, "crc32": True, "mmap": 2}


def get_default_load_endianness() -> LoadEndianness | None:
    return _options["endianness"]


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """The byte order of checkpoints that do not say theirs; None means little. TypeError for anything else."""
    if endianness is not None and not isinstance(endianness, LoadEndianness):
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    _options["endianness"] = endianness


def get_crc32_options() -> bool:
    """Whether `save` computes checksums."""
    return _options["crc32"]


def set_crc32_options(compute_crc32: bool) -> None:
    """Whether `save` computes checksums, without which damage is not noticed on loading."""
    _options["crc32"] = bool(compute_crc32)


def get_default_mmap_options() -> int:
    return _options["mmap"]


class set_default_mmap_options:
    """Accepted: files are read, not mapped."""

    def __init__(self, flags: int) -> None:
        if flags not in (1, 2):
            raise ValueError(f"Invalid argument in function set_default_mmap_options, expected mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got {flags}")
        self.before, _options["mmap"] = _options["mmap"], flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: Any) -> None:
        _options["mmap"] = self.before


class skip_data:
    """NotImplementedError: storages are always saved whole."""

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        raise NotImplementedError("pywasmtorch has no torch.serialization.skip_data")


# ---- saving ----
def save(obj: object, f: Any, pickle_module: Any = pickle, pickle_protocol: int = DEFAULT_PROTOCOL, _use_new_zipfile_serialization: bool = True,
         _disable_byteorder_record: bool = False) -> None:
    """Saves an object to a file, which `torch.load` reads, PyTorch's too.

    `f` is a path or a file object with `write`. Storages that tensors share are saved once, whole. RuntimeError where tensors
    view one storage as different dtypes and where the folder is missing, PicklingError for what cannot be pickled.
    """
    if not isinstance(f, (str, os.PathLike)):
        if not hasattr(f, "write"):
            raise AttributeError("expected 'f' to be string, path, or a file-like object with a 'write' attribute")
        _write(obj, f, "archive", pickle_module, pickle_protocol, _use_new_zipfile_serialization, not _disable_byteorder_record)
        return
    path = os.fspath(f)
    parent = os.path.dirname(path)
    if parent and not os.path.isdir(parent):
        raise RuntimeError(f"Parent directory {parent} does not exist.")
    with open(path, "wb") as file:
        root = os.path.basename(path).rpartition(".")[0] or os.path.basename(path)
        _write(obj, file, root, pickle_module, pickle_protocol, _use_new_zipfile_serialization, not _disable_byteorder_record)


def _write(value: Any, file: Any, root: str, pickle_module: Any, protocol: int, as_zip: bool, with_byteorder: bool) -> None:
    if not as_zip:
        save_stream(value, file, pickle_module, protocol)
        return
    storages, buffer = Storages(legacy=False), io.BytesIO()
    pickled(value, buffer, pickle_module, protocol, storages)
    archive = ArchiveWriter(file, root, _options["crc32"])
    archive.write_bytes("data.pkl", buffer.getvalue())
    archive.write_bytes(".format_version", b"1")
    archive.write_bytes(".storage_alignment", b"64")
    if with_byteorder:
        archive.write_bytes("byteorder", b"little")
    for key, storage in storages.found.items():
        archive.write(f"data/{key}", storage._chunks(), storage.nbytes())
    archive.finish()


# ---- loading ----
def load(f: Any, map_location: Any = None, pickle_module: Any = None, *, weights_only: bool | None = None, mmap: bool | None = None, **pickle_load_args: Any) -> Any:
    """Loads what `torch.save` saved, here or in PyTorch.

    `f` is a path or a file object with `read`, `readline`, `seek` and `tell`; zip files since 1.6, streams before and, with
    `weights_only=False`, tar files of 0.1 and whole modules. By default only tensors, numbers, text and containers are made,
    and what `torch.serialization.add_safe_globals` allows; nothing that the file names is called. `map_location` says where
    storages go, which can only be the CPU. UnpicklingError, RuntimeError or ValueError, naming the file and the fault.
    """
    weights_only = _safely(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError("Can not safely load weights when explicit pickle_module is specified")
    if weights_only and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
    if not weights_only and pickle_module is None:
        pickle_module = pickle
    options = {"encoding": "utf-8", **pickle_load_args}
    if not isinstance(f, (str, os.PathLike)):
        if mmap:
            raise ValueError("f must be a file path in order to use the mmap argument")
        _check_readable(f)
        return _Loading(f, _name_of(f), map_location, pickle_module, options).load()
    path = os.fspath(f)
    if path.endswith(".safetensors"):
        from ..safetensors import load_file

        if isinstance(map_location, dict) or callable(map_location):
            raise RuntimeError("Loading safetensors file with a dict or a function as map_location is not supported. Use a device string or torch.device instead.")
        return load_file(path, device="cpu" if map_location is None else str(map_location))
    with open(path, "rb") as file:
        return _Loading(file, path, map_location, pickle_module, options, bool(mmap)).load()


def _safely(weights_only: bool | None, pickle_module: Any) -> bool:
    forced = os.getenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0").lower() in TRUE
    forbidden = os.getenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "0").lower() in TRUE
    if forced and forbidden:
        raise RuntimeError("Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` should be set, but both were set.")
    if forced:
        return True
    if weights_only is not None:
        return bool(weights_only)
    return pickle_module is None and not forbidden


def _check_readable(f: Any) -> None:
    for name in ("read", "readline", "seek", "tell"):
        if not hasattr(f, name):
            raise AttributeError(f"'{type(f).__name__}' object has no attribute '{name}'. You can only torch.load from a file that is seekable. "
                                 "Please pre-load the data into a buffer like io.BytesIO and try to load from it instead.")
    try:
        f.seek(f.tell())
    except (io.UnsupportedOperation, AttributeError) as error:
        raise type(error)(f"{error}. You can only torch.load from a file that is seekable. Please pre-load the data into a buffer like io.BytesIO "
                          "and try to load from it instead.") from None


def _name_of(f: Any) -> str:
    name = getattr(f, "name", None)
    return name if isinstance(name, str) else f"checkpoint in {type(f).__name__}"


class _Loading:
    """One call of `load`."""

    def __init__(self, file: Any, source: str, map_location: Any, pickle_module: Any, options: dict[str, Any], mapped: bool = False) -> None:
        self.file, self.source, self.pickle_module, self.options, self.mapped = file, source, pickle_module, options, mapped
        self.restore = restorer(map_location)
        self.storages: dict[str, TypedStorage] = {}

    def fail(self, fault: str) -> NoReturn:
        raise RuntimeError(f"{self.source}: {fault}")

    def load(self) -> Any:
        start = self.file.tell()
        head = self.file.read(len(LOCAL_ZIP_HEADER))
        self.file.seek(start)
        if head == LOCAL_ZIP_HEADER:
            read = self.load_archive
        elif self.mapped:
            self.fail("mmap can only be used with files saved with `torch.save(_use_new_zipfile_serialization=True)`, "
                      "please torch.save your checkpoint with this option in order to use mmap.")
        else:
            read = self.load_stream
        if self.pickle_module is not None:
            return self.trusted(read)
        try:
            return read()
        except pickle.UnpicklingError as error:
            kind = pickle.UnpicklingError if not isinstance(error, EOFError) else type(error)
            raise kind(f"{self.source}: Weights only load failed. {error}\n{UNSAFE_MESSAGE}") from None
        except BROKEN as error:
            if str(error).startswith(self.source):
                raise
            raise pickle.UnpicklingError(f"{self.source}: Weights only load failed. The pickle is broken: {type(error).__name__}: {str(error)[:300]}") from None
        except (RuntimeError, MemoryError) as error:  # NotImplementedError among them
            if str(error).startswith(self.source):
                raise
            raise type(error)(f"{self.source}: {error}") from None

    def trusted(self, read: Any) -> Any:
        """Errors of the objects themselves pass; those of the file get its name."""
        try:
            return read()
        except (pickle.UnpicklingError, EOFError) as error:
            raise type(error)(f"{self.source}: {error}") from None
        except RuntimeError as error:
            if type(error) not in (RuntimeError, NotImplementedError) or str(error).startswith(self.source):
                raise
            raise type(error)(f"{self.source}: {error}") from error

    def load_stream(self) -> Any:
        tar = open_tar(self.file)
        if tar is None:
            return StreamReader(self.file, self.restore, self.pickle_module, self.options).load()
        with tar:
            if self.pickle_module is None:
                self.fail(f"Cannot use ``weights_only=True`` with files saved in the legacy .tar format. {UNSAFE_MESSAGE}")
            return TarReader(self.file, self.restore, self.pickle_module, self.options).load_tar(tar)

    # ---- zip ----
    def load_archive(self) -> Any:
        self.archive = archive = ArchiveReader(self.file, self.source)
        if archive.has("constants.pkl"):
            if self.pickle_module is None:
                self.fail(f"Cannot use ``weights_only=True`` with TorchScript archives passed to ``torch.load``. {UNSAFE_MESSAGE}")
            raise NotImplementedError(f"{self.source}: pywasmtorch has no torch.jit.load, which TorchScript archives need")
        self.check_version()
        self.swap = self.other_byte_order()
        data = archive.read("data.pkl")
        if self.pickle_module is not None:
            return unpickled(io.BytesIO(data), self.persistent_load, self.pickle_module, self.options)
        stream = Stream(io.BytesIO(data), len(data))
        return RestrictedUnpickler(stream, self.persistent_load, self.options["encoding"], len(data), archive.record("data.pkl").stored).load()

    def check_version(self) -> None:
        for name in (".data/version", "version"):
            if self.archive.has(name):
                if self.archive.record(name).size > 20:
                    self.archive.fail("its version is damaged")
                version = self.archive.read(name).strip()
                if not version.isdigit() or not 1 <= int(version) <= 10:
                    self.archive.fail(f"attempted to read a file with version {version.decode('latin1')!r}, but only 1 to 10 are supported")
                return

    def other_byte_order(self) -> bool:
        """Whether numbers are stored with their highest byte first."""
        if self.archive.has("byteorder"):
            if self.archive.record("byteorder").size > 20:
                self.archive.fail("its byte order is damaged")
            order = self.archive.read("byteorder")
            if order not in (b"little", b"big"):
                raise ValueError(f"{self.source}: Unknown endianness type: {order.decode('latin1')}")
            return order == b"big"
        return _options["endianness"] is LoadEndianness.BIG

    def persistent_load(self, pid: Any) -> TypedStorage:
        if not isinstance(pid, tuple) or len(pid) != 5 or text(pid[0]) != "storage":
            raise pickle.UnpicklingError("a persistent id must describe a storage")
        _, kind, key, location, count = pid
        dtype, key = storage_dtype(kind), text(key)
        known = self.storages.get(key)
        if known is not None:
            if known.dtype is not dtype:
                raise pickle.UnpicklingError(f"storage {key[:40]!r} is named as {dtype} and as {known.dtype}")
            return known
        if type(count) is not int or count < 0:
            raise pickle.UnpicklingError("the size of a storage must be a number of elements")
        record = self.archive.record(f"data/{key}")
        if record.size // dtype.itemsize != count:
            self.archive.fail(f"record {record.name!r} has {record.size} bytes, but {count} elements of {dtype} are expected in it")
        untyped = UntypedStorage(record.size)
        at = 0
        for chunk in self.archive.chunks(record):
            untyped._write(at, chunk)
            at += len(chunk)
        if self.swap:
            untyped.byteswap(dtype)
        storage = self.storages[key] = TypedStorage(wrap_storage=self.restore(untyped, text(location)), dtype=dtype)
        return storage


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """What a checkpoint names that `torch.load(weights_only=True)` would not allow. ValueError for anything but zip files."""
    from ._restricted import allowed, user_globals
    from ._scan import names_in

    if isinstance(f, (str, os.PathLike)):
        with open(f, "rb") as file:
            return get_unsafe_globals_in_checkpoint(file)
    _check_readable(f)
    start = f.tell()
    head = f.read(len(LOCAL_ZIP_HEADER))
    f.seek(start)
    if head != LOCAL_ZIP_HEADER:
        raise ValueError("Expected input to be a checkpoint returned by torch.save")
    archive = ArchiveReader(f, _name_of(f))
    names = names_in(archive.read("data.pkl"), archive.record("data.pkl").stored)
    known = {*allowed().values, *user_globals()}
    return sorted(names - known)


def normalize_storage_type(storage_type: Any) -> Any:
    """The class of storages that checkpoints name for `storage_type`."""
    return storage_type


def StorageType(name: str) -> Any:
    """The class of storages of that name. KeyError where there is none."""
    found = storage_class("torch", name)
    if found is None:
        raise KeyError(name)
    return found
