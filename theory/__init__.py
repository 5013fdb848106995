"""The convex side: federations, aggregation rules, rounds, quantities, and their exact reference.

Array code takes its namespace from its inputs (NumPy float64 is the reference); torch is never imported here. A name is
imported when it is first used.
What the papers measure along a run lives in `theory.quantities`, the exact reference in `theory.exact`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from theory.base.lazily import lazily

if TYPE_CHECKING:
    from theory.base.momentum import Momentum
    from theory.base.streams import stream
    from theory.federations.elastic import elastic, elastic_gradient, elastic_sums
    from theory.federations.families import from_spectra, plane_rotation, quadratic_family
    from theory.federations.federation import Federation, QuadraticFederation, global_loss
    from theory.messages.compression import TernarySparse, error_feedback, message_bits, total_bits
    from theory.minnorm import min_norm_point
    from theory.noise.laws import SignNoise, SphereNoise
    from theory.noise.minibatch import EpochNoise, MinibatchNoise
    from theory.participation.finite_laws import multinomial_law, subsets_law
    from theory.participation.sampling import (
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
    from theory.participation.schedules import constant_steps, geometric_steps, inverse_steps
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
    from theory.rules.projection import aware_projection
    from theory.rules.stats import RoundStats
    from theory.simulate import Trajectory, simulate
    from theory.worlds.sides import Sides

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
