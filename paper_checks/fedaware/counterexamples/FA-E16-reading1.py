"""Counterexample to FA-E16.

Reading: as printed, everybody takes part.
Instance: 1 clients, K = 2, T = 12, taking part everybody always.
Claimed: FedAWARE with moving averages obeys the bound of Corollary 4.1 up to coefficients multiplied by β.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def smallest_norm(g: list[Any]) -> list[Any]:
    """Weights on the simplex for which the weighted sum of these numbers is nearest to 0."""
    low, high = g.index(min(g)), g.index(max(g))
    share = Fraction(1) if g[low] >= 0 else Fraction(0) if g[high] <= 0 else g[high] / (g[high] - g[low])
    out = [Fraction(0) for _ in g]
    out[low] += share
    out[high] += 1 - share
    return out


def smallest_square(first: Any, cross: Any, second: Any) -> Any:
    """Least value of b²·first + 2b(1 − b)·cross + (1 − b)²·second over 0 <= b <= 1."""
    apart = first + second - 2 * cross
    b = min(max((second - cross) / apart, Fraction(0)), Fraction(1)) if apart > 0 else Fraction(0)
    return b * b * first + 2 * b * (1 - b) * cross + (1 - b) * (1 - b) * second


def moving_run_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """FedAWARE with m^0 = g^0, pattern by pattern of participation."""
    h, best, lam, clients = x["curvature"], x["optimum"], x["share"], range(len(x["share"]))
    K, T, N, alpha = int(x["local_steps"]), int(x["n_rounds"]), len(x["share"]), x["alpha"]
    always = x["taking_part"] > 0
    p = Fraction(1) if always else x["p"]
    L = max(h)
    eta_l, eta_g = x["first"] / (L * K), x["server"]
    part = [1 - (1 - eta_l * y) ** K for y in h]

    def f(at: Any) -> Any:
        return sum(lam[i] * h[i] * (at - best[i]) ** 2 / 2 for i in clients)

    grads, squares, chis, total, F = [Fraction(0)] * T, [Fraction(0)] * T, Fraction(0), Fraction(0), Fraction(0)
    grams = [[[Fraction(0)] * N for _ in clients] for _ in range(T)]
    for number in range(1 if always else 2 ** ((T - 1) * N)):
        bits, chance, at, m = number, Fraction(1), x["start"], [Fraction(0)] * N
        for t in range(T):
            g = [part[i] * (at - best[i]) for i in clients]
            for i in clients:
                there = True
                if t and not always:
                    there, bits = bits % 2 == 1, bits // 2
                    chance *= p if there else 1 - p
                m[i] = g[i] if t == 0 else (1 - alpha) * m[i] + alpha * g[i] if there else m[i]
            if t == 0:
                kept = []
            w = smallest_norm(m)
            kept.append((at, g, w))
            at = at - eta_g * sum(w[i] * m[i] for i in clients)
        total += chance
        F += chance * (f(x["start"]) - f(at))
        for t, (model, g, w) in enumerate(kept):
            grads[t] += chance * sum(lam[i] * h[i] * (model - best[i]) for i in clients) ** 2
            squares[t] += chance * sum(w[i] * g[i] for i in clients) ** 2
            chis += chance * sum((lam[i] - w[i]) ** 2 / lam[i] for i in clients)
            for i in clients:
                for j in clients:
                    grams[t][i][j] += chance * g[i] * g[j]
    gammas = []
    for t in range(T):
        lowest = squares[t]
        if N == 2:
            lowest = min(lowest, smallest_square(grams[t][0][0], grams[t][0][1], grams[t][1][1]))
        gammas.append(max(grams[t][i][i] for i in clients) / lowest if lowest > 0 else Fraction(10**10))
    met = {
        "convex, L-smooth clients, lambda on the simplex": min(h) > 0 and sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8),
        "0 < alpha <= 1, 0 < p <= 1, probabilities sum to 1": 0 < alpha <= 1 and 0 < p <= 1 and total == 1,
        "gamma is finite, below 10^9": max(gammas) < 10**9,
    }
    constants = {
        "lhs": sum(grads) / T,
        "F": F,
        "T": Fraction(T),
        "K": Fraction(K),
        "eta": eta_l * eta_g,
        "eta_l": eta_l,
        "eta_g": eta_g,
        "L": L,
        "c": 1 / x["first"] ** 2,
        "gamma": max(gammas),
        "sigma2": Fraction(0),
        "rho": sum(squares) / T,
        "chi": chis / T,
        "beta": (1 - alpha * p) ** 2,
    }
    return met, constants


INSTANCE = {
    'curvature': [Fraction(1)],
    'optimum': [Fraction(0)],
    'share': [Fraction(1)],
    'start': Fraction(-1),
    'first': Fraction(1, 8),
    'server': Fraction(2),
    'alpha': Fraction(1, 10),
    'local_steps': Fraction(2),
    'n_rounds': Fraction(12),
    'taking_part': Fraction(1),
}
hypotheses, constants = moving_run_exact(INSTANCE)
F = constants["F"]
K = constants["K"]
L = constants["L"]
T = constants["T"]
beta = constants["beta"]
c = constants["c"]
chi = constants["chi"]
eta = constants["eta"]
eta_g = constants["eta_g"]
eta_l = constants["eta_l"]
gamma = constants["gamma"]
rho = constants["rho"]
sigma2 = constants["sigma2"]
lhs = constants["lhs"]
rhs = Fraction(2*F/(K*T*eta) + K*L**2*eta_l**2*sigma2*(4*c + 4*gamma + 4*chi*gamma*(2*beta + 1)/(K**2*L**2*eta_l**2)) + 2*L*eta*sigma2*(4*beta*chi*gamma + 1) + 2*L*eta*rho*(L*gamma/(8*eta_g) + 4*beta*chi*gamma + 1 + chi*gamma*(4*beta + 2)/(K*L*eta))/(K*eta_l**2))
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
