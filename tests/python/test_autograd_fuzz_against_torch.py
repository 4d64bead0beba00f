"""Random programs of views, in-place operators, hooks and backward passes, run here and by torch: the same values, the same
gradients, and the same errors at the same place."""

import math
import random
import re

import pytest

import pywasmtorch

torch = pytest.importorskip("torch", reason="torch is not installed: there is nothing to compare with")
if pywasmtorch is torch:
    pytest.skip("torch stands in for pywasmtorch: there is nothing to compare", allow_module_level=True)

PROGRAMS = 150
STEPS = 14


def constant(lib, shape, salt):
    n = math.prod(shape)
    return lib.tensor([math.cos(3.1 * i + salt) for i in range(n)], dtype=lib.float64).reshape(shape)


class Program:
    """Chooses each step from what the tensors look like; two libraries that agree make the same choices."""

    def __init__(self, lib, seed):
        self.lib, self.random = lib, random.Random(seed)
        self.leaves = [constant(lib, s, i).requires_grad_() for i, s in enumerate([(3, 4), (4,), ()])]
        self.tensors = [*self.leaves, constant(lib, (3, 4), 7.0), constant(lib, (2, 3, 2), 8.0)]
        self.roots = list(range(len(self.tensors)))  # tensors of one root may share memory
        self.log = []

    def pick(self):
        recent = self.tensors[-4:] if self.random.random() < 0.6 else self.tensors
        return self.random.choice(recent)

    def pick_for(self, t):
        """A tensor that broadcasts to t's shape."""
        other = self.pick()
        fits = other.ndim <= t.ndim and all(a in (1, b) for a, b in zip(reversed(other.shape), reversed(t.shape)))
        return other if fits else constant(self.lib, t.shape[1:], 4.0)

    def pick_beside(self, t):
        """The same, and in other memory: torch's answer for a write to what is read depends on its loops."""
        other = self.pick_for(t)
        return other.clone() if self.root_of(other) == self.root_of(t) else other

    def root_of(self, t):
        return next((root for u, root in zip(self.tensors, self.roots) if u is t), None)

    def add(self, result, of=None):
        self.roots.append(len(self.roots) if of is None else self.root_of(of))
        self.tensors.append(result)

    # ---- steps ----
    def do_new(self, t):
        other = self.pick_for(t)
        choice = self.random.randrange(7)
        if choice == 0:
            self.add(t * 1.5 + 0.25)
        elif choice == 1:
            self.add(t.sin())
        elif choice == 2:
            self.add(t * other)
        elif choice == 3:
            self.add(t + other)
        elif choice == 4:
            self.add(t.clone())
        elif choice == 5:
            self.add(t.sum(self.random.randrange(max(t.ndim, 1))) if t.ndim else t * t)
        else:
            self.add(t.sigmoid() - other)

    def do_view(self, t):
        choice, d = self.random.randrange(11), self.random.randrange(max(t.ndim, 1))
        if choice == 0 and t.ndim:
            self.add(t.select(d, self.random.randrange(t.shape[d])) if t.shape[d] else t.view(t.shape), of=t)
        elif choice == 1 and t.ndim:
            start = self.random.randrange(t.shape[d] + 1)
            self.add(t.narrow(d, start, self.random.randrange(t.shape[d] - start + 1)), of=t)
        elif choice == 2 and t.ndim > 1:
            self.add(t.transpose(0, -1), of=t)
        elif choice == 3:
            self.add(t.unsqueeze(d), of=t)
        elif choice == 4:
            self.add(t.squeeze(), of=t)
        elif choice == 5 and t.ndim and t.shape[0]:
            parts = t.unbind()
            self.add(self.random.choice(parts), of=t)
        elif choice == 6 and t.ndim and t.shape[d]:
            self.add(self.random.choice(t.split(2, d)), of=t)
        elif choice == 7 and t.ndim > 1:
            self.add(t.diagonal(), of=t)
        elif choice == 8:
            self.add(t.view(-1) if t.is_contiguous() else t.t() if t.ndim == 2 else t[...], of=t)
        elif choice == 9:
            self.add(t.expand(2, *t.shape) if t.ndim < 3 else t[:, ::2], of=t)
        else:
            self.add(t.detach(), of=t)

    def do_inplace(self, t):
        choice = self.random.randrange(9)
        other = self.pick_beside(t)
        if choice == 0:
            t.mul_(-0.5)
        elif choice == 1:
            t.add_(other)
        elif choice == 2:
            t.mul_(t if self.random.random() < 0.2 else other)
        elif choice == 3:
            t.copy_(other)
        elif choice == 4:
            t.zero_()
        elif choice == 5:
            t.sin_()
        elif choice == 6:
            t.sigmoid_()
        elif choice == 7 and t.ndim and t.shape[0]:
            index = self.random.randrange(t.shape[0])
            t[index] = self.pick_for(t[index]).clone()
        else:
            t.sub_(other, alpha=2)

    def do_flags(self, t):
        choice = self.random.randrange(5)
        if choice == 0 and t.requires_grad and (t.grad_fn is not None or not t._is_view()):  # else torch crashes
            t.register_hook(lambda grad: grad * 1.25)
        elif choice == 1 and t.requires_grad:
            t.retain_grad()
        elif choice == 2 and t.is_leaf:
            t.requires_grad_()
        elif choice == 3:
            t.detach_()
        elif choice == 4 and t.requires_grad and t.grad_fn is not None:
            self.log.append(t.grad_fn.name().rstrip("01234"))

    def step(self):
        kind = self.random.choices(["new", "view", "inplace", "flags"], [4, 5, 5, 2])[0]
        action, t = getattr(self, f"do_{kind}"), self.pick()
        if self.random.random() < 0.12:
            with self.lib.no_grad():
                action(t)
        else:
            action(t)

    def loss(self):
        ends = [t for t in self.random.sample(self.tensors, min(5, len(self.tensors))) if t.requires_grad and t.numel()]
        return sum((t * constant(self.lib, t.shape, 2.0)).sum() for t in ends) if ends else None

    def differentiate(self):
        loss, wanted = self.loss(), [t for t in self.tensors if t.requires_grad][:6]
        if loss is None:
            return
        if self.random.random() < 0.5:
            loss.backward()
            return
        grads = self.lib.autograd.grad(loss, wanted, create_graph=True, allow_unused=True)
        self.log.append([g if g is None else g.tolist() for g in grads])
        again = [g for g in grads if g is not None and g.requires_grad]
        if again:
            sum((g * g).sum() for g in again).backward()

    def guarded(self, action):
        try:
            action()
        except (RuntimeError, IndexError, ValueError, TypeError) as error:
            self.log.append(f"{type(error).__name__}: {error}")

    def describe(self, t):
        strides = tuple([s for s, n in zip(t.stride(), t.shape) if n > 1]) if t._is_view() and t.numel() else ()
        self.log.append((tuple(t.shape), strides, t.requires_grad, t._is_view(), t._version, t.tolist()))
        if t.is_leaf or t.retains_grad:
            self.log.append(t.grad if t.grad is None else t.grad.tolist())

    def run(self):
        for _ in range(STEPS):
            self.guarded(self.step)
        self.guarded(self.differentiate)
        for t in self.tensors:
            self.guarded(lambda t=t: self.describe(t))
        return self.log


def same(a, b):
    if isinstance(a, str) and isinstance(b, str):  # whose output it was is told by tests of their own
        a, b = (re.sub(r"which is output \d of [\w:]+, ", "", text) for text in (a, b))
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-12) or (math.isnan(a) and math.isnan(b)) or a == b
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def difference(seed):
    """The first line of the two logs that differs, or None."""
    ours, theirs = Program(pywasmtorch, seed).run(), Program(torch, seed).run()
    for i, (a, b) in enumerate(zip(ours, theirs)):
        if isinstance(b, str) and "unsupported operation: some elements of the input tensor" in b:
            return None
        if not same(a, b):
            return f"line {i}:\n  pywasmtorch {a}\n  torch       {b}"
    return None if len(ours) == len(theirs) else f"{len(ours)} lines, torch has {len(theirs)}"


@pytest.mark.filterwarnings("ignore")
def test_programs():
    failures = [f"program {seed}: {text}" for seed in range(PROGRAMS) if (text := difference(seed))]
    assert not failures, f"{len(failures)} of {PROGRAMS} programs differ; the first:\n{failures[0]}"
