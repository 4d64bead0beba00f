"""`import torch` finds this package (as_torch); private torch modules (torch_private); the Python array API (array_api)."""
