"""Damaged, random and mutated checkpoints: a value or an error that names the file, soon."""

import io
import pickle
import sys
import time
import zipfile

import pytest
from golden.checkpoints import recipe
from golden.checkpoints.forge import PROTOCOL, storage_id, tensor, text, whole, zip_of

import pywasmtorch as torch
from pywasmtorch import serialization

hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
st = pytest.importorskip("hypothesis.strategies")

ERRORS = (pickle.UnpicklingError, RuntimeError, ValueError)
SECONDS = 1.0  # of the processor's time
GOOD = whole(tensor())


def unharmed(path):
    """Loading gives a value or one of the errors, soon."""
    begin = time.process_time()
    try:
        torch.load(path)
    except ERRORS as error:
        assert str(error).startswith(str(path)), error
    assert time.process_time() - begin < SECONDS or sys.platform == "emscripten"  # there time goes by while others work


def changes(data):
    return st.lists(st.tuples(st.integers(0, len(data) - 1), st.integers(0, 255)), min_size=1, max_size=4)


FILES = {name: (recipe.FOLDER / name).read_bytes() for name in ("zip.pt", "stream.pt", "protocol4.pt", "optimizers.pt", "network.pt")}


@pytest.mark.parametrize("name", FILES)
def test_damaged_files(name, tmp_path):
    data = FILES[name]
    path = tmp_path / "damaged.pt"

    @hypothesis.settings(max_examples=120, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(changes(data), st.integers(0, len(data)), st.booleans())
    def run(places, length, cut):
        damaged = bytearray(data)
        for place, byte in places:
            damaged[place] = byte
        path.write_bytes(damaged[:length] if cut else damaged)
        unharmed(path)

    run()


@pytest.mark.parametrize("name", ["zip.pt", "protocol4.pt", "network.pt"])
def test_damaged_pickles(name, tmp_path):
    """The pickle is changed, and the checksum with it."""
    with zipfile.ZipFile(io.BytesIO(FILES[name])) as file:
        records = {n: file.read(n) for n in file.namelist()}
    key = next(n for n in records if n.endswith("data.pkl"))
    data = records[key]
    path = tmp_path / "damaged.pt"

    @hypothesis.settings(max_examples=150, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(changes(data), st.integers(0, len(data)), st.integers(0, 40))
    def run(places, start, count):
        damaged = bytearray(data)
        for place, byte in places:
            damaged[place] = byte
        if count < 20:
            del damaged[start : start + count]
        path.write_bytes(zip_of({**records, key: bytes(damaged)}))
        unharmed(path)

    run()


OPCODES = st.sampled_from(sorted(serialization._restricted.OPERATIONS))
PIECES = st.one_of(OPCODES, st.binary(max_size=3), st.sampled_from([storage_id(), tensor(), text("a"), b"ccollections\nOrderedDict\n", b"ctorch._utils\n_rebuild_parameter\n"]))


@hypothesis.settings(max_examples=300, deadline=None, database=None, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.lists(PIECES, max_size=30))
def test_random_programs(pieces):
    data = whole(b"".join(pieces))
    try:
        torch.load(io.BytesIO(data))
    except ERRORS as error:
        assert str(error).startswith("checkpoint in BytesIO")


@hypothesis.settings(max_examples=100, deadline=None, database=None)
@hypothesis.given(st.binary(max_size=200), st.sampled_from([b"", b"PK\x03\x04", PROTOCOL, GOOD[:60]]))
def test_random_bytes(data, head):
    with pytest.raises(ERRORS):
        torch.load(io.BytesIO(head + data))
