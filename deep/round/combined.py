"""What reaches the server: Σ aₖuₖ in float64, and inner products of the updates."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

import torch
from torch import Tensor

from deep.aware_memory.rows import Remembered
from theory.algorithms import Method, Received
from theory.rules.protocol import remembers
from theory.rules.stats import RoundStats

__all__ = ["GRAM_COLUMNS", "Products", "received_of"]

GRAM_COLUMNS = 2**20  # columns of the updates that are turned into float64 at once


@dataclass(frozen=True, eq=False)
class Products:
    """Inner products of updates (m, n_parameters): `gram` (m, m) float64, `plain` the same as numbers; `updates` are in
    float64 where they are few.
    """

    updates: Tensor
    gram: Tensor
    plain: list[list[float]]

    @classmethod
    def of(cls, updates: Tensor) -> Products:
        """Those of these updates."""
        wide = updates.double() if updates.numel() <= GRAM_COLUMNS else updates
        gram = _gram(wide)
        return cls(wide, gram, gram.tolist())

    @property
    def finite(self) -> bool:
        """Whether the squared norms say that all updates are finite; those of finite float64 numbers may overflow."""
        return all(isfinite(row[place]) for place, row in enumerate(self.plain))


def _combined(weights: Tensor, updates: Tensor, vectors: Any) -> Tensor:
    """Σ aₖvₖ in float64, (n_parameters,); `vectors` None means the `updates`, with a weight for each."""
    if isinstance(vectors, Remembered):
        return vectors.combined(weights)
    if vectors is None and updates.dtype == torch.float64 and updates.numel() <= GRAM_COLUMNS:
        return weights.to(updates) @ updates
    rows = zip(weights.tolist(), updates if vectors is None else vectors, strict=True)
    total = torch.zeros(updates.shape[1], dtype=torch.float64, device=updates.device)
    for weight, row in rows:
        if weight != 0.0:
            total.add_(row if row.dtype == torch.float64 else row.double(), alpha=weight)
    return total


def received_of(
    method: Method,
    weights: Tensor,
    products: Products,
    places: Tensor,
    vectors: Any,
    stats: RoundStats,
    layers: tuple[int, ...],
) -> Received:
    """What reaches the server: d (n_parameters,) in float64, and the Gram matrix of what was combined if asked for.

    `weights` (n_slots,); `places`: which slots the m updates of `products` are of; `vectors`: those that a rule with a
    memory combines, (n_slots, n_parameters) or remembered, None for the updates, whose sum then is the one of every
    other rule, to the bit; `layers`: parameters of each layer.
    """
    if vectors is None or not remembers(method.rule):
        present = weights[places]  # those of the updates, which `vectors` has with zeros between them
        return Received(_combined(present, products.updates, None), present, products.gram, stats, layers=layers)
    direction = _combined(weights, products.updates, vectors)
    own = None
    if "gram" in method.server.needs:
        own = vectors.full_gram() if isinstance(vectors, Remembered) else _gram(vectors)
    return Received(direction, weights, own, stats, layers=layers)


def _gram(updates: Tensor) -> Tensor:
    """⟨uᵢ, uⱼ⟩ in float64."""
    if updates.shape[1] <= GRAM_COLUMNS:
        wide = updates.double()
        return (wide @ wide.T).add_(0.0)  # as a sum that begins at 0, which has no −0.0
    inner = torch.zeros(len(updates), len(updates), dtype=torch.float64, device=updates.device)
    for part in torch.split(updates, GRAM_COLUMNS, dim=1):
        wide = part.double()
        inner += wide @ wide.T
    return inner
