"""Where training samples lie: one pool on the device, and clients that are index sets into it."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from deep.data import moved_images

__all__ = ["Client", "Pool"]


@dataclass(frozen=True, eq=False)
class Pool:
    """All training samples, on one device: `inputs` (n, *shape); clients bring their own labels.

    `fill` (channels,): what black is among them after scaling, for images that are moved.
    """

    inputs: Tensor
    fill: Tensor | None = None

    def take(self, rows: Tensor, moves: Tensor | None = None) -> Tensor:
        """The samples at `rows` (*batch,), (*batch, *shape), images moved as `moves` (*batch, 3) says."""
        taken = self.inputs[rows]
        if moves is None:
            return taken
        fill = taken.new_zeros(taken.shape[-3]) if self.fill is None else self.fill
        return moved_images(taken.flatten(0, -4), moves.flatten(0, -2), fill).view(taken.shape)

    def __len__(self) -> int:
        return self.inputs.size(0)


@dataclass(frozen=True, eq=False)
class Client:
    """What one client holds.

    `number`: whose random streams it draws from, the same in every round; a client made anew has a number of its own.
    `index`: int64 (n,), its samples in the pool; `targets` (n, …): what it trains on there, which label noise may have
    changed; both on the pool's device. `kind`: what it is in a word, for tables, or nothing.
    Raises `ValueError` for a client without samples, or a target missing.
    """

    number: int
    index: Tensor
    targets: Tensor
    kind: str = ""

    def __post_init__(self) -> None:
        if self.index.ndim != 1 or self.index.dtype != torch.int64 or not len(self.index):
            raise ValueError(
                f"Client(number={self.number}): index is {self.index.dtype} of shape {tuple(self.index.shape)};"
                " expected torch.int64 of shape (n,), n >= 1"
            )
        if self.targets.shape[:1] != self.index.shape:
            raise ValueError(f"Client(number={self.number}): {len(self.targets)} targets for {len(self.index)} samples")

    def __len__(self) -> int:
        return self.index.size(0)  # in a tenth of the time of len()
