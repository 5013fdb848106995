"""Counterexample to FA-VAR.

Reading: over the whole run.
Instance: 1 clients, dimension 1, K = 1, T = 2.
Claimed: The variance of the pseudo-gradient is at most Kη_l²σ_l².
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def power_sum(base: Any, count: int) -> Any:
    """1 + base + … + base^(count − 1)."""
    return sum((base**j for j in range(count)), Fraction(0))


def smallest_square(first: Any, cross: Any, second: Any) -> Any:
    """Least value of b²·first + 2b(1 − b)·cross + (1 − b)²·second over 0 <= b <= 1."""
    apart = first + second - 2 * cross
    b = min(max((second - cross) / apart, Fraction(0)), Fraction(1)) if apart > 0 else Fraction(0)
    return b * b * first + 2 * b * (1 - b) * cross + (1 - b) * (1 - b) * second


def run_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAvg, client by client and coordinate by coordinate: mean mu and variance v of the model in every round."""
    h, m, lam, K, T = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), int(x["n_rounds"])
    clients, axes, zero = range(len(lam)), range(len(x["start"])), Fraction(0)
    L = max(abs(y) for row in h for y in row)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    part = [[1 - (1 - eta_l * y) ** K for y in row] for row in h]
    variances = [s * s for s in x["sigma"]] if "sigma" in x else [zero for _ in clients]
    noise = [
        [eta_l**2 * s * power_sum((1 - eta_l * y) ** 2, K) / len(row) for y in row]
        for s, row in zip(variances, h, strict=True)
    ]
    rows = x.get("applied", [lam])
    H = [sum(lam[i] * h[i][j] for i in clients) for j in axes]
    mu, v = list(x["start"]), [zero for _ in axes]
    grads, rhos, fulls, chis, both, gammas, spreads = [], [], [], [], [], [], []

    def loss(at: Any, spread: Any) -> Any:
        return sum(lam[i] * h[i][j] * ((at[j] - m[i][j]) ** 2 + spread[j]) / 2 for i in clients for j in axes)

    before = loss(mu, v)
    for t in range(T):
        a = rows[t % len(rows)]
        g = [[part[i][j] * (mu[j] - m[i][j]) for j in axes] for i in clients]
        mean = [sum(a[i] * g[i][j] for i in clients) for j in axes]
        A = [sum(a[i] * part[i][j] for i in clients) for j in axes]
        W = [sum(a[i] ** 2 * noise[i][j] for i in clients) for j in axes]
        slopes = [[h[i][j] * (mu[j] - m[i][j]) for j in axes] for i in clients]
        slope = [sum(lam[i] * slopes[i][j] for i in clients) for j in axes]
        own = [sum(g[i][j] ** 2 + part[i][j] ** 2 * v[j] + noise[i][j] for j in axes) for i in clients]
        seen = sum(mean[j] ** 2 + A[j] ** 2 * v[j] for j in axes)
        square = seen + sum(W)
        if x["everywhere"] > 0 and len(lam) == 2:
            cross = sum(g[0][j] * g[1][j] + part[0][j] * part[1][j] * v[j] for j in axes)
            square = smallest_square(own[0], cross, own[1])
        gammas.append(max(own) / square if square > 0 else Fraction(10**10))
        grads.append(sum(slope[j] ** 2 + H[j] ** 2 * v[j] for j in axes))
        rhos.append(seen)
        fulls.append(sum(y * y for y in mean))
        chis.append(sum((p - b) ** 2 / p for p, b in zip(lam, a, strict=True)))
        both.append(chis[-1] * seen)
        spreads.append(
            sum(lam[i] * ((slopes[i][j] - slope[j]) ** 2 + (h[i][j] - H[j]) ** 2 * v[j]) for i in clients for j in axes)
        )
        mu = [y - eta_g * s for y, s in zip(mu, mean, strict=True)]
        v = [(1 - eta_g * A[j]) ** 2 * v[j] + eta_g**2 * W[j] for j in axes]
    convex = min(H) > 0
    start = [sum(lam[i] * h[i][j] * m[i][j] for i in clients) / H[j] if convex else zero for j in axes]
    met = {
        "L-smooth clients, L the largest |curvature|": L > 0,
        "lambda and lambda tilde on the simplex": all(sum(r) == 1 and min(r) >= 0 for r in [lam, *rows])
        and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8) and x["window"] >= 1,
        "gamma is finite, below 10^9": max(gammas) < 10**9,
    }
    constants = {
        "lhs": sum(grads) / T,
        "low": min(grads),
        "F": before - loss(mu, v),
        "F_star": sum(H[j] * (x["start"][j] - start[j]) ** 2 / 2 for j in axes),
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": x["window"] / x["first"] ** 2,
        "gamma": max(gammas),
        "sigma2": max(variances),
        "sg2": max(spreads),
        "rho": sum(rhos) / T,
        "rho_full": sum(fulls) / T,
        "chi": sum(chis) / T,
        "chi_rho": sum(both) / T,
        "one": Fraction(1),
    }
    return met, constants


def over_run_exact(x: Mapping[str, Any]) -> Exact:
    """Of the second round only the part of the variance that the random model brings."""
    met, both = run_exact({**x, "n_rounds": Fraction(2)})
    _, first = run_exact({**x, "n_rounds": Fraction(1)})
    return met, {**both, "lhs": 2 * both["rho"] - first["rho"] - (2 * both["rho_full"] - first["rho_full"])}


INSTANCE = {
    'curvature': [[Fraction(1)]],
    'optimum': [[Fraction(0)]],
    'share': [Fraction(1)],
    'start': [Fraction(0)],
    'first': Fraction(1, 8),
    'server': Fraction(10),
    'sigma': [Fraction(1)],
    'window': Fraction(1),
    'local_steps': Fraction(1),
    'n_rounds': Fraction(2),
    'everywhere': Fraction(0),
}
hypotheses, constants = over_run_exact(INSTANCE)
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
