"""Records the output of the programs with PyTorch and safetensors installed: `python -m tests.packages.record [program ...]`."""

import subprocess
import sys

from tests.packages import runs

if __name__ == "__main__":
    for name in sys.argv[1:] or runs.RUNS:
        run = runs.RUNS[name]
        run.fetch()
        done = subprocess.run([sys.executable, *run.command], capture_output=True, text=True, check=True, cwd=runs.ROOT)
        run.recorded.write_text(done.stdout)
        print(name, len(done.stdout))
