"""Who takes part in a round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from theory.streams import stream

__all__ = ["FullParticipation", "Participation", "UniformWithoutReplacement"]


class Participation(Protocol):
    """A law of the cohort; `cohort` returns booleans (n_clients,) for one round."""

    def cohort(self, seed: int, round_index: int, n_clients: int) -> NDArray[np.bool_]: ...


@dataclass(frozen=True)
class FullParticipation:
    """Every client, every round. Source: robust_aggregation RA-A0."""

    def cohort(self, seed: int, round_index: int, n_clients: int) -> NDArray[np.bool_]:
        """Booleans (n_clients,), all true."""
        return np.ones(n_clients, dtype=np.bool_)


@dataclass(frozen=True)
class UniformWithoutReplacement:
    """`n_sampled` clients drawn uniformly without replacement, afresh each round.

    Source: robust_aggregation RA-ALG1.
    """

    n_sampled: int

    def __post_init__(self) -> None:
        if self.n_sampled < 1:
            raise ValueError(f"UniformWithoutReplacement(n_sampled={self.n_sampled}): must be >= 1")

    def cohort(self, seed: int, round_index: int, n_clients: int) -> NDArray[np.bool_]:
        """Booleans (n_clients,) with exactly `n_sampled` true; `ValueError` when there are fewer clients."""
        if self.n_sampled > n_clients:
            raise ValueError(f"UniformWithoutReplacement(n_sampled={self.n_sampled}): only {n_clients} clients")
        present = np.zeros(n_clients, dtype=np.bool_)
        present[stream(seed, "cohort", round_index).permutation(n_clients)[: self.n_sampled]] = True
        return present
