"""EFL's own objective (2) in Theorem 1: the elastic term's anchors move with the models, and so does the objective.

Quadratic clients of the line, all take part in every round with p = pᵏ and one full-gradient step each: r = 0, σ = 0, Σp = 1.
`ends` 1: the anchors ωᵢ of a round are the clients' models after the last round's step, 0: the models that they began it
with. `risks` 1: ω* and Dₖ of the risks f alone, 0: of the objective F of the current round, elastic term included.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.theorem1_bound import BRACKETS, with_C
from validation import Case, Choice, ExactCheck, Instance, LogScale, Signed, Simplex, Space, Uniform, units

__all__ = ["moving_anchors"]


def _measure(n_rounds: int) -> Callable[[Instance], Mapping[str, Any]]:
    def measure(x: Instance) -> Mapping[str, Any]:
        h, m, p, w = x["curvature"], x["optimum"], x["share"], x["start"]
        pull = x["elastic"][:, None] * x["fisher"]
        stiff = h + pull.sum(axis=1)[:, None]
        mu_, L_ = stiff.min(axis=1), stiff.max(axis=1)
        theta, one = 1 + x["slack"], np.ones_like(w)
        offset = (1 + x["later"]) * np.maximum(32 * (1 + theta) * L_ / mu_, 4 * theta)
        added = 0.0 if x["risks"][0] > 0 else 1.0

        def aim(anchor: Any) -> tuple[Any, Any]:
            """ω* and Σ pᵏDₖ at these anchors."""
            held = added * (pull * anchor).sum(axis=1)[:, None]
            bent = h + added * pull.sum(axis=1)[:, None]
            own = (h * m + held) / bent
            best = (p * bent * own).sum(axis=1) / (p * bent).sum(axis=1)
            return best, (p * bent * (best[:, None] - own) ** 2).sum(axis=1) / 2

        anchor = np.repeat(w[:, None], h.shape[1], axis=1)
        first, skew, g2 = w - aim(anchor)[0], 0 * w, 0 * w
        for tau in range(n_rounds):
            skew = skew + aim(anchor)[1]
            g = stiff * w[:, None] - h * m - (pull * anchor).sum(axis=1)[:, None]
            g2 = np.maximum(g2, (g**2).max(axis=1))
            local = w[:, None] - (16 / (mu_ * (tau + 1 + offset)))[:, None] * g
            anchor = local if x["ends"][0] > 0 else np.repeat(w[:, None], h.shape[1], axis=1)
            w = (p * local).sum(axis=1)
        found = {
            "Delta": (w - aim(anchor)[0]) ** 2,
            "gamma": offset,
            "time": one * n_rounds,
            "E": one,
            "mu": mu_,
            "L": L_,
            "theta": theta,
            "G2": g2,
            "Delta0": first**2,
            "noise": 0 * one,
            "skew": skew,
            **dict.fromkeys((*BRACKETS, "pull"), one * n_rounds),
            "H": 0 * one,
            "J": 0 * one,
            "magnitude": x["start"] ** 2 + (m**2).max(axis=1),
        }
        return with_C(found)

    return measure


def anchors_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Any]]:
    """EFL without compression: F~_k = h_k/2 (w - m_k)^2 + sum_i pull_i/2 (w - a_i)^2, pull = lambda I, anchors a of last round.

    E = 1, s = 1, p_tau^k = p^k, full gradients: E[p s] = p^k, so r_tau = 0 and H = 0; sum p = 1 < 2: the positive part is 0.
    """
    h, m, p, clients, n_rounds = x["curvature"], x["optimum"], x["share"], range(len(x["share"])), int(x["rounds"])
    pull = [x["elastic"] * i for i in x["fisher"]]
    stiff = [c + sum(pull) for c in h]
    mu, L, theta = min(stiff), max(stiff), 1 + x["slack"]
    gamma = (1 + x["later"]) * max(32 * (1 + theta) * L / mu, 4 * theta, 1)
    eta = 16 / (mu * (1 + gamma))  # the first and largest step
    below = eta <= 1 / (2 * (1 + theta) * L) and eta <= 4 / (mu * theta)
    w, anchor = x["start"], [x["start"] for _ in clients]

    def aim() -> Any:
        held = [0 if x["risks"] > 0 else pull[i] for i in clients]
        bent = [h[k] + sum(held) for k in clients]
        own = [(h[k] * m[k] + sum(held[i] * anchor[i] for i in clients)) / bent[k] for k in clients]
        best = sum(p[k] * bent[k] * own[k] for k in clients) / sum(p[k] * bent[k] for k in clients)
        return best, sum(p[k] * bent[k] * (best - own[k]) ** 2 / 2 for k in clients)

    Delta0, skew, G2 = (w - aim()[0]) ** 2, Fraction(0), Fraction(0)
    for tau in range(n_rounds):
        skew = skew + aim()[1]
        g = [h[k] * (w - m[k]) + sum(pull[i] * (w - anchor[i]) for i in clients) for k in clients]
        G2 = max([G2] + [v * v for v in g])
        local = [w - 16 / (mu * (tau + 1 + gamma)) * g[k] for k in clients]
        anchor = local if x["ends"] > 0 else [w for _ in clients]
        w = sum(p[k] * local[k] for k in clients)
    hypotheses = {
        "A1, A2: 0 < mu <= curvatures of F~_k <= L": mu > 0,
        "p^k on the simplex, all positive": sum(p) == 1 and min(p) > 0,
        "lambda and Fisher diagonals >= 0": x["elastic"] >= 0 and min(x["fisher"]) >= 0,
        "A5: p_tau^k < theta p^k": x["slack"] > 0,
        "eta_tau <= 1/(2(1+theta)L) and 4/(mu E theta), gamma >= E": below and gamma >= 1,
    }
    constants = {
        "Delta": (w - aim()[0]) ** 2,
        "gamma": gamma,
        "time": Fraction(n_rounds),
        "E": Fraction(1),
        "mu": mu,
        "L": L,
        "theta": theta,
        "G2": G2,
        "Delta0": Delta0,
        "noise": Fraction(0),
        "skew": skew,
        "pull": Fraction(n_rounds),
        "H": Fraction(0),
        "J": Fraction(0),
    }
    for name in ("printed_59", "printed_49", "product_59", "plus_59", "plus_49"):
        constants[name] = Fraction(n_rounds)  # E = 1: the bracket is multiplied by E - 1 = 0
    return hypotheses, with_C(constants)


def moving_anchors(n_clients: int, n_rounds: int, *, ends: bool, risks: bool) -> Case:
    """Runs with λ > 0; `ends` and `risks` as in the module's first lines."""
    n = n_clients
    space = Space(
        (
            LogScale("curvature", 1e-2, 1e2, (n,), at=(1.0,)),
            Signed("optimum", 1e-2, 1e1, (n,)),
            Simplex("share", n, interior=True),
            LogScale("elastic", 1e-1, 1e4, at=(1e3,)),
            Uniform("fisher", 0.0, 1.0, (n,), at=(1.0,)),
            Signed("start", 1e-2, 1e2),
            LogScale("slack", 1e-3, 1e1, at=(1e-3, 1.0)),
            LogScale("later", 1e-6, 1e1, at=(1e-6,)),
            Choice("ends", (float(ends),)),
            Choice("risks", (float(risks),)),
            Choice("rounds", (float(n_rounds),)),
        )
    )
    return Case(
        f"{n} clients with elastic terms, {n_rounds} rounds of E = 1",
        space,
        _measure(n_rounds),
        ExactCheck(anchors_exact, (with_C,)),
        cost=max(1.0, n * n_rounds / 150),
        symmetries=(units({"curvature": (1, -2), "elastic": (1, -2), "optimum": (0, 1), "start": (0, 1)}),),
    )
