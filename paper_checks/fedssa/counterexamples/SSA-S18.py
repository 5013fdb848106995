"""Counterexample to SSA-S18.

Reading: a divisor of any sign.
Instance: 1 rounds.
Claimed: Summing (53) over the rounds and dividing by the coefficient of the gradient gives (55).
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


def summed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Any values F_t and gradients G_t that obey (53) round by round, F_inf <= F_t for all t."""
    met, c = steps_exact(x)
    tau, eta, L, C = c["tau"], c["eta"], c["L"], c["C"]
    A, B, W_D, s2, G = x["A"], x["B"], x["W_D"], x["noise"], x["gradients"]
    rest = L * tau * eta**2 * s2 * x["square_weights"] + tau * eta * B * W_D / 2
    rest += tau * (tau - 1) * s2 * L**2 * eta**3 / (1 - C) + tau * eta * B * C / (1 - C)
    factor = 1 - W_D - 2 * A * C / (1 - C)
    F = [Fraction(0)]
    for g, slack in zip(G, x["slack"], strict=True):
        F.append(F[-1] - tau * eta / 2 * factor * g + rest - slack * rest)
    low = min(F) - x["room"] * rest
    met = {
        **met,
        "(53) in every round": all(F[t + 1] - F[t] <= -tau * eta / 2 * factor * G[t] + rest for t in range(len(G))),
        "F >= F_inf": all(v >= low for v in F),
        "squares": min(G) >= 0,
        "divisor positive where that is asked": "any_sign" in x or factor > 0,
    }
    kept = {k: x[k] for k in ("A", "B", "W_D", "noise", "square_weights")}
    return met, {**c, **kept, "lhs": sum(G) / len(G), "drop": F[0] - low, "T": Fraction(len(G))}


INSTANCE = {
    'local_steps': Fraction(1),
    'reach': Fraction(1, 2),
    'L': Fraction(1),
    'noise': Fraction(1),
    'any_sign': Fraction(1),
    'gradients': [Fraction(1)],
    'A': Fraction(1),
    'B': Fraction(1),
    'W_D': Fraction(2),
    'square_weights': Fraction(1),
    'slack': [Fraction(0)],
    'room': Fraction(1),
}
hypotheses, constants = summed_exact(INSTANCE)
A = constants["A"]
B = constants["B"]
C = constants["C"]
L = constants["L"]
T = constants["T"]
W_D = constants["W_D"]
drop = constants["drop"]
eta = constants["eta"]
noise = constants["noise"]
square_weights = constants["square_weights"]
tau = constants["tau"]
lhs = constants["lhs"]
rhs = Fraction(2*B*C/(-2*A*C - C - W_D*(1 - C) + 1) + B*W_D*(1 - C)/(-2*A*C - C - W_D*(1 - C) + 1) + L**2*eta**2*noise*(2*tau - 2)/(-2*A*C - C - W_D*(1 - C) + 1) + L*eta*noise*square_weights*(2 - 2*C)/(-2*A*C - C - W_D*(1 - C) + 1) + drop*(2 - 2*C)/(T*eta*tau*(-2*A*C - C - W_D*(1 - C) + 1)))
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
