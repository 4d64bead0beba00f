"""`python -m pywasmtorch`: info, install and uninstall as torch, and `script.py` to run an unmodified PyTorch script."""
from __future__ import annotations

import atexit
import json
import os
import platform
import runpy
import shutil
import sys
import tempfile
from pathlib import Path

from ._core import host as _host
from ._core.host import settings as _settings
from ._core.version import __version__

USAGE = """usage: python -m pywasmtorch info                       what is installed, and what it runs on
       python -m pywasmtorch install [--force]          `import torch` finds pywasmtorch in this environment
       python -m pywasmtorch uninstall                  undoes that
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
    """Runs a script or a module as `python` would, with `import torch` finding this package, in processes that it starts too."""
    from . import install_as_torch
    from ._compat import installed

    folder = Path(tempfile.mkdtemp(prefix="pywasmtorch-"))
    atexit.register(_remove, folder, os.getpid())
    installed.pass_on(folder)
    install_as_torch()
    if arguments[0] == "-m":
        sys.argv = arguments[1:]
        sys.path.insert(0, os.getcwd())
        runpy.run_module(arguments[1], run_name="__main__", alter_sys=True)
    else:
        sys.argv = arguments
        sys.path.insert(0, str(Path(arguments[0]).resolve().parent))
        runpy.run_path(arguments[0], run_name="__main__")


def _remove(folder: Path, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


def change(arguments: list[str]) -> int:
    """`install`, `install --force`, `uninstall`; 1 where that is refused."""
    from ._compat import installed

    try:
        print(installed.uninstall() if arguments[0] == "uninstall" else installed.install(force=arguments[1:] == ["--force"]))
    except (installed.Refused, OSError) as reason:
        print(f"pywasmtorch: {reason}", file=sys.stderr)
        return 1
    return 0


def main(arguments: list[str]) -> int:
    if arguments == ["info"]:
        print(info())
    elif arguments in (["install"], ["install", "--force"], ["uninstall"]):
        return change(arguments)
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
