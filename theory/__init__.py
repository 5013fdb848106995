"""The convex side: federations, aggregation rules, rounds, quantities, and their exact reference.

Array code takes its namespace from its inputs (NumPy float64 is the reference); torch is never imported here. A name is
imported when it is first used.
What the papers measure along a run lives in `theory.quantities`, the exact reference in `theory.exact`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.lazily import lazily

if TYPE_CHECKING:
    from theory.compression import TernarySparse, error_feedback, message_bits, total_bits
    from theory.elastic import elastic, elastic_gradient, elastic_sums
    from theory.families import from_spectra, plane_rotation, quadratic_family
    from theory.federation import Federation, QuadraticFederation, global_loss
    from theory.laws import multinomial_law, subsets_law
    from theory.minibatch import EpochNoise, MinibatchNoise
    from theory.minnorm import min_norm_point
    from theory.momentum import Momentum
    from theory.noise import SignNoise, SphereNoise
    from theory.participation import (
        Arrival,
        Bernoulli,
        Departure,
        FullParticipation,
        GivenSteps,
        Inactive,
        Stragglers,
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
        AFL,
        RULES,
        SSA,
        SSASGD,
        Everyone,
        ExpAlpha,
        FedBetter,
        FedSoftBetter,
        FedSoftWorse,
        FedWorse,
        MinNorm,
        Oracle,
        Proportional,
        Scheduled,
        Switch,
        WithClusters,
        WithMemory,
        aggregate,
        make_rule,
    )
    from theory.schedules import constant_steps, geometric_steps, inverse_steps
    from theory.sides import Sides
    from theory.simulate import Trajectory, simulate
    from theory.stats import RoundStats
    from theory.streams import stream

__all__ = [
    "AFL",
    "RULES",
    "SSA",
    "SSASGD",
    "Arrival",
    "Bernoulli",
    "Departure",
    "EpochNoise",
    "Everyone",
    "ExpAlpha",
    "FedBetter",
    "FedSoftBetter",
    "FedSoftWorse",
    "FedWorse",
    "Federation",
    "FullParticipation",
    "GivenSteps",
    "Inactive",
    "MinNorm",
    "MinibatchNoise",
    "Momentum",
    "Oracle",
    "Proportional",
    "QuadraticFederation",
    "RoundStats",
    "Scheduled",
    "Sides",
    "SignNoise",
    "SphereNoise",
    "Stragglers",
    "Switch",
    "TernarySparse",
    "Trajectory",
    "UniformSteps",
    "UniformWithoutReplacement",
    "WithClusters",
    "WithMemory",
    "aggregate",
    "aware_projection",
    "chi_square",
    "constant_steps",
    "elastic",
    "elastic_gradient",
    "elastic_sums",
    "error_feedback",
    "from_spectra",
    "geometric_steps",
    "global_loss",
    "heterogeneity",
    "inverse_steps",
    "make_rule",
    "message_bits",
    "min_norm_point",
    "multinomial_law",
    "plane_rotation",
    "quadratic_family",
    "simulate",
    "stream",
    "subsets_law",
    "total_bits",
    "update_diversity",
    "weight_discrepancy",
    "weighted_excess",
    "weighting_skew",
]

__getattr__ = lazily(__name__, __file__)
