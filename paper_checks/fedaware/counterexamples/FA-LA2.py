"""Counterexample to FA-LA2.

Reading: any parameters >= 0.
Instance: b = e = d = 0.
Claimed: Some constant step at most 1/d makes the sum as small as a square root, a cube root and dr₀/T.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def tuned_exact(x: Mapping[str, Any]) -> Exact:
    """R = r0/T, b = R/s^2, e = R/u^3, or 0 where absent; b = e = d = 0, where every step s gives R/s > 0, in part 1."""
    R, s, u, d, nothing = x["R"], x["by_b"], x["by_e"], x["d"], Fraction(0)
    kept = [x["part"] == 0 and 2 * y < 1 for y in x["absent"]]
    step = min((v for v, k in zip((s, u, 1 / d), kept, strict=True) if k), default=s)
    b, e, d = R / s**2 if kept[0] else nothing, R / u**3 if kept[1] else nothing, d if kept[2] else nothing
    met = {
        "r0 > 0, steps positive": R > 0 and min(s, u) > 0,
        "one of b, e and d > 0 where asked": x["part"] > 0 or max(b, e, d) > 0,
    }
    terms = {"root_b": b * s, "root_e": e * u**2, "linear": d * R}
    return met, {"lhs": R / step + b * step + e * step**2, **terms}


INSTANCE = {
    'R': Fraction(1),
    'by_b': Fraction(1),
    'by_e': Fraction(1),
    'd': Fraction(1),
    'absent': [Fraction(0), Fraction(0), Fraction(0)],
    'part': Fraction(1),
}
hypotheses, constants = tuned_exact(INSTANCE)
linear = constants["linear"]
root_b = constants["root_b"]
root_e = constants["root_e"]
lhs = constants["lhs"]
rhs = Fraction(linear + 2*root_b + 2*root_e)
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
