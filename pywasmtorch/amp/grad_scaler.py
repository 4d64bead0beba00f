"""GradScaler: loss scaling for low-precision gradients."""

from __future__ import annotations

import warnings
from typing import Any

import pywasmtorch as torch

__all__ = ["GradScaler", "OptState"]


class OptState:
    READY, UNSCALED, STEPPED = range(3)


class GradScaler:
    """Multiplies losses by a scale, divides gradients by it before a step, skips steps with infinite gradients and adapts the scale.

    For `device="cuda"`, the default, it warns and does nothing: there is no such device.
    """

    def __init__(self, device: str = "cuda", init_scale: float = 2.0**16, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        self._device, self._enabled = device, enabled
        if enabled and device == "cuda":
            warnings.warn("torch.cuda.amp.GradScaler is enabled, but CUDA is not available.  Disabling.", stacklevel=2)
            self._enabled = False
        if not self._enabled:
            return
        if growth_factor <= 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if backoff_factor >= 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._init_scale, self._growth_factor, self._backoff_factor, self._growth_interval = init_scale, growth_factor, backoff_factor, growth_interval
        self._init_growth_tracker = 0
        self._scale: Any = None
        self._growth_tracker: Any = None
        self._states: dict[int, dict[str, Any]] = {}

    def _check(self, name: str) -> None:
        if self._scale is None:
            hint = "This may indicate your script did not use scaler.scale(loss or outputs) earlier in the iteration."
            raise AssertionError(f"Attempted {name} but _scale is None.  {hint}")

    def _state(self, optimizer: Any) -> dict[str, Any]:
        return self._states.setdefault(id(optimizer), {"stage": OptState.READY, "found_inf": None})

    def scale(self, outputs: Any) -> Any:
        """A tensor, or an iterable of them, times the scale. ValueError for anything else."""
        if not self._enabled:
            return outputs
        if self._scale is None:
            self._scale = torch.full((), self._init_scale, dtype=torch.float32)
            self._growth_tracker = torch.full((), self._init_growth_tracker, dtype=torch.int32)
        if isinstance(outputs, torch.Tensor):
            return outputs * self._scale
        if not hasattr(outputs, "__iter__"):
            raise ValueError("outputs must be a Tensor or an iterable of Tensors")
        scaled = [self.scale(o) for o in outputs]
        return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else iter(scaled)

    def _unscale_grads(self, optimizer: Any, allow_float16: bool = False) -> bool:
        """Divides the gradients; whether one is not finite."""
        inverse, wrong = self._scale.double().reciprocal().float(), torch.tensor(0.0)
        grads = []
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                grad = parameter.grad
                if grad is None:
                    continue
                if not allow_float16 and grad.dtype == torch.float16:
                    raise ValueError("Attempting to unscale FP16 gradients.")
                grads.append(grad._values() if grad.is_sparse else grad)
        with torch.no_grad():
            torch._amp_foreach_non_finite_check_and_unscale_(grads, wrong, inverse)
        return bool(wrong)

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of an optimizer's parameters by the scale. RuntimeError the second time since `update`."""
        if not self._enabled:
            return
        self._check("unscale_")
        state = self._state(optimizer)
        if state["stage"] is OptState.UNSCALED:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("unscale_() is being called after step().")
        state["found_inf"] = self._unscale_grads(optimizer)
        state["stage"] = OptState.UNSCALED

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer's step, unless a gradient is not finite. RuntimeError for closures and for a second step since `update`."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check("step")
        state = self._state(optimizer)
        if state["stage"] is OptState.STEPPED:
            raise RuntimeError("step() has already been called since the last update().")
        if state["stage"] is OptState.READY:
            self.unscale_(optimizer)
        if not any(p.grad is not None for g in optimizer.param_groups for p in g["params"]):
            raise AssertionError("No inf checks were recorded for this optimizer.")
        state["stage"] = OptState.STEPPED
        return None if state["found_inf"] else optimizer.step(*args, **kwargs)

    def update(self, new_scale: Any = None) -> None:
        """Shrinks the scale after infinite gradients, lets it grow after `growth_interval` steps without; or sets it."""
        if not self._enabled:
            return
        self._check("update")
        if new_scale is not None:
            self._scale.fill_(new_scale if isinstance(new_scale, float) else new_scale.item())
        else:
            found = [s["found_inf"] for s in self._states.values() if s["found_inf"] is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            wrong = torch.tensor(float(any(found)))
            torch._amp_update_scale_(self._scale, self._growth_tracker, wrong, self._growth_factor, self._backoff_factor, self._growth_interval)
        self._states.clear()

    def get_scale(self) -> float:
        if not self._enabled:
            return 1.0
        return self._init_scale if self._scale is None else self._scale.item()

    def get_growth_factor(self) -> float:
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        self._growth_interval = new_interval

    def _get_growth_tracker(self) -> int:
        if not self._enabled:
            return 0
        return self._init_growth_tracker if self._growth_tracker is None else self._growth_tracker.item()

    def is_enabled(self) -> bool:
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        if not self._enabled:
            return {}
        return {
            "scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
            "growth_interval": self._growth_interval, "_growth_tracker": self._get_growth_tracker(),
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """RuntimeError for the empty dict of a scaler that was not enabled."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
        self._init_scale, self._growth_factor = state_dict["scale"], state_dict["growth_factor"]
        self._backoff_factor, self._growth_interval = state_dict["backoff_factor"], state_dict["growth_interval"]
        self._init_growth_tracker = state_dict["_growth_tracker"]
        if self._scale is not None:
            self._scale.fill_(self._init_scale)
            self._growth_tracker.fill_(self._init_growth_tracker)

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        if self._enabled:
            if self._states:
                raise AssertionError("A GradScaler instance may only be pickled at the beginning of an iteration, or at the end after scaler.update().")
            state.update(_init_scale=self.get_scale(), _init_growth_tracker=self._get_growth_tracker(), _scale=None, _growth_tracker=None)
        return state
