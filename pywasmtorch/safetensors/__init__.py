"""load, save, load_file, save_file, load_model, save_model, safe_open, serialize, deserialize of safetensors.

A file is an 8-byte little-endian length, a JSON header of that length, and the tensors' bytes. The header names each tensor
with its dtype, its shape and the range of its bytes; the ranges cover the rest of the file without gaps or overlaps. Whatever
breaks a rule of the format raises ``SafetensorError``, which names the file, the tensor and the fault, and nothing is
allocated on the word of a header that has not been checked.
"""

from ._file import SafetensorError, deserialize, load, load_file, safe_open, save, save_file, serialize
from ._model import load_model, save_model

__all__ = ["SafetensorError", "deserialize", "load", "load_file", "load_model", "safe_open", "save", "save_file", "save_model", "serialize"]
