"""LBFGS."""

import math
from collections import namedtuple
from typing import Any

import pywasmtorch as torch

from ._arguments import check_rate
from .optimizer import Optimizer, _get_value

__all__ = ["LBFGS"]

_Point = namedtuple("_Point", "t loss grad slope")


class LBFGS(Optimizer):
    """L-BFGS (Nocedal and Wright, 2006, algorithms 7.4 and 7.5); all parameters are one vector.

    Args:
        params (iterable): one group only.
        lr (float or Tensor): the length of steps, or where the line search begins. Default: 1.
        max_iter (int): the directions that a call of ``step`` follows. Default: 20.
        max_eval (int): the calls of the closure in a call of ``step``. Default: ``max_iter * 5 // 4``.
        tolerance_grad (float): done where no element of the gradient is larger. Default: 1e-7.
        tolerance_change (float): done where the loss or all parameters change less. Default: 1e-9.
        history_size (int): the steps from which curvature is estimated. Default: 100.
        line_search_fn (str): ``"strong_wolfe"`` or ``None``. Default: ``None``.
    """

    def __init__(
        self,
        params,
        lr=1,
        max_iter=20,
        max_eval=None,
        tolerance_grad=1e-7,
        tolerance_change=1e-9,
        history_size=100,
        line_search_fn=None,
    ):
        check_rate(lr)
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        defaults = {
            "lr": lr,
            "max_iter": max_iter,
            "max_eval": max_eval,
            "tolerance_grad": tolerance_grad,
            "tolerance_change": tolerance_change,
            "history_size": history_size,
            "line_search_fn": line_search_fn,
        }
        super().__init__(params, defaults)
        if len(self.param_groups) != 1:
            raise ValueError("LBFGS doesn't support per-parameter options (parameter groups)")

    @property
    def _params(self):
        return self.param_groups[0]["params"]

    def step(self, closure):  # type: ignore[override]
        """Follow up to ``max_iter`` directions.

        Args:
            closure (callable): computes the loss and the gradients anew and returns the loss.

        Returns:
            The loss before the step.
        """
        if len(self.param_groups) != 1:
            raise AssertionError(f"Expected exactly one param_group, but got {len(self.param_groups)}")
        group = self.param_groups[0]
        state = self.state[self._params[0]]
        state.setdefault("func_evals", 0)
        state.setdefault("n_iter", 0)

        def evaluate():
            state["func_evals"] += 1
            with torch.enable_grad():
                return closure()

        with torch.no_grad():
            loss = evaluate()
            grad = self._flat_grad()
            if not _is_small(grad, group["tolerance_grad"]):
                self._follow(group, state, evaluate, float(loss), grad)
        return loss

    def _follow(self, group, state, evaluate, loss, grad):
        lr, max_iter, max_eval = _get_value(group["lr"]), group["max_iter"], group["max_eval"]
        tolerance_change = group["tolerance_change"]
        if group["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError("only 'strong_wolfe' is supported")
        before = state["func_evals"] - 1
        memory = _Memory(state)
        for n in range(1, max_iter + 1):
            state["n_iter"] += 1
            is_first = state["n_iter"] == 1
            if is_first:
                memory.restart(grad)
            else:
                memory.advance(grad, group["history_size"], state)
            memory.prev_flat_grad, memory.prev_loss = grad.clone(), loss
            d = memory.d
            memory.t = t = min(1.0, 1.0 / grad.abs().sum().item()) * lr if is_first else lr
            slope = grad.dot(d).item()
            if slope > -tolerance_change:
                break
            if group["line_search_fn"]:
                start = _Point(0, loss, grad, slope)
                search = self._line(evaluate, d)
                point = _strong_wolfe(search, start, t, d, max_eval - (state["func_evals"] - before))
                memory.t, loss, grad = point.t, point.loss, point.grad
                self._move(point.t, d)
            else:
                self._move(t, d)
                if n != max_iter:
                    loss = float(evaluate())
                    grad = self._flat_grad()
            if (
                n == max_iter
                or state["func_evals"] - before >= max_eval
                or _is_small(grad, group["tolerance_grad"])
                or _is_small(d * memory.t, tolerance_change)
                or abs(loss - memory.prev_loss) < tolerance_change
            ):
                break
        memory.save(state)

    def _line(self, evaluate, d):
        """A function of t: the point at ``params + t * d``; the parameters stay."""
        params = [param.clone() for param in self._params]

        def at(t):
            self._move(t, d)
            loss = float(evaluate())
            grad = self._flat_grad()
            for param, saved in zip(self._params, params, strict=True):
                param.copy_(saved)
            return _Point(t, loss, grad, grad.dot(d).item())

        return at

    def _flat_grad(self):
        flat = []
        for param in self._params:
            grad = torch.zeros_like(param, requires_grad=False) if param.grad is None else param.grad
            flat.append((torch.view_as_real(grad) if grad.is_complex() else grad).reshape(-1))
        return torch.cat(flat)

    def _move(self, t, d):
        start = 0
        for param in self._params:
            real = torch.view_as_real(param) if param.is_complex() else param
            real.add_(d[start : start + real.numel()].view(real.shape), alpha=t)
            start += real.numel()


class _Memory:
    """What is kept between directions: their estimate of curvature, the last direction and its gradient."""

    d: Any
    t: Any
    old_dirs: Any
    old_stps: Any
    ro: Any
    H_diag: Any
    prev_flat_grad: Any
    prev_loss: Any
    _keys = ("d", "t", "old_dirs", "old_stps", "ro", "H_diag", "prev_flat_grad", "prev_loss")

    def __init__(self, state):
        for key in self._keys:
            setattr(self, key, state.get(key))

    def save(self, state):
        state.update((key, getattr(self, key)) for key in self._keys)

    def restart(self, grad):
        self.d = -grad
        self.old_dirs, self.old_stps, self.ro = [], [], []
        self.H_diag = 1

    def advance(self, grad, history_size, state):
        """Take in the last step and find the next direction, by the two-loop recursion."""
        y, s = grad - self.prev_flat_grad, self.d * self.t
        ys = y.dot(s)
        if ys > 1e-10:
            if len(self.old_dirs) == history_size:
                for old in (self.old_dirs, self.old_stps, self.ro):
                    old.pop(0)
            self.old_dirs.append(y)
            self.old_stps.append(s)
            self.ro.append(1.0 / ys)
            self.H_diag = ys / y.dot(y)
        al = state.setdefault("al", [None] * history_size)
        steps = list(zip(range(len(self.ro)), self.old_dirs, self.old_stps, self.ro, strict=True))
        q = -grad
        for i, y, s, ro in reversed(steps):
            al[i] = s.dot(q) * ro
            q.add_(y, alpha=-al[i].item())
        self.d = q * self.H_diag
        for i, y, s, ro in steps:
            self.d.add_(s, alpha=(al[i] - y.dot(self.d) * ro).item())


def _is_small(tensor, tolerance):
    return (tensor.abs().max() <= tolerance).item()


def _interpolate(a, b, bounds=None):
    """Where the cubic through two points with their slopes is least, within bounds (Nocedal and Wright, equation 3.59)."""
    if a.t > b.t:
        a, b = b, a
    low, high = bounds or (a.t, b.t)
    first = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.t - b.t) if a.t != b.t else math.nan
    square = first**2 - a.slope * b.slope
    if not square >= 0:
        return (low + high) / 2.0
    second = math.sqrt(square)
    span = b.slope - a.slope + 2 * second
    least = b.t - (b.t - a.t) * ((b.slope + second - first) / span) if span else math.nan
    return min(max(least, low), high)


def _strong_wolfe(at, start, t, d, max_ls, c1=1e-4, c2=0.9, tolerance=1e-9):
    """A point along ``d`` that meets the strong Wolfe conditions (Nocedal and Wright, algorithms 3.5 and 3.6)."""
    longest = d.abs().max().item()
    previous, point = start, at(t)
    searches = 0

    def rises(candidate):
        return candidate.loss > start.loss + c1 * candidate.t * start.slope

    def is_flat(candidate):
        return abs(candidate.slope) <= -c2 * start.slope

    while searches < max_ls:
        if rises(point) or (searches > 1 and point.loss >= previous.loss):
            bracket = [previous, point]
            break
        if is_flat(point):
            return point
        if point.slope >= 0:
            bracket = [previous, point]
            break
        bounds = (point.t + 0.01 * (point.t - previous.t), point.t * 10)
        previous, point = point, at(_interpolate(previous, point, bounds))
        searches += 1
    else:
        bracket = [start, point]
    low = 0 if bracket[0].loss <= bracket[1].loss else 1
    is_stuck = False
    while searches < max_ls and abs(bracket[1].t - bracket[0].t) * longest >= tolerance:
        t, is_stuck = _inside(bracket, _interpolate(*bracket), is_stuck)
        point = at(t)
        searches += 1
        if rises(point) or point.loss >= bracket[low].loss:
            bracket[1 - low] = point
            low = 0 if bracket[0].loss <= bracket[1].loss else 1
            continue
        if is_flat(point):
            return point
        if point.slope * (bracket[1 - low].t - bracket[low].t) >= 0:
            bracket[1 - low] = bracket[low]
        bracket[low] = point
    return bracket[low]


def _inside(bracket, t, is_stuck):
    """``t`` moved away from the bracket's ends where it came too close to one twice."""
    least, largest = sorted(point.t for point in bracket)
    margin = 0.1 * (largest - least)
    if min(largest - t, t - least) >= margin:
        return t, False
    if not is_stuck and least < t < largest:
        return t, True
    return (largest - margin if abs(t - largest) < abs(t - least) else least + margin), False
