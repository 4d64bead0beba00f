"""Environment variables (threads, memory limit) and the path of the binary."""
from __future__ import annotations

import os
import re
import sys
from pathlib import Path

PAGE = 65536
MAX_MEMORY = 65535 * PAGE
MAX_THREADS = 16
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_size(text: str) -> int:
    """Reads "1048576", "512M", "2G" or "1.5GiB" as a number of bytes. Raises ValueError for anything else."""
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([KMG]?)(?:i?B)?\s*", text, re.IGNORECASE)
    if not match:
        raise ValueError(f"expected a size such as 512M or 2G, got {text!r}")
    return int(float(match[1]) * _UNITS[match[2].upper()])


def memory_limit() -> int:
    """The most memory that the core may use, in bytes: PYWASMTORCH_MEMORY, or 4 GiB less one page."""
    text = os.environ.get("PYWASMTORCH_MEMORY", "")
    if not text.strip():
        return MAX_MEMORY
    try:
        size = parse_size(text)
    except ValueError as error:
        raise ValueError(f"PYWASMTORCH_MEMORY: {error}") from None
    return min(size, MAX_MEMORY)


def cores() -> int:
    """The number of processor cores that this process may use."""
    if sys.platform == "emscripten":
        import js  # type: ignore[import-not-found]

        return int(getattr(getattr(js, "navigator", None), "hardwareConcurrency", 0) or 1)
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_threads() -> int:
    """The number of threads to begin with: PYWASMTORCH_NUM_THREADS, or one for each core, at most 16."""
    text = os.environ.get("PYWASMTORCH_NUM_THREADS", "")
    if not text.strip():
        return min(cores(), MAX_THREADS)
    if not text.strip().isdecimal() or int(text) < 1:
        raise ValueError(f"PYWASMTORCH_NUM_THREADS: expected a positive integer, got {text!r}")
    return min(int(text), MAX_THREADS)


def thread_count(n: object) -> int:
    """A number of threads that was asked for, at most 16. Raises ValueError when it is none."""
    if not isinstance(n, int) or isinstance(n, bool) or n < 1:
        raise ValueError(f"expected a positive number of threads, got {n!r}")
    return min(n, MAX_THREADS)


def entropy() -> int:
    """53 bits from the system, as PyTorch takes."""
    return int.from_bytes(os.urandom(8), "little") >> 11


def first_seed() -> int:
    """The seed that random numbers begin with: PYWASMTORCH_SEED, or one from the system."""
    text = os.environ.get("PYWASMTORCH_SEED", "").strip()
    if not text:
        return entropy()
    try:
        seed = int(text)
    except ValueError:
        seed = -1
    if not 0 <= seed < 1 << 64:
        raise ValueError(f"PYWASMTORCH_SEED: expected an integer from 0 to 2**64 - 1, got {text!r}")
    return seed


def binary_path() -> Path:
    """Where the core's WebAssembly file lies: next to the package, or where PYWASMTORCH_BINARY says."""
    override = os.environ.get("PYWASMTORCH_BINARY")
    return Path(override) if override else Path(__file__).parents[2] / "pywasmtorch.wasm"


def read_binary() -> bytes:
    """The core's WebAssembly file. Raises RuntimeError when it has not been built."""
    path = binary_path()
    try:
        return path.read_bytes()
    except FileNotFoundError:
        raise RuntimeError(f"{path} is missing; in a source tree, build it first: "
                           f"make build (or {Path(sys.executable).name} wasm/build.py)") from None
