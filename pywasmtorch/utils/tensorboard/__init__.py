"""torch.utils.tensorboard: event files by the package tensorboard, which has to be installed."""

try:
    import tensorboard
except ModuleNotFoundError as error:
    raise ModuleNotFoundError("torch.utils.tensorboard needs the package tensorboard: pip install tensorboard", name=error.name) from None

from tensorboard.summary.writer.record_writer import RecordWriter

from .writer import FileWriter, SummaryWriter

__all__ = ["FileWriter", "RecordWriter", "SummaryWriter", "tensorboard"]
