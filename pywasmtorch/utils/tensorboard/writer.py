"""SummaryWriter and FileWriter."""

from __future__ import annotations

import os
import socket
import time
from datetime import datetime
from typing import Any, NoReturn

from tensorboard.compat.proto.event_pb2 import Event, SessionLog
from tensorboard.summary.writer.event_file_writer import EventFileWriter

from . import summary as _summary

__all__ = ["FileWriter", "SummaryWriter"]


class FileWriter:
    """Writes events to a new file in a folder."""

    def __init__(self, log_dir: Any, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        self.event_writer = EventFileWriter(str(log_dir), max_queue, flush_secs, filename_suffix)

    def get_logdir(self) -> str:
        return self.event_writer.get_logdir()

    def add_event(self, event: Any, step: Any = None, walltime: float | None = None) -> None:
        event.wall_time = time.time() if walltime is None else walltime
        if step is not None:
            event.step = int(step)
        self.event_writer.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        self.add_event(Event(summary=summary), global_step, walltime)

    def flush(self) -> None:
        self.event_writer.flush()

    def close(self) -> None:
        self.event_writer.close()

    def reopen(self) -> None:
        self.event_writer.reopen()


class SummaryWriter:
    """Writes what TensorBoard shows into event files of a folder.

    Args:
        log_dir (str, optional): the folder; without one, `runs/` and the time, the machine's name and `comment`.
        comment (str): the end of that name.
        purge_step (int, optional): what earlier files say of this step and later ones is not shown.
        max_queue (int): events that wait before the next is written.
        flush_secs (int): seconds after which what waits is written.
        filename_suffix (str): the end of the files' names.

    Values may be tensors, arrays or numbers; `global_step` is the step that they belong to, `walltime` the time in seconds, now without one.
    """

    def __init__(self, log_dir: Any = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10, flush_secs: int = 120, filename_suffix: str = "") -> None:
        if not log_dir:
            log_dir = os.path.join("runs", f"{datetime.now().strftime('%b%d_%H-%M-%S')}_{socket.gethostname()}{comment}")
        self.log_dir, self.purge_step, self.max_queue, self.flush_secs, self.filename_suffix = log_dir, purge_step, max_queue, flush_secs, filename_suffix
        self.file_writer: FileWriter | None = None
        self.all_writers: dict[str, FileWriter] | None = None
        self.default_bins = _summary.default_bins()
        self._get_file_writer()

    def _get_file_writer(self) -> FileWriter:
        if self.all_writers is None or self.file_writer is None:
            self.file_writer = FileWriter(self.log_dir, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers = {self.file_writer.get_logdir(): self.file_writer}
            if self.purge_step is not None:
                self.file_writer.add_event(Event(step=self.purge_step, file_version="brain.Event:2"))
                self.file_writer.add_event(Event(step=self.purge_step, session_log=SessionLog(status=SessionLog.START)))
                self.purge_step = None
        return self.file_writer

    def _add(self, summary: Any, global_step: Any = None, walltime: float | None = None) -> None:
        self._get_file_writer().add_summary(summary, global_step, walltime)

    def get_logdir(self) -> Any:
        return self.log_dir

    def add_scalar(self, tag: str, scalar_value: Any, global_step: Any = None, walltime: float | None = None, new_style: bool = False, double_precision: bool = False) -> None:
        """One number; `new_style`: as a tensor, which keeps float64 with `double_precision`."""
        self._add(_summary.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(self, main_tag: str, tag_scalar_dict: dict[str, Any], global_step: Any = None, walltime: float | None = None) -> None:
        """Numbers in one chart, each in a folder of its own."""
        at = time.time() if walltime is None else walltime
        folder = self._get_file_writer().get_logdir()
        assert self.all_writers is not None
        for tag, value in tag_scalar_dict.items():
            name = f"{folder}/{main_tag.replace('/', '_')}_{tag}"
            if name not in self.all_writers:
                self.all_writers[name] = FileWriter(name, self.max_queue, self.flush_secs, self.filename_suffix)
            self.all_writers[name].add_summary(_summary.scalar(main_tag, value), global_step, at)



    def add_histogram(self, tag: str, values: Any, global_step: Any = None, bins: Any = "tensorflow", walltime: float | None = None, max_bins: int | None = None) -> None:
        """How values are distributed; `bins`: "tensorflow" or what `numpy.histogram` takes."""
        chosen = self.default_bins if isinstance(bins, str) and bins == "tensorflow" else bins
        self._add(_summary.histogram(tag, values, chosen, max_bins), global_step, walltime)

    def add_histogram_raw(
        self, tag: str, min: float, max: float, num: int, sum: float, sum_squares: float, bucket_limits: Any, bucket_counts: Any, global_step: Any = None,
        walltime: float | None = None,
    ) -> None:
        """A histogram that the program made. ValueError unless there are as many limits as counts."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        self._add(_summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts), global_step, walltime)

    def add_image(self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None, dataformats: str = "CHW") -> None:
        self._add(_summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_images(self, tag: str, img_tensor: Any, global_step: Any = None, walltime: float | None = None, dataformats: str = "NCHW") -> None:
        """Pictures in one, eight to a row."""
        self._add(_summary.image(tag, img_tensor, dataformats=dataformats), global_step, walltime)

    def add_image_with_boxes(
        self, tag: str, img_tensor: Any, box_tensor: Any, global_step: Any = None, walltime: float | None = None, rescale: float = 1, dataformats: str = "CHW", labels: Any = None
    ) -> None:
        """A picture with boxes (x1, y1, x2, y2)."""
        labels = [labels] if isinstance(labels, str) else labels
        if labels is not None and len(labels) != len(box_tensor):
            labels = None
        self._add(_summary.image(tag, img_tensor, rescale, dataformats, box_tensor, labels), global_step, walltime)

    def add_figure(self, tag: str, figure: Any, global_step: Any = None, close: bool = True, walltime: float | None = None) -> None:
        """A figure of matplotlib, or a list of them."""
        formats = "NCHW" if isinstance(figure, list) else "CHW"
        self._add(_summary.image(tag, _summary.figure_pixels(figure, close), dataformats=formats), global_step, walltime)

    def add_audio(self, tag: str, snd_tensor: Any, global_step: Any = None, sample_rate: int = 44100, walltime: float | None = None) -> None:
        """Sound of one channel, from -1 to 1."""
        self._add(_summary.audio(tag, snd_tensor, sample_rate), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: Any = None, walltime: float | None = None) -> None:
        self._add(_summary.text(tag, text_string), global_step, walltime)

    def add_pr_curve(
        self, tag: str, labels: Any, predictions: Any, global_step: Any = None, num_thresholds: int = 127, weights: Any = None, walltime: float | None = None
    ) -> None:
        """Precision and recall of predictions from 0 to 1 of labels that are 0 or 1."""
        self._add(_summary.pr_curve(tag, labels, predictions, num_thresholds, weights), global_step, walltime)

    def add_custom_scalars(self, layout: dict[str, Any]) -> None:
        """Which numbers are charted together."""
        self._add(_summary.custom_scalars(layout))

    def add_custom_scalars_multilinechart(self, tags: list[str], category: str = "default", title: str = "untitled") -> None:
        self._add(_summary.custom_scalars({category: {title: ("Multiline", tags)}}))

    def add_custom_scalars_marginchart(self, tags: list[str], category: str = "default", title: str = "untitled") -> None:
        if len(tags) != 3:
            raise AssertionError(f"a margin chart has three tags, got {len(tags)}")
        self._add(_summary.custom_scalars({category: {title: ("Margin", tags)}}))

    def add_hparams(
        self, hparam_dict: dict[str, Any], metric_dict: dict[str, Any], hparam_domain_discrete: dict[str, list[Any]] | None = None, run_name: str | None = None,
        global_step: Any = None,
    ) -> None:
        """Hyperparameters and what they led to, in a folder of their own."""
        summaries = _summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self._get_file_writer().get_logdir(), run_name or str(time.time()))
        with SummaryWriter(log_dir=folder) as writer:
            for summary in summaries:
                writer._add(summary, global_step)
            for name, value in metric_dict.items():
                writer.add_scalar(name, value, global_step)

    def add_graph(self, model: Any, input_to_model: Any = None, verbose: bool = False, use_strict_trace: bool = True) -> NoReturn:
        """NotImplementedError: there is no graph."""
        _refuse("add_graph")

    def add_onnx_graph(self, prototxt: Any) -> NoReturn:
        _refuse("add_onnx_graph")

    def add_embedding(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("add_embedding")

    def add_mesh(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("add_mesh")

    def add_video(self, *_: Any, **__: Any) -> NoReturn:
        _refuse("add_video")

    def flush(self) -> None:
        for writer in (self.all_writers or {}).values():
            writer.flush()

    def close(self) -> None:
        """Writes what waits; a later event begins another file."""
        for writer in (self.all_writers or {}).values():
            writer.flush()
            writer.close()
        self.file_writer = self.all_writers = None

    def __enter__(self) -> SummaryWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def _refuse(name: str) -> NoReturn:
    raise NotImplementedError(f"pywasmtorch has no SummaryWriter.{name}; see docs/differences.md")
