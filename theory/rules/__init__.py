"""Aggregation rules: how a server weights its clients' updates. A new rule is one file here and one list entry."""

from __future__ import annotations

from dataclasses import dataclass, fields
from difflib import get_close_matches
from typing import Any

from theory.rules.exp_alpha import ExpAlpha
from theory.rules.fed_soft_worse import FedSoftWorse
from theory.rules.fed_worse import FedWorse
from theory.rules.min_norm import MinNorm
from theory.rules.proportional import Proportional
from theory.rules.protocol import MemoryRule, Rule, aggregate
from theory.rules.sampled import SampledByWeights
from theory.rules.scheduled import Scheduled

__all__ = [
    "RULES",
    "ExpAlpha",
    "FedSoftWorse",
    "FedWorse",
    "MemoryRule",
    "MinNorm",
    "Proportional",
    "Rule",
    "RuleEntry",
    "SampledByWeights",
    "Scheduled",
    "aggregate",
    "make_rule",
]


@dataclass(frozen=True)
class RuleEntry:
    """One row of the registry: the rule's class, its paper and source, what it needs, and a sensible example."""

    name: str
    build: type[Any]
    paper: str
    source: str
    example: dict[str, float]

    @property
    def needs(self) -> tuple[str, ...]:
        """Fields of `RoundStats` the rule reads besides shares and presence."""
        needs: tuple[str, ...] = self.build.needs
        return needs


RULES: tuple[RuleEntry, ...] = (
    RuleEntry("proportional", Proportional, "exp_alpha", "EA-D2", {}),
    RuleEntry("exp-alpha", ExpAlpha, "exp_alpha", "eq. (3)", {"alpha": 0.2}),
    RuleEntry("fed-soft-worse", FedSoftWorse, "robust_aggregation", "RA-S-SW", {"temperature": 0.2}),
    RuleEntry("fed-worse", FedWorse, "robust_aggregation", "RA-S-W", {}),
    RuleEntry("min-norm", MinNorm, "fedaware", "eq. (2)", {}),
)


def make_rule(name: str, **settings: Any) -> Rule | MemoryRule:
    """The rule called `name` in the registry, built with `settings` (its dataclass fields).

    Raises `ValueError` naming the nearest rules for an unknown name, and the fields for an unknown setting.
    """
    entries = {entry.name: entry for entry in RULES}
    if name not in entries:
        near = get_close_matches(name, entries, n=3, cutoff=0.3) or sorted(entries)
        raise ValueError(f"unknown rule {name!r}; nearest: {', '.join(near)}")
    known = [f.name for f in fields(entries[name].build)]
    unknown = sorted(set(settings) - set(known))
    if unknown:
        raise ValueError(f"rule {name!r} has no setting {unknown}; its settings are {known}")
    rule: Rule | MemoryRule = entries[name].build(**{**entries[name].example, **settings})
    return rule
