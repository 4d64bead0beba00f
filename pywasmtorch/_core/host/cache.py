"""Cache of the compiled module in the user's cache folder.

A compiled module is machine code: whoever can write it can run anything as this user. So the folder must belong to the
user and be closed to others, and a file is used only when its bytes have the digest that was written with them.
"""
from __future__ import annotations

import hashlib
import os
import stat
import sys
import warnings
from pathlib import Path

MAGIC = b"pywasmtorch compiled module 1\n"
DIGEST_BYTES = 64
KEEP_FILES = 6


def sha256(data: bytes) -> str:
    """The SHA-256 of some bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def folder() -> Path | None:
    """The cache folder, or None where caching is switched off (PYWASMTORCH_CACHE set to nothing or 0)."""
    override = os.environ.get("PYWASMTORCH_CACHE")
    if override is not None:
        return None if override.strip() in ("", "0") else Path(override)
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return Path(base) / "pywasmtorch" if base and os.path.isabs(base) else None


def _is_private(path: Path) -> bool:
    """Whether it is a folder that others cannot write to: on Windows one inside of the user's own."""
    if os.name != "posix":
        try:
            place = path.resolve(strict=True)
        except OSError:
            return False
        return place.is_dir() and any(own in place.parents for own in _own_folders())
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid() and not status.st_mode & 0o077


def _own_folders() -> list[Path]:
    return [Path(text).resolve() for text in map(os.environ.get, ("USERPROFILE", "LOCALAPPDATA")) if text]


def state() -> str:
    """Where the cache is and whether it serves."""
    cache = folder()
    if cache is None:
        return "off: every start compiles the core anew"
    if not cache.exists():
        return f"{cache}, not there yet"
    return f"{cache}, in use" if _is_private(cache) else f"{cache}, not used: {_reason(cache)}; every start compiles the core anew"


def _reason(cache: Path) -> str:
    if not cache.is_dir():
        return "it is no folder"
    if os.name != "posix":
        return "it is not inside of the user's own folders"
    return "others may write to it, or it is another user's (chmod 700 closes it)"


def warn_if_unused() -> None:
    """Says why a folder is not used that is there."""
    cache = folder()
    if cache is not None and cache.exists() and not _is_private(cache):
        warnings.warn(f"pywasmtorch keeps nothing in its cache {cache}: {_reason(cache)}; every start compiles the core anew", RuntimeWarning, stacklevel=2)


def load(name: str) -> bytes | None:
    """The bytes stored under a name, or None when there are none, they are damaged, or others could write them."""
    cache = folder()
    if cache is None or not _is_private(cache):
        return None
    try:
        data = (cache / name).read_bytes()
    except OSError:
        return None
    start = len(MAGIC) + DIGEST_BYTES
    if data[:len(MAGIC)] != MAGIC or sha256(data[start:]).encode() != data[len(MAGIC):start]:
        return None
    return data[start:]


def store(name: str, data: bytes) -> bool:
    """Stores bytes under a name in one step; returns whether it could. A folder that cannot be used is no error."""
    cache = folder()
    if cache is None:
        return False
    import tempfile

    try:
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.mkdir(mode=0o700, exist_ok=True)
        if not _is_private(cache):
            return False
        handle, partial = tempfile.mkstemp(dir=cache, suffix=".part")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC + sha256(data).encode() + data)
            os.replace(partial, cache / name)
        except BaseException:
            os.unlink(partial)
            raise
        _forget_old(cache)
    except OSError:
        return False
    return True


def _forget_old(cache: Path) -> None:
    by_age = sorted(cache.glob("*.cwasm"), key=lambda path: path.stat().st_mtime, reverse=True)
    for path in by_age[KEEP_FILES:]:
        path.unlink(missing_ok=True)
