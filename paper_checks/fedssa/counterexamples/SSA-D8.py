"""Counterexample to SSA-D8.

Reading: any number of local steps.
Instance: 2 clients, τ = 2.
Claimed: FedAvg with weights nₖ settles at the minimiser of Σ nₖFₖ.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def settled_exact(
    h: list[Fraction], m: list[Fraction], w: list[Fraction], tau: int, eta: Fraction, noise: Fraction
) -> tuple[Fraction, Fraction]:
    """Mean and variance of the model where rounds of tau local SGD steps with fixed weights settle, 1-D quadratics."""
    keep = [(1 - eta * a) ** tau for a in h]
    held = sum(a * k for a, k in zip(w, keep, strict=True))
    mean = sum(a * (1 - k) * c for a, k, c in zip(w, keep, m, strict=True)) / (1 - held)
    own = [eta**2 * noise * sum((1 - eta * a) ** (2 * e) for e in range(tau)) for a in h]
    return Fraction(mean), Fraction(sum(a * a * v for a, v in zip(w, own, strict=True)) / (1 - held * held))


def fixed_point_exact(x: Mapping[str, Any]) -> Checked:
    """(fixed point of the round map with w = n - argmin of sum n_k F_k)^2."""
    n, m = x["share"], x["optimum"]
    h = [x["curvature"][0]] * len(n) if "equal" in x else x["curvature"]
    tau = 1 if "one_step" in x else int(x["tau"])
    eta = x["length"] / (2 * tau * max(h))
    stays, _ = settled_exact(h, m, n, tau, eta, Fraction(0))
    best = sum(a * b * c for a, b, c in zip(n, h, m, strict=True)) / sum(a * b for a, b in zip(n, h, strict=True))
    met = {"convex quadratics": min(h) > 0, "eta L <= 1/(2 tau)": 0 < x["length"] <= 1, "shares": sum(n) == 1}
    return met, {"lhs": (stays - best) ** 2}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(2)],
    'optimum': [Fraction(0), Fraction(-1)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'tau': Fraction(2),
    'length': Fraction(1),
}
hypotheses, constants = fixed_point_exact(INSTANCE)
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
