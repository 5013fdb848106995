"""Everyone: a rule that refuses a round in which somebody is absent."""

from __future__ import annotations

from dataclasses import dataclass

from theory.base.arrays import Array, namespace
from theory.base.checks import check_rule
from theory.rules.entry import RuleEntry
from theory.rules.protocol import Rule, needs_of, on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Everyone"]


@dataclass(frozen=True)
class Everyone:
    """The inner `rule` in rounds with every client present; `ValueError` in any other.

    Source: fedaware Figure 4, «FedAvg-Full», FedAvg with full client participation; robust_aggregation RA-A0, the
    framework of its theory. A rule cannot call clients in, so it refuses rather than pretend. The inner rule is one
    without memory.
    """

    rule: Rule

    def __post_init__(self) -> None:
        check_rule("Everyone", "rule", self.rule, memoryless=True)

    @property
    def needs(self) -> tuple[str, ...] | None:
        """As the inner rule."""
        return needs_of(self.rule)

    @property
    def simplex(self) -> bool:
        """As the inner rule."""
        return on_simplex(self.rule)

    def __call__(self, stats: RoundStats) -> Array:
        """The inner rule's weights, shape (*batch, n_clients)."""
        xp = namespace(stats.present)
        absent = int(xp.sum(xp.astype(xp.logical_not(stats.present), xp.int64)))
        if absent:
            raise ValueError(
                f"Everyone(rule={type(self.rule).__name__}): {absent} clients are absent in round {stats.round}; run it"
                " with full participation (as many clients sampled a round as there are)"
            )
        weights: Array = self.rule(stats)
        return weights


ENTRY = RuleEntry(
    "everyone",
    Everyone,
    "robust_aggregation",
    "RA-A0",
    "a rule, in full rounds only",
    {"rule": "proportional"},
    total="1, or as its part",
    parts=("rule",),
    kind="combinator",
)
