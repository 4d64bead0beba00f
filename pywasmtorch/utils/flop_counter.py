"""FlopCounterMode: counts the floating point operations of products and convolutions, forward and backward, by module."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from math import prod
from typing import Any

import pywasmtorch as torch

from .._core.names import absent as _absent
from ..nn.modules import _hooks
from ._python_dispatch import TorchDispatchMode

__all__ = ["FlopCounterMode", "flop_registry", "register_flop_formula"]

_aten = torch.ops.aten


def _shapes(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shape
    return type(value)(_shapes(v) for v in value) if type(value) in (list, tuple) else value


def _of_shapes(formula: Callable[..., int]) -> Callable[..., int]:
    def count(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
        return formula(*_shapes(args), out_shape=_shapes(out_val), **{k: _shapes(v) for k, v in kwargs.items()})

    return count


#: operator packet -> formula(*arguments, out_val=result)
flop_registry: dict[Any, Callable[..., int]] = {}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """A decorator: the formula of operators, which is given shapes for tensors, and the result's as ``out_shape``; with ``get_raw`` the
    tensors themselves, and the result as ``out_val``."""

    def register(formula: Callable[..., int]) -> Callable[..., int]:
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            if target in flop_registry:
                raise RuntimeError(f"duplicate registrations for {target}")
            flop_registry[target] = formula if get_raw else _of_shapes(formula)
        return formula

    return register


@register_flop_formula(_aten.mm)
def mm_flop(a_shape: Any, b_shape: Any, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    return a_shape[0] * b_shape[1] * 2 * a_shape[1]


@register_flop_formula(_aten.addmm)
def addmm_flop(self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    return mm_flop(a_shape, b_shape)


@register_flop_formula(_aten.bmm)
def bmm_flop(a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    return a_shape[0] * a_shape[1] * b_shape[2] * 2 * a_shape[2]


@register_flop_formula(_aten.baddbmm)
def baddbmm_flop(self_shape: Any, a_shape: Any, b_shape: Any, out_shape: Any = None, **kwargs: Any) -> int:
    return bmm_flop(a_shape, b_shape)


def conv_flop_count(x_shape: Any, w_shape: Any, out_shape: Any, transposed: bool = False) -> int:
    return prod((x_shape if transposed else out_shape)[2:]) * prod(w_shape) * x_shape[0] * 2


@register_flop_formula(_aten.convolution)
def conv_flop(x_shape: Any, w_shape: Any, _bias: Any, _stride: Any, _padding: Any, _dilation: Any, transposed: bool, *args: Any, out_shape: Any = None, **kwargs: Any) -> int:
    return conv_flop_count(x_shape, w_shape, out_shape, transposed)


def _swapped(shape: Any) -> list[int]:
    return [shape[1], shape[0], *shape[2:]]


def conv_backward_flop(grad_shape: Any, x_shape: Any, w_shape: Any, transposed: bool, wants: tuple[bool, bool]) -> int:
    """Of the gradients of a convolution: of its input, of its weight."""
    total = conv_flop_count(grad_shape, w_shape, x_shape, not transposed) if wants[0] else 0
    if wants[1]:
        a, b = (grad_shape, x_shape) if transposed else (x_shape, grad_shape)
        total += conv_flop_count(_swapped(a), _swapped(b), _swapped(w_shape), False)
    return total


class _Backward:
    """The packet that the gradient of a convolution is counted for; PyTorch's is an operator."""

    def __str__(self) -> str:
        return "aten.convolution_backward"

    __repr__ = __str__


_convolution_backward = _Backward()


def _backward_of(packet: Any, args: tuple[Any, ...], forward: int, out: torch.Tensor) -> tuple[Any, int] | None:
    """What the gradient of an operator is counted as, and how much."""
    if packet is _aten.convolution:
        wants = args[0].requires_grad, args[1].requires_grad
        return _convolution_backward, conv_backward_flop(out.shape, args[0].shape, args[1].shape, args[6], wants)
    factors = {_aten.mm: (_aten.mm, args[:2]), _aten.addmm: (_aten.mm, args[1:3]), _aten.bmm: (_aten.bmm, args[:2]), _aten.baddbmm: (_aten.bmm, args[1:3])}.get(packet)
    if factors is None:
        return None
    return factors[0], forward * sum(t.requires_grad for t in factors[1])


class FlopCounterMode(TorchDispatchMode):
    """Counts what runs inside of it, and what the backward passes of that compute.

    Args:
        mods: not needed any more.
        depth (int): how deep the table that is printed goes into modules.
        display (bool): whether it is printed at the end.
        custom_mapping (dict, optional): formulas by operator packet, beside those known.
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None) -> None:
        super().__init__()
        if mods is not None:
            from .._core.warning import warn

            warn("mods argument is not needed anymore, you can stop passing it")
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self.depth, self.display = depth, display
        own = {k: v if getattr(v, "_get_raw", False) else _of_shapes(v) for k, v in (custom_mapping or {}).items()}
        self.flop_registry = {**flop_registry, **own}
        self._stack: list[str] = []
        self._known: dict[Any, str] = {}
        self._handles: list[Any] = []

    def __enter__(self) -> FlopCounterMode:
        self.flop_counts.clear()
        self._handles = [_hooks.register_module_forward_pre_hook(self._before), _hooks.register_module_forward_hook(self._after, always_call=True)]
        return super().__enter__()

    def __exit__(self, *exception: Any) -> None:
        super().__exit__(*exception)
        for handle in self._handles:
            handle.remove()
        self._stack.clear()
        if self.display:
            print(self.get_table(self.depth))

    def _before(self, module: Any, inputs: Any) -> None:
        if module not in self._known:
            self._known[module] = type(module).__name__
        name = self._known[module]
        for child_name, child in module.named_children():
            self._known[child] = f"{name}.{child_name}"
        self._stack.append(name)

    def _after(self, module: Any, inputs: Any, output: Any) -> None:
        if self._stack:
            self._stack.pop()

    def _count(self, places: list[str], packet: Any, flops: int) -> None:
        for place in dict.fromkeys([*places, "Global"]):
            self.flop_counts[place][packet] += flops

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        out = func(*args, **kwargs)
        packet = func.overloadpacket
        if packet in self.flop_registry:
            flops, places = self.flop_registry[packet](*args, **kwargs, out_val=out), list(self._stack)
            self._count(places, packet, flops)
            if isinstance(out, torch.Tensor) and out.requires_grad and (backward := _backward_of(packet, args, flops, out)) is not None:
                out.register_hook(lambda grad: self._count(places, *backward) if backward[1] else None)
        return out

    def get_total_flops(self) -> int:
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Module name -> operator packet -> flops; ``"Global"`` for all."""
        return {name: dict(counts) for name, counts in self.flop_counts.items()}

    def get_table(self, depth: int | None = None) -> str:
        """A table of modules, their flops and their share."""
        depth = self.depth if depth is None else depth
        total = self.get_total_flops()
        unit, letter = next(((10.0**p, s) for p, s in ((12, "T"), (9, "G"), (6, "M"), (3, "K")) if total >= 10**p), (1.0, ""))

        def row(indent: str, name: str, flops: int) -> list[str]:
            return [f"{indent}{name}", f"{flops / unit:.3f}{letter}" if letter else str(flops), f"{100 * flops / total:.2f}%" if total else "0%"]

        rows = []
        for name in sorted(self.flop_counts):
            level = name.count(".") + 1
            if name == "Global" or level > depth:
                continue
            counts = self.flop_counts[name]
            rows.append(row(" " * level, name, sum(counts.values())))
            rows += [row(" " * level + " - ", str(packet), flops) for packet, flops in counts.items()]
        everything = self.flop_counts["Global"]
        rows[:0] = [row("", "Global", total), *(row(" - ", str(packet), flops) for packet, flops in everything.items())]
        head = ["Module", "FLOP", "% Total"]
        widths = [max(map(len, column)) for column in zip(head, *rows)]
        return "\n".join("  ".join((cell.ljust if i == 0 else cell.rjust)(width) for i, (cell, width) in enumerate(zip(line, widths))).rstrip()
                         for line in [head, ["-" * w for w in widths], *rows])


__getattr__ = _absent(__name__)
