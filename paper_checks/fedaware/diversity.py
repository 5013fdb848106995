"""Sec. 4.3, 5 (metrics) and B.2: the diversity of the updates, what enlarges it, and how it moves along runs."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from paper_checks.fedaware.line_runs import line_runs
from paper_checks.fedaware.notation import NOTATION, ROUNDED_0, Checked
from paper_checks.fedaware.settings import EARLY
from paper_checks.fedaware.vectors import vectors
from theory.exact import dot, weighted_sum
from theory.quantities import combined_variance, consensus, pseudo_gradient
from theory.worlds.hull import nearest, shortest, squares
from validation import (
    Case,
    Claim,
    Family,
    Instance,
    Signed,
    Simplex,
    Size,
    Space,
    permuted_clients,
    rotated_space,
    split_client,
)
from validation.published.runs import played
from validation.world import World, all_of, case, definition, le, mutant, nowhere, reading, remark

__all__ = ["CLAIMS"]

second, above, above_own, rho, variance, vanishing = NOTATION.symbols("second above above_own rho variance vanishing")
cohort_square, cohort_mean2, count, agree, d2, least2 = NOTATION.symbols(
    "cohort_square cohort_mean2 count agree d2 least2"
)
above_first, below_first, above_last, below_last = NOTATION.symbols("above_first below_first above_last below_last")
sum_same, sum_rho2 = NOTATION.symbols("sum_same sum_rho2")


def lud(x: Instance) -> Mapping[str, Any]:
    """Over R equally likely outcomes: 𝔼‖G‖², Σλᵢ𝔼‖gᵢ‖², ρ = ‖𝔼G‖² and the variance; `vanishing`: 1 where 𝔼‖G‖² = 0."""
    g, lam = x["g"], x["weights"]
    found = {
        "second": squares(pseudo_gradient(g, lam[:, None])).mean(axis=1),
        "above": (lam * squares(g).mean(axis=1)).sum(axis=1),
        "rho": consensus(g, lam[:, None], replica_axis=1),
        "variance": combined_variance(g, lam[:, None], replica_axis=1),
    }
    sizes = dict.fromkeys(found, squares(g).max(axis=(1, 2)))
    return {**found, "vanishing": (found["second"] == 0).astype(float), "sizes": sizes}


def lud_exact(x: Mapping[str, Any]) -> Checked:
    """The moments by enumeration of the equally likely outcomes g[r][i]."""
    g, lam = x["g"], x["weights"]
    runs = [weighted_sum(lam, vectors) for vectors in g]
    second = sum(dot(v, v) for v in runs) / len(runs)
    mean = [sum(c) / len(runs) for c in zip(*runs, strict=True)]
    found = {
        "second": second,
        "above": sum(dot(lam, [dot(v, v) for v in vectors]) for vectors in g) / len(g),
        "rho": dot(mean, mean),
        "variance": sum(sum((a - b) ** 2 for a, b in zip(v, mean, strict=True)) for v in runs) / len(runs),
        "vanishing": Fraction(int(second == 0)),
    }
    return {"lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}, found


def _outcomes(usual: int = 2) -> World:
    def at(N: float, R: float, d: float) -> Case:
        n, runs, dim = int(N), int(R), int(d)
        space = Space((Signed("g", 1e-2, 1e2, (runs, n, dim)), Simplex("weights", n)))
        every = {"g": 1, "weights": 0}
        same = (permuted_clients(every), split_client(every, ("weights",)), rotated_space(("g",)))
        name, cost = f"{n} clients, {runs} outcomes, d = {dim}", max(1.0, n / 75)
        return case(name, space, lud, lud_exact, uses=(dot, weighted_sum), cost=cost, symmetries=same)

    return World(
        NOTATION, (Family("outcomes", (Size("N", 1, 300, 2), Size("R", 1, 8, usual), Size("d", 1, 8, 1)), at),)
    )


_NO_VARIANCE = le(abs(second - rho), 0)

D41 = definition(
    "FA-D4.1",
    "Definition 4.1, §4.3",
    "Local update diversity",
    printed=r"\delta_D^t\triangleq\sqrt{\frac{\sum_i\lambda_i\mathbb E\|g_i^t\|^2}{\mathbb E\|G^t\|^2}},\quad t\in[T]",
    plainly="The diversity of the updates compares their mean square with the square of their mean.",
    assumes=["λ on the simplex", "any updates, noisy or not"],
    says=le(second, above),
    world=_outcomes(),
    readings=[
        reading("never below 1", "𝔼‖G‖² <= Σλᵢ𝔼‖gᵢ‖².", because="the plain case: a round whose mean update is not 0"),
        reading(
            "defined in every round",
            "«For any round t ∈ [T]»: 𝔼‖G‖² = 0 only if all updates of weight are 0.",
            le(vanishing * above, 0),
            world=_outcomes(1),
            cuts={"round": "that with a vanishing mean update, as at a fixed point of FedAvg"},
            met_by=EARLY,
        ),
    ],
    mutants=[
        mutant(
            "the variance left out of 𝔼‖G‖²",
            _NO_VARIANCE,
            "𝔼‖G‖² exceeds ρ by the variance, which is positive for noisy updates",
        )
    ],
    tight="all updates of weight equal",
    rests_on=["FA-E1"],
    verdict="""It is defined, and at least 1, in every round whose mean update does not vanish, as in the runs of Table
        2 and Figure 1; «any round» leaves out that one case. It is 1 for equal updates. Where the mean update is 0 and
        the updates are not, it is a division by 0: without noise that is every fixed point of FedAvg that is not
        stationary for all clients. There opposite updates balance, and near it the diversity grows without bound,
        however small the heterogeneity. With one common minimum it stays bounded.""",
)

E5 = definition(
    "FA-E5",
    "Eq. (5), Definition 4.1",
    "The two forms of LUD",
    printed=r"""\delta_D^t\triangleq\sqrt{\frac{\sum_i\lambda_i\mathbb E\|g_i^t\|^2}{\mathbb E\|G^t\|^2}}=
        \sqrt{\frac{\sum_i\lambda_i\mathbb E\|g_i^t\|^2}{\mathbb V(G^t)+\rho^t(\lambda)}}""",
    plainly="The second moment of the pseudo-gradient is its variance plus the client consensus.",
    assumes=["ρ = ‖𝔼G‖², 𝕍 = 𝔼‖G − 𝔼G‖², all under the same 𝔼"],
    says=le(abs(second - variance - rho), 0),
    world=_outcomes(),
    readings=[reading("as printed", "Over any equally likely outcomes.")],
    mutants=[mutant("the variance left out", _NO_VARIANCE, "two outcomes ±1 have ρ = 0 and second moment 1")],
    tight="always equal",
    rests_on=["FA-D4.1"],
    verdict="""The identity 𝔼‖G‖² = 𝕍 + ‖𝔼G‖² holds for any weights, also for weights that see the noise, provided all
        three are conditional on the same past; with 𝔼 over whole runs on one side and over a round on the other it does
        not. The two quotients are compared by their denominators; the bound on 𝕍 that A.2 gives (FA-VAR) is not used.""",
)


def cohort(x: Instance, *, shares: str = "") -> Mapping[str, Any]:
    """e-LUD² is `cohort_square`/`cohort_mean2` over a cohort with client 1; `agree`: 1 where inner products sum to >= 0.

    With `shares` «drawn» or «equal» everybody is there, and `above`/`second` is LUD², both defined.
    """
    g = x["m"]
    n = g.shape[1]
    here = np.ones(g.shape[:2], dtype=bool) if shares else (x["here"] > 0.5) | (np.arange(n) == 0)
    count = here.sum(axis=1)
    squares_sum = np.where(here, squares(g), 0.0).sum(axis=1)
    lam = x["weights"] if shares == "drawn" else np.full(g.shape[:2], 1.0 / n)
    largest = squares(g).max(axis=1)
    found = {
        "cohort_square": squares_sum / count,
        "cohort_mean2": squares((here[..., None] * g).sum(axis=1)) / count**2,
        "above": (lam * squares(g)).sum(axis=1),
        "second": squares(pseudo_gradient(g, lam)),
    }
    least = np.minimum(found["second"], found["cohort_mean2"]) if shares else largest
    agree = found["cohort_mean2"] * count**2 >= squares_sum
    sizes = dict.fromkeys(found, largest)
    found |= {"count": count, "agree": agree.astype(float)}
    return {
        **found,
        "sizes": sizes,
        "admissible": (least > ROUNDED_0 * largest) | (not shares),
        "resolved": 1e-8 * largest <= least,
    }


def cohort_exact(x: Mapping[str, Any], *, shares: str = "") -> Checked:
    """e-LUD^2 = cohort_square/cohort_mean2 over the cohort; client 1 is always present."""
    g = x["m"]
    cohort = [v for i, v in enumerate(g) if shares or i == 0 or x["here"][i] > Fraction(1, 2)]
    mean = [sum(c) / len(cohort) for c in zip(*cohort, strict=True)]
    lam = x["weights"] if shares == "drawn" else [Fraction(1, len(g)) for _ in g]
    G = weighted_sum(lam, g)
    cross = sum(dot(u, v) for i, u in enumerate(cohort) for j, v in enumerate(cohort) if i != j)
    found = {"cohort_square": sum(dot(v, v) for v in cohort) / len(cohort), "cohort_mean2": dot(mean, mean)}
    found |= {"above": dot(lam, [dot(v, v) for v in g]), "second": dot(G, G)}
    found |= {"count": Fraction(len(cohort)), "agree": Fraction(int(cross >= 0))}
    met = {"both are defined where asked": not shares or (dot(G, G) > 0 and found["cohort_mean2"] > 0)}
    return {**met, "lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}, found


def _cohorts(shares: str = "") -> World:
    return vectors(cohort, cohort_exact, "here", "weights", symmetric=False, shares=shares)


_JENSEN, _SAME = le(cohort_mean2, cohort_square), le(abs(above * cohort_mean2 - cohort_square * second), 0)

D41E = definition(
    "FA-D4.1e",
    "§5, Metrics",
    "Empirical LUD",
    printed=r"""\tilde\delta_D^t\triangleq\sqrt{\frac{\frac1{|S^t|}\sum_{i\in S^t}\|g_i^t\|^2}{\big\|\frac1{|S^t|}
        \sum_{i\in S^t}g_i^t\big\|^2}}""",
    plainly="e-LUD, used instead of LUD, is the diversity of the cohort's updates, all weighed alike.",
    assumes=["any cohort", "updates of one run, without an expectation"],
    says=all_of(_JENSEN, le(agree * (cohort_square - count * cohort_mean2), 0)),
    world=_cohorts(),
    readings=[
        reading(
            "between 1 and √|S| unless updates conflict", "Beyond √|S| only if the inner products sum to less than 0."
        ),
        reading(
            "LUD itself if everybody takes part",
            "Full participation, no noise, any λ of the objective.",
            _SAME,
            world=_cohorts("drawn"),
            ours="""e-LUD is a metric of its own, defined «instead» of LUD; equality under unequal λ is not printed, and
                the Limitation admits the gap""",
        ),
        reading(
            "LUD itself for equal shares",
            "The same with λᵢ = 1/N.",
            _SAME,
            world=_cohorts("equal"),
            conditions=["λᵢ = 1/N", "everybody takes part, no noise"],
        ),
    ],
    mutants=[
        mutant(
            "never beyond √|S|",
            all_of(_JENSEN, le(cohort_square, count * cohort_mean2)),
            "1 and −1 + ε have a mean of ε/2, so that e-LUD has no bound",
        )
    ],
    tight="equal updates for 1, orthogonal updates for √|S|",
    rests_on=["FA-D4.1"],
    verdict="""As a metric of its own, defined «instead» of LUD, e-LUD has the range one expects: at least 1, √|S| for
        orthogonal updates, and above that only if updates conflict. Where the cohort's mean update is 0 it is, like
        LUD, a division by 0 (FA-D4.1). It weighs the cohort evenly, while LUD weighs by λ. So with everybody present
        and no noise the two agree for equal shares and not for all λ. That they should agree is a stronger statement,
        ours: the Limitation names a gap between the two. The experiments sample clients evenly and say nothing of
        λ.""",
)


def enlarged(x: Instance) -> Mapping[str, Any]:
    """LUD²(λ) is `above`/`second`; at the weights of least norm `above`/`d2`, or `above_own`/`d2` with those throughout."""
    g, lam = x["m"], x["weights"]
    weights, d = nearest(g)
    norms = squares(g)
    found = {"second": squares(pseudo_gradient(g, lam)), "d2": squares(d), "above": (lam * norms).sum(axis=1)}
    found["above_own"] = (weights * norms).sum(axis=1)
    return {**found, "least2": norms.min(axis=1), "sizes": dict.fromkeys(found, norms.max(axis=1))}


def enlarged_exact(x: Mapping[str, Any]) -> Checked:
    """Numerators and denominators of LUD^2 under lambda and under the weights of least norm."""
    g, lam = x["m"], x["weights"]
    weights, d = shortest(g)
    G, norms = weighted_sum(lam, g), [dot(v, v) for v in g]
    found = {"second": dot(G, G), "d2": dot(d, d), "above": dot(lam, norms), "above_own": dot(weights, norms)}
    return {"lambda on the simplex": sum(lam) == 1 and min(lam) >= 0}, {**found, "least2": min(norms)}


R8 = remark(
    "FA-R8",
    "§4.3, «FedAWARE further enlarges LUD dynamics»",
    "Min-norm weights enlarge the diversity",
    printed=r"\delta_D(\lambda)\le\delta_D(\tilde\lambda)\ \text{ at the min-norm weights }\tilde\lambda",
    plainly="For the same updates min-norm weights enlarge LUD.",
    ours="""Sec. 4.3 says that «we empirically illustrate that FedAWARE further enlarges the LUD dynamics during
        training»; a law for the same updates is our question""",
    assumes=["the same updates under both weightings", "λ on the simplex"],
    says=le(above * d2, above * second),
    world=vectors(enlarged, enlarged_exact, "weights", symmetric=False),
    open={
        "numerator": nowhere("""Definition 4.1 has one λ; for applied weights λ̃ the weights of the numerator, the
            objective's or the applied, are not said""")
    },
    readings=[
        reading(
            "only in the denominator",
            "Numerator Σλᵢ‖gᵢ‖² with the objective's weights in both.",
            options={"numerator": "the objective's weights"},
        ),
        reading(
            "in both",
            "Definition 4.1 with λ̃ throughout.",
            le(above * d2, above_own * second),
            options={"numerator": "the applied weights"},
        ),
    ],
    mutants=[
        mutant(
            "with the least square taken off the numerator",
            le(above * d2, (above - least2) * second),
            "for equal updates LUD would be 0 after and is 1 before",
        )
    ],
    tight="λ already optimal",
    rests_on=["FA-D4.1", "FA-MN12"],
    verdict="""It depends on the weights in the numerator of LUD: with those of the objective min-norm weights can only
        enlarge it, with the applied ones they may lower it. Min-norm weights shorten the mean update, the denominator.
        But they also favour short updates: for updates 1 and 10 all weight goes to the first, and with the applied
        weights in the numerator LUD falls to 1. Definition 4.1 has one λ and does not say. A law for the same updates
        is ours in both readings. The sentence of Sec. 4.3 is about e-LUD in experiments, with equal weights and over
        whole runs, which is a third thing and is not judged here.""",
)

_GROWS = le(above_first * below_last, above_last * below_first)

R7 = remark(
    "FA-R7",
    "§4.3, «FL is a process of enlarging LUD»",
    "Diversity grows during training",
    printed=r"\delta_D^{t+1}\ge\delta_D^t",
    plainly="""The diversity of the updates increases during training, since the consensus falls faster than the
        updates.""",
    assumes=[
        "strongly convex quadratic clients, no noise, η_l <= 1/(8LK), η <= 1/(24LK)",
        "FedAvg with everyone present; any start, near or far",
    ],
    says=_GROWS,
    world=line_runs("round"),
    open={
        "increasing": nowhere("""«the empirical LUD values are increasing during training»: from round to round, or
            from the start to the end, is not said""")
    },
    readings=[
        reading("in every round", "From one round to the next.", options={"increasing": "from round to round"}),
        reading(
            "over the run",
            "From the first round to the last.",
            _GROWS,
            world=line_runs("run"),
            options={"increasing": "from the start to the end"},
        ),
        reading(
            "in every round, equal curvatures",
            "Clients that differ in their minima only.",
            _GROWS,
            world=line_runs("round", alike=True),
            conditions=["equal curvatures: clients that differ in their minima only"],
        ),
    ],
    mutants=[
        mutant(
            "falls in every round, equal curvatures",
            le(above_last * below_first, above_first * below_last),
            "δ² is then 1 plus a constant over (x − x*)², and x approaches x*",
            world=line_runs("round", alike=True),
        )
    ],
    tight="one common minimum and equal curvatures, where it is constant",
    rests_on=["FA-D4.1", "FA-PR4.1"],
    written="the inequality, for «the empirical LUD values are increasing during training»",
    verdict="""For clients of equal curvature, which differ in their minima only, it grows in every round; with unequal
        curvatures it need not. Clients with minima of their own are the heterogeneity that the passage names, «at the
        local optimums»; that their curvatures are equal it does not say, and no setting of the paper has it. With equal curvatures δ² is 1 plus a constant over the squared distance to the limit.
        Otherwise, coming from the side of the steeper clients, the diversity falls before it rises, and a short run
        (five rounds here) may end below its start. Late in a long noiseless run of clients with minima of their own it
        always grows, and without bound, because G vanishes and the updates do not. Noise ends that growth at a
        plateau.""",
)

R9 = remark(
    "FA-R9",
    "B.2, observation experiments on IID settings",
    "Lower cumulative consensus in IID settings",
    printed=r"\sum_{t<T}\rho^t_{\text{IID}}\le\sum_{t<T}\rho^t_{\text{non-IID}}",
    plainly="The cumulative client consensus is lower in IID settings, Dir(1) and Dir(10), than in non-IID ones.",
    assumes=[
        "strongly convex quadratic clients, no noise, η_l <= 1/(8LK), η <= 1/(24LK)",
        "FedAvg with everyone present",
        "our formal counterpart: IID as clients that are all alike; the same f, start and steps in both",
    ],
    says=le(sum_same, sum_rho2),
    world=line_runs("identical"),
    readings=[
        reading(
            "any K",
            "Identical clients against clients with the mean f.",
            ours="""our formal counterpart (the same f, start and steps in both); the remark is about the data of Figure
                8""",
        ),
        reading(
            "K = 1",
            "One local step, where both runs are gradient descent on f.",
            le(sum_same, sum_rho2),
            world=line_runs("identical", most_steps=1),
            conditions=["K = 1", "the same f in both"],
        ),
        reading(
            "the runs of Figure 8",
            """Dir(1) and Dir(10) against Dir(0.1) and Dir(0.5), which are other objectives, with noise: in our runs,
                the mean of ‖Gᵗ‖² over the rounds.""",
            played(
                Path(__file__).parent,
                "FA-R9",
                "Figure 8 carries no numbers: the sum of ρᵗ at Dir(0.1), Dir(0.5), Dir(1) and Dir(10)",
            ),
        ),
    ],
    mutants=[
        mutant(
            "common minimum, several steps",
            None,
            "c = 1 − (1 − ηh)^K is concave in h, so identical clients move further in the first round",
            world=line_runs("identical", common=True),
        )
    ],
    tight="K = 1, always equal",
    rests_on=["FA-PR4.1", "FA-T4.2"],
    written="the sums, for a sentence of B.2",
    verdict="""The remark describes Figure 8, deep networks on other data with noise. In our runs of it, five seeds or
        more of five hundred rounds, the sums are lower at Dir(1) and Dir(10) than at Dir(0.5) and Dir(0.1). They do not
        decide it: the paper leaves open how clients were partitioned, data scaled and augmented and means weighted, and
        what is listed as not exercised was not run. As a law it would be false: for one local step and the same f the
        two runs are the same gradient descent, and so are the sums; for several steps the pull 1 − (1 − ηh)^K of a
        client is concave in its curvature, so identical clients pull more than clients whose curvatures average to
        theirs, ρ starts larger and its sum can be larger.""",
)

CLAIMS: tuple[Claim, ...] = (D41, E5, D41E, R7, R8, R9)
