"""Builds parts of the C core as a shared library for this machine, for tests that call it through ctypes."""

import ctypes
import functools
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

CORE = pathlib.Path(__file__).resolve().parents[2] / "core-c"
FLAGS = ["-std=c11", "-O2", "-g", "-fPIC", "-shared", "-ffreestanding", "-ffp-contract=off", "-fno-math-errno"]
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-Wno-attributes"]


def compiler():
    """The command of a C compiler: $CC, gcc, clang, or the one in ziglang."""
    if os.environ.get("CC"):
        return os.environ["CC"].split()
    for name in ("gcc", "clang"):
        if shutil.which(name):
            return [name]
    return [sys.executable, "-m", "ziglang", "cc"]


def load(*sources):
    """The shared library made of ``sources``, which are paths below core-c, as a ctypes.CDLL.

    A compiler's error is a RuntimeError with its output.
    """
    library, output = build(sources)
    if library is None:
        raise RuntimeError(output)
    return library


@functools.cache
def build(sources):
    """(library or None, what the compiler printed)"""
    includes = [f"-I{CORE / folder}" for folder in ("include", "src", "src/kernels")]
    with tempfile.TemporaryDirectory(prefix="pwt-native-") as folder:
        library = pathlib.Path(folder) / "core.so"
        command = [*compiler(), *FLAGS, *WARNINGS, *includes, *(str(CORE / source) for source in sources), "-o", str(library)]
        done = subprocess.run(command, capture_output=True, text=True)
        output = f"{' '.join(command)}\n{done.stderr}"
        if done.returncode:
            return None, output
        try:
            return ctypes.CDLL(str(library)), output
        except OSError as error:  # a source that the others need is not among them
            return None, f"{output}{error}"
