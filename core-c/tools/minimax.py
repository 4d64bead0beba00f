"""Minimax polynomials and rational functions by the Remez exchange algorithm (E. Ya. Remez, 1934), in mpmath.

`fit` approximates f(x) by P(x)/Q(x) on [lo, hi] so that the largest |P/Q - f| * weight is smallest, and rounds the
coefficients to float32 or float64 one after the other, the rest being fitted anew each time (polynomials only).
"""

import mpmath as mp
import numpy as np

mp.mp.prec = 200


def _chebyshev_points(lo, hi, count):
    middle, half = (lo + hi) / 2, (hi - lo) / 2
    return [middle - half * mp.cos(mp.pi * i / (count - 1)) for i in range(count)]


def _extrema(error, grid):
    """The signed local extrema of error over grid, alternating in sign."""
    values = [error(x) for x in grid]
    best = []
    for x, value in zip(grid, values):
        if best and (value > 0) == (best[-1][1] > 0):
            if abs(value) > abs(best[-1][1]):
                best[-1] = (x, value)
        else:
            best.append((x, value))
    return best


def _trim(points, count):
    while len(points) > count:
        if abs(points[0][1]) < abs(points[-1][1]):
            points.pop(0)
        else:
            points.pop()
    return points


def _remez(f, weight, lo, hi, powers, denominator, rounds=12, density=40):
    count = len(powers) + denominator + 1
    grid = _chebyshev_points(lo, hi, density * count)
    samples = {x: (f(x), weight(x)) for x in grid}
    nodes = [grid[round(i * (len(grid) - 1) / (count - 1))] for i in range(count)]
    level = mp.mpf(0)
    for _ in range(rounds):
        inner = 1 if denominator == 0 else 12
        for _ in range(inner):
            rows, right = [], []
            for i, x in enumerate(nodes):
                value, scale = samples[x]
                sign = (-1) ** i
                target = value + sign * level / scale
                row = [x ** p for p in powers] + [-target * x ** (k + 1) for k in range(denominator)]
                rows.append(row + [-sign / scale])
                right.append(value)
            solution = list(mp.lu_solve(mp.matrix(rows), mp.matrix(right)))
            new_level = solution[-1]
            settled = abs(new_level - level) <= abs(new_level) * mp.mpf(10) ** -8
            level = new_level
            if settled:
                break
        top = solution[:len(powers)]
        bottom = [mp.mpf(1)] + solution[len(powers):-1]

        def error(x):
            value, scale = samples[x]
            numerator = sum(c * x ** p for c, p in zip(top, powers))
            return (numerator / sum(c * x ** k for k, c in enumerate(bottom)) - value) * scale

        points = _extrema(error, grid)
        if len(points) < count:
            break
        points = _trim(points, count)
        nodes = [x for x, _ in points]
        largest = max(abs(v) for _, v in points)
        if largest < abs(level) * mp.mpf("1.001"):
            break
    return top, bottom, max(abs(error(x)) for x in grid)


def _rounded(value, kind):
    if kind is None:
        return value
    return mp.mpf(float(np.float32(float(value))) if kind == "f32" else float(value))


def fit(f, lo, hi, powers, denominator=0, weight=lambda x: mp.mpf(1), kind="f64"):
    """Return (numerator coefficients, denominator coefficients, largest weighted error before rounding)."""
    lo, hi = mp.mpf(lo), mp.mpf(hi)
    top, bottom, worst = _remez(f, weight, lo, hi, list(powers), denominator)
    if denominator:
        return [_rounded(c, kind) for c in top], [_rounded(c, kind) for c in bottom], worst
    fixed, left = [], list(powers)
    while left:
        fixed.append((left.pop(0), _rounded(top[0], kind)))
        if left:
            known = list(fixed)
            top = top[1:]
            try:
                refit, _, error = _remez(lambda x: f(x) - sum(c * x ** p for p, c in known), weight, lo, hi, left, 0)
            except ZeroDivisionError:  # the remaining powers all vanish at a node
                continue
            if error < 2 * worst:
                top = refit
    return [c for _, c in fixed], bottom, worst


def shortest(value, kind):
    """The shortest decimal that rounds to the coefficient, as a C literal."""
    return np.format_float_scientific(np.float32(float(value)), trim="0") + "f" if kind == "f32" else repr(float(value))
