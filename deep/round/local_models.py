"""What local training of a round left at the clients, for those who look at more than the aggregated model."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

__all__ = ["Keep", "LocalModels"]


@dataclass(frozen=True, eq=False)
class LocalModels:
    """Models θₖ of the m clients present after local training, in the run's precision, and who they are.

    `vectors` (m, n_parameters), `buffers` (m, n_buffers), `slots` of the m clients, increasing; `share` float64 and
    `present` bool over all slots, (n_slots,), `weights` that the round's rule gave. `round`: its index.
    """

    round: int
    slots: tuple[int, ...]
    share: Tensor
    present: Tensor
    weights: Tensor
    vectors: Tensor
    buffers: Tensor


Keep = Callable[[LocalModels], None]
