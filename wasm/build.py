"""Builds the tensor core: `python wasm/build.py` writes pywasmtorch/pywasmtorch.wasm and the generated Python files,
`--native` a shared library and the core's own C tests with sanitizers."""
from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from wasm import binary  # noqa: E402
from wasm.toolchain import BuildError, Compiler, hash_bytes, native_compiler, run, write_if_changed, zig  # noqa: E402

CPU = "generic+simd128+bulk_memory+atomics+mutable_globals+nontrapping_fptoint+sign_ext"
LANGUAGE = ["-std=c11", "-O3", "-ffp-contract=off", "-fno-math-errno", "-fwrapv", "-Wall", "-Wextra"]
WASM_FLAGS = ["-target", "wasm32-freestanding", f"-mcpu={CPU}", "-ffreestanding", "-fno-stack-protector", "-g0", "-Werror", *LANGUAGE]
GENERATED = "build/generated"
#: What is built for speed, folders and files: the loops over elements. What calls them, and what runs once a call, is built for size.
FOR_SPEED = (
    *(f"core-c/src/base/{name}.c" for name in ("dtype", "memory", "parallel", "random_engine", "random_fill", "random_normal")),
    "core-c/src/tensor/iterator.c",
    "core-c/src/kernels/activation/softmax.c",
    *(f"core-c/src/kernels/conv/{name}.c" for name in ("conv_f32", "conv_f64")),
    "core-c/src/kernels/cumulative/loops.c",
    "core-c/src/kernels/embedding/",
    "core-c/src/kernels/fft/",
    "core-c/src/kernels/index/index_dim.c",
    "core-c/src/kernels/linalg/spectral_rotate.c",
    "core-c/src/kernels/sparse/product.c",
    *(f"core-c/src/kernels/matmul/{name}.c" for name in ("gemm_f32", "gemm_f64", "gemm_simple", "matmul", "loops", "scaled_sum")),
    *(f"core-c/src/kernels/normalization/{name}.c" for name in ("batch_norm", "layer_norm")),
    *(f"core-c/src/kernels/pool/{name}.c" for name in ("fractional", "pool_f32", "pool_f64")),
    "core-c/src/kernels/reduce/",
    *(f"core-c/src/kernels/sort/{name}.c" for name in ("loops", "loops_search", "loops_select")),
    "core-c/src/optim/",
    *(f"{GENERATED}/ops_{family}.c" for family in ("activation", "fft", "loss", "normalization", "pointwise", "random", "reduce", "unary")),
    "tests/",
)
SMALL_FLAGS = ["-Os" if flag == "-O3" else flag for flag in WASM_FLAGS]
STACK_BYTES = 1 << 20
NATIVE_FLAGS = ["-g", "-fPIC", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]


def generate(root: Path = ROOT) -> None:
    """Runs the generator over the operator tables when the tables, the generator or what it wrote have changed."""
    target, stamp = root / GENERATED, root / "build" / "generated.json"
    generator, package = root / "core-c" / "codegen", root / "pywasmtorch"
    if not (generator / "__main__.py").exists():
        return
    inputs = [p for folder in (generator, root / "core-c" / "ops") for p in folder.rglob("*")
              if p.suffix in (".py", ".yaml")]
    if stamp.exists() and json.loads(stamp.read_text()) == [digests(inputs, root), digests(outputs(root), root)]:
        return
    print(run([sys.executable, str(generator), "--out", str(target), "--python", str(package)], root), end="",
          file=sys.stderr)
    write_if_changed(stamp, json.dumps([digests(inputs, root), digests(outputs(root), root)], indent=1).encode())


def outputs(root: Path) -> list[Path]:
    """The files that the generator wrote."""
    folders = (root / GENERATED, root / "pywasmtorch" / "_core" / "generated")
    return [p for folder in folders for p in folder.rglob("*") if p.is_file() and p.suffix != ".pyc"]


def digests(files: list[Path], root: Path) -> dict[str, str]:
    return {p.relative_to(root).as_posix(): hash_bytes(p.read_bytes()) for p in sorted(files)}


def core_sources(root: Path = ROOT) -> list[str]:
    """All C files of the core, of the entry points and of the generator, relative to the root."""
    folders = ("core-c/src", "wasm", GENERATED)
    return sorted(p.relative_to(root).as_posix() for folder in folders for p in (root / folder).rglob("*.c"))


def include_flags(root: Path) -> list[str]:
    folders = ("core-c/include", "core-c/src", "core-c/src/kernels", "wasm", GENERATED)
    return [f"-iquote{folder}" for folder in folders if (root / folder).is_dir()]


def compile_and_link(sources: list[str], root: Path, folder: Path, quiet: bool = False) -> bytes:
    """Compiles C files to one stripped WebAssembly module. Raises BuildError when it is not what the ABI says."""
    quick = [s for s in sources if s.startswith(FOR_SPEED)]
    small = [s for s in sources if s not in quick]
    objects = Compiler([zig(), "cc"], WASM_FLAGS + include_flags(root), folder, root).compile_all(quick, "compiling to WebAssembly")
    objects += Compiler([zig(), "cc"], SMALL_FLAGS + include_flags(root), folder, root).compile_all(small, "compiling the rest")
    linked = folder / "linked.wasm"
    run([zig(), "wasm-ld", "--no-entry", "--import-memory", "--shared-memory", "--stack-first", "--strip-all", "-O2", "--compress-relocations",
         "--fatal-warnings", f"--max-memory={binary.MAX_MEMORY_PAGES << 16}", "-z", f"stack-size={STACK_BYTES}",
         *(f"--export={name}" for name in binary.ABI_EXPORTS), "-o", str(linked), *map(str, objects)], root)
    data = linked.read_bytes()
    if found := binary.problems(binary.read(data)):
        raise BuildError("the binary does not keep the ABI:\n  " + "\n  ".join(found))
    return data


def build(root: Path = ROOT) -> dict[str, Any]:
    """Builds the binary and installs it, its description and the JavaScript beside it in the package."""
    started = time.perf_counter()
    generate(root)
    if missing := [path for path in FOR_SPEED if not (root / path).exists() and path != "tests/"]:
        raise BuildError(f"FOR_SPEED names what is not there: {', '.join(missing)}")
    data = compile_and_link(core_sources(root), root, root / "build" / "wasm")
    package = root / "pywasmtorch"
    write_if_changed(package / "pywasmtorch.wasm", data)
    for script in ("loader.js", "worker.js"):
        write_if_changed(package / "_core" / "host" / script, (root / "wasm" / script).read_bytes())
    info: dict[str, Any] = {"sha256": hash_bytes(data), "bytes": len(data), "features": sorted(CPU.split("+")[1:])}
    write_if_changed(package / "pywasmtorch.json", (json.dumps(info, indent=1) + "\n").encode())
    print(f"pywasmtorch.wasm: {len(data):,} bytes, sha256 {info['sha256'][:16]}…, "
          f"{time.perf_counter() - started:.1f} s", file=sys.stderr)
    return info


def build_native(root: Path = ROOT, compiler_name: str | None = None) -> list[Path]:
    """Builds the same sources for this machine with ASan and UBSan: a shared library, and a program for each
    tests/core/*.c. Returns the programs."""
    generate(root)
    folder = root / "build" / "native"
    command = [native_compiler(NATIVE_FLAGS, compiler_name)]
    flags = [*("-O1" if flag == "-O3" else flag for flag in LANGUAGE), *NATIVE_FLAGS, *include_flags(root)]
    core = Compiler(command, [*flags, "-ffreestanding"], folder / "core", root)
    objects = core.compile_all(core_sources(root), "compiling with sanitizers")
    link = [*command, *NATIVE_FLAGS, "-o"]
    run([*link, str(folder / "libpywasmtorch.so"), "-shared", *map(str, objects)], root)
    tests = sorted(p.relative_to(root).as_posix() for p in (root / "tests" / "core").glob("*.c"))
    hosted = Compiler(command, [*flags, "-D_GNU_SOURCE"], folder / "tests", root)
    programs = []
    for test, obj in zip(tests, hosted.compile_all(tests, "compiling the core's tests"), strict=True):
        programs.append(folder / Path(test).stem)
        run([*link, str(programs[-1]), *map(str, [obj, *objects]), "-lm", "-lpthread"], root)
    return programs


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python wasm/build.py", description=__doc__)
    parser.add_argument("--native", action="store_true", help="build for this machine, with sanitizers, instead")
    parser.add_argument("--cc", help="the compiler for --native (default: clang, else gcc)")
    parser.add_argument("--run", action="store_true", help="with --native: run the core's C tests")
    options = parser.parse_args(arguments)
    try:
        if not options.native:
            build()
            return 0
        for program in build_native(compiler_name=options.cc):
            print(program.name, flush=True)
            if options.run:
                print(run([str(program)], ROOT), end="")
    except BuildError as error:
        print(f"build failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
