"""Builds the tensor core: `python wasm/build.py` writes pywasmtorch/pywasmtorch.wasm and the generated Python files,
`--native` a shared library and the core's own C tests with sanitizers."""
from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from wasm import binary  # noqa: E402
from wasm.toolchain import BuildError, Compiler, hash_bytes, native_compiler, run, write_if_changed, zig  # noqa: E402

CPU = "generic+simd128+bulk_memory+atomics+mutable_globals+nontrapping_fptoint+sign_ext"
LANGUAGE = ["-std=c11", "-O3", "-ffreestanding", "-ffp-contract=off", "-fno-math-errno", "-Wall", "-Wextra", "-Werror"]
WASM_FLAGS = ["-target", "wasm32-freestanding", f"-mcpu={CPU}", "-fno-stack-protector", "-g0", *LANGUAGE]
STACK_BYTES = 1 << 20
NATIVE_FLAGS = ["-g", "-fPIC", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
GENERATED = "build/generated"


def generate(root: Path = ROOT) -> Path:
    """Runs the generator over the operator tables when the tables or the generator have changed."""
    target, stamp = root / GENERATED, root / "build" / "generated.stamp"
    generator = root / "core-c" / "codegen"
    if not (generator / "__main__.py").exists():
        return target
    inputs = sorted(p for folder in (generator, root / "core-c" / "ops") for p in folder.rglob("*")
                    if p.suffix in (".py", ".yaml"))
    digest = hash_bytes(b"".join(p.relative_to(root).as_posix().encode() + b"\0" + p.read_bytes() for p in inputs))
    if target.exists() and stamp.exists() and stamp.read_text() == digest:
        return target
    shutil.rmtree(target, ignore_errors=True)
    print(run([sys.executable, str(generator), "--out", str(target)], root), end="", file=sys.stderr)
    stamp.write_text(digest)
    return target


def core_sources(root: Path = ROOT) -> list[str]:
    """All C files of the core, of the entry points and of the generator, relative to the root."""
    folders = ("core-c/src", "wasm", GENERATED)
    return sorted(p.relative_to(root).as_posix() for folder in folders for p in (root / folder).rglob("*.c"))


def include_flags(root: Path) -> list[str]:
    folders = ("core-c/include", "core-c/src", "wasm", GENERATED, f"{GENERATED}/include")
    return [f"-I{folder}" for folder in folders if (root / folder).is_dir()]


def compile_and_link(sources: list[str], root: Path, folder: Path, quiet: bool = False) -> bytes:
    """Compiles C files to one stripped WebAssembly module. Raises BuildError when it is not what the ABI says."""
    compiler = Compiler([zig(), "cc"], WASM_FLAGS + include_flags(root), folder, root)
    objects = compiler.compile_all(sources, "compiling to WebAssembly")
    linked = folder / "linked.wasm"
    run([zig(), "wasm-ld", "--no-entry", "--import-memory", "--shared-memory", "--stack-first", "--strip-all", "-O2",
         f"--max-memory={binary.MAX_MEMORY_PAGES << 16}", "-z", f"stack-size={STACK_BYTES}",
         *(f"--export={name}" for name in binary.ABI_EXPORTS), "-o", str(linked), *map(str, objects)], root)
    data = linked.read_bytes()
    if found := binary.problems(binary.read(data)):
        raise BuildError("the binary does not keep the ABI:\n  " + "\n  ".join(found))
    return data


def build(root: Path = ROOT) -> dict:
    """Builds the binary and installs it, its description and the generated Python files in the package."""
    started = time.perf_counter()
    generated = generate(root)
    data = compile_and_link(core_sources(root), root, root / "build" / "wasm")
    package = root / "pywasmtorch"
    write_if_changed(package / "pywasmtorch.wasm", data)
    for script in ("loader.js", "worker.js"):
        write_if_changed(package / "_host" / script, (root / "wasm" / script).read_bytes())
    info = {"sha256": hash_bytes(data), "bytes": len(data), "features": sorted(CPU.split("+")[1:])}
    write_if_changed(package / "pywasmtorch.json", (json.dumps(info, indent=1) + "\n").encode())
    copied = install_generated_python(generated / "python", package)
    print(f"pywasmtorch.wasm: {len(data):,} bytes, sha256 {info['sha256'][:16]}…, {copied} generated Python files, "
          f"{time.perf_counter() - started:.1f} s", file=sys.stderr)
    return info


def install_generated_python(source: Path, package: Path) -> int:
    """Mirrors the generated Python files into pywasmtorch/_generated, where git ignores them."""
    target = package / "_generated"
    files = {p.relative_to(source): p for p in source.rglob("*") if p.suffix in (".py", ".pyi")}
    for old in [p for p in target.rglob("*") if p.suffix in (".py", ".pyi") and p.relative_to(target) not in files]:
        old.unlink()
    for name, path in files.items():
        write_if_changed(target / name, path.read_bytes())
    return len(files)


def build_native(root: Path = ROOT, compiler_name: str | None = None) -> list[Path]:
    """Builds the same sources for this machine with ASan and UBSan: a shared library, and a program for each
    tests/core/*.c. Returns the programs."""
    generate(root)
    folder = root / "build" / "native"
    compiler = Compiler([native_compiler(compiler_name)],
                        LANGUAGE + NATIVE_FLAGS + include_flags(root) + ["-Itests/core"], folder, root)
    link = [*compiler.command, *NATIVE_FLAGS, "-o"]
    objects = compiler.compile_all(core_sources(root), "compiling with sanitizers")
    run([*link, str(folder / "libpywasmtorch.so"), "-shared", *map(str, objects)], root)
    files = sorted(p.relative_to(root).as_posix() for p in (root / "tests" / "core").glob("*.c"))
    tests = [name for name in files if Path(name).name.startswith("test_")]
    support = compiler.compile_all([name for name in files if name not in tests], "compiling what the tests share")
    programs = []
    for test, obj in zip(tests, compiler.compile_all(tests, "compiling the core's tests"), strict=True):
        programs.append(folder / Path(test).stem)
        run([*link, str(programs[-1]), *map(str, [obj, *support, *objects])], root)
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
            print(run([str(program)], ROOT) if options.run else program, end="" if options.run else "\n")
    except BuildError as error:
        print(f"build failed: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
