"""Counterexample to SSA-S15.

Reading: weights that sum to one, of any sign.
Instance: 3 clients.
Claimed: Weighting the drifts and using A.4 for every client leaves the weights out of the bound.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def steps_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Fraction]]:
    """tau, eta, L and C = 2 tau (tau - 1) eta^2 L^2."""
    t, L = x["local_steps"], x["L"]
    eta = x["reach"] / (t * L)
    met = {"tau >= 1, eta > 0": t >= 1 and eta > 0 and L > 0, "eta L <= 1/(2 tau)": "far" in x or 2 * t * eta * L <= 1}
    return met, {"tau": Fraction(t), "eta": eta, "L": L, "C": 2 * t * (t - 1) * eta**2 * L**2}


def mean_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Weighted drifts N_k within (49), gradients G_k within A |grad F|^2 + B, both any such numbers."""
    met, c = steps_exact(x)
    w = list(x["weights"])
    if "one" in x:
        w = [*w[:-1], 1 - sum(w[:-1])]
    cap, near = x["A"] * x["grad2"] + x["B"], 1 - c["C"]
    a = (c["tau"] - 1) * c["L"] ** 2 * c["eta"] ** 2 * x["noise"]
    G = [f * cap for f in x["gradients"]]
    N = [f * (a / near + c["C"] / near * v) for f, v in zip(x["drifts"], G, strict=True)]
    met = {
        **met,
        "0 <= G_k <= A |grad F|^2 + B": all(0 <= v <= cap for v in G),
        "0 <= N_k <= (49)": all(0 <= v <= a / near + c["C"] / near * u for v, u in zip(N, G, strict=True)),
        "weights sum to one": sum(w) == 1,
        "w_k >= 0 where that is asked": "one" in x or min(w) >= 0,
    }
    lhs = c["tau"] * c["eta"] * sum(a * b for a, b in zip(w, N, strict=True))
    return met, {**c, **{k: x[k] for k in ("A", "B", "grad2", "noise")}, "lhs": lhs}


INSTANCE = {
    'local_steps': Fraction(2),
    'reach': Fraction(1, 2),
    'L': Fraction(1),
    'noise': Fraction(1),
    'one': Fraction(1),
    'weights': [Fraction(0), Fraction(2), Fraction(0)],
    'gradients': [Fraction(0), Fraction(1), Fraction(0)],
    'drifts': [Fraction(0), Fraction(1), Fraction(0)],
    'A': Fraction(1),
    'B': Fraction(1),
    'grad2': Fraction(1),
}
hypotheses, constants = mean_exact(INSTANCE)
A = constants["A"]
B = constants["B"]
C = constants["C"]
L = constants["L"]
eta = constants["eta"]
grad2 = constants["grad2"]
noise = constants["noise"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(A*C*eta*grad2*tau/(1 - C) + B*C*eta*tau/(1 - C) + L**2*eta**3*noise*tau*(tau - 1)/(1 - C))
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
