"""Generator, manual_seed, rand, randn, randint, randperm, normal, dropout_. Numbers are those of PyTorch's CPU generator."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._core import dtype as _dtype
from .._core.arguments import is_int, is_number, is_sequence, type_name
from .._core.checks import tensors_checked
from .._core.device import CPU, check_device, device
from .._core.device import device as place
from .._core.dtype import dtype, get_default_dtype
from .._core.generated import ops
from .._core.host.settings import entropy, first_seed
from .._core.meta import on_meta
from .._core.tensor_type import Tensor
from .creation import check_kind, check_options, empty_like, made, settle, sizes_of

_SEED_BITS = (1 << 64) - 1


# ---- generators ----
class Generator:
    """A source of random numbers with a state of its own: torch's Mersenne Twister."""

    __slots__ = ("_state", "_id", "__weakref__")

    def __init__(self, device: Any = "cpu") -> None:
        if place(device).type == "meta":
            raise RuntimeError("META device type not an accelerator.")
        check_device(device)
        self._state = ops._generator_new()
        self._id = self._state._h  # what operators are given

    @property
    def device(self) -> device:
        return CPU

    def manual_seed(self, seed: int) -> Generator:
        """Starts the sequence of `seed`, an int of 64 bits with or without sign. ValueError beyond that."""
        if not isinstance(seed, int):
            raise RuntimeError(f"manual_seed expected a long, but got {type_name(seed)}")
        if not -(1 << 63) <= seed <= _SEED_BITS:
            raise ValueError(f"Overflow when unpacking long long: seed is {seed}")
        ops._generator_seed(self, seed - (1 << 64) if seed >= 1 << 63 else int(seed))
        return self

    def seed(self) -> int:
        """Takes a seed from the host's entropy, and returns it."""
        seed = entropy()
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        return ops._generator_initial_seed(self) & _SEED_BITS

    def get_state(self) -> Tensor:
        """The state as 5056 bytes, laid out as torch does."""
        return ops._generator_get_state(self)

    def set_state(self, new_state: Tensor) -> Generator:
        """Goes on from a state. TypeError for anything but a uint8 tensor, RuntimeError for bytes that are no state."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type_name(new_state)}")
        ops._generator_set_state(self, new_state)
        return self

    def clone_state(self) -> Generator:
        return Generator().set_state(self.get_state())

    def __reduce__(self) -> Any:
        return Generator, (CPU,), self.get_state()

    def __setstate__(self, state: Tensor) -> None:
        self.set_state(state)


def _default() -> Generator:
    generator = object.__new__(Generator)
    generator._id = 0
    return generator.manual_seed(first_seed())


default_generator = _default()


def manual_seed(seed: Any) -> Generator:
    """Seeds the default generator, and returns it."""
    return default_generator.manual_seed(int(seed))


def seed() -> int:
    """Seeds the default generator from the host's entropy, and returns the seed."""
    return default_generator.seed()


def initial_seed() -> int:
    return default_generator.initial_seed()


def get_rng_state() -> Tensor:
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    default_generator.set_state(new_state)


# ---- filled with random numbers ----
def asked_size(name: str, size: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """rand(2, 3), rand((2, 3)) and rand(size=(2, 3))."""
    if "size" in names and not size:
        size = (names.pop("size"),)
        if is_int(size[0]):
            raise TypeError(f"{name}(): argument 'size' must be tuple of ints, not int")
    if names:
        raise TypeError(f"{name}() got an unexpected keyword argument '{next(iter(names))}'")
    return check_sizes(name, 1, sizes_of(name, size))


def check_sizes(name: str, position: int, sizes: Any) -> Any:
    if not is_sequence(sizes):
        raise TypeError(f"{name}(): argument 'size' (position {position}) must be tuple of ints, not {type_name(sizes)}")
    for i, n in enumerate(sizes):
        if not is_int(n):
            raise TypeError(f"{name}(): argument 'size' (position {position}) must be tuple of ints, but found element of type {type_name(n)} at pos {i}")
    return sizes


def check_generator(name: str, generator: Any) -> None:
    if generator is not None and not isinstance(generator, Generator):
        raise TypeError(f"{name}(): argument 'generator' must be torch.Generator, not {type_name(generator)}")


def resized(out: Tensor, sizes: Any, kind: dtype | None) -> Tensor:
    """The tensor given as out=, resized. RuntimeError where dtype= says another dtype."""
    check_kind(out, kind)
    ops._resize(out, sizes)
    return out


def rand(*size: Any, generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None,
         pin_memory: bool = False, requires_grad: bool = False, **names: Any) -> Tensor:
    """Numbers from [0, 1), uniformly. NotImplementedError for dtypes that are not floating or complex."""
    meta = check_options(device, layout, pin_memory)
    check_generator("rand", generator)
    sizes = asked_size("rand", size, names)
    if out is not None:
        return ops.uniform_(resized(out, sizes, dtype), generator=generator)
    arguments = sizes, dtype or get_default_dtype(), generator
    return settle(on_meta(ops._rand, *arguments) if meta else ops._rand(*arguments), requires_grad)


def randn(*size: Any, generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None,
          pin_memory: bool = False, requires_grad: bool = False, **names: Any) -> Tensor:
    """Normal numbers of mean 0 and variance 1. NotImplementedError for dtypes that are not floating or complex."""
    meta = check_options(device, layout, pin_memory)
    check_generator("randn", generator)
    sizes = asked_size("randn", size, names)
    if out is not None:
        return ops.normal_(resized(out, sizes, dtype), generator=generator)
    arguments = sizes, dtype or get_default_dtype(), generator
    return settle(on_meta(ops._randn, *arguments) if meta else ops._randn(*arguments), requires_grad)


def randint(*arguments: Any, generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None,
            pin_memory: bool = False, requires_grad: bool = False, **names: Any) -> Tensor:
    """randint(high, size) and randint(low, high, size): integers from [low, high). RuntimeError where low >= high."""
    meta = check_options(device, layout, pin_memory)
    check_generator("randint", generator)
    low, high, sizes = integer_bounds("randint", arguments, names, ("high", "size"), ("low", "high", "size"))
    check_sizes("randint", len(arguments) + len(names), sizes)
    if out is not None:
        return ops.random_(resized(out, sizes, dtype), low, high, generator=generator)
    values = low, high, sizes, dtype or _dtype.int64, generator
    return settle(on_meta(ops._randint, *values) if meta else ops._randint(*values), requires_grad)


def integer_bounds(name: str, arguments: tuple[Any, ...], names: dict[str, Any], *forms: tuple[str, ...]) -> tuple[int, int, Any]:
    """low, high and the rest of the form that fits; low is 0 where it is not given."""
    for form in forms:
        values = dict(zip(form, arguments))
        if len(arguments) + len(names) == len(form) and len(arguments) == len(values) and {*values, *names} == {*form}:
            values.update(names)
            for i, key in enumerate(form):
                if key in ("low", "high") and not is_int(values[key]):
                    raise TypeError(f"{name}(): argument '{key}' (position {i + 1}) must be int, not {type_name(values[key])}")
            return int(values.get("low", 0)), int(values["high"]), values.get("size")
    got = ", ".join([type_name(a) for a in arguments] + [f"{k}={type_name(v)}" for k, v in names.items()])
    lines = "\n".join(f" * ({', '.join(form)})" for form in forms)
    raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n{lines}\n")


def randperm(n: int, *, generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None, layout: Any = None, device: Any = None,
             pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    """0 to n - 1 in random order. RuntimeError for a negative n, and where the dtype cannot count that far."""
    if check_options(device, layout, pin_memory):
        return on_meta(randperm, n, generator=generator, out=out, dtype=dtype, device=CPU, requires_grad=requires_grad)
    check_generator("randperm", generator)
    if not is_int(n):
        raise TypeError(f"randperm(): argument 'n' (position 1) must be int, not {type_name(n)}")
    if out is None:
        return settle(ops._randperm(int(n), dtype or _dtype.int64, generator), requires_grad)
    order = ops._randperm(int(n), out.dtype, generator)
    return ops.copy__(resized(out, order.shape, dtype), order)


def rand_like(input: Tensor, *, generator: Generator | None = None, requires_grad: bool = False, **options: Any) -> Tensor:
    """`rand` with the sizes, dtype and order of strides of a tensor."""
    check_generator("rand_like", generator)
    return settle(ops.uniform_(empty_like(input, **options), generator=generator), requires_grad)


def randn_like(input: Tensor, *, generator: Generator | None = None, requires_grad: bool = False, **options: Any) -> Tensor:
    """`randn` with the sizes, dtype and order of strides of a tensor."""
    check_generator("randn_like", generator)
    return settle(ops.normal_(empty_like(input, **options), generator=generator), requires_grad)


def randint_like(input: Tensor, *bounds: Any, generator: Generator | None = None, requires_grad: bool = False, **options: Any) -> Tensor:
    """randint_like(input, high) and randint_like(input, low, high)."""
    check_generator("randint_like", generator)
    names = {k: options.pop(k) for k in ("low", "high") if k in options}
    low, high, _ = integer_bounds("randint_like", bounds, names, ("high",), ("low", "high"))
    return settle(ops.random_(empty_like(input, **options), low, high, generator=generator), requires_grad)


def normal(*arguments: Any, **names: Any) -> Tensor:
    """normal(mean, std): normal numbers whose mean and deviation are tensors or one of them a number; normal(mean, std, size): all alike.
    RuntimeError for a negative std."""
    values = dict(zip(("mean", "std", "size"), arguments))
    if len(arguments) > 3 or "size" not in {**values, **names}:
        return ops.normal(*arguments, **names)
    values.update({k: names.pop(k) for k in ("mean", "std", "size") if k in names and k not in values})
    for i, key in enumerate(("mean", "std")):
        if not is_number(values.get(key)) and not (isinstance(values.get(key), Tensor) and values[key].numel() == 1):
            raise TypeError(f"normal(): argument '{key}' (position {i + 1}) must be float, not {type_name(values.get(key))}")
    return normal_of_size(float(values["mean"]), float(values["std"]), check_sizes("normal", 3, values["size"]), **names)


def normal_of_size(mean: float, std: float, size: Any, *, generator: Generator | None = None, out: Tensor | None = None, dtype: dtype | None = None,
                   layout: Any = None, device: Any = None, pin_memory: bool = False, requires_grad: bool = False) -> Tensor:
    check_generator("normal", generator)
    if out is not None:
        return ops.normal_(resized(out, size, dtype), mean, std, generator=generator)
    result = made("normal", (size,), None, None, dtype, layout, CPU if device is None else device, pin_memory, False)
    return settle(ops.normal_(result, mean, std, generator=generator), requires_grad)


# ---- dropout in place ----
def dropped_inplace(input: Tensor, p: float, train: bool, feature: bool, alpha: bool) -> Tensor:
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or not input.numel():
        return input
    if p == 1:
        return ops.mul_(input, ops._full((), 0, input.dtype))
    factor, shift = ops._dropout_noise(input, p, feature, alpha)
    ops.mul_(input, factor)
    return ops.add_(input, shift) if alpha else input


def dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`dropout` in place."""
    return dropped_inplace(input, p, train, False, False)


def feature_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`feature_dropout` in place."""
    return dropped_inplace(input, p, train, True, False)


def alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`alpha_dropout` in place."""
    return dropped_inplace(input, p, train, False, True)


def feature_alpha_dropout_(input: Tensor, p: float, train: bool) -> Tensor:
    """`feature_alpha_dropout` in place."""
    return dropped_inplace(input, p, train, True, True)


FUNCTIONS = [
    get_rng_state, initial_seed, manual_seed, normal, rand, randint, randn, randperm, seed, set_rng_state,
    *map(tensors_checked, (alpha_dropout_, dropout_, feature_alpha_dropout_, feature_dropout_)),
    *map(partial(tensors_checked, follows=False), (rand_like, randint_like, randn_like)),
]
