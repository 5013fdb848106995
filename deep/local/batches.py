"""LocalBatches: which of its own samples a client takes in each local step, drawn from its own stream."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deep.config import RunConfig
from theory.streams import stream

__all__ = ["LocalBatches", "draw_batches"]


@dataclass(frozen=True, eq=False)
class LocalBatches:
    """The batches of one client in one round, in order.

    `index`: int64 (n_steps, size), row s starts with count[s] positions into the client's own samples, 0 … n − 1; the
    rest of the row is padding, which repeats a valid position and must weigh nothing. `count`: int64 (n_steps,).
    Raises `ValueError` for other shapes or types, negative positions, and counts outside 1 … size.
    """

    index: NDArray[np.int64]
    count: NDArray[np.int64]

    def __post_init__(self) -> None:
        shapes = f"index {self.index.dtype} {self.index.shape}, count {self.count.dtype} {self.count.shape}"
        if self.index.ndim != 2 or self.index.dtype != np.int64 or self.count.dtype != np.int64:
            raise ValueError(f"LocalBatches({shapes}): expected int64 of shapes (n_steps, size) and (n_steps,)")
        if self.count.shape != self.index.shape[:1]:
            raise ValueError(f"LocalBatches({shapes}): expected one count for each row of index")
        if np.any(self.count < 1) or np.any(self.count > self.index.shape[1]):
            raise ValueError(
                f"LocalBatches(count={self.count.tolist()}): each must be in 1 … {self.index.shape[1]}, the row's size"
            )
        if np.any(self.index < 0):
            raise ValueError(f"LocalBatches(index=…): {self.index.min()} among the positions; must be >= 0")

    @property
    def n_steps(self) -> int:
        """Local steps of the round."""
        return len(self.count)


def draw_batches(config: RunConfig, round_index: int, client_number: int, n_samples: int) -> LocalBatches:
    """The batches of client `client_number`, who has `n_samples`, in round `round_index`; `size` min(batch_size, n).

    With `n_local_steps` every step draws afresh and uniformly, without replacement inside a batch, so a step's gradient
    is an unbiased estimate of ∇Fₖ. With `n_local_epochs` every pass shuffles the samples anew and cuts them in order;
    the last batch of a pass is smaller when batch_size does not divide n, and its padding repeats its first position.
    The stream is (seed, "batch", round, client): rules being compared see the same batches.
    Raises `ValueError` for n_samples < 1, and as `stream` for a negative round or number.
    """
    if n_samples < 1:
        raise ValueError(f"draw_batches(n_samples={n_samples}): must be >= 1")
    rng = stream(config.seed, "batch", round_index, client_number)
    size = min(config.batch_size, n_samples)
    if config.n_local_steps:
        drawn = [rng.choice(n_samples, size, replace=False) for _ in range(config.n_local_steps)]
        return LocalBatches(np.stack(drawn), np.full(config.n_local_steps, size, dtype=np.int64))
    n_batches = -(-n_samples // size)
    count = np.full(n_batches, size, dtype=np.int64)
    count[-1] = n_samples - size * (n_batches - 1)
    index = np.empty((config.n_local_epochs, n_batches * size), dtype=np.int64)
    for row in index:
        row[:n_samples] = rng.permutation(n_samples)
        row[n_samples:] = row[size * (n_batches - 1)]
    return LocalBatches(index.reshape(-1, size), np.tile(count, config.n_local_epochs))
