"""What an aggregation rule is: (state, stats, vectors) -> (state, weights, vectors to combine)."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from theory.arrays import Array, namespace
from theory.stats import RoundStats

__all__ = ["MemoryRule", "Rule", "aggregate", "masked_shares", "normalised"]


@runtime_checkable
class Rule(Protocol):
    """A stateless rule, the short form nearly all rules take: stats -> weights (*batch, n_clients).

    Weights lie on the simplex and are exactly 0 for absent clients.
    """

    def __call__(self, stats: RoundStats) -> Any: ...


@runtime_checkable
class MemoryRule(Protocol):
    """A rule that remembers: it may weight absent clients and combine other vectors than this round's updates."""

    def step(self, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]: ...


def aggregate(rule: Rule | MemoryRule, state: Any, stats: RoundStats) -> tuple[Any, Any, Any]:
    """One server step of any rule: the new state, the weights, and the vectors they combine.

    `state` is None before the first round and for rules without memory.
    """
    step = getattr(rule, "step", None)  # what makes a MemoryRule one; the Protocol's own check is slow
    if step is not None:
        remembered: tuple[Any, Any, Any] = step(state, stats)
        return remembered
    return state, rule(stats), stats.updates  # type: ignore[operator]


def masked_shares(stats: RoundStats) -> Array:
    """Data shares with absent clients at exactly 0, not renormalised, (*batch, n_clients)."""
    xp = namespace(stats.share)
    masked: Array = xp.where(stats.present, stats.share, xp.zeros_like(stats.share))
    return masked


def normalised(weights: Array) -> Any:
    """`weights` divided by their sum over clients (last axis)."""
    xp = namespace(weights)
    return weights / xp.sum(weights, axis=-1, keepdims=True)
