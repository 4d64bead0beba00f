"""PyTorch's qualified names in checkpoints, mapped to objects of this package."""

from __future__ import annotations

import importlib
import sys
from typing import Any

from .._core import dtype as _dtype
from .._core.layout import sparse_coo, sparse_csc, sparse_csr, strided
from .._core.names import module_here
from .._tensor import storage

OURS = __name__.split(".")[0]
REBUILD = f"{OURS}._tensor.rebuild"
#: where PyTorch keeps what is found elsewhere here
ELSEWHERE = {
    ("torch._tensor", "_rebuild_from_type_v2"): ("torch._utils", "_rebuild_from_type_v2"),
    ("torch._tensor", "_rebuild_from_type"): ("torch._utils", "_rebuild_from_type"),
    ("torch.tensor", "_rebuild_from_type_v2"): ("torch._utils", "_rebuild_from_type_v2"),
    ("torch.tensor", "_rebuild_from_type"): ("torch._utils", "_rebuild_from_type"),
    ("torch.tensor", "Tensor"): ("torch", "Tensor"),
    ("torch._tensor", "Tensor"): ("torch", "Tensor"),
    ("torch._C", "Generator"): ("torch", "Generator"),
    ("torch._C", "Size"): ("torch", "Size"),
    ("torch._C", "TensorBase"): ("torch", "Tensor"),
    ("torch._C", "_TensorBase"): ("torch", "Tensor"),
    ("torch._C._nn", "log_sigmoid"): ("torch.nn.functional", "logsigmoid"),
    ("torch.nn.functional", "_threshold"): ("torch.nn.functional", "threshold"),
    ("torch.nn.utils.clip_grad", "_clip_grads_with_norm_"): ("torch.nn.utils", "clip_grads_with_norm_"),
    ("torch.nn.utils.clip_grad", "_get_total_norm"): ("torch.nn.utils", "get_total_norm"),
}
WRITTEN = {
    (REBUILD, "_rebuild_from_type_v2"): ("torch._tensor", "_rebuild_from_type_v2"),
    (f"{OURS}.nn.parameter", "_rebuild_parameter"): ("torch._utils", "_rebuild_parameter"),
    (f"{OURS}.nn.parameter", "_rebuild_parameter_with_state"): ("torch._utils", "_rebuild_parameter_with_state"),
    (f"{OURS}._tensor.storage", "TypedStorage"): ("torch.storage", "TypedStorage"),
    (f"{OURS}._tensor.storage", "UntypedStorage"): ("torch.storage", "UntypedStorage"),
    (f"{OURS}._functions.random", "Generator"): ("torch._C", "Generator"),
    (f"{OURS}.serialization._names", "_get_layout"): ("torch.serialization", "_get_layout"),
}
#: packages here that are single modules in PyTorch
SINGLE = ("nn.functional", "optim.lr_scheduler", "serialization")
#: modules of PyTorch whose functions are found in one of ours
MERGED = {"torch._C._nn": "torch.nn.functional", "torch._C._VariableFunctions": "torch", "torch._VF": "torch"}
#: dtypes and schemes that checkpoints name and that are not here
ABSENT_DTYPES = frozenset(
    "qint8 qint32 quint8 quint4x2 quint2x4 complex32 "
    "float4_e2m1fn_x2 bits1x8 bits2x4 bits4x2 bits8 bits16 uint1 uint2 uint3 uint4 uint5 uint6 uint7 int1 int2 int3 "
    "int4 int5 int6 int7 per_tensor_affine per_tensor_symmetric per_channel_affine per_channel_symmetric "
    "per_channel_affine_float_qparams QInt8Storage QInt32Storage QUInt8Storage QUInt4x2Storage QUInt2x4Storage".split()
)


def _get_layout(name: Any) -> Any:
    kinds = {repr(kind): kind for kind in (strided, sparse_coo, sparse_csr, sparse_csc)}
    if name not in kinds:
        raise NotImplementedError(f"pywasmtorch has no tensors of layout {str(name)[:40]}")
    return kinds[name]


def refuse_absent(module: str, name: str) -> None:
    """NotImplementedError for dtypes, layouts and storages of PyTorch that are not here."""
    if (module in ("torch", "torch.cuda") and name in ABSENT_DTYPES) or module.startswith(("torch.sparse", "torch.cuda.sparse")):
        kind = "sparse tensors" if "sparse" in module else "quantized tensors" if name.startswith(("q", "Q", "per_")) else "this dtype"
        raise NotImplementedError(f"pywasmtorch has no {module}.{name} ({kind})")


def storage_class(module: str, name: str) -> Any:
    """The class of storages that checkpoints name, or None."""
    if module in ("torch", "torch.cuda", "torch.storage"):
        if name in storage.CLASSES:
            return storage.CLASSES[name]
        if name in ("UntypedStorage", "TypedStorage"):
            return getattr(storage, name)
        if name == "_UntypedStorage":
            return storage.UntypedStorage
    return None


def find(module: str, name: str) -> Any:
    """What PyTorch's `module.name` is here. AttributeError where it is not here."""
    refuse_absent(module, name)
    if (module, name) == ("torch._C", "_VariableFunctionsClass"):  # what torch.relu and its like are attributes of
        return sys.modules[OURS]
    found = storage_class(module, name)
    if found is not None:
        return found
    if (module, name) in ELSEWHERE:
        place, name = ELSEWHERE[module, name]
    elif module in MERGED:
        place = MERGED[module]
    else:
        place = module
    value = _module(module_here(place))
    try:
        for part in name.split("."):
            value = getattr(value, part)
    except AttributeError:
        raise AttributeError(f"pywasmtorch has no {module}.{name}; see docs/differences.md") from None
    return value


def _module(path: str) -> Any:
    """A module, or the nearest one above it that is here: PyTorch has some modules that are one here."""
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        parent = path.rpartition(".")[0]
        if not parent or not (error.name and path.startswith(error.name)):
            raise
        return _module(parent)


def written_name(value: Any, name: str | None = None) -> tuple[str, str] | None:
    """PyTorch's (module, name) for a class, function or dtype of this package, or None for anything else's."""
    if isinstance(value, _dtype.dtype):
        return "torch", value._name
    module = getattr(value, "__module__", None)
    name = name or getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    if not isinstance(module, str) or not isinstance(name, str) or module.split(".")[0] not in (OURS, "torch"):
        return None
    if (module, name) in WRITTEN:
        return WRITTEN[module, name]
    if (module, name) in WRITTEN.values():
        return module, name
    path = [OURS, *module.split(".")[1:]]
    if module == REBUILD:
        return "torch._utils", name
    candidates = []
    for single in SINGLE:
        inside = [OURS, *single.split(".")]
        if path[: len(inside)] == inside:
            path = inside
    while path:
        if not any(part.startswith("_") for part in path):
            candidates.append(".".join(path))
        path.pop()
    for place in (*candidates, f"{OURS}.nn.functional"):
        if _is(place, name, value):
            return "torch" + place[len(OURS) :], name
    return None


def _is(place: str, name: str, value: Any) -> bool:
    try:
        found = sys.modules.get(place) or importlib.import_module(place)
        for part in name.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError):
        return False
    return found is value
