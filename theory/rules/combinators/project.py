"""Project (×AWARE): another rule's step, projected on the line of the minimum-norm direction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from theory.base.arrays import namespace
from theory.base.checks import check_rule, check_word
from theory.rules.by_update.min_norm import MinNorm
from theory.rules.combinators.memory import WithMemory
from theory.rules.entry import RuleEntry
from theory.rules.projection import aware_projection, known_direction
from theory.rules.protocol import AnyRule, aggregate, needs_of, on_simplex
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Project"]


_FED_AWARE = WithMemory(MinNorm())


@dataclass(frozen=True)
class Project:
    """d_proj = (⟨d̃, d⟩/⟨d, d⟩)·d: d̃ the step of `rule`, d the step of `onto`, FedAWARE unless said otherwise.

    Source: fedaware §3, «AWARE extension» (FA-PROP3.1). The weights are those of `onto`; every client's vector is
    d_proj, so that they combine to it. The paper holds d to be never 0 and says nothing of negative products:
    `when_zero`, where d = 0: "error" raises `ValueError`, "keep" takes the step d̃, "zero" stands still. A d of at most
    4·n·ε·Σ aₖ‖vₖ‖, n clients and ε of the precision, is rounding around 0 and counts as 0: its direction hangs on the
    order in which clients were added up.
    `when_negative`, where ⟨d̃, d⟩ < 0: "as_printed" steps along −d, "clip" stands still.
    State: {"rule": …, "onto": …}.
    """

    rule: AnyRule
    onto: AnyRule = _FED_AWARE
    when_zero: Literal["error", "keep", "zero"] = "error"
    when_negative: Literal["as_printed", "clip"] = "as_printed"

    def __post_init__(self) -> None:
        check_rule("Project", "rule", self.rule)
        check_rule("Project", "onto", self.onto)
        check_word("Project", "when_zero", self.when_zero, ("error", "keep", "zero"))
        check_word("Project", "when_negative", self.when_negative, ("as_printed", "clip"))
        if not on_simplex(self.onto):
            raise ValueError(f"Project(onto={self.onto!r}): its weights need not sum to 1, so d_proj would be rescaled")

    @property
    def needs(self) -> tuple[str, ...] | None:
        """What both rules read, and the updates."""
        return needs_of(self.rule, self.onto, also=("updates",))

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(both states, the weights of `onto`, d_proj for every client)."""
        stats.need("updates", "Project")
        held = state or {"rule": None, "onto": None}
        rule_state, weights, vectors = aggregate(self.rule, held["rule"], stats)
        proposal = _combined(weights, vectors)
        onto_state, weights, vectors = aggregate(self.onto, held["onto"], stats)
        direction = known_direction(weights, vectors)
        step = aware_projection(proposal, direction, when_zero=self.when_zero, when_negative=self.when_negative)
        xp = namespace(step)
        each = xp.zeros_like(weights)[..., None] + step[..., None, :]
        return {"rule": rule_state, "onto": onto_state}, weights, each


def _combined(weights: Any, vectors: Any) -> Any:
    """Σ aₖvₖ, (*batch, dim), in the precision of the weights."""
    xp = namespace(weights, vectors)
    return (weights[..., None, :] @ xp.astype(vectors, weights.dtype))[..., 0, :]


ENTRY = RuleEntry(
    "project",
    Project,
    "fedaware",
    "§3, FA-PROP3.1",
    "(⟨d̃, d⟩/⟨d, d⟩)·d, d of FedAWARE",
    {"rule": "proportional"},
    parts=("rule", "onto"),
    kind="combinator",
)
