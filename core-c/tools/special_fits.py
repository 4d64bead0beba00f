"""Writes core-c/src/base/special_tables.h: `python core-c/tools/special_fits.py`. Needs mpmath.

Each table holds the Chebyshev coefficients c of f(t) = c[0] + sum c[k] T_k(t), -1 <= t <= 1, by interpolation at the zeros of
T_N (Mason and Handscomb, Chebyshev Polynomials, 2003, 6.3), which is within a small factor of the best approximation. What
each f is follows from DLMF 10.2, 10.17, 10.25, 10.31, 10.40 (Bessel), 9.2 and 9.7 (Airy). Coefficients below 2^-57 of the
largest are left out. `GAMMA_UNIFORM` holds Taylor coefficients of eta / (lambda - 1) with eta^2 / 2 = lambda - 1 - ln(lambda).
"""

from pathlib import Path

import mpmath as mp

mp.mp.prec = 160
TARGET = Path(__file__).resolve().parent.parent / "src" / "base" / "special_tables.h"
TINY = mp.mpf(10) ** -20


def chebyshev(f, low, high, count=44):
    low, high = mp.mpf(low), mp.mpf(high)
    angles = [mp.pi * (2 * k + 1) / (2 * count) for k in range(count)]
    values = [f((low + high) / 2 + (high - low) / 2 * mp.cos(a)) for a in angles]
    found = [2 * mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles)) / count for j in range(count)]
    found[0] /= 2
    least = max(abs(c) for c in found) * mp.mpf(2) ** -57
    while abs(found[-1]) < least:
        found.pop()
    assert len(found) < count - 2, "the series has not converged"
    return found


def root(f, power=1):
    """f of x with x^2 = z."""
    return lambda z: f(mp.sqrt(max(z, TINY)))


def inverse(f, scale):
    """f of x with scale / x = u."""
    return lambda u: f(scale / max(u, mp.mpf(10) ** -6 * (1 + u)))


def j_phase(order, quadrature):
    """P or Q x / 8 of DLMF 10.17.3 as a function of w = (8 / x)^2."""

    def f(w):
        x = 8 / mp.sqrt(max(w, mp.mpf(10) ** -8 * (1 + w)))
        angle = x - (2 * order + 1) * mp.pi / 4
        j, y, size = mp.besselj(order, x), mp.bessely(order, x), mp.sqrt(mp.pi * x / 2)
        return size * (y * mp.cos(angle) - j * mp.sin(angle)) * x / 8 if quadrature else size * (j * mp.cos(angle) + y * mp.sin(angle))

    return f


ZETA2 = 2 * mp.sqrt(8) / 3  # 2/3 x^(3/2) at 2
ZETA4 = mp.mpf(16) / 3


def airy_x(zeta):
    return (mp.mpf(3) / 2 * zeta) ** (mp.mpf(2) / 3)


def airy_phase(quadrature):
    """The even or odd sum of DLMF 9.7.9, the odd one times zeta / ZETA4, as a function of w = (ZETA4 / zeta)^2."""

    def f(w):
        zeta = ZETA4 / mp.sqrt(max(w, mp.mpf(10) ** -6 * (1 + w)))
        x, angle = airy_x(zeta), zeta - mp.pi / 4
        a, b, size = mp.airyai(-x), mp.airybi(-x), mp.sqrt(mp.pi) * mp.sqrt(mp.sqrt(x))
        return size * (mp.sin(angle) * a + mp.cos(angle) * b) * zeta / ZETA4 if quadrature else size * (mp.cos(angle) * a - mp.sin(angle) * b)

    return f


def airy_decay(u):
    zeta = ZETA2 / max(u, mp.mpf(10) ** -4)
    x = airy_x(zeta)
    return 2 * mp.sqrt(mp.pi) * mp.sqrt(mp.sqrt(x)) * mp.exp(zeta) * mp.airyai(x)


TABLES = {
    "I0_SMALL": (lambda x: mp.exp(-x) * mp.besseli(0, x), 0, 8),
    "I0_LARGE": (inverse(lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(0, x), 8), 0, 1),
    "I1_SMALL": (lambda x: mp.exp(-x) * mp.besseli(1, x) / x, 0, 8),
    "I1_LARGE": (inverse(lambda x: mp.sqrt(x) * mp.exp(-x) * mp.besseli(1, x), 8), 0, 1),
    "K0_SMALL": (root(lambda x: mp.besselk(0, x) + mp.log(x / 2) * mp.besseli(0, x)), 0, 4),
    "K0_LARGE": (inverse(lambda x: mp.sqrt(x) * mp.exp(x) * mp.besselk(0, x), 2), 0, 1),
    "K1_SMALL": (root(lambda x: x * (mp.besselk(1, x) - mp.log(x / 2) * mp.besseli(1, x))), 0, 4),
    "K1_LARGE": (inverse(lambda x: mp.sqrt(x) * mp.exp(x) * mp.besselk(1, x), 2), 0, 1),
    "J0_SMALL": (root(lambda x: mp.besselj(0, x)), 0, 64),
    "J1_SMALL": (root(lambda x: mp.besselj(1, x) / x), 0, 64),
    "Y0_SMALL": (root(lambda x: mp.bessely(0, x) - 2 / mp.pi * mp.log(x) * mp.besselj(0, x)), 0, 64),
    "Y1_SMALL": (root(lambda x: (mp.bessely(1, x) - 2 / mp.pi * (mp.log(x) * mp.besselj(1, x) - 1 / x)) / x), 0, 64),
    "P0": (j_phase(0, False), 0, 1),
    "Q0": (j_phase(0, True), 0, 1),
    "P1": (j_phase(1, False), 0, 1),
    "Q1": (j_phase(1, True), 0, 1),
    "AIRY_NEAR": (mp.airyai, -4, 2),
    "AIRY_DECAY": (airy_decay, 0, 1),
    "AIRY_P": (airy_phase(False), 0, 1),
    "AIRY_Q": (airy_phase(True), 0, 1),
}


def gamma_uniform(count=26):
    """From f f' eta-derivatives: f = d ln(lambda) / d eta, and (lambda - 1) f = eta, matched power by power."""
    excess, f = [mp.mpf(0), mp.mpf(1)], [mp.mpf(1)]  # of lambda - 1 and of f
    # lambda' = lambda f and (lambda - 1) f = eta give lambda' = f + eta: excess[n + 1] (n + 1) = f[n] + [n == 1]
    for n in range(1, count):
        # the power n + 1 of (lambda - 1) f is 0; its unknowns are f[n] and excess[n + 1] = (f[n] + [n == 1]) / (n + 1)
        known = mp.fsum(excess[i] * f[n + 1 - i] for i in range(2, n + 1))
        extra = mp.mpf(1 if n == 1 else 0) / (n + 1)
        f.append(-(known + extra) / (1 + mp.mpf(1) / (n + 1)))
        excess.append(f[n] / (n + 1) + extra)
    return f


def main():
    lines = ["/* Written by core-c/tools/special_fits.py, which says what each table is; not edited by hand. */", "#pragma once", ""]
    tables = {name: chebyshev(*fit) for name, fit in TABLES.items()}
    tables["GAMMA_UNIFORM"] = gamma_uniform()
    for name, values in tables.items():
        lines.append(f"static const double {name}[{len(values)}] = {{")
        lines += ["    " + ", ".join(repr(float(v)) for v in values[i:i + 4]) + "," for i in range(0, len(values), 4)]
        lines.append("};\n")
    TARGET.write_text("\n".join(lines[:-1] + ["};"]) + "\n")
    print(sum(map(len, tables.values())), "coefficients", {k: len(v) for k, v in tables.items()})


if __name__ == "__main__":
    main()
