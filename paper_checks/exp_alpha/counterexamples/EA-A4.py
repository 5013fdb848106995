"""Counterexample to EA-A4.

Reading: at the aggregated models Wᵗ, as printed.
Instance: 2 clients, E = 10, three rounds, model-dependent noise.
Claimed: One number bounds the second moments of all stochastic gradients where the proofs use them, at the Wᵢᵗ.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def visited_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
    """Largest E|noise|^2 and E|grad f|^2 of every client, at aggregated models and at all models; and bounds on both.

    From the raw moments E w_i and E w_i w_j of all pairs of clients.
    """
    h, m, s, tau = x["curvature"], x["optimum"], x["sigma"], x["tau"]
    clients, rounds, E = range(len(h)), len(x["weights"]), int(x["local_steps"])
    eta = x["step"] / (max(h) * (1 + tau**2))
    rate = [eta * k for k in h]
    first, pair = x["start"], x["start"] ** 2
    noise: dict[str, list[Any]] = {"sync": [Fraction(0) for i in clients], "all": [Fraction(0) for i in clients]}
    grad: dict[str, list[Any]] = {"sync": [Fraction(0) for i in clients], "all": [Fraction(0) for i in clients]}
    for r in range(rounds + 1):
        mean = [first for i in clients]
        both = [[pair for j in clients] for i in clients]
        for e in range(E if r < rounds else 1):
            off = [both[i][i] - 2 * m[i] * mean[i] + m[i] ** 2 for i in clients]
            for i in clients:
                own = h[i] ** 2 * (tau**2 * off[i] + s[i] ** 2)
                for key in ("sync", "all") if e == 0 else ("all",):
                    noise[key][i] = max(noise[key][i], own)
                    grad[key][i] = max(grad[key][i], own + h[i] ** 2 * off[i])
            if r == rounds:
                break
            keep = [1 - q for q in rate]
            both = [
                [
                    keep[i] * keep[j] * both[i][j]
                    + keep[i] * rate[j] * m[j] * mean[i]
                    + keep[j] * rate[i] * m[i] * mean[j]
                    + rate[i] * rate[j] * m[i] * m[j]
                    + (rate[i] ** 2 * (tau**2 * off[i] + s[i] ** 2) if i == j else 0)
                    for j in clients
                ]
                for i in clients
            ]
            mean = [keep[i] * mean[i] + rate[i] * m[i] for i in clients]
        if r < rounds:
            a = x["weights"][r]
            first = sum(a[i] * mean[i] for i in clients)
            pair = sum(a[i] * a[j] * both[i][j] for i in clients for j in clients)
    width = max([x["start"], *m]) - min([x["start"], *m])
    far = 2 * width**2 + max(s) ** 2
    met = {
        "A1, A2: curvatures positive": min(h) > 0,
        "weights on the simplex in every round": all(sum(a) == 1 and min(a) >= 0 for a in x["weights"]),
        "eta L (1 + tau^2) <= 1": 0 < x["step"] <= 1,
    }
    return met, {
        "noise": noise,
        "grad": grad,
        "noise_cap": [h[i] ** 2 * (tau**2 * far + s[i] ** 2) for i in clients],
        "grad_cap": [h[i] ** 2 * ((1 + tau**2) * far + s[i] ** 2) for i in clients],
    }


def gradient_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The largest second moment at the models visited, over all clients, minus the largest at the aggregated ones."""
    met, c = visited_exact(x)
    return met, {"lhs": max(c["grad"]["all"]) - max(c["grad"]["sync"])}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0)],
    'start': Fraction(0),
    'sigma': [Fraction(1), Fraction(1)],
    'tau': Fraction(1),
    'step': Fraction(1),
    'weights': [[Fraction(0), Fraction(1)], [Fraction(1, 2), Fraction(1, 2)], [Fraction(0), Fraction(1)]],
    'local_steps': Fraction(10),
}
hypotheses, constants = gradient_exact(INSTANCE)
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
