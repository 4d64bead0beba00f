"""Where torch has the names of `torch.cuda.amp`."""
