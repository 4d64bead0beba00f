"""Random operator programs, run by the library and by PyTorch side by side: values, sizes, strides of views, errors, gradients.

Leaves hold multiples of a quarter, and a tensor is called exact while only operators without rounding made it; operators that
jump or bend (floor, comparison, argmax, relu, ...) get exact tensors only, so that a difference is never a matter of the last bit.
"""

import importlib
import operator
import warnings

import pytest
from golden import evaluate, replay
from golden.values import FLOATING, ITEM_SIZES, close, position, unpack

torch = pytest.importorskip("torch", reason="PyTorch is not installed, so there is nothing to compare with")
hypothesis = pytest.importorskip("hypothesis", reason="hypothesis is not installed")
st = pytest.importorskip("hypothesis.strategies")

LEAF_TYPES = ["float64", "float64", "float64", "float32", "int64", "int32", "uint8", "bool"]
TOLERANCES = {"float64": 1e-7, "float32": 2e-3}
MAX_ELEMENTS = 200
MAX_MAGNITUDE = 1e6

SMOOTH = "exp sin cos tanh sigmoid sqrt log erf reciprocal rsqrt expm1 log1p atan".split()
EXACT = "neg square".split()
JUMPS = "abs relu floor ceil round trunc sign isfinite logical_not".split()
ARITHMETIC = "add sub mul".split()
INEXACT_PAIRS = "div atan2 pow".split()
JUMPING_PAIRS = "maximum minimum eq ne lt le gt ge floor_divide remainder fmod logical_and logical_xor".split()
INEXACT_REDUCTIONS = "mean var logsumexp softmax log_softmax cumsum".split()
JUMPING_REDUCTIONS = "amax amin argmax argmin any all".split()
OVERLAPS = ("single memory location", "multiple views")
VIEWS = "transpose unsqueeze squeeze flatten select narrow unbind diagonal movedim flip roll chunk".split()
IN_PLACE = "add_ mul_ sub_ copy_ neg_ abs_ relu_ zero_ fill_ clamp_ t_ unsqueeze_".split()


class Pair:
    """One tensor of the program, in both libraries."""

    def __init__(self, name, ours, theirs, exact, leaf=False):
        self.name, self.ours, self.theirs, self.exact, self.leaf = name, ours, theirs, exact, leaf

    def __repr__(self):
        return self.name

    @property
    def size(self):
        return list(self.theirs.shape)

    @property
    def floating(self):
        return self.theirs.is_floating_point()


class Program:
    def __init__(self, lib, data):
        self.lib, self.data = lib, data
        self.pairs, self.lines = [], []
        self.ended = False

    def draw(self, strategy):
        return self.data.draw(strategy)

    def fail(self, what):
        raise AssertionError("\n".join([what, "the program:", *self.lines]))

    def add_leaf(self):
        dtype = self.draw(st.sampled_from(LEAF_TYPES))
        size = self.draw(st.lists(st.integers(0, 4), max_size=3))
        count = 1
        for extent in size:
            count *= extent
        low, high = (0, 12) if dtype in ("uint8", "bool") else (-12, 12)
        numbers = [self.draw(st.integers(low, high)) for _ in range(count)]
        if dtype in FLOATING:
            numbers = [number / 4 for number in numbers]
        needs_grad = dtype in FLOATING and self.draw(st.booleans())
        made = []
        for lib in (self.lib, torch):
            tensor = lib.tensor(numbers, dtype=getattr(lib, dtype)).reshape(size)
            made.append(tensor.requires_grad_() if needs_grad else tensor)
        name = f"t{len(self.pairs)}"
        self.lines.append(f"{name} = tensor({numbers}, dtype={dtype}).reshape({size}), requires_grad={needs_grad}")
        self.pairs.append(Pair(name, *made, True, needs_grad))

    def pick(self, condition=lambda pair: True):
        pairs = [pair for pair in self.pairs if condition(pair)]
        return self.draw(st.sampled_from(pairs)) if pairs else None

    def step(self):
        kind = self.draw(st.sampled_from(STEPS))
        found = kind(self)
        if found is None:
            return
        op, arguments, exact = found
        self.run(op, arguments, exact)

    def run(self, op, arguments, exact):
        """Call ``op`` in both libraries; arguments may be pairs."""
        name = f"t{len(self.pairs)}"
        self.lines.append(f"{name} = {op}({', '.join(map(shown, arguments))})")
        results = []
        for lib, side in ((self.lib, "ours"), (torch, "theirs")):
            try:
                results.append(evaluate.resolve(lib, op)(*[taken(value, lib, side) for value in arguments]))
            except Exception as error:
                results.append(error)
        ours, theirs = results
        if any(overlap in str(result) for result in results if isinstance(result, Exception) for overlap in OVERLAPS):
            # What may share memory is decided by each library; a program cannot go on where one has written and the other not.
            self.ended = True
            return
        if isinstance(theirs, Exception) and "not implemented for" in str(theirs):
            self.ended = True  # more dtypes than PyTorch has are no fault
            return
        if isinstance(theirs, Exception):
            self.same_error(ours, theirs)
            return
        if isinstance(ours, IndexError) and op in ("operator.getitem", "operator.setitem") and self.nothing_is_indexed(arguments):
            return
        if isinstance(ours, Exception):
            self.fail(f"{name}: raised {type(ours).__name__}: {ours}")
        if op == "operator.setitem":
            ours, theirs = arguments[0].ours, arguments[0].theirs
        if not isinstance(theirs, torch.Tensor):
            if len(ours) != len(theirs):
                self.fail(f"{name}: {len(ours)} tensors where PyTorch has {len(theirs)}")
            if not theirs:
                return
            ours, theirs = ours[0], theirs[0]
        self.compare(name, ours, theirs)
        for pair in self.pairs:
            self.compare(pair.name, pair.ours, pair.theirs)
        exact = exact and all(pair.exact for pair in pairs_in(arguments))
        if op.endswith("_") or op == "operator.setitem":
            for pair in self.pairs:
                pair.exact = pair.exact and exact
        if theirs.numel() <= MAX_ELEMENTS and bounded(theirs):
            self.pairs.append(Pair(name, ours, theirs, exact))

    @staticmethod
    def nothing_is_indexed(arguments):
        """PyTorch does not look at the indices where no element is read or written."""
        return operator.getitem(arguments[0].theirs, taken(arguments[1], torch, "theirs")).numel() == 0

    def same_error(self, ours, theirs):
        if not isinstance(ours, Exception):
            self.fail(f"raised nothing where PyTorch raises {type(theirs).__name__}: {theirs}")
        expected = next(base for base in type(theirs).__mro__ if base.__module__ == "builtins")
        if not isinstance(ours, expected):
            self.fail(f"raised {type(ours).__name__}: {ours}; PyTorch raises {type(theirs).__name__}: {theirs}")

    def compare(self, name, ours, theirs):
        left, right = described(self.lib, ours), described(torch, theirs)
        if left[:2] != right[:2]:
            self.fail(f"{name}: {left[0]} {left[1]} where PyTorch has {right[0]} {right[1]}")
        if ours.requires_grad != theirs.requires_grad:
            self.fail(f"{name}: requires_grad is {ours.requires_grad}")
        if left[2] == right[2]:
            return
        dtype = right[0]
        values = zip(unpack(dtype, right[2]), unpack(dtype, left[2]))
        for number, (expected, actual) in enumerate(values):
            if not close(expected, actual, TOLERANCES.get(dtype, 0)):
                where = position(number, theirs.shape)
                self.fail(f"{name}: element {where} is {actual!r} where PyTorch has {expected!r}")

    def backward(self):
        leaves = [pair for pair in self.pairs if pair.leaf]
        ends = [pair for pair in self.pairs if not pair.leaf and pair.theirs.requires_grad]
        if not leaves or not ends:
            return
        self.lines.append("backward of the sum of all")
        outcomes = []
        for lib, side in ((self.lib, "ours"), (torch, "theirs")):
            try:
                total = sum(getattr(pair, side).double().sum() * (number + 1) for number, pair in enumerate(ends))
                outcomes.append(lib.autograd.grad(total, [getattr(pair, side) for pair in leaves], allow_unused=True))
            except RuntimeError as error:
                outcomes.append(error)
        ours, theirs = outcomes
        # Where PyTorch refuses, it may have saved more than is needed; the recorded programs say what has to be refused.
        if isinstance(theirs, Exception):
            return
        if isinstance(ours, Exception):
            self.fail(f"backward raised {type(ours).__name__}: {ours}")
        for pair, left, right in zip(leaves, ours, theirs):
            if (left is None) != (right is None):
                self.fail(f"gradient of {pair.name}: {left} where PyTorch has {right}")
            if right is not None and bounded(right):
                self.compare(f"gradient of {pair.name}", left, right)


def pairs_in(value):
    if isinstance(value, Pair):
        return [value]
    if isinstance(value, (list, tuple)):
        return [pair for item in value for pair in pairs_in(item)]
    return []


def taken(value, lib, side):
    if isinstance(value, Pair):
        return getattr(value, side)
    if isinstance(value, (list, tuple)):
        return type(value)(taken(item, lib, side) for item in value)
    return value


def shown(value):
    if isinstance(value, Pair):
        return value.name
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(shown, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner},)"
    return repr(value)


def described(lib, tensor):
    return evaluate.dtype_name(tensor), list(tensor.shape), replay.bytes_of(lib, tensor)


def bounded(tensor):
    """Whether all values are finite and of a moderate size, so that rounding stays small."""
    values = tensor.detach().double()
    return bool((values.abs() <= MAX_MAGNITUDE).all())


def fits(value, target):
    """Whether the value can go into the target: integers take exact numbers without a gradient."""
    return target.floating or (value.exact and not value.theirs.requires_grad)


def dim_of(program, pair, extra=0):
    dims = len(pair.size) + extra
    return program.draw(st.integers(-dims - 1, dims)) if dims else 0


def unary(program):
    return f"torch.{program.draw(st.sampled_from(EXACT))}", [program.pick()], True


def smooth(program):
    pair = program.pick(lambda pair: pair.floating)
    return pair and (f"torch.{program.draw(st.sampled_from(SMOOTH))}", [pair], False)


def jump(program):
    pair = program.pick(lambda pair: pair.exact)
    return pair and (f"torch.{program.draw(st.sampled_from(JUMPS))}", [pair], True)


def pair_of_tensors(program):
    return f"torch.{program.draw(st.sampled_from(ARITHMETIC))}", [program.pick(), program.pick()], True


def inexact_pair(program):
    return (
        f"torch.{program.draw(st.sampled_from(INEXACT_PAIRS))}",
        [program.pick(lambda p: p.floating) or program.pick(), program.pick()],
        False,
    )


def jumping_pair(program):
    left, right = program.pick(lambda pair: pair.exact), program.pick(lambda pair: pair.exact)
    return left and (f"torch.{program.draw(st.sampled_from(JUMPING_PAIRS))}", [left, right], True)


def with_number(program):
    number = program.draw(st.sampled_from([2, -1, 0, 0.5, -0.25, True]))
    op = program.draw(st.sampled_from(["add", "sub", "mul"]))
    arguments = [program.pick(), number]
    return f"operator.{op}", arguments if program.draw(st.booleans()) else arguments[::-1], True


def reduction(program):
    pair = program.pick()
    arguments = [pair] if program.draw(st.booleans()) else [pair, dim_of(program, pair), program.draw(st.booleans())]
    return "torch.sum", arguments, True


def inexact_reduction(program):
    pair = program.pick(lambda pair: pair.floating)
    return pair and (f"torch.{program.draw(st.sampled_from(INEXACT_REDUCTIONS))}", [pair, dim_of(program, pair)], False)


def jumping_reduction(program):
    pair = program.pick(lambda pair: pair.exact)
    return pair and (f"torch.{program.draw(st.sampled_from(JUMPING_REDUCTIONS))}", [pair, dim_of(program, pair)], True)


def sorting(program):
    pair = program.pick(lambda pair: pair.exact and len(set(pair.theirs.flatten().tolist())) == pair.theirs.numel())
    return pair and ("torch.sort", [pair, dim_of(program, pair), program.draw(st.booleans())], True)


def view(program):
    pair = program.pick()
    op = program.draw(st.sampled_from(VIEWS))
    # PyTorch rolls nothing along any dimension.
    op = "flip" if op == "roll" and not pair.theirs.numel() else op
    dim, other = dim_of(program, pair), dim_of(program, pair)
    small = program.draw(st.integers(-3, 4))
    arguments = {
        "transpose": [dim, other], "unsqueeze": [dim], "squeeze": [dim], "flatten": [dim, other], "select": [dim, small],
        "narrow": [dim, small, program.draw(st.integers(0, 2))], "unbind": [dim], "diagonal": [small], "movedim": [dim, other], "flip": [[dim]],
        "roll": [small, dim], "chunk": [max(small, 1), dim],
    }  # fmt: skip
    return f"torch.{op}", [pair, *arguments[op]], True


def reshape(program):
    pair = program.pick()
    count = pair.theirs.numel()
    divisors = [number for number in range(1, count + 1) if count % number == 0] or [1]
    first = program.draw(st.sampled_from(divisors))
    size = program.draw(st.sampled_from([[-1], [first, -1], [-1, first], [first, 1, count // first], [count]]))
    return f"Tensor.{program.draw(st.sampled_from(['reshape', 'view']))}", [pair, size], True


def expand(program):
    pair = program.pick()
    size = [program.draw(st.integers(1, 3)) if extent == 1 and program.draw(st.booleans()) else -1 for extent in pair.size]
    return "Tensor.expand", [pair, [*([2] if program.draw(st.booleans()) else []), *size]], True


def index(program, pair):
    def part():
        kind = program.draw(st.integers(0, 5))
        if kind == 0:
            return program.draw(st.integers(-2, 2))
        if kind == 1:
            return None
        if kind == 2:
            return ...
        if kind == 3:
            return [program.draw(st.integers(-2, 1)) for _ in range(program.draw(st.integers(1, 3)))]
        start, stop = (program.draw(st.one_of(st.none(), st.integers(-4, 4))) for _ in range(2))
        return slice(start, stop, program.draw(st.sampled_from([None, 1, 2])))

    mask = program.pick(
        lambda other: other.exact and other.theirs.dtype == torch.bool and other.size == pair.size[: len(other.size)]
    )
    if mask and program.draw(st.booleans()):
        return mask
    parts = [part() for _ in range(program.draw(st.integers(1, max(1, len(pair.size)))))]
    if sum(item is ... for item in parts) > 1:
        parts = [item for item in parts if item is not ...]
    return tuple(parts)


def getting(program):
    pair = program.pick()
    return "operator.getitem", [pair, index(program, pair)], True


def setting(program):
    pair = program.pick(lambda pair: not pair.leaf)
    if not pair:
        return None
    value = program.draw(st.sampled_from([1, -2, 0.5, "tensor"]))
    if value == "tensor" and pair.theirs.numel():
        value = program.pick(lambda other: fits(other, pair)) or 1
    # Assigning to one place twice leaves open which value stays, so index lists are for reading only.
    value = 1 if value == "tensor" else value
    place = index(program, pair)
    if isinstance(place, Pair) and isinstance(value, Pair):
        value = 1
    if isinstance(place, tuple):
        place = tuple(item for item in place if not isinstance(item, list))
    return "operator.setitem", [pair, place, value], True


def inplace(program):
    op = program.draw(st.sampled_from(IN_PLACE))
    reshapes = op in ("t_", "unsqueeze_")
    bends = op in ("abs_", "relu_", "clamp_")
    pair = program.pick(lambda pair: (pair.exact or not bends) and not (reshapes and pair.theirs.requires_grad))
    if not pair:
        return None
    arguments = {"fill_": [2], "clamp_": [-1, 1.5], "unsqueeze_": [0], "neg_": [], "abs_": [], "relu_": [], "zero_": [], "t_": []}
    other = program.pick(lambda other: fits(other, pair) and other is not pair)
    if op not in arguments and not other:
        return None
    return f"Tensor.{op}", [pair, *arguments.get(op, [other])], True


def joining(program):
    pair = program.pick()
    others = [program.pick() for _ in range(program.draw(st.integers(0, 2)))]
    return f"torch.{program.draw(st.sampled_from(['cat', 'stack']))}", [[pair, *others], dim_of(program, pair)], True


def choosing(program):
    mask = program.pick(lambda pair: pair.theirs.dtype == torch.bool)
    if not mask:
        return None
    if program.draw(st.booleans()):
        return "torch.where", [mask, program.pick(), program.pick()], True
    return "torch.masked_fill", [program.pick(), mask, 2], True


def product(program):
    """PyTorch does not look at the dtypes of products without elements."""
    left = program.pick(lambda pair: pair.theirs.dtype != torch.bool)
    right = left and program.pick(lambda pair: pair.theirs.dtype == left.theirs.dtype)
    return left and ("torch.matmul", [left, right], False)


STEPS = [
    unary, smooth, jump, pair_of_tensors, pair_of_tensors, inexact_pair, jumping_pair, with_number, reduction, inexact_reduction, jumping_reduction, sorting,
    view, view, view, reshape, expand, getting, getting, setting, setting, inplace, inplace, joining, choosing, product,
]  # fmt: skip


@hypothesis.settings(max_examples=250, deadline=None, derandomize=True, suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.data())
def test_random_programs(lib, data):
    program = Program(lib, data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(program.draw(st.integers(1, 3))):
            program.add_leaf()
        for _ in range(program.draw(st.integers(1, 12))):
            if not program.ended:
                program.step()
        if not program.ended:
            program.backward()


def test_element_sizes_agree_with_torch():
    for name in ("bool", "uint8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64"):
        assert ITEM_SIZES[name] == torch.empty(1, dtype=getattr(torch, name)).element_size()


def test_both_libraries_are_there(lib):
    assert importlib.import_module("torch").__name__ == "torch" and hasattr(lib, "Tensor")
