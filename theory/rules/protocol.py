"""What an aggregation rule is: (state, stats, vectors) -> (state, weights, vectors to combine)."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias, runtime_checkable

from theory.base.arrays import Array, namespace
from theory.rules.stats import RoundStats

__all__ = [
    "AnyRule",
    "MemoryRule",
    "Rule",
    "aggregate",
    "masked_shares",
    "needs_of",
    "normalised",
    "on_simplex",
    "remembers",
]


@runtime_checkable
class Rule(Protocol):
    """A stateless rule, the short form nearly all rules take: stats -> weights (*batch, n_clients).

    Weights are exactly 0 for absent clients, and lie on the simplex unless the rule says ``simplex = False``; it then
    has a method ``total(stats)``, (*batch,), that says what they sum to. `needs`, where a rule has it, names the fields
    and signals it reads besides shares and presence.
    """

    def __call__(self, stats: RoundStats) -> Any: ...


@runtime_checkable
class MemoryRule(Protocol):
    """A rule that remembers: it may weight absent clients and combine other vectors than this round's updates.

    Its state is None before the first round, then a plain value: arrays, numbers and None, in tuples and dictionaries
    to any depth, so that a checkpoint can store it.
    """

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]: ...


AnyRule: TypeAlias = Rule | MemoryRule


def aggregate(rule: AnyRule, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
    """One server step of any rule: the new state, the weights, and the vectors they combine.

    `state` is None before the first round and for rules without memory.
    """
    step = getattr(rule, "step", None)  # what makes a MemoryRule one; the Protocol's own check is slow
    if step is not None:
        remembered: tuple[Any, Any, Any] = step(state, stats)
        return remembered
    return state, rule(stats), stats.updates  # type: ignore[operator]


def remembers(rule: AnyRule) -> bool:
    """Whether the rule carries a state from round to round."""
    return hasattr(rule, "step")


def on_simplex(*rules: AnyRule) -> bool:
    """Whether all the rules promise weights on the simplex; those that do not say so do."""
    return all(getattr(rule, "simplex", True) for rule in rules)


def needs_of(*rules: AnyRule, also: tuple[str, ...] = ()) -> tuple[str, ...] | None:
    """Everything the rules read, and `also`, each name once; None (anything) if one of them does not say."""
    found: dict[str, None] = {}
    for rule in rules:
        needs = getattr(rule, "needs", None)
        if needs is None:
            return None
        found.update(dict.fromkeys(needs))
    return tuple({**found, **dict.fromkeys(also)})


def masked_shares(stats: RoundStats) -> Array:
    """Data shares with absent clients at exactly 0, not renormalised, (*batch, n_clients)."""
    xp = namespace(stats.share)
    masked: Array = xp.where(stats.present, stats.share, xp.zeros_like(stats.share))
    return masked


def normalised(weights: Array, by: str, hint: str = "expected one > 0 in every cohort") -> Any:
    """`weights` divided by their sum over clients (last axis); `ValueError` naming `by` where that is <= 0.

    A sum that is NaN passes: in a simulation that diverged it is the simulator that says so.
    """
    xp = namespace(weights)
    total = xp.sum(weights, axis=-1, keepdims=True)
    if bool(xp.any(total <= 0)):
        raise ValueError(f"{by}: the weights of all clients present are 0 before normalising; {hint}")
    return weights / total
