"""The quantities of a whole run, extremes and means over its rounds, and those of each client in a round."""

from __future__ import annotations

from typing import Any

import numpy as np

from deep.metrics.quantity import BEST, ONE_RUN, OPTIMUM, Quantity, consensus, excess, of_combined, remembering
from deep.metrics.rounds import Rounds
from theory import quantities as theory

__all__ = ["CLIENT_QUANTITIES", "RUN_QUANTITIES"]


def _coherence(rounds: Rounds) -> Any:
    found = np.full(rounds.weights.shape, np.nan)
    index, place = np.nonzero(rounds.cohort_present)
    values = theory.client_coherence(rounds.gram, rounds.cohort_weights)
    found[index, rounds.cohort[index, place]] = values[index, place]
    return np.where(remembering(rounds)[:, None], np.nan, found)


def _dynamics(rounds: Rounds, *, reweighted: bool) -> Any:
    """Ψ or Ψ̃: defined when the rate is constant and every client present finishes equally many steps."""
    rho = of_combined(consensus)(rounds)
    if rho is None or rounds.local_steps is None or rounds.local_lr is None:
        return None
    steps = np.unique(rounds.local_steps[rounds.present])
    if len(steps) != 1 or steps[0] == 0:
        return None
    local: dict[str, Any] = {"local_lr": rounds.local_lr, "n_local_steps": int(steps[0])}
    if not reweighted:
        return theory.consensus_dynamics(rho, **local)
    return theory.reweighted_consensus_dynamics(theory.chi_square(rounds.weights, rounds.share), rho, **local)


RUN_QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "heterogeneity",
        "Γ",
        "loss",
        "Σ pₖ(Fₖ(w*) − Fₖ*): how far the clients are from their own optima at w*",
        "robust_aggregation eq. (3)",
        lambda r: theory.heterogeneity(r.share, r.loss_at_optimum, r.loss_best)[0],
        (OPTIMUM, BEST),
    ),
    Quantity(
        "greatest_excess_at_optimum",
        "max Γₜ",
        "loss",
        "max over rounds of Σ aₖ(Fₖ(w*) − Fₖ*): Γ of exp_alpha",
        "exp_alpha EA-D5, Theorem 1",
        lambda r: np.max(excess(r.weights, r.loss_at_optimum, r.loss_best)),
        (OPTIMUM, BEST),
    ),
    Quantity(
        "least_excess_at_model",
        "Ω",
        "loss",
        "min over rounds of Σ aₖ(Fₖ(w) − Fₖ*)",
        "exp_alpha EA-D5, Theorem 1",
        lambda r: np.min(excess(r.weights, r.loss_before, r.loss_best)),
        (BEST,),
    ),
    Quantity(
        "least_proportional_excess",
        "Ω_pr",
        "loss",
        "min over rounds of Σ pₖ(Fₖ(w) − Fₖ*), along this run's own models",
        "exp_alpha EA-D5, before Corollary 1.1",
        lambda r: theory.least_proportional_excess(r.share, r.loss_before, r.loss_best),
        (BEST,),
    ),
    Quantity(
        "least_skew",
        "ρ̄",
        "ratio",
        "min over rounds of the weighting skew at the broadcast model",
        "robust_aggregation eq. (7)",
        lambda r: theory.least_skew(r.weights, r.share, r.loss_before, r.loss_best),
        (BEST,),
    ),
    Quantity(
        "greatest_skew_at_optimum",
        "ρ̃",
        "ratio",
        "max over rounds of the weighting skew at w*",
        "robust_aggregation eq. (7)",
        lambda r: theory.greatest_skew_at_optimum(r.weights, r.share, r.loss_at_optimum, r.loss_best),
        (OPTIMUM, BEST),
    ),
    Quantity(
        "least_share_ratio",
        "π",
        "ratio",
        "min aₖ/pₖ over clients and rounds; 0 once a client with data is absent",
        "robust_aggregation §2.5.2",
        lambda r: theory.share_ratio_extremes(r.weights, r.share)[0],
    ),
    Quantity(
        "greatest_share_ratio",
        "Π",
        "ratio",
        "max aₖ/pₖ over clients and rounds",
        "robust_aggregation §2.5.2",
        lambda r: theory.share_ratio_extremes(r.weights, r.share)[1],
    ),
    Quantity(
        "coefficient_bound",
        "θ",
        "ratio",
        "max aₖ/pₖ over clients and rounds, as the least constant of Assumption 5",
        "efl Assumption 5",
        lambda r: theory.coefficient_bound(r.weights, r.share),
    ),
    Quantity(
        "update_diversity_dynamics",
        "e-LUDD",
        "ratio",
        "Mean of e-LUD over the rounds",
        "fedaware §5, Table 2",
        lambda r: theory.mean_update_diversity(r.gram, r.cohort_present),
    ),
    Quantity(
        "consensus_dynamics",
        "Ψ",
        "gradient²",
        "Mean over rounds of ρᵗ(a)/(η²E), under the weights applied",
        "fedaware Theorem 4.2",
        lambda r: _dynamics(r, reweighted=False),
        (ONE_RUN,),
    ),
    Quantity(
        "reweighted_consensus_dynamics",
        "Ψ̃",
        "gradient²",
        "Mean over rounds of χ²·ρᵗ(a)/(η²E)",
        "fedaware Corollary 4.1",
        lambda r: _dynamics(r, reweighted=True),
        (ONE_RUN,),
    ),
)

CLIENT_QUANTITIES: tuple[Quantity, ...] = (
    Quantity(
        "share_ratio",
        "κₖ",
        "ratio",
        "aₖ/pₖ",
        "robust_aggregation §2.5.2",
        lambda r: theory.share_ratio(r.weights, r.share),
    ),
    Quantity(
        "client_coherence",
        "cos(uₖ, G)",
        "none",
        "Cosine of the update to Σ aₖuₖ: who pulls against the mean",
        "none; the pairwise cosines are in fedaware §4.3",
        _coherence,
    ),
    Quantity(
        "noniid_gap",
        "Dₖ",
        "loss",
        "Fₖ(w*) − Fₖ*, without an elastic term; the same in every round",
        "efl §3.1",
        lambda r: theory.noniid_gap(r.loss_at_optimum, r.loss_best),
        (OPTIMUM, BEST),
    ),
)
