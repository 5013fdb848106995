"""Counterexample to EFL-C1b.

Reading: more local steps lower C/(JTE).
Instance: C and J from EFL-T1-R.
Claimed: The probability above which an inactive client should go is of the order C/(JTE).
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def more_steps_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """theta = 2, sum p = 1, sum p s = sum p^2 s/p^k = E = m, D the mean of the D_k; the bracket is E, (sum p - 2)_+ = 0."""
    mu, L, G2, D = x["mu"], x["mu"] * x["kappa"], x["G2"], x["D"]

    def value(E: Any) -> Any:
        B = E * x["sigma2"] + 2 * 4 * L * E * D + (2 + mu / (2 * 3 * L)) * E * (E - 1) * G2 * E
        C = (16 * E) ** 2 * (B + 2 * E * G2 * E) / (mu * E) ** 2
        J = 32 * E * (E * D) / (mu * E)
        return C / (J * E)

    met = {"0 < mu <= L, D > 0": mu > 0 and x["kappa"] >= 1 and D > 0, "E >= 2": x["E"] >= 2}
    return met, {"lhs": value(x["E"]), "fewer": value(Fraction(1))}


INSTANCE = {
    'mu': Fraction(1),
    'kappa': Fraction(1),
    'sigma2': Fraction(1),
    'G2': Fraction(1),
    'D': Fraction(1),
    'E': Fraction(9),
}
hypotheses, constants = more_steps_exact(INSTANCE)
fewer = constants["fewer"]
lhs = constants["lhs"]
rhs = Fraction(fewer)
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
