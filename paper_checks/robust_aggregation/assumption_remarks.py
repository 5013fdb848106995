"""RA-R1, R4: merging Assumptions 3 and 4, and another local method than SGD."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.robust_aggregation.clients import one
from validation import (
    Bound,
    Canary,
    Case,
    Choice,
    Claim,
    Family,
    Identity,
    Inequality,
    Instance,
    Kind,
    LogScale,
    Reading,
    Relation,
    Signed,
    symbols,
)

__all__ = ["CLAIMS"]

L, mu, G2, sigma2, A2, apart2, gap = symbols("L mu G2 sigma2 A2 apart2 gap")
Exact = tuple[Mapping[str, bool], Mapping[str, Fraction]]


def _held(bound: Any, again: Callable[..., Any] | None, *cases: Case | Family) -> Inequality:
    return Inequality(Bound(bound, again=again), cases)


def _merged(x: Instance) -> Mapping[str, Any]:
    u2, s2 = x["slope"] ** 2, x["noise"] ** 2
    how = x["how"]
    lhs = np.where(how == 1, u2, np.where(how == 2, np.maximum(s2, u2 + s2), s2))
    return {"lhs": lhs, "A2": np.where(how == 2, u2 + s2, u2 + x["room"]), "G2": u2 + s2, "factor": x["factor"]}


def merged_exact(x: Mapping[str, Any]) -> Exact:
    """An estimator slope ± noise, each with probability 1/2."""
    values = [x["slope"] + x["noise"], x["slope"] - x["noise"]]
    second = sum(v**2 for v in values) / 2
    variance = sum((v - x["slope"]) ** 2 for v in values) / 2
    lhs = {0: variance, 1: x["slope"] ** 2, 2: max(variance, second)}[int(x["how"])]
    A2 = second if x["how"] == 2 else x["slope"] ** 2 + x["room"]
    return {"unbiased": sum(values) == 2 * x["slope"]}, {"lhs": lhs, "A2": A2, "G2": second, "factor": x["factor"]}


def _estimators(how: int) -> Case:
    coordinates = (
        Signed("slope", 1e-3, 1e3),
        Signed("noise", 1e-3, 1e6),
        LogScale("room", 1e-6, 1e3),
        LogScale("factor", 1.0, 1e6, at=(1.0,)),
        Choice("how", (float(how),)),
    )
    return one("estimators slope ± noise", coordinates, _merged, merged_exact)


_R1 = Claim(
    id="RA-R1",
    kind=Kind.INEQUALITY,
    source="Remark 1, Sec. 2.2",
    title="Assumptions 3 and 4 merged",
    statement=(
        r"\text{Assumptions 3 and 4 «can be merged into a unique assumption of the form »}\mathbb E\|\nabla F_"
        r"i(w_i)\|^2<A^2"
    ),
    says="One bound on the expected squared gradient can take the place of Assumptions 3 and 4.",
    assumes=("gᵢ unbiased", "σ² and G² may be any multiple of A²"),
    readings=(
        Reading(
            "the merged bound gives Assumption 3",
            "As printed, ∇Fᵢ the true gradient: E‖gᵢ − ∇Fᵢ‖² <= c·A², whatever multiple c is allowed.",
            _held(symbols("factor") * A2, lambda factor, A2: A2 * factor, _estimators(0)),
        ),
        Reading("Assumption 4 gives the merged bound", "‖∇Fᵢ‖² <= G².", _held(G2, lambda G2: 0 + G2, _estimators(1))),
        Reading(
            "∇Fᵢ stands for the mini-batch gradient",
            "An edit, which the expectation suggests: E‖gᵢ‖² < A² gives both assumptions with σ² = G² = A².",
            _held(A2, lambda A2: 0 + A2, _estimators(2)),
        ),
    ),
    canaries=(
        Canary(
            "Assumption 3 from the true gradient, c = 1",
            _held(A2, None, _estimators(0)),
            "the noise of gᵢ does not show in ∇Fᵢ",
        ),
    ),
    depends_on=("RA-A3", "RA-A4"),
    verdict_words=(
        "∇Fᵢ has to be the mini-batch gradient gᵢ; with it the merged line gives both assumptions. "
        "Assumption 4, two lines above, prints E‖gᵢ(wᵢ)‖², and both assumptions that are merged bound gᵢ "
        "over the mini-batches, so from a line without gᵢ neither can follow. With the true gradient, as "
        "printed, it follows from Assumption 4 by Jensen but gives neither assumption back: it says "
        "nothing of the noise of gᵢ. With gᵢ it gives both, since the variance is at most the second "
        "moment; it then is Assumption 4 itself, and the remark says that Assumption 3 is superfluous."
    ),
)

_NOISE = symbols("noise rho tau")
_SPEED = 4 * L * (32 * _NOISE[2] ** 2 * G2 + _NOISE[0]) / (3 * mu**2 * _NOISE[1])
_R4 = Claim(
    id="RA-R4",
    kind=Kind.RELATION,
    source="Remark 4, Sec. 2.4",
    title="Better bounds with an optimised gradient method",
    statement=r"\text{«we could have used an optimized version of GD to gain better bounds as in Zhao et al. [2021]»}",
    says="Another local method in place of SGD would give better bounds.",
    assumes=("no method, no bound and no sense of «better» are stated",),
    readings=(
        Reading(
            "as printed",
            "Not testable as stated.",
            Relation(
                lambda: (),
                needs_run="a statement first: the local method (such as the PAGE estimator of Zhao et al.), its step sizes, and the bound "
                "that takes the place of (9) with its constants; then that bound and (9) can be compared for equal L, μ, G, σ, "
                "E and equal numbers of sampled gradients",
            ),
        ),
    ),
    canaries=(
        Canary(
            "the speed term does not depend on the noise",
            Identity(_SPEED, _SPEED.subs(_NOISE[0], 0)),
            "the term 4Lσ²/(3μ²ρ̄) is then missing",
        ),
    ),
    depends_on=("RA-C1",),
    verdict_words=(
        "A remark on work not done. What can be said is that σ² enters V as 4Lσ²/(3μ²ρ̄) only, so a method without noise would "
        "remove that and leave the term in 32τ²G², which comes from local drift, untouched."
    ),
)


CLAIMS: tuple[Claim, ...] = (
    _R1,
    _R4,
)
