"""Counterexample to EA-C1.1.

Reading: one sequence, «∝» normalised.
Instance: 2 clients, 1 models.
Claimed: Weights that do not grow with a client's excess loss give an Ω no larger than that of proportional weights.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def common_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Omega of the strategy of Corollary 1.1 and Omega_pr along the same models; U rises by `rise` at each argument."""
    h, m, n = x["curvature"], x["optimum"], len(x["optimum"])
    size = [Fraction(1) for _ in range(n)] if "equal" in x else x["size"]
    factor = [n * s / sum(size) for s in size]
    excess = [[h[i] * (w - m[i]) ** 2 / 2 for i in range(n)] for w in x["points"]]
    sign = -1 if "reversed" in x else 1
    met = sorted(-sign * factor[i] * row[i] for row in excess for i in range(n))
    omegas, plains, defined = [], [], True
    for row in excess:
        u = [sum(r for a, r in zip(met, x["rise"], strict=True) if a <= -sign * factor[i] * row[i]) for i in range(n)]
        defined = defined and sum(u) > 0
        if not defined:
            break
        if "summed" in x:
            weights = [factor[i] * u[i] / sum(u) for i in range(n)]
        else:
            weights = [factor[i] * u[i] / sum(factor[j] * u[j] for j in range(n)) for i in range(n)]
        omegas.append(sum(weights[i] * row[i] for i in range(n)))
        plains.append(sum(factor[i] * row[i] for i in range(n)) / n)
    hypotheses = {
        "strongly convex, smooth": min(h) > 0,
        "data sizes positive": min(size) > 0,
        "U non-negative and non-decreasing": min(x["rise"]) >= 0,
        "weights defined at every t": defined,
    }
    return hypotheses, {"lhs": min(omegas, default=Fraction(0)), "Omega_pr": min(plains, default=Fraction(0))}


INSTANCE = {
    'size': [Fraction(1), Fraction(2)],
    'curvature': [Fraction(1, 3), Fraction(1)],
    'optimum': [Fraction(-1), Fraction(0)],
    'points': [Fraction(1)],
    'rise': [Fraction(0), Fraction(1)],
}
hypotheses, constants = common_exact(INSTANCE)
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
