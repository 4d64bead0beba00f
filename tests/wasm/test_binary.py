"""The binary: imports, exports, size, stripped, and equal in two builds."""
import hashlib
import json
import shutil
from pathlib import Path

import pytest

from wasm import binary
from wasm.build import ROOT, compile_and_link, core_sources
from wasm.toolchain import BuildError

BINARY = ROOT / "pywasmtorch" / "pywasmtorch.wasm"
FOLDERS = ("core-c", "wasm", "build/generated")


@pytest.fixture(scope="module")
def built() -> bytes:
    if not BINARY.exists():
        pytest.fail("pywasmtorch.wasm has not been built: make build")
    return BINARY.read_bytes()


def test_the_binary_keeps_the_abi(built):
    assert binary.problems(binary.read(built)) == []


def test_the_description_is_that_of_the_binary(built):
    info = json.loads(BINARY.with_suffix(".json").read_text())
    assert info["sha256"] == hashlib.sha256(built).hexdigest() and info["bytes"] == len(built)


def test_two_builds_in_different_folders_are_equal(built, tmp_path):
    for name in FOLDERS:
        if (ROOT / name).exists():
            shutil.copytree(ROOT / name, tmp_path / "elsewhere" / name)
    root = tmp_path / "elsewhere"
    again = compile_and_link(core_sources(root), root, tmp_path / "objects")
    assert hashlib.sha256(again).hexdigest() == hashlib.sha256(built).hexdigest()


def stub_core(version: str = "1") -> str:
    """C that exports just what the ABI says."""
    words = {"i32": "int", "i64": "long long", "()": "void"}
    lines = ['__attribute__((import_module("host"), import_name("call"))) int host_call(int kind, int id);']
    for name, kind in binary.ABI_EXPORTS.items():
        if "->" in kind:
            inputs, result = kind[1:].split(") -> ")
            parameters = ", ".join(f"{words[t]} a{i}" for i, t in enumerate(inputs.split(", ")) if t) or "void"
            body = f"return {version};" if name == "pwt_abi_version" else "return host_call(0, 0);"
            lines.append(f"{words[result]} {name}({parameters}) {{ {body if result != '()' else ''} }}")
    return "\n".join(lines).replace("(int a0)", "(int a0 __attribute__((unused)))").replace(
        "(long long a0)", "(long long a0 __attribute__((unused)))")


def write(folder: Path, text: str) -> list[str]:
    (folder / "core.c").write_text(text)
    return ["core.c"]


def test_a_stub_of_the_abi_is_accepted(tmp_path):
    data = compile_and_link(write(tmp_path, stub_core()), tmp_path, tmp_path / "objects")
    assert binary.read(data).imports.keys() == {"env.memory", "host.call"}


def test_an_undefined_function_is_a_build_error(tmp_path):
    with pytest.raises(BuildError, match="pwt_start"):
        compile_and_link(write(tmp_path, "int pwt_abi_version(void) { return 1; }"), tmp_path, tmp_path / "objects")


def test_a_further_import_or_export_is_a_build_error(tmp_path):
    extra = stub_core() + """
__attribute__((import_module("env"), import_name("now"))) int now(void);
__attribute__((export_name("pwt_now"))) int pwt_now(void) { return now(); }
"""
    with pytest.raises(BuildError) as failure:
        compile_and_link(write(tmp_path, extra), tmp_path, tmp_path / "objects")
    assert "the import env.now is not part of the ABI" in str(failure.value)
    assert "the export pwt_now is not part of the ABI" in str(failure.value)


def test_a_changed_header_is_noticed(tmp_path):
    (tmp_path / "version.h").write_text("#define VERSION 1\n")
    names = write(tmp_path, '#include "version.h"\n' + stub_core("VERSION"))
    first = compile_and_link(names, tmp_path, tmp_path / "objects")
    assert compile_and_link(names, tmp_path, tmp_path / "objects") == first
    (tmp_path / "version.h").write_text("#define VERSION 2\n")
    assert compile_and_link(names, tmp_path, tmp_path / "objects") != first


def test_a_damaged_object_is_made_again(tmp_path):
    names = write(tmp_path, stub_core())
    first = compile_and_link(names, tmp_path, tmp_path / "objects")
    (tmp_path / "objects" / "core.o").write_bytes(b"damaged")
    assert compile_and_link(names, tmp_path, tmp_path / "objects") == first
