"""Counterexample to EFL-E46.

Reading: as printed, for every outcome of the batches.
Instance: 1 clients, d = 1, noisy batches.
Claimed: One stochastic step contracts up to noise, drift, heterogeneity and the objective gap.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def step_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One step at quadratic clients; the batches have two outcomes, averaged unless `pathwise`."""
    h, m, share = x["curvature"], x["optimum"], x["share"]
    clients, dims = range(len(share)), range(len(x["virtual"]))
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    p = [share[k] * x["coefficient"][k] for k in clients]
    theta = (1 + x["slack"]) * max(x["coefficient"])
    eta = x["step"] / (2 * (1 + theta) ** int(x["power"]) * L)
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    on = [Fraction(1001 if v >= Fraction(1, 2) else 1, 1000) for v in x["active"][0]]
    top = max(clients, key=lambda k: x["coefficient"][k] * on[k])
    begun = [best[i] + (x["beside"] * (m[top][i] - best[i]) if x["own"] > 0 else x["virtual"][i]) for i in dims]
    local = [[begun[i] + x["drifting"] * x["drift"][k][i] for i in dims] for k in clients]
    virtual = [begun[i] + sum(p[k] * (local[k][i] - begun[i]) for k in clients) for i in dims]  # (12) and (14)
    u = [virtual[i] - best[i] for i in dims]
    rare = x["rare"]
    worlds = [(1 / (1 + rare**2), rare), (rare**2 / (1 + rare**2), -1 / rare)]
    if x["pathwise"] > 0:
        worlds = [(Fraction(1), rare)]

    def loss(k: int, at: Any) -> Any:
        return sum(h[k][i] * (at[i] - m[k][i]) ** 2 for i in dims) / 2

    names = ("taken", "far", "apart", "noise", "steep", "above", "gap", "over")
    c = {name: Fraction(0) for name in names}
    moved = after = Fraction(0)
    for number, (chance, z) in enumerate(worlds):
        row = x["active"][number if len(x["active"]) > 1 else 0]
        w = [chance * p[k] if row[k] >= Fraction(1, 2) else Fraction(0) for k in clients]
        push = [sum(w[k] * h[k][i] * (local[k][i] - m[k][i]) for k in clients) / chance for i in dims]
        error = [x["noisy"] * z * sum(w[k] * x["noise"][k][i] for k in clients) / chance for i in dims]
        moved = moved + chance * sum((u[i] - eta * push[i]) ** 2 for i in dims)
        after = after + chance * sum((u[i] - eta * (push[i] + error[i])) ** 2 for i in dims)
        c["noise"] = c["noise"] + chance * sum(e * e for e in error)
        c["taken"] = c["taken"] + sum(w)
        c["far"] = c["far"] + sum(w[k] * (local[k][i] - best[i]) ** 2 for k in clients for i in dims)
        c["apart"] = c["apart"] + sum(w[k] * (virtual[i] - local[k][i]) ** 2 for k in clients for i in dims)
        c["steep"] = c["steep"] + sum(w[k] * (h[k][i] * (virtual[i] - m[k][i])) ** 2 for k in clients for i in dims)
        c["above"] = c["above"] + sum(w[k] * loss(k, local[k]) for k in clients)
        c["gap"] = c["gap"] + sum(w[k] * loss(k, best) for k in clients)
        c["over"] = c["over"] + sum(w[k] * loss(k, virtual) for k in clients)
    c["ahead"] = c["over"] - c["gap"]
    lhs = [
        moved,
        -2 * eta * (1 - (1 + theta) * L * eta) * c["above"] + 2 * eta * c["gap"],
        -(c["above"] - c["gap"]),
        c["gap"] - c["over"],
        after,
        (2 + mu * eta) * c["apart"] + eta**2 * c["noise"] + 2 * (2 + theta) * L * eta**2 * c["gap"],
    ][int(x["look"])]
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": all(p[k] < theta * share[k] for k in clients),
        "eta <= 1/(2 (1 + theta) L)": 0 < eta <= 1 / (2 * (1 + theta) * L),
    }
    constants = {"lhs": lhs, "eta": eta, "mu": mu, "L": L, "theta": theta, "before": sum(v * v for v in u), **c}
    return met, {**constants, "nothing": Fraction(0)}


INSTANCE = {
    'curvature': [[Fraction(1)]],
    'optimum': [[Fraction(0)]],
    'share': [Fraction(1)],
    'coefficient': [Fraction(1)],
    'slack': Fraction(1),
    'active': [[Fraction(1)]],
    'virtual': [Fraction(0)],
    'drift': [[Fraction(1)]],
    'noise': [[Fraction(-1)]],
    'rare': Fraction(1),
    'step': Fraction(1),
    'beside': Fraction(0),
    'own': Fraction(1),
    'drifting': Fraction(1),
    'noisy': Fraction(1),
    'pathwise': Fraction(1),
    'power': Fraction(1),
    'look': Fraction(4),
}
hypotheses, constants = step_exact(INSTANCE)
L = constants["L"]
ahead = constants["ahead"]
apart = constants["apart"]
before = constants["before"]
eta = constants["eta"]
gap = constants["gap"]
mu = constants["mu"]
noise = constants["noise"]
taken = constants["taken"]
theta = constants["theta"]
lhs = constants["lhs"]
rhs = Fraction(L*eta**2*gap*(2*theta + 4) - 2*ahead*eta*(-L*eta + 1)*(-L*eta*(theta + 1) + 1) + apart*(eta*mu + 2) + before*(-eta*mu*taken/2 + 1) + eta**2*noise)
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
