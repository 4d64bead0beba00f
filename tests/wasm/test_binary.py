"""The binary: what it imports and exports, that it is stripped and small, and that two builds are equal."""
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


def source(folder: Path, text: str) -> list[str]:
    (folder / "core.c").write_text(text)
    return ["core.c"]


def test_an_undefined_function_is_a_build_error(tmp_path):
    with pytest.raises(BuildError, match="pwt_start"):
        compile_and_link(source(tmp_path, "int pwt_abi_version(void) { return 1; }"), tmp_path, tmp_path / "objects")


def test_a_further_import_is_a_build_error(tmp_path):
    mock = (ROOT / "tests/wasm/mock_core.c").read_text()
    extra = mock + ('__attribute__((import_module("env"), import_name("now"))) int now(void);\n'
                    '__attribute__((export_name("pwt_now"))) int pwt_now(void) { return now(); }\n')
    with pytest.raises(BuildError) as failure:
        compile_and_link(source(tmp_path, extra), tmp_path, tmp_path / "objects")
    assert "the import env.now is not part of the ABI" in str(failure.value)
    assert "the export pwt_now is not part of the ABI" in str(failure.value)


def test_a_changed_header_is_noticed(tmp_path):
    mock = (ROOT / "tests/wasm/mock_core.c").read_text()
    (tmp_path / "version.h").write_text("#define VERSION 1\n")
    names = source(tmp_path, '#include "version.h"\n' + mock.replace("{ return 1; }", "{ return VERSION; }", 1))
    first = compile_and_link(names, tmp_path, tmp_path / "objects")
    assert compile_and_link(names, tmp_path, tmp_path / "objects") == first
    (tmp_path / "version.h").write_text("#define VERSION 2\n")
    assert compile_and_link(names, tmp_path, tmp_path / "objects") != first


def test_a_damaged_object_is_made_again(tmp_path):
    names = source(tmp_path, (ROOT / "tests/wasm/mock_core.c").read_text())
    first = compile_and_link(names, tmp_path, tmp_path / "objects")
    (tmp_path / "objects" / "core.o").write_bytes(b"damaged")
    assert compile_and_link(names, tmp_path, tmp_path / "objects") == first
