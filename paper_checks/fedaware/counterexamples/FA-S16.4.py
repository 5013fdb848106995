"""Counterexample to FA-S16.4.

Reading: FedAWARE's own weights.
Instance: FedAWARE, 2 clients, K = 2, T = 4.
Claimed: The mean of χ² times ρ over the rounds is replaced by the product of their means.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def aware_run_exact(x: Mapping[str, Any]) -> Exact:
    """FedAWARE round by round with K local steps, m^0 = g^0, weights of smallest norm over the averages of all clients."""
    h, best, lam, alpha, clients = x["curvature"], x["optimum"], x["share"], x["alpha"], range(len(x["share"]))
    K, T, L = int(x["local_steps"]), int(x["n_rounds"]), max(x["curvature"])
    eta_l, eta_g = x["first"] / (L * K), x["server"]

    def update(i: int, model: Any) -> Any:
        here = model
        for _ in range(K):
            here = here - eta_l * h[i] * (here - best[i])
        return model - here

    def f(model: Any) -> Any:
        return sum(lam[i] * h[i] * (model - best[i]) ** 2 / 2 for i in clients)

    m: list[Any] = []
    at, grads, rhos, chis, gammas, alone = x["start"], [], [], [], [], True
    for _ in range(T):
        g = [update(i, at) for i in clients]
        m = [(1 - alpha) * a + alpha * b for a, b in zip(m, g, strict=True)] if m else g
        alone = alone and all(min(v) > 0 or max(v) < 0 for v in (g, m))
        shortest = min(clients, key=lambda i: abs(m[i]))
        alone = alone and all(i == shortest or abs(m[i]) > abs(m[shortest]) for i in clients)
        grads.append(sum(lam[i] * h[i] * (at - best[i]) for i in clients) ** 2)
        rhos.append(g[shortest] ** 2)
        chis.append(sum((lam[i] - int(i == shortest)) ** 2 / lam[i] for i in clients))
        gammas.append(max(v * v for v in g) / min(v * v for v in g) if min(map(abs, g)) > 0 else Fraction(0))
        at = at - eta_g * m[shortest]
    met = {
        "convex, L-smooth clients, lambda on the simplex": min(h) > 0 and sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "0 < alpha <= 1": 0 < alpha <= 1,
        "one sign and one shortest average in every round, so gamma is finite": alone,
    }
    return met, {
        "lhs": sum(grads) / T,
        "F": f(x["start"]) - f(at),
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(gammas),
        "sigma2": Fraction(0),
        "rho": sum(rhos) / T,
        "chi": sum(chis) / T,
        "chi_rho": sum(a * b for a, b in zip(chis, rhos, strict=True)) / T,
    }


def aware_products_exact(x: Mapping[str, Any]) -> Exact:
    """Mean over FedAWARE's rounds of chi^2 rho on the left."""
    met, found = aware_run_exact(x)
    return met, {**found, "lhs": found["chi_rho"]}


INSTANCE = {
    'curvature': [Fraction(7, 3), Fraction(33, 2)],
    'optimum': [Fraction(-25, 8), Fraction(0)],
    'share': [Fraction(138, 139), Fraction(1, 139)],
    'start': Fraction(-89, 2),
    'first': Fraction(1, 8),
    'server': Fraction(100),
    'alpha': Fraction(1, 7),
    'local_steps': Fraction(2),
    'n_rounds': Fraction(4),
}
hypotheses, constants = aware_products_exact(INSTANCE)
chi = constants["chi"]
rho = constants["rho"]
lhs = constants["lhs"]
rhs = Fraction(chi*rho)
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
