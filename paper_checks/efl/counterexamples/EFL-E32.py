"""Counterexample to EFL-E32.

Reading: E[A₂] = 0, activity depends on the batches.
Instance: one client, two outcomes.
Claimed: The full-gradient step splits into distance, inner product and squared gradient; the cross term has mean 0.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def cross_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E[A_2], A_2 = (u - eta p a b)(p a b - p a (b + n)), over the two outcomes of the batch."""
    p, r, b = x["coefficient"], x["rare"], x["slope"]
    mean, noise = Fraction(0), Fraction(0)
    for index, chance, n in ((0, 1 / (1 + r * r), r * x["noise"]), (1, r * r / (1 + r * r), -x["noise"] / r)):
        a = 1 if x["active"][index if x["sees"] > 0 else 0] >= Fraction(1, 2) else 0
        mean = mean + chance * (x["virtual"] - x["step"] * p * a * b) * (p * a * b - p * a * (b + n))
        noise = noise + chance * n
    return {"E g = g_bar": noise == 0}, {"lhs": abs(mean), "nothing": Fraction(0)}


INSTANCE = {
    'coefficient': Fraction(1),
    'step': Fraction(1),
    'slope': Fraction(-1),
    'virtual': Fraction(0),
    'noise': Fraction(-1),
    'rare': Fraction(1),
    'active': [Fraction(1), Fraction(0)],
    'sees': Fraction(1),
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
