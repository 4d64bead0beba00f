"""Small checkpoints that PyTorch 2.13 saved, and what is in them: `python -m tests.golden.checkpoints.record` records them."""
