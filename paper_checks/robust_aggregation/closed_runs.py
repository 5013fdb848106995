"""Runs for Corollary 1 in closed form, ηₜ = 1/(μ(t + 4L/μ)), whose products telescope: any horizon is in reach."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import Pair
from paper_checks.robust_aggregation.runs import optima_differ
from validation import Choice, Instance, Integer, LogScale, Signed, Simplex, Space, case, units

__all__ = ["ALIKE", "ONE_ROUND", "QUIET_FOR_LONG"]


def quiet_for_long(x: Instance) -> Mapping[str, Any]:
    """`quiet` with closed forms: all curvatures 1, so 1 − 1/(t + 4L) telescopes and any T is in reach."""
    aim, near, L, T, tiny = x["aim"], x["wide"] * x["aim"], x["loose"], x["T"], 1e-6
    lead, one = -x["beside"] * aim, np.ones_like(L)
    best = tiny * lead
    start = best + aim
    end = lead + (start - lead) * (4 * L - 1) / (T + 4 * L - 1)

    def below(w: Any) -> Any:
        return (1 - tiny) * (w**2 + near**2) + tiny * (w - lead) ** 2

    spread = np.maximum(near + np.abs(best), best - lead)
    far = np.maximum(np.maximum(aim, np.abs(end - best)), spread)
    found: dict[str, Any] = {
        "gap": (end - best) ** 2 / 2,
        "D0": aim**2,
        "L": L,
        "mu": one,
        "tau": one,
        "T": T,
        "G2": (far + spread) ** 2,
    }
    found |= {"sigma2": 0 * one, "Gamma": below(best) / 2, "sizes": {"gap": L * far**2}}
    found["rho"] = np.minimum((start - lead) ** 2 / below(start), (end - lead) ** 2 / below(end))
    return {**found, "rho_best": (best - lead) ** 2 / below(best)}


def quiet_for_long_exact(x: Mapping[str, Any]) -> Pair:
    """T steps 1/(t + 4L) towards the optimum of client 3, which has all weight and 1e-6 of the data; all curvatures 1."""
    L, T, tiny = x["loose"], x["T"], Fraction(1, 10**6)
    m = [-x["wide"] * x["aim"], x["wide"] * x["aim"], -x["beside"] * x["aim"]]
    p = [(1 - tiny) / 2, (1 - tiny) / 2, tiny]
    best = sum(q * c for q, c in zip(p, m, strict=True))
    start = best + x["aim"]
    end = m[2] + (start - m[2]) * (4 * L - 1) / (T + 4 * L - 1)
    skews = [(w - m[2]) ** 2 / sum(q * (w - c) ** 2 for q, c in zip(p, m, strict=True)) for w in (start, end, best)]
    far = max(abs(v - best) for v in [start, end, *m])
    met = {
        "T >= 1, whole, L >= 1": T >= 1 and int(T) == T and L >= 1,
        "w_0 and w_T beyond m_3": min(start, end) > m[2],
    }
    found: dict[str, Any] = {
        "gap": (end - best) ** 2 / 2,
        "D0": x["aim"] ** 2,
        "L": L,
        "mu": Fraction(1),
        "tau": Fraction(1),
        "T": T,
    }
    found |= {"G2": max((far + abs(c - best)) ** 2 for c in m), "sigma2": Fraction(0), "rho": min(skews[:2])}
    return met, {
        **found,
        "Gamma": sum(q * (best - c) ** 2 for q, c in zip(p, m, strict=True)) / 2,
        "rho_best": skews[2],
    }


QUIET_FOR_LONG = case(
    "ρ̃ < ρ̄, any T",
    Space(
        (
            LogScale("aim", 1e-2, 1e2, at=(1.0,)),
            LogScale("wide", 0.5, 5.0, at=(1.0, 2.0)),
            LogScale("beside", 1e-6, 1.0, at=(1e-6, 1e-3, 0.1)),
            LogScale("loose", 1.0, 1e6, at=(1e3, 1e4, 1e6)),
            Integer("T", 1, 10**8, at=(1_000, 10_000, 10**6, 10**8)),
        )
    ),
    quiet_for_long,
    quiet_for_long_exact,
    cost=2.0,
)


def one_round(x: Instance) -> Mapping[str, Any]:
    """FedAvg of two clients of curvatures μ and κμ, one round of T steps; τ = 1 although E = T. Closed forms."""
    k, mu, T, m, p = x["kappa"], x["mu"], x["T"], x["optimum"], x["share"]
    h, fast, one = mu[:, None] * np.stack([np.ones_like(k), k], axis=1), np.ones_like(k), np.ones_like(k)
    for j in range(1, 9):
        fast = fast * np.where(j <= k, (4 * k - j) / (T + 4 * k - j), 1.0)
    left, pull = np.stack([(4 * k - 1) / (T + 4 * k - 1), fast], axis=1), (p * h).sum(axis=1)
    best = (p * h * m).sum(axis=1) / pull
    end = (p * (m + (best[:, None] + x["aim"][:, None] - m) * left)).sum(axis=1)
    away = np.abs(m - best[:, None])
    far, Gamma = np.maximum(np.abs(x["aim"]), away.max(axis=1)), (p * h * away**2).sum(axis=1) / 2
    found: dict[str, Any] = {
        "gap": pull / 2 * (end - best) ** 2,
        "D0": x["aim"] ** 2,
        "L": k * mu,
        "mu": mu,
        "tau": one,
        "T": T,
    }
    found |= {"G2": (h**2 * (far[:, None] + away) ** 2).max(axis=1), "sigma2": 0 * one, "Gamma": Gamma}
    reach = k * mu * (far**2 + best**2)
    found |= {"rho": one, "rho_best": one, "admissible": optima_differ(p, m[..., None])}
    return {**found, "resolved": Gamma > 1e-9 * reach, "sizes": {"gap": reach}}


def left_over(k: Any, kappa: Any, T: Any) -> Any:
    """The product of 1 - k/(t + 4 kappa) over t < T, which telescopes for a whole number k."""
    out = Fraction(1)
    for j in range(1, int(k) + 1):
        out = out * (4 * kappa - j) / (T + 4 * kappa - j)
    return out


def one_round_exact(x: Mapping[str, Any]) -> Pair:
    """FedAvg of two clients of curvatures mu and kappa mu, one round of T steps."""
    kappa, mu, m, p, T, one = x["kappa"], x["mu"], x["optimum"], x["share"], x["T"], Fraction(1)
    h = [mu, kappa * mu]
    pull = p[0] * h[0] + p[1] * h[1]
    best = (p[0] * h[0] * m[0] + p[1] * h[1] * m[1]) / pull
    end = sum(p[i] * (m[i] + (best + x["aim"] - m[i]) * left_over(h[i] / mu, kappa, T)) for i in (0, 1))
    far = max(abs(x["aim"]), abs(m[0] - best), abs(m[1] - best))
    Gamma = sum(p[i] * h[i] * (m[i] - best) ** 2 for i in (0, 1)) / 2
    met = {
        "mu > 0 and a whole number kappa >= 1": mu > 0 and kappa >= 1 and kappa == int(kappa),
        "p on the simplex": sum(p) == 1 and min(p) >= 0,
        "Gamma > 0 (Remark 2)": Gamma > 0,
        "T >= 1, a whole number": T >= 1 and int(T) == T,
    }
    found: dict[str, Any] = {
        "gap": pull * (end - best) ** 2 / 2,
        "D0": x["aim"] ** 2,
        "L": kappa * mu,
        "mu": mu,
        "tau": one,
        "T": T,
    }
    G2 = max(h[i] ** 2 * (far + abs(m[i] - best)) ** 2 for i in (0, 1))
    return met, {**found, "G2": G2, "sigma2": 0 * one, "Gamma": Gamma, "rho": one, "rho_best": one}


ONE_ROUND = case(
    "FedAvg, one round of T steps",
    Space(
        (
            Choice("kappa", tuple(float(k) for k in range(2, 9))),
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            Signed("optimum", 1e-3, 1e2, (2,)),
            Signed("aim", 1e-3, 1e2),
            Simplex("share", 2),
            Integer("T", 1, 1_000_000, at=(10, 10_000)),
        )
    ),
    one_round,
    one_round_exact,
    uses=(left_over,),
    cost=3.0,
    symmetries=(units({"mu": (1, -2), "optimum": (0, 1), "aim": (0, 1)}),),
)


def alike(x: Instance) -> Mapping[str, Any]:
    """Two clients of curvature 1 and equal shares, fixed positive weights, one step a round; π <= ρ <= Π. Closed forms."""
    m, a, T, one = x["optimum"], (100 * x["weights"] + 0.5) / 101, x["T"], np.ones_like(x["T"])
    best, goal, half = m.mean(axis=1), (a * m).sum(axis=1), np.abs(m[:, 0] - m[:, 1]) / 2
    away = goal - best + (best + x["aim"] - goal) * 3 / (T + 3)
    far = np.maximum(np.maximum(np.abs(x["aim"]), np.abs(away)), half)
    found = {"L": one, "mu": one, "tau": one, "T": T, "sigma2": 0 * one, "N": 2 * one, "least": one / 2}
    found |= {"gap": away**2 / 2, "G2": (far + half) ** 2, "Gamma": half**2 / 2, "D0": x["aim"] ** 2}
    return {**found, "pi": 2 * a.min(axis=1), "Pi": 2 * a.max(axis=1), "sizes": {"gap": far**2}}


def alike_exact(x: Mapping[str, Any]) -> Pair:
    """Two clients of curvature 1 and equal shares; 1 - 1/(t + 4) telescopes."""
    (u, v), T, one = x["optimum"], x["T"], Fraction(1)
    a = [(100 * w + Fraction(1, 2)) / 101 for w in x["weights"]]
    best, goal, half = (u + v) / 2, a[0] * u + a[1] * v, abs(u - v) / 2
    end = goal + (best + x["aim"] - goal) * 3 / (T + 3)
    far = max(abs(x["aim"]), abs(end - best), half)
    met = {"weights positive, on the simplex": sum(a) == 1 and min(a) > 0, "T >= 1, whole": T >= 1 and int(T) == T}
    found = {"L": one, "mu": one, "tau": one, "T": T, "sigma2": 0 * one, "N": 2 * one, "least": one / 2}
    found |= {"gap": (end - best) ** 2 / 2, "G2": (far + half) ** 2, "Gamma": half**2 / 2, "D0": x["aim"] ** 2}
    return met, {**found, "pi": 2 * min(a), "Pi": 2 * max(a)}


ALIKE = case(
    "two clients of one curvature, any T",
    Space(
        (
            Signed("optimum", 1e-3, 1e2, (2,)),
            Simplex("weights", 2),
            Signed("aim", 1e-3, 1e2),
            Integer("T", 1, 1_000_000, at=(10, 10_000)),
        )
    ),
    alike,
    alike_exact,
    cost=2.0,
)
