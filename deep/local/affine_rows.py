"""Affine local steps of several runs on one client axis: each row has its own scale, pull and shift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import torch
from torch import Tensor

from theory.algorithms.local_step import Affine

__all__ = ["AffineRows", "stacked"]


@dataclass(frozen=True, eq=False)
class AffineRows:
    """g ← a·∇ℓ(w) + D·(w − w₀) + c, where a, D and c are each row's own.

    `scale` a, (m, 1); `pull` D, (m, 1), or (m, dim) where a run has a diagonal; `shift` c, (m, dim), None for 0.
    """

    scale: Tensor
    pull: Tensor
    shift: Tensor | None = None
    plain = False

    def gradient(self, gradient: Tensor, model: Tensor, start: Tensor) -> Tensor:
        """a·∇ℓ + D·(w − w₀) + c, (m, dim)."""
        corrected = self.scale * gradient + self.pull * (model - start)
        return corrected if self.shift is None else corrected + self.shift

    def rows(self, chosen: slice | Tensor) -> AffineRows:
        """Those of some of the clients."""
        shift = None if self.shift is None else self.shift[chosen]
        return AffineRows(self.scale[chosen], self.pull[chosen], shift)


def stacked(steps: Sequence[Affine], sizes: Sequence[int], start: Tensor) -> AffineRows | None:
    """The steps of runs with `sizes` clients each, one after the other; None where all are plain.

    `start` (m, dim): the models of all clients, whose precision and device the rows take.
    """
    if all(one.plain for one in steps):
        return None
    each = list(zip(steps, sizes, strict=True))
    scale = torch.cat([start.new_full((n, 1), one.scale) for one, n in each])
    wide = not all(one.isotropic for one in steps)
    pull = torch.cat([_rows(one.pull, n, start, wide) for one, n in each])
    if all(one.shift is None for one in steps):
        return AffineRows(scale, pull)
    return AffineRows(
        scale, pull, torch.cat([_rows(0.0 if s.shift is None else s.shift, n, start, True) for s, n in each])
    )


def _rows(value: Any, n: int, start: Tensor, wide: bool) -> Tensor:
    """A number, a diagonal (dim,) or rows (n, dim), as rows (n, dim), or (n, 1) of a number."""
    if isinstance(value, int | float):
        return start.new_full((n, start.shape[1] if wide else 1), value)
    return cast("Tensor", value).to(start.dtype).expand(n, start.shape[1])
