"""Vector math in WebAssembly: its loops are vector loops, and its bits are those of a native build.

vmath_sweep.c and vmath_exact.c test the values; test_programs.py runs them."""

import ctypes
import re
import subprocess

import pytest

from core import native
from wasm.build import ROOT, WASM_FLAGS
from wasm.toolchain import zig

UNARY = """exp exp2 expm1 log log2 log10 log1p log1pexp log_sigmoid sin cos tan asin acos atan sinh cosh tanh asinh acosh
    atanh erf erfc sigmoid silu silu_derivative gelu_tanh gelu_tanh_derivative gelu_erf gelu_erf_derivative ndtr sinc i0
    sqrt rsqrt cbrt round_half_even sign""".split()
BINARY = "atan2 pow hypot copysign nextafter logaddexp logaddexp2 xlogy xlog1py".split()
# sin, cos and tan in float64 have a vector form in blocks only
UNARY_F64 = [name for name in UNARY if name not in ("sin", "cos", "tan", "sinc")]
UNARY_BLOCKS = ("sin_block_f32", "tan_block_f32", "sin_block_f64", "tan_block_f64")
BINARY_BLOCKS = ("fmod_block_f32", "remainder_block_f32", "floor_divide_block_f32")

LOOP = """void loop_{0}({1} *restrict out, const {1} *restrict x, const {1} *restrict y, int64_t n) {{ (void)y; \
for (int64_t i = 0; i < n; i++) out[i] = pwt_{0}({2}); }}"""
BLOCK = "void loop_{0}({1} *restrict out, const {1} *restrict x, const {1} *restrict y, int64_t n) {{ (void)y; pwt_{0}(out, {2}, n); }}"
TYPES = {"f32": "float", "f64": "double"}


def compile_for_wasm(folder, source, *flags):
    """(the object's path, what the compiler said)"""
    path, result = folder / "source.c", folder / "result.wasm"
    path.write_text(source)
    command = [zig(), "cc", *WASM_FLAGS, f"-iquote{ROOT / 'core-c' / 'src'}", str(path), "-o", str(result), *flags]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return result, done.stderr


def test_loops_are_vector_loops(tmp_path):
    names = [(f"{name}_f32", "x[i]") for name in UNARY] + [(f"{name}_f32", "x[i], y[i]") for name in BINARY]
    names += [(f"{name}_f64", "x[i]") for name in UNARY_F64] + [(f"{name}_f64", "x[i], y[i]") for name in BINARY]
    lines = [LOOP.format(name, TYPES[name[-3:]], arguments) for name, arguments in names]
    source = '#include "base/vmath.h"\n' + "\n".join(lines) + "\n"
    _, said = compile_for_wasm(tmp_path, source, "-c", "-Rpass=loop-vectorize")
    lanes = {int(line): int(width) for line, width in re.findall(r"source\.c:(\d+):.*vectorization width: (\d+)", said)}
    lost = [name for i, (name, _) in enumerate(names) if lanes.get(i + 2) != (4 if name.endswith("f32") else 2)]
    assert not lost, f"no vector loop over {', '.join(lost)}"


@pytest.mark.parametrize("name", UNARY_BLOCKS + BINARY_BLOCKS)
def test_blocks_are_vector_loops(name, tmp_path):
    source = '#include "base/vmath.h"\n' + BLOCK.format(name, TYPES[name[-3:]], "x, y" if name in BINARY_BLOCKS else "x") + "\n"
    _, said = compile_for_wasm(tmp_path, source, "-c", "-Rpass=loop-vectorize")
    assert said.count("vectorized loop") == 2, "one loop looks for rare arguments, one goes over the common ones"


DIGEST = """
#include "base/vmath.h"

static uint64_t next_bits(uint64_t *state) {
  *state += 0x9e3779b97f4a7c15u;
  uint64_t z = *state;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

static double between(uint64_t bits, double low, double high) {
  return low + (high - low) * (double)(bits >> 11) * 0x1p-53;
}

/* Of 4096 arguments half lie between low and high, half are any numbers; a NaN's bits are the machine's own affair. */
#define DIGEST(name, type, suffix, word, low, high, ...)                                        \\
  __attribute__((visibility("default"))) uint64_t digest_##name##_##suffix(void) {              \\
    uint64_t state = 1, sum = 14695981039346656037u;                                            \\
    type xs[64], ys[64], results[64];                                                           \\
    for (int block = 0; block < 64; block++) {                                                  \\
      for (int i = 0; i < 64; i++) {                                                            \\
        uint64_t a = next_bits(&state), b = next_bits(&state);                                  \\
        xs[i] = i & 1 ? (type)between(a, low, high) : pwt_from_bits_##suffix((word)a);          \\
        ys[i] = i & 2 ? (type)between(b, low, high) : pwt_from_bits_##suffix((word)b);          \\
      }                                                                                         \\
      for (int i = 0; i < 64; i++) {                                                            \\
        type x = xs[i], y = ys[i];                                                              \\
        (void)y;                                                                                \\
        results[i] = pwt_##name##_##suffix(__VA_ARGS__);                                        \\
      }                                                                                         \\
      for (int i = 0; i < 64; i++)                                                              \\
        sum = (sum ^ (results[i] != results[i] ? 1 : pwt_bits_##suffix(results[i]))) * 1099511628211u; \\
    }                                                                                           \\
    return sum;                                                                                 \\
  }
#define UNARY(name, bound_f32, bound_f64, low, high, least) \\
  DIGEST(name, float, f32, uint32_t, low, high, x) DIGEST(name, double, f64, uint64_t, low, high, x)
#define BINARY(name, bound_f32, bound_f64, low, high, least) \\
  DIGEST(name, float, f32, uint32_t, low, high, x, y) DIGEST(name, double, f64, uint64_t, low, high, x, y)
#include "@functions@"
"""


def test_same_bits_as_a_native_build(tmp_path):
    wasmtime = pytest.importorskip("wasmtime", reason="wasmtime runs the WebAssembly side")
    functions = ROOT / "tests" / "core" / "vmath_functions.h"
    names = [f"digest_{name}_{kind}" for name in re.findall(r"ARY\((\w+)", functions.read_text()) for kind in TYPES]
    source = DIGEST.replace("@functions@", functions.as_posix())
    module, _ = compile_for_wasm(tmp_path, source, "-nostdlib", "-Wl,--no-entry", *(f"-Wl,--export={name}" for name in names))
    engine = wasmtime.Engine()
    store = wasmtime.Store(engine)
    exports = wasmtime.Instance(store, wasmtime.Module.from_file(engine, str(module)), []).exports(store)
    library = native.load(str(tmp_path / "source.c"))
    different = []
    for name in names:
        here = getattr(library, name)
        here.restype = ctypes.c_int64
        if here() != exports[name](store):
            different.append(name)
    assert not different
    assert len(names) > 90
