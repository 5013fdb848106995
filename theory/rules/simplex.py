"""The nearest point of the simplex, exactly, by sorting."""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, device_of, namespace

__all__ = ["project_on_simplex"]


def project_on_simplex(vector: Array, counted: Array | None = None, *, floor: float = 0.0) -> Any:
    """argmin ‖a − v‖ over aₖ >= floor, Σaₖ = 1: aₖ = max(vₖ − θ, floor), θ = maxⱼ (v₍₁₎ + … + v₍ⱼ₎ − 1)/j for floor 0.

    `vector` v and `counted`: (*batch, n_clients); clients not counted get exactly 0 and play no part. `floor` must
    leave room: floor·(number counted) < 1.
    """
    xp = namespace(vector)
    there = xp.ones_like(vector, dtype=xp.bool) if counted is None else counted
    room = 1 - floor * xp.sum(xp.astype(there, vector.dtype), axis=-1, keepdims=True)
    hidden = xp.where(there, vector, xp.full_like(vector, -xp.inf))
    hidden = hidden - xp.max(hidden, axis=-1, keepdims=True)  # the answer ignores a common shift; large sums would not
    ordered = xp.sort(hidden, axis=-1, descending=True)
    counts = xp.arange(1, vector.shape[-1] + 1, dtype=vector.dtype, device=device_of(vector))
    # Beyond the support these means fall, so their maximum is at the support's size.
    threshold = xp.max((xp.cumulative_sum(ordered, axis=-1) - room) / counts, axis=-1, keepdims=True)
    above = xp.where(hidden > threshold, hidden - threshold, xp.zeros_like(hidden))
    point = above * (room / xp.sum(above, axis=-1, keepdims=True)) + floor
    return xp.where(there, point, xp.zeros_like(point))
