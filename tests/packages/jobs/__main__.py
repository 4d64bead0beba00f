"""Runs the jobs, compares with PyTorch's recorded results, and writes the table."""

import argparse
import json
import math
import re
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]
RECORDED = HERE.parent / "recorded" / "jobs.json"
PINS = {match["name"]: match.group() for match in re.finditer(r"^(?P<name>[\w-]+)==\S+$", (HERE / "requirements.txt").read_text(), re.MULTILINE)}
AFTER = "import runpy, sys; import torch, numpy; sys.path.append(sys.argv[1]); runpy.run_path(sys.argv[2], run_name='__main__')"
HEAD = """# Packages that run unmodified

Written by `make test-packages`: each package in an environment without PyTorch, its job's numbers compared with PyTorch's to 1e-4. Times are of the whole
process, imports included; "not run" where the package's compiled part, as pip installs it, is of another build of PyTorch than the one here.

| package | version | what ran | here | PyTorch |
|---|---|---|---|---|
"""


def environment(name):
    """The interpreter of a job's environment, made where it is not there."""
    folder = ROOT / "build" / "packages" / name
    python = folder / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    done = folder / "installed"
    if not done.exists() or done.read_text() != PINS[name]:
        (wheel,) = (ROOT / "dist").glob("pywasmtorch-*.whl")
        venv.create(folder, with_pip=True, clear=True)
        pip = [python, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        subprocess.run([*pip, wheel], check=True)
        subprocess.run([python, "-m", "pywasmtorch", "install"], check=True)
        subprocess.run([*pip, PINS[name], "torch==2.13.*"], check=True)
        done.write_text(PINS[name])
    return python


def run(command):
    began = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    if done.returncode:
        raise RuntimeError(done.stderr[-3000:])
    return json.loads(done.stdout.strip().rpartition("\n")[2]), time.perf_counter() - began


def with_torch(torch, python, name):
    packages = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], capture_output=True, text=True, check=True)
    return run([torch, "-c", AFTER, packages.stdout.strip(), HERE / f"{name}_job.py"])


def seconds_with_torch(torch, python, name):
    """As the table has it; none where a package's compiled part is of another build of PyTorch."""
    try:
        return f"{with_torch(torch, python, name)[1]:.1f} s"
    except RuntimeError as error:
        print(f"{name} does not run with PyTorch: {str(error).strip().splitlines()[-1]}")
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
    rows, failed = [], []
    for name in options.names or PINS:
        python = environment(name)
        if options.record:
            recorded[name] = with_torch(options.torch, python, name)[0]
            continue
        try:
            got, seconds = run([python, HERE / f"{name}_job.py"])
            wrong = difference(recorded[name], got)
        except RuntimeError as error:
            wrong = str(error)
        if wrong:
            failed.append(name)
            print(f"{name}: {wrong}")
            continue
        print(f"{name}: as PyTorch, {seconds:.1f} s")
        what = re.match(r'"""\w+: (.*?)\."""', (HERE / f"{name}_job.py").read_text())[1]
        if options.torch:
            rows.append(f"| {name} | {PINS[name].partition('==')[2]} | {what} | {seconds:.1f} s | {seconds_with_torch(options.torch, python, name)} |\n")
    if options.record:
        RECORDED.write_text(json.dumps(recorded, indent=1) + "\n")
    elif options.torch and not options.names and not failed:
        (ROOT / "docs" / "packages.md").write_text(HEAD + "".join(rows))
    print(f"{len(PINS) - len(failed)} passed, {len(failed)} failed" if not options.names else "")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
