"""Runs the jobs, compares with PyTorch's recorded results, and writes the table."""

import argparse
import hashlib
import json
import math
import re
import subprocess
import sys
import time
import venv
from pathlib import Path
from typing import NamedTuple

from . import in_pyodide

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
RECORDED = HERE.parent / "recorded" / "jobs.json"
HEAD = """# Packages that run unmodified

Written by `make test-packages`: each package in an environment without PyTorch, its job's numbers compared with PyTorch's to 1e-4. Times are of the whole
process, imports included; "not run" where the package's compiled part, as pip installs it, is of another build of PyTorch than the one here. The last column is
the same job in Pyodide under Node, or what is missing there.

| package | version | what ran | here | PyTorch | in Pyodide |
|---|---|---|---|---|---|
"""


class Job(NamedTuple):
    """A program that uses a package, in an environment that may have others."""

    environment: str
    package: str
    version: str
    program: Path

    @property
    def name(self):
        name = self.program.stem.removesuffix("_job")
        return name if self.environment == self.package else f"{self.environment}/{name}"

    @property
    def what(self):
        return re.match(r'"""[^:]+: (.*?)\."""', self.program.read_text())[1]


def environments():
    """What each environment has, by name, as requirements.txt says it."""
    found, shared = {}, None
    for line in filter(None, (HERE / "requirements.txt").read_text().splitlines()):
        if line.startswith("#"):
            shared = line.removeprefix("# environment ") if line.startswith("# environment ") else shared
        else:
            found.setdefault(shared or line.partition("==")[0], []).append(line)
    return found


def jobs():
    for environment, pins in environments().items():
        for package, _, version in sorted(pin.partition("==") for pin in pins):
            module = package.replace("-", "_")
            for program in sorted({*HERE.glob(f"{module}_job.py"), *HERE.glob(f"{module}_*_job.py")}):
                yield Job(environment, package, version, program)


def interpreter(environment, pins):
    """The interpreter of an environment, which is made where it is not there."""
    folder = ROOT / "build" / "packages" / environment
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
    done, ours = folder / "installed", folder / "wheel"
    (wheel,) = (ROOT / "dist").glob("pywasmtorch-*.whl")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    has_pins = done.exists() and done.read_text() == "\n".join(pins)
    if not has_pins:
        venv.create(folder, with_pip=True, clear=True)
    if not has_pins or not ours.exists() or ours.read_text() != digest:
        subprocess.run([*pip, *(["--no-deps", "--force-reinstall"] if has_pins else []), wheel], check=True)
        subprocess.run([python, "-m", "pywasmtorch", "install"], check=True, stdout=subprocess.DEVNULL)
        ours.write_text(digest)
    if not has_pins:
        subprocess.run([*pip, *pins, "torch==2.13.*"], check=True)
        done.write_text("\n".join(pins))
    return python


def run(command):
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return json.loads(done.stdout.strip().rpartition("\n")[2]), time.perf_counter() - began


def with_torch(torch, python, program):
    packages = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], capture_output=True, text=True, check=True)
    return run([torch, HERE / "beside_torch.py", packages.stdout.strip(), program])


def seconds_with_torch(torch, python, job):
    """As the table has it; none where a package's compiled part is of another build of PyTorch."""
    try:
        return f"{with_torch(torch, python, job.program)[1]:.1f} s"
    except RuntimeError as error:
        print(f"{job.name} does not run with PyTorch: {str(error).strip().splitlines()[-1]}")
        return "not run"


def difference(expected, got):
    """The first entry that differs by more than 1e-4, relative to itself or, near zero, by a tenth of that to the largest; None without one."""
    if list(expected) != list(got):
        return f"results are {list(got)}, expected {list(expected)}"
    for name, want in expected.items():
        if len(want) != len(got[name]):
            return f"{name} has {len(got[name])} entries, expected {len(want)}"
        small = 1e-5 * max(map(abs, want), default=0)
        for x, y in zip(got[name], want):
            if not math.isclose(x, y, rel_tol=1e-4, abs_tol=small):
                return f"{name}: {x}, expected {y}"
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--torch", help="an interpreter that has PyTorch")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    recorded = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    rows, failed, installed = [], [], environments()
    chosen = [job for job in jobs() if not options.names or {job.name, job.package, job.environment} & set(options.names)]
    pyodide = None if options.record or not options.torch else in_pyodide.prepared()
    for job in chosen:
        python = interpreter(job.environment, installed[job.environment])
        if options.record:
            recorded[job.name] = with_torch(options.torch, python, job.program)[0]
            print(f"{job.name}: recorded", flush=True)
            continue
        try:
            got, seconds = run([python, job.program])
            wrong = difference(recorded[job.name], got)
        except RuntimeError as error:
            wrong = str(error)
        if wrong:
            failed.append(job.name)
            print(f"{job.name}: {wrong}", flush=True)
            continue
        print(f"{job.name}: as PyTorch, {seconds:.1f} s", flush=True)
        if options.torch:
            theirs = seconds_with_torch(options.torch, python, job)
            page = in_pyodide.answer(pyodide, python, job.program, lambda got: difference(recorded[job.name], got)) if pyodide else "not tried"
            rows.append(f"| {job.package} | {job.version} | {job.what} | {seconds:.1f} s | {theirs} | {page} |\n")
            print(rows[-1], end="", flush=True)
    if options.record:
        RECORDED.write_text(json.dumps(dict(sorted(recorded.items())), indent=1) + "\n")
    elif options.torch and not options.names and not failed:
        (ROOT / "docs" / "packages.md").write_text(HEAD + "".join(sorted(rows)))
    print(f"{len(chosen) - len(failed)} passed, {len(failed)} failed")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
