"""torch.utils.data: DataLoader, datasets, samplers."""

from ..._core.names import absent as _absent
from ._utils.collate import collate, default_collate, default_convert
from .dataloader import DataLoader, _DatasetKind, get_worker_info
from .dataset import ChainDataset, ConcatDataset, Dataset, IterableDataset, StackDataset, Subset, TensorDataset, random_split
from .distributed import DistributedSampler
from .sampler import BatchSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, WeightedRandomSampler

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "_DatasetKind",
    "collate",
    "default_collate",
    "default_convert",
    "functional_datapipe",
    "get_worker_info",
    "random_split",
]


def functional_datapipe(name: str, enable_df_api_tracing: bool = False):
    """The decorator of classes of data pipes, of which this package has none: the class can be mentioned and derived from, and making an instance of it
    raises NotImplementedError."""

    def refuse(cls, *arguments, **names):
        raise NotImplementedError(f"pywasmtorch has no torch.utils.data.functional_datapipe, which {cls.__name__} ('{name}') needs; see docs/differences.md")

    def decorated(cls):
        cls.__new__ = refuse
        return cls

    return decorated


__getattr__ = _absent(__name__)
