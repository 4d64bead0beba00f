"""torch.utils.tensorboard: what event files hold, where the package tensorboard is installed; else the error that names it."""

import importlib.util
import math
import struct

import pytest

import pywasmtorch as torch

INSTALLED = importlib.util.find_spec("tensorboard") is not None
needs_tensorboard = pytest.mark.skipif(not INSTALLED, reason="the package tensorboard, which writes event files, is not installed")


@pytest.mark.skipif(INSTALLED, reason="the package tensorboard is installed")
def test_without_the_package():
    with pytest.raises(ModuleNotFoundError, match="needs the package tensorboard: pip install tensorboard"):
        importlib.import_module("pywasmtorch.utils.tensorboard")


@pytest.fixture
def written(tmp_path):
    """What a program wrote: folder inside -> tag -> values."""
    from tensorboard.compat.proto.event_pb2 import Event

    writer = importlib.import_module("pywasmtorch.utils.tensorboard").SummaryWriter(tmp_path)

    def read():
        writer.close()
        found = {}
        for file in sorted(tmp_path.rglob("events*")):
            data, at = file.read_bytes(), 0
            while at < len(data):
                (size,) = struct.unpack_from("<Q", data, at)
                event = Event.FromString(data[at + 12 : at + 12 + size])
                at += size + 16
                for value in event.summary.value:
                    found.setdefault(str(file.parent.relative_to(tmp_path)), {}).setdefault(value.tag, []).append((event.step, value))
        return found

    return writer, read


@needs_tensorboard
def test_scalars(written):
    writer, read = written
    writer.add_scalar("loss", torch.tensor(1.5, requires_grad=True), 3)
    writer.add_scalar("exact", 0.1, torch.tensor(4), new_style=True, double_precision=True)
    writer.add_scalars("both/of", {"a": 1.0, "b": torch.tensor([2.0])}, 5)
    with pytest.raises(AssertionError, match="should contain one element"):
        writer.add_scalar("loss", torch.ones(2))
    found = read()
    assert [(step, value.simple_value) for step, value in found["."]["loss"]] == [(3, 1.5)]
    ((step, value),) = found["."]["exact"]
    assert step == 4 and list(value.tensor.double_val) == [0.1] and value.metadata.plugin_data.plugin_name == "scalars"
    assert found["both_of_a"]["both/of"][0][1].simple_value == 1.0 and found["both_of_b"]["both/of"][0][1].simple_value == 2.0


@needs_tensorboard
def test_histograms(written):
    writer, read = written
    writer.add_histogram("few", torch.tensor([0.0, 1.0, 1.0, 3.0]), 1, bins=[0, 1, 2, 4])
    writer.add_histogram("usual", torch.randn(100, dtype=torch.float64), 1)
    with pytest.raises(ValueError, match="no element"):
        writer.add_histogram("none", torch.empty(0))
    found = read()["."]
    few, usual = found["few"][0][1].histo, found["usual"][0][1].histo
    assert list(few.bucket) == [0, 1, 2, 1] and list(few.bucket_limit) == [0, 1, 2, 4]
    assert (few.min, few.max, few.num, few.sum, few.sum_squares) == (0, 3, 4, 5, 11)
    assert sum(usual.bucket) == 100 and len(usual.bucket) == len(usual.bucket_limit) and usual.bucket[0] == 0


@needs_tensorboard
def test_pictures(written):
    import io

    image = pytest.importorskip("PIL.Image", reason="pictures need Pillow")
    writer, read = written
    writer.add_image("one", torch.tensor([[[0.0, 0.5], [1.0, 2.0]]]), 1)
    writer.add_images("nine", torch.full((9, 3, 2, 2), 7, dtype=torch.uint8), 1)
    with pytest.raises(AssertionError):
        writer.add_image("bad", torch.ones(2, 2))
    found = read()["."]

    def pixels(tag):
        picture = image.open(io.BytesIO(found[tag][0][1].image.encoded_image_string))
        return picture.size, picture.convert("RGB").tobytes()

    assert pixels("one") == ((2, 2), bytes([0] * 3 + [127] * 3 + [255] * 6))
    size, data = pixels("nine")  # eight to a row
    assert size == (16, 4) and data.count(7) == 9 * 12 and data[16 * 3 * 2 :][:6] == b"\x07" * 6


@needs_tensorboard
def test_text_curves_and_hyperparameters(written):
    from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData

    writer, read = written
    writer.add_text("words", "ä", 2)
    writer.add_pr_curve("pr", torch.tensor([0, 1, 1]), torch.tensor([0.1, 0.9, 0.2]), num_thresholds=3)
    writer.add_hparams({"lr": 0.1, "name": "x", "on": True}, {"accuracy": 0.5}, {"name": ["x", "y"]}, run_name="run")
    found = read()
    assert found["."]["words/text_summary"][0][1].tensor.string_val[0].decode() == "ä"
    curves = torch.tensor(list(found["."]["pr"][0][1].tensor.float_val)).reshape(6, 3)
    assert curves[:4].tolist() == [[2, 1, 0], [1, 0, 0], [0, 1, 1], [0, 1, 2]] and math.isclose(curves[4, 0], 2 / 3, rel_tol=1e-6)
    start = HParamsPluginData.FromString(found["run"]["_hparams_/session_start_info"][0][1].metadata.plugin_data.content).session_start_info
    assert start.hparams["lr"].number_value == 0.1 and start.hparams["name"].string_value == "x" and start.hparams["on"].bool_value
    assert found["run"]["accuracy"][0][1].simple_value == 0.5


@needs_tensorboard
def test_what_is_not_here(written):
    writer, read = written
    for name in ("add_graph", "add_onnx_graph", "add_embedding", "add_mesh", "add_video"):
        with pytest.raises(NotImplementedError, match=f"SummaryWriter.{name}"):
            getattr(writer, name)(torch.nn.Linear(1, 1))
    assert read() == {}
