"""Sec. 3.1: the pure strategies as defined, the extreme clients, and weights over the clients that took part."""

from __future__ import annotations

from typing import Any

from paper_checks.robust_aggregation.notation import NOTATION
from paper_checks.robust_aggregation.rule_weights import cohorts_of, losses_of
from validation.statement.claim import Claim
from validation.statement.says import all_of, le
from validation.world.stated import but, stated

__all__ = ["BEST", "CLAIMS", "NONZERO", "SPAN"]

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

AVG = stated(
    r"""RA-S-AVG (definition; Sec. 3.1): FedAvg-generalized
    Print: \forall t,\ i\in I:\quad\alpha_t^i=p_i
    Plainly: Every client counts by its share, so the skew ρ(t, w) is 1 at every model.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: neither up nor down | Σαᵢℓᵢ >= Σpᵢℓᵢ. | part: skew at least 1
    Reading: nor down | Σαᵢℓᵢ <= Σpᵢℓᵢ. | part: skew at most 1
    Mutant: every client counts the same | with unequal shares the plain mean of the losses may be the smaller
    Verdict: The weights are the shares, so numerator and denominator of the skew are one sum, at every model and in
      every round.""",
    says=_SIMPLEX,
    world=losses_of("FedAvg"),
    readings={"neither up nor down": _AVERAGE, "nor down": but(_AVERAGE, world=losses_of("FedAvg", lean=-1))},
    mutants={"every client counts the same": but(_AVERAGE, world=losses_of("equal"))},
)

W = stated(
    r"""RA-S-W (definition; Sec. 3.1): FedWorse
    Print: \alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\max_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}
    Plainly: All weight on the clients with the largest excess loss, which makes the weighted excess as large as any
      weights can.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: no weights give more | Σαᵢℓᵢ = maxᵢ ℓᵢ. | part: no weights give more
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ. | part: equal losses, equal
      treatment
    Mutant: the losses Fᵢ(w) compared instead of the excess | a client with a high floor Fᵢ* may have the largest loss
      and the smallest excess
    Rests on: RA-D10
    Verdict: A weighted mean is at most the largest entry, and the rule attains it; ties share the weight. The rule
      ignores the shares, and it needs Fᵢ*: with the raw losses another client may be chosen.""",
    says=_SIMPLEX,
    world=losses_of("FedWorse"),
    readings={"no weights give more": BEST, "equal losses, equal treatment": _FAIR},
    mutants={"the losses Fᵢ(w) compared instead of the excess": but(BEST, world=losses_of("FedWorse", "loss"))},
)

B = stated(
    r"""RA-S-B (definition; Sec. 3.1): FedBetter
    Print: \alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\min_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}
    Plainly: All weight on the clients with the smallest excess loss: no weights make the weighted excess smaller.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: no weights give less | Σαᵢℓᵢ = minᵢ ℓᵢ. | part: no weights give less
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ. | part: equal losses, equal
      treatment
    Mutant: the losses Fᵢ(w) compared instead of the excess | a client with a low floor Fᵢ* may have the smallest loss
      and the largest excess
    Rests on: RA-D10
    Verdict: The mirror image of FedWorse: the rule attains the smallest weighted excess. In the terms of Corollary 1 it
      therefore gives the smallest ρ(t, wₜ), that is the largest V, at a given model.""",
    says=_SIMPLEX,
    world=losses_of("FedBetter"),
    readings={
        "no weights give less": but(BEST, world=losses_of("FedBetter", lean=-1)),
        "equal losses, equal treatment": _FAIR,
    },
    mutants={
        "the losses Fᵢ(w) compared instead of the excess": but(BEST, world=losses_of("FedBetter", "loss", lean=-1))
    },
)

_KEPT = all_of(le(abs(total - 1), 0), le(-lightest, 0), le(score_shares - score, 0))

WK = stated(
    r"""RA-S-WK (definition; Sec. 3.1 and B.2): FedWorse(k)
    Print: \text{sorted by decreasing }F_i(w_t)-F_i^\star,\text{ the first }m\text{ clients count, the others have weight }
      0
    Plainly: FedWorse(k) counts the m clients of largest excess; whether it then weighs the losses more than FedAvg does
      is our test.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Open (nowhere) weights: «we consider the m clients when sorted by decreasing order»: how these m are weighed among
      themselves
    Reading: weights 1/m on the clients kept | Our test: on the simplex or not, is the weighted excess more than with
      pᵢ? Ties at the last place share it. | option weights = 1/m
    Reading: weights in proportion to pᵢ on the clients kept | The same with the shares of those kept, re-normalised. |
      option weights = in proportion to pᵢ
    Mutant: sorted the other way | the clients kept are then those at the other end, and the mean moves the wrong way
    Rests on: RA-D10
    Verdict: How the m clients kept are weighed among themselves is not said, and it matters: in proportion to pᵢ the
      rule never falls behind FedAvg, ρ(t, wₜ) being at least 1 at every model; with 1/m and unequal shares it can. It
      «boils down to» Power-of-Choice, where the m kept count alike: that speaks for 1/m, and nothing else is printed. A
      client that holds nearly all data and is itself the most extreme has more weight in FedAvg than 1/m. When all
      shares are equal the two weightings are one. That the rule leans to the extreme clients is our test to tell them
      apart; the print only defines it. The experiments with a percentage k need one of the two to be named.""",
    says=_KEPT,
    world=losses_of("FedWorse(k)", "uniform"),
    readings={"weights in proportion to pᵢ on the clients kept": losses_of("FedWorse(k)", "share")},
    mutants={"sorted the other way": but(_AVERAGE, world=losses_of("FedWorse(k)", "share", lean=-1))},
)

BK = stated(
    r"""RA-S-BK (definition; Sec. 3.1 and B.2): FedBetter(k)
    Print: \text{sorted by increasing }F_i(w_t)-F_i^\star,\text{ the first }m\text{ clients count, the others have weight }
      0
    Plainly: FedBetter(k) counts the m clients of smallest excess; whether it then weighs the losses less than FedAvg
      does is our test.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Open (nowhere) weights: «we take the m best ones»: how these m are weighed among themselves
    Reading: weights 1/m on the clients kept | Our test: on the simplex or not, is the weighted excess less than with
      pᵢ? Ties at the last place share it. | option weights = 1/m
    Reading: weights in proportion to pᵢ on the clients kept | The same with the shares of those kept, re-normalised. |
      option weights = in proportion to pᵢ
    Mutant: sorted the other way | the clients kept are then those at the other end, and the mean moves the wrong way
    Rests on: RA-D10
    Repeats: RA-S-WK
    Verdict: How the m clients kept are weighed among themselves is not said, and it matters: in proportion to pᵢ the
      rule never falls behind FedAvg, ρ(t, wₜ) being at most 1 at every model; with 1/m and unequal shares it can. It is
      the opposite of FedWorse(k), which «boils down to» Power-of-Choice, where the m kept count alike: that speaks for
      1/m, and nothing else is printed. A client that holds nearly all data and is itself the most extreme has more
      weight in FedAvg than 1/m. When all shares are equal the two weightings are one. That the rule leans to the
      extreme clients is our test to tell them apart; the print only defines it. The experiments with a percentage k
      need one of the two to be named.""",
    says=_KEPT,
    world=losses_of("FedBetter(k)", "uniform", lean=-1),
    readings={"weights in proportion to pᵢ on the clients kept": losses_of("FedBetter(k)", "share", lean=-1)},
    mutants={"sorted the other way": but(_AVERAGE, world=losses_of("FedBetter(k)", "share"))},
)


def _soft(rule: str, lean: int, last: str) -> dict[str, Any]:
    """What both softened rules are said to do, over the worlds of one of them."""
    return {
        "never behind FedAvg": but(_AVERAGE, world=losses_of(rule, lean=lean)),
        "no weight is 0": NONZERO,
        "equal losses, equal treatment": _FAIR_PER_SHARE,
        "T → ∞ gives FedAvg": SPAN,
        last: but(_HARD, world=losses_of(rule, lean=lean, alone="alone")),
    }


SW = stated(
    r"""RA-S-SW (definition; Sec. 3.1): FedSoftWorse
    Print: \alpha_t^i\propto p_i\exp(T^{-1}(F_i(w_t)-F_i^\star))\quad\text{re-normalised}
    Plainly: FedSoftWorse tilts the shares upwards in the excess loss, all weights positive, between FedAvg and the hard
      rule.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1 | e^{1/T} is the constant odds, losses
      in whole units
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: never behind FedAvg | Σαᵢℓᵢ moves upwards from Σpᵢℓᵢ. | part: never behind FedAvg
    Reading: no weight is 0 | αᵢ > 0 for every client. | part: no weight is 0
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ/pᵢ. | part: equal losses,
      equal treatment
    Reading: T → ∞ gives FedAvg | κᵢ = αᵢ/pᵢ lies between e^{−R/T} and e^{R/T}, R the range of the losses. | part: T → ∞
      gives FedAvg
    Reading: T → 0 gives the hard rule where one client is extreme | The distance to it is at most (1 − p_J)/p_J ·
      e^{−gap/T}. | part: T → 0 gives the hard rule where one client is extreme
    Mutant: ties admitted in the limit T → 0 | two extreme clients with shares 1/4 and 3/4 keep weights near 1/4 and
      3/4, where the hard rule has 1/2 and 1/2
    Rests on: RA-S-W, RA-S-AVG
    Verdict: The formula does what it is for. Tilting by the excess can only move the weighted excess upwards; every
      weight is positive in exact arithmetic; large T gives FedAvg, and small T the hard rule if one client is extreme
      (with ties the limit keeps the shares, unlike the printed 1/|J|). In double precision weights underflow to 0 once
      the losses differ by more than about 745 T.""",
    says=_SIMPLEX,
    world=losses_of("FedSoftWorse"),
    readings=_soft("FedSoftWorse", 1, "T → 0 gives the hard rule where one client is extreme"),
    mutants={"ties admitted in the limit T → 0": but(_HARD, world=losses_of("FedSoftWorse", alone="or not"))},
)

SB = stated(
    r"""RA-S-SB (definition; Sec. 3.1): FedSoftBetter
    Print: \alpha_t^i\propto p_i\exp(-T^{-1}(F_i(w_t)-F_i^\star))\quad\text{re-normalised}
    Plainly: FedSoftBetter tilts the shares downwards in the excess loss, all weights positive, between FedAvg and the
      hard rule.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1 | e^{1/T} is the constant odds, losses
      in whole units
    Reading: weights on the simplex | The weights are >= 0, sum to 1 and follow the printed formula, whatever the
      losses. | part: weights on the simplex
    Reading: never behind FedAvg | Σαᵢℓᵢ moves downwards from Σpᵢℓᵢ. | part: never behind FedAvg
    Reading: no weight is 0 | αᵢ > 0 for every client. | part: no weight is 0
    Reading: equal losses, equal treatment | Clients with the same excess have the same aᵢ/pᵢ. | part: equal losses,
      equal treatment
    Reading: T → ∞ gives FedAvg | κᵢ = αᵢ/pᵢ lies between e^{−R/T} and e^{R/T}, R the range of the losses. | part: T → ∞
      gives FedAvg
    Reading: T → 0 gives the hard rule where one client is extreme | The distance to it is at most (1 − p_J)/p_J ·
      e^{−gap/T}. | part: T → 0 gives the hard rule where one client is extreme
    Mutant: ties admitted in the limit T → 0 | two extreme clients with shares 1/4 and 3/4 keep weights near 1/4 and
      3/4, where the hard rule has 1/2 and 1/2
    Rests on: RA-S-B, RA-S-AVG
    Verdict: The formula does what it is for. Tilting by the excess can only move the weighted excess downwards; every
      weight is positive in exact arithmetic; large T gives FedAvg, and small T the hard rule if one client is extreme
      (with ties the limit keeps the shares, unlike the printed 1/|J|). In double precision weights underflow to 0 once
      the losses differ by more than about 745 T. The paper says only «an analogous modification»; the sign changed is
      the reading taken.""",
    says=_SIMPLEX,
    world=losses_of("FedSoftBetter"),
    readings=_soft("FedSoftBetter", -1, "T → 0 gives the hard rule where one client is extreme"),
    mutants={"ties admitted in the limit T → 0": but(_HARD, world=losses_of("FedSoftBetter", lean=-1, alone="or not"))},
)

_EXTREME = all_of(le(abs(total - 1), 0), le(-lightest, 0), le(score_top - score, 0))

D10 = stated(
    r"""RA-D10 (definition; Sec. 2.5.1 and 3.1): The set of extreme clients
    Print: J_t=\arg\max_{i\in I}(F_i(w_t)-F_i^\star)\ \text{(FedWorse)},\qquad\arg\min\ \text{(FedBetter)}
    Plainly: J_t is never empty, and only clients with the extreme excess are in it.
    Assumes: ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1
    Reading: arg max | Weights 1/|J| on J sum to 1 and reach the largest excess. | part: arg max
    Reading: arg min | The same at the other end. | part: arg min
    Mutant: |J_t| = 1 for all losses | two clients with the same data have the same loss at every model
    Verdict: J_t is well defined: a finite set of clients has extreme ones. That it has one element, as Section 3.1
      notes of practice, is not a theorem: equal clients, or a start between two mirrored ones, give ties, which the
      formula 1/|J| handles.""",
    says=_EXTREME,
    world=losses_of("FedWorse"),
    readings={"arg min": losses_of("FedBetter", lean=-1)},
    mutants={"|J_t| = 1 for all losses": le(several_best, 0)},
)


_ALL_RULES = ("FedAvg", "FedWorse", "FedSoftWorse")

ALG2 = stated(
    r"""RA-ALG2 (definition; Algorithm 1, line 8, with the strategies of Sec. 3): Aggregation over the clients that took part
    Print: w_{t+E}=\sum_i\alpha_t^iw_{t+E}^i\ \text{with }\alpha_t\text{ from }\ell_i=F_i(w_t)-F_i^\star;\qquad\min_{i
      \in I_t}w_{t+E}^i\le w_{t+E}\le\max_{i\in I_t}w_{t+E}^i
    Plainly: The new model is an average of the local models of the clients that took part.
    Written: the two bounds on the aggregated model
    Assumes: any cohort I_t of one client or more | models in one dimension, or one coordinate of them
    Reading: weights of the cohort alone | J_t, m and the normalisation over I_t: FedAvg, FedWorse, FedSoftWorse. |
      because: the only one of the two with Σα = 1, which Sec. 2.1 prints
    Reading: weights of all clients, those absent left out | α over I as in Section 3, Σ over I_t: ours, since these
      weights no longer sum to 1. | ours: Sec. 3 writes α for I under full participation (Sec. 2.1), with Σα = 1;
      weights that no longer sum to 1 are printed nowhere and nobody would defend them
    Mutant: the models of absent clients counted | an absent client may have any model, far outside those of the cohort
    Rests on: RA-ALG1, RA-S-AVG, RA-S-W, RA-S-SW
    Verdict: Formed over the clients that took part, the weights of Section 3 sum to 1, and the new model is an average
      of these clients' models. Section 3 writes α for I, under the full participation of Section 2.1, where there is
      nothing to choose; no check of the theory uses a smaller cohort. How α is formed over I_t is an extension, for the
      implementation to record. Weights formed over I with the absent left out are ours and printed nowhere: they no
      longer sum to 1, FedAvg then shrinks the model towards 0, and FedWorse gives no weight at all when the worst
      client is absent.""",
    says=le(outside, 0),
    world=cohorts_of("the cohort", *_ALL_RULES),
    readings={"weights of all clients, those absent left out": cohorts_of("everyone", *_ALL_RULES)},
    mutants={"the models of absent clients counted": cohorts_of("absent models too", "FedAvg")},
)

CLAIMS: tuple[Claim, ...] = (AVG, W, B, WK, BK, SW, SB, D10, ALG2)
