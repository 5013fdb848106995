"""Mix and Anneal: two rules at once, in fixed proportions or in proportions that change over the rounds."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import cos, exp, pi
from typing import Any

from theory.base.arrays import namespace
from theory.base.checks import check_number, check_rule, check_whole, check_word
from theory.rules.entry import RuleEntry
from theory.rules.protocol import AnyRule, aggregate, needs_of, on_simplex, remembers
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "Anneal", "Mix"]


@dataclass(frozen=True)
class Mix:
    """Σ aₖvₖ = s·(step of `first`) + (1−s)·(step of `second`), s the `share_of_first` in [0, 1].

    Source: the convex combination in robust_aggregation §3.2 (RA-ALG2, `anneal`), held fixed. Weights are those of
    `first` and `second` mixed; where the two combine different vectors, a client's vector is the mean of its two,
    weighted as they are. State: {"first": …, "second": …}; both rules see every round.
    """

    first: AnyRule
    second: AnyRule
    share_of_first: float = 0.5

    def __post_init__(self) -> None:
        check_rule("Mix", "first", self.first)
        check_rule("Mix", "second", self.second)
        check_number("Mix", "share_of_first", self.share_of_first, high=1.0, closed=True)

    @property
    def needs(self) -> tuple[str, ...] | None:
        """What both rules read, and the updates."""
        return needs_of(self.first, self.second, also=("updates",))

    @property
    def simplex(self) -> bool:
        """Whether both rules promise weights on the simplex."""
        return on_simplex(self.first, self.second)

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(both states, mixed weights, the vectors they combine)."""
        held = state or {"first": None, "second": None}
        states, weights, vectors = _blended(
            (self.first, held["first"]), (self.second, held["second"]), self.share_of_first, stats
        )
        return dict(zip(("first", "second"), states, strict=True)), weights, vectors


@dataclass(frozen=True)
class Anneal:
    """Σ aₖvₖ = (1−s_t)·(step of `first`) + s_t·(step of `then`), s_t growing from 0 with the round t.

    Source: robust_aggregation §3.2, «simulated annealing, which gradually mixes the approaches»; the paper gives no
    schedule. With x = (t − start_round)/n_rounds, and s = 0 before `start_round`: "linear" s = min(x, 1); "cosine"
    s = (1 − cos(π·min(x, 1)))/2; "exponential" s = 1 − e^{−x}, which never reaches 1; or a function of the round with
    values in [0, 1]. Else as `Mix`. State: {"first": …, "then": …}; both rules see every round.
    """

    first: AnyRule
    then: AnyRule
    n_rounds: int = 20
    schedule: str | Callable[[int], float] = "linear"
    start_round: int = 0

    def __post_init__(self) -> None:
        check_rule("Anneal", "first", self.first)
        check_rule("Anneal", "then", self.then)
        check_whole("Anneal", "n_rounds", self.n_rounds, low=1)
        check_whole("Anneal", "start_round", self.start_round, low=0)
        if not callable(self.schedule):
            check_word("Anneal", "schedule", self.schedule, ("linear", "cosine", "exponential"))

    @property
    def needs(self) -> tuple[str, ...] | None:
        """What both rules read, and the updates."""
        return needs_of(self.first, self.then, also=("updates",))

    @property
    def simplex(self) -> bool:
        """Whether both rules promise weights on the simplex."""
        return on_simplex(self.first, self.then)

    def share_of_then(self, round_index: int) -> float:
        """s_t in [0, 1]; `ValueError` when the schedule gives anything else."""
        if callable(self.schedule):
            share = self.schedule(round_index)
            check_number("Anneal", f"schedule({round_index})", share, high=1.0, closed=True)
            return float(share)
        x = max(0.0, (round_index - self.start_round) / self.n_rounds)
        if self.schedule == "exponential":
            return 1 - exp(-x)
        return min(x, 1.0) if self.schedule == "linear" else (1 - cos(pi * min(x, 1.0))) / 2

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
        """(both states, mixed weights, the vectors they combine)."""
        held = state or {"first": None, "then": None}
        share = 1 - self.share_of_then(stats.round)
        states, weights, vectors = _blended((self.first, held["first"]), (self.then, held["then"]), share, stats)
        return dict(zip(("first", "then"), states, strict=True)), weights, vectors


def _blended(
    one: tuple[AnyRule, Any], two: tuple[AnyRule, Any], share: float, stats: RoundStats
) -> tuple[tuple[Any, Any], Any, Any]:
    """Both states and the mixed step; a rule without memory is not asked when it has no part in it."""
    (first, first_state), (second, second_state) = one, two
    a: Any = None
    b: Any = None
    u: Any = None
    v: Any = None
    if share > 0 or remembers(first):
        first_state, a, u = aggregate(first, first_state, stats)
    if share < 1 or remembers(second):
        second_state, b, v = aggregate(second, second_state, stats)
    states = (first_state, second_state)
    if share == 1:
        return states, a, u
    if share == 0:
        return states, b, v
    weights = share * a + (1 - share) * b
    if u is v:
        return states, weights, u
    xp = namespace(weights)
    used = weights != 0
    part = xp.where(used, share * a / xp.where(used, weights, xp.ones_like(weights)), xp.ones_like(weights))
    return states, weights, part[..., None] * u + (1 - part)[..., None] * v


ENTRY = (
    RuleEntry(
        "anneal",
        Anneal,
        "robust_aggregation",
        "§3.2",
        "(1−s_t)·first + s_t·then",
        {"first": "fed-soft-better(temperature=0.2)", "then": "proportional"},
        total="1, or as its parts",
        parts=("first", "then"),
        kind="combinator",
    ),
    RuleEntry(
        "mix",
        Mix,
        "robust_aggregation",
        "§3.2, at fixed s",
        "s·first + (1−s)·second",
        {"first": "exp-alpha(alpha=0.2)", "second": "proportional"},
        total="1, or as its parts",
        parts=("first", "second"),
        kind="combinator",
    ),
)
