"""LocalBatches: which of its own samples a client takes in each local step, in convex and deep runs alike."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theory.base.streams import stream

__all__ = ["LocalBatches", "epoch_batches", "step_batches"]


@dataclass(frozen=True, eq=False)
class LocalBatches:
    """The batches of one client in one round, in order.

    `index`: int64 (n_steps, size), row s starts with count[s] positions into the client's own samples, 0 … n − 1; the
    rest of the row is padding, which repeats a valid position and must weigh nothing. `count`: int64 (n_steps,).
    `moves`: how each sample is changed on its way, int64 (n_steps, size, …), None for not at all.
    `key`: (seed, round, client), the stream of what the model itself draws in these steps, such as dropout.
    Raises `ValueError` for other shapes or types, negative positions, and counts outside 1 … size.
    """

    index: NDArray[np.int64]
    count: NDArray[np.int64]
    moves: NDArray[np.int64] | None = None
    key: tuple[int, int, int] = (0, 0, 0)

    def __post_init__(self) -> None:
        if self.index.ndim != 2 or self.index.dtype != np.int64 or self.count.dtype != np.int64:
            raise ValueError(f"{self._shapes()}: expected int64 of shapes (n_steps, size) and (n_steps,)")
        if self.count.shape != self.index.shape[:1]:
            raise ValueError(f"{self._shapes()}: expected one count for each row of index")
        if self.moves is not None and self.moves.shape[:2] != self.index.shape:
            raise ValueError(f"{self._shapes()}: expected one move for each of index")
        if np.any(self.count < 1) or np.any(self.count > self.index.shape[1]):
            raise ValueError(
                f"LocalBatches(count={self.count.tolist()}): each must be in 1 … {self.index.shape[1]}, the row's size"
            )
        if np.any(self.index < 0):
            raise ValueError(f"LocalBatches(index=…): {self.index.min()} among the positions; must be >= 0")

    def _shapes(self) -> str:
        arrays = {"index": self.index, "count": self.count, "moves": self.moves}
        shown = ", ".join(f"{name} {a.dtype} {a.shape}" for name, a in arrays.items() if a is not None)
        return f"LocalBatches({shown})"

    @property
    def n_steps(self) -> int:
        """Local steps of the round."""
        return len(self.count)

    def first(self, n_steps: int) -> LocalBatches:
        """The first `n_steps` of them: what a client gets done that stops early."""
        return LocalBatches(
            self.index[:n_steps],
            self.count[:n_steps],
            None if self.moves is None else self.moves[:n_steps],
            self.key,
        )


def step_batches(
    seed: int,
    round_index: int,
    client: int,
    *,
    n_samples: int,
    batch_size: int,
    n_steps: int,
    replica: tuple[int, ...] = (),
) -> LocalBatches:
    """Every step min(batch_size, n) samples, afresh and uniformly, without replacement inside a batch.

    A step's gradient is then an unbiased estimate of ∇Fₖ. The stream is (seed, "batch", round, client, *replica): rules
    being compared see the same batches, and fewer steps are the first of more.
    Raises `ValueError` for counts < 1, and as `stream` for a negative round or number.
    """
    _check("step_batches", n_samples=n_samples, batch_size=batch_size, n_steps=n_steps)
    rng = stream(seed, "batch", round_index, client, *replica)
    size = min(batch_size, n_samples)
    drawn = [rng.choice(n_samples, size, replace=False) for _ in range(n_steps)]
    return LocalBatches(np.stack(drawn), np.full(n_steps, size, dtype=np.int64))


def epoch_batches(
    seed: int,
    round_index: int,
    client: int,
    *,
    n_samples: int,
    batch_size: int,
    n_epochs: int,
    replica: tuple[int, ...] = (),
) -> LocalBatches:
    """Every pass shuffles the samples anew and cuts them in order; the last batch of a pass may be smaller.

    Its padding repeats its first position. Stream and errors as in `step_batches`; fewer passes are the first of more.
    """
    _check("epoch_batches", n_samples=n_samples, batch_size=batch_size, n_epochs=n_epochs)
    rng = stream(seed, "batch", round_index, client, *replica)
    size = min(batch_size, n_samples)
    n_batches = -(-n_samples // size)
    count = np.full(n_batches, size, dtype=np.int64)
    count[-1] = n_samples - size * (n_batches - 1)
    index = np.empty((n_epochs, n_batches * size), dtype=np.int64)
    for row in index:
        row[:n_samples] = rng.permutation(n_samples)
        row[n_samples:] = row[size * (n_batches - 1)]
    return LocalBatches(index.reshape(-1, size), np.tile(count, n_epochs))


def _check(call: str, **counts: int) -> None:
    for name, value in counts.items():
        if value < 1:
            raise ValueError(f"{call}({name}={value}): must be >= 1")
