"""Where tensors are in memory: code of others reads at `data_ptr()`, and files become storages."""

import ctypes
import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

import pywasmtorch as torch

ROOT = Path(__file__).resolve().parents[2]
native = pytest.mark.skipif(sys.platform == "emscripten", reason="in a page no other code can read the core's memory")


def at(address, count):
    return ctypes.string_at(address, count)


@native
@pytest.mark.parametrize("n", [3, 100_000])
def test_native_code_reads_at_the_address(n):
    t = torch.arange(n, dtype=torch.int64)
    expected = b"".join(i.to_bytes(8, "little") for i in (1, 2))
    assert at(t.data_ptr() + 8, 16) == expected
    assert at(t[1:].data_ptr(), 16) == expected
    assert at(t.untyped_storage().data_ptr() + 8, 16) == expected
    assert at(t[2:].storage().data_ptr() + 8, 16) == expected
    assert at(t.const_data_ptr() + 8, 16) == expected


@native
def test_native_code_writes_at_the_address():
    t = torch.zeros(3, dtype=torch.uint8)
    ctypes.memset(t.data_ptr() + 1, 7, 1)
    assert t.tolist() == [0, 7, 0]


def test_addresses_tell_what_shares_memory():
    t = torch.arange(6.0).reshape(2, 3)
    assert t[1].data_ptr() == t.data_ptr() + 12 == t.untyped_storage().data_ptr() + 12
    assert t.data_ptr() == t.T.data_ptr() == t.detach().data_ptr() != t.clone().data_ptr()
    assert t.untyped_storage()._cdata == t[1].untyped_storage()._cdata != t.clone().untyped_storage()._cdata


def test_what_has_no_elements_has_no_address():
    assert torch.empty(0).data_ptr() == torch.empty(0).untyped_storage().data_ptr() == torch.empty(3)[3:].data_ptr() == 0


def test_storages_are_read_and_written_as_before():
    storage = torch.tensor([1, 2, 3], dtype=torch.uint8).untyped_storage()
    assert storage.tolist() == [1, 2, 3] and bytes(storage) == b"\x01\x02\x03"
    storage[1] = 9
    assert storage.tolist() == [1, 9, 3]


class TestFromFile:
    @pytest.fixture
    def path(self, tmp_path):
        path = tmp_path / "numbers"
        path.write_bytes(bytes(range(12)))
        return path

    def test_untyped(self, path):
        storage = torch.UntypedStorage.from_file(str(path), False, 5)
        assert storage.tolist() == [0, 1, 2, 3, 4] and storage.nbytes() == 5 and storage.filename is None
        storage[0] = 9
        assert path.read_bytes()[0] == 0
        assert torch.UntypedStorage.from_file(str(path)).nbytes() == 0
        assert torch.UntypedStorage.from_file(str(path), nbytes=12).tolist() == list(range(12))

    def test_typed(self, path):
        assert torch.ShortStorage.from_file(str(path), False, 2).tolist() == [0x0100, 0x0302]
        with pytest.raises(RuntimeError, match="from_file can only be called on derived classes"):
            torch.TypedStorage.from_file(str(path), False, 3)

    def test_a_file_that_is_too_short(self, path):
        with pytest.raises(RuntimeError, match=r"size <12> is smaller than the required mapping size <13>"):
            torch.UntypedStorage.from_file(str(path), False, 13)


def test_a_file_is_not_shared(tmp_path, request):
    if request.config.getoption("--target") == "torch":
        pytest.skip("PyTorch maps files")
    with pytest.raises(NotImplementedError, match="maps no files"):
        torch.UntypedStorage.from_file(str(tmp_path / "x"), shared=True, nbytes=3)


PROGRAM = """
import pywasmtorch

pywasmtorch.install_as_torch()

import safetensors, torch
from safetensors.torch import load, load_file, load_model, save, save_file, save_model

assert "site-packages" in safetensors.__file__, safetensors.__file__
names = "bool uint8 int8 int16 int32 int64 float16 bfloat16 float32 float64".split()
tensors = {name: torch.arange(5).to(getattr(torch, name)) for name in names}
tensors |= {"empty": torch.empty(0, 2), "scalar": torch.tensor(3.0), "large": torch.arange(300_000.0).reshape(3, -1)}


def check(loaded):
    assert set(loaded) == set(tensors)
    for name, tensor in tensors.items():
        assert loaded[name].dtype == tensor.dtype and loaded[name].equal(tensor), name


check(load(save(tensors)))
save_file(tensors, "x.safetensors", metadata={"format": "pt"})
check(load_file("x.safetensors"))
check(pywasmtorch.safetensors.load_file("x.safetensors"))
with safetensors.safe_open("x.safetensors", framework="pt") as file:
    assert file.get_slice("large")[1:2, :2].tolist() == [[100_000.0, 100_001.0]] and file.metadata() == {"format": "pt"}
tied = torch.nn.Module()
tied.a = tied.b = torch.nn.Linear(2, 3)
save_model(tied, "m.safetensors")
other = torch.nn.Module()
other.a = other.b = torch.nn.Linear(2, 3)
load_model(other, "m.safetensors")
assert other.b.weight.equal(tied.a.weight)
print("done")
"""


@native
def test_the_safetensors_package_in_the_place_of_ours(tmp_path):
    if importlib.util.find_spec("safetensors") is None:
        pytest.skip("the safetensors package is not installed")
    program = tmp_path / "program.py"
    program.write_text(f"import sys\nsys.path.insert(0, {str(ROOT)!r})\n" + PROGRAM)
    done = subprocess.run([sys.executable, str(program)], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.strip() == "done", (done.stdout + done.stderr)[-3000:]
