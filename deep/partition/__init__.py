"""Who holds which samples under which labels: partitions, cohorts made anew each round, targets, and their picture.

`make_partition("dirichlet(beta=0.3)")` builds any partition of `PARTITIONS`, `divide` applies and checks it; a source
of `COHORTS` answers who takes part in a round; a target of `TARGETS` is the class distribution a model is judged on.
"""

from __future__ import annotations

from deep.partition.checks import Groups, Index
from deep.partition.cohorts import (
    COHORTS,
    RATIOS,
    CohortSource,
    Composition,
    FlippedCohorts,
    ImbalancedCohorts,
    Population,
    cohort_text,
    make_cohort,
)
from deep.partition.drawn_work import LOCAL_WORKS, DrawnWork, local_work_text, make_local_work
from deep.partition.holdings import Holdings, divide
from deep.partition.kinds.by_group import Clients, Domains, Speakers, Users
from deep.partition.kinds.dirichlet import MAX_BETA, MAX_DRAWS, Dirichlet, dirichlet_partition
from deep.partition.kinds.dirichlet_clients import DirichletClients
from deep.partition.kinds.even import Iid, Stratified
from deep.partition.kinds.flips import Flipped, Partition, flip
from deep.partition.kinds.half_balanced import HalfBalanced
from deep.partition.kinds.imbalance import Imbalance, imbalanced_counts
from deep.partition.kinds.label_skew import Classes, Shards
from deep.partition.participation import PARTICIPATIONS, always_everyone, make_participation, participation_text
from deep.partition.picture import division_svg
from deep.partition.registry import PARTITIONS, make_partition, partition_text
from deep.partition.report import DivisionReport, describe, partition_counts
from deep.partition.targets import (
    TARGETS,
    Exponential,
    Mixture,
    Skew,
    Target,
    Uniform,
    known_mixture,
    make_target,
    target_sample,
    target_text,
    target_weights,
)

__all__ = [
    "COHORTS",
    "LOCAL_WORKS",
    "MAX_BETA",
    "MAX_DRAWS",
    "PARTICIPATIONS",
    "PARTITIONS",
    "RATIOS",
    "TARGETS",
    "Classes",
    "Clients",
    "CohortSource",
    "Composition",
    "Dirichlet",
    "DirichletClients",
    "DivisionReport",
    "Domains",
    "DrawnWork",
    "Exponential",
    "Flipped",
    "FlippedCohorts",
    "Groups",
    "HalfBalanced",
    "Holdings",
    "Iid",
    "Imbalance",
    "ImbalancedCohorts",
    "Index",
    "Mixture",
    "Partition",
    "Population",
    "Shards",
    "Skew",
    "Speakers",
    "Stratified",
    "Target",
    "Uniform",
    "Users",
    "always_everyone",
    "cohort_text",
    "describe",
    "dirichlet_partition",
    "divide",
    "division_svg",
    "flip",
    "imbalanced_counts",
    "known_mixture",
    "local_work_text",
    "make_cohort",
    "make_local_work",
    "make_participation",
    "make_partition",
    "make_target",
    "participation_text",
    "partition_counts",
    "partition_text",
    "target_sample",
    "target_text",
    "target_weights",
]
