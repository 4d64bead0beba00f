"""Hosts: wasmtime and Pyodide run the tensor core, behind one protocol.

CPython runs it through wasmtime, Pyodide through the browser's or Node's own engine. Everything above this package is
the same on both. `wasm/abi.md` describes the calls that a host makes.
"""
from __future__ import annotations

import sys

from .protocol import Host

_host: Host | None = None


def load() -> Host:
    """Returns the host of this process; the first call starts it. Raises RuntimeError when the core cannot run."""
    global _host
    if _host is None:
        if sys.platform == "emscripten":
            from .pyodide_host import PyodideHost

            _host = PyodideHost()
        else:
            from .wasmtime_host import WasmtimeHost

            _host = WasmtimeHost()
    return _host
