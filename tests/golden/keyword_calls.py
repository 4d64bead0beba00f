"""Calls written as text, and what they gave as text."""


def ramp_of(lib):
    def ramp(shape, dtype):
        """Numbers from 0 to 1, none twice in a row; an identity is added to square matrices, so that they can be factored."""
        count = 1
        for n in shape:
            count *= n
        return (lib.arange(1, count + 1, dtype=lib.float64) * 0.37 % 1).reshape(shape).to(dtype)

    return ramp


def outcome_of(lib, call):
    """What a call gives, or TypeError for one that is refused."""
    try:
        return described(lib, evaluated(lib, call))
    except TypeError:
        return "TypeError"


def evaluated(lib, call):
    lib.manual_seed(0)
    return eval(call, {"torch": lib, "ramp": ramp_of(lib), "inf": float("inf"), "nan": float("nan")})


def described(lib, result):
    """Shapes and dtypes of what a call gave."""
    if isinstance(result, lib.Tensor):
        return f"{str(result.dtype).removeprefix('torch.')}{list(result.shape)}"
    if isinstance(result, (list, tuple)) and not isinstance(result, lib.Size):
        return f"({', '.join(described(lib, r) for r in result)})"
    return type(result).__name__
