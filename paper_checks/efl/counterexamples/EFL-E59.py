"""Counterexample to EFL-E59.

Reading: at most, bracket as printed.
Instance: 1 clients, E = 3, d = 1.
Claimed: The mean of B over a round, with p_τᵏ/pᵏ bounded by θ.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def moments_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Mean and variance of every local model step by step; the virtual model is the sum of p times the local moves."""
    h, m, share, n_local, look = x["curvature"], x["optimum"], x["share"], len(x["active"]), int(x["look"])
    clients, dims = range(len(share)), range(len(h[0]))
    p = [share[k] * x["coefficient"][k] for k in clients]
    theta = (1 + x["slack"]) * max(x["coefficient"])
    mu, L = min(min(row) for row in h), max(max(row) for row in h)
    eta, half = x["step"] / (2 * (1 + theta) * L), Fraction(1, 2)
    best = [sum(share[k] * h[k][i] * m[k][i] for k in clients) / sum(share[k] * h[k][i] for k in clients) for i in dims]
    gaps = [sum(h[k][i] * (best[i] - m[k][i]) ** 2 for i in dims) / 2 for k in clients]
    start = [best[i] + x["virtual"][i] for i in dims]
    mean = [list(start) for _ in clients]
    var = [[Fraction(0) for _ in dims] for _ in clients]
    j_looked = min(int(x["part"] * n_local), n_local - 1)
    drift = noise = skew = G2 = Fraction(0)
    for j in range(n_local):
        on = [1 if v >= half else 0 for v in x["active"][j]]
        for k in clients:
            second = sum(h[k][i] ** 2 * ((mean[k][i] - m[k][i]) ** 2 + var[k][i]) + x["sigma"][k] ** 2 for i in dims)
            G2 = max(G2, second)
            if on[k] and (look != 0 or j == j_looked):
                for i in dims:
                    virtual = start[i] + sum(p[q] * (mean[q][i] - start[i]) for q in clients)
                    apart = (virtual - mean[k][i]) ** 2 + (1 - p[k]) ** 2 * var[k][i]
                    apart = apart + sum(p[q] ** 2 * var[q][i] for q in clients if q != k)
                    drift = drift + p[k] * apart
                noise = noise + p[k] ** 2 * len(h[0]) * x["sigma"][k] ** 2
                skew = skew + p[k] * gaps[k]
        for k in clients:
            if on[k]:
                mean[k] = [mean[k][i] - eta * h[k][i] * (mean[k][i] - m[k][i]) for i in dims]
                var[k] = [(1 - eta * h[k][i]) ** 2 * var[k][i] + (eta * x["sigma"][k]) ** 2 for i in dims]
    done = [sum(1 for row in x["active"] if row[k] >= half) for k in clients]
    B = (
        (2 + mu / (2 * (1 + theta) * L)) * drift / (eta**2 if x["divided"] > 0 else 1)
        + noise
        + 2 * (2 + theta) * L * skew
    )
    met = {
        "A1, A2: 0 < mu <= curvatures <= L": mu > 0,
        "p^k on the simplex, all positive": sum(share) == 1 and min(share) > 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta <= 1/(2 (1 + theta) L)": 0 < eta <= 1 / (2 * (1 + theta) * L),
    }
    constants = {
        "lhs": -B if look == 2 else B,
        "E": Fraction(n_local),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "noise": noise,
        "skew": skew,
        "steps": sum(p[k] * done[k] for k in clients),
        "total": sum(p),
        "squares": sum(p[k] ** 2 / share[k] * done[k] for k in clients),
    }
    return met, constants


INSTANCE = {
    'curvature': [[Fraction(1)]],
    'optimum': [[Fraction(0)]],
    'share': [Fraction(1)],
    'coefficient': [Fraction(10)],
    'slack': Fraction(1),
    'active': [[Fraction(1)], [Fraction(1)], [Fraction(1)]],
    'virtual': [Fraction(-1)],
    'sigma': [Fraction(0)],
    'part': Fraction(0),
    'step': Fraction(1),
    'divided': Fraction(1),
    'look': Fraction(1),
}
hypotheses, constants = moments_exact(INSTANCE)
E = constants["E"]
G2 = constants["G2"]
L = constants["L"]
mu = constants["mu"]
noise = constants["noise"]
skew = constants["skew"]
steps = constants["steps"]
theta = constants["theta"]
total = constants["total"]
lhs = constants["lhs"]
rhs = Fraction(E*G2*(2 + mu/(L*(2*theta + 2)))*(E - 1)*(2*steps + theta*(total - 2)) + L*skew*(2*theta + 4) + noise)
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
