"""Sec. 3.1: the pure strategies as defined, the extreme clients, and weights over the clients that took part."""

from __future__ import annotations

from paper_checks.robust_aggregation.notation import NOTATION
from paper_checks.robust_aggregation.rule_weights import cohorts_of, losses_of
from validation.statement.claim import Claim
from validation.world import Le, Variant, World, all_of, definition, le, mutant, nowhere, reading

__all__ = ["BEST", "CLAIMS", "NONZERO", "SOFT_ASSUMED", "SPAN"]

total, lightest, is_zero_weight, unequal = NOTATION.symbols("total lightest is_zero_weight unequal")
unequal_per_share, stretch, from_hard = NOTATION.symbols("unequal_per_share stretch from_hard")
several_best, score, score_shares, score_top = NOTATION.symbols("several_best score score_shares score_top")
span, fall, share_top, outside = NOTATION.symbols("span fall share_top outside")

_SIMPLEX = all_of(le(abs(total - 1), 0), le(-lightest, 0))
BEST, _AVERAGE = le(score_top, score), le(score_shares, score)
_FAIR, _FAIR_PER_SHARE = le(unequal, 0), le(unequal_per_share, 0)
NONZERO = le(is_zero_weight, 0)
SPAN = le(stretch, span)
_HARD = le(from_hard, (1 - share_top) / (share_top * fall))

_ON_SIMPLEX = reading(
    "weights on the simplex",
    "The weights are >= 0, sum to 1 and follow the printed formula, whatever the losses.",
    part="weights on the simplex",
)

AVG = definition(
    "RA-S-AVG",
    "Sec. 3.1",
    "FedAvg-generalized",
    printed=r"\forall t,\ i\in I:\quad\alpha_t^i=p_i",
    plainly="Every client counts by its share, so the skew ρ(t, w) is 1 at every model.",
    assumes=["ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1"],
    says=_SIMPLEX,
    world=losses_of("FedAvg"),
    readings=[
        _ON_SIMPLEX,
        reading("neither up nor down", "Σαᵢℓᵢ >= Σpᵢℓᵢ.", _AVERAGE, part="skew at least 1"),
        reading("nor down", "Σαᵢℓᵢ <= Σpᵢℓᵢ.", _AVERAGE, world=losses_of("FedAvg", lean=-1), part="skew at most 1"),
    ],
    mutants=[
        mutant(
            "every client counts the same",
            _AVERAGE,
            "with unequal shares the plain mean of the losses may be the smaller",
            world=losses_of("equal"),
        )
    ],
    verdict="""The weights are the shares, so numerator and denominator of the skew are one sum, at every model and in
        every round.""",
)

_EQUAL_LOSSES = reading(
    "equal losses, equal treatment",
    "Clients with the same excess have the same aᵢ.",
    _FAIR,
    part="equal losses, equal treatment",
)

W = definition(
    "RA-S-W",
    "Sec. 3.1",
    "FedWorse",
    printed=r"\alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\max_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}",
    plainly="""All weight on the clients with the largest excess loss, which makes the weighted excess as large as any
        weights can.""",
    assumes=["ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1"],
    says=_SIMPLEX,
    world=losses_of("FedWorse"),
    readings=[
        _ON_SIMPLEX,
        reading("no weights give more", "Σαᵢℓᵢ = maxᵢ ℓᵢ.", BEST, part="no weights give more"),
        _EQUAL_LOSSES,
    ],
    mutants=[
        mutant(
            "the losses Fᵢ(w) compared instead of the excess",
            BEST,
            "a client with a high floor Fᵢ* may have the largest loss and the smallest excess",
            world=losses_of("FedWorse", "loss"),
        )
    ],
    rests_on=["RA-D10"],
    verdict="""A weighted mean is at most the largest entry, and the rule attains it; ties share the weight. The rule
        ignores the shares, and it needs Fᵢ*: with the raw losses another client may be chosen.""",
)

B = definition(
    "RA-S-B",
    "Sec. 3.1",
    "FedBetter",
    printed=r"\alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\min_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}",
    plainly="All weight on the clients with the smallest excess loss: no weights make the weighted excess smaller.",
    assumes=["ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1"],
    says=_SIMPLEX,
    world=losses_of("FedBetter"),
    readings=[
        _ON_SIMPLEX,
        reading(
            "no weights give less",
            "Σαᵢℓᵢ = minᵢ ℓᵢ.",
            BEST,
            world=losses_of("FedBetter", lean=-1),
            part="no weights give less",
        ),
        _EQUAL_LOSSES,
    ],
    mutants=[
        mutant(
            "the losses Fᵢ(w) compared instead of the excess",
            BEST,
            "a client with a low floor Fᵢ* may have the smallest loss and the largest excess",
            world=losses_of("FedBetter", "loss", lean=-1),
        )
    ],
    rests_on=["RA-D10"],
    verdict="""The mirror image of FedWorse: the rule attains the smallest weighted excess. In the terms of Corollary 1
        it therefore gives the smallest ρ(t, wₜ), that is the largest V, at a given model.""",
)

_KEPT = all_of(le(abs(total - 1), 0), le(-lightest, 0), le(score_shares - score, 0))

WK = definition(
    "RA-S-WK",
    "Sec. 3.1 and B.2",
    "FedWorse(k)",
    printed=r"""\text{sorted by decreasing }F_i(w_t)-F_i^\star,\text{ the first }m
        \text{ clients count, the others have weight }0:\quad\sum_i\alpha_t^i\ell_i\ge\sum_ip_i\ell_i""",
    plainly="""FedWorse(k), which counts the m clients of largest excess, weighs the losses at least as FedAvg does, however
        these m are weighed among themselves.""",
    assumes=["ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1"],
    says=_KEPT,
    world=losses_of("FedWorse(k)", "uniform"),
    open={
        "weights": nowhere("""«we consider the m clients when sorted by decreasing order»: how these m are weighed
            among themselves""")
    },
    readings=[
        reading(
            "weights 1/m on the clients kept",
            """Our test: on the simplex or not, is the weighted excess more than with pᵢ? Ties at the last place share
                it.""",
            options={"weights": "1/m"},
        ),
        reading(
            "weights in proportion to pᵢ on the clients kept",
            "The same with the shares of those kept, re-normalised.",
            world=losses_of("FedWorse(k)", "share"),
            options={"weights": "in proportion to pᵢ"},
        ),
    ],
    mutants=[
        mutant(
            "sorted the other way",
            _AVERAGE,
            "the clients kept are then those at the other end, and the mean moves the wrong way",
            world=losses_of("FedWorse(k)", "share", lean=-1),
        )
    ],
    rests_on=["RA-D10"],
    ours="""Sec. 3.1 and B.2 only define FedWorse(k); that it weighs the losses at least as FedAvg does is printed nowhere,
        nor that the other clients have weight 0""",
    verdict="""How the m clients kept are weighed among themselves is not said, and it matters: in proportion to pᵢ the
        rule never falls behind FedAvg, ρ(t, wₜ) being at least 1 at every model; with 1/m and unequal shares it can. It
        «boils down to» Power-of-Choice, where the m kept count alike: that speaks for 1/m, and nothing else is printed.
        A client that holds nearly all data and is itself the most extreme has more weight in FedAvg than 1/m. When all shares are equal the two weightings are one. That the rule leans to the extreme clients is our question; the print only defines it. The experiments with a percentage k need one of the two to be named.""",
)

BK = definition(
    "RA-S-BK",
    "Sec. 3.1 and B.2",
    "FedBetter(k)",
    printed=r"""\text{sorted by increasing }F_i(w_t)-F_i^\star,\text{ the first }m
        \text{ clients count, the others have weight }0:\quad\sum_i\alpha_t^i\ell_i\le\sum_ip_i\ell_i""",
    plainly="""FedBetter(k), which counts the m clients of smallest excess, weighs the losses at most as FedAvg does,
        however these m are weighed among themselves.""",
    assumes=["ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1"],
    says=_KEPT,
    world=losses_of("FedBetter(k)", "uniform", lean=-1),
    open={"weights": nowhere("«we take the m best ones»: how these m are weighed among themselves")},
    readings=[
        reading(
            "weights 1/m on the clients kept",
            """Our test: on the simplex or not, is the weighted excess less than with pᵢ? Ties at the last place share
                it.""",
            options={"weights": "1/m"},
        ),
        reading(
            "weights in proportion to pᵢ on the clients kept",
            "The same with the shares of those kept, re-normalised.",
            world=losses_of("FedBetter(k)", "share", lean=-1),
            options={"weights": "in proportion to pᵢ"},
        ),
    ],
    mutants=[
        mutant(
            "sorted the other way",
            _AVERAGE,
            "the clients kept are then those at the other end, and the mean moves the wrong way",
            world=losses_of("FedBetter(k)", "share"),
        )
    ],
    rests_on=["RA-D10"],
    ours="""Sec. 3.1 and B.2 only define FedBetter(k); that it weighs the losses at most as FedAvg does is printed nowhere,
        nor that the other clients have weight 0""",
    repeats="RA-S-WK",
    verdict="""How the m clients kept are weighed among themselves is not said, and it matters: in proportion to pᵢ the
        rule never falls behind FedAvg, ρ(t, wₜ) being at most 1 at every model; with 1/m and unequal shares it can. It
        is the opposite of FedWorse(k), which «boils down to» Power-of-Choice, where the m kept count alike: that speaks
        for 1/m, and nothing else is printed. A client that holds nearly all data and is itself the most extreme has
        more weight in FedAvg than 1/m. When all shares are equal the two weightings are one. That the rule leans to the extreme clients is our question; the print only defines it. The experiments with a percentage k
        need one of the two to be named.""",
)


def _soft(rule: str, lean: int, way: str) -> list[Variant]:
    """What both softened rules are said to do, over the worlds of one of them."""
    return [
        _part(
            "weights on the simplex",
            "The weights are >= 0, sum to 1 and follow the printed formula, whatever the losses.",
        ),
        _part("never behind FedAvg", f"Σαᵢℓᵢ moves {way} from Σpᵢℓᵢ.", _AVERAGE, losses_of(rule, lean=lean)),
        _part("no weight is 0", "αᵢ > 0 for every client.", NONZERO),
        _part("equal losses, equal treatment", "Clients with the same excess have the same aᵢ/pᵢ.", _FAIR_PER_SHARE),
        _part("T → ∞ gives FedAvg", "κᵢ = αᵢ/pᵢ lies between e^{−R/T} and e^{R/T}, R the range of the losses.", SPAN),
        _part(
            "T → 0 gives the hard rule where one client is extreme",
            "The distance to it is at most (1 − p_J)/p_J · e^{−gap/T}.",
            _HARD,
            losses_of(rule, lean=lean, alone="alone"),
        ),
    ]


def _part(name: str, note: str, says: Le | None = None, world: World | None = None) -> Variant:
    return reading(name, note, says, world=world, part=name)


SOFT_ASSUMED = [
    "ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1",
    "e^{1/T} is the constant odds, losses in whole units",
]

SW = definition(
    "RA-S-SW",
    "Sec. 3.1",
    "FedSoftWorse",
    printed=r"\alpha_t^i\propto p_i\exp(T^{-1}(F_i(w_t)-F_i^\star))\quad\text{re-normalised}",
    plainly="""FedSoftWorse tilts the shares upwards in the excess loss, all weights positive, between FedAvg and the
        hard rule.""",
    assumes=SOFT_ASSUMED,
    says=_SIMPLEX,
    world=losses_of("FedSoftWorse"),
    readings=_soft("FedSoftWorse", 1, "upwards"),
    mutants=[
        mutant(
            "ties admitted in the limit T → 0",
            _HARD,
            "two extreme clients of unlike shares keep weights near these, where the hard rule has equal ones",
            world=losses_of("FedSoftWorse", alone="or not"),
        )
    ],
    rests_on=["RA-S-W", "RA-S-AVG"],
    verdict="""The formula does what it is for. Tilting by the excess can only move the weighted excess upwards; every
        weight is positive in exact arithmetic; large T gives FedAvg, and small T the hard rule if one client is extreme
        (with ties the limit keeps the shares, unlike the printed 1/|J|). In double precision weights underflow to 0
        once the losses differ by more than several hundred T.""",
)

SB = definition(
    "RA-S-SB",
    "Sec. 3.1",
    "FedSoftBetter",
    printed=r"\alpha_t^i\propto p_i\exp(-T^{-1}(F_i(w_t)-F_i^\star))\quad\text{re-normalised}",
    plainly="""FedSoftBetter tilts the shares downwards in the excess loss, all weights positive, between FedAvg and the
        hard rule.""",
    assumes=SOFT_ASSUMED,
    says=_SIMPLEX,
    world=losses_of("FedSoftBetter"),
    readings=_soft("FedSoftBetter", -1, "downwards"),
    mutants=[
        mutant(
            "ties admitted in the limit T → 0",
            _HARD,
            "two extreme clients of unlike shares keep weights near these, where the hard rule has equal ones",
            world=losses_of("FedSoftBetter", lean=-1, alone="or not"),
        )
    ],
    rests_on=["RA-S-B", "RA-S-AVG"],
    written="the formula, for «An analogous modification is done for FedSoftBetter»",
    verdict="""The formula does what it is for. Tilting by the excess can only move the weighted excess downwards; every
        weight is positive in exact arithmetic; large T gives FedAvg, and small T the hard rule if one client is extreme
        (with ties the limit keeps the shares, unlike the printed 1/|J|). In double precision weights underflow to 0
        once the losses differ by more than several hundred T. The paper says only «an analogous modification»; the sign
        changed is the reading taken.""",
)

_EXTREME = all_of(le(abs(total - 1), 0), le(-lightest, 0), le(score_top - score, 0))

D10 = definition(
    "RA-D10",
    "Sec. 2.5.1 and 3.1",
    "The set of extreme clients",
    printed=r"J_t=\arg\max_{i\in I}(F_i(w_t)-F_i^\star)\ \text{(FedWorse)},\qquad\arg\min\ \text{(FedBetter)}",
    plainly="J_t is never empty, and only clients with the extreme excess are in it.",
    assumes=["ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1"],
    says=_EXTREME,
    world=losses_of("FedWorse"),
    readings=[
        reading("arg max", "Weights 1/|J| on J sum to 1 and reach the largest excess.", part="arg max"),
        reading("arg min", "The same at the other end.", world=losses_of("FedBetter", lean=-1), part="arg min"),
    ],
    mutants=[
        mutant(
            "|J_t| = 1 for all losses",
            le(several_best, 0),
            "two clients with the same data have the same loss at every model",
        )
    ],
    verdict="""J_t is well defined: a finite set of clients has extreme ones. That it has one element, as Section 3.1
        notes of practice, is not a theorem: equal clients, or a start between two mirrored ones, give ties, which the
        formula 1/|J| handles.""",
)


_ALL_RULES = ("FedAvg", "FedWorse", "FedSoftWorse")

ALG2 = definition(
    "RA-ALG2",
    "Algorithm 1, line 8, with the strategies of Sec. 3",
    "Aggregation over the clients that took part",
    printed=r"""w_{t+E}=\sum_i\alpha_t^iw_{t+E}^i\ \text{with }\alpha_t\text{ from }\ell_i=F_i(w_t)-F_i^\star;
        \qquad\min_{i\in I_t}w_{t+E}^i\le w_{t+E}\le\max_{i\in I_t}w_{t+E}^i""",
    plainly="The new model is an average of the local models of the clients that took part.",
    assumes=["any cohort I_t of one client or more", "models in one dimension, or one coordinate of them"],
    says=le(outside, 0),
    world=cohorts_of("the cohort", *_ALL_RULES),
    readings=[
        reading(
            "weights of the cohort alone",
            "J_t, m and the normalisation over I_t: FedAvg, FedWorse, FedSoftWorse.",
            because="the only one of the two with Σα = 1, which Sec. 2.1 prints",
        ),
        reading(
            "weights of all clients, those absent left out",
            "α over I as in Section 3, Σ over I_t: ours, since these weights no longer sum to 1.",
            world=cohorts_of("everyone", *_ALL_RULES),
            ours="""Sec. 3 writes α for I under full participation (Sec. 2.1), with Σα = 1; weights that no longer sum
                to 1 are printed nowhere and nobody would defend them""",
        ),
    ],
    mutants=[
        mutant(
            "the models of absent clients counted",
            None,
            "an absent client may have any model, far outside those of the cohort",
            world=cohorts_of("absent models too", "FedAvg"),
        )
    ],
    rests_on=["RA-ALG1", "RA-S-AVG", "RA-S-W", "RA-S-SW"],
    written="the two bounds on the aggregated model",
    verdict="""Formed over the clients that took part, the weights of Section 3 sum to 1, and the new model is an
        average of these clients' models. Section 3 writes α for I, under the full participation of Section 2.1, where
        there is nothing to choose; no check of the theory uses a smaller cohort. How α is formed over I_t is an
        extension, for the implementation to record. Weights formed over I with the absent left out are ours and printed
        nowhere: they no longer sum to 1, FedAvg then shrinks the model towards 0, and FedWorse gives no weight at all
        when the worst client is absent.""",
)

CLAIMS: tuple[Claim, ...] = (AVG, W, B, WK, BK, SW, SB, D10, ALG2)
