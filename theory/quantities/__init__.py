"""What the papers measure along a run: each a pure function with its source equation.

Losses, weights and shares are (*batch, n_clients), updates (*batch, n_clients, dim), their Gram matrices
(*batch, n_clients, n_clients). A leading round axis is one more batch axis, except for the functions that take an
extremum or a mean over rounds: those say that they read rounds on the first axis.
"""

from __future__ import annotations

from theory.quantities.consensus import (
    combined_variance,
    consensus,
    consensus_dynamics,
    forgetting_factor,
    pseudo_gradient,
    reweighted_consensus_dynamics,
)
from theory.quantities.efl_terms import (
    any_inactive,
    bias_ceiling,
    biased_round,
    biased_round_count,
    coefficient_bound,
    noniid_gap,
)
from theory.quantities.excess import (
    excess_at_model,
    excess_at_optimum,
    greatest_excess_at_optimum,
    heterogeneity,
    least_excess_at_model,
    least_proportional_excess,
    weighted_excess,
)
from theory.quantities.fedssa_terms import (
    drift_bias_term,
    drift_constant,
    drift_noise_term,
    ssa_denominator,
    start_term,
    target_mismatch_term,
    weight_discrepancy,
    weighted_noise_term,
)
from theory.quantities.skew import (
    error_term,
    greatest_skew_at_optimum,
    least_skew,
    share_ratio,
    share_ratio_extremes,
    share_ratio_range,
    speed_floor,
    speed_term,
    weighting_skew,
)
from theory.quantities.stationarity import pareto_gap
from theory.quantities.updates import (
    client_coherence,
    coherence_sum,
    local_update_diversity,
    mean_pairwise_cosine,
    mean_update_diversity,
    realised_gamma,
    update_diversity,
)
from theory.quantities.weights import chi_square, weight_entropy

__all__ = [
    "any_inactive",
    "bias_ceiling",
    "biased_round",
    "biased_round_count",
    "chi_square",
    "client_coherence",
    "coefficient_bound",
    "coherence_sum",
    "combined_variance",
    "consensus",
    "consensus_dynamics",
    "drift_bias_term",
    "drift_constant",
    "drift_noise_term",
    "error_term",
    "excess_at_model",
    "excess_at_optimum",
    "forgetting_factor",
    "greatest_excess_at_optimum",
    "greatest_skew_at_optimum",
    "heterogeneity",
    "least_excess_at_model",
    "least_proportional_excess",
    "least_skew",
    "local_update_diversity",
    "mean_pairwise_cosine",
    "mean_update_diversity",
    "noniid_gap",
    "pareto_gap",
    "pseudo_gradient",
    "realised_gamma",
    "reweighted_consensus_dynamics",
    "share_ratio",
    "share_ratio_extremes",
    "share_ratio_range",
    "speed_floor",
    "speed_term",
    "ssa_denominator",
    "start_term",
    "target_mismatch_term",
    "update_diversity",
    "weight_discrepancy",
    "weight_entropy",
    "weighted_excess",
    "weighted_noise_term",
    "weighting_skew",
]
