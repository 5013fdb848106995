"""Counterexample to FA-S7.7.

Reading: the same with x^{t,k−1} as printed.
Instance: 2 smooth clients, K = 200, noise at the broadcast model only.
Claimed: The mean squared distance of the local models on the way is at most that of the last one.
Exits 0 when the violation is confirmed in exact rational arithmetic, 1 when it is not. Needs only Python.
"""
from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

def round_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Every local model as mean + sum_j gain_j n_j, walked step by step; sums of squares of the gains are variances."""
    h, m, lam, K, clients = x["curvature"], x["optimum"], x["share"], int(x["local_steps"]), range(len(x["share"]))
    L, zero = max(abs(y) for y in h), Fraction(0)
    eta_l, profile = x["first"] / (L * K), int(x["profile"])

    def second(mean: Any, gains: Any, sizes: Any) -> Any:
        parts = [a * b for a, b in zip(gains, sizes, strict=True)]
        return mean * mean + (sum(parts) ** 2 if profile == 2 else sum(p * p for p in parts))

    own, gaps, curved, noise, drifts, gs, variances, slopes = [], [], [], [], [], [], [], []
    for i in clients:
        s = x["sigma"][i]
        sizes = [s if profile != 1 or j == 0 else zero for j in range(K)]
        mean, gains, slope = zero, [zero] * K, h[i] * (x["start"] - m[i])
        sum_mean, sum_gains, drift = zero, [zero] * K, []
        for k in range(K):
            drift.append(second(mean, gains, sizes))
            sum_mean, sum_gains = sum_mean + mean, [a + b for a, b in zip(sum_gains, gains, strict=True)]
            q = 1 - eta_l * h[i]
            mean = q * mean - eta_l * slope
            gains = [q * a - (eta_l if j == k else 0) for j, a in enumerate(gains)]
        drift.append(second(mean, gains, sizes))
        own.append(drift[-1])
        gs.append(-mean)
        variances.append(second(zero, gains, sizes))
        gaps.append(second(slope + mean / (eta_l * K), [a / (eta_l * K) for a in gains], sizes))
        curved.append(second(h[i] * sum_mean, [h[i] * a for a in sum_gains], sizes))
        noise.append(second(zero, [Fraction(1)] * K, sizes))
        drifts.append(drift)
        slopes.append(slope)
    slope, G, H = (sum(lam[i] * y[i] for i in clients) for y in (slopes, gs, h))
    V = sum(lam[i] ** 2 * variances[i] for i in clients)
    square, move = G * G + V, x["server"] * G
    met = {
        "L-smooth clients, lambda on the simplex": L > 0 and sum(lam) == 1 and min(lam) > 0,
        "1/(sqrt(c) K L) <= eta_l <= 1/(8 L K)": 0 < x["first"] <= Fraction(1, 8) and x["window"] >= 1,
        "gamma is finite, below 10^9": square * 10**9 > max(own),
    }
    constants = {
        "L": L,
        "K": Fraction(K),
        "c": x["window"] / x["first"] ** 2,
        "gamma": max(own) / square if square > 0 else zero,
        "eta": eta_l * x["server"],
        "eta_l": eta_l,
        "step": K * eta_l * x["server"],
        "sigma2": max(x["sigma"]) ** 2,
        "sg2": sum(lam[i] * (slopes[i] - slope) ** 2 for i in clients),
        "widest": max((y - slope) ** 2 for y in slopes),
        "grad": slope * slope,
        "gap": (slope - G / (eta_l * K)) ** 2 + V / (eta_l * K) ** 2,
        "mean_gap": sum(lam[i] * gaps[i] for i in clients),
        "curved": sum(lam[i] * curved[i] for i in clients),
        "noise": sum(lam[i] * noise[i] for i in clients),
        "drift": sum(lam[i] * sum(drifts[i][:K]) for i in clients),
        "early": sum(lam[i] * sum(drifts[i][: max(K - 1, 1)]) for i in clients),
        "own": sum(lam[i] * own[i] for i in clients),
        "square": square,
        "fall": move * (slope - H * move / 2) - H * x["server"] ** 2 * V / 2,
        "rho": G * G,
        "variance": V,
        "mean_variance": sum(lam[i] * variances[i] for i in clients),
        "farthest": max(y for d in drifts for y in d[1:]),
        "mean_farthest": max(sum(lam[i] * drifts[i][k] for i in clients) for k in range(1, K + 1)),
    }
    return met, constants


def early_exact(x: Mapping[str, Any]) -> Exact:
    """The same without the last local model before the upload."""
    met, k = round_exact(x)
    return met, {**k, "lhs": 2 * k["L"] ** 2 * k["early"] / k["K"]}


INSTANCE = {
    'curvature': [Fraction(0), Fraction(1)],
    'optimum': [Fraction(0), Fraction(0)],
    'share': [Fraction(1, 2), Fraction(1, 2)],
    'start': Fraction(0),
    'first': Fraction(1, 8),
    'server': Fraction(1),
    'sigma': [Fraction(1), Fraction(1)],
    'window': Fraction(1),
    'local_steps': Fraction(200),
    'profile': Fraction(1),
}
hypotheses, constants = early_exact(INSTANCE)
L = constants["L"]
own = constants["own"]
lhs = constants["lhs"]
rhs = Fraction(2*L**2*own)
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
