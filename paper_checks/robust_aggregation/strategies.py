"""RA-S-…, RA-D10, RA-Q14: the pure strategies, each with what its formula promises for one round."""

from __future__ import annotations

from typing import Any

from paper_checks.robust_aggregation.clients import stated
from paper_checks.robust_aggregation.strategy_rounds import rounds_of
from validation import Bound, Canary, Claim, Family, Inequality, Kind, Property, Reading, symbols

__all__ = ["CLAIMS"]

odds, span, fall, share_top = symbols("odds span fall share_top")
SPAN = Bound(span, again=lambda span: span * 1)
HARD = Bound((1 - share_top) / (share_top * fall), again=lambda share_top, fall: (1 / share_top - 1) / fall)
STABLE = Bound(2 * (odds - 1) / (odds + 1), again=lambda odds: 2 - 4 / (odds + 1))
_EXCESS = "ℓᵢ = Fᵢ(wₜ) − Fᵢ* any numbers >= 0, ties included; pᵢ > 0, Σpᵢ = 1"
_ODDS = "e^{1/T} is the constant odds, losses in whole units"


def _strategy(
    suffix: str,
    title: str,
    statement: str,
    says: str,
    readings: tuple[Reading, ...],
    canary: tuple[str, Family | Inequality, str],
    words: str,
    **more: Any,
) -> Claim:
    name, test, since = canary
    wrong = Property((test,)) if isinstance(test, Family) else test
    assumes = more.pop("assumes", (_EXCESS,))
    source = more.pop("source", "Sec. 3.1")
    kind = Kind.PROPERTY
    return Claim(
        f"RA-{suffix}",
        kind,
        source,
        title,
        statement,
        says,
        assumes,
        readings,
        (Canary(name, wrong, since),),
        verdict_words=words,
        **more,
    )


def _simplex(strategy: int) -> Reading:
    says = "The weights are >= 0, sum to 1 and follow the printed formula, whatever the losses."
    return stated("weights on the simplex", says, rounds_of(strategy, 1))


def _fair(strategy: int, *, per_share: bool) -> Reading:
    says = "Clients with the same excess have the same " + ("aᵢ/pᵢ." if per_share else "aᵢ.")
    return stated("equal losses, equal treatment", says, rounds_of(strategy, 3, per_share=per_share))


_AVG = _strategy(
    "S-AVG",
    "FedAvg-generalized",
    r"\forall t,\ i\in I:\quad\alpha_t^i=p_i",
    "Every client counts by its share, so the skew ρ(t, w) is 1 at every model.",
    (
        _simplex(0),
        stated("neither up nor down", "Σαᵢℓᵢ >= Σpᵢℓᵢ.", rounds_of(0, 2)),
        stated("nor down", "Σαᵢℓᵢ <= Σpᵢℓᵢ.", rounds_of(0, 2, lean=-1)),
    ),
    (
        "every client counts the same",
        rounds_of(9, 2),
        "with unequal shares the plain mean of the losses may be the smaller",
    ),
    "The weights are the shares, so numerator and denominator of the skew are one sum, at every model and in every round.",
)
_W = _strategy(
    "S-W",
    "FedWorse",
    r"\alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\max_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}",
    "All weight on the clients with the largest excess loss, which makes the weighted excess as large as any weights can.",
    (
        _simplex(1),
        stated("no weights give more", "Σαᵢℓᵢ = maxᵢ ℓᵢ.", rounds_of(1, 2, target="best")),
        _fair(1, per_share=False),
    ),
    (
        "the losses Fᵢ(w) compared instead of the excess",
        rounds_of(10, 2, target="best"),
        "a client with a high floor Fᵢ* may have the largest loss and the smallest excess",
    ),
    "A weighted mean is at most the largest entry, and the rule attains it; ties share the weight. The rule ignores the shares, and "
    "it needs Fᵢ*: with the raw losses another client may be chosen.",
    depends_on=("RA-D10",),
)
_B = _strategy(
    "S-B",
    "FedBetter",
    r"\alpha_t^i=\begin{cases}1/|J_t|&i\in J_t=\arg\min_{i}(F_i(w_t)-F_i^\star)\\0&\text{else}\end{cases}",
    "All weight on the clients with the smallest excess loss: no weights make the weighted excess smaller.",
    (
        _simplex(2),
        stated("no weights give less", "Σαᵢℓᵢ = minᵢ ℓᵢ.", rounds_of(2, 2, lean=-1, target="best")),
        _fair(2, per_share=False),
    ),
    (
        "the losses Fᵢ(w) compared instead of the excess",
        rounds_of(11, 2, lean=-1, target="best"),
        "a client with a low floor Fᵢ* may have the smallest loss and the largest excess",
    ),
    "The mirror image of FedWorse: the rule attains the smallest weighted excess. In the terms of Corollary 1 it therefore gives the "
    "smallest ρ(t, wₜ), that is the largest V, at a given model.",
    depends_on=("RA-D10",),
)


def _several(suffix: str, word: str, kinds: tuple[int, int], lean: int) -> Claim:
    by_count, by_share = kinds
    more = "more" if lean > 0 else "less"
    name = f"Fed{'Worse' if lean > 0 else 'Better'}(k)"
    return _strategy(
        suffix,
        name,
        rf"\text{{sorted by {word} }}F_i(w_t)-F_i^\star,\text{{ the first }}m\text{{ clients count, the others have weight }}0",
        f"{name} counts the m clients of {'largest' if lean > 0 else 'smallest'} excess; whether it then weighs the losses "
        f"{more} than FedAvg does is our test.",
        (
            stated(
                "weights 1/m on the clients kept",
                f"Our test: on the simplex or not, is the weighted excess {more} than with pᵢ? Ties at the last place share "
                "it.",
                rounds_of(by_count, 1),
                rounds_of(by_count, 2, lean=lean),
            ),
            stated(
                "weights in proportion to pᵢ on the clients kept",
                "The same with the shares of those kept, re-normalised.",
                rounds_of(by_share, 1),
                rounds_of(by_share, 2, lean=lean),
            ),
        ),
        (
            "sorted the other way",
            rounds_of(by_share, 2, lean=-lean),
            "the clients kept are then those at the other end, and the mean moves the wrong way",
        ),
        "How the m clients kept are weighed among themselves is not said, and it matters: in proportion to pᵢ the rule never "
        f"falls behind FedAvg, ρ(t, wₜ) being at {'least' if lean > 0 else 'most'} 1 at every model; with 1/m and unequal "
        "shares it can. "
        f"{'It' if lean > 0 else 'It is the opposite of FedWorse(k), which'} «boils down to» Power-of-Choice, where "
        "the m kept count alike: that speaks for 1/m, and nothing else is printed. A client that holds nearly all data "
        "and is itself the most extreme has more weight in FedAvg than 1/m. When all shares are equal the two weightings are one. That the rule leans to the "
        "extreme clients is our test to tell them apart; the print only defines it. The experiments with a percentage k need one of the "
        "two to be named.",
        depends_on=("RA-D10",),
        source="Sec. 3.1 and B.2",
    )


def _soft(suffix: str, name: str, kind: int, lean: int) -> Claim:
    sign = "" if lean > 0 else "-"
    way = "upwards" if lean > 0 else "downwards"
    return _strategy(
        suffix,
        name,
        rf"\alpha_t^i\propto p_i\exp({sign}T^{{-1}}(F_i(w_t)-F_i^\star))\quad\text{{re-normalised}}",
        f"{name} tilts the shares {way} in the excess loss, all weights positive, between FedAvg and the hard rule.",
        (
            _simplex(kind),
            stated("never behind FedAvg", f"Σαᵢℓᵢ moves {way} from Σpᵢℓᵢ.", rounds_of(kind, 2, lean=lean)),
            stated("no weight is 0", "αᵢ > 0 for every client.", rounds_of(kind, 4)),
            _fair(kind, per_share=True),
            Reading(
                "T → ∞ gives FedAvg",
                "κᵢ = αᵢ/pᵢ lies between e^{−R/T} and e^{R/T}, R the range of the losses.",
                Inequality(SPAN, (rounds_of(kind, 5),)),
            ),
            Reading(
                "T → 0 gives the hard rule where one client is extreme",
                "The distance to it is at most (1 − p_J)/p_J · e^{−gap/T}.",
                Inequality(HARD, (rounds_of(kind, 6, lean=lean),)),
            ),
        ),
        (
            "ties admitted in the limit T → 0",
            Inequality(HARD, (rounds_of(kind, 6, lean=lean, tied=True),)),
            "two extreme clients with shares 1/4 and 3/4 keep weights near 1/4 and 3/4, where the hard rule has 1/2 and 1/2",
        ),
        f"The formula does what it is for. Tilting by the excess can only move the weighted excess {way}; every weight is positive "
        "in exact arithmetic; large T gives FedAvg, and small T the hard rule if one client is extreme (with ties the limit keeps "
        "the shares, unlike the printed 1/|J|). In double precision weights underflow to 0 once the losses differ by more than about "
        "745 T."
        + (
            ""
            if lean > 0
            else " The paper says only «an analogous modification»; the sign changed is the reading taken."
        ),
        assumes=(_EXCESS, _ODDS),
        depends_on=("RA-S-W" if lean > 0 else "RA-S-B", "RA-S-AVG"),
    )


_D10 = _strategy(
    "D10",
    "The set of extreme clients",
    r"J_t=\arg\max_{i\in I}(F_i(w_t)-F_i^\star)\ \text{(FedWorse)},\qquad\arg\min\ \text{(FedBetter)}",
    "J_t is never empty, and only clients with the extreme excess are in it.",
    (
        stated(
            "arg max",
            "Weights 1/|J| on J sum to 1 and reach the largest excess.",
            rounds_of(1, 1),
            rounds_of(1, 2, target="best"),
        ),
        stated("arg min", "The same at the other end.", rounds_of(2, 1), rounds_of(2, 2, lean=-1, target="best")),
    ),
    ("|J_t| = 1 for all losses", rounds_of(1, 8), "two clients with the same data have the same loss at every model"),
    "J_t is well defined: a finite set of clients has extreme ones. That it has one element, as Section 3.1 notes of practice, is not "
    "a theorem: equal clients, or a start between two mirrored ones, give ties, which the formula 1/|J| handles.",
    source="Sec. 2.5.1 and 3.1",
)
_Q14 = _strategy(
    "Q14",
    "FedSoftWorse is more stable and keeps every weight positive",
    r"\alpha_t^i\propto p_i\exp(T^{-1}\ell_i):\quad\alpha_t^i>0,\qquad\pi=\min_{t,i}\alpha_t^i/p_i>0,\qquad"
    r"\|\ell-\ell'\|_\infty\le\delta\Rightarrow\|\alpha-\alpha'\|_1\le2\tanh(\delta/2T)",
    "The soft rule has no weight 0, hence π > 0 in (17), and its weights move little when the losses move little.",
    (
        stated("no weight is 0", "αᵢ > 0 for every client.", rounds_of(3, 4)),
        Reading(
            "π at least e^{−R/T}", "1/κᵢ <= e^{R/T}, R the range of the losses.", Inequality(SPAN, (rounds_of(3, 5),))
        ),
        Reading(
            "stable",
            "Losses that move by at most δ move the weights by at most 2 tanh(δ/2T) in ℓ₁.",
            Inequality(STABLE, (rounds_of(3, 7),)),
        ),
    ),
    (
        "FedWorse in place of FedSoftWorse",
        Inequality(STABLE, (rounds_of(1, 7),)),
        "near a tie FedWorse moves all its weight to another client, 2 in ℓ₁, however small the change of the losses",
    ),
    "All parts hold. π is at least e^{−R/T}, where R is the largest range of the losses seen, so (17) applies with a π that is "
    "known in advance only if R is; it falls exponentially in R/T, so for T small against the losses (17) says very little, and in "
    "double precision the weights are 0 beyond R/T = 745.",
    assumes=(_EXCESS, _ODDS),
    depends_on=("RA-S-SW", "RA-E17"),
    tight="two clients of equal weight between the two losses, one loss moved up and the other down",
)

CLAIMS: tuple[Claim, ...] = (
    _AVG,
    _W,
    _several("S-WK", "decreasing", (5, 7), 1),
    _soft("S-SW", "FedSoftWorse", 3, 1),
    _B,
    _several("S-BK", "increasing", (6, 8), -1),
    _soft("S-SB", "FedSoftBetter", 4, -1),
    _D10,
    _Q14,
)
