"""Names of the ``safetensors.torch`` module: ``load``, ``save``, ``load_file``, ``save_file``, ``load_model``, ``save_model``."""

from . import load, load_file, save, save_file
from ._model import load_model, save_model

__all__ = ["load", "load_file", "load_model", "save", "save_file", "save_model"]
