"""RA-Q15, Q16: when FedBetter is faster, and what leaning to a client does among similar losses."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import one, stated
from paper_checks.robust_aggregation.diagonal import federations
from paper_checks.robust_aggregation.stating import QUADRATIC, bounded, breaks, claimed
from paper_checks.robust_aggregation.strategy_rounds import rounds_of
from validation import (
    Case,
    Choice,
    Claim,
    Instance,
    LogScale,
    Reading,
    Signed,
    Uniform,
    symbols,
)

__all__ = ["CLAIMS"]

mu, L, Gamma, rho_best, rho_limit, alike = symbols("mu L Gamma rho_best rho_limit alike")


def _steep(x: Instance) -> Mapping[str, Any]:
    """One step from (1, y): client 1 has curvatures (1, 1/100), client 2 (1/100, 1/10); FedBetter against FedAvg."""
    w = np.stack([np.ones_like(x["y"]), x["y"]], axis=1)
    h = np.array([[1.0, 0.01], [0.01, 0.1]])
    loss = 0.5 * (w**2 @ h.T)
    after = [w * (1 - x["step"][:, None] * row) for row in (h[0], h.mean(axis=0))]
    better, average = ((0.5 * v**2 @ h.mean(axis=0)) for v in after)
    return {"lhs": better - average, "admissible": loss[:, 0] < loss[:, 1]}


def steep_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """F after one step of FedBetter minus F after one of FedAvg: two clients, p = 1/2, both minimisers 0."""
    h = [[Fraction(1), Fraction(1, 100)], [Fraction(1, 100), Fraction(1, 10)]]
    w, eta = [Fraction(1), x["y"]], x["step"]
    loss = [sum(k * v**2 for k, v in zip(row, w, strict=True)) / 2 for row in h]
    local = [[v - eta * k * v for k, v in zip(row, w, strict=True)] for row in h]
    average = [(u + v) / 2 for u, v in zip(*local, strict=True)]
    after = [sum(k * v**2 for row in h for k, v in zip(row, at, strict=True)) / 4 for at in (local[0], average)]
    return {"client 1 has the smaller loss": loss[0] < loss[1], "eta <= 1/(4L)": 4 * eta <= 1}, {
        "lhs": after[0] - after[1]
    }


_STEEP = one(
    "two clients, the better one steep", (Uniform("y", 3.4, 6.0), LogScale("step", 1e-3, 0.25)), _steep, steep_exact
)
_Q15 = claimed(
    "Q15",
    "Sec. 3.1, FedBetter",
    "FedBetter has no theory behind it, and may be faster in an easy task",
    r"\text{FedBetter: }\rho(t,w_t)=\min_i\ell_i/\textstyle\sum_ip_i\ell_i;\qquad\text{«could enhance the convergence speed»}",
    "FedBetter has the least skew, so the largest V; yet there are error-free tasks in which it is faster than FedAvg.",
    (
        stated(
            "not justified by theory", "No weights have a smaller ρ(t, wₜ).", rounds_of(2, 2, lean=-1, target="best")
        ),
        stated("could be faster", "An error-free federation, one round, step sizes up to 1/(4L): F is lower.", _STEEP),
    ),
    (
        breaks(
            "faster in every error-free federation",
            "in one dimension the client of least loss is the flattest, and its steps are the shortest",
            federations("better", rounds=1, common=True, sizes=((2, 2, 5), (1, 1, 2))),
        ),
    ),
    "Both halves are right. In the paper's bounds FedBetter is the worst choice, as ρ is as small as it can be. Still it can be faster: "
    "where the client with the smaller loss has the steeper one along the direction in which most of F can be gained, a step of it "
    "alone brings F down more than the average of both. The intuition is no rule: in one dimension with a common minimiser FedBetter "
    "is always the slowest.",
    ("RA-S-B", "RA-C1"),
)


def _near_tie(x: Instance) -> Mapping[str, Any]:
    """Γ/2 − (F − F*) after a run on two clients at −1 and 1 of curvature 1; `lean` 1 FedBetter, −1 FedWorse, 0 FedAvg."""
    w, best = x["start"], 1 - 2 * x["share"]
    for t in range(int(x["rounds"][0])):
        target = np.where(x["lean"] == 0, best, x["lean"] * np.sign(w))
        w = w + x["step"] / (1 + x["fade"] * x["step"] * t) * (target - w)
    alike = ((1 + np.abs(w)) / np.maximum(1 - np.abs(w), 1e-9)) ** 2 <= 1.1
    Gamma = 2 * x["share"] * (1 - x["share"])
    return {"lhs": Gamma / 2 - (w - best) ** 2 / 2, "admissible": (x["start"] != 0) & (alike | (x["fade"] == 0))}


def near_tie_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """Gamma/2 - (F - F*) after a run of FedBetter (lean 1), FedWorse (-1) or FedAvg (0); one step a round."""
    w, centers, p = x["start"], [Fraction(-1), Fraction(1)], [x["share"], 1 - x["share"]]
    spread = []
    for t in range(int(x["rounds"]) + 1):
        loss = [(w - c) ** 2 / 2 for c in centers]
        spread.append(max(loss) <= Fraction(11, 10) * min(loss))
        if t == x["rounds"]:
            break
        chosen = [v == (min(loss) if x["lean"] > 0 else max(loss)) for v in loss]
        a = p if x["lean"] == 0 else [Fraction(int(v), sum(chosen)) for v in chosen]
        eta = x["step"] / (1 + x["fade"] * x["step"] * t)
        w = sum(q * (w - eta * (w - c)) for q, c in zip(a, centers, strict=True))
    best = sum(q * c for q, c in zip(p, centers, strict=True))
    Gamma, at_end = (sum(q * (v - c) ** 2 for q, c in zip(p, centers, strict=True)) / 2 for v in (best, w))
    met = {"losses within 10 % of each other at the start, not equal": spread[0] and x["start"] != 0}
    if x["fade"] > 0:
        met["losses within 10 % of each other at the end and at w*"] = spread[-1] and best == 0
    return met, {"lhs": Gamma / 2 - (at_end - Gamma)}


def _ties(lean: int, *, unlike: bool = False, fade: bool = False) -> Case:
    """`unlike`: client 1 holds a tenth of the data at most; `fade`: 200 rounds of steps 1/(t + 4) or so in place of ten."""
    drawn = (
        Signed("start", 1e-6, 1e-2),
        Uniform("step", 0.2, 0.25, at=(0.25,)),
        LogScale("share", 0.01, 0.1, at=(0.1,)) if unlike else Choice("share", (0.5,)),
        Choice("lean", (float(lean),)),
        Choice("fade", (float(fade),)),
        Choice("rounds", (200.0 if fade else 10.0,)),
    )
    name = {1: "FedBetter", -1: "FedWorse", 0: "FedAvg"}[lean]
    return one(f"two mirrored clients, start near the tie, {name}", drawn, _near_tie, near_tie_exact)


_ALIKE = federations("ends", interior=True, sizes=((2, 2, 20), (1, 2, 4)))
_Q16 = claimed(
    "Q16",
    "Sec. 3.2",
    "Leaning strategies behave badly among similar losses",
    r"\ell_i\approx\ell_j\ \Rightarrow\ \text{FedWorse, FedBetter and those derived stabilise early at an erroneous value}",
    "Where the clients' losses are nearly equal, leaning to one of them ends at a model with an error.",
    (
        stated(
            "similar where the run starts, some federations",
            "Two mirrored clients, a start near the middle: after ten rounds F − F* is at least Γ/2, for FedBetter with equal shares and for "
            "FedWorse with one share of a tenth at most.",
            _ties(1),
            _ties(-1, unlike=True),
        ),
        stated(
            "similar where the run starts, every federation",
            "The same for FedWorse with equal shares.",
            _ties(-1),
        ),
        stated(
            "similar at w* and where the run ends",
            "Losses within 10 % of each other there: F − F* is at least Γ/2; FedWorse with equal shares and steps that fall to 0, 200 rounds.",
            _ties(-1, fade=True),
        ),
        Reading(
            "similar losses bound the error",
            "If the losses differ by a factor s at most, at w* and at the end, then F − F* <= Γ(s² − 1).",
            bounded(Gamma * (alike**2 - 1), lambda Gamma, alike: Gamma * alike**2 - Gamma, _ALIKE, (1, 0)),
            repair="edit",
        ),
    ),
    (
        breaks("FedAvg in place of FedBetter", "FedAvg stays near the middle, which is w*", _ties(0)),
        breaks(
            "FedAvg in place of FedWorse",
            "FedAvg leaves the middle for w*, near the client of large share",
            _ties(0, unlike=True),
        ),
    ),
    "Losses that are similar where a run starts protect from nothing: FedBetter from near a tie runs to the optimum of one client and "
    "stays, and FedWorse stays near the tie, wherever w* is. Yet it is no rule: where w* is at the tie, FedWorse swings around it, and with "
    "steps that fall to 0 ends there. And losses that stay similar make every weighting harmless: if they differ by a factor s at most at w* "
    "and at the end, the error is at most Γ(s² − 1), since ρ then lies between 1/s and s. In the paper's own terms ρ is near 1 for all weights "
    "where the losses are nearly equal. The sentence is marked «intuitively», and which of these it means is not said.",
    ("RA-S-W", "RA-S-B", "RA-D5"),
    (QUADRATIC,),
)


CLAIMS: tuple[Claim, ...] = (
    _Q15,
    _Q16,
)
