"""What event files hold, as protocol buffers: one function for each kind of summary.

The formats are those of TensorBoard's plugins (https://github.com/tensorflow/tensorboard, tensorboard/plugins)."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from google.protobuf.struct_pb2 import ListValue
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2
from tensorboard.plugins.hparams import api_pb2, metadata, plugin_data_pb2
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData

from ..._tensor import Tensor

SMALLEST = 1e-7  # what precision and recall are divided by at least


def array_of(value: Any) -> np.ndarray:
    """A tensor, an array or a number as an array of one dimension or more. NotImplementedError for anything else."""
    if isinstance(value, Tensor):
        value = value.detach().cpu()
        value = (value.float() if str(value.dtype) == "torch.bfloat16" else value).numpy()
    elif not isinstance(value, (np.ndarray, np.generic, int, float, complex)):
        raise NotImplementedError(f"Got {type(value)}, but numpy array or torch tensor are expected.")
    return np.atleast_1d(np.asarray(value))


def _shape(*sizes: int) -> TensorShapeProto:
    return TensorShapeProto(dim=[TensorShapeProto.Dim(size=n) for n in sizes])


def _metadata(plugin: str, content: bytes = b"") -> SummaryMetadata:
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin, content=content))


# ---- numbers ----
def scalar(tag: str, value: Any, new_style: bool = False, double_precision: bool = False) -> Summary:
    number = array_of(value).squeeze()
    if number.ndim:
        raise AssertionError(f"Tensor should contain one element (0 dimensions). Was given size: {number.size} and {number.ndim} dimensions.")
    if not new_style:
        return Summary(value=[Summary.Value(tag=tag, simple_value=float(number))])
    tensor = TensorProto(double_val=[float(number)], dtype="DT_DOUBLE") if double_precision else TensorProto(float_val=[float(number)], dtype="DT_FLOAT")
    return Summary(value=[Summary.Value(tag=tag, tensor=tensor, metadata=_metadata("scalars"))])


def default_bins() -> list[float]:
    """Bounds that grow by a tenth from 1e-12 to 1e20, on both sides of 0."""
    positive, bound = [], 1e-12
    while bound < 1e20:
        positive.append(bound)
        bound *= 1.1
    return [-x for x in reversed(positive)] + [0.0, *positive]


def histogram(tag: str, values: Any, bins: Any, max_bins: int | None = None) -> Summary:
    values = array_of(values).astype(float).reshape(-1)
    if not values.size:
        raise ValueError("The input has no element.")
    counts, limits = np.histogram(values, bins=bins)
    if max_bins is not None and len(counts) > max_bins:
        step = len(counts) // max_bins
        left = -len(counts) % step
        counts = np.pad(counts, (0, left)).reshape(-1, step).sum(1)
        limits = np.append(limits[:-1][::step], limits[-1])
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = int(filled[0]), int(filled[-1])
    counts, limits = np.append(0, counts[first : last + 1]), limits[first : last + 2]
    numbers = {"min": values.min(), "max": values.max(), "num": len(values), "sum": values.sum(), "sum_squares": values.dot(values)}
    return histogram_raw(tag, **numbers, bucket_limits=limits.tolist(), bucket_counts=counts.tolist())


def histogram_raw(tag: str, min: float, max: float, num: int, sum: float, sum_squares: float, bucket_limits: Any, bucket_counts: Any) -> Summary:
    found = HistogramProto(min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts)
    return Summary(value=[Summary.Value(tag=tag, histo=found)])


# ---- pictures ----
def _grid(pictures: np.ndarray) -> np.ndarray:
    """Pictures (N, C, H, W) as one (3, rows * H, columns * W), eight to a row."""
    count, channels, height, width = pictures.shape
    columns = min(count, 8)
    rows = math.ceil(count / columns)
    whole = np.zeros((3, rows * height, columns * width), pictures.dtype)
    for i, picture in enumerate(pictures):
        top, left = i // columns * height, i % columns * width
        whole[:, top : top + height, left : left + width] = picture
    return whole


def in_rows(picture: np.ndarray, dataformats: str) -> np.ndarray:
    """A picture, or a batch of them, as (H, W, C) of three channels or more. AssertionError for formats that do not say which dimension is which."""
    formats = dataformats.upper()
    if len(set(formats)) != len(formats) or len(formats) != picture.ndim:
        raise AssertionError(f"You can not use the same dimension shordhand twice, and need as many as the tensor has. tensor shape: {picture.shape}, input_format: {dataformats}")
    if len(formats) == 4:
        return np.moveaxis(_grid(picture.transpose([formats.index(c) for c in "NCHW"])), 0, -1)
    if len(formats) == 2:
        picture = picture.transpose([formats.index(c) for c in "HW"])
        return np.stack([picture] * 3, 2)
    picture = picture.transpose([formats.index(c) for c in "HWC"])
    return np.concatenate([picture] * 3, 2) if picture.shape[2] == 1 else picture


def image(tag: str, picture: Any, rescale: float = 1, dataformats: str = "NCHW", boxes: Any = None, labels: Any = None) -> Summary:
    """Floats are 0 to 1, uint8 0 to 255; boxes are (x1, y1, x2, y2), drawn in red. The size is multiplied by `rescale`."""
    from PIL import Image, ImageDraw

    values = array_of(picture)
    pixels = in_rows(values, dataformats).astype(np.float32) * (1 if values.dtype == np.uint8 else 255)
    drawn = Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
    if boxes is not None:
        draw = ImageDraw.Draw(drawn)
        for i, box in enumerate(array_of(boxes).reshape(-1, 4).tolist()):
            draw.line([(box[0], box[1]), (box[0], box[3]), (box[2], box[3]), (box[2], box[1]), (box[0], box[1])], width=2, fill="Red")
            if labels is not None:
                draw.text((box[0] + 2, box[3] - 12), labels[i], fill="Red")
    drawn = drawn.resize((int(drawn.width * rescale), int(drawn.height * rescale)), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    drawn.save(file, "PNG")
    found = Summary.Image(height=drawn.height, width=drawn.width, colorspace=pixels.shape[2], encoded_image_string=file.getvalue())
    return Summary(value=[Summary.Value(tag=tag, image=found)])


def figure_pixels(figures: Any, close: bool) -> np.ndarray:
    """Figures of matplotlib as (N, 3, H, W), one as (3, H, W)."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    def one(figure: Any) -> np.ndarray:
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba(), np.uint8)[:, :, :3]
        if close:
            pyplot.close(figure)
        return np.moveaxis(pixels, 2, 0)

    return np.stack([one(figure) for figure in figures]) if isinstance(figures, list) else one(figures)


# ---- sound and text ----
def audio(tag: str, sound: Any, sample_rate: int) -> Summary:
    """One channel, values from -1 to 1, as 16 bits."""
    import wave

    samples = array_of(sound).squeeze()
    if samples.ndim != 1:
        raise AssertionError("input tensor should be 1 dimensional.")
    data = (samples.clip(-1, 1) * 32767).astype("<i2")
    file = io.BytesIO()
    with wave.open(file, "wb") as writer:
        writer.setnchannels(1)
        writer.setsampwidth(2)
        writer.setframerate(sample_rate)
        writer.writeframes(data.tobytes())
    found = Summary.Audio(sample_rate=sample_rate, num_channels=1, length_frames=len(data), encoded_audio_string=file.getvalue(), content_type="audio/wav")
    return Summary(value=[Summary.Value(tag=tag, audio=found)])


def text(tag: str, words: str) -> Summary:
    tensor = TensorProto(dtype="DT_STRING", string_val=[words.encode()], tensor_shape=_shape(1))
    content = TextPluginData(version=0).SerializeToString()
    return Summary(value=[Summary.Value(tag=f"{tag}/text_summary", metadata=_metadata("text", content), tensor=tensor)])


# ---- curves ----
def pr_curve_raw(tag: str, curves: np.ndarray, num_thresholds: int, weights: Any = None) -> Summary:
    """`curves`: rows of true and false positives, true and false negatives, precision and recall."""
    content = PrCurvePluginData(version=0, num_thresholds=num_thresholds).SerializeToString()
    tensor = TensorProto(dtype="DT_FLOAT", float_val=curves.reshape(-1).tolist(), tensor_shape=_shape(*curves.shape))
    return Summary(value=[Summary.Value(tag=tag, metadata=_metadata("pr_curves", content), tensor=tensor)])


def pr_curve(tag: str, labels: Any, predictions: Any, num_thresholds: int = 127, weights: Any = None) -> Summary:
    num_thresholds = min(num_thresholds, 127)
    labels, scores = array_of(labels).astype(float).reshape(-1), array_of(predictions).reshape(-1)
    shares = np.ones_like(labels) if weights is None else array_of(weights).reshape(-1)
    bins = np.floor(scores * (num_thresholds - 1)).astype(np.int32)
    bounds = (0, num_thresholds - 1)
    positives, _ = np.histogram(bins, num_thresholds, bounds, weights=labels * shares)
    negatives, _ = np.histogram(bins, num_thresholds, bounds, weights=(1 - labels) * shares)
    tp, fp = positives[::-1].cumsum()[::-1], negatives[::-1].cumsum()[::-1]
    precision, recall = tp / np.maximum(SMALLEST, tp + fp), tp / np.maximum(SMALLEST, tp[0])
    return pr_curve_raw(tag, np.stack((tp, fp, fp[0] - fp, tp[0] - tp, precision, recall)), num_thresholds)


def custom_scalars(layout: dict[str, dict[str, tuple[str, list[str]]]]) -> Summary:
    """`layout`: categories of charts, each ("Multiline", tags) or ("Margin", [value, lower, upper])."""
    categories = []
    for name, charts in layout.items():
        parts = []
        for title, (kind, tags) in charts.items():
            if kind == "Margin":
                value, lower, upper = tags
                series = layout_pb2.MarginChartContent.Series(value=value, lower=lower, upper=upper)
                parts.append(layout_pb2.Chart(title=title, margin=layout_pb2.MarginChartContent(series=[series])))
            else:
                parts.append(layout_pb2.Chart(title=title, multiline=layout_pb2.MultilineChartContent(tag=tags)))
        categories.append(layout_pb2.Category(title=name, chart=parts))
    data = layout_pb2.Layout(category=categories).SerializeToString()
    tensor = TensorProto(dtype="DT_STRING", string_val=[data], tensor_shape=TensorShapeProto())
    return Summary(value=[Summary.Value(tag="custom_scalars__config__", tensor=tensor, metadata=_metadata("custom_scalars"))])


# ---- hyperparameters ----
def _hparams(tag: str, **content: Any) -> Summary:
    data = metadata.create_summary_metadata(plugin_data_pb2.HParamsPluginData(**content)).plugin_data.content
    return Summary(value=[Summary.Value(tag=tag, metadata=_metadata("hparams", data))])


def hparams(values: dict[str, Any], metrics: Any, domains: dict[str, list[Any]] | None = None) -> tuple[Summary, Summary, Summary]:
    """The experiment, the session's start and its end. TypeError and ValueError for what is no dictionary of numbers, strings and bools."""
    if not isinstance(values, dict):
        raise TypeError("parameter: hparam_dict should be a dictionary, nothing logged.")
    if not isinstance(metrics, dict):
        raise TypeError("parameter: metric_dict should be a dictionary, nothing logged.")
    domains = domains or {}
    start = plugin_data_pb2.SessionStartInfo()
    infos = []
    for name, value in values.items():
        if value is None:
            continue
        value = array_of(value)[0] if isinstance(value, Tensor) else value
        if isinstance(value, (bool, np.bool_)):
            start.hparams[name].bool_value, kind = bool(value), "bool"
        elif isinstance(value, (int, float, np.integer, np.floating)):
            start.hparams[name].number_value, kind = float(value), "float64"
        elif isinstance(value, str):
            start.hparams[name].string_value, kind = value, "string"
        else:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        discrete = ListValue()
        for choice in domains.get(name, ()):
            setattr(discrete.values.add(), {"bool": "bool_value", "float64": "number_value", "string": "string_value"}[kind], choice)
        info = api_pb2.HParamInfo(name=name, type=api_pb2.DataType.Value(f"DATA_TYPE_{kind.upper()}"))
        if domains.get(name):
            info.domain_discrete.CopyFrom(discrete)
        infos.append(info)
    named = [api_pb2.MetricInfo(name=api_pb2.MetricName(tag=name)) for name in metrics]
    ended = plugin_data_pb2.SessionEndInfo(status=api_pb2.Status.Value("STATUS_SUCCESS"))
    return (
        _hparams(metadata.EXPERIMENT_TAG, experiment=api_pb2.Experiment(hparam_infos=infos, metric_infos=named)),
        _hparams(metadata.SESSION_START_INFO_TAG, session_start_info=start), _hparams(metadata.SESSION_END_INFO_TAG, session_end_info=ended),
    )
