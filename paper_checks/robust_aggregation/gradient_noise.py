"""Sec. 2.2 and 2.4: Remarks 1 and 4, Assumptions 3 and 4 merged, and what a method without noise would change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Max

from paper_checks.robust_aggregation.notation import NOTATION, Pair
from paper_checks.robust_aggregation.runs import world
from validation import Claim, Instance, Integer, LogScale, Signed, Space
from validation.world import at, case, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

L, mu, variance, slope2, G2, room, factor, tau, rho = NOTATION.symbols("L mu variance slope2 G2 room factor tau rho")


def _moments(x: Instance) -> dict[str, Any]:
    u2, s2 = x["slope"] ** 2, x["noise"] ** 2
    return {"slope2": u2, "variance": s2, "G2": u2 + s2}


def _moments_exact(x: Mapping[str, Any]) -> Pair:
    """Two values, each with chance 1/2."""
    values = [x["slope"] + x["noise"], x["slope"] - x["noise"]]
    found = {"variance": sum((v - x["slope"]) ** 2 for v in values) / 2, "G2": sum(v**2 for v in values) / 2}
    return {"unbiased": sum(values) == 2 * x["slope"]}, {**found, "slope2": x["slope"] ** 2}


def estimators(x: Instance) -> Mapping[str, Any]:
    """A gradient estimator slope ± noise: its variance and second moment, the squared slope, and more than it."""
    return {**_moments(x), "room": x["room"], "factor": x["factor"]}


def estimators_exact(x: Mapping[str, Any]) -> Pair:
    """Two values, each with chance 1/2."""
    met, found = _moments_exact(x)
    return met, {**found, "room": x["room"], "factor": x["factor"]}


_ESTIMATORS = Space(
    (
        Signed("slope", 1e-3, 1e3),
        Signed("noise", 1e-3, 1e6),
        LogScale("room", 1e-6, 1e3),
        LogScale("factor", 1.0, 1e6, at=(1.0,)),
    )
)
_MERGED = slope2 + room

R1 = remark(
    "RA-R1",
    "Remark 1, Sec. 2.2",
    "Assumptions 3 and 4 merged",
    printed=r"""\text{Assumptions 3 and 4 «can be merged into a unique assumption of the form »}
        \mathbb E\|\nabla F_i(w_i)\|^2<A^2""",
    plainly="One bound on the expected squared gradient can take the place of Assumptions 3 and 4.",
    assumes=["gᵢ unbiased", "σ² and G² may be any multiple of A²"],
    says=le(variance, factor * _MERGED, again=lambda factor, slope2, room: slope2 * factor + room * factor),
    world=world(case("estimators slope ± noise", _ESTIMATORS, estimators, estimators_exact)),
    readings=[
        reading(
            "the merged bound gives Assumption 3",
            "As printed, ∇Fᵢ the true gradient: E‖gᵢ − ∇Fᵢ‖² <= c·A², whatever multiple c is allowed.",
            part="the merged bound gives the assumptions",
            because="∇Fᵢ is the true gradient: Assumption 3 subtracts it from gᵢ",
        ),
        reading(
            "Assumption 4 gives the merged bound",
            "‖∇Fᵢ‖² <= G².",
            le(slope2, G2),
            part="the assumptions give the merged bound",
        ),
        reading(
            "∇Fᵢ stands for the mini-batch gradient",
            "An edit, which the expectation suggests: E‖gᵢ‖² < A² gives both assumptions with σ² = G² = A².",
            le(Max(variance, G2), G2),
            part="the merged bound gives the assumptions",
            edits=["gᵢ(wᵢ), the mini-batch gradient, for ∇Fᵢ(wᵢ)"],
            token=True,
            forced_by="""Assumption 4, two lines above, prints E‖gᵢ(wᵢ)‖²; both assumptions that are merged bound gᵢ
                over the mini-batches, and from a line without gᵢ neither can follow""",
        ),
    ],
    mutants=[
        mutant(
            "Assumption 3 from the true gradient, c = 1",
            le(variance, _MERGED),
            "the noise of gᵢ does not show in ∇Fᵢ",
            at(slope=0, noise=-1, room="1/2", factor=1),
        )
    ],
    rests_on=["RA-A3", "RA-A4"],
    verdict="""∇Fᵢ has to be the mini-batch gradient gᵢ; with it the merged line gives both assumptions. Assumption 4,
        two lines above, prints E‖gᵢ(wᵢ)‖², and both assumptions that are merged bound gᵢ over the mini-batches, so from
        a line without gᵢ neither can follow. With the true gradient, as printed, it follows from Assumption 4 by Jensen
        but gives neither assumption back: it says nothing of the noise of gᵢ. With gᵢ it gives both, since the variance
        is at most the second moment; it then is Assumption 4 itself, and the remark says that Assumption 3 is
        superfluous.""",
)


def without_noise(x: Instance) -> Mapping[str, Any]:
    """An estimator as above in the bound of Corollary 1, at curvature μ, smoothness L, τ local steps and skew ρ̄."""
    L = x["loose"] * x["mu"]
    return {**_moments(x), "L": L, "mu": x["mu"], "tau": x["local_steps"], "rho": x["skew"]}


def without_noise_exact(x: Mapping[str, Any]) -> Pair:
    """The same, moments from the estimator's two values."""
    met, found = _moments_exact(x)
    met = {**met, "0 < mu <= L": 0 < x["mu"] <= x["loose"] * x["mu"]}
    return met, {**found, "L": x["loose"] * x["mu"], "mu": x["mu"], "tau": x["local_steps"], "rho": x["skew"]}


_IN_THE_BOUND = Space(
    (
        LogScale("slope", 1e-3, 1e3, at=(1.0,)),
        LogScale("noise", 1e-3, 1e3, at=(1.0,)),
        LogScale("mu", 1e-2, 1e2, at=(1.0,)),
        LogScale("loose", 1.0, 1e2, at=(1.0,)),
        Integer("local_steps", 1, 100, at=(1,)),
        LogScale("skew", 1e-2, 1e2, at=(1.0,)),
    )
)


def _speed(second_moment: Any, noise: Any) -> Any:
    """What V(ρ̄, ρ̃) of (9) has of the estimator: the first of its three terms."""
    return 4 * L * (32 * tau**2 * second_moment + noise) / (3 * mu**2 * rho)


R4 = remark(
    "RA-R4",
    "Remark 4, Sec. 2.4",
    "Better bounds with an optimised gradient method",
    printed=r"""\text{«we could have used an optimized version of GD to gain better bounds as in Zhao et al. [2021]»}:
        \quad \frac{4L\,32\tau^2\|\nabla F_i\|^2}{3\mu^2\overline\rho}\le\frac{4L(32\tau^2G^2+\sigma^2)}{3\mu^2
        \overline\rho}""",
    plainly="Another local method in place of SGD would give better bounds.",
    assumes=[
        "bound (9) at equal L, μ, τ, start and skews ρ̄, ρ̃, of GD without noise",
        "gᵢ unbiased, of variance σ², one of two samples",
    ],
    says=le(_speed(slope2, 0), _speed(G2, variance)),
    world=world(case("estimators slope ± noise in the bound (9)", _IN_THE_BOUND, without_noise, without_noise_exact)),
    open={
        "better": nowhere("""at what price a bound is better, per round or per sampled gradient, is not said; nor are
            the method and its bound, for which GD without noise and (9) stand here""")
    },
    readings=[
        reading("at equal rounds", "The first term of V.", options={"better": "per round"}),
        reading(
            "at equal sampled gradients",
            "A client of two samples, T → ∞: half as many steps double the first term.",
            le(2 * _speed(slope2, 0), _speed(G2, variance)),
            options={"better": "per sampled gradient"},
        ),
    ],
    mutants=[
        mutant(
            "a method without noise has the same bound",
            le(_speed(G2, variance), _speed(slope2, 0)),
            "σ² and part of G² are then missing",
            at(slope=1, noise=1, mu=1, loose=1, local_steps=1, skew=1),
        ),
        mutant(
            "G² is all that changes",
            le(_speed(G2, variance), _speed(slope2 + variance, 0)),
            "σ² stands in the bound by itself, too, with its own factor",
            at(slope=1, noise=1, mu=1, loose=1, local_steps=1, skew=1),
        ),
    ],
    rests_on=["RA-C1"],
    written="the inequality between the first terms of V, for «better bounds»",
    verdict="""At equal rounds it holds, at equal numbers of sampled gradients it need not; which of the two makes a
        bound better is not said. The bound (9) has the gradient estimator in one of its terms, 4L(32τ²G² + σ²)/(3μ²ρ̄),
        and for an exact gradient σ² is 0 and G² falls by the variance. An exact gradient costs as many sampled ones as
        the client has samples, so that at equal cost the rounds are fewer and little noise is the cheaper. The error
        term does not change. The method that the remark has in mind, and its bound, are in Zhao et al. and not
        here.""",
)

CLAIMS: tuple[Claim, ...] = (R1, R4)
