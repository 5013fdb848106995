"""Runs that mix FedWorse, judged by the local models, with FedAvg, so that every client has a positive weight.

Two groups of clients μ/2·(w ∓ δ)², equal shares: w* = 0, Γ = μδ²/2. In each group one client, drawn afresh, has noise rσ in the
first local step of a round and the others −σ/r; every draw gives the same run. One client of the N has weight 1 − β + β/N, all
others β/N: the smallest ratio of a weight to a share is β, the largest β + (1 − β)N.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.notation import Pair
from validation import Choice, Instance, Integer, LogScale, Space, Uniform, case, units

__all__ = ["MIXED_WITH_ALL"]


def mixed(x: Instance) -> Mapping[str, Any]:
    """From w*: (t + γ − 1)w grows by (1 − β)(rσ/μ − Eδ) in each round."""
    mu, r, E, kept, delta = x["mu"], x["spread"], x["local_steps"], x["kept"], x["apart"]
    n, unit, gamma, T, one = 2 * (r**2 + 1), x["sigma"] / mu, 4 * x["loose"], E * x["rounds"], np.ones_like(mu)
    end = x["rounds"] * (1 - kept) * (r * unit - E * delta) / (T + gamma - 1)
    reach = delta + r * unit
    found: dict[str, Any] = {"gap": mu / 2 * end**2, "L": x["loose"] * mu, "mu": mu, "tau": E, "T": T}
    found |= {
        "G2": (mu * (reach + delta)) ** 2 + x["sigma"] ** 2,
        "sigma2": x["sigma"] ** 2,
        "Gamma": mu * delta**2 / 2,
    }
    found |= {"pi": kept, "Pi": kept + (1 - kept) * n, "N": n * one, "least": 1 / n, "D0": 0 * one}
    return {**found, "admissible": r * unit >= E * delta, "sizes": {"gap": mu * reach**2}}


def mixed_exact(x: Mapping[str, Any]) -> Pair:
    """The server's model round by round: weight 1 - kept on the worst local model, kept on the mean of all.

    mu/2 (w - m)^2 with m = apart or -apart, equal shares, w* = 0; in each half one of r^2 + 1 clients has noise r sigma, the
    others -sigma/r, in the first step. The weights are known before the last step of the round (E >= 2); until then all
    models come nearer to their optima by one factor, so the order of their losses is that after the first step.
    """
    mu, sigma, r, E, kept, delta = x["mu"], x["sigma"], x["spread"], int(x["local_steps"]), x["kept"], x["apart"]
    gamma, rare, n, t, total, ahead_of = 4 * x["loose"], 1 / (r**2 + 1), 2 * (r**2 + 1), 0, Fraction(0), True
    unit, reach = sigma / mu, delta + r * sigma / mu
    # With k = t + gamma - 1 a step of a client at m is k/(k + 1) w plus 1/(k + 1) of m and its noise: k w_t grows by these.
    push = (1 - kept) * (r * unit - E * delta) + kept * (rare * r - (1 - rare) / r) * unit
    while t < E * x["rounds"]:
        # At any w >= 0 the noisy client at -apart is the farthest from its optimum: it was drawn away from it.
        ahead_of = ahead_of and total >= 0
        total, t = total + push, t + E
    w, k = total / (t + gamma - 1), t + gamma - 1
    kinds = [(m, v) for m in (-delta, delta) for v in (r, -1 / r)]
    losses = [[abs(v + (m + e * unit - v) / (s + 1) - m) for m, e in kinds] for v, s in ((0, gamma - 1), (w, k))]
    noise = rare * r - (1 - rare) / r, rare * r**2 + (1 - rare) / r**2
    met = {
        "mu-strong convexity and L-smoothness, L = loose mu": mu > 0 and x["loose"] >= 1,
        "more than one local step": E >= 2,
        "noise of mean 0 and second moment sigma^2": noise == (0, 1),
        "the noisy client at -apart is the worst, alone, in the first round and in one after the last": all(
            first > max(others) for first, *others in losses
        ),
        "the model is at w* or on the side of +apart in every round": ahead_of,
        "every weight is positive": 0 < kept < 1,
    }
    found: dict[str, Any] = {"gap": mu * w**2 / 2, "L": x["loose"] * mu, "mu": mu, "tau": Fraction(E), "T": Fraction(t)}
    found |= {"G2": (mu * (reach + delta)) ** 2 + sigma**2, "sigma2": sigma**2, "Gamma": mu * delta**2 / 2}
    found |= {"pi": kept, "Pi": kept + (1 - kept) * n, "N": n, "least": 1 / n, "D0": Fraction(0)}
    return met, found


MIXED_WITH_ALL = case(
    "FedWorse judged by the local models, mixed with FedAvg, from w*",
    Space(
        (
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("loose", 1.0, 1e2, at=(1.0,)),
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            LogScale("apart", 1e-6, 1.0, at=(1e-6, 1e-3)),
            Choice("spread", (2.0, 7.0)),
            Uniform("kept", 0.01, 0.99, at=(0.25, 0.5)),
            Integer("local_steps", 2, 10, at=(2,)),
            Choice("rounds", (100.0, 1_000.0, 10_000.0)),
        )
    ),
    mixed,
    mixed_exact,
    cost=8.0,
    symmetries=(units({"mu": (1, -2), "apart": (0, 1), "sigma": (1, -1)}),),
)
