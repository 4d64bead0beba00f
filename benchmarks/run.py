"""`make bench`: this package against PyTorch, NumPy and this machine's peak; prints a table and writes JSON.

Times are minima over interleaved runs, on one thread unless a row says otherwise. PyTorch has to be installed.
"""

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import measures  # noqa: E402

ROUNDS = 3


def build_peak():
    """Compile benchmarks/peak.c and return the file."""
    import ziglang

    zig = Path(ziglang.__file__).parent / ("zig.exe" if os.name == "nt" else "zig")
    target = ROOT / "build" / "peak.wasm"
    target.parent.mkdir(exist_ok=True)
    command = [
        str(zig), "cc", "-target", "wasm32-freestanding", "-mcpu=generic+simd128", "-O3", "-ffp-contract=off", "-nostdlib", "-Wl,--no-entry",
        "-o", str(target), str(ROOT / "benchmarks" / "peak.c"),
    ]  # fmt: skip
    subprocess.run(command, check=True)
    return target


def wasmtime_peak(path):
    """A function that measures the mul+add peak of one thread in wasmtime, in GFLOP/s."""
    import wasmtime

    store = wasmtime.Store()
    exports = wasmtime.Instance(store, wasmtime.Module.from_file(store.engine, str(path)), []).exports(store)
    count = 2_000_000
    operations = exports["operations_per_round"](store) * count
    return lambda: operations / measures.best(lambda: exports["rounds"](store, count), 0.5) / 1e9


def in_node(peak):
    """What benchmarks/in_node.py measures in V8, or None where there is no Node or no Pyodide."""
    node = shutil.which("node")
    if node is None:
        return None
    command = [node, "wasm/pyodide.mjs", "--threads", "1", "benchmarks/in_node.py", str(peak.relative_to(ROOT))]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True)
    if done.returncode:
        print(f"Pyodide under Node: not measured: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
        return None
    return json.loads(done.stdout.splitlines()[-1])


def compare(make, ours, theirs, seconds=0.4):
    """The least times of the same program with both libraries, run in turn."""
    mine, other = make(ours), make(theirs)
    pairs = [(measures.best(mine, seconds), measures.best(other, seconds)) for _ in range(ROUNDS)]
    return tuple(map(min, zip(*pairs)))


def import_seconds(code):
    """The least time of three fresh interpreters that run ``code``, less that of an empty one."""

    # warm means that the bytecode is cached, as an installed package's is
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def once(text):
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", text], cwd=ROOT, check=True, env=environment)
        return time.perf_counter() - start

    once(code)
    return min(once(code) for _ in range(3)) - min(once("pass") for _ in range(3))


class Table:
    """Rows of (what, ours, theirs, ratio or fraction, goal); a row with a goal passes or fails."""

    def __init__(self):
        self.rows = []

    def time(self, what, ours, theirs, goal=None):
        self._add(what, _duration(ours), _duration(theirs), ours / theirs, "×", goal, goal is None or ours / theirs <= goal, "at most")

    def share(self, what, ours, whole, goal=None):
        self._add(what, f"{ours:.1f} GFLOP/s", f"{whole:.1f} GFLOP/s", ours / whole, "", goal, goal is None or ours / whole >= goal, "at least")

    def limit(self, what, ours, goal):
        self._add(what, _duration(ours), "", ours, "s", goal, ours <= goal, "at most")

    def _add(self, what, ours, theirs, ratio, unit, goal, passes, bound):
        self.rows.append({"what": what, "ours": ours, "other": theirs, "value": round(ratio, 4), "unit": unit, "goal": goal, "bound": bound if goal else "", "passes": passes})

    def text(self):
        lines = [f"{'':44} {'pywasmtorch':>14} {'other':>14} {'value':>8}  goal"]
        for row in self.rows:
            goal = f"{row['bound']} {row['goal']:g}{row['unit']}: {'yes' if row['passes'] else 'NO'}" if row["goal"] else ""
            lines.append(f"{row['what']:44} {row['ours']:>14} {row['other']:>14} {row['value']:>7.2f}{row['unit'] or ' '} {goal}")
        return "\n".join(lines)


def _duration(seconds):
    for factor, unit in ((1, "s"), (1e3, "ms")):
        if seconds * factor >= 1:
            return f"{seconds * factor:.2f} {unit}"
    return f"{seconds * 1e6:.2f} µs"


def measure(table):
    import torch as theirs

    import pywasmtorch as ours

    theirs.set_num_threads(1)
    ours.set_num_threads(1)
    peak = build_peak()
    peak_here = wasmtime_peak(peak)
    multiply = measures.matmul(ours)

    table.time("a + b, 4 elements (torch)", *compare(measures.small_add, ours, theirs), goal=1.0)
    table.time("a + b, 4 elements, with grad (torch)", *compare(measures.small_add_with_grad, ours, theirs), goal=1.0)
    table.time("training step, 64-64-10, batch 32 (torch)", *compare(measures.training_step, ours, theirs), goal=0.6)

    peaks, one, two = [], [], []
    for _ in range(ROUNDS):
        peaks.append(peak_here())
        one.append(measures.gigaflops(measures.best(multiply, 1.0)))
        ours.set_num_threads(2)
        two.append(measures.gigaflops(measures.best(multiply, 1.0)))
        ours.set_num_threads(1)
    table.share(f"matmul {measures.MATMUL}², wasmtime (peak)", max(one), max(peaks), goal=0.8)
    table.share(f"matmul {measures.MATMUL}², 2 threads (1 thread)", max(two), max(one), goal=1.7)
    node = in_node(peak)
    if node:
        table.share(f"matmul {measures.MATMUL}², V8 (peak)", node["matmul"], node["peak"], goal=0.8)
        table.time("training step, V8 (wasmtime)", node["training_step"], measures.best(measures.training_step(ours)))

    table.time(f"matmul {measures.MATMUL}² (torch)", *compare(measures.matmul, ours, theirs))
    table.time("conv2d 8×32×32×32, 64 3×3 (torch)", *compare(measures.convolution, ours, theirs))
    for name in ("exp", "tanh"):
        table.time(f"{name} of a million (torch)", *compare(measures.unary(name), ours, theirs))
    table.time("softmax 1000×1000 (torch)", *compare(measures.softmax, ours, theirs))
    table.time("sum of a million (torch)", *compare(measures.total, ours, theirs))
    table.limit("import pywasmtorch, warm", import_seconds("import pywasmtorch"), goal=0.2)
    return {"peak in wasmtime, GFLOP/s": max(peaks), "in Node": node, "torch": theirs.__version__}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, default=ROOT / "build" / "bench.json", help="where the numbers go")
    options = parser.parse_args()
    started = time.perf_counter()
    table = Table()
    facts = measure(table)
    print(table.text())
    facts |= {"python": platform.python_version(), "machine": platform.machine(), "cores": os.cpu_count(), "seconds": round(time.perf_counter() - started, 1)}
    options.json.write_text(json.dumps({"rows": table.rows, **facts}, indent=1, ensure_ascii=False) + "\n")
    print(f"{facts['seconds']:.0f} s; all numbers are in {options.json}")
    missed = [row["what"] for row in table.rows if not row["passes"]]
    if missed:
        print(f"missed in this run (times are noisy; try again on an idle machine): {', '.join(missed)}")


if __name__ == "__main__":
    main()
