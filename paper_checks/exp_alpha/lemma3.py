"""EA-L3: how far the local models drift from their mean inside a round."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from paper_checks.exp_alpha.local_rounds import clients_round
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, Switch
from validation.statement.says import le
from validation.world.stated import but, stated

__all__ = ["CLAIMS"]

eta, E, G2, drift = NOTATION.symbols("eta E G2 drift")


def drift_again(eta: Any, E: Any, G2: Any) -> Any:
    """4ηₜ²(E − 1)G², once more."""
    return (2 * eta) ** 2 * G2 * E - (2 * eta) ** 2 * G2


def squared_again(eta: Any, E: Any, G2: Any) -> Any:
    """4ηₜ²(E − 1)²G², once more."""
    return G2 * (2 * eta * E - 2 * eta) ** 2


_KEPT = Switch(
    "one weight vector a round",
    "ρᵗ is the same at every step of a round",
    lambda x: {**x, "weights": np.broadcast_to(x["weights"][:, :1], x["weights"].shape)},
)
_FALLS, _RISES, _FREE = clients_round(), clients_round(rising=True), clients_round(kept=False)
_PRINTED = le(drift, 4 * eta**2 * (E - 1) * G2, again=drift_again)
_SQUARED = le(drift, 4 * eta**2 * (E - 1) ** 2 * G2, again=squared_again)

L3 = stated(
    r"""EA-L3 (lemma; Lemma 3 (A.8), proof A.10, eq. (24)): Bounded divergence of the local models
    Print: \mathbb E\Big[\sum_i\rho_i^{t+1}\|\bar{\mathbf W}^t-\mathbf W_i^t\|^2\Big]\le4\eta_t^2(E-1)G^2,
        \qquad\eta_t\le2\eta_{t+E}
    Plainly: Inside a round the local models stay within 4η²(E − 1)G² of their mean, on average.
    Assumes: A4: second moments of the stochastic gradients at most G² at every point visited | ηₜ non-decreasing
        (the lemma) or non-increasing (its proof), ηₜ <= 2ηₜ₊ₑ for all t | weights on the simplex
    Open (twice) steps: Lemma 3 prints «η_t is non-decreasing», its proof «we assume the learning rate η_t is
        non-increasing»
    Reading: ηₜ non-decreasing, as the lemma prints | One weight vector a round, fixed in advance. | option steps =
        non-decreasing
    Reading: ηₜ non-increasing, weights free at every step | As the proof has it; ρᵗ of the mean and ρᵗ⁺¹ of the sum
        may differ. | option steps = non-increasing | cut weights = change inside a round | because: the lemma
        prints ρ_i^{t+1} beside W̄^t, which is the mean under ρ^t
    Reading: ηₜ non-increasing, one weight vector a round | As the proof has it; weights fixed in advance. | option
        steps = non-increasing
    Reading: (E − 1)² in place of E − 1 | Non-increasing steps, one weight vector a round, fixed in advance. |
        option steps = non-increasing | condition: ρ^t is the same at every step of a round | condition: weights
        chosen before the round's samples | met by: FedAvg with proportional weights (Table 1) | edit: (E − 1)² in
        place of E − 1 | token | wrong form in: EA-T1, EA-T2 | because: E − 1 stands in B, in B̄ and in both
        theorems: no slip of one line
    Mutant: factor 4 of the squared form dropped | ηₜ may be half of the earlier steps, so E − 1 equal gradients of
        opposed clients give 4ηₜ²(E − 1)²G²
    Mutant: E − 1 lowered to E − 2 | for E = 2 the right side is 0, and one step already separates opposed clients
    Mutant: weights free at every step, squared form | the mean at one client and the sum at the opposed one doubles
        the distance, and steps may halve at the end
    Tight: with (E − 1)²: opposed gradients constant over the round, the last step half of the others
    Rests on: EA-S2
    Verdict: The last line of the proof bounds the squared norm of a sum of E − 1 gradients by E − 1 squared norms
        instead of (E − 1)². Two clients with opposed, nearly constant gradients drift ηG a step each, so that the
        left side is η²(E − 1)²G², which passes the bound for E >= 6 with constant steps and for E = 3 where the
        last step is half of the first, whichever way the steps go. With (E − 1)², as in the work it follows, no
        violation was found for weights kept during a round; weights that change inside a round need another factor,
        since W̄ᵗ is then not the mean under ρᵗ⁺¹.""",
    says=_PRINTED,
    world=_FALLS,
    readings={
        "ηₜ non-decreasing, as the lemma prints": _RISES,
        "ηₜ non-increasing, weights free at every step": replace(_FREE, switches=(_KEPT,)),
        "(E − 1)² in place of E − 1": _SQUARED,
    },
    mutants={
        "factor 4 of the squared form dropped": le(drift, eta**2 * (E - 1) ** 2 * G2),
        "E − 1 lowered to E − 2": le(drift, 4 * eta**2 * (E - 2) ** 2 * G2),
        "weights free at every step, squared form": but(_SQUARED, world=_FREE),
    },
)

CLAIMS: tuple[Claim, ...] = (L3,)
