"""Counterexample to FA-S13.5.

Reading: all weight on the largest update.
Instance: 3 clients, weight on the largest update.
Claimed: The second moment of the applied pseudo-gradient is at most one client's noise plus the applied consensus.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def outcomes(n_clients: int, rare: Any) -> list[tuple[Any, list[Any]]]:
    """(chance, noise in units of sigma per client) of every outcome."""
    q = 1 / (1 + rare * rare)
    out: list[tuple[Any, list[Any]]] = [(Fraction(1), [])]
    for _ in range(n_clients):
        out = [(p * w, [*rest, e]) for p, rest in out for w, e in ((q, rare), (1 - q, -1 / rare))]
    return out


def smallest_norm(g: list[Any]) -> list[Any]:
    """Weights on the simplex for which the weighted sum of these numbers is nearest to 0."""
    low, high = g.index(min(g)), g.index(max(g))
    share = Fraction(1) if g[low] >= 0 else Fraction(0) if g[high] <= 0 else g[high] / (g[high] - g[low])
    out = [Fraction(0) for _ in g]
    out[low] += share
    out[high] += 1 - share
    return out


def seeing_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """One round from a fixed model: expectations are sums over all outcomes of the noise."""
    h, m, lam, s, clients = x["curvature"], x["optimum"], x["share"], x["sigma"], range(len(x["share"]))
    L = max(h)
    eta_l, eta_g = x["first"] / L, x["server"]
    slopes = [h[i] * (x["start"] - m[i]) for i in clients]
    slope, H = sum(lam[i] * slopes[i] for i in clients), sum(lam[i] * h[i] for i in clients)
    names = ("one", "G", "G2", "plain2", "F", "chi", "moved", "mean_square", "together", "error")
    total = dict.fromkeys(names, Fraction(0))
    own = [Fraction(0) for _ in clients]
    for chance, noise in outcomes(len(lam), x["rare"]):
        g = [eta_l * (slopes[i] + s * noise[i]) for i in clients]
        if x["rule"] == 0:
            w = x["applied"]
        elif x["rule"] == 1:
            w = smallest_norm(g)
        else:
            chosen = max(clients, key=lambda i: (abs(g[i]), -i))
            w = [Fraction(int(i == chosen)) for i in clients]
        G = sum(w[i] * g[i] for i in clients)
        total["one"] += chance
        total["G"] += chance * G
        total["G2"] += chance * G * G
        plain = sum(lam[i] * g[i] for i in clients)
        total["plain2"] += chance * plain * plain
        total["F"] += chance * (eta_g * G * slope - H * (eta_g * G) ** 2 / 2)
        chi, squares = sum((lam[i] - w[i]) ** 2 / lam[i] for i in clients), sum(lam[i] * g[i] ** 2 for i in clients)
        total["chi"] += chance * chi
        total["moved"] += chance * (plain - G) ** 2
        total["mean_square"] += chance * squares
        total["together"] += chance * chi * squares
        total["error"] += chance * (slope - plain / eta_l) ** 2
        own = [own[i] + chance * g[i] * g[i] for i in clients]
    least = min(total["G2"], total["plain2"])
    met = {
        "noise has mean 0 and variance sigma^2, chances sum to 1": total["one"] == 1,
        "weights on the simplex, lambda positive": sum(lam) == 1 and min(lam) > 0,
        "convex, L-smooth clients": min(h) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "gamma is finite": least > 0,
    }
    constants = {
        "lhs": slope * slope,
        "variance": total["G2"] - total["G"] ** 2,
        "F": total["F"],
        "T": Fraction(1),
        "K": Fraction(1),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(own) / least if least > 0 else Fraction(0),
        "sigma2": s * s,
        "rho": total["G"] ** 2,
        **{name: total[name] for name in ("chi", "moved", "mean_square", "together", "error")},
    }
    return met, constants


def variance_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The variance of the applied pseudo-gradient on the left."""
    met, found = seeing_exact(x)
    return met, {**found, "lhs": found["variance"]}


INSTANCE = {
    'curvature': [Fraction(1), Fraction(1, 10), Fraction(1)],
    'optimum': [Fraction(0), Fraction(-10), Fraction(0)],
    'share': [Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)],
    'applied': [Fraction(1), Fraction(0), Fraction(0)],
    'start': Fraction(0),
    'first': Fraction(1, 8),
    'server': Fraction(1),
    'sigma': Fraction(1),
    'rare': Fraction(1),
    'rule': Fraction(2),
}
hypotheses, constants = variance_exact(INSTANCE)
K = constants["K"]
eta_l = constants["eta_l"]
sigma2 = constants["sigma2"]
lhs = constants["lhs"]
rhs = Fraction(K*eta_l**2*sigma2)
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
