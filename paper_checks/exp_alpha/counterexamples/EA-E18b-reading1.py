"""Counterexample to EA-E18b.

Reading: the last inequality alone, weights free at every step.
Instance: 2 bent clients, d = 1.
Claimed: The pieces put together, with the squared distances of the clients to W* replaced by that of their mean.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def bent_values_exact(x: Mapping[str, Any]) -> tuple[dict[str, bool], dict[str, Any]]:
    """The same, coordinate by coordinate."""
    low, high, m, W, best = x["low"], x["high"], x["optimum"], x["local"], x["best"]
    b = x["weights"][1]
    a = b if x["kept"] > 0 else x["weights"][0]
    clients, dims = range(len(W)), range(len(best))

    def slope(i: int, j: int, w: Any) -> Any:
        return (high[i][j] if w >= m[i][j] else low[i][j]) * (w - m[i][j])

    def excess(i: int, w: Any) -> Any:
        return sum(slope(i, j, w[j]) * (w[j] - m[i][j]) for j in dims) / 2

    mu, L = min(min(r) for r in [*low, *high]), max(max(r) for r in [*low, *high])
    eta = x["step"] / L
    g = [[slope(i, j, W[i][j]) for j in dims] for i in clients]
    bar = [sum(a[i] * W[i][j] for i in clients) for j in dims]
    mean = [sum(b[i] * g[i][j] for i in clients) for j in dims]
    met = {
        "A1, A2: mu > 0; W* the optimum of one more such client, with all of the data and no weight": mu > 0,
        "0 < eta <= 1/(4 L)": 0 < 4 * x["step"] <= 1,
        "weights on the simplex at every step": all(sum(r) == 1 and min(r) >= 0 for r in x["weights"]),
    }
    found = {
        "L": L,
        "mu": mu,
        "eta": eta,
        "at_local": sum(b[i] * excess(i, W[i]) for i in clients),
        "at_best": sum(b[i] * excess(i, best) for i in clients),
        "before": sum((bar[j] - best[j]) ** 2 for j in dims),
        "spread": sum(b[i] * (bar[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "squares": sum(b[i] * g[i][j] ** 2 for i in clients for j in dims),
        "square": sum(mean[j] ** 2 for j in dims),
        "towards": sum(b[i] * (best[j] - W[i][j]) * g[i][j] for i in clients for j in dims),
        "away": sum(b[i] * (best[j] - W[i][j]) ** 2 for i in clients for j in dims),
        "after": sum((bar[j] - eta * mean[j] - best[j]) ** 2 for j in dims),
    }
    return met, found


def jensen_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """|W_bar^t - W*|^2 against sum rho_i^(t+1) |W* - W_i|^2."""
    met, found = bent_values_exact(x)
    return met, {**found, "lhs": found["before"], "spread": found["away"]}


INSTANCE = {
    'low': [[Fraction(1)], [Fraction(1)]],
    'high': [[Fraction(1)], [Fraction(1)]],
    'optimum': [[Fraction(0)], [Fraction(0)]],
    'local': [[Fraction(0)], [Fraction(-1)]],
    'weights': [[Fraction(0), Fraction(1)], [Fraction(1), Fraction(0)]],
    'best': [Fraction(0)],
    'step': Fraction(1, 10),
    'kept': Fraction(0),
}
hypotheses, constants = jensen_exact(INSTANCE)
spread = constants["spread"]
lhs = constants["lhs"]
rhs = Fraction(spread)
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
