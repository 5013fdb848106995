"""EA-L5: the variance that sampling K clients adds at a synchronisation."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from paper_checks.exp_alpha.draws import given_the_samples
from paper_checks.exp_alpha.local_rounds import clients_round
from paper_checks.exp_alpha.notation import NOTATION
from validation import Claim, Switch
from validation.statement.says import le
from validation.world.stated import stated

__all__ = ["CLAIMS"]

eta, E, G2, K, apart = NOTATION.symbols("eta E G2 K apart")


def sampled_again(eta: Any, E: Any, G2: Any, K: Any) -> Any:
    """(4/K)ηₜ²EG², once more."""
    return (2 * eta) ** 2 * (E * G2) / K


def squared_again(eta: Any, E: Any, G2: Any, K: Any) -> Any:
    """(4/K)ηₜ²E²G², once more."""
    return G2 * (2 * eta * E) ** 2 / K


_MILD = Switch(
    "bounded gradients on every path",
    "no sample is larger than the root of its mean square: noise of one size",
    lambda x: {**x, "chance": np.full_like(x["chance"], 0.5)} if "chance" in x else x,
)

L5 = stated(
    r"""EA-L5 (lemma; Lemma 5 (A.12)): Variance of sampling K clients
    Print: t+1\in\mathcal I_E,\ \eta_t\le2\eta_{t+E}:
        \qquad\mathbb E_s[\|\tilde{\mathbf W}^{t+1}-\bar{\mathbf W}^{t+1}\|^2]\le\frac4K\eta_t^2EG^2
    Plainly: Drawing K clients instead of averaging all moves the aggregate by at most 4η²EG²/K in the mean square.
    Assumes: A4: second moments of the stochastic gradients at most G² at every point visited | A5: K independent
        draws by weight, plain mean | ηₜ non-increasing, ηₜ <= 2ηₜ₊ₑ for all t
    Open (twice) expectation: Lemma 5 prints E_s, the expectation over the draw alone; the last display of its proof
        prints E[E_s[·]]
    Reading: over the draw alone | As printed, for samples of positive chance; E = 1, and noiseless rounds of two
        opposed clients. | option expectation = E_s, over the draw | because: A4 bounds gradients only on average
        over the samples
    Reading: over the draw and the samples | As the proof's last display; weights fixed in advance. | option
        expectation = E[E_s], over draw and samples
    Reading: E² in place of E | Over the draw and the samples, weights fixed in advance. | option expectation =
        E[E_s], over draw and samples | edit: E² in place of E | token | wrong form in: EA-T2 | because: E stands in
        Theorem 2's C = 4EG²/K, too: no slip of one line
    Mutant: factor 4 of the squared form dropped | ηₜ may be half of the earlier steps: opposed clients then give
        nearly 4ηₜ²E²G²/K for large E
    Mutant: 1/K² in place of 1/K | the mean of K independent draws has 1/K of the variance of one; K = 100 and two
        opposed clients suffice
    Mutant: E − 1 in place of E | for E = 1 the right side is 0 and one step already separates the clients
    Tight: with E², as E grows: opposed gradients constant over the round, the last step half of the others
    Rests on: EA-L4, EA-S2
    Verdict: For one draw the left side is the spread of the local models under the weights. Two clients with
        opposed, nearly constant gradients drift ηG a step each, so over the draw and the samples it is η²E²G²/K:
        above the printed bound for E >= 5 with constant steps and earlier with falling ones. The proof bounds the
        squared norm of a sum of E gradients by the sum of E squared norms. Without the outer expectation, which the
        statement does not print and the last line of its proof has, it fails even for E = 1, since A4 bounds
        gradients only on average. With E², over draw and samples, no violation was found.""",
    says=le(apart, 4 / K * eta**2 * E * G2, again=sampled_again),
    world=clients_round(drawn=(1.0, 2.0, 5.0, 10.0, 100.0)),
    readings={
        "over the draw alone": replace(given_the_samples(), switches=(_MILD,)),
        "E² in place of E": le(apart, 4 / K * eta**2 * E**2 * G2, again=squared_again),
    },
    mutants={
        "factor 4 of the squared form dropped": le(apart, eta**2 * E**2 * G2 / K),
        "1/K² in place of 1/K": le(apart, 4 * eta**2 * E**2 * G2 / K**2),
        "E − 1 in place of E": le(apart, 4 / K * eta**2 * (E - 1) ** 2 * G2),
    },
)

CLAIMS: tuple[Claim, ...] = (L5,)
