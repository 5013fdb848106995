"""Weights given in advance, one row a round: fixed weights, adversarial sequences, replays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from theory.base.arrays import Array, check_simplex, namespace
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats

__all__ = ["Scheduled"]


@dataclass(frozen=True, eq=False)
class Scheduled:
    """aₖ = the given weights of this round, restricted to the clients present and renormalised.

    Source: exp_alpha, Theorem 1 («generic, time-varying aggregation weights»).
    `weights`: (n_rounds, *batch, n_clients), each row on the simplex; after the last round the last row is kept.
    Raises `ValueError` when weights lie off the simplex or no client with positive weight is present.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    weights: Array

    def __post_init__(self) -> None:
        check_simplex(self.weights, "Scheduled(weights=…)")

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        row = self.weights[min(stats.round, self.weights.shape[0] - 1)]
        xp = namespace(row)
        if bool(xp.all(stats.present)):
            given: Array = row
            return given
        row = xp.where(stats.present, row, xp.zeros_like(row))
        if not bool(xp.all(xp.sum(row, axis=-1) > 0)):
            raise ValueError(f"Scheduled: in round {stats.round} no client with positive weight is present")
        weights: Array = normalised(row, "Scheduled")
        return weights
