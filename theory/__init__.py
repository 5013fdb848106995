"""The convex side: federations, aggregation rules, rounds, quantities, and their exact reference.

Array code takes its namespace from its inputs (NumPy float64 is the reference); torch is never imported here.
"""

from __future__ import annotations

from theory.federation import (
    Constants,
    Federation,
    QuadraticFederation,
    global_loss,
    gradient_bound,
)
from theory.minnorm import MinNormPoint, min_norm_point
from theory.noise import SignNoise
from theory.participation import FullParticipation, UniformWithoutReplacement
from theory.quantities import (
    chi_square,
    heterogeneity,
    update_diversity,
    weight_discrepancy,
    weighted_excess,
    weighting_skew,
)
from theory.rules import RULES, ExpAlpha, FedSoftWorse, FedWorse, MinNorm, Proportional, Scheduled, aggregate, make_rule
from theory.schedules import constant_steps, inverse_steps
from theory.simulate import Trajectory, simulate
from theory.stats import RoundStats
from theory.streams import stream

__all__ = [
    "RULES",
    "Constants",
    "ExpAlpha",
    "FedSoftWorse",
    "FedWorse",
    "Federation",
    "FullParticipation",
    "MinNorm",
    "MinNormPoint",
    "Proportional",
    "QuadraticFederation",
    "RoundStats",
    "Scheduled",
    "SignNoise",
    "Trajectory",
    "UniformWithoutReplacement",
    "aggregate",
    "chi_square",
    "constant_steps",
    "global_loss",
    "gradient_bound",
    "heterogeneity",
    "inverse_steps",
    "make_rule",
    "min_norm_point",
    "simulate",
    "stream",
    "update_diversity",
    "weight_discrepancy",
    "weighted_excess",
    "weighting_skew",
]
