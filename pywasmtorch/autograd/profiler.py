"""torch.autograd.profiler: deprecated names of torch.profiler."""

from __future__ import annotations

from typing import Any

from .._core.names import absent as _absent
from ..profiler import profile as _profile
from ..profiler import record_function

__all__ = ["emit_itt", "emit_nvtx", "profile", "record_function"]


class profile(_profile):
    """`torch.profiler.profile` with the older arguments; with `enabled=False` it records nothing."""

    def __init__(self, enabled: bool = True, *, use_cuda: bool = False, use_device: Any = None, record_shapes: bool = False, with_flops: bool = False,
                 profile_memory: bool = False, with_stack: bool = False, with_modules: bool = False, **others: Any) -> None:
        super().__init__(record_shapes=record_shapes, with_flops=with_flops, profile_memory=profile_memory, with_stack=with_stack, with_modules=with_modules)
        self.enabled = enabled

    def start(self) -> None:
        if self.enabled:
            super().start()

    def table(self, *arguments: Any, **names: Any) -> str:
        return self.key_averages().table(*arguments, **names)

    def total_average(self) -> Any:
        return self.key_averages().total_average()

    @property
    def self_cpu_time_total(self) -> float:
        return self.key_averages().self_cpu_time_total


class _Marks:
    """Marks for a profiler that is not there."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled = enabled

    def __enter__(self) -> Any:
        if self.enabled:
            raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")
        return self

    def __exit__(self, *_: Any) -> None:
        return None


emit_nvtx = emit_itt = _Marks
__getattr__ = _absent(__name__)
