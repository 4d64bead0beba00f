"""Results recorded from PyTorch, and their replay without it.

`cases/` says what is recorded, `record.py` runs it with PyTorch and writes one JSON index and one safetensors file for each
family, and `replay.py` runs the same calls and programs with another library and compares. `values.py` turns bytes into
Python values and compares them; `evaluate.py` runs one case. Only `record.py` needs PyTorch; nothing here needs NumPy.
"""
