"""Counterexample to SSA-E24.

Reading: the noise term, weights learned from the local models.
Instance: two clients, weights from local models.
Claimed: N₂ is at most 2σ²Σw_k²/τ plus twice the second moment of the weighted full gradients.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def learned_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Two clients, one local step, independent noise of two values each; weights a function of the local models."""
    s, q, lhs, power = x["sizes"], x["chance"], Fraction(0), Fraction(0)
    for i in range(2):
        for j in range(2):
            w = x["weights"][2 * i + j]
            chance = (q[0] if i == 0 else 1 - q[0]) * (q[1] if j == 0 else 1 - q[1])
            drawn = [(1 - q[0]) * s[0] if i == 0 else -q[0] * s[0], (1 - q[1]) * s[1] if j == 0 else -q[1] * s[1]]
            lhs += 2 * chance * sum(w[k] ** 2 * drawn[k] ** 2 for k in range(2))
            power += chance * sum(v * v for v in w)
    met = {
        "chances in (0, 1), so that four different pairs of local models occur": all(0 < v < 1 for v in q)
        and min(s) > 0,
        "weights on the simplex": all(sum(w) == 1 and min(w) >= 0 for w in x["weights"]),
    }
    sigma2 = max(q[k] * (1 - q[k]) * s[k] ** 2 for k in range(2))
    return met, {"lhs": lhs, "noise": sigma2, "tau": Fraction(1), "square_weights": power}


INSTANCE = {
    'sizes': [Fraction(1), Fraction(1)],
    'chance': [Fraction(1, 10), Fraction(1, 2)],
    'weights': [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)], [Fraction(1, 2), Fraction(1, 2)]],
}
hypotheses, constants = learned_exact(INSTANCE)
noise = constants["noise"]
square_weights = constants["square_weights"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(2*noise*square_weights/tau)
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
