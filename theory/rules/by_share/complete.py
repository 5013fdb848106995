"""Only complete clients count: what the server of FedAvg does with stragglers."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

from theory.base.arrays import Array, namespace
from theory.base.checks import check_rule
from theory.rules.by_share.proportional import Proportional
from theory.rules.entry import RuleEntry
from theory.rules.protocol import Rule, needs_of, on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Complete"]


@dataclass(frozen=True)
class Complete:
    """A rule over the clients that finished all they planned; the others' updates are dropped.

    Source: efl §1, §4 («the server will abandon struggling clients»); FedProx (Li et al. 2020), §5.2, of FedAvg.
    `rule`: any without memory whose weights sum to 1. Where nobody is complete all weights are 0 and the model stays,
    so that the weights sum to 1 or 0. Needs `local_steps` and `planned_steps`.
    """

    simplex: ClassVar[bool] = False

    rule: Rule = field(default_factory=Proportional)

    def __post_init__(self) -> None:
        check_rule("Complete", "rule", self.rule, memoryless=True)
        if not on_simplex(self.rule):
            raise ValueError(f"Complete(rule={self.rule!r}): its weights need not sum to 1; expected a rule's that do")

    @property
    def needs(self) -> tuple[str, ...] | None:
        """What the rule inside reads, and steps finished and planned."""
        return needs_of(self.rule, also=("local_steps", "planned_steps"))

    def __call__(self, stats: RoundStats) -> Array:
        """Weights >= 0 that sum to `total`, shape (*batch, n_clients)."""
        xp = namespace(stats.share)
        here, some = self._complete(stats)
        counted = xp.where(some[..., None], here, stats.present)
        weights = self.rule(RoundStats.unchecked(**{**stats.__dict__, "present": counted}))
        answer: Array = xp.where(some[..., None], weights, xp.zeros_like(weights))
        return answer

    def total(self, stats: RoundStats) -> Any:
        """1, or 0 where nobody is complete, (*batch,)."""
        return namespace(stats.share).astype(self._complete(stats)[1], stats.share.dtype)

    def _complete(self, stats: RoundStats) -> tuple[Any, Any]:
        """Who finished what it planned, (*batch, n_clients), and whether anybody did, (*batch,)."""
        xp = namespace(stats.share)
        done, planned = stats.need("local_steps", "Complete"), stats.need("planned_steps", "Complete")
        here = stats.present & (done >= planned)
        return here, xp.any(here, axis=-1)


ENTRY = RuleEntry(
    "complete",
    Complete,
    "efl",
    "§1, §4",
    "a rule over the clients with sₖ = Eₖ; 0 where there are none",
    {"rule": "proportional"},
    total="0 or 1",
    parts=("rule",),
    kind="combinator",
)
