"""Counterexample to EA-S2.

Reading: as printed.
Instance: κ, E and t.
Claimed: With γ = max{8L/μ, E} − 1 the step size never falls by more than a half within E steps.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from fractions import Fraction

def sides(INSTANCE):
    """The hypotheses, the quantities and the left side of an instance."""
    hypotheses, constants = {}, INSTANCE
    E = constants['E']
    kappa = constants['kappa']
    t = constants['t']
    hypotheses = {
        **hypotheses,
        '1 <= kappa': 1 <= kappa,
        '1 <= E': 1 <= E,
        '0 <= t': 0 <= t,
    }
    return hypotheses, {**constants, 'lhs': 2/(t + max(E, 8*kappa) - 1)}


INSTANCE = {
    'kappa': Fraction(1),
    'E': Fraction(8),
    't': Fraction(0),
}
hypotheses, constants = sides(INSTANCE)
E = constants["E"]
kappa = constants["kappa"]
t = constants["t"]
lhs = constants["lhs"]
rhs = Fraction(4/(E + t + max(E, 8*kappa) - 1))
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
