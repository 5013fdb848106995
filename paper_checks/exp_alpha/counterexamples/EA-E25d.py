"""Counterexample to EA-E25d.

Reading: each strategy on its own run.
Instance: 2 clients of equal sizes, 3 steps.
Claimed: What holds at every step holds for the smallest values over the steps.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def chosen_u(x: Mapping[str, Any], y: Any) -> Any:
    """U(-y); decreasing in x = -y where `falling`."""
    c, kind = x["level"], int(x["kind"])
    y = 2 * c - y if "falling" in x and y <= 2 * c else (Fraction(0) if "falling" in x else y)
    if kind == 0:
        return c / (c + y)
    if kind == 1:
        return Fraction(1) if y <= c else Fraction(x["floor"])
    return max(c - y, Fraction(0)) if kind == 2 else Fraction(1)


def run_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Omega and Omega_pr over the first steps, E = 1, full gradients, equal sizes; each on its own run from one start."""
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    eta, found, exist = x["step"] / max(h), [], True
    for tilt in (True, False):
        w, sums = x["start"], []
        for _ in range(int(x["steps"])):
            excess = [h[i] * (w - m[i]) ** 2 / 2 for i in range(n)]
            u = [chosen_u(x, y) for y in excess] if tilt else [Fraction(1)] * n
            exist = exist and sum(u) > 0
            rho = [v / sum(u) for v in u]
            sums.append(sum(r * y for r, y in zip(rho, excess, strict=True)))
            w = w - eta * sum(rho[i] * h[i] * (w - m[i]) for i in range(n))
        found.append(min(sums))
    met = {
        "A1, A2": min(h) > 0,
        "0 < eta <= 1/(4 L)": 0 < x["step"] <= Fraction(1, 4),
        "U >= 0, non-decreasing": x["level"] > 0 and 0 <= x["floor"] <= 1,
        "the weights exist": exist,
    }
    return met, {"lhs": found[0], "right": found[1]}


INSTANCE = {
    'curvature': [Fraction(1, 4), Fraction(1)],
    'optimum': [Fraction(0), Fraction(3)],
    'start': Fraction(8),
    'step': Fraction(1, 4),
    'level': Fraction(10),
    'floor': Fraction(1),
    'kind': Fraction(2),
    'steps': Fraction(3),
}
hypotheses, constants = run_exact(INSTANCE)
right_ = constants["right"]
lhs = constants["lhs"]
rhs = Fraction(right_)
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
