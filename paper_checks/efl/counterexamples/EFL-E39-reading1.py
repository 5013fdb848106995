"""Counterexample to EFL-E39.

Reading: middle member as printed.
Instance: 2 clients, d = 1.
Claimed: The squared distance after a full-gradient step, in terms of drift, distances and excess losses.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def terms_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every quantity of (33)-(39) for quadratic clients; models are given as offsets from the minimiser w*."""
    h, m, share, clients = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    dims = range(len(x["virtual"]))
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta, p = x["step"] / L, [share[k] * x["coefficient"][k] for k in clients]
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    virtual = [best[i] + x["virtual"][i] for i in dims]
    local = [[best[i] + x["local"][k][i] for i in dims] for k in clients]
    g = [[h[k][i] * (local[k][i] - m[k][i]) for i in dims] for k in clients]
    on = [1 if x["active"][k] >= Fraction(1, 2) else 0 for k in clients]

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    def mean(values: Any) -> Any:
        return sum(p[k] * on[k] * values[k] for k in clients)

    push = [mean([g[k][i] for k in clients]) for i in dims]
    norms = [sum(v * v for v in g[k]) for k in clients]
    first = [local[0][i] - best[i] for i in dims]
    lhs = [
        on[0] * norms[0],
        eta**2 * sum(v * v for v in push),
        on[0] * mu / 2 * sum(v * v for v in first),
        -2 * eta * sum((virtual[i] - best[i]) * push[i] for i in dims),
        sum((virtual[i] - eta * push[i] - best[i]) ** 2 for i in dims),
    ][int(x["look"])]
    constants = {
        "lhs": lhs,
        "eta": eta,
        "mu": mu,
        "L": L,
        "theta": (1 + x["slack"]) * max(p[k] / share[k] for k in clients),
        "before": sum((virtual[i] - best[i]) ** 2 for i in dims),
        "far": mean([sum((local[k][i] - best[i]) ** 2 for i in dims) for k in clients]),
        "apart": mean([sum((local[k][i] - virtual[i]) ** 2 for i in dims) for k in clients]),
        "slopes": mean(norms),
        "above": mean([loss(k, local[k]) for k in clients]),
        "gap": mean([loss(k, best) for k in clients]),
        "jensen": sum(p[k] ** 2 / share[k] * on[k] * norms[k] for k in clients),
        "own_above": on[0] * loss(0, local[0]),
        "own_gap": on[0] * loss(0, best),
        "own_inner": on[0] * sum(first[i] * g[0][i] for i in dims),
    }
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
    }
    return met, constants


INSTANCE = {
    'curvature': [[Fraction(1)], [Fraction(1)]],
    'optimum': [[Fraction(0)], [Fraction(-1)]],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'coefficient': [Fraction(1), Fraction(1)],
    'slack': Fraction(1),
    'active': [Fraction(0), Fraction(1)],
    'virtual': [Fraction(0)],
    'local': [[Fraction(0)], [Fraction(0)]],
    'step': Fraction(1, 10),
    'look': Fraction(4),
}
hypotheses, constants = terms_exact(INSTANCE)
L = constants["L"]
above = constants["above"]
apart = constants["apart"]
before = constants["before"]
eta = constants["eta"]
far = constants["far"]
mu = constants["mu"]
slopes = constants["slopes"]
theta = constants["theta"]
lhs = constants["lhs"]
rhs = Fraction(2*L*above*eta**2*theta + apart + before + eta**2*slopes - 2*eta*(above + far*mu/2))
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
