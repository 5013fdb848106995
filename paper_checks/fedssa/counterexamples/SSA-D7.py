"""Counterexample to SSA-D7.

Reading: the weights, with gradient noise.
Instance: 2 clients, noise.
Claimed: If the target is client 1's distribution, F = F₁ is the objective and all weight on client 1 is optimal.
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


def target_exact(x: Mapping[str, Any]) -> Checked:
    """E F_1 where training settles with all weight on client 1, less that with the other weights."""
    h, m, w, tau = x["curvature"], x["optimum"], x["weights"], int(x["tau"])
    eta = x["length"] / (2 * tau * max(h))
    losses = []
    for v in ([Fraction(k == 0) for k in range(len(h))], w):
        mean, spread = settled_exact(h, m, v, tau, eta, x["noise"])
        losses.append(h[0] * ((mean - m[0]) ** 2 + spread) / 2)
    met = {
        "A.1, A.2: convex quadratics": min(h) > 0,
        "target = client 1, distinct from the others": all(abs(c - m[0]) > Fraction(1, 1000) for c in m[1:]),
        "eta L <= 1/(2 tau)": 0 < x["length"] <= 1,
        "weights on the simplex": sum(w) == 1 and min(w) >= 0,
        "A.3: independent noise of variance sigma^2": x["noise"] >= 0,
    }
    return met, {"lhs": losses[1] - losses[0] if "even" in x else losses[0] - losses[1]}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-1)],
    'weights': [Fraction(1, 2), Fraction(1, 2)],
    'tau': Fraction(1),
    'length': Fraction(1),
    'noise': Fraction(2),
}
hypotheses, constants = target_exact(INSTANCE)
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
