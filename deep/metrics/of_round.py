"""The quantities of a round: the part of theory's table that is judged round by round."""

from __future__ import annotations

from typing import Any

import numpy as np

from deep.metrics.quantity import BEST, ONE_RUN, OPTIMUM, Quantity, consensus, excess, of_combined
from deep.metrics.rounds import Floats, Rounds
from theory import quantities as theory

__all__ = ["ROUND_QUANTITIES"]


def _norm(updates: Floats, weights: Floats) -> Any:
    return np.linalg.norm(theory.pseudo_gradient(updates, weights), axis=-1)


def _inactive(rounds: Rounds) -> Any:
    return None if rounds.local_steps is None else theory.any_inactive(rounds.local_steps)


ROUND_QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "excess_loss",
        "F(w) − F*",
        "loss",
        "Σ pₖ(Fₖ(w) − Fₖ(w*)): the gap to the optimum, at the broadcast model",
        "exp_alpha Theorem 1, its left side",
        lambda r: excess(r.share, r.loss_before, r.loss_at_optimum),
        (OPTIMUM,),
    ),
    Quantity(
        "gamma_minus_omega",
        "Γₜ − Ωₜ",
        "loss",
        "Σ aₖ(Fₖ(w*) − Fₖ(w)): the term that does not vanish in the bound of Exp-α, round by round",
        "exp_alpha EA-D5",
        lambda r: excess(r.weights, r.loss_at_optimum, r.loss_before),
        (OPTIMUM,),
    ),
    Quantity(
        "excess_at_optimum",
        "Γₜ",
        "loss",
        "Σ aₖ(Fₖ(w*) − Fₖ*): how far the weighted clients are from their own optima at w*",
        "exp_alpha EA-D5, A.10",
        lambda r: excess(r.weights, r.loss_at_optimum, r.loss_best),
        (OPTIMUM, BEST),
    ),
    Quantity(
        "excess_at_model",
        "Ωₜ",
        "loss",
        "Σ aₖ(Fₖ(w) − Fₖ*): how far they are from them at the broadcast model",
        "exp_alpha EA-D5, Lemma 1",
        lambda r: excess(r.weights, r.loss_before, r.loss_best),
        (BEST,),
    ),
    Quantity(
        "proportional_excess_at_model",
        "Ωₜ of the shares",
        "loss",
        "Σ pₖ(Fₖ(w) − Fₖ*): the same with the data shares in place of the weights",
        "exp_alpha EA-D5, before Corollary 1.1",
        lambda r: excess(r.share, r.loss_before, r.loss_best),
        (BEST,),
    ),
    Quantity(
        "skew_at_model",
        "ρ(t, wₜ)",
        "ratio",
        "Weighting skew at the broadcast model; ρ̄ is its minimum over rounds",
        "robust_aggregation eqs. 6, 7",
        lambda r: theory.weighting_skew(r.weights, r.share, r.loss_before, r.loss_best),
        (BEST,),
    ),
    Quantity(
        "skew_at_optimum",
        "ρ(t, w*)",
        "ratio",
        "Weighting skew at the optimum; ρ̃ is its maximum over rounds",
        "robust_aggregation eqs. 6, 7",
        lambda r: theory.weighting_skew(r.weights, r.share, r.loss_at_optimum, r.loss_best),
        (OPTIMUM, BEST),
    ),
    Quantity(
        "least_share_ratio",
        "πₜ",
        "ratio",
        "min aₖ/pₖ over the clients",
        "robust_aggregation §2.5.2",
        lambda r: theory.share_ratio_range(r.weights, r.share)[0],
    ),
    Quantity(
        "greatest_share_ratio",
        "Πₜ",
        "ratio",
        "max aₖ/pₖ over the clients",
        "robust_aggregation §2.5.2",
        lambda r: theory.share_ratio_range(r.weights, r.share)[1],
    ),
    Quantity(
        "chi_square",
        "χ²(p‖a)",
        "none",
        "Σ (pₖ − aₖ)²/pₖ: what reweighting costs",
        "fedaware §4.2",
        lambda r: theory.chi_square(r.weights, r.share),
    ),
    Quantity(
        "weight_discrepancy",
        "W_D",
        "none",
        "2K Σ (pₖ − aₖ)²: weight discrepancy",
        "fedssa, Theorem A.5",
        lambda r: theory.weight_discrepancy(r.weights, r.share),
    ),
    Quantity(
        "weight_entropy",
        "H(a)",
        "nats",
        "−Σ aₖ log aₖ: how evenly the weights are spread",
        "exp_alpha §3.4",
        lambda r: theory.weight_entropy(r.weights),
    ),
    Quantity(
        "update_diversity",
        "e-LUD",
        "ratio",
        "Root of mean squared update over squared mean update of the cohort",
        "fedaware §5",
        lambda r: theory.update_diversity(r.gram, r.cohort_present),
    ),
    Quantity(
        "local_update_diversity",
        "LUD",
        "ratio",
        "√(Σ aₖ‖uₖ‖² / ‖Σ aₖuₖ‖²) with the weights applied",
        "fedaware Definition 4.1",
        of_combined(theory.local_update_diversity),
        (ONE_RUN,),
    ),
    Quantity(
        "realised_gamma",
        "γₜ",
        "ratio",
        "max ‖uₖ‖² / ‖Σ aₖuₖ‖²: the least constant Assumption A.1 needs in this round",
        "fedaware A.2",
        of_combined(theory.realised_gamma),
        (ONE_RUN,),
    ),
    Quantity(
        "pseudo_gradient_norm",
        "‖G‖",
        "model",
        "‖Σ aₖuₖ‖ of this round's updates; not the server's step when the rule has a memory",
        "fedaware eq. (1)",
        of_combined(_norm),
    ),
    Quantity(
        "consensus",
        "ρᵗ(a)",
        "model²",
        "‖Σ aₖuₖ‖²: client consensus under the weights applied",
        "fedaware Property 4.1",
        of_combined(consensus),
        (ONE_RUN + ", so the variance of G comes on top",),
    ),
    Quantity(
        "coherence_sum",
        "Σ cos",
        "none",
        "Σ cos(uᵢ, uⱼ) over the pairs of clients present",
        "fedaware §4.3",
        lambda r: theory.coherence_sum(r.gram, r.cohort_present),
    ),
    Quantity(
        "mean_pairwise_cosine",
        "mean cos",
        "none",
        "Mean of cos(uᵢ, uⱼ) over the pairs of clients present",
        "fedaware §4.3, B.2",
        lambda r: theory.mean_pairwise_cosine(r.gram, r.cohort_present),
    ),
    Quantity(
        "any_inactive",
        "y",
        "none",
        "1 when some client finished no local step, 0 otherwise",
        "efl §4.1",
        _inactive,
    ),
)
