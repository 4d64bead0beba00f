"""Compiled libraries of published packages whose operators this package has: `torch.ops.load_library` of their files defines those."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

#: the package and the library's name there -> the module of this folder that has its operators, and its function that defines them
REPLACED = {
    ("torchvision", "_C"): ("torchvision_ops", "define_operators"), ("torchvision", "_C_stable"): ("torchvision_ops", "define_operators"),
    ("torchvision", "image"): ("torchvision_images", "define_operators"), ("torchvision", "image_stable"): ("torchvision_images", "define_operators"),
    ("torchaudio", "_torchaudio"): ("torchaudio_ops", "define_answers"), ("torchaudio", "libtorchaudio"): ("torchaudio_ops", "define_operators"),
}
_loaded: dict[tuple[str, str], bool] = {}


def _package_of(path: Path) -> str:
    return path.parent.parent.name if path.parent.name == "lib" else path.parent.name


def load(path: Any) -> None:
    """Defines the operators of a library that this package replaces; the file itself is not read.

    Raises:
        OSError: there is no such file, or what its operators need is not installed.
        NotImplementedError: a library of which this package has nothing.
    """
    file = Path(path)
    if not file.exists():
        raise OSError(f"{path}: cannot open shared object file: No such file or directory")
    library = (_package_of(file), file.name.partition(".")[0])
    if library not in REPLACED:
        raise NotImplementedError(f"torch.ops.load_library({str(path)!r}): pywasmtorch loads no compiled operators, and has none of its own for this library; see docs/differences.md")
    if library not in _loaded:
        module, function = REPLACED[library]
        define: Callable[[], None] = getattr(import_module(f".{module}", __package__), function)
        define()
        _loaded[library] = True
