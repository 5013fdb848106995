"""Which samples a client's local steps see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deep.config import RunConfig
from theory.streams import stream

__all__ = ["LocalBatches", "draw_batches"]


@dataclass(frozen=True, eq=False)
class LocalBatches:
    """Row s of `index`, int64 (n_steps, size), has count[s] positions in the client's samples; the rest is padding."""

    index: NDArray[np.int64]
    count: NDArray[np.int64]


def draw_batches(config: RunConfig, round_index: int, client_number: int, n_samples: int) -> LocalBatches:
    """The batches of one client in one round, from the stream (seed, "batch", round, client)."""
    rng = stream(config.seed, "batch", round_index, client_number)
    size = min(config.batch_size, n_samples)
    if config.n_local_steps:
        index = np.stack([rng.choice(n_samples, size, replace=False) for _ in range(config.n_local_steps)])
        return LocalBatches(index, np.full(len(index), size))
    rows, counts = [], []
    for _ in range(config.n_local_epochs):
        order = rng.permutation(n_samples)
        for first in range(0, n_samples, size):
            row = order[first : first + size]
            counts.append(len(row))
            rows.append(np.resize(row, size))
    return LocalBatches(np.stack(rows), np.array(counts))
