"""Packages by others, with the weights that they carry: their own code runs here and gives what it gives with PyTorch.

`programs/` holds one program for each, which says `import torch` and prints what it computed as JSON; `recorded/` holds what it
printed with PyTorch 2.13; `fetch` downloads the packages, whose versions and hashes are pinned, into `build/checkpoints`.
"""
