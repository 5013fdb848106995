"""Counterexample to FA-TAB1.2.

Reading: minima of their own.
Instance: 2 clients on the line.
Claimed: The local gradients are at most a constant times the global one.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def measured_exact(x: Mapping[str, Any]) -> Checked:
    """The same at rational points; the root of the dissimilarity is rounded up to a rational sigma."""
    h, m, p = x["curvature"], x["optimum"], x["weights"]
    m = [m[0] for _ in m] if "common" in x else m
    clients = range(len(h))
    H = sum(p[i] * h[i] for i in clients)
    best = sum(p[i] * h[i] * m[i] for i in clients) / H
    at = best if "best" in x else x["point"]
    g = [h[i] * (at - m[i]) for i in clients]
    mean = sum(p[i] * g[i] for i in clients)
    spread = sum(p[i] * (g[i] - mean) ** 2 for i in clients)
    scale = 10**18
    root = Fraction(int(Fraction(spread * scale * scale)) + 1, 1)
    low, high = 0, max(1, int(root))
    while low < high:  # the least whole number whose square is at least root
        middle = (low + high) // 2
        low, high = (low, middle) if middle * middle >= root else (middle + 1, high)
    sigma = Fraction(low, scale) * (1 + x["slack"])
    met = {
        "mu > 0": min(h) > 0,
        "weights on the simplex": sum(p) == 1 and min(p) >= 0,
        "sigma^2 at least the dissimilarity": sigma * sigma >= spread,
    }
    constants = {
        "lhs": sum(p[i] * (g[i] ** 2 if "square" in x else abs(g[i])) for i in clients),
        "slope": abs(mean),
        "mean_slope2": mean * mean,
        "sigma": sigma,
        "sigma2": spread,
        "kappa": max(h) / min(h),
        "norm0": sum(p[i] * abs(h[i] * (x["other"] - m[i])) for i in clients),
        "reach": max(h) * abs(at - x["other"]),
    }
    return met, constants


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-1)],
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'point': Fraction(0),
    'other': Fraction(0),
    'slack': Fraction(1),
    'best': Fraction(1),
}
hypotheses, constants = measured_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
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
