"""The language that `cases/` is written in.

    call("torch.add", T("float32", (2, 3), grad=True), 2, alpha=3)
    call("torch.sum", T("float32", (2, 3)), 5).raises(IndexError, "5")

A family module has a function ``cases()`` that yields calls, or functions marked ``@program``, or both.
"""

from .values import FLOATING, INTEGRAL, contiguous_strides, pack

HALVES, FLOATS = list(FLOATING[:2]), list(FLOATING[2:])
INTEGERS = list(INTEGRAL[1:])
REAL = [*INTEGERS, *HALVES, *FLOATS]
ALL = ["bool", *REAL]
SPECIALS = [
    float("nan"), float("inf"), float("-inf"), 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.0, 1.5, -1.5, 3.0, 1e-3, -1e-3,
    1e-7, 100.0, -100.0, 1e30, -1e30, 3.4e38, 1e-38, 1e-45, -1e-45, 0.9999, 87.5, -87.5, 16777217.0, 2.5, -2.5, 3.5,
]  # fmt: skip
LAYOUTS = ["transposed", "stepped", "offset", "expanded"]


class T:
    """An input tensor: dtype, size, what fills it, how its storage is laid out, whether it requires a gradient.

    ``fill``: "mixed" (about -3 to 3; -9 to 13 for integers), "positive", "unit" (strictly between 0 and 1), "special"
    (NaN, infinities, both zeros, tiny and huge), "distinct" (no two alike), "ties" (few values), a list, or a number.
    ``layout``: "contiguous", "transposed" (dimensions stored in reverse), "stepped" (every second element of the last
    dimension), "offset" (begins inside the storage), "expanded" (first dimension has stride 0) or "channels_last".
    """

    def __init__(self, dtype, size=(), fill="mixed", layout="contiguous", grad=False, seed=0):
        self.dtype, self.size, self.layout, self.grad = dtype, list(size), layout, grad
        count = 1
        for extent in self.size:
            count *= extent
        self.stride, self.offset = layout_of(self.size, layout)
        self.numbers = fill_values(dtype, count, fill, seed)

    def storage(self):
        """``(data, count)`` of the storage, gaps filled with 7."""
        extents = [(extent - 1) * step for extent, step in zip(self.size, self.stride)]
        empty = 0 in self.size
        count = self.offset + (0 if empty else sum(extents) + 1)
        if self.layout in ("stepped", "offset"):
            count += 2
        numbers = [7] * count
        for place, number in zip(positions(self.size, self.stride, self.offset), self.numbers):
            numbers[place] = number
        return pack(self.dtype, numbers), count


def layout_of(size, layout):
    if layout == "transposed":
        return contiguous_strides(size[::-1])[::-1], 0
    if layout == "stepped":
        return contiguous_strides([*size[:-1], size[-1] * 2])[:-1] + [2], 1
    if layout == "offset":
        return contiguous_strides(size), 3
    if layout == "expanded":
        return [0, *contiguous_strides(size[1:])], 0
    if layout == "channels_last":
        n, c, h, w = size
        return [c * h * w, 1, c * w, c], 0
    return contiguous_strides(size), 0


def positions(size, stride, offset):
    """Storage places of the elements in row-major order."""
    places = [offset]
    for extent, step in zip(size, stride):
        places = [place + i * step for place in places for i in range(extent)]
    return places


def fill_values(dtype, count, fill, seed):
    if isinstance(fill, (list, tuple)):
        if len(fill) != count:
            raise ValueError(f"{len(fill)} values for {count} elements")
        return list(fill)
    if isinstance(fill, (int, float, complex)):
        return [fill] * count
    scattered = [(k * 37 + seed * 11) % 97 for k in range(count)]
    if dtype == "bool":
        return [number % 2 for number in scattered]
    if fill == "ties":
        return [number % 3 for number in scattered]
    if fill == "distinct":
        # 37 has no common factor with count + 1 or the next step does not repeat within 101 * 97 elements.
        return [(k * 37 + seed * 11) % 101 + 101 * (k // 101) for k in range(count)]
    if dtype in INTEGRAL:
        if fill == "positive":
            return [number % 12 + 1 for number in scattered]
        return [number % 23 - (0 if dtype == "uint8" else 9) for number in scattered]
    if fill == "special":
        return [SPECIALS[k % len(SPECIALS)] for k in range(count)]
    if fill == "unit":
        return [(number + 1) / 99 for number in scattered]
    if fill == "positive":
        return [(number + 1) / 31 for number in scattered]
    if dtype in FLOATING:
        return [number / 15.7 - 3 for number in scattered]
    return [complex(number / 15.7 - 3, (number * 5 % 97) / 15.7 - 3) for number in scattered]


class Call:
    def __init__(self, op, args, kwargs):
        self.op, self.args, self.kwargs = op, args, kwargs
        self.options = {}
        self.error = None
        if op == "operator.setitem" or (op.startswith("Tensor.") and op.endswith("_") and not op.endswith("__")):
            self.options["inplace"] = True

    def raises(self, error, *fragments):
        """The call must raise ``error``, with each fragment in its message, letter case aside."""
        self.error = error
        self.options["raises"] = [error.__name__, *fragments]
        return self

    def may_raise(self):
        """Whatever PyTorch raises is recorded, its type only."""
        self.options["may_raise"] = True
        return self

    def tol(self, tolerance, gradient=None):
        self.options["tol"] = tolerance
        if gradient is not None:
            self.options["grad_tol"] = gradient
        return self

    def bits(self):
        """The result must be equal bit for bit, NaN aside."""
        self.options["tol"] = 0
        return self

    def strides(self):
        """Strides and storage offset of the result, and whether it is a view of an input, are compared."""
        self.options["strides"] = True
        return self

    def seed(self, seed):
        self.options["seed"] = seed
        return self


def call(op, *args, **kwargs):
    return Call(op, args, kwargs)


class Name:
    """An attribute of the library as an argument: ``Name("float32")``, ``Name("channels_last")``."""

    def __init__(self, name):
        self.name = name


def program(function):
    """Mark ``function(torch)``, which returns a dict of results, as a program."""
    function.is_program = True
    return function


def relative(tolerance):
    """Mark a program whose floats are compared relative to their size alone."""

    def mark(function):
        function.tolerance, function.relative = tolerance, True
        return function

    return mark


def error_of(function, *fragments):
    """The error's type that ``function()`` raises, and whether its message has the fragments; for programs."""
    try:
        function()
    except Exception as error:
        message = str(error).lower()
        missing = [fragment for fragment in fragments if fragment.lower() not in message]
        return f"{type(error).__name__}, message lacks {missing}: {error}" if missing else type(error).__name__
    return "no error"
