"""Counterexample to EFL-S5.

Reading: restart, with noise.
Instance: a client and the others, restart, noisy, M = 2.
Claimed: Restarting the schedule brings the model nearer to the new optimum, and (10) and (11) shrink with the client's sample size.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def arrival_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(n_a/(n + n_a))^2 D_a for two numbers of samples of client a; or E|w - w_hat|^2 after 20 rounds, restarted or not."""
    h, own, away, big = x["curvature"], x["own"], x["away"], x["more"]
    small = big * x["fewer"]
    met = {"n_a' < n_a": small < big}
    if "fixed" in x:
        return met, {"lhs": ((small / (1 + small)) ** 2 - (big / (1 + big)) ** 2) * own * away**2}
    if "restart" in x:
        stiff, mu, L = (h + big * own) / (1 + big), min(h, own), max(h, own)
        noise = x["sigma"] * h if "noisy" in x else Fraction(0)
        ends = []
        for first in (Fraction(0), x["passed"]):
            mean, var = -big * own * away / (h + big * own), Fraction(0)
            for tau in range(20):
                eta = 16 / (mu * (first + tau + 1 + 64 * L / mu))
                mean, var = mean * (1 - eta * stiff), var * (1 - eta * stiff) ** 2 + (eta * noise) ** 2
            ends.append(mean * mean + var)
        return met, {"lhs": ends[1] - ends[0] if "slower" in x else ends[0] - ends[1]}
    sides = []
    if "nearer" in x:
        for arriving in (0, 1):
            for at in (away * x["fewer"], away):
                new = arriving * big * own * at / (h + big * own)
                sides.append((big / (1 + big)) ** 2 * own * (at - new) ** 2 / 2)
        return {"0 < c < 1": 0 < x["fewer"] < 1}, {"lhs": max(sides[0] - sides[1], sides[2] - sides[3])}
    for r in (small, big):
        new = r * own * away / (h + r * own) if "arrives" in x else Fraction(0)
        sides.append((r / (1 + r)) ** 2 * own * (away - new) ** 2 / 2)
    if "few" in x:
        met["n_a^2 h_a <= n^2 h"] = big * big * own <= h
    return met, {"lhs": sides[0] - sides[1]}


INSTANCE = {
    'curvature': Fraction(1),
    'own': Fraction(1),
    'away': Fraction(0),
    'more': Fraction(1),
    'fewer': Fraction(1, 2),
    'sigma': Fraction(1),
    'passed': Fraction(2),
    'restart': Fraction(1),
    'noisy': Fraction(1),
}
hypotheses, constants = arrival_exact(INSTANCE)
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
