"""Counterexample to EA-R6.

Reading: ΣρᵢΩᵢ at most the mean.
Instance: 2 clients, E = 2.
Claimed: The loss change of a round can stand for −Ωᵢ: it orders the clients alike and makes Exp-α lower ΣρᵢΩᵢ.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def slack() -> Fraction:
    """What the rounding of `exp_near` can never add up to, relative to the numbers of an instance."""
    return Fraction(1, 10**30)


def exp_near(x: Fraction) -> Fraction:
    """e^x for rational x <= 700 with a relative error below 10^-100, in 400-bit fixed point; 0 for x < -700.

    The denominator is a power of 2, so that sums over many clients stay short.
    """
    bits = 400
    if x < -700:
        return Fraction(0)
    if x < 0:
        inverse = exp_near(-x)
        shift = bits + inverse.numerator.bit_length()
        return Fraction((inverse.denominator << shift) // inverse.numerator, 1 << shift)
    halvings = int(x).bit_length() + 1
    reduced = (x.numerator << bits) // (x.denominator << halvings)  # x/2^halvings, below 1/2
    term = total = 1 << bits
    k = 0
    while term:
        k += 1
        term = ((term * reduced) >> bits) // k
        total += term
    for _ in range(halvings):
        total = (total * total) >> bits
    return Fraction(total, 1 << bits)


def exp_weights(scores: list[Fraction], alpha: Fraction) -> list[Fraction]:
    """Weights proportional to e^(score/alpha), their sum exactly 1, each with a relative error below 10^-99."""
    top = max(scores)
    raw = [exp_near((s - top) / alpha) for s in scores]
    return [r / sum(raw) for r in raw]


def misordered(larger: list[Fraction], smaller: list[Fraction]) -> Fraction:
    """The largest min(a_i - a_j, b_i - b_j) over pairs: positive where a larger a comes with a larger b."""
    n = range(len(larger))
    return max(min(larger[i] - larger[j], smaller[i] - smaller[j]) for i in n for j in n)


def facts_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """One round of E steps, step size step/L, of clients h/2 (w - m)^2 from `start`, no noise; excess losses."""
    n, n_local = len(x["optimum"]), int(x["local_steps"])
    h = [x["curvature"][0] for _ in range(n)] if "alike" in x else x["curvature"]
    m = [Fraction(0) for _ in range(n - 1)] + [x["optimum"][-1]] if "one_moved" in x else x["optimum"]
    start = x["progress"] * sum(m) / n if "met" in x else x["start"]
    eta, paths = x["step"] / max(h), [[start] for _ in range(n)]
    for i in range(n):
        for _ in range(n_local):
            paths[i].append(paths[i][-1] - eta * h[i] * (paths[i][-1] - m[i]))
    mean = sum(x["weights"][i] * paths[i][-2] for i in range(n))
    met = {
        "strongly convex, smooth": min(h) > 0,
        "0 < eta L <= 1": 0 < x["step"] <= 1,
        "weights on the simplex": sum(x["weights"]) == 1 and min(x["weights"]) >= 0,
    }
    return met, {
        "shift": [abs(v) for v in m],
        "before": [h[i] * (start - m[i]) ** 2 / 2 for i in range(n)],
        "after": [h[i] * (paths[i][-1] - m[i]) ** 2 / 2 for i in range(n)],
        "late": [h[i] * (mean - m[i]) ** 2 / 2 for i in range(n)],
        "slowest": (1 - eta * min(h)) ** (2 * n_local),
    }


def weighed_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """sum rho_i Omega_i at W^(T-E), rho of Exp-alpha, against the plain mean of the Omega_i."""
    met, f = facts_exact(x)
    sign = -1 if "reversed" in x else 1
    a = exp_weights([sign * (u - v) for u, v in zip(f["after"], f["before"], strict=True)], x["alpha"])
    lhs = sum(w * b for w, b in zip(a, f["before"], strict=True)) - slack() * max(f["before"])
    met = {**met, "alpha > 0": x["alpha"] > 0}
    return met, {"lhs": lhs, "average": sum(f["before"]) / len(f["before"])}


INSTANCE = {
    'curvature': [Fraction(3), Fraction(1, 9)],
    'optimum': [Fraction(0), Fraction(-13)],
    'start': Fraction(1),
    'step': Fraction(1, 2),
    'weights': [Fraction(1), Fraction(0)],
    'alpha': Fraction(1),
    'progress': Fraction(1),
    'local_steps': Fraction(2),
}
hypotheses, constants = weighed_exact(INSTANCE)
average = constants["average"]
lhs = constants["lhs"]
rhs = Fraction(average)
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
