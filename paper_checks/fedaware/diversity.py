"""FA-D4.1, FA-E5, FA-D4.1e and FA-R8: the diversity of the updates and what enlarges it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from paper_checks.fedaware.hulls import Checked, Extra, flagged, hulls, nearest, never, shortest, squares
from theory.exact import dot, weighted_sum
from theory.quantities import combined_variance, consensus, pseudo_gradient
from validation import (
    Canary,
    Case,
    Choice,
    Claim,
    ExactCheck,
    Family,
    Instance,
    Kind,
    Property,
    Reading,
    Signed,
    Simplex,
    Size,
    Space,
    Uniform,
    permuted_clients,
    rotated_space,
    split_client,
)
from validation.statement.draw import Coordinate

__all__ = ["CLAIMS"]


def _lud(x: Instance) -> Mapping[str, Any]:
    """LUD over the R equally likely outcomes of the round's noise; `part` says what is missed.

    1: δ² >= 1 as 𝔼‖G‖² − Σλᵢ𝔼‖gᵢ‖²; 2: the sum λᵢ𝔼‖gᵢ‖² where 𝔼‖G‖² is 0; 3: |𝔼‖G‖² − 𝕍 − ρ|; 4: ρ alone for 𝔼‖G‖².
    """
    g, lam, part = x["g"], x["weights"], int(x["part"][0])
    G = pseudo_gradient(g, lam[:, None])
    second = squares(G).mean(axis=1)
    above = (lam * squares(g).mean(axis=1)).sum(axis=1)
    size = squares(g).max(axis=(1, 2))
    if part == 2:
        return {"lhs": np.where(second == 0, above, 0.0), "magnitude": size}
    if part == 1:
        return {"lhs": second - above, "magnitude": size}
    rho = consensus(g, lam[:, None], replica_axis=1)
    spread = combined_variance(g, lam[:, None], replica_axis=1) if part == 3 else 0.0
    return {"lhs": np.abs(second - spread - rho), "magnitude": size}


def lud_exact(x: Mapping[str, Any]) -> Checked:
    """The moments by enumeration of the equally likely outcomes g[r][i]."""
    g, lam, part = x["g"], x["weights"], int(x["part"])
    runs = [weighted_sum(lam, vectors) for vectors in g]
    second = sum(dot(v, v) for v in runs) / len(runs)
    above = sum(dot(lam, [dot(v, v) for v in vectors]) for vectors in g) / len(g)
    met = {"lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}
    if part == 2:
        return met, {"lhs": above if second == 0 else Fraction(0)}
    if part == 1:
        return met, {"lhs": second - above}
    mean = [sum(c) / len(runs) for c in zip(*runs, strict=True)]
    spread = sum(sum((a - b) ** 2 for a, b in zip(v, mean, strict=True)) for v in runs) / len(runs)
    return met, {"lhs": abs(second - (spread if part == 3 else 0) - dot(mean, mean))}


def _outcomes(part: int) -> Family:
    def at(N: float, R: float, d: float) -> Case:
        n, runs, dim = int(N), int(R), int(d)
        space = Space((Signed("g", 1e-2, 1e2, (runs, n, dim)), Simplex("weights", n), Choice("part", (float(part),))))
        every = {"g": 1, "weights": 0}
        same = (permuted_clients(every), split_client(every, ("weights",)), rotated_space(("g",)))
        name = f"{n} clients, {runs} outcomes, d = {dim}"
        return Case(
            name, space, _lud, ExactCheck(lud_exact, (dot, weighted_sum)), cost=max(1.0, n / 75), symmetries=same
        )

    return Family("outcomes", (Size("N", 1, 300, 2), Size("R", 1, 8, 1 if part == 2 else 2), Size("d", 1, 8, 1)), at)


def _lud_property(part: int) -> Property:
    return Property((_outcomes(part),), degrees=(0, 2))


D41 = Claim(
    id="FA-D4.1",
    kind=Kind.PROPERTY,
    source="Definition 4.1, §4.3",
    title="Local update diversity",
    statement=r"\delta_D^t\triangleq\sqrt{\frac{\sum_i\lambda_i\mathbb E\|g_i^t\|^2}{\mathbb E\|G^t\|^2}},\quad t\in[T]",
    says="The diversity of the updates compares their mean square with the square of their mean.",
    assumes=("λ on the simplex", "any updates, noisy or not"),
    readings=(
        Reading("never below 1", "𝔼‖G‖² <= Σλᵢ𝔼‖gᵢ‖².", _lud_property(1)),
        Reading(
            "defined in every round",
            "«For any round t ∈ [T]»: 𝔼‖G‖² = 0 only if all updates of weight are 0.",
            _lud_property(2),
        ),
    ),
    canaries=(
        Canary(
            "the variance left out of 𝔼‖G‖²",
            _lud_property(4),
            "𝔼‖G‖² exceeds ρ by the variance, which is positive for noisy updates",
        ),
    ),
    tight="all updates of weight equal",
    depends_on=("FA-E1",),
    verdict_words=(
        "It is defined, and at least 1, in every round whose mean update does not vanish, as in the runs of Table 2 "
        "and Figure 1; «any round» leaves out that one case. It is 1 for equal updates. Where the mean update is 0 "
        "and the updates are not, it is a division by 0: without noise that is every fixed point of FedAvg that is "
        "not stationary for all clients. There opposite updates balance, and near it the diversity grows without "
        "bound, however small the heterogeneity. With one common minimum it stays bounded."
    ),
)

E5 = Claim(
    id="FA-E5",
    kind=Kind.PROPERTY,
    source="Eq. (5), Definition 4.1",
    title="The two forms of LUD",
    statement=(
        r"\frac{\sum_i\lambda_i\mathbb E\|g_i^t\|^2}{\mathbb E\|G^t\|^2}=\frac{\sum_i\lambda_i\mathbb E\|g_i^t\|^2}"
        r"{\mathbb V(G^t)+\rho^t(\lambda)}"
    ),
    says="The second moment of the pseudo-gradient is its variance plus the client consensus.",
    assumes=("ρ = ‖𝔼G‖², 𝕍 = 𝔼‖G − 𝔼G‖², all under the same 𝔼",),
    readings=(Reading("as printed", "Over any equally likely outcomes.", _lud_property(3)),),
    canaries=(Canary("the variance left out", _lud_property(4), "two outcomes ±1 have ρ = 0 and second moment 1"),),
    tight="always equal",
    depends_on=("FA-D4.1", "FA-VAR"),
    verdict_words=(
        "The identity 𝔼‖G‖² = 𝕍 + ‖𝔼G‖² holds for any weights, also for weights that see the noise, provided all three are "
        "conditional on the same past; with 𝔼 over whole runs on one side and over a round on the other it does not."
    ),
)


def _elud(x: Instance) -> Mapping[str, Any]:
    """What e-LUD misses over a cohort: `part` 1, e-LUD < 1 or e-LUD² > |S| without a negative sum of inner products;

    2, LUD² of everybody ≠ e-LUD², cross-multiplied; 3, the same for equal λ; 4, at most |S| always.
    """
    g, part = x["m"], int(x["part"][0])
    n = g.shape[1]
    here = (x["here"] > 0.5) | (np.arange(n) == 0) if part in (1, 4) else np.ones(g.shape[:2], dtype=bool)
    count = here.sum(axis=1)
    squares_sum = np.where(here, squares(g), 0.0).sum(axis=1)
    mean_square, square_mean = squares_sum / count, squares((here[..., None] * g).sum(axis=1)) / count**2
    largest = squares(g).max(axis=1)
    if part in (1, 4):
        cross = square_mean * count**2 - squares_sum
        beyond = np.where((cross >= 0) | (part == 4), mean_square - count * square_mean, -1.0)
        return {"lhs": np.maximum(square_mean - mean_square, beyond), "magnitude": largest}
    lam = x["weights"] if part == 2 else np.full(g.shape[:2], 1.0 / n)
    G2, above = squares(pseudo_gradient(g, lam)), (lam * squares(g)).sum(axis=1)
    return {
        "lhs": np.abs(above * square_mean - mean_square * G2),
        "admissible": (1e-8 * largest < G2) & (square_mean > 1e-8 * largest),
        "magnitude": largest**2,
    }


def elud_exact(x: Mapping[str, Any]) -> Checked:
    """e-LUD^2 = mean_square/square_mean over the cohort; client 1 is always present."""
    g, part = x["m"], int(x["part"])
    some = part in (1, 4)
    cohort = [v for i, v in enumerate(g) if not some or i == 0 or x["here"][i] > Fraction(1, 2)]
    mean = [sum(c) / len(cohort) for c in zip(*cohort, strict=True)]
    mean_square, square_mean = sum(dot(v, v) for v in cohort) / len(cohort), dot(mean, mean)
    if some:
        cross = sum(dot(u, v) for i, u in enumerate(cohort) for j, v in enumerate(cohort) if i != j)
        beyond = mean_square - len(cohort) * square_mean if cross >= 0 or part == 4 else Fraction(-1)
        return {}, {"lhs": max(square_mean - mean_square, beyond)}
    lam = x["weights"] if part == 2 else [Fraction(1, len(g)) for _ in g]
    G = weighted_sum(lam, g)
    met = {"both are defined": dot(G, G) > 0 and square_mean > 0, "simplex": sum(lam) == 1 and min(lam) >= 0}
    return met, {"lhs": abs(dot(lam, [dot(v, v) for v in g]) * square_mean - mean_square * dot(G, G))}


def _cohorts(part: int) -> Property:
    def extra(n: int, _d: int) -> tuple[Coordinate, ...]:
        return (Uniform("here", 0.0, 1.0, (n,)), Simplex("weights", n), Choice("part", (float(part),)))

    return never(hulls(_elud, elud_exact, extra, symmetric=False), (0, 4 if part in (2, 3) else 2))


D41E = Claim(
    id="FA-D4.1e",
    kind=Kind.PROPERTY,
    source="§5, Metrics",
    title="Empirical LUD",
    statement=(
        r"\tilde\delta_D^t\triangleq\sqrt{\frac{\frac1{|S^t|}\sum_{i\in S^t}\|g_i^t\|^2}"
        r"{\big\|\frac1{|S^t|}\sum_{i\in S^t}g_i^t\big\|^2}}"
    ),
    says="e-LUD, used instead of LUD, is the diversity of the cohort's updates, all weighed alike.",
    assumes=("any cohort", "updates of one run, without an expectation"),
    readings=(
        Reading(
            "between 1 and √|S| unless updates conflict",
            "Beyond √|S| only if the inner products sum to less than 0.",
            _cohorts(1),
        ),
        Reading(
            "LUD itself if everybody takes part", "Full participation, no noise, any λ of the objective.", _cohorts(2)
        ),
        Reading("LUD itself for equal shares", "The same with λᵢ = 1/N.", _cohorts(3), repair="condition"),
    ),
    canaries=(Canary("never beyond √|S|", _cohorts(4), "1 and −1 + ε have a mean of ε/2, so that e-LUD has no bound"),),
    tight="equal updates for 1, orthogonal updates for √|S|",
    depends_on=("FA-D4.1",),
    verdict_words=(
        "As a metric of its own, defined «instead» of LUD, e-LUD has the range one expects: at least 1, √|S| for "
        "orthogonal updates, and above that only if updates conflict. It weighs the cohort evenly, while LUD weighs "
        "by λ. So with everybody present and no noise the two agree for equal shares and not for all λ. That they "
        "should agree is a stronger statement, ours: the Limitation names a gap between the two. The experiments "
        "sample clients evenly and say nothing of λ."
    ),
)


def _enlarged(x: Instance) -> Mapping[str, Any]:
    """LUD²(λ) against that at the min-norm weights, cross-multiplied; `own`: numerator with the min-norm weights."""
    g, lam = x["m"], x["weights"]
    weights, d = nearest(g)
    G, norms = pseudo_gradient(g, lam), squares(g)
    before = (lam * norms).sum(axis=1)
    after = ((weights if "own" in x else lam) * norms).sum(axis=1)
    if "less" in x:
        after = after - norms.min(axis=1)
    return {"lhs": before * squares(d) - after * squares(G), "magnitude": norms.max(axis=1) ** 2}


def enlarged_exact(x: Mapping[str, Any]) -> Checked:
    """LUD^2 is a quotient: its numerator before times its denominator after, less the other way round."""
    g, lam = x["m"], x["weights"]
    weights, d = shortest(g)
    G, norms = weighted_sum(lam, g), [dot(v, v) for v in g]
    after = dot(weights if "own" in x else lam, norms) - (min(norms) if "less" in x else 0)
    met = {"lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}
    return met, {"lhs": dot(lam, norms) * dot(d, d) - after * dot(G, G)}


def _shares(n: int, _d: int) -> tuple[Coordinate, ...]:
    return (Simplex("weights", n),)


def _enlarging(*flags: str) -> Property:
    extra: Extra = _shares
    for flag in flags:
        extra = flagged(flag, extra)
    return never(hulls(_enlarged, enlarged_exact, extra, symmetric=False), (0, 4))


R8 = Claim(
    id="FA-R8",
    kind=Kind.PROPERTY,
    source="§4.3, «FedAWARE further enlarges LUD dynamics»",
    title="Min-norm weights enlarge the diversity",
    statement=r"\delta_D(\lambda)\le\delta_D(\tilde\lambda)\ \text{ at the min-norm weights }\tilde\lambda",
    says="FedAWARE enlarges LUD; here as a law for the same updates.",
    assumes=("the same updates under both weightings", "λ on the simplex"),
    readings=(
        Reading("only in the denominator", "Numerator Σλᵢ‖gᵢ‖² with the objective's weights in both.", _enlarging()),
        Reading("in both", "Definition 4.1 with λ̃ throughout.", _enlarging("own")),
    ),
    canaries=(
        Canary(
            "with the least square taken off the numerator",
            _enlarging("less"),
            "for equal updates LUD would be 0 after and is 1 before",
        ),
    ),
    tight="λ already optimal",
    depends_on=("FA-D4.1", "FA-MN12"),
    verdict_words=(
        "It depends on the weights in the numerator of LUD: with those of the objective min-norm weights can only "
        "enlarge it, with the applied ones they may lower it. Min-norm weights shorten the mean update, the "
        "denominator. But they also favour short updates: for updates 1 and 10 all weight goes to the first, and "
        "with the applied weights in the numerator LUD falls to 1. Definition 4.1 has one λ and does not say. A law "
        "for the same updates is ours in both readings: the paper reports e-LUD of its experiments, with equal "
        "weights and over whole runs, which is a third thing."
    ),
)

CLAIMS: tuple[Claim, ...] = (D41, E5, D41E, R8)
