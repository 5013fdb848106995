"""FedSSA that begins each round where the last one ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.base.arrays import namespace
from theory.base.checks import check_number
from theory.rules.by_output.ssa import SSA, first_weights
from theory.rules.by_output.ssa_sgd import SSASGD
from theory.rules.entry import RuleEntry
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "SSAWarm"]


@dataclass(frozen=True)
class SSAWarm:
    """Weight learning from the weights of the round before; the first round begins as `rule` does.

    Source: fedssa leaves the initial weights open (SSA-O2). A client who was absent comes back with the weight it had
    last; where all clients present had none together, the round begins as the first. `least` >= 0 is given to a weight
    below it before it starts again, as a softmax parameter that went to −∞ never returns.
    State: {"weights": (*batch, n_clients), last weights; equal ones of clients never met}.
    """

    rule: SSA | SSASGD
    least: float = 1e-3

    def __post_init__(self) -> None:
        if not isinstance(self.rule, SSA | SSASGD):
            raise ValueError(f"SSAWarm(rule={self.rule!r}): expected fed-ssa or fed-ssa-sgd")
        if isinstance(self.rule, SSASGD) and not self.rule.simplex:
            raise ValueError(f"SSAWarm(rule={self.rule!r}): expected a constraint, not 'free'")
        check_number("SSAWarm", "least", self.least, high=1.0, closed=True)

    @property
    def needs(self) -> tuple[str, ...]:
        """What the rule inside reads, and the updates, which are combined."""
        return (*self.rule.needs, "updates")

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(last weights of everyone, weights of the clients present, their updates)."""
        xp = namespace(stats.share, stats.present)
        cold = first_weights(stats, self.rule.start, "SSAWarm")
        start = cold
        known = xp.full_like(stats.share, 1 / stats.n_clients) if state is None else state["weights"]
        if state is not None:
            kept = xp.where(known > self.least, known, xp.full_like(known, self.least))
            kept = xp.where(stats.present, kept, xp.zeros_like(kept))
            total = xp.sum(kept, axis=-1, keepdims=True)
            start = xp.where(total > 0, kept / xp.where(total > 0, total, xp.ones_like(total)), cold)
        weights = self.rule.learned(stats, start)
        return {"weights": xp.where(stats.present, weights, known)}, weights, stats.updates


ENTRY = RuleEntry(
    "fed-ssa-warm",
    SSAWarm,
    "fedssa",
    "Algorithm 1 (SSA-O2)",
    "fed-ssa from the last round's weights",
    {"rule": "fed-ssa"},
    parts=("rule",),
    kind="combinator",
)
