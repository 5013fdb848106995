"""Counterexample to RA-Q16.

Reading: similar at w* and where the run ends.
Instance: two mirrored clients, weights near 1/2.
Claimed: Where the clients' losses are nearly equal, leaning to one of them ends at a model with an error.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def mild_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gamma/2 - (F - F*) at the limit of weights 1/2 ± tilt: two clients with minimisers -1 and 1, p = 1/2."""
    w = (Fraction(1, 2) + x["tilt"]) - (Fraction(1, 2) - x["tilt"])
    end, best = ([(v + 1) * (v + 1) / 2, (v - 1) * (v - 1) / 2] for v in (w, Fraction(0)))
    Gamma = sum(best, Fraction(0)) / 2
    met = {"losses within 10 % of each other": 10 * max(end) <= 11 * min(end)}
    return met, {"lhs": 3 * Gamma / 2 - sum(end, Fraction(0)) / 2}


INSTANCE = {
    'tilt': Fraction(0),
}
hypotheses, constants = mild_exact(INSTANCE)
lhs = constants["lhs"]
rhs = Fraction(0)
for name, met in hypotheses.items():
    print(f"hypothesis {name}: {met}")
for side, value in (("left side ", lhs), ("right side", rhs)):
    short = max(abs(value.numerator), value.denominator) < 10**60
    print(f"{side} = {value} = {float(value):.6g}" if short else f"{side} = about {float(value):.6g}")
violated = all(hypotheses.values()) and lhs > rhs
print("violated" if violated else "NOT violated")
raise SystemExit(0 if violated else 1)
