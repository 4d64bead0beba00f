"""Case ``number`` of a seed, always the same program."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from . import families, families_linalg, names
from .names import Argument, Signature
from .program import OPERATORS, Call, Program, Raw, Ref
from .values import COMPLEX, FLOATS, INTEGERS, WRONG, Maker

PROPERTY = "?"
SEQUENCES = 0.12
BINARY = [name for name in OPERATORS if "{1}" in OPERATORS[name] and name not in ("getitem", "setitem")]
UNARY = [name for name in OPERATORS if "{1}" not in OPERATORS[name]]
#: PyTorch's process ends in the backward pass after one of these changed a view in place.
UNDIFFERENTIABLE = re.compile(r"\.(lt|le|gt|ge|eq|ne|less|greater|not_equal|floor_divide|logical|bitwise|less_equal|greater_equal|nextafter|heaviside)\w*_$")
VIEWS = ["transpose", "select", "narrow", "step", "diagonal", "expand", "unsqueeze", "flatten", "mT", "detach", "view", "unbind"]


class Generator:
    def __init__(self, ours: Any, theirs: Any, seed: int, pattern: str = ""):
        self.theirs, self.seed = theirs, seed
        self.names = [name for name in names.public_names(ours, theirs) if pattern in name]
        if not pattern:
            self.names += [f"operator {name}" for name in OPERATORS for _ in range(8 if name.endswith("item") else 2)]
        self.in_place = [name for name in self.names if name.startswith("T.Tensor.") and name.endswith("_")]
        self.order = self.names.copy()
        Random(f"{seed} order").shuffle(self.order)
        self.signatures: dict[str, list[Signature]] = {}

    def case(self, number: int) -> Program:
        maker = Maker(Random(f"{self.seed} {number}"))
        name = self.order[number % len(self.order)]
        calls = [self.call(maker, name)]
        if self.in_place and maker.chance(SEQUENCES):
            calls = self.sequence(maker, calls)
        return Program(maker.tensors, [(f"r{n}", call) for n, call in enumerate(calls)], maker.grads)

    def sequence(self, maker: Maker, calls: list[Call]) -> list[Call]:
        """What does not need its own memory, a view of it, changes of the view; or results that go into the next call."""
        if maker.chance(0.3):
            for _ in range(maker.between(1, 2)):
                calls.append(self.call(maker, maker.random.choice(self.names), Ref(f"r{len(calls) - 1}")))
            return calls
        base = maker.tensor(maker.shape, maker.floating())
        steps = [Call("*", [base, 1])]
        changes = [name for name in self.in_place if not (maker.grads and UNDIFFERENTIABLE.search(name))]
        steps.append(self.view(maker, Ref("r0")))
        for _ in range(maker.between(1, 2)):
            steps.append(self.call(maker, maker.random.choice(changes), Ref(maker.pick("r1", "r1", "r0"))))
        return steps + [Call("*", [Ref(maker.pick("r0", "r1")), 2])]

    def view(self, maker: Maker, base: Ref) -> Call:
        kind, count = maker.random.choice(VIEWS), len(maker.shape)
        dim = maker.dim()
        arguments: dict[str, list[Any]] = {
            "transpose": [dim, maker.dim()], "select": [dim, 0], "narrow": [dim, 0, maker.between(0, 2)], "diagonal": [maker.between(-1, 1)], "unsqueeze": [dim],
            "flatten": [], "detach": [], "view": [-1], "expand": [2, *([-1] * count)],
        }  # fmt: skip
        if kind == "step":
            return Call("getitem", [base, Raw("slice(None, None, 2)")])
        if kind == "unbind":
            return Call("getitem", [base, 0])
        return Call(f".{kind}{PROPERTY}" if kind == "mT" else f".{kind}", [base, *arguments.get(kind, [])])

    def call(self, maker: Maker, name: str, first: Ref | None = None) -> Call:
        if name.startswith("operator "):
            return self.operator(maker, name.split()[1], first)
        method = name.startswith("T.Tensor.")
        target = name[len("T.Tensor") :] if method else name
        if method and not callable(getattr(self.theirs.Tensor, name.rsplit(".", 1)[1])):
            return Call(target + PROPERTY, [first or maker.tensor(maker.shape)])
        made = families_linalg.made(maker, name) if maker.chance(0.9) else None
        if made is not None:
            args, kwargs, outs = [*made[0]], dict(made[1]), 1
        else:
            if name not in self.signatures:
                self.signatures[name] = names.signatures(self.theirs, name)
            signature = maker.random.choice(self.signatures[name])
            args, kwargs = self.arguments(maker, name, signature)
            outs = signature.outs
        if method and not args:
            args = [maker.tensor(maker.shape)]
        if first is not None and args and isinstance(args[0], Ref):
            args[0] = first
        if outs and not method and not name.endswith("_") and maker.chance(0.08):
            kwargs["out"] = self.out(maker, outs)
        self.spoil(maker, args, kwargs, method)
        return Call(target, args, kwargs)

    def operator(self, maker: Maker, kind: str, first: Ref | None) -> Call:
        value = first or maker.tensor(maker.shape)
        if kind in UNARY:
            return Call(kind, [value])
        if kind in BINARY:
            other = maker.tensor(maker.like(maker.shape)) if maker.chance(0.6) else maker.number()
            return Call(kind, [other, value] if maker.chance(0.3) else [value, other])
        index = families.index(maker)
        if kind == "getitem":
            return Call(kind, [value, index])
        return Call(kind, [value, index, maker.number() if maker.chance(0.5) else maker.tensor(maker.like(maker.shape))])

    def out(self, maker: Maker, outs: int) -> Any:
        def one() -> Ref:
            shape = maker.pick([0], maker.shape, maker.like(maker.shape), [])
            grads, maker.grads = maker.grads, maker.grads if maker.chance(0.05) else 0
            made = maker.tensor(shape, maker.dtype if maker.chance(0.7) else maker.other_dtype())
            maker.grads = grads
            return made

        return one() if outs == 1 else tuple(one() for _ in range(outs))

    def spoil(self, maker: Maker, args: list[Any], kwargs: dict[str, Any], method: bool) -> None:
        """Now and then one argument of a wrong kind, one too many or one missing."""
        if not maker.chance(0.05):
            return
        choices = range(int(method), len(args))
        if choices and maker.chance(0.8):
            args[maker.random.choice(choices)] = maker.random.choice(WRONG)
        elif kwargs and maker.chance(0.6):
            kwargs[maker.random.choice(sorted(kwargs))] = maker.random.choice(WRONG)
        elif maker.chance(0.5):
            args.append(maker.random.choice(WRONG))
        elif len(args) > 1:
            args.pop()

    def arguments(self, maker: Maker, name: str, signature: Signature) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        named = False
        for argument in signature.arguments:
            if not argument.required and maker.chance(0.6) or argument.name in ("out", "generator", "pin_memory", "device"):
                named = True
                continue
            if argument.type.startswith("*"):
                args += [value(maker, name, Argument(argument.name, argument.type[1:])) for _ in range(maker.between(1, 3))]
                named = True
                continue
            made = value(maker, name, argument)
            if argument.keyword or named or not argument.required and maker.chance(0.3):
                named = named or not argument.keyword
                kwargs[spelled(argument.name)] = made
            else:
                args.append(made)
        return args, {key: kwargs[key] for key in kwargs if key != "from"}


def spelled(name: str) -> str:
    return {"self": "input"}.get(name, name)


DIMS = ("dim", "dim0", "dim1", "dim2", "axis", "axis0", "axis1", "source", "destination", "start_dim", "end_dim", "dims", "axes")
SIZES = ("size", "shape", "sizes", "n", "m", "output_size", "sections", "chunks", "indices_or_sections", "split_size", "num_classes", "steps", "window_length", "length", "repeats", "upscale_factor",
         "downscale_factor", "groups", "kernel_size", "stride", "dilation", "r", "N", "bins", "k", "diagonal_size", "minlength", "s", "split_sizes", "normalized_shape")  # fmt: skip
STRINGS = {
    "reduction": ["none", "mean", "sum"], "norm": ["ortho", "forward", "backward"], "rounding_mode": ["floor", "trunc"], "reduce": ["sum", "prod", "mean", "amax", "amin", "add", "multiply"],
    "indexing": ["ij", "xy"], "interpolation": ["linear", "lower", "higher", "midpoint", "nearest"], "approximate": ["none", "tanh"], "side": ["left", "right"], "UPLO": ["L", "U"],
    "mode": ["constant", "reflect", "replicate", "circular", "nearest", "bilinear", "reduced", "complete", "r"], "driver": ["gels", "gelsd"], "padding": ["same", "valid"],
    "ord": ["fro", "nuc"], "p": ["fro", "nuc"],
}  # fmt: skip


def value(maker: Maker, name: str, argument: Argument) -> Any:
    """An argument of the type, as its name suggests."""
    kind, label = argument.type, argument.name
    optional = kind.startswith("Optional[")
    if optional:
        if maker.chance(0.15):
            return Raw("None")
        kind = kind[len("Optional[") : -1]
    if kind == "Tensor":
        return tensor(maker, name, label)
    if kind == "List[Tensor]" or kind == "List[Optional[Tensor]]":
        return [tensor(maker, name, label) for _ in range(maker.random.choices([0, 1, 2, 3], [1, 3, 6, 3])[0])]
    if kind == "List[int]":
        if label in DIMS:
            if argument.size == 1 and maker.chance(0.3):
                return maker.dim()
            many = maker.random.sample(range(max(len(maker.shape), 1)), maker.between(0, max(len(maker.shape), 1)))
            return [dim - len(maker.shape) if maker.chance(0.3) else dim for dim in many] if maker.chance(0.9) else [maker.dim(), maker.dim()]
        if argument.size and maker.chance(0.6):
            return maker.size() if maker.chance(0.5) else [maker.size() for _ in range(argument.size)]
        if label in ("size", "shape") and maker.chance(0.6):
            return families.size_of_same_count(maker, name)
        return [maker.size() for _ in range(maker.between(0, 4))]
    if kind == "int":
        if label in DIMS:
            return maker.dim()
        return maker.size() if label in SIZES else maker.random.choices([maker.between(-3, 4), maker.size()], [3, 2])[0]
    if kind == "List[float]":
        return [maker.between(1, 8) / 2 for _ in range(maker.between(1, 3))]
    if kind == "float":
        return maker.pick(0.5, 0.25, 0.0, 1.0, 1e-5, 2.0) if maker.chance(0.8) else maker.number()
    if kind in ("number", "complex"):
        return maker.number()
    if kind in ("List[number]", "List[complex]"):
        return [maker.number() for _ in range(maker.between(1, 3))]
    if kind in ("bool", "List[bool]"):
        return maker.chance(0.5)
    if kind == "str":
        return maker.random.choice(STRINGS.get(label, ["x", "mean", ""])) if maker.chance(0.96) else "x"
    if kind == "ScalarType":
        return Raw(f"T.{maker.other_dtype()}")
    if kind == "Layout":
        return Raw("T.strided")
    if kind == "MemoryFormat":
        return Raw(f"T.{maker.pick('contiguous_format', 'preserve_format', 'channels_last', 'channels_last_3d')}")
    if kind == "Device":
        return "cpu"
    return Raw("None")


def tensor(maker: Maker, name: str, label: str) -> Ref:
    shape = maker.shape if label in ("self", "input") else maker.like(maker.shape)
    if label in ("condition", "mask"):
        return maker.tensor(shape, "bool")
    if label in ("index", "indices", "sorted_sequence_index"):
        extent = maker.random.choice(maker.shape) if maker.shape else 1
        return maker.tensor(shape, maker.pick("int64", "int64", "int32"), 0, max(extent - 1, 0))
    if label in ("target", "other", "exponent") and maker.chance(0.1):
        return maker.tensor(shape, maker.random.choice([*INTEGERS, *FLOATS]))
    if name.startswith(("T.linalg.", "T.nn.functional.")) and maker.chance(0.8) and not maker.mixed:
        if maker.dtype not in FLOATS and maker.dtype not in COMPLEX:
            maker.dtype = maker.random.choice(FLOATS)
    return maker.tensor(shape)
