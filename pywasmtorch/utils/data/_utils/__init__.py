"""collate, fetch and worker of the data loader."""

from . import collate, fetch

__all__ = ["collate", "fetch"]
