"""Packages as a person installs them: each in an environment of its own without PyTorch, `python -m pywasmtorch install`, then pip, then its job.

    python -m tests.packages.jobs [--torch PYTHON] [name ...]     runs them, and with an interpreter that has PyTorch writes docs/packages.md
    python -m tests.packages.jobs --record --torch PYTHON         records PyTorch's results
"""
