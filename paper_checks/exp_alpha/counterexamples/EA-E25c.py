"""Counterexample to EA-E25c.

Reading: «∝» with normalisation.
Instance: 2 clients.
Claimed: The weighted excess under the weights of the corollary is at most the proportional one.
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


def tilted_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], list[Any], list[Any]]:
    """Hypotheses, a_i = N p_i Omega_i and U(-a_i)."""
    p, n = x["share"], len(x["share"])
    a = [n * p[i] * x["Omega"][i] for i in range(n)]
    met = {
        "sizes positive, shares sum to one": min(p) > 0 and sum(p) == 1,
        "Omega_i >= 0": min(x["Omega"]) >= 0,
        "U >= 0, non-decreasing": x["level"] > 0 and 0 <= x["floor"] <= 1,
    }
    return met, a, [chosen_u(x, y) for y in a]


def rewritten_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i Omega_i with rho_i = N p_i rho~_i, or normalised, against sum p_i Omega_i."""
    met, a, u = tilted_exact(x)
    n, p = len(a), x["share"]
    rho = [n * p[i] * u[i] / sum(u) for i in range(n)]
    if "normal" in x:
        rho = [r / sum(rho) for r in rho]
    left = sum(r * o for r, o in zip(rho, x["Omega"], strict=True))
    return met, {"lhs": left, "right": sum(s * o for s, o in zip(p, x["Omega"], strict=True))}


INSTANCE = {
    'share': [Fraction(1000000, 1000001), Fraction(1, 1000001)],
    'Omega': [Fraction(1), Fraction(2)],
    'level': Fraction(1),
    'floor': Fraction(0),
    'kind': Fraction(2),
    'normal': Fraction(1),
}
hypotheses, constants = rewritten_exact(INSTANCE)
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
