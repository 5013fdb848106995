"""FedWorse judged by the local models: all weight on the client whose own model has the largest loss before it is averaged.

Source: Sec. 3.1, «considering as global model the client's local model with the worst performance at the end of the
previous communication round». The federation of `seen_rounds`: two groups μ/2·(w ∓ δ)², one client of each group with
noise r in the first local step after an aggregation, the others with −1/r. From w₀ >= 0 the worst is always the noisy
client of the group at −δ, so every draw gives the same run, and ρ(t, w) = (w + δ)²/(w² + δ²), which is 1 at w* = 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from validation import Case, Choice, ExactCheck, Instance, Integer, LogScale, Space, units
from validation.statement.draw import Coordinate

__all__ = ["worst_local_model"]


def _ends(x: Instance) -> Mapping[str, Any]:
    mu, delta, start, spread, E = x["mu"], x["apart"], x["start"], x["spread"], x["local_steps"]
    gamma, T, unit = 4 * x["loose"], E * x["rounds"], x["sigma"] / mu
    end = ((gamma - 1) * start + x["rounds"] * spread * unit - T * delta) / (T + gamma - 1)
    reach = np.maximum(start, delta + spread * unit)
    one = np.ones_like(mu)
    return {
        "lhs": (gap := mu / 2 * end**2),
        "gap": gap,
        "L": x["loose"] * mu,
        "mu": mu,
        "tau": E,
        "T": T,
        "G2": (mu * (reach + delta)) ** 2 + x["sigma"] ** 2,
        "sigma2": x["sigma"] ** 2,
        "Gamma": mu * delta**2 / 2,
        "D0": start**2,
        "rho": one,
        "rho_best": one,
        "magnitude": mu * reach**2,
        "admissible": spread * unit >= E * delta,
    }


def worst_local_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F(w_T) - F*: in each round the local models of the four kinds of clients, their losses, and the worst one taken.

    mu/2 (w - m)^2 with m = apart or -apart, equal shares, w* = 0; in each half one of r^2 + 1 clients has noise r sigma, the
    others -sigma/r. The weights are known before the last step of the round (E >= 2).
    """
    mu, sigma, delta, r, w = x["mu"], x["sigma"], x["apart"], x["spread"], x["start"]
    E, rounds, gamma, t = int(x["local_steps"]), int(x["rounds"]), 4 * x["loose"], 0
    reach, skews, alone, rare = max(w, delta + r * sigma / mu), [], True, 1 / (r**2 + 1)
    for _ in range(rounds + 1):
        # The weight is on a client at -delta, as is checked below: rho(t, w) of (6), where it is defined.
        skews.append((w + delta) ** 2 / (w**2 + delta**2))
        if t == E * rounds:
            break
        models = [(w, m, n) for m in (-delta, delta) for n in (r, -1 / r)]
        for e in range(E):
            eta = 1 / (mu * (t + gamma))
            models = [(v - eta * (mu * (v - m) - (sigma * n if e == 0 else 0)), m, n) for v, m, n in models]
            t = t + 1
            if e == E - 2:  # before the last step
                losses = [mu * (v - m) ** 2 / 2 for v, m, _ in models]
                alone = alone and (losses[0] > max(losses[1:]) if delta > 0 else losses[0] > max(losses[1], losses[3]))
        w = models[0][0]
    hypotheses = {
        "mu-strong convexity and L-smoothness, L = loose mu": mu > 0 and x["loose"] >= 1,
        "more than one local step": E >= 2,
        "noise of mean 0 and second moment sigma^2": (rare * r - (1 - rare) / r, rare * r**2 + (1 - rare) / r**2)
        == (0, 1),
        "the worst local model is the noisy one at -apart, in every round": alone,
        "the start is not beyond the optima's middle": x["start"] >= 0,
        "rho is least at the start and 1 at w*, or 1 throughout": min(skews) == skews[0] == 1,
    }
    found = {"L": x["loose"] * mu, "mu": mu, "tau": Fraction(E), "T": Fraction(t), "sigma2": sigma**2}
    found |= {"G2": (mu * (reach + delta)) ** 2 + sigma**2, "Gamma": mu * delta**2 / 2, "D0": x["start"] ** 2}
    return hypotheses, {
        **found,
        "rho": Fraction(1),
        "rho_best": Fraction(1),
        "lhs": mu * w**2 / 2,
        "gap": mu * w**2 / 2,
    }


def worst_local_model(*, common: bool = False) -> Case:
    """`common`: one minimiser, Γ = 0, and a start elsewhere; else the start is w*."""
    ends: tuple[Coordinate, ...] = (
        (Choice("apart", (0.0,)), LogScale("start", 1e-6, 1e2, at=(1e-6, 1.0)), Choice("spread", (1.0, 2.0, 7.0)))
        if common
        else (LogScale("apart", 1e-6, 1.0, at=(1e-6, 1e-3)), Choice("start", (0.0,)), Choice("spread", (2.0, 7.0)))
    )
    space = Space(
        (
            LogScale("mu", 1e-2, 1e2, at=(1.0,)),
            LogScale("loose", 1.0, 1e2, at=(1.0,)),
            LogScale("sigma", 1e-2, 1e2, at=(1.0,)),
            *ends,
            Integer("local_steps", 2, 10, at=(2,)),
            Integer("rounds", 1, 3000, at=(100, 2000)),
        )
    )
    same = (units({"mu": (1, -2), "apart": (0, 1), "start": (0, 1), "sigma": (1, -1)}),)
    name = "FedWorse judged by the local models" + (", one minimiser" if common else ", from w*")
    return Case(name, space, _ends, ExactCheck(worst_local_exact), cost=8.0, symmetries=same)
