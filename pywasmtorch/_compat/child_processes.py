"""Children that multiprocessing starts by spawn and forkserver: the same torch as their parent's, before their main module is read.

A child unpickles what its parent prepared for it first of all. One entry more in that runs a line of Python; multiprocessing looks
at the entries that it knows.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import PathFinder
from pathlib import Path
from typing import Any

OURS = __name__.partition(".")[0]
SPAWN = "multiprocessing.spawn"
FORKSERVER = "ignore"  # the name that multiprocessing gives the server, which knows no entries but these of a child
MAIN = ("main_path", "init_main_from_path", "init_main_from_name")


class _Install:
    """Pickled, it is a call that makes this package torch where it is read."""

    def __reduce__(self) -> Any:
        folder = str(Path(__file__).parents[2])
        lines = f"import sys; sys.path.append({folder!r}); import {OURS}; {OURS}.install_as_torch()"
        return exec, (lines, {})


def pass_on(spawn: Any) -> None:
    """Lets the children that this module prepares have what `install_as_torch` made."""
    original = spawn.get_preparation_data

    def get_preparation_data(name: str) -> dict[str, Any]:
        data = original(name)
        if name == FORKSERVER:
            return {key: value for key, value in data.items() if key not in MAIN}
        return {**data, OURS: _Install()}

    spawn.get_preparation_data = get_preparation_data


def pass_on_when_loaded() -> None:
    """Does so at once where the module is loaded already."""
    if SPAWN in sys.modules:
        pass_on(sys.modules[SPAWN])


def spec_of_spawn(path: Sequence[str] | None) -> Any:
    """What loads the module and lets it pass this package on."""
    spec = PathFinder.find_spec(SPAWN, path)
    if spec is not None and spec.loader is not None:
        load = spec.loader.exec_module

        def exec_module(module: Any) -> None:
            load(module)
            pass_on(module)

        spec.loader.exec_module = exec_module  # type: ignore[method-assign]
    return spec
