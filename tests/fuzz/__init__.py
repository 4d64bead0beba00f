"""Random calls of all public names, by this package and by PyTorch side by side: see README.md."""
