"""The generated pointwise loops over float32 are vector code: the compiler says so, loop by loop, for the build's own flags."""
import re
from collections import Counter
from pathlib import Path

import pytest

from wasm.build import GENERATED, ROOT, WASM_FLAGS, generate, include_flags
from wasm.toolchain import run, zig

SCALAR = {
    "erfinv_f32": "computed in float64: a polynomial in the middle, a logarithm and another polynomial in the tails",
}
#: Blocks that look for rare cases first: one vector loop that looks, one that computes.
BLOCKS = {
    "sin_f32": "pwt_sine_block_f32",
    "cos_f32": "pwt_sine_block_f32",
    "tan_f32": "tan_f32",
    "fmod_f32": "fmod_f32",
    "remainder_f32": "remainder_f32",
    "floor_divide_f32": "floor_divide_f32",
}
LOOP = re.compile(r"^static void (\w+_f32)\(void \*const \*a, int64_t (?:n|count)", re.MULTILINE)
VECTORIZED = re.compile(r"^--- !Passed\nPass: +loop-vectorize\nName: +Vectorized\n(?:DebugLoc: .*\n(?: +.*\n)*)?Function: +(\S+)$", re.MULTILINE)


def vector_loops(source: str, folder: Path) -> Counter:
    """How many loops of each function the compiler turned into vector code."""
    record = folder / "loops.yaml"
    run([zig(), "cc", *WASM_FLAGS, *include_flags(ROOT), "-fsave-optimization-record", f"-foptimization-record-file={record}",
         "-foptimization-record-passes=loop-vectorize", "-c", "-o", str(folder / "loops.o"), source], ROOT)
    return Counter(VECTORIZED.findall(record.read_text()))


@pytest.mark.parametrize("family, fewest", [("unary", 30), ("pointwise", 30), ("activation", 10)])
def test_float32_loops_are_vector_code(family, fewest, tmp_path):
    generate(ROOT)
    source = f"{GENERATED}/ops_{family}.c"
    loops = LOOP.findall((ROOT / source).read_text())
    assert len(loops) >= fewest
    found = vector_loops(source, tmp_path)
    lost = [name for name in loops if found[BLOCKS.get(name, name)] < 1 + (name in BLOCKS) and name not in SCALAR]
    assert not lost, f"no longer vector code: {', '.join(lost)}"
    regained = [name for name in loops if found[name] and name in SCALAR]
    assert not regained, f"vector code by now, though listed as scalar: {', '.join(regained)}"


def test_every_exception_is_still_a_loop():
    generate(ROOT)
    loops = {name for path in (ROOT / GENERATED).glob("ops_*.c") for name in LOOP.findall(path.read_text())}
    assert (SCALAR.keys() | BLOCKS.keys()) <= loops


def test_a_loop_that_cannot_be_vector_code_is_not_counted(tmp_path):
    source = tmp_path / "loops.c"
    source.write_text("void chained(float *a, int n) { for (int i = 1; i < n; i++) a[i] = a[i - 1] * a[i] + 1; }\n"
                      "void apart(float *restrict a, const float *restrict b, int n) { for (int i = 0; i < n; i++) a[i] = b[i] + 1; }\n")
    assert vector_loops(str(source), tmp_path) == {"apart": 1}
