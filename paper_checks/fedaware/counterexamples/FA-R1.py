"""Counterexample to FA-R1.

Reading: the bound on the updates, as quoted.
Instance: identical clients on the line.
Claimed: With the usual bound on local updates put into Ψ, Theorem 4.2 gives the same bound as Theorem 4.1.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def update_exact(x: Mapping[str, Any]) -> Checked:
    """Identical clients h x^2/2, no noise: both variances are 0."""
    h, at, K = x["curvature"], x["point"], int(x["local_steps"])
    eta = x["step"] / (8 * h * K)
    here = at
    for _ in range(K):
        here = here - eta * h * here
    met = {"eta_l <= 1/(8 L K)": eta > 0 and 8 * eta * h * K <= 1}
    zero = Fraction(0)
    constants = {"K": Fraction(K), "eta_l": eta, "sigma_l2": zero, "sigma_g2": zero, "slope2": (h * at) ** 2}
    return met, {**constants, "lhs": (at - here) ** 2}


INSTANCE = {
    'curvature': Fraction(1),
    'point': Fraction(1),
    'step': Fraction(1),
    'local_steps': Fraction(1),
}
hypotheses, constants = update_exact(INSTANCE)
K = constants["K"]
eta_l = constants["eta_l"]
sigma_g2 = constants["sigma_g2"]
sigma_l2 = constants["sigma_l2"]
lhs = constants["lhs"]
rhs = Fraction(K*eta_l**2*(6*K*sigma_g2 + sigma_l2))
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
