"""Runs the Python suite inside Pyodide, on both kinds of memory, one after the other, beside the tests of this process."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ROOT / "build" / "pyodide-wheels"
PACKAGES = ("pytest", "pluggy", "iniconfig", "packaging", "pygments")
OPTIONS = {"threads": ("--threads", "2"), "plain-memory": ("--plain",)}
SECONDS = 1800

_runner = ThreadPoolExecutor(1)
_runs: dict[str, Future[subprocess.CompletedProcess[str] | str]] = {}
_processes: list[subprocess.Popen[str]] = []


def what_is_missing(path: str | None = None) -> str:
    """Why nothing can run in Pyodide, or an empty text."""
    if shutil.which("node", path=path) is None:
        return "Node is not installed (https://nodejs.org): not tested in Pyodide"
    if not (ROOT / "node_modules" / "pyodide").exists():
        return "npm's pyodide package is not installed (npm ci): not tested in Pyodide"
    return ""


def _fetch_wheels() -> str:
    """pytest and what it needs, as wheels for any platform; why they are not to be had, or an empty text."""
    if all(list(WHEELS.glob(f"{name}-*.whl")) for name in PACKAGES):
        return ""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "--dest", str(WHEELS), *PACKAGES]
    done = subprocess.run(command, capture_output=True, text=True)
    return f"pip cannot fetch pytest for Pyodide: {done.stderr.strip()[-200:]}" if done.returncode else ""


def _run(kind: str, environment: dict[str, str]) -> subprocess.CompletedProcess[str] | str:
    if reason := what_is_missing(environment.get("PATH")) or _fetch_wheels():
        return reason
    command = [shutil.which("node", path=environment.get("PATH")) or "node", "wasm/pyodide.mjs", *OPTIONS[kind], "--wheels", str(WHEELS), "-m", "pytest", "tests/python", "-q", "-p", "no:cacheprovider", "--tb=short"]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    _processes.append(process)
    try:
        out, errors = process.communicate(timeout=SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        out, errors = process.communicate()
        errors += f"\nnot done after {SECONDS} seconds"
    return subprocess.CompletedProcess(command, process.returncode, out, errors)


def start(kind: str) -> None:
    if kind not in _runs:
        _runs[kind] = _runner.submit(_run, kind, dict(os.environ))  # tests change the environment meanwhile


def outcome(kind: str) -> subprocess.CompletedProcess[str] | str:
    """What the run came to, or why there was none; waits for it."""
    start(kind)
    return _runs[kind].result()


def stop() -> None:
    """Ends what still runs."""
    for run in _runs.values():
        run.cancel()
    for process in _processes:
        if process.poll() is None:
            process.kill()
