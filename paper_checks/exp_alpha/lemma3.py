"""EA-L3: how far the local models drift from their mean inside a round."""

from __future__ import annotations

from typing import Any

from paper_checks.exp_alpha.local_round import DEGREES, KEPT, drift_family
from validation import Bound, Canary, Claim, Inequality, Kind, Reading, symbols

__all__ = ["CLAIMS"]

eta, E, G2 = symbols("eta E G2")


def drift_again(eta: Any, E: Any, G2: Any) -> Any:
    """4ηₜ²(E − 1)G², once more."""
    return (2 * eta) ** 2 * G2 * E - (2 * eta) ** 2 * G2


def squared_again(eta: Any, E: Any, G2: Any) -> Any:
    """4ηₜ²(E − 1)²G², once more."""
    return G2 * (2 * eta * E - 2 * eta) ** 2


PRINTED = Bound(4 * eta**2 * (E - 1) * G2, again=drift_again, degrees=DEGREES)
SQUARED = Bound(4 * eta**2 * (E - 1) ** 2 * G2, again=squared_again, degrees=DEGREES)

_FALLS, _RISES = drift_family(rising=False, kept=True), drift_family(rising=True, kept=True)
_FREE = drift_family(rising=False, kept=False)

L3 = Claim(
    id="EA-L3",
    kind=Kind.INEQUALITY,
    source="Lemma 3 (A.8), proof A.10, eq. (24)",
    title="Bounded divergence of the local models",
    statement=(
        r"\mathbb E\Big[\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2\Big]\le4\eta_t^2(E-1)G^2,\qquad"
        r"\eta_t\le2\eta_{t+E}"
    ),
    says="Inside a round the local models stay within 4η²(E − 1)G² of their mean, on average.",
    assumes=(
        "A4: second moments of the stochastic gradients at most G² at every point visited",
        "ηₜ non-decreasing (the lemma) or non-increasing (its proof), ηₜ <= 2ηₜ₊ₑ for all t",
        "weights on the simplex",
    ),
    readings=(
        Reading(
            "ηₜ non-decreasing, as the lemma prints",
            "One weight vector a round, fixed in advance.",
            Inequality(PRINTED, (_RISES,), degrees=(0, 2)),
        ),
        Reading(
            "ηₜ non-increasing, weights free at every step",
            "As the proof has it; ρᵗ of the mean and ρᵗ⁺¹ of the sum may differ.",
            Inequality(PRINTED, (_FREE,), switches=(KEPT,), degrees=(0, 2)),
        ),
        Reading(
            "ηₜ non-increasing, one weight vector a round",
            "As the proof has it; weights fixed in advance.",
            Inequality(PRINTED, (_FALLS,), degrees=(0, 2)),
        ),
        Reading(
            "(E − 1)² in place of E − 1",
            "Non-increasing steps, one weight vector a round, fixed in advance.",
            Inequality(SQUARED, (_FALLS,), degrees=(0, 2)),
            repair="edit",
        ),
    ),
    canaries=(
        Canary(
            "factor 4 of the squared form dropped",
            Inequality(Bound(eta**2 * (E - 1) ** 2 * G2), (_FALLS,)),
            "ηₜ may be half of the earlier steps, so E − 1 equal gradients of opposed clients give 4ηₜ²(E − 1)²G²",
        ),
        Canary(
            "E − 1 lowered to E − 2",
            Inequality(Bound(4 * eta**2 * (E - 2) ** 2 * G2), (_FALLS,)),
            "for E = 2 the right side is 0, and one step already separates opposed clients",
        ),
        Canary(
            "weights free at every step, squared form",
            Inequality(SQUARED, (_FREE,)),
            "the mean at one client and the sum at the opposed one doubles the distance, and steps may halve at the end",
        ),
    ),
    tight="with (E − 1)²: opposed gradients constant over the round, the last step half of the others",
    depends_on=("EA-S2",),
    verdict_words=(
        "The last line of the proof bounds the squared norm of a sum of E − 1 gradients by E − 1 squared norms instead of "
        "(E − 1)². Two clients with opposed, nearly constant gradients drift ηG a step each, so that the left side is "
        "η²(E − 1)²G², which passes the bound for E >= 6 with constant steps and for E = 3 where the last step is half of "
        "the first, whichever way the steps go. With (E − 1)², as in the work it follows, no violation was found "
        "for weights kept during a round; weights that change inside a round need another factor, since W̄ᵗ is then not the "
        "mean under ρᵗ⁺¹."
    ),
)

CLAIMS: tuple[Claim, ...] = (L3,)
