"""`python -m pywasmtorch install`: an environment whose `import torch` finds this package, in every process; what its metadata say."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

venv = pytest.importorskip("venv", reason="there are no environments in Pyodide")

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "emscripten", reason="needs processes")

FOUND = """
import importlib.metadata, importlib.util, json, subprocess, sys
before = [importlib.metadata.version("torch"), importlib.util.find_spec("torch").name]
import torch
spec = importlib.util.find_spec("torch")
distribution = importlib.metadata.distribution("torch")
child = subprocess.run([sys.executable, "-c", "import torch; print(torch.__version__)"], capture_output=True, text=True)
print(json.dumps([before, torch.__version__, torch.__name__, spec.name, [distribution.name, distribution.version, distribution.metadata["Name"]], child.stdout.strip()]))
"""
WORKERS = """
import multiprocessing, sys
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
import torch
def work(i):
    return float(torch.full((2,), i).sum()), torch.__name__
if __name__ == "__main__":
    with multiprocessing.Pool(1) as pool:
        assert pool.map(work, [1.0, 2.0]) == [(2.0, "torch"), (4.0, "torch")]
"""
PYTORCH = "torch-2.13.0+cpu.dist-info"


def contents(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file() and path.suffix != ".pyc"}


@pytest.fixture
def environment(tmp_path):
    """An environment that finds this package and its dependencies beside its own folder, which is empty."""
    venv.create(tmp_path / "env", with_pip=False)
    python = tmp_path / "env" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    said = subprocess.run([python, "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"], capture_output=True, text=True, check=True)
    packages = Path(said.stdout.strip())
    needed = tmp_path / "needed"
    needed.mkdir()
    for name in ("numpy", "numpy.libs", "wasmtime"):
        for place in map(Path, sys.path):
            if (place / name).is_dir() and not (needed / name).exists():
                (needed / name).symlink_to(place / name)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}

    def run(*arguments, path=(ROOT,), cwd=tmp_path):
        search = os.pathsep.join(map(str, (needed, *path)))
        return subprocess.run([python, *arguments], capture_output=True, text=True, cwd=cwd, env={**variables, "PYTHONPATH": search})

    return run, packages


def test_install_and_uninstall(environment, tmp_path):
    run, packages = environment
    before = contents(packages)
    done = run("-m", "pywasmtorch", "install")
    assert done.returncode == 0, done.stderr
    assert "torch/__init__.py" in contents(packages)
    found = run("-c", FOUND, path=())
    assert found.returncode == 0, found.stderr
    import pywasmtorch

    version = f"2.13.0+pywasmtorch{pywasmtorch._core.version.__version__}"
    assert json.loads(found.stdout) == [[version, "torch"], version, "torch", "torch", ["torch", version, "torch"], version]
    program = tmp_path / "workers.py"
    program.write_text(WORKERS)
    for method in ("fork", "spawn", "forkserver") if os.name == "posix" else ("spawn",):
        done = run(program, method, path=())
        assert done.returncode == 0, (method, done.stderr)
    untouched = run("-c", "import sys, site; print([name for name in sys.modules if 'torch' in name])", path=())
    assert untouched.stdout == "[]\n"
    assert run("-m", "pywasmtorch", "install").returncode == 0
    done = run("-m", "pywasmtorch", "uninstall")
    assert done.returncode == 0, done.stderr
    assert contents(packages) == before
    assert run("-c", "import torch", path=()).returncode == 1
    again = run("-m", "pywasmtorch", "uninstall")
    assert again.returncode == 1 and "does not stand for torch here" in again.stderr


def test_pytorch_is_left_alone(environment):
    run, packages = environment
    (packages / "torch").mkdir()
    (packages / "torch" / "__init__.py").write_text("__version__ = 'its own'\n")
    (packages / PYTORCH).mkdir()
    (packages / PYTORCH / "METADATA").write_text("Metadata-Version: 2.1\nName: torch\nVersion: 2.13.0+cpu\n")
    (packages / PYTORCH / "INSTALLER").write_text("pip\n")
    before = contents(packages)
    done = run("-m", "pywasmtorch", "install")
    assert done.returncode == 1 and "PyTorch itself is installed here (torch 2.13.0+cpu in" in done.stderr and contents(packages) == before
    done = run("-m", "pywasmtorch", "install", "--force")
    assert done.returncode == 0, done.stderr
    found = run("-c", FOUND, path=())
    assert found.returncode == 0 and "pywasmtorch" in json.loads(found.stdout)[1], found.stderr
    assert run("-m", "pywasmtorch", "uninstall").returncode == 0
    assert contents(packages) == before and not list(packages.glob("*as_torch*"))
    assert run("-c", "import torch; print(torch.__version__)", path=()).stdout == "its own\n"


def test_a_program_hands_it_on(environment, tmp_path):
    run, packages = environment
    program = tmp_path / "program.py"
    program.write_text(FOUND + "import os; assert sum('pywasmtorch-' in place for place in sys.path) == 1\nsys.exit(7)\n")
    done = run("-m", "pywasmtorch", program)
    assert done.returncode == 7, done.stderr
    before, version, name, spec, distribution, child = json.loads(done.stdout)
    assert before == [version, "torch"] and (name, spec) == ("torch", "torch") and distribution == ["torch", version, "torch"] and child == version
    workers = tmp_path / "workers.py"
    workers.write_text(WORKERS)
    for method in ("fork", "spawn", "forkserver") if os.name == "posix" else ("spawn",):
        done = run("-m", "pywasmtorch", workers, method)
        assert done.returncode == 0, (method, done.stderr)
    assert not (packages / "torch").exists()
