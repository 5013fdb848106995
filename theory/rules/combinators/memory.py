"""WithMemory: a rule applied to every client's moving-averaged update, present or not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from theory.base.arrays import namespace
from theory.base.checks import check_number, check_rule, check_word
from theory.rules.entry import RuleEntry
from theory.rules.protocol import AnyRule, aggregate, needs_of, on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "WithMemory"]


@dataclass(frozen=True)
class WithMemory:
    """mₖ ← (1−α)mₖ + αuₖ for k present, mₖ unchanged for k absent; then the inner `rule` on all remembered mₖ.

    Source: fedaware, eq. (3) (FA-E3), Algorithm 1 lines 10 to 12 (FA-ALG1); with `MinNorm` inside this is FedAWARE.
    `alpha` α in (0, 1]. `init`: Algorithm 1 takes m⁰ as an input and does not give it; the appendix supposes mₖ⁰ = gₖ⁰:
    "full-round": the first round has every client present (else `ValueError`), and mₖ is its update;
    "zeros": mₖ = 0 and everybody counts as remembered from the start, so that an inner `MinNorm` stands still (d = 0)
    until every client was seen;
    "seen": a client counts as remembered once it was present, and its first update enters whole. This is "full-round"
    where the first round is full.
    The inner rule sees the remembered clients as the cohort and mₖ as their updates; losses, local steps and signals
    are this round's, also those of clients not present. Raises `ValueError` when it reads a loss that is not finite.
    State: {"memory": mₖ (*batch, n_clients, dim), "seen": booleans (*batch, n_clients), "inner": the inner rule's}.
    """

    rule: AnyRule
    alpha: float = 0.5
    init: Literal["full-round", "zeros", "seen"] = "seen"

    def __post_init__(self) -> None:
        check_rule("WithMemory", "rule", self.rule)
        check_number("WithMemory", "alpha", self.alpha, high=1.0, hint="1 forgets all but a client's last update")
        check_word("WithMemory", "init", self.init, ("full-round", "zeros", "seen"))

    @property
    def needs(self) -> tuple[str, ...] | None:
        """What the inner rule reads, and the updates."""
        return needs_of(self.rule, also=("updates",))

    @property
    def simplex(self) -> bool:
        """As the inner rule."""
        return on_simplex(self.rule)

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(memory after this round, weights of the remembered clients, their moving averages)."""
        updates = stats.need("updates", "WithMemory")
        xp = namespace(updates, stats.present)
        here = stats.present[..., None]
        if state is None:
            state = self._begun(stats, xp)
        known = state["seen"]
        moved = (1 - self.alpha) * state["memory"] + self.alpha * updates
        memory = xp.where(here, moved, state["memory"])
        if self.init != "zeros":
            memory = xp.where(here & ~known[..., None], updates, memory)
        known = known | stats.present
        cohort = xp.ones_like(known) if self.init == "zeros" else known
        inner_stats = stats.counting(cohort, memory, getattr(self.rule, "needs", None))
        inner, weights, vectors = aggregate(self.rule, state["inner"], inner_stats)
        return {"memory": memory, "seen": known, "inner": inner}, weights, vectors

    def _begun(self, stats: RoundStats, xp: Any) -> dict[str, Any]:
        """Nothing remembered yet."""
        if self.init == "full-round" and not bool(xp.all(stats.present)):
            absent = int(xp.sum(xp.astype(xp.logical_not(stats.present), xp.int64)))
            raise ValueError(
                f"WithMemory(init='full-round'): {absent} clients are absent in its first round ({stats.round}); begin"
                " with a round of full participation, or choose init='seen' or 'zeros'"
            )
        return {"memory": xp.zeros_like(stats.updates), "seen": xp.zeros_like(stats.present), "inner": None}


ENTRY = RuleEntry(
    "with-memory",
    WithMemory,
    "fedaware",
    "eq. (3)",
    "mₖ ← (1−α)mₖ + αuₖ if present; a rule on all mₖ",
    {"rule": "proportional"},
    total="1, or as its part",
    parts=("rule",),
    kind="combinator",
)
