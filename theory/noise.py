"""Additive gradient noise: zero mean, bounded, with certified variance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from theory.streams import stream

__all__ = ["SignNoise"]


@dataclass(frozen=True)
class SignNoise:
    """Each coordinate of client i's noise is ±σᵢ/√dim, independent over clients, steps and coordinates.

    ‖nᵢ‖ = σᵢ exactly, so the variance bound σᵢ² of exp_alpha EA-A3 (trace of the covariance) holds with equality.
    `sigma`: one σ >= 0 per client, in units of the gradient; negative or non-finite values raise `ValueError`.
    """

    sigma: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.sigma or not all(0 <= s < float("inf") for s in self.sigma):
            raise ValueError(f"SignNoise(sigma={self.sigma}): expected one finite value >= 0 per client")

    def draw(self, seed: int, round_index: int, shape: tuple[int, ...]) -> NDArray[np.float64]:
        """Noise of one round, `shape` = (n_local_steps, *batch, n_clients, dim); every client has its own stream."""
        n_local_steps, *batch, n_clients, dim = shape
        if n_clients != len(self.sigma):
            raise ValueError(f"SignNoise(sigma=…): {len(self.sigma)} values for {n_clients} clients")
        out = np.empty(shape)
        for client, sigma in enumerate(self.sigma):
            bits = stream(seed, "noise", round_index, client).integers(
                0, 2, size=(n_local_steps, *batch, dim), dtype=np.int8
            )
            out[..., client, :] = (2.0 * bits - 1.0) * (sigma / dim**0.5)
        return out
