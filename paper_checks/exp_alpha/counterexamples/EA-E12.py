"""Counterexample to EA-E12.

Reading: E[A₂] = 0, weights that may see the samples.
Instance: 2 noisy clients, weights that may see the samples.
Claimed: The squared distance after a step splits into a part without noise, a cross term of mean 0 and the noise.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def cross_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E A_2, A_2 = 2 eta (W_bar - W* - eta g_bar)(g_bar - g); client i's noise is +-L sigma_i, independently."""
    h, m, W, n = x["curvature"], x["optimum"], x["local"], len(x["curvature"])
    L, total = max(h), Fraction(0)
    eta, bar = x["step"] / L, sum(x["past"][i] * W[i] for i in range(n))
    for row in range(2**n):
        b = x["table"][row if x["sees"] > 2 else 0]
        drawn = [h[i] * (W[i] - m[i]) + (L if (row >> (n - 1 - i)) & 1 else -L) * x["sigma"][i] for i in range(n)]
        g_bar = sum(b[i] * h[i] * (W[i] - m[i]) for i in range(n))
        g = sum(b[i] * drawn[i] for i in range(n))
        total += 2 * eta * (bar - x["best"] - eta * g_bar) * (g_bar - g) / 2**n
    met = {
        "A1, A2: mu > 0": min(h) > 0,
        "0 < eta <= 1/(4 L)": 0 < 4 * x["step"] <= 1,
        "weights on the simplex for every outcome": all(sum(r) == 1 and min(r) >= 0 for r in [*x["table"], x["past"]]),
    }
    return met, {"lhs": total if x["signed"] > 0 else abs(total), "nothing": Fraction(0)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0)],
    'local': [Fraction(0), Fraction(0)],
    'past': [Fraction(1), Fraction(0)],
    'table': [[Fraction(0), Fraction(1)], [Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(1), Fraction(0)]],
    'best': Fraction(-1),
    'sigma': [Fraction(1), Fraction(1)],
    'step': Fraction(1, 4),
    'sees': Fraction(3),
    'signed': Fraction(0),
}
hypotheses, constants = cross_exact(INSTANCE)
nothing = constants["nothing"]
lhs = constants["lhs"]
rhs = Fraction(nothing)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    try:
        about = f"{float(value):.6g}"
    except OverflowError:
        about = "beyond the range of floats"
    print(f"{side} = {value} = {about}" if short else f"{side} = about {about}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
