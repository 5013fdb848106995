"""Many rounds of E >= 2 local steps on the line, without noise: two phases of weights fixed in advance, for Corollary 1.

Aggregation as in Algorithm 1, looked at after `rounds` whole rounds of a run that goes on; ρ̄ over the rounds so far, ρ̃ at
least ρ̄, as it then is (RA-D7). Clients differ in curvature and optimum, so their models drift apart within a round.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.optima import optima_differ
from theory.exact import dot
from validation import (
    Case,
    Choice,
    ExactCheck,
    Family,
    Instance,
    LogScale,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    split_client,
    units,
)

__all__ = ["drifting_rounds"]


def _ends(x: Instance) -> Mapping[str, Any]:
    h, m, p, a = x["spectrum"], x["optimum"], x["share"], x["weights"]
    E, rounds = int(x["local_steps"][0]), int(x["rounds"][0])
    mu, L, pull = h.min(axis=1), x["loose"] * h.max(axis=1), (p * h).sum(axis=1)
    best = (p * h * m).sum(axis=1) / pull
    at_best = h * (best[:, None] - m) ** 2 / 2
    Gamma, until = (p * at_best).sum(axis=1), np.floor(x["turn"] * rounds)
    w, far = best + x["aim"], np.abs(m - best[:, None]).max(axis=1)
    low, high = np.full_like(w, np.inf), np.full_like(w, -np.inf)
    for r in range(rounds + 1):
        q = np.where((r < until)[:, None], a[:, 0], a[:, 1])
        above = h * (w[:, None] - m) ** 2 / 2
        with np.errstate(all="ignore"):  # Γ = 0 is not admissible
            low = np.fmin(low, (q * above).sum(axis=1) / (p * above).sum(axis=1))
            high = np.fmax(high, (q * at_best).sum(axis=1) / Gamma)
        far = np.maximum(far, np.abs(w - best))
        if r == rounds:
            break
        left = np.ones_like(h)
        for e in range(E):
            left = left * (1 - h / (mu * (r * E + e) + 4 * L)[:, None])
        w = (q * (m + (w[:, None] - m) * left)).sum(axis=1)
    reach = L * (far**2 + best**2)
    defined = (low > 0) & optima_differ(p, m[..., None])
    low = np.where(defined, low, 1.0)
    return {
        "lhs": (gap := pull / 2 * (w - best) ** 2),
        "gap": gap,
        "L": L,
        "mu": mu,
        "tau": x["local_steps"],
        "T": x["local_steps"] * x["rounds"],
        "G2": (h**2 * (far[:, None] + np.abs(m - best[:, None])) ** 2).max(axis=1),
        "sigma2": np.zeros_like(L),
        "Gamma": Gamma,
        "D0": x["aim"] ** 2,
        "rho": low,
        "rho_best": np.where(defined, np.fmax(high, low), 1.0),
        "magnitude": reach,
        "admissible": defined,
        "resolved": Gamma > 1e-13 * (p * h * m**2).sum(axis=1),
    }


def drifting_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """The same run step by step; G on the ball around w* that holds all models and optima."""
    h, m, p, E, rounds = x["spectrum"], x["optimum"], x["share"], int(x["local_steps"]), int(x["rounds"])
    mu, L, clients, until = min(h), x["loose"] * max(h), range(len(h)), int(x["turn"] * rounds)
    best = sum(p[i] * h[i] * m[i] for i in clients) / dot(p, h)
    at_best = [h[i] * (best - m[i]) ** 2 / 2 for i in clients]
    Gamma, w, t = dot(p, at_best), best + x["aim"], 0
    skews, skews_best, far = [], [], [abs(v - best) for v in m]
    for r in range(rounds + 1):
        a = x["weights"][0] if r < until else x["weights"][1]
        losses = [h[i] * (w - m[i]) ** 2 / 2 for i in clients]
        skews.append(dot(a, losses) / dot(p, losses))
        skews_best.append(dot(a, at_best) / Gamma)
        far.append(abs(w - best))
        if r == rounds:
            break
        local = [w for _ in clients]
        for _ in range(E):
            eta = 1 / (mu * (t + 4 * L / mu))
            local = [v - eta * h[i] * (v - m[i]) for i, v in enumerate(local)]
            t = t + 1
        w = dot(a, local)
    hypotheses = {
        "mu-strong convexity and L-smoothness": 0 < mu <= max(h) <= L,
        "p and all weights on the simplex": all(sum(a) == 1 and min(a) >= 0 for a in [p, *x["weights"]]),
        "the weighting skew is defined (Remark 2)": Gamma > 0,
        "rho > 0, so that V is defined": min(skews) > 0,
    }
    found = {"L": L, "mu": mu, "tau": Fraction(E), "T": Fraction(t), "sigma2": Fraction(0), "Gamma": Gamma}
    found |= {"G2": max(h[i] ** 2 * (max(far) + abs(m[i] - best)) ** 2 for i in clients), "D0": x["aim"] ** 2}
    found |= {"rho": min(skews), "rho_best": max([*skews_best, min(skews)])}
    gap = dot(p, h) * (w - best) ** 2 / 2
    return hypotheses, {**found, "lhs": gap, "gap": gap}


def drifting_rounds(most: int = 1000) -> Family:
    """`most` rounds of two to ten steps."""

    def at(N: float, E: float, R: float) -> Case:
        n = int(N)
        space = Space(
            (
                LogScale("spectrum", 1e-2, 1e2, (n,), at=(1.0, 2.0, 1e2)),
                LogScale("loose", 1.0, 1e2, at=(1.0,)),
                Signed("optimum", 1e-3, 1e2, (n,)),
                Signed("aim", 1e-3, 1e2),
                Simplex("share", n),
                Simplex("weights", n, (2,)),
                Choice("turn", (0.0, 0.25, 0.5, 0.75, 1.0)),
                Choice("local_steps", (float(E),)),
                Choice("rounds", (float(R),)),
            )
        )
        axes = {"spectrum": 0, "optimum": 0, "share": 0, "weights": 1}
        return Case(
            f"{int(R)} rounds of {int(E)} steps, N = {n}",
            space,
            _ends,
            ExactCheck(drifting_exact, (dot,)),
            cost=max(2.0, n * E * R / 100),
            symmetries=(
                units({"spectrum": (1, -2), "optimum": (0, 1), "aim": (0, 1)}),
                permuted_clients(axes),
                split_client(axes, ("share", "weights")),
            ),
        )

    sizes = (Size("N", 2, 50, 2), Size("E", 2, 10, 2), Size("R", 1, most, 5, ladder=True))
    return Family("many rounds of several steps", sizes, at)
