"""The convex side: federations, aggregation rules, rounds, quantities, and their exact reference.

Array code takes its namespace from its inputs (NumPy float64 is the reference); torch is never imported here.
What the papers measure along a run lives in `theory.quantities`, the exact reference in `theory.exact`.
"""

from __future__ import annotations

from theory.compression import TernarySparse, error_feedback, message_bits, total_bits
from theory.conventions import Conventions
from theory.dissimilarity import family_pair, frontier, realised_dissimilarity, smallest_B
from theory.elastic import elastic, elastic_gradient, elastic_sums
from theory.empirical import load_xy, logistic_federation, ridge_federation, ridge_samples, split_clients
from theory.families import from_spectra, plane_rotation, quadratic_family, rotation
from theory.federation import Constants, Federation, QuadraticFederation, global_loss, gradient_bound
from theory.laws import (
    Outcome,
    RoundLaw,
    bernoulli_law,
    full_law,
    incomplete_law,
    joint_law,
    multinomial_law,
    subsets_law,
)
from theory.minibatch import EpochNoise, MinibatchNoise, epoch_steps
from theory.minnorm import MinNormPoint, min_norm_point
from theory.moments import (
    AffineMixture,
    Moments,
    expected_global_loss,
    expected_quadratic,
    expected_square_distance,
    fedavg_mixture,
    moments,
    moments_after,
)
from theory.noise import ExclusiveNoise, SharedNoise, SignNoise, SparseNoise, SphereNoise, correlated_participation
from theory.nonconvex import RippledFederation, SaddleFederation
from theory.participation import (
    Arrival,
    Bernoulli,
    Departure,
    FullParticipation,
    GivenSteps,
    StateDependent,
    UniformSteps,
    UniformWithoutReplacement,
)
from theory.projection import aware_projection
from theory.quantities import (
    chi_square,
    heterogeneity,
    update_diversity,
    weight_discrepancy,
    weighted_excess,
    weighting_skew,
)
from theory.rules import (
    RULES,
    ExpAlpha,
    FedSoftWorse,
    FedWorse,
    MinNorm,
    Proportional,
    SampledByWeights,
    Scheduled,
    aggregate,
    make_rule,
)
from theory.schedules import (
    constant_steps,
    efl_steps,
    geometric_steps,
    inverse_steps,
    proof_gamma,
    tuned_step,
    vanishing_steps,
)
from theory.simulate import Trajectory, simulate
from theory.stats import RoundStats
from theory.streams import stream

__all__ = [
    "RULES",
    "AffineMixture",
    "Arrival",
    "Bernoulli",
    "Constants",
    "Conventions",
    "Departure",
    "EpochNoise",
    "ExclusiveNoise",
    "ExpAlpha",
    "FedSoftWorse",
    "FedWorse",
    "Federation",
    "FullParticipation",
    "GivenSteps",
    "MinNorm",
    "MinNormPoint",
    "MinibatchNoise",
    "Moments",
    "Outcome",
    "Proportional",
    "QuadraticFederation",
    "RippledFederation",
    "RoundLaw",
    "RoundStats",
    "SaddleFederation",
    "SampledByWeights",
    "Scheduled",
    "SharedNoise",
    "SignNoise",
    "SparseNoise",
    "SphereNoise",
    "StateDependent",
    "TernarySparse",
    "Trajectory",
    "UniformSteps",
    "UniformWithoutReplacement",
    "aggregate",
    "aware_projection",
    "bernoulli_law",
    "chi_square",
    "constant_steps",
    "correlated_participation",
    "efl_steps",
    "elastic",
    "elastic_gradient",
    "elastic_sums",
    "epoch_steps",
    "error_feedback",
    "expected_global_loss",
    "expected_quadratic",
    "expected_square_distance",
    "family_pair",
    "fedavg_mixture",
    "from_spectra",
    "frontier",
    "full_law",
    "geometric_steps",
    "global_loss",
    "gradient_bound",
    "heterogeneity",
    "incomplete_law",
    "inverse_steps",
    "joint_law",
    "load_xy",
    "logistic_federation",
    "make_rule",
    "message_bits",
    "min_norm_point",
    "moments",
    "moments_after",
    "multinomial_law",
    "plane_rotation",
    "proof_gamma",
    "quadratic_family",
    "realised_dissimilarity",
    "ridge_federation",
    "ridge_samples",
    "rotation",
    "simulate",
    "smallest_B",
    "split_clients",
    "stream",
    "subsets_law",
    "total_bits",
    "tuned_step",
    "update_diversity",
    "vanishing_steps",
    "weight_discrepancy",
    "weighted_excess",
    "weighting_skew",
]
