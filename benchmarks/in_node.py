"""Benchmarks in Pyodide under Node: `node wasm/pyodide.mjs benchmarks/in_node.py PEAK.wasm`; prints one line of JSON."""

import json
import sys

import js
import measures

import pywasmtorch as torch


def peak_gigaflops(path):
    """The mul+add peak of one thread in this JavaScript engine."""
    with open(path, "rb") as file:
        data = js.Uint8Array.new(len(binary := file.read()))
    data.assign(binary)
    exports = js.WebAssembly.Instance.new(js.WebAssembly.Module.new(data)).exports
    count = 2_000_000
    exports.rounds(count)
    return exports.operations_per_round() * count / measures.best(lambda: exports.rounds(count), 0.5) / 1e9


multiply = measures.matmul(torch)
rounds = [(peak_gigaflops(sys.argv[1]), measures.gigaflops(measures.best(multiply, 1.0))) for _ in range(3)]
peak, reached = map(max, zip(*rounds))
print(
    json.dumps(
        {
            "peak": peak,
            "matmul": reached,
            "training_step": measures.best(measures.training_step(torch)),
            "small_add": measures.best(measures.small_add(torch)),
        }
    )
)
