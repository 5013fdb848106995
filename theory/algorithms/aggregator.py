"""What an aggregator is: it combines the clients' updates in another way than by a weighted sum, such as by medians."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

from theory.base.arrays import Array

__all__ = ["Aggregator", "Sent"]


@dataclass(frozen=True, eq=False)
class Sent:
    """What the clients sent in round `round`, a row per client.

    `updates` (*batch, n_clients, dim), finite for clients present and 0 for absent ones; `present` booleans and
    `weights` aₖ of the rule, 0 for absent clients, (*batch, n_clients) each.
    """

    updates: Array
    present: Array
    weights: Array
    round: int = 0


class Aggregator(Protocol):
    """(state, v) = combine(state, sent), v (*batch, dim); a frozen dataclass of settings.

    The state is None before the first round. Rows of absent clients never matter, and a permutation of clients changes
    nothing but ties. `weighs`: whether it reads the rule's weights; otherwise it counts every client present once.
    """

    @property
    def weighs(self) -> bool:
        """Whether it reads the rule's weights."""
        return False

    @property
    def fewest(self) -> int:
        """How many clients have to be present."""
        return 1

    def combine(self, state: Any, sent: Sent) -> tuple[Any, Any]:
        """(the next state, what stands for Σ aₖvₖ, (*batch, dim))."""
        ...
