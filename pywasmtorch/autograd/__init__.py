"""torch.autograd: backward, grad, Function, gradient modes."""

from __future__ import annotations

from typing import Any

from .._core.tensor_type import install
from . import _callbacks as _callbacks
from . import _tensor_methods
from . import anomaly_mode as anomaly_mode
from . import function as function
from . import grad_mode as grad_mode
from . import graph as graph
from ._passes import backward, grad
from .anomaly_mode import detect_anomaly, set_detect_anomaly
from .function import Function
from .grad_mode import enable_grad, inference_mode, no_grad, set_grad_enabled
from .gradcheck import GradcheckError as GradcheckError
from .gradcheck import gradcheck, gradgradcheck
from .variable import Variable

__all__ = ["Function", "Variable", "backward", "detect_anomaly", "enable_grad", "functional", "grad", "gradcheck", "gradgradcheck",
           "graph", "inference_mode", "no_grad", "set_detect_anomaly", "set_grad_enabled"]

install(_tensor_methods.METHODS, _tensor_methods.PROPERTIES)


def __getattr__(name: str) -> Any:
    """functional and profiler are loaded when they are first used; what is missing says so."""
    if name in ("functional", "profiler"):
        import importlib

        return importlib.import_module(f".{name}", __name__)
    if name == "forward_ad":
        raise NotImplementedError(f"pywasmtorch has no torch.autograd.{name}")
    raise AttributeError(f"module 'torch.autograd' has no attribute '{name}'")
