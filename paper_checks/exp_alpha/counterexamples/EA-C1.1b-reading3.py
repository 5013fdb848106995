"""Counterexample to EA-C1.1b.

Reading: Corollary 1.1, own runs, 0 <= t < T.
Instance: 2 clients, 3 steps in rounds of 1.
Claimed: With equal data sizes the size factor is 1, and Corollary 1.1 reads: weights 𝒰(Fᵢ* − Fᵢ(W̄ᵗ)) give Ω <= Ω_pr.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def own_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The strategy of Corollary 1.1 and proportional weights, each on its own run from one start; no noise, A.9's steps.

    U(y) = height_0 + the heights_k with y >= -drop_k.
    """
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    factor = [n * s for s in x["share"]] if "share" in x else [Fraction(1) for _ in range(n)]
    mu, n_local = min(h), int(x["local_steps"])
    gamma = max(8 * max(h) / mu, Fraction(n_local)) - 1
    least, defined = [], True
    for strategy in ("chosen", "proportional"):
        local, middle, seen = [x["start"] for _ in range(n)], x["start"], []
        for t in range(int(x["n_steps"])):
            excess = [h[i] * (middle - m[i]) ** 2 / 2 for i in range(n)]
            weights = [f / n for f in factor]
            if strategy == "chosen":
                u = [
                    x["height"][0]
                    + sum(b for b, d in zip(x["height"][1:], x["drop"], strict=True) if -factor[i] * excess[i] >= -d)
                    for i in range(n)
                ]
                total = sum(factor[i] * u[i] for i in range(n))
                defined = defined and total > 0
                weights = [factor[i] * u[i] / total if total else weights[i] for i in range(n)]
            seen.append(sum(weights[i] * excess[i] for i in range(n)))
            local = [local[i] - 2 / (mu * (gamma + t)) * h[i] * (local[i] - m[i]) for i in range(n)]
            middle = sum(weights[i] * local[i] for i in range(n))
            if (t + 1) % n_local == 0:
                local = [middle for _ in range(n)]
        least.append(min(seen))
    hypotheses = {
        "strongly convex, smooth": mu > 0,
        "sizes positive, U non-negative": min(factor) > 0 and min(x["height"]) >= 0,
        "weights defined at every t": defined,
    }
    return hypotheses, {"lhs": least[0], "Omega_pr": least[1]}


INSTANCE = {
    'curvature': [Fraction(1, 5), Fraction(1, 9)],
    'optimum': [Fraction(0), Fraction(0)],
    'start': Fraction(10),
    'drop': [Fraction(6), Fraction(1)],
    'height': [Fraction(0), Fraction(1), Fraction(0)],
    'local_steps': Fraction(1),
    'n_steps': Fraction(3),
}
hypotheses, constants = own_exact(INSTANCE)
Omega_pr = constants["Omega_pr"]
lhs = constants["lhs"]
rhs = Fraction(Omega_pr)
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
