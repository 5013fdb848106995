"""Counterexample to EA-R1.

Reading: smaller Ω, faster run.
Instance: 2 clients, 1 steps.
Claimed: FedAvg with time-varying weights converges as Ω/T up to Γ − Ω, and a strategy with smaller Ω converges faster.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def strategies_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Clients h_i/2 w^2, two constant weightings, E = 1, A.9's steps: min(Omega_2 - Omega_1, gap_1 - gap_2)."""
    h, p, found = x["curvature"], x["share"], []
    mu, gamma = min(h), 8 * max(h) / min(h) - 1
    for a in (x["first"], x["second"]):
        w, seen = x["start"], []
        for t in range(int(x["n_steps"])):
            seen.append(sum(a[i] * h[i] * w * w / 2 for i in range(len(h))))
            w = w - 2 / (mu * (gamma + t)) * sum(a[i] * h[i] * w for i in range(len(h)))
        found.append((min(seen), sum(p[i] * h[i] * w * w / 2 for i in range(len(h)))))
    met = {
        "strongly convex, smooth": mu > 0,
        "weights and shares on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in (p, x["first"], x["second"])),
    }
    (omega_1, gap_1), (omega_2, gap_2) = found
    return met, {"lhs": min(omega_2 - omega_1, gap_1 - gap_2), "nothing": Fraction(0)}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1, 3)],
    'share': [Fraction(1), Fraction(0)],
    'first': [Fraction(0), Fraction(1)],
    'second': [Fraction(1), Fraction(0)],
    'start': Fraction(-1),
    'n_steps': Fraction(1),
}
hypotheses, constants = strategies_exact(INSTANCE)
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
