"""Packages as a person installs them: in environments without PyTorch (requirements.txt says what is in which), `python -m pywasmtorch install`, then pip, then its job.

    python -m tests.packages.jobs [--torch PYTHON] [name ...]     runs them, or those of a job, package or environment; all of them with an
                                                                  interpreter that has PyTorch write docs/packages.md
    python -m tests.packages.jobs --record --torch PYTHON [name ...]         records PyTorch's results
"""
