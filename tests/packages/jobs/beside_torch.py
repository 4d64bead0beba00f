"""Runs a program in an interpreter that has PyTorch, with the packages of another environment: FOLDER PROGRAM."""

import importlib.util
import runpy
import sys
from pathlib import Path

import numpy  # noqa: F401  its own, before the folder's
import torch


def name_operators():
    """Where torchvision is built for another kind of PyTorch, its compiled operators do not load; to be imported it wants these to have schemas."""
    found = importlib.util.find_spec("torchvision")
    if found is None or not found.origin:
        return
    try:
        torch.ops.load_library(str(Path(found.origin).parent / "_C.so"))
    except OSError:
        torch.library.define("torchvision::nms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
        torch.library.define("torchvision::qnms", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")


if __name__ == "__main__":
    sys.path.append(sys.argv[1])
    name_operators()
    runpy.run_path(sys.argv[2], run_name="__main__")
