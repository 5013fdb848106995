"""Switch: one rule until a round or an accuracy is reached, then another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from theory.base.arrays import device_of, namespace
from theory.base.checks import check_number, check_rule, check_whole
from theory.rules.entry import RuleEntry
from theory.rules.protocol import AnyRule, aggregate, needs_of, on_simplex, remembers
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Switch"]


@dataclass(frozen=True)
class Switch:
    """`first` in rounds 0 … at_round − 1, `then` from round `at_round` on; or `then` once an accuracy was reached.

    Source: robust_aggregation §3.2, «using an approach until a certain fixed value of accuracy and then change it», and
    Figure 1, «strategy change at round 20». Give one of `at_round` >= 0 and `at_accuracy` in (0, 1]; the accuracy is
    the signal "accuracy" of the broadcast model, (*batch,), and once reached is reached for good.
    A rule with memory watches from round 0, whether in charge or not, so that it remembers when its turn comes; `first`
    rests once nobody needs it any more.
    State: {"first": …, "then": … (the rules' own states), "reached": None or booleans (*batch,)}.
    Raises `ValueError` for an accuracy that is missing, of another shape, or not in [0, 1].
    """

    first: AnyRule
    then: AnyRule
    at_round: int | None = None
    at_accuracy: float | None = None

    def __post_init__(self) -> None:
        check_rule("Switch", "first", self.first)
        check_rule("Switch", "then", self.then)
        if (self.at_round is None) == (self.at_accuracy is None):
            raise ValueError(
                f"Switch(at_round={self.at_round!r}, at_accuracy={self.at_accuracy!r}): give exactly one of the two"
            )
        if self.at_round is not None:
            check_whole("Switch", "at_round", self.at_round, low=0)
        else:
            check_number("Switch", "at_accuracy", self.at_accuracy, high=1.0, hint="a fraction, such as 0.6")

    @property
    def needs(self) -> tuple[str, ...] | None:
        """What both rules read, the updates, and the accuracy if that decides."""
        return needs_of(self.first, self.then, also=("updates", "accuracy")[: 1 if self.at_accuracy is None else 2])

    @property
    def simplex(self) -> bool:
        """Whether both rules promise weights on the simplex."""
        return on_simplex(self.first, self.then)

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(both states, weights and vectors of the rule in charge)."""
        held = state or {"first": None, "then": None, "reached": None}
        reached = self._reached(held["reached"], stats)
        if isinstance(reached, bool):
            all_first, all_then = not reached, reached
        else:
            xp = namespace(reached)
            all_first, all_then = not bool(xp.any(reached)), bool(xp.all(reached))
        first, then = held["first"], held["then"]
        one = two = None
        if not all_then:
            first, *one = aggregate(self.first, first, stats)
        if not all_first or remembers(self.then):
            then, *two = aggregate(self.then, then, stats)
        after = {"first": first, "then": then, "reached": None if isinstance(reached, bool) else reached}
        if all_first or all_then:
            weights, vectors = (one if all_first else two) or (None, None)
            return after, weights, vectors
        weights, vectors = _each(reached, one, two)
        return after, weights, vectors

    def _reached(self, before: Any, stats: RoundStats) -> Any:
        """A bool when the round decides, else booleans (*batch,)."""
        if self.at_round is not None:
            return stats.round >= self.at_round
        given = stats.need("accuracy", "Switch")
        xp, batch = namespace(stats.share), tuple(stats.share.shape[:-1])
        accuracy = xp.asarray(given, dtype=stats.share.dtype, device=device_of(stats.share))
        if tuple(accuracy.shape) != batch:
            raise ValueError(f"Switch: signal `accuracy` of shape {tuple(accuracy.shape)}; expected {batch}, one a run")
        if not bool(xp.all((accuracy >= 0) & (accuracy <= 1))):
            raise ValueError(f"Switch: signal `accuracy` is {given}; expected a fraction of [0, 1]")
        now = accuracy >= self.at_accuracy
        return xp.asarray(now if before is None else now | before)


def _each(reached: Any, one: Any, two: Any) -> tuple[Any, Any]:
    """`two` where reached, else `one`; both are (weights, vectors)."""
    xp = namespace(reached)
    weights = xp.where(reached[..., None], two[0], one[0])
    if one[1] is two[1]:
        return weights, one[1]
    return weights, xp.where(reached[..., None, None], two[1], one[1])


ENTRY = RuleEntry(
    "switch",
    Switch,
    "robust_aggregation",
    "§3.2, Figure 1",
    "first, then another from a round or an accuracy on",
    {"first": "fed-soft-better(temperature=0.2)", "then": "proportional", "at_round": 20},
    total="1, or as its parts",
    parts=("first", "then"),
    either=("at_round", "at_accuracy"),
    kind="combinator",
)
