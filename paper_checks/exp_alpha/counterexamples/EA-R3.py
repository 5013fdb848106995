"""Counterexample to EA-R3.

Reading: non-zero error whenever Γ > Ω.
Instance: a run that stays at W*, all t >= 0.
Claimed: The term (L/μ)(Γ − Ω) is an error: not negative, never decreasing with T, and left over after convergence.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def resting_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients at W* -+ apart_1 (one curvature) and W* -+ apart_2 (another), equal shares, from W*, no noise.

    Weight tilt on the first pair in the first round, `later` afterwards, halved within a pair: the two of a pair mirror
    each other at every local step, so W_bar stays at W* and F(W^T) = F* for all T. Gamma - Omega is max - min over t of
    one and the same sum.
    """
    excess = [h * a * a / 2 for h, a in zip(x["curvature"], x["apart"], strict=True)]
    sums = [s * excess[0] + (1 - s) * excess[1] for s in (x["tilt"], x["later"])]
    met = {
        "strongly convex, smooth": min(x["curvature"]) > 0,
        "weights on the simplex": all(0 <= s <= 1 for s in (x["tilt"], x["later"])),
    }
    return met, {"lhs": max(sums) - min(sums), "nothing": Fraction(0)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'apart': [Fraction(1), Fraction(2)],
    'tilt': Fraction(1),
    'later': Fraction(1, 2),
}
hypotheses, constants = resting_exact(INSTANCE)
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
