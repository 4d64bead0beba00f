"""`python -m pywasmtorch info`, and `python -m pywasmtorch script.py` to run an unmodified PyTorch script."""
from __future__ import annotations

import json
import os
import platform
import runpy
import sys
from pathlib import Path

from ._core import host as _host
from ._core.host import settings as _settings
from ._core.version import __version__

USAGE = """usage: python -m pywasmtorch info                       what is installed, and what it runs on
       python -m pywasmtorch script.py [arguments]      run a PyTorch script: `import torch` finds pywasmtorch
       python -m pywasmtorch -m module [arguments]      the same for a module"""


def features() -> str:
    description = _settings.binary_path().with_suffix(".json")
    try:
        return ", ".join(json.loads(description.read_text())["features"])
    except (OSError, ValueError, KeyError):
        return "not recorded beside this binary"


def info() -> str:
    """A report of the version, the binary, its features, the host, threads and memory."""
    host = _host.load()
    pool = getattr(host, "pool", None)
    threads = pool.wanted if pool is not None else host.call_export("pwt_get_num_threads")
    size = os.path.getsize(_settings.binary_path())
    lines = {
        "pywasmtorch": __version__,
        "python": f"{platform.python_implementation()} {platform.python_version()} on {sys.platform}",
        "host": host.description,
        "binary": f"{size:,} bytes, sha256 {host.sha256}",
        "abi": str(host.call_export("pwt_abi_version")),
        "features": features(),
        "threads": f"{threads} of at most {_settings.MAX_THREADS}; "
                   f"{_settings.cores()} cores",
        "memory": f"at most {host.memory_limit:,} bytes",
    }
    if sys.platform != "emscripten":
        from ._core.host import cache as _cache

        lines["cache"] = _cache.state()
    width = max(map(len, lines))
    return "\n".join(f"{name:{width}}  {text}" for name, text in lines.items())


def run(arguments: list[str]) -> None:
    """Runs a script or a module as `python` would, with `import torch` finding this package."""
    from . import install_as_torch

    install_as_torch()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
        runpy.run_path(arguments[0], run_name="__main__")


def main(arguments: list[str]) -> int:
    if arguments == ["info"]:
        print(info())
    elif not arguments or arguments[0] in ("-h", "--help") or arguments == ["-m"]:
        print(USAGE)
        return 0 if arguments and arguments != ["-m"] else 2
    elif arguments[0] != "-m" and not os.path.exists(arguments[0]):
        print(f"{arguments[0]}: no such file\n{USAGE}", file=sys.stderr)
        return 2
    else:
        run(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
