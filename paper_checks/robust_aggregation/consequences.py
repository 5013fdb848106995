"""RA-Q1, Q3–Q5, Q12: V and E as speed and error, and whether FedWorse has the largest ρ̄."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import one, stated
from paper_checks.robust_aggregation.diagonal import federations
from paper_checks.robust_aggregation.stating import FIXED, QUADRATIC, bounded, breaks, claimed
from paper_checks.robust_aggregation.strategy_rounds import rounds_of
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    Instance,
    LogScale,
    Reading,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

mu, L, Gamma, rho_best, rho_limit, alike = symbols("mu L Gamma rho_best rho_limit alike")
_ENDS = federations("limit", interior=True, sizes=((2, 2, 100), (1, 1, 8)))
_Q1 = claimed(
    "Q1",
    "Sec. 2.5",
    "V and E as speed and error",
    r"\lim_{T\to\infty}\mathbb E[F(w_T)]-F^\star\le E(\overline\rho,\tilde\rho)=\frac{8L\Gamma}{3\mu}\left(\frac{\tilde\rho}{\overline\rho}"
    r"-1\right);\qquad V,\ E\text{ only suggest the global trend}",
    "E estimates the error that remains at the end of a run, from above.",
    (
        Reading(
            "E bounds the limit error",
            "ρ̄ at the limit, the largest value it can have in a run without end.",
            bounded(
                8 * L * Gamma / (3 * mu) * (rho_best / rho_limit - 1),
                lambda L, Gamma, mu, rho_best, rho_limit: L * Gamma * 8 * (rho_best - rho_limit) / (rho_limit * mu * 3),
                _ENDS,
                (1, 0),
            ),
        ),
        Reading(
            "so does E without its factor 8L/(3μ)",
            "The limit error is at most Γ(ρ̃/ρ̄ − 1).",
            bounded(
                Gamma * (rho_best / rho_limit - 1),
                lambda Gamma, rho_best, rho_limit: Gamma * rho_best / rho_limit - Gamma,
                _ENDS,
                (1, 0),
            ),
            repair="edit",
        ),
    ),
    (
        Canary(
            "half of Γ(ρ̃/ρ̄ − 1)",
            bounded(Gamma * (rho_best / rho_limit - 1) / 2, None, _ENDS, (1, 0)),
            "if one curvature is tiny, only its client has a loss at w*, only the other at the limit, and the bound is nearly met",
        ),
        breaks(
            "the smaller E has the smaller limit error",
            "of two weightings, one towards each of two unlike clients, E may rank them otherwise than their limits",
            federations("order", rounds=2, interior=True, sizes=((2, 2, 20), (1, 1, 4))),
        ),
    ),
    "As an estimate from above E is right for fixed weights, and generous: the factor 8L/(3μ) is not needed. As a ranking it is not: "
    "of two weightings of one federation the one with the smaller E may end farther from F* (a canary finds pairs). The same goes for "
    "V: a larger ρ̄ does not mean fewer rounds (RA-Q3, canary). Both agree with the paper's own caution that the bounds only "
    "suggest a trend and prove no strategy optimal.",
    ("RA-C1", "RA-D6"),
    (QUADRATIC, FIXED),
)

_GIVEN = stated(
    "for given models",
    "At every model FedWorse has the largest ρ(t, wₜ) of all weights, hence the largest minimum over given w₀, w_E, ….",
    rounds_of(1, 2, target="best"),
)


def _own(*, common: bool) -> Reading:
    return stated(
        "every strategy on the run that it makes itself",
        "ρ̄ of FedWorse over its own two rounds is at least ρ̄ of any other weights over theirs.",
        federations("own_path", rounds=2, common=common, sizes=((2, 2, 5), (1, 2, 3))),
    )


_LAZY = (
    "all weight on the worst client brings its loss down to the others', where ρ = 1; weights that hold back a little keep it the worst "
    "for longer. In one dimension with a common minimiser ρ does not depend on the model, and FedWorse is best in both senses."
)
_Q3 = claimed(
    "Q3",
    "Sec. 2.5.1",
    "Optimal strategy of the error-free case",
    r"\Gamma=0:\quad\max_\alpha\overline\rho\ \text{is achieved by }\alpha_t^i=1/|J_t|\text{ on }J_t=\arg\max_i(F_i(w_t)-F_i^\star)",
    "For Γ = 0 FedWorse has the largest ρ̄, hence the smallest bound.",
    (
        _GIVEN,
        _own(common=True),
        stated(
            "every strategy on its own run, one dimension",
            "The same with models in one dimension.",
            federations("own_path", rounds=2, common=True, sizes=((2, 2, 20), (1, 1, 1))),
            repair="condition",
        ),
    ),
    (
        breaks(
            "FedWorse has the smallest F(w_T)",
            "one step from (1, 1) with mirrored curvatures: F after it is convex in the weight of client 1 and least at equal weights",
            federations("own_loss", rounds=2, common=True, sizes=((2, 2, 5), (1, 2, 3))),
        ),
    ),
    "It depends on what is held fixed. Along given models FedWorse maximises every ρ(t, wₜ) and so their minimum. But the weights "
    "decide where the models go, and ρ̄ is the minimum over the run that they make. Then the greedy choice is not optimal: "
    + _LAZY
    + " "
    "FedWorse need not be the fastest in F either (canary), which the paper does not claim: V and E «only suggest the global trend».",
    ("RA-S-W", "RA-D6", "RA-E12"),
)
_Q5 = claimed(
    "Q5",
    "Sec. 2.5.2, Convergence speed maximization",
    "The fastest strategy in the general case",
    r"\min_\alpha V(\overline\rho,\tilde\rho)\iff\max_\alpha\overline\rho,\qquad\text{achieved by the same strategy as for }\Gamma=0",
    "The speed is best for the largest ρ̄, which the strategy of the error-free case, FedWorse, attains for any Γ.",
    (_GIVEN, _own(common=False)),
    (
        breaks(
            "FedBetter has the largest ρ(t, wₜ)",
            "its weighted excess is the least of all",
            rounds_of(2, 2, target="best"),
        ),
    ),
    "For given models FedWorse has the largest ρ̄; over the run that each strategy makes itself it need "
    "not, and which of the two is meant is not said. V depends on the strategy through 1/ρ̄ only, with G "
    "given, so that to optimise the speed is to maximise ρ̄. But the print names no variable: the "
    "weights at given wₜ, or the whole strategy, whose wₜ in (7) are those of its own run. In the second "
    "sense the greedy choice fails: " + _LAZY,
    ("RA-Q3", "RA-C1"),
)
_Q12 = claimed(
    "Q12",
    "Sec. 3.1, FedWorse",
    "FedWorse has the optimal speed bound",
    r"\text{FedWorse}\in\arg\min_\alpha V(\overline\rho,\tilde\rho)",
    "No strategy has a smaller V than FedWorse.",
    (_GIVEN, _own(common=False)),
    (
        breaks(
            "FedAvg has the optimal speed bound",
            "with p in place of the worst client the weighted excess is smaller unless all losses are equal",
            rounds_of(0, 2, target="best"),
        ),
    ),
    "The same as RA-Q5, since V falls with ρ̄: true along given models, false when every strategy is judged on the run that it makes: "
    + _LAZY,
    ("RA-Q5", "RA-S-W"),
)


def _conflict(x: Instance) -> Mapping[str, Any]:
    """Two clients with equal shares and curvatures 1 and q², started at the limit of weights between p and the minimax."""
    q, tilt = x["root"], x["tilt"]
    theta = (1 - tilt) + tilt / q
    a = np.stack([1 / (1 + theta), theta / (1 + theta)])
    loss = np.stack([(theta * q**2) ** 2, q**2 * np.ones_like(theta)]) / (1 + theta * q**2) ** 2
    return {"lhs": 1 - (a * loss).sum(axis=0) / loss.mean(axis=0) + x["margin"] * tilt * (1 - tilt) * (1 - 1 / q) ** 2}


def conflict_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 + margin - rho of weights (1, theta)/(1 + theta) at the model where they stay for ever; minimisers 0 and 1."""
    q, tilt = x["root"], x["tilt"]
    theta = (1 - tilt) + tilt / q
    a, h = [1 / (1 + theta), theta / (1 + theta)], [Fraction(1), q**2]
    w = a[1] * h[1] / (a[0] * h[0] + a[1] * h[1])
    loss = [h[0] * w**2 / 2, h[1] * (w - 1) ** 2 / 2]
    best = h[1] / (h[0] + h[1])
    rho = (a[0] * loss[0] + a[1] * loss[1]) / ((loss[0] + loss[1]) / 2)
    hypotheses = {"two curvatures": q > 1, "weights between": 0 < tilt < 1, "it does not end at w*": w != best}
    return hypotheses, {"lhs": 1 - rho + x["margin"] * tilt * (1 - tilt) * (1 - 1 / q) ** 2}


def _conflicts(margin: float) -> Case:
    drawn = (
        Uniform("root", 1.001, 1e3, at=(2.0,)),
        Uniform("tilt", 1e-3, 1 - 1e-3, at=(0.5,)),
        Choice("margin", (margin,)),
    )
    return one("two clients of unlike curvature", drawn, _conflict, conflict_exact)


def _no_faster(x: Instance) -> Mapping[str, Any]:
    """Two clients of one curvature, minimisers ±1: whether no weights have ρ(0, w₀) > 1 although the losses at w* differ."""
    tied = np.where(x["start"] == 0, 1.0, 0.0)
    return {"lhs": tied, "admissible": x["share"] != 0.5, "resolved": np.abs(2 * x["share"] - 1) > 1e-6}


def no_faster_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """1 if the largest rho(0, w_0) of any weights is 1, that of p, so that rho-bar <= 1 for all weights; else 0."""
    p, centers = [x["share"], 1 - x["share"]], [Fraction(-1), Fraction(1)]
    best = sum(q * c for q, c in zip(p, centers, strict=True))
    first, at_best = ([x["curvature"] * (v - c) ** 2 / 2 for c in centers] for v in (x["start"], best))
    Gamma = sum(q * u for q, u in zip(p, at_best, strict=True))
    largest = max(first) / sum(q * u for q, u in zip(p, first, strict=True))
    met = {
        "0 < p_1 < 1": 0 < x["share"] < 1,
        "Gamma > 0": Gamma > 0,
        "the losses at w* differ": at_best[0] != at_best[1],
    }
    return met, {"lhs": Fraction(int(largest <= 1))}


_TIES = one(
    "two clients of one curvature, start between them",
    (
        Uniform("share", 0.01, 0.99, at=(0.25,)),
        LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
        Uniform("start", -1.0, 1.0, at=(0.0,)),
    ),
    _no_faster,
    no_faster_exact,
)
_ERROR_END = federations("error", interior=True, sizes=((2, 2, 100), (1, 1, 8)))
_Q4 = claimed(
    "Q4",
    "Sec. 2.5.2",
    "Speed and error cannot be minimised together",
    r"\text{«in the general case … we can't minimize }V\text{ and }E\text{ simultaneously, as evidenced by"
    r" the extreme strategies presented below»}",
    "In general V and E cannot be minimised simultaneously.",
    (
        stated(
            "some federations",
            "Two clients of unlike curvature: fixed weights with ρ(t, wₜ) > 1 in every round, by a margin, that end away from w*. E >= 0 "
            "for all weights, and of two clients' only those of FedAvg end at w*: elsewhere ΣαᵢFᵢ is smaller and F larger, so E > 0.",
            _conflicts(0.5),
            _ERROR_END,
        ),
        stated(
            "every federation with Γ > 0",
            "Stronger than the print: wherever the losses at w* differ, some weights have ρ(0, w₀) > 1, "
            "as a ρ̄ above that of FedAvg needs.",
            _TIES,
        ),
    ),
    (
        breaks(
            "a margin twice as large",
            "for curvatures nearly alike ρ − 1 is tilt(1 − tilt)(1 − 1/q)²/2 to leading order",
            _conflicts(1.0),
        ),
    ),
    "In general they conflict: there are federations in which no weights minimise both. For two clients "
    "of unlike curvature FedAvg's weights alone have E = 0, the least over a run without end, with ρ̄ = "
    "1, and other fixed weights have ρ̄ > 1 for ever. It is not a law, and not printed as one: from a "
    "start at which all losses are equal, ρ(0, w₀) = 1 for all weights, so none has ρ̄ > 1, and FedAvg "
    "minimises both, however much the losses differ at w*. With more clients FedAvg need not be alone "
    "with E = 0. Over a finite number of rounds the two need not conflict, since E may be negative for "
    "weights with a large ρ̄ (RA-Q6).",
    ("RA-C1", "RA-Q6"),
    (QUADRATIC, FIXED, "run without end for E"),
)


CLAIMS: tuple[Claim, ...] = (
    _Q1,
    _Q3,
    _Q4,
    _Q5,
    _Q12,
)
