"""torch.device, and check_device: errors for devices other than the CPU."""

from __future__ import annotations

from typing import Any

_MISSING: Any = object()
_DEVICE_TYPES = "cpu cuda ipu xpu mkldnn opengl opencl ideep hip ve fpga maia xla lazy vulkan mps meta hpu mtia privateuseone".split()


class device:
    """Where tensors live: `device("cpu")`, the only one here. RuntimeError for the others, as in a CPU build of torch."""

    __slots__ = ("type", "index")

    def __init__(self, type: Any = _MISSING, index: int | None = None) -> None:
        if isinstance(type, device):
            type, index = type.type, type.index if index is None else index
        if isinstance(type, int) and not isinstance(type, bool):
            raise RuntimeError("Cannot access accelerator device when none is available.")
        if not isinstance(type, str):
            got = "" if type is _MISSING else type.__class__.__name__
            raise TypeError(f"device() received an invalid combination of arguments - got ({got}), but expected one of:\n * (torch.device device)\n * (str type, int index = -1)\n")
        if not type:
            raise RuntimeError("Device string must not be empty")
        name, colon, number = type.partition(":")
        if colon and index is not None:
            raise RuntimeError(f"type (string) must not include an index because index was passed explicitly: {type}")
        if colon:
            if not number.isdigit():
                raise RuntimeError(f"Invalid device string: '{type}'")
            index = int(number)
        if name not in _DEVICE_TYPES:
            raise RuntimeError(f"Expected one of {', '.join(_DEVICE_TYPES)} device type at start of device string: {name}")
        if index is not None and index < 0:
            raise RuntimeError("Device index must not be negative")
        self.type, self.index = name, index

    def __repr__(self) -> str:
        return f"device(type='{self.type}'" + ("" if self.index is None else f", index={self.index}") + ")"

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __eq__(self, other: Any) -> bool:
        return isinstance(other, device) and (self.type, self.index) == (other.type, other.index)

    def __hash__(self) -> int:
        return hash((self.type, self.index))

    def __reduce__(self) -> Any:
        return device, (self.type,) if self.index is None else (self.type, self.index)

    def __enter__(self) -> device:
        check_device(self)
        return self

    def __exit__(self, *_: Any) -> None:
        return None


CPU = device("cpu")


def check_device(wanted: Any) -> None:
    """RuntimeError or AssertionError as a CPU build of torch gives for a device that it does not have."""
    if wanted is None or wanted is CPU:
        return
    kind = device(wanted).type
    if kind in ("cuda", "xpu", "hpu", "mtia"):
        raise AssertionError(f"Torch not compiled with {kind.upper()} enabled")
    if kind == "mps":
        raise RuntimeError("PyTorch is not linked with support for mps devices")
    if kind != "cpu":
        raise NotImplementedError(f"pywasmtorch has no device '{kind}'; tensors live on 'cpu'")
