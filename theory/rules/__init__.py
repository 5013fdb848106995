"""Aggregation rules: how a server weights its clients' updates. A new rule is one file here, with its `ENTRY`."""

from __future__ import annotations

from theory.rules.by_loss.afl import AFL
from theory.rules.by_loss.exp_alpha import ExpAlpha
from theory.rules.by_loss.fed_soft_worse import FedSoftBetter, FedSoftWorse
from theory.rules.by_loss.fed_worse import FedBetter, FedWorse
from theory.rules.by_loss.oracle import Oracle
from theory.rules.by_loss.power_of_choice import PowerOfChoice
from theory.rules.by_loss.q_fed_avg import QFedAvg
from theory.rules.by_output.designed import Confidence, Similarity
from theory.rules.by_output.ssa import SSA
from theory.rules.by_output.ssa_sgd import SSASGD
from theory.rules.by_output.ssa_warm import SSAWarm
from theory.rules.by_share.complete import Complete
from theory.rules.by_share.efl import EFL
from theory.rules.by_share.fed_disco import FedDisco
from theory.rules.by_share.fed_nova import FedNova
from theory.rules.by_share.proportional import Proportional, Uniform
from theory.rules.by_share.sampled import SampledByWeights
from theory.rules.by_share.scheduled import Scheduled
from theory.rules.by_update.fed_mgda_plus import FedMGDAPlus
from theory.rules.by_update.inverse_variance import InverseVariance
from theory.rules.by_update.min_norm import MinNorm
from theory.rules.combinators.blend import Anneal, Mix
from theory.rules.combinators.clusters import WithClusters
from theory.rules.combinators.everyone import Everyone
from theory.rules.combinators.memory import WithMemory
from theory.rules.combinators.presets import (
    fed_avg_aware,
    fed_avg_full,
    fed_avg_soft_better,
    fed_avg_soft_worse,
    fed_aware,
    fed_aware_na,
    fed_soft_better_avg,
    fed_soft_better_avg_soft_worse,
    fed_soft_worse_avg,
)
from theory.rules.combinators.project import Project
from theory.rules.combinators.switch import Switch
from theory.rules.entry import RuleEntry
from theory.rules.example import Example, example_of
from theory.rules.protocol import AnyRule, MemoryRule, Rule, aggregate
from theory.rules.registry import own_rules, rules
from theory.rules.simplex import project_on_simplex
from theory.rules.text import make_rule, parse_value

__all__ = [
    "AFL",
    "EFL",
    "RULES",
    "SSA",
    "SSASGD",
    "Anneal",
    "AnyRule",
    "Complete",
    "Confidence",
    "Everyone",
    "Example",
    "ExpAlpha",
    "FedBetter",
    "FedDisco",
    "FedMGDAPlus",
    "FedNova",
    "FedSoftBetter",
    "FedSoftWorse",
    "FedWorse",
    "InverseVariance",
    "MemoryRule",
    "MinNorm",
    "Mix",
    "Oracle",
    "PowerOfChoice",
    "Project",
    "Proportional",
    "QFedAvg",
    "Rule",
    "RuleEntry",
    "SSAWarm",
    "SampledByWeights",
    "Scheduled",
    "Similarity",
    "Switch",
    "Uniform",
    "WithClusters",
    "WithMemory",
    "aggregate",
    "example_of",
    "fed_avg_aware",
    "fed_avg_full",
    "fed_avg_soft_better",
    "fed_avg_soft_worse",
    "fed_aware",
    "fed_aware_na",
    "fed_soft_better_avg",
    "fed_soft_better_avg_soft_worse",
    "fed_soft_worse_avg",
    "make_rule",
    "own_rules",
    "parse_value",
    "project_on_simplex",
    "rules",
]

RULES = rules()
