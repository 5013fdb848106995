"""EFL-S5: what Sec. 4.4 says of a client that joins, on quadratic clients of the line, E = 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.efl.drawn import drawn
from validation import (
    Canary,
    Choice,
    Claim,
    Instance,
    Kind,
    LogScale,
    Property,
    Reading,
    Signed,
    Size,
    units,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _joining(M: int) -> Sequence[Coordinate]:
    """The others as one client of curvature h at 0, client a at `away`; sample sizes in units of the others'."""
    return (
        LogScale("curvature", 1e-2, 1e2, at=(1.0,)),
        LogScale("own", 1e-2, 1e2, at=(1.0,)),
        Signed("away", 1e-1, 1e1),
        LogScale("more", 1e-3, 1e3, at=(1.0,)),
        LogScale("fewer", 1e-3, 0.999),
        LogScale("sigma", 1e-2, 1e1),
        Choice("passed", (float(M),)),
    )


def _bound(h: Any, own: Any, away: Any, ratio: Any, arriving: bool) -> Any:
    """The right side of (11) or (10) over 8L/μ², with D̂ₐ at the new optimum."""
    new = ratio * own * away / (h + ratio * own) if arriving else 0 * away
    return (ratio / (1 + ratio)) ** 2 * own * (away - new) ** 2 / 2


def _arrival(x: Instance) -> Mapping[str, Any]:
    """By how much a client with fewer samples has the larger bound; or by how much a restarted schedule ends farther."""
    h, own, away, big = x["curvature"], x["own"], x["away"], x["more"]
    small = big * x["fewer"]
    size = own * away**2
    if "fixed" in x:
        return {"lhs": ((small / (1 + small)) ** 2 - (big / (1 + big)) ** 2) * size, "magnitude": size}
    if "restart" in x:
        stiff = (h + big * own) / (1 + big)
        mu_, L_ = np.minimum(h, own), np.maximum(h, own)
        shift = big * own * away / (h + big * own)
        noise = x["sigma"] * h * (1.0 if "noisy" in x else 0.0)
        ends = []
        for first in (0.0, x["passed"]):
            gap = shift**2
            for tau in range(20):
                eta = 16 / (mu_ * (first + tau + 1 + 64 * L_ / mu_))
                gap = gap * (1 - eta * stiff) ** 2 + (eta * noise) ** 2
            ends.append(gap)
        lhs = ends[1] - ends[0] if "slower" in x else ends[0] - ends[1]
        return {"lhs": lhs, "magnitude": away**2 + ends[0] + ends[1]}
    if "nearer" in x:
        near = away * x["fewer"]
        gaps = [_bound(h, own, near, big, how) - _bound(h, own, away, big, how) for how in (False, True)]
        return {"lhs": np.maximum(*gaps), "magnitude": size}
    arriving = "arrives" in x
    met = np.ones_like(h, dtype=bool) if "few" not in x else big**2 * own <= h
    lhs = _bound(h, own, away, small, arriving) - _bound(h, own, away, big, arriving)
    return {"lhs": lhs, "magnitude": size, "admissible": met}


def arrival_exact(x: Mapping[str, Any]) -> tuple[Mapping[str, bool], Mapping[str, Fraction]]:
    """(n_a/(n + n_a))^2 D_a for two numbers of samples of client a; or E|w - w_hat|^2 after 20 rounds, restarted or not."""
    h, own, away, big = x["curvature"], x["own"], x["away"], x["more"]
    small = big * x["fewer"]
    met = {"n_a' < n_a": small < big}
    if "fixed" in x:
        return met, {"lhs": ((small / (1 + small)) ** 2 - (big / (1 + big)) ** 2) * own * away**2}
    if "restart" in x:
        stiff, mu, L = (h + big * own) / (1 + big), min(h, own), max(h, own)
        noise = x["sigma"] * h if "noisy" in x else Fraction(0)
        ends = []
        for first in (Fraction(0), x["passed"]):
            mean, var = -big * own * away / (h + big * own), Fraction(0)
            for tau in range(20):
                eta = 16 / (mu * (first + tau + 1 + 64 * L / mu))
                mean, var = mean * (1 - eta * stiff), var * (1 - eta * stiff) ** 2 + (eta * noise) ** 2
            ends.append(mean * mean + var)
        return met, {"lhs": ends[1] - ends[0] if "slower" in x else ends[0] - ends[1]}
    sides = []
    if "nearer" in x:
        for arriving in (0, 1):
            for at in (away * x["fewer"], away):
                new = arriving * big * own * at / (h + big * own)
                sides.append((big / (1 + big)) ** 2 * own * (at - new) ** 2 / 2)
        return {"0 < c < 1": 0 < x["fewer"] < 1}, {"lhs": max(sides[0] - sides[1], sides[2] - sides[3])}
    for r in (small, big):
        new = r * own * away / (h + r * own) if "arrives" in x else Fraction(0)
        sides.append((r / (1 + r)) ** 2 * own * (away - new) ** 2 / 2)
    if "few" in x:
        met["n_a^2 h_a <= n^2 h"] = big * big * own <= h
    return met, {"lhs": sides[0] - sides[1]}


def _joins(*flags: str) -> Property:
    scaled = {"curvature": (1, -2), "own": (1, -2), "away": (0, 1), "sigma": (0, 1)}
    return drawn(
        "a client and the others" + "".join(f", {f}" for f in flags),
        _joining,
        _arrival,
        arrival_exact,
        sizes=(Size("M", 1, 10_000, 100),),
        flags=dict.fromkeys(flags, 1.0),
        same=(units(scaled),),
        degrees=(0, 2) if "restart" in flags else (1, 0),
        per=1e9,
    )


S5 = Claim(
    id="EFL-S5",
    kind=Kind.PROPERTY,
    source="Sec. 4.4",
    title="An arriving client",
    statement=(
        r"\text{``The learning rate also needs to be increased when the objective changes''; ``the bound reduces when the data"
        r" becomes more IID and the changed client owns fewer data samples''}"
    ),
    says="Restarting the schedule brings the model nearer to the new optimum, and (10) and (11) shrink with the client's sample size.",
    assumes=(
        "the other clients as one quadratic of curvature h, client a of curvature hₐ; L and μ held fixed",
        "η = 16/(μ(τ + 1 + 64L/μ)), E = 1, from ω*, 20 rounds after the change, restarted or after M more rounds",
    ),
    readings=(
        Reading(
            "more IID",
            "Client a's optimum nearer to the others', and so D̂ₐ smaller, nₐ and the curvatures held fixed, in (10) and (11).",
            _joins("nearer"),
        ),
        Reading("fewer samples, D̂ₐ held fixed", "(nₐ/(n + nₐ))² falls with nₐ, in (10) and (11).", _joins("fixed")),
        Reading(
            "fewer samples, departure",
            "D̂ₐ at the optimum of the others, which does not depend on nₐ.",
            _joins("leaves"),
        ),
        Reading("fewer samples, arrival", "D̂ₐ at the new optimum, which depends on nₐ.", _joins("arrives")),
        Reading(
            "fewer samples, arrival of a small client",
            "nₐ²hₐ <= n²h.",
            _joins("arrives", "few"),
            repair="condition",
        ),
        Reading("restart, with noise", "Mean squared distance to ω̂*, additive noise.", _joins("restart", "noisy")),
        Reading("restart, no noise", "Full gradients.", _joins("restart"), repair="condition"),
    ),
    canaries=(
        Canary("continuing is nearer", _joins("restart", "slower"), "without noise smaller steps move less"),
        Canary(
            "arrival, n_a² h_a <= n² h removed",
            _joins("arrives"),
            "with equal curvatures (11) is proportional to nₐ²n²/(n + nₐ)⁴, which falls for nₐ > n",
        ),
    ),
    tight="nₐ² hₐ = n² h: (11) is largest there",
    depends_on=("EFL-T2a", "EFL-T2b", "EFL-ALG4"),
    verdict_words=(
        "The bounds are proportional to D̂ₐ, by which the paper measures how far the data are from IID. With D̂ₐ held fixed they grow "
        "with nₐ, and so does (10). In (11), however, D̂ₐ is taken at the new optimum, which moves "
        "towards client a as nₐ grows: where nₐ²hₐ > n²h fewer samples make the bound larger; with equal curvatures that is a "
        "client with more samples than all others together. Restarting the schedule is better without noise. With noise it can be worse: when the optimum moves "
        "little, larger steps add more noise than they remove distance."
    ),
)

CLAIMS: tuple[Claim, ...] = (S5,)
