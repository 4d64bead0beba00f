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


def with_values(lib, result):
    """Dtypes, shapes and values, to four digits."""
    if isinstance(result, lib.Tensor):
        return f"{described(lib, result)} {rounded(result.tolist())}"
    if isinstance(result, (list, tuple)) and not isinstance(result, lib.Size):
        return f"({', '.join(with_values(lib, r) for r in result)})"
    return "function" if callable(result) and not isinstance(result, type) else str(result)


def rounded(values):
    if isinstance(values, list):
        return [rounded(v) for v in values]
    return round(values, 4) + 0.0 if isinstance(values, float) else values


def argument_outcome(lib, call):
    """What a call gives, or the type of its error."""
    try:
        return with_values(lib, evaluated(lib, call))
    except Exception as error:
        return type(error).__name__
