"""Small checkpoints saved by PyTorch 2.13, and their contents: `python -m tests.golden.checkpoints.record` records them."""
