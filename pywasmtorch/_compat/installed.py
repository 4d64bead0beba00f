"""torch in an environment: a package `torch` of one file that imports this one, and metadata by which pip and programs find it installed.

Nothing of it is read before something asks for torch, so an interpreter starts as quickly as without.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import importlib.metadata
import io
import os
import re
import shutil
import site
import sysconfig
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import torch_version
from .._core.version import __version__

OURS = __name__.partition(".")[0]
VERSION = str(torch_version.__version__)
METADATA_FOLDER = f"torch-{VERSION}.dist-info"
ASIDE = f"{OURS}_as_torch"  # where PyTorch itself is installed, what stands for it gets a folder of its own, earlier on the path
# with the light ones of what PyTorch requires: packages import them without saying so (peft and chat templates import jinja2)
METADATA = f"""Metadata-Version: 2.1
Name: torch
Version: {VERSION}
Summary: pywasmtorch stands for torch in this environment
Requires-Dist: {OURS}=={__version__}
Requires-Dist: filelock
Requires-Dist: fsspec>=0.8.5
Requires-Dist: jinja2
Requires-Dist: typing-extensions>=4.10.0
"""


class Refused(Exception):
    """What `install` and `uninstall` do not do; the text says why."""


class _Distribution(importlib.metadata.Distribution):
    """torch as an installed distribution, in an interpreter whose `import torch` finds this package."""

    def read_text(self, filename: str) -> str | None:
        return files().get(f"{METADATA_FOLDER}/{filename}")

    def locate_file(self, path: Any) -> Any:
        return Path(__file__).parents[2] / path


def distributions(name: str | None) -> Iterable[importlib.metadata.Distribution]:
    """torch's, where that is what is looked for, or everything."""
    if name is None or re.sub("[-_.]+", "-", name).lower() == "torch":
        yield _Distribution()


def own_folder() -> Path:
    return Path(__file__).parents[2]


def files(beside: bool = True) -> dict[str, str]:
    """What to write, by path. `beside` says that the interpreter finds this package by itself."""
    find = "" if beside else f"import sys\n\nsys.path.append({str(own_folder())!r})\n"
    return {
        "torch/__init__.py": f'"""{OURS} stands for torch here; `python -m {OURS} uninstall` ends that."""\n\n{find}import {OURS}\n\n{OURS}.install_as_torch()\n',
        f"{METADATA_FOLDER}/METADATA": METADATA,
        f"{METADATA_FOLDER}/INSTALLER": f"{OURS}\n",
        f"{METADATA_FOLDER}/WHEEL": f"Wheel-Version: 1.0\nGenerator: {OURS} {__version__}\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{METADATA_FOLDER}/top_level.txt": "torch\n",
    }


def _record(contents: dict[str, str]) -> str:
    """The list of files by which pip, too, can remove them."""
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    for name, content in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode()
        rows.writerow((name, f"sha256={digest}", len(content.encode())))
    rows.writerow((f"{METADATA_FOLDER}/RECORD", "", ""))
    return text.getvalue()


def write(folder: Path, beside: bool = True) -> None:
    """Writes the package and its metadata into a folder of the path."""
    contents = files(beside)
    for name, content in {**contents, f"{METADATA_FOLDER}/RECORD": _record(contents)}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content.encode())


def _site_folders() -> list[Path]:
    """Where packages of this interpreter are installed, the environment's own first."""
    folders = [sysconfig.get_paths()["purelib"], *getattr(site, "getsitepackages", list)()]
    if site.ENABLE_USER_SITE:
        folders.append(site.getusersitepackages())
    return [Path(text) for text in dict.fromkeys(map(os.path.normpath, folders))]


def _metadata_of(folder: Path) -> list[Path]:
    return sorted(folder.glob("torch-*.dist-info"))


def _is_ours(metadata: Path) -> bool:
    installer = metadata / "INSTALLER"
    return installer.is_file() and installer.read_text().strip() == OURS


def _pytorch() -> str | None:
    """What PyTorch is installed for this interpreter, and where."""
    for folder in _site_folders():
        for metadata in _metadata_of(folder):
            if not _is_ours(metadata):
                return f"torch {metadata.name.removeprefix('torch-').removesuffix('.dist-info')} in {folder}"
        if (folder / "torch").is_dir() and not any(map(_is_ours, _metadata_of(folder))):
            return f"a package torch in {folder}"
    return None


def _is_found_by_itself() -> bool:
    """Whether an interpreter started anywhere imports this package: it is in a folder of packages, or a distribution says where it is."""
    if any(own_folder() == folder for folder in _site_folders()):
        return True
    return any(list(folder.glob(f"{OURS}-*.dist-info")) for folder in _site_folders())


def install(force: bool = False) -> str:
    """Writes torch into this interpreter's environment, and says where.

    Refused where PyTorch itself is installed: with `force` this package comes before it, which stays as it is."""
    pytorch = _pytorch()
    if pytorch and not force:
        raise Refused(f"PyTorch itself is installed here ({pytorch}). --force lets {OURS} come before it, and uninstall undoes that")
    remove()
    beside = _is_found_by_itself()
    folder = own_folder() if own_folder() in _site_folders() else _site_folders()[0]
    if not pytorch:
        write(folder, beside)
        return f"`import torch` finds {OURS} now: {folder / 'torch'}"
    write(folder / ASIDE, beside)
    (folder / f"{ASIDE}.pth").write_text(f"import sys; sys.path.insert(0, {str(folder / ASIDE)!r})\n")
    return f"`import torch` finds {OURS} now, before {pytorch}: {folder / ASIDE}"


def remove() -> list[Path]:
    """Removes what `install` wrote and nothing else; returns what that was."""
    removed = []
    for folder in _site_folders():
        for metadata in filter(_is_ours, _metadata_of(folder)):
            removed += [folder / "torch", metadata]
        removed += filter(Path.exists, (folder / ASIDE, folder / f"{ASIDE}.pth"))
    for path in removed:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
    return removed


def uninstall() -> str:
    """Undoes `install`, and says what is gone. Refused where there is nothing to undo."""
    removed = remove()
    if not removed:
        raise Refused(f"{OURS} does not stand for torch here")
    return "removed " + ", ".join(map(str, removed))


def pass_on(folder: Path) -> None:
    """Lets every interpreter that this one starts find torch in `folder`, which gets it, and this one find its metadata there."""
    import sys

    write(folder)
    path = [str(folder)]
    if not _is_found_by_itself():
        path.append(str(own_folder()))
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([*path, before] if before else path)
    sys.path[1:1] = path[:1]
