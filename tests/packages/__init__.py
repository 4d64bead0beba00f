"""Published packages with their weights: their own code runs here and gives PyTorch's results.

`programs/` holds one program for each, which says `import torch` and prints what it computed as JSON; `recorded/` holds what it
printed with PyTorch 2.13; `fetch` downloads the packages, whose versions and hashes are pinned, into `build/checkpoints`.
"""
