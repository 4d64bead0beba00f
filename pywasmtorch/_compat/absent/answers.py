"""Private names of PyTorch whose answer is true of programs that run eagerly on one CPU in one process, though what they ask about is not here."""

from __future__ import annotations

import contextlib
import datetime
import os
import re
import sys
from typing import Any, List  # noqa: UP035
from urllib.parse import urlparse

from ..._core.device import device

OURS = __name__.partition(".")[0]


def _torch() -> Any:
    """This package's root, which imports what imports this."""
    return sys.modules[OURS]


def _no(*_: Any, **__: Any) -> bool:
    """Of tracing, of transforms, of other devices."""
    return False


def _same(value: Any, *_: Any, **__: Any) -> Any:
    """A mark for a tracer, which is not here."""
    return value


def _none(*_: Any, **__: Any) -> None:
    """Nothing is traced, nothing recorded."""


def _leaves_as_it_is(*_: Any, **__: Any) -> Any:
    """A decorator for an exporter, which is not here."""
    return _same


def _no_symbols(value: Any) -> set[Any]:
    return set()


def _as_bool(value: Any) -> bool:
    return bool(value)


def _cpu() -> Any:
    return device("cpu")


def _cpu_name() -> str:
    return "cpu"


def _privateuse() -> str:
    return "privateuseone"


def _device_module(device: Any = None) -> Any:
    """torch.cpu, torch.cuda, …: the module of a device, of the CPU without one. RuntimeError for a device that has none."""
    kind = "cpu" if device is None else _torch().device(device).type
    found = getattr(_torch(), kind, None)
    if found is None:
        raise RuntimeError(f"Invalid device '{kind}', it has no module torch.{kind}")
    return found


def _torch_home() -> str:
    """Where programs keep what they download: TORCH_HOME, or torch in the user's cache folder."""
    cache = os.environ.get("XDG_CACHE_HOME", "~/.cache")
    return os.path.expanduser(os.environ.get("TORCH_HOME", os.path.join(cache, "torch")))


def _tqdm(*args: Any, **kwargs: Any) -> Any:
    """tqdm's bar of progress. ModuleNotFoundError where tqdm is not installed."""
    from tqdm import tqdm

    return tqdm(*args, **kwargs)


def _shape_as_tensor(self: Any) -> Any:
    return _torch().tensor(self.shape, dtype=_torch().int64)


def _parse_to(*args: Any, **kwargs: Any) -> tuple[Any, ...]:
    """device, dtype, non_blocking and memory_format of the arguments of `Tensor.to`."""
    torch = _torch()
    found: dict[str, Any] = {"device": None, "dtype": None, "non_blocking": False, "memory_format": None}
    flags = ["non_blocking", "copy"]
    for value in args:
        if isinstance(value, torch.Tensor):
            found["device"], found["dtype"] = value.device, value.dtype
        elif isinstance(value, torch.dtype):
            found["dtype"] = value
        elif isinstance(value, bool):
            found[flags.pop(0)] = value
        elif value is not None:
            found["device"] = torch.device(value)
    for name, value in kwargs.items():
        if name not in (*found, "copy"):
            raise TypeError(f"to() received an invalid combination of arguments: {name}")
        found[name] = torch.device(value) if name == "device" and value is not None else value
    return found["device"], found["dtype"], found["non_blocking"], found["memory_format"]


class _IndexedByTensors(contextlib.nullcontext[None]):
    """Lets vmap take tensors as indices, which it always does here."""


ANSWERS: dict[str, Any] = {
    "get_device_module": _device_module, "_shape_as_tensor": _shape_as_tensor, "_C._nn._parse_to": _parse_to,
    "_C._are_functorch_transforms_active": _no, "_C._functorch.is_legacy_batchedtensor": _no, "_C._get_accelerator": _cpu, "_C._get_default_device": _cpu_name,
    "_C._get_privateuse1_backend_name": _privateuse, "_dynamo.mark_static_address": _none,
    "_dynamo._trace_wrapped_higher_order_op.TransformGetItemToIndex": _IndexedByTensors,
    "_dynamo.eval_frame.is_dynamo_supported": _no, "autograd._profiler_enabled": _no, "backends.cuda.can_use_flash_attention": _no,
    "cuda.default_generators": (), "distributed.constants.default_pg_timeout": datetime.timedelta(seconds=1800), "distributed.distributed_c10d._pg_map": {},
    "distributed.distributed_c10d.is_xccl_available": _no, "fx.experimental.proxy_tensor.get_proxy_mode": _none,
    "fx.experimental.symbolic_shapes.free_symbols": _no_symbols, "fx.experimental.symbolic_shapes.free_unbacked_symbols": _no_symbols,
    **dict.fromkeys((f"fx.experimental.symbolic_shapes.{name}" for name in ("guard_or_false", "guard_or_true", "statically_known_true")), _as_bool),
    "hub.HASH_REGEX": re.compile(r"-([a-f0-9]*)\."), "hub.urlparse": urlparse, "hub._get_torch_home": _torch_home, "hub.tqdm": _tqdm, "utils.model_zoo.tqdm": _tqdm, "jit._overload": _same, "jit._overload_method": _same, "jit.annotations.List": List,  # noqa: UP006
    "onnx.register_custom_op_symbolic": _none, "onnx.unregister_custom_op_symbolic": _none, "onnx.symbolic_helper.parse_args": _leaves_as_it_is, "_dynamo.utils.is_compile_supported": _no,
    "nn.attention.flex_attention._DEFAULT_SPARSE_BLOCK_SIZE": 128, "nn.modules.module._EXTRA_STATE_KEY_SUFFIX": "_extra_state",
}
