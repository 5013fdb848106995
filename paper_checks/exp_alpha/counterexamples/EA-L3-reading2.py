"""Counterexample to EA-L3.

Reading: ηₜ non-increasing, weights free at every step.
Instance: 2 clients, E = 8, η falls, weights free.
Claimed: Inside a round the local models stay within 4η²(E − 1)G² of their mean, on average.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def local_models(x: Mapping[str, Any]) -> tuple[Any, Any, Any]:
    """Means, variances and gradients' second moments of every client before each step of the round and after it."""
    h, m, E = x["curvature"], x["optimum"], int(x["local_steps"])
    clients = range(len(h))
    means, owns, seconds = [[x["start"] for i in clients]], [[Fraction(0) for i in clients]], []
    for e in range(E):
        eta = x["step"] * (x["late"] if e == E - 1 else 1)
        w, v, s = means[-1], owns[-1], [x["noisy"] * u for u in x["sigma"]]
        seconds.append([h[i] ** 2 * ((w[i] - m[i]) ** 2 + v[i]) + s[i] ** 2 for i in clients])
        means.append([w[i] - eta * h[i] * (w[i] - m[i]) for i in clients])
        owns.append([(1 - eta * h[i]) ** 2 * v[i] + eta**2 * s[i] ** 2 for i in clients])
    return means, owns, seconds


def schedule_met(x: Mapping[str, Any]) -> dict[str, bool]:
    """The step sizes: eta_0 = step until the last of E, then step * late, for ever."""
    met = {
        "eta_t <= 2 eta_(t+E) for all t >= 0": x["step"] > 0 and x["step"] <= 2 * x["step"] * x["late"],
        "weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "noise of mean 0, independent": min(x["sigma"]) >= 0,
    }
    if x["rising"] > 0:
        met["eta_t non-decreasing"] = x["late"] >= 1
    else:
        met["eta_t non-increasing"] = x["late"] <= 1 or int(x["local_steps"]) == 1
    return met


def drift_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """E sum_i b_i |W_bar - W_i|^2 before the last step t of the round, W_bar = sum_i a_i W_i, a = rho^t, b = rho^(t+1)."""
    E, a, b = int(x["local_steps"]), x["weights"][0], x["weights"][1]
    means, owns, seconds = local_models(x)
    w, v, clients = means[E - 1], owns[E - 1], range(len(a))
    center = sum(a[i] * w[i] for i in clients)
    noise = sum(a[i] ** 2 * v[i] for i in clients)
    left = sum(b[i] * ((w[i] - center) ** 2 + (1 - 2 * a[i]) * v[i] + noise) for i in clients)
    constants = {
        "lhs": left,
        "eta": x["step"] * x["late"],
        "E": Fraction(E),
        "G2": max(max(row) for row in seconds),
    }
    return schedule_met(x), constants


INSTANCE = {
    'curvature': [Fraction(1, 3), Fraction(1, 2)],
    'optimum': [Fraction(-14), Fraction(0)],
    'start': Fraction(-6),
    'sigma': [Fraction(1), Fraction(1)],
    'weights': [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]],
    'step': Fraction(1, 2),
    'late': Fraction(1),
    'noisy': Fraction(0),
    'local_steps': Fraction(8),
    'rising': Fraction(0),
}
hypotheses, constants = drift_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
eta = constants["eta"]
lhs = constants["lhs"]
rhs = Fraction(4*G2*eta**2*(E - 1))
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
