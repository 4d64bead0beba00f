"""torch.save and torch.load: files of PyTorch and of this package, every layout, whole modules, optimizers, map_location."""

import copy
import io
import json
import pickle
import struct
import tarfile
import zipfile
from math import prod

import pytest
from golden.checkpoints import recipe

import pywasmtorch as torch
from pywasmtorch import serialization

FILES = ("zip.pt", "stream.pt", "protocol4.pt")
STREAM = {"_use_new_zipfile_serialization": False}


def saved(value, **options):
    buffer = io.BytesIO()
    torch.save(value, buffer, **options)
    return buffer.getvalue()


def loaded(data, **options):
    return torch.load(io.BytesIO(data), **options)


def agree(left, right):
    assert recipe.difference(left, right) is None


def rewritten(data, method=zipfile.ZIP_STORED, root="archive", without=(), replaced=None):
    """A checkpoint's records in another zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(buffer, "w", method) as new:
        for name in old.namelist():
            short = name.partition("/")[2]
            if short not in without:
                new.writestr(f"{root}/{short}", (replaced or {}).get(short, old.read(name)))
    return buffer.getvalue()


# ---- what PyTorch saved ----
@pytest.mark.parametrize("weights_only", [True, False])
@pytest.mark.parametrize("name", FILES)
def test_recorded_files(name, weights_only):
    found = torch.load(recipe.FOLDER / name, weights_only=weights_only)
    agree(found, recipe.everything(torch))
    parts = found["tensors"]
    assert len({parts[n].untyped_storage().data_ptr() for n in ("base", "permuted", "part")}) == 1
    parts["base"][1, 0, 0] = 99
    assert parts["part"][0, 0] == 99 and parts["permuted"][0, 1, 0] == 99


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("without", [(), ("byteorder",), ("byteorder", ".format_version", ".storage_alignment", ".data/serialization_id")])
def test_layouts_of_other_versions(method, without):
    data = rewritten((recipe.FOLDER / "zip.pt").read_bytes(), method, "any folder", without)
    agree(loaded(data), recipe.everything(torch))


def test_deflated_by_the_reader_of_a_file(tmp_path):
    path = tmp_path / "x.pt"
    path.write_bytes(rewritten((recipe.FOLDER / "zip.pt").read_bytes(), zipfile.ZIP_DEFLATED, "x"))
    agree(torch.load(path, mmap=True), recipe.everything(torch))


def test_recorded_optimizers():
    expected = json.loads((recipe.FOLDER / "optimizers.json").read_text())
    found = torch.load(recipe.FOLDER / "optimizers.pt")
    for name, (weight, optimizer) in recipe.optimizers(torch).items():
        state = found[name]
        for key, value in {"weight": state["weight"], **state["state"][0]}.items():
            assert value is None or recipe.bits(value).hex() == expected[name][key]
        optimizer.load_state_dict({key: state[key] for key in ("state", "param_groups")})
        assert torch.allclose(weight, state["weight"], rtol=1e-5)
        optimizer.step()
        assert optimizer.state_dict()["param_groups"][0]["lr"] == state["param_groups"][0]["lr"]


def test_recorded_module():
    with pytest.raises(pickle.UnpicklingError, match="network.pt: Weights only load failed.*torch.nn.modules.container.Sequential was not an allowed global"):
        torch.load(recipe.FOLDER / "network.pt")
    net = torch.load(recipe.FOLDER / "network.pt", weights_only=False)
    ours = recipe.network(torch)
    agree(net.state_dict(), ours.state_dict())
    image = torch.arange(32.0).reshape(2, 1, 4, 4)
    assert net.eval()(image).equal(ours.eval()(image)) and type(net[0]) is torch.nn.Conv2d


def test_module_whose_classes_are_allowed():
    nn = torch.nn
    kinds = [nn.Sequential, nn.Conv2d, nn.BatchNorm2d, nn.ReLU, nn.Flatten, nn.Linear]
    with serialization.safe_globals(kinds):
        assert serialization.get_safe_globals() == kinds
        net = torch.load(recipe.FOLDER / "network.pt")
    agree(net.state_dict(), recipe.network(torch).state_dict())
    assert serialization.get_safe_globals() == []
    with pytest.raises(pickle.UnpicklingError):
        torch.load(recipe.FOLDER / "network.pt")
    names = serialization.get_unsafe_globals_in_checkpoint(recipe.FOLDER / "network.pt")
    assert {"torch.nn.modules.conv.Conv2d", "torch.nn.modules.linear.Linear"} <= set(names) and "torch.nn.parameter.Parameter" not in names


# ---- what is saved here ----
@pytest.mark.parametrize("options", [{}, STREAM, {"pickle_protocol": 3}, {"pickle_protocol": 4}, {"pickle_protocol": 5}, {"_disable_byteorder_record": True}])
def test_round_trip(options, tmp_path):
    value = recipe.everything(torch)
    torch.save(value, tmp_path / "x.pt", **options)
    agree(torch.load(tmp_path / "x.pt"), value)
    agree(torch.load(str(tmp_path / "x.pt"), weights_only=False), value)
    agree(loaded(saved(value, **options)), value)


def test_layout_of_the_file():
    data = saved({"a": torch.arange(3.0), "b": torch.empty(0), "c": torch.ones(100)})
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        assert file.testzip() is None
        names = file.namelist()
        assert names[:4] == ["archive/data.pkl", "archive/.format_version", "archive/.storage_alignment", "archive/byteorder"]
        assert names[4:] == ["archive/data/0", "archive/data/1", "archive/data/2", "archive/version", "archive/.data/serialization_id"]
        for info in file.infolist():
            name, extra = struct.unpack_from("<2H", data, info.header_offset + 26)
            assert (info.header_offset + 30 + name + extra) % 64 == 0 and info.compress_type == zipfile.ZIP_STORED
        assert file.read("archive/data/0") == struct.pack("<3f", 0, 1, 2) and file.read("archive/version") == b"3\n"
        assert b"pywasmtorch" not in file.read("archive/data.pkl")
    assert data == saved({"a": torch.arange(3.0), "b": torch.empty(0), "c": torch.ones(100)})


def test_folder_in_the_archive_is_named_after_the_file(tmp_path):
    torch.save(1, tmp_path / "my.model.pt")
    assert zipfile.ZipFile(tmp_path / "my.model.pt").namelist()[0] == "my.model/data.pkl"


def test_checksums_can_be_left_out():
    try:
        serialization.set_crc32_options(False)
        data = saved(torch.ones(3))
    finally:
        serialization.set_crc32_options(True)
    assert loaded(data).tolist() == [1, 1, 1] and {i.CRC for i in zipfile.ZipFile(io.BytesIO(data)).infolist()} == {0}


def test_modules_and_optimizers_whole():
    net = recipe.network(torch)
    for options in ({}, STREAM):
        twin = loaded(saved(net, **options), weights_only=False)
        agree(twin.state_dict(), net.state_dict())
        assert all(isinstance(p, torch.nn.Parameter) and p.requires_grad for p in twin.parameters())
    optimizer = recipe.optimizers(torch)["adam"][1]
    twin = loaded(saved(optimizer), weights_only=False)
    agree(twin.state_dict(), optimizer.state_dict())


def test_versions_of_a_state_dict_are_kept():
    state = recipe.network(torch).state_dict()
    twin = loaded(saved(state))
    assert twin._metadata == state._metadata and twin._metadata["1"] == {"version": 2}


def test_damage_is_named_without_weights_only(tmp_path):
    path = tmp_path / "x.pt"
    for data in (saved(torch.ones(3)), saved(torch.ones(3), **STREAM)):
        for count in (0, 1, 5, 60, len(data) // 2, len(data) - 1):
            path.write_bytes(data[:count])
            with pytest.raises((pickle.UnpicklingError, RuntimeError, EOFError), match="x.pt: "):
                torch.load(path, weights_only=False)


def test_saved_names_are_found_again():
    functions = [torch.nn.functional.relu, torch.nn.functional.gelu, torch.relu, torch.optim.SGD, torch.optim.lr_scheduler.StepLR]
    assert loaded(saved(functions), weights_only=False) == functions
    assert loaded(saved(functions, pickle_protocol=4), weights_only=False) == functions


def test_tensors_with_attributes_and_subclasses():
    x = torch.ones(2)
    x.note = "kept"
    p = torch.nn.Parameter(torch.zeros(2))
    p.note = [1]
    a, b = loaded(saved([x, p]))
    assert a.note == "kept" and b.note == [1] and type(b) is torch.nn.Parameter

    a, b = pickle.loads(pickle.dumps([x, p]))
    assert a.note == "kept" and b.note == [1] and type(b) is torch.nn.Parameter


def test_hooks_are_not_saved():
    x = torch.ones(2, requires_grad=True)
    x.register_hook(torch.utils.hooks.unserializable_hook(lambda g: g * 2))
    y = loaded(saved(x))
    y.sum().backward()
    assert y.grad.tolist() == [1, 1]


def test_results_of_operators_are_saved_as_leaves():
    x = torch.ones(2, requires_grad=True) * 2
    y = loaded(saved(x))
    assert y.is_leaf and y.requires_grad and y.tolist() == [2, 2]


def test_one_storage_as_two_dtypes():
    x = torch.ones(2)
    with pytest.raises(RuntimeError, match="view the same data as different types"):
        saved([x, x.view(torch.int32)])


def test_storages():
    x = torch.arange(4.0)
    typed, untyped, x2 = loaded(saved([x.storage(), torch.ones(2).untyped_storage(), x]))
    assert typed.tolist() == [0, 1, 2, 3] and typed.dtype is torch.float32 and untyped.nbytes() == 8
    assert typed.data_ptr() == x2.data_ptr() and isinstance(typed, torch.FloatStorage) and not isinstance(typed, torch.LongStorage)
    assert torch.FloatStorage([1, 2]).tolist() == [1, 2] and torch.storage.UntypedStorage(3).size() == 3
    twin = copy.deepcopy(typed)
    twin[0] = 7
    assert typed[0] == 0 and pickle.loads(pickle.dumps(twin)).tolist() == [7, 1, 2, 3]
    y = torch.empty(0).set_(typed, 1, (3,), (1,))
    typed[1] = 5
    assert y.tolist() == [5, 2, 3] and typed[1:3].tolist() == [5, 2]


def test_big_storages_are_not_copied_whole():
    tracemalloc = pytest.importorskip("tracemalloc")
    x = torch.zeros(4_000_000)
    buffer = io.BytesIO(bytes(17_000_000))
    tracemalloc.start()
    torch.save(x, buffer)
    buffer.truncate()
    buffer.seek(0)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    y = torch.load(buffer)
    peak = max(peak, tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    assert peak < 10_000_000 and y.shape == (4_000_000,)


# ---- byte order ----
def test_big_endian():
    value = {name: torch.arange(6).to(getattr(torch, name)) for name in recipe.DTYPES}
    swaps = {}
    for i, (name, x) in enumerate(value.items()):
        width = x.element_size() // (2 if name.startswith("complex") else 1)
        data = recipe.bits(x)
        swaps[f"data/{i}"] = b"".join(data[k : k + width][::-1] for k in range(0, len(data), width))
    data = rewritten(saved(value), replaced={"byteorder": b"big", **swaps})
    agree(loaded(data), value)
    bare = rewritten(data, without=("byteorder",))
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    try:
        agree(loaded(bare), value)
    finally:
        serialization.set_default_load_endianness(None)
    with pytest.raises(ValueError, match="BytesIO: Unknown endianness type: middle"):
        loaded(rewritten(data, replaced={"byteorder": b"middle"}))


# ---- places ----
def on_device(value, device):
    """A checkpoint of tensors on another device, as PyTorch writes it."""
    data = saved(value)
    pickled = zipfile.ZipFile(io.BytesIO(data)).read("archive/data.pkl")
    name = device.encode()
    return rewritten(data, replaced={"data.pkl": pickled.replace(b"X\x03\x00\x00\x00cpu", b"X" + struct.pack("<I", len(name)) + name)})


def test_map_location():
    data = on_device([torch.ones(2)], "cuda:0")
    with pytest.raises(RuntimeError, match=r"Attempting to deserialize object on a CUDA device.*map_location=torch.device\('cpu'\)"):
        loaded(data)
    for place in ("cpu", torch.device("cpu"), {"cuda:0": "cpu"}, lambda storage, where: storage, lambda storage, where: None if where == "cpu" else storage):
        assert loaded(data, map_location=place)[0].tolist() == [1, 1]
    seen = []
    loaded(saved([torch.ones(2), torch.ones(3)]), map_location=lambda storage, where: seen.append((where, storage.nbytes())))
    assert seen == [("cpu", 8), ("cpu", 12)]
    with pytest.raises(RuntimeError, match="CUDA"):
        loaded(saved([torch.ones(2)]), map_location="cuda")
    with pytest.raises(RuntimeError, match="device type at start of device string"):
        loaded(data, map_location="nowhere")
    with pytest.raises(RuntimeError, match="tagged with moon"):
        loaded(on_device([torch.ones(2)], "moon"))


def test_register_package(monkeypatch):
    from pywasmtorch.serialization import _location

    monkeypatch.setattr(_location, "_registry", list(_location._registry))
    serialization.register_package(5, lambda storage: "moon", lambda storage, place: storage if place == "moon" else None)
    data = saved(torch.ones(2))
    assert b"moon" in data and loaded(data).tolist() == [1, 1]


# ---- arguments ----
def test_arguments(tmp_path):
    data = saved(torch.ones(2))
    with pytest.raises(AttributeError, match="with a 'write' attribute"):
        torch.save(1, 3)
    with pytest.raises(RuntimeError, match="Parent directory .* does not exist"):
        torch.save(1, tmp_path / "missing" / "x.pt")
    with pytest.raises(FileNotFoundError):
        torch.load(tmp_path / "missing.pt")
    with pytest.raises(AttributeError, match="seekable"):
        torch.load(3)
    with pytest.raises(ValueError, match="file path in order to use the mmap"):
        loaded(data, mmap=True)
    with pytest.raises(RuntimeError, match="explicit pickle_module"):
        loaded(data, pickle_module=pickle, weights_only=True)
    assert loaded(data, pickle_module=pickle).tolist() == [1, 1]
    torch.save(1, tmp_path / "old.pt", **STREAM)
    with pytest.raises(RuntimeError, match="mmap can only be used"):
        torch.load(tmp_path / "old.pt", mmap=True)
    with pytest.raises(TypeError, match="map_location"):
        loaded(data, map_location=3)
    torch.safetensors.save_file({"x": torch.ones(2)}, tmp_path / "x.safetensors")
    assert torch.load(tmp_path / "x.safetensors")["x"].tolist() == [1, 1]


def test_stream_may_begin_anywhere():
    buffer = io.BytesIO(b"head" + saved({"x": torch.ones(2)}, **STREAM) + saved({"y": torch.ones(3)}, **STREAM))
    buffer.seek(4)
    assert torch.load(buffer)["x"].tolist() == [1, 1] and torch.load(buffer)["y"].tolist() == [1, 1, 1]


def test_forced_by_the_environment(monkeypatch):
    data = saved(recipe.network(torch))
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError):
        loaded(data, weights_only=False)
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "0")
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    assert len(loaded(data)) == 5


# ---- what is not here ----
@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("torch\nqint8", "torch.qint8 .quantized"), ("torch\nfloat4_e2m1fn_x2", "torch.float4_e2m1fn_x2"), ("torch\nuint3", "torch.uint3"),
        ("torch\nQUInt8Storage", "quantized"), ("torch.sparse\nFloatTensor", "sparse"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("weights_only", [True, False])
def test_absent_things_are_named(name, fault, weights_only):
    data = rewritten(saved(1), replaced={"data.pkl": b"\x80\x02c" + name.encode() + b"\n."})
    with pytest.raises(NotImplementedError, match=f"BytesIO: pywasmtorch has no .*{fault}"):
        loaded(data, weights_only=weights_only)


@pytest.mark.parametrize("weights_only", [True, False])
def test_sparse_tensors_of_something_else_are_refused(weights_only):
    data = rewritten(saved(1), replaced={"data.pkl": b"\x80\x02ctorch._utils\n_rebuild_sparse_tensor\nK\x01K\x02\x86R."})
    with pytest.raises((ValueError, pickle.UnpicklingError), match="a sparse tensor is made of a layout"):
        loaded(data, weights_only=weights_only)


def test_torchscript_is_refused():
    data = rewritten(saved(1), replaced={"version": b"3\n"}, root="a")
    buffer = io.BytesIO(data)
    with zipfile.ZipFile(buffer, "a") as file:
        file.writestr("a/constants.pkl", b"")
    with pytest.raises(RuntimeError, match="TorchScript archives"):
        loaded(buffer.getvalue())
    with pytest.raises(NotImplementedError, match="torch.jit.load"):
        loaded(buffer.getvalue(), weights_only=False)


def test_nothing_is_downloaded():
    for function in (torch.hub.load_state_dict_from_url, torch.utils.model_zoo.load_url):
        with pytest.raises(NotImplementedError, match=r"torch\.hub\.load_state_dict_from_url: it downloads nothing"):
            function("http://example.org/x.pt")


# ---- the first versions ----
def test_tar_file_of_the_first_version():
    class Id:
        def __init__(self, number):
            self.number = number

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            return value.number if isinstance(value, Id) else None

    def pickles(*values):
        return b"".join(pickle.dumps(v, 2) for v in values)

    storage = b"\x80\x02K\x0aX\x03\x00\x00\x00cpuctorch\nFloatStorage\n\x87."
    parts = {
        "storages": pickles(1) + storage + struct.pack("<q6f", 6, *range(6)) + pickles([(11, 10, 2, 3)]),
        "tensors": pickles(2, (20, 10, "FloatTensor")) + struct.pack("<i4x5q", 2, 2, 3, 1, 2, 0) + pickles((21, 11, "FloatTensor")) + struct.pack("<i4x3q", 1, 3, 1, 0),
    }
    buffer = io.BytesIO()
    Pickler(buffer, 2).dump({"a": Id(20), "b": Id(21)})
    parts["pickle"] = buffer.getvalue()
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:", format=tarfile.PAX_FORMAT) as tar:
        for name, data in parts.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    found = loaded(file.getvalue(), weights_only=False)
    assert found["a"].tolist() == [[0, 2, 4], [1, 3, 5]] and found["b"].tolist() == [2, 3, 4]
    with pytest.raises(RuntimeError, match="legacy .tar format"):
        loaded(file.getvalue())


def test_tensors_of_early_versions_get_their_state():
    stream = saved(torch.arange(6.0), **STREAM)
    new = b"ctorch._utils\n_rebuild_tensor_v2\n"
    assert new in stream
    start = stream.index(new)
    body = (
        b"ctorch\nFloatTensor\n)\x81((X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x007X\x03\x00\x00\x00cpuK\x06NtQK\x01K\x02K\x02\x86K\x02K\x01\x86tb."
    )
    data = stream[:start] + body + pickle.dumps(["7"], 2) + struct.pack("<q6f", 6, *range(6))
    assert loaded(data).tolist() == [[1, 2], [3, 4]]


def test_views_of_storages():
    """Before 0.4 a storage could be a part of another."""
    stream = saved(1, **STREAM)
    head = stream[: -len(pickle.dumps(1, 2) + pickle.dumps([], 2))]

    def tensor(key, view):
        pid = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\nX\x01\x00\x00\x007X\x03\x00\x00\x00cpuK\x06" + view + b"tQ"
        return b"ctorch._utils\n_rebuild_tensor\n(" + pid + b"K\x00K\x02\x85K\x01\x85tR"

    body = b"\x80\x02]" + tensor(b"7", b"X\x01\x00\x00\x008K\x03K\x02\x87") + b"a" + tensor(b"7", b"N") + b"a."
    a, b = loaded(head + body + pickle.dumps(["7"], 2) + struct.pack("<q6f", 6, *range(6)))
    assert a.tolist() == [3, 4] and b.tolist() == [0, 1]
    b.fill_(9)
    assert a.tolist() == [3, 4] and a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr()
    bad = b"\x80\x02" + tensor(b"7", b"X\x01\x00\x00\x008K\x05K\x02\x87") + b"."
    with pytest.raises(RuntimeError, match="reaches outside of its storage"):
        loaded(head + bad + pickle.dumps(["7"], 2) + struct.pack("<q6f", 6, *range(6)))


# ---- with PyTorch itself ----
@pytest.fixture
def real():
    return pytest.importorskip("torch", reason="PyTorch is not installed, so nothing to compare with")


@pytest.mark.parametrize("options", [{}, STREAM])
def test_pytorch_loads_what_is_saved_here(real, options, tmp_path):
    torch.save(recipe.everything(torch), tmp_path / "x.pt", **options)
    found = real.load(tmp_path / "x.pt")
    agree(found, recipe.everything(real))
    agree(found, recipe.everything(torch))
    if not options:
        agree(real.load(tmp_path / "x.pt", mmap=True)["tensors"], found["tensors"])


@pytest.mark.parametrize("options", [{}, STREAM])
@pytest.mark.filterwarnings("ignore:Couldn't retrieve source code")
def test_whole_modules_travel_both_ways(real, options):
    image = list(range(32))
    theirs, ours = recipe.network(real), recipe.network(torch)
    net = real.load(io.BytesIO(saved(ours, **options)), weights_only=False)
    agree(net.state_dict(), theirs.state_dict())
    shaped = real.tensor(image).float().reshape(2, 1, 4, 4)
    assert net.eval()(shaped).equal(theirs.eval()(shaped))
    buffer = io.BytesIO()
    real.save(recipe.network(real), buffer, **options)
    agree(loaded(buffer.getvalue(), weights_only=False).state_dict(), ours.state_dict())


@pytest.mark.parametrize(
    ("name", "arguments", "sizes"),
    [
        ("LSTM", (3, 4, 2), [(5, 2, 3)]), ("GRU", (3, 4), [(5, 2, 3)]), ("RNN", (3, 4), [(5, 2, 3)]), ("LSTMCell", (3, 4), [(2, 3)]),
        ("MultiheadAttention", (4, 2), [(3, 1, 4)] * 3), ("TransformerEncoderLayer", (4, 2, 8), [(3, 1, 4)]),
        ("ConvTranspose2d", (2, 3, 3), [(1, 2, 4, 4)]), ("EmbeddingBag", (5, 3), None), ("LayerNorm", (4,), [(2, 4)]),
    ],
)  # fmt: skip
def test_kinds_of_modules_travel_both_ways(real, name, arguments, sizes):
    for here, there in ((torch, real), (real, torch)):
        module = getattr(here.nn, name)(*arguments).eval()
        buffer = io.BytesIO()
        here.save(module, buffer)
        buffer.seek(0)
        twin = there.load(buffer, weights_only=False)
        agree(module.state_dict(), twin.state_dict())
        assert repr(module) == repr(twin)
        if sizes is not None:
            results = [kind(*[(lib.arange(prod(size)) % 7 / 7).reshape(size) for size in sizes]) for kind, lib in ((module, here), (twin, there))]
            left, right = (r[0] if isinstance(r, tuple) else r for r in results)
            assert real.allclose(*(real.tensor(x.detach().tolist()) for x in (left, right)), atol=1e-5)


def test_optimizers_travel_both_ways(real):
    theirs, ours = recipe.optimizers(real), recipe.optimizers(torch)
    for name in ours:
        state = real.load(io.BytesIO(saved(ours[name][1].state_dict())))
        agree(state, ours[name][1].state_dict())
        theirs[name][1].load_state_dict(state)
        theirs[name][1].step()
        buffer = io.BytesIO()
        real.save(theirs[name][1].state_dict(), buffer)
        back = loaded(buffer.getvalue())
        agree(back, theirs[name][1].state_dict())
        ours[name][1].load_state_dict(back)
        ours[name][1].step()
