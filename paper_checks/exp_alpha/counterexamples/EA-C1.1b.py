"""Counterexample to EA-C1.1b.

Reading: Corollary 1.1, own runs, all t >= 0.
Instance: a run at rest, all t >= 0.
Claimed: With equal data sizes the size factor is 1, and Corollary 1.1 reads: weights 𝒰(Fᵢ* − Fᵢ(W̄ᵗ)) give Ω <= Ω_pr.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def resting_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients 1, 2 at middle -+ apart with one curvature, the others alike; U(y) = 1 for y >= -(their excess), else 0.

    From the middle the weights are (1/2, 1/2, 0, ...) and the two gradients cancel at every step, inside rounds too: W_bar
    stays for all t >= 0. Proportional weights with A.9's steps tend to W*, so the infimum over t of their weighted
    excess is its value at W*.
    """
    others = int(x["copies"])
    h = [x["curvature"][0], x["curvature"][0]] + [x["curvature"][1]] * others
    m = [x["middle"] - x["apart"], x["middle"] + x["apart"]] + [x["third"]] * others
    excess = [c * (x["middle"] - v) ** 2 / 2 for c, v in zip(h, m, strict=True)]
    u = [1 if -e >= -excess[0] else 0 for e in excess]
    best = sum(c * v for c, v in zip(h, m, strict=True)) / sum(h)
    hypotheses = {
        "strongly convex, smooth": min(h) > 0,
        "weights (1/2, 1/2, 0, ...)": u == [1, 1] + [0] * others,
        "the run rests: the weighted gradient is 0 and the first two mirror each other": h[0] * (x["middle"] - m[0])
        == -h[1] * (x["middle"] - m[1]),
    }
    omega = sum(a * e for a, e in zip(u, excess, strict=True)) / 2
    least = sum(c * (best - v) ** 2 for c, v in zip(h, m, strict=True)) / (2 * len(h))
    return hypotheses, {"lhs": omega, "Omega_pr": least}


INSTANCE = {
    'curvature': [Fraction(1, 2), Fraction(1)],
    'middle': Fraction(0),
    'apart': Fraction(1),
    'third': Fraction(-1),
    'copies': Fraction(30),
}
hypotheses, constants = resting_exact(INSTANCE)
Omega_pr = constants["Omega_pr"]
lhs = constants["lhs"]
rhs = Fraction(Omega_pr)
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
