"""Counterexample to RA-R8.

Reading: for a given federation.
Instance: FedAvg on one client, noisy.
Claimed: For αᵢ = pᵢ the speed term V has no bound.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def speed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """V of Corollary 1 at rho = 1 over F(w_0) - F*: one client, F = w^2/2, w_0 = 1, one local step."""
    sigma2 = {0: x["noise"], 1: 3 * x["wanted"] / 2, 2: x["wanted"] / 1000}[int(x["of_noise"])]
    L = mu = tau = start = Fraction(1)
    gradient2, gamma = sigma2 + start**2, 4 * L / mu
    V = 4 * L * (32 * tau**2 * gradient2 + sigma2) / (3 * mu**2) + L * gamma * start**2 / 2
    return {"sigma^2 >= 0": sigma2 >= 0}, {"lhs": x["wanted"] - V / (L * start**2 / 2)}


INSTANCE = {
    'wanted': Fraction(100),
    'noise': Fraction(1, 12),
    'of_noise': Fraction(0),
}
hypotheses, constants = speed_exact(INSTANCE)
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
