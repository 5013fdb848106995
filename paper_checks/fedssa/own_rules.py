"""A rule that the paper's Table 4 asks for: the model of one client alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from theory.base.arrays import Array, namespace
from theory.base.checks import check_whole
from theory.rules.stats import RoundStats

__all__ = ["OnlyClient"]


@dataclass(frozen=True)
class OnlyClient:
    """aₖ = 1 for one client, so that the global model is that client's.

    Source: fedssa, Table 4, «each local model (denoted as L1 to L5)»: L1 is client 0 here.
    Raises `ValueError` when the client is absent or does not exist.
    """

    needs: ClassVar[tuple[str, ...]] = ()

    client: int = 0

    def __post_init__(self) -> None:
        check_whole("OnlyClient", "client", self.client, low=0)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        xp = namespace(stats.share)
        if self.client >= stats.n_clients or not bool(xp.all(stats.present[..., self.client])):
            raise ValueError(
                f"OnlyClient(client={self.client}): is not among the {stats.n_clients} clients, or is absent in round"
                f" {stats.round}"
            )
        weights: Any = xp.zeros_like(stats.share)
        weights[..., self.client] = 1.0
        return cast("Array", weights)
