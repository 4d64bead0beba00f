"""Compiles C files to objects, each only when one of its inputs has changed."""
from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

JOBS = 2


class BuildError(Exception):
    """A step of the build failed; the message is what a person should read."""


def run(command: list[str], cwd: Path) -> str:
    """Runs a command and returns what it printed; raises BuildError with its output when it fails."""
    try:
        done = subprocess.run(command, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except OSError as error:
        raise BuildError(f"cannot run {command[0]}: {error}") from error
    if done.returncode:
        raise BuildError(f"{' '.join(command)}\n{done.stdout.rstrip()}")
    return done.stdout


def zig() -> str:
    """The path of the compiler in the ziglang package."""
    try:
        import ziglang
    except ImportError:
        raise BuildError("the compiler is missing: pip install ziglang (pyproject.toml names the version)") from None
    folder = Path(ziglang.__file__).parent
    return str(folder / ("zig.exe" if os.name == "nt" else "zig"))


def native_compiler(flags: list[str], name: str | None = None) -> str:
    """The path of clang or gcc on this machine, or of the compiler that is asked for, that links a program with these flags."""
    failures = []
    for candidate in [name] if name else ["clang", "gcc", "cc"]:
        if not (found := shutil.which(candidate)):
            continue
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "empty.c"
            source.write_text("int main(void) { return 0; }\n")
            try:
                run([found, *flags, str(source), "-o", str(Path(folder) / "empty")], Path(folder))
                return found
            except BuildError as error:  # often a clang without its sanitizers' libraries, a package of their own
                failures.append(str(error))
    raise BuildError("\n".join([f"no C compiler that works was found (looked for {name or 'clang, gcc and cc'})", *failures]))


def hash_bytes(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def write_if_changed(path: Path, data: bytes) -> None:
    """Writes a file in one step, and leaves it alone when it already holds the same bytes."""
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.{os.getpid()}.part")
    partial.write_bytes(data)
    os.replace(partial, path)


@dataclass
class Compiler:
    """A C compiler with its flags; objects and what they were made from are kept in `folder`."""

    command: list[str]
    flags: list[str]
    folder: Path
    root: Path
    version: str = ""
    _hashes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.version = self.version or run([*self.command, "--version"], self.root)
        self.folder.mkdir(parents=True, exist_ok=True)

    def _hash(self, path: str) -> str:
        if path not in self._hashes:
            try:
                self._hashes[path] = hash_bytes((self.root / path).read_bytes())
            except OSError:
                self._hashes[path] = "missing"
        return self._hashes[path]

    def _object(self, source: str) -> Path:
        return self.folder / (re.sub(r"[^A-Za-z0-9.]+", "_", source.removesuffix(".c")) + ".o")

    def _up_to_date(self, record: Path, obj: Path) -> bool:
        if not (record.exists() and obj.exists()):
            return False
        try:
            made = json.loads(record.read_text())
        except ValueError:
            return False
        return (made["flags"] == self.flags and made["version"] == self.version
                and made["object"] == hash_bytes(obj.read_bytes())
                and all(self._hash(path) == digest for path, digest in made["inputs"].items()))

    def compile(self, source: str) -> Path:
        """Compiles one file, named relative to the root, and returns the object."""
        obj = self._object(source)
        record, deps = obj.with_suffix(".json"), obj.with_suffix(".d")
        if self._up_to_date(record, obj):
            return obj
        run([*self.command, *self.flags, "-MD", "-MF", str(deps), "-c", "-o", str(obj), source], self.root)
        inputs = {path: self._hash(path) for path in self._read_deps(deps)}
        inputs[source] = self._hash(source)
        record.write_text(json.dumps({"flags": self.flags, "version": self.version,
                                      "object": hash_bytes(obj.read_bytes()), "inputs": inputs}, indent=1))
        return obj

    def _read_deps(self, deps: Path) -> list[str]:
        text = deps.read_text().replace("\\\n", " ")
        names = re.split(r"(?<!\\)\s+", text.split(": ", 1)[1].strip())
        return [name.replace("\\ ", " ") for name in names if name]

    def compile_all(self, sources: list[str], title: str) -> list[Path]:
        """Compiles all sources, two at a time, and returns the objects in the order of the sources."""
        if not sources:
            return []
        if len({self._object(source) for source in sources}) != len(sources):
            raise BuildError("two sources would share one object file")
        failures: list[str] = []
        with ThreadPoolExecutor(JOBS) as pool:
            running = [pool.submit(self.compile, source) for source in sources]
            for done in progress(as_completed(running), len(running), title):
                if error := done.exception():
                    failures.append(str(error))
        if failures:
            raise BuildError("\n\n".join(failures))
        return [self._object(source) for source in sources]


def progress(items, total: int, title: str):
    """A progress bar on a terminal, one line elsewhere."""
    if sys.stderr.isatty():
        try:
            from tqdm import tqdm
        except ImportError:
            pass
        else:
            return tqdm(items, total=total, desc=title, unit="file", leave=False)
    print(f"{title}: {total} files", file=sys.stderr)
    return items
