"""Sign noise as the random bits it is made of: what a round of it adds up to, four signs at a time.

Source: the streams are those of `theory.SignNoise`, so a run is the same with the kernels and without.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.base.streams import stream
from theory.compiled.library import Float, Library, address
from theory.compiled.packing import padded
from theory.noise.laws import Draws, SignNoise

__all__ = ["SignBits", "shaken"]


@dataclass(frozen=True)
class SignBits:
    """The noise of one round, not drawn yet; `shape` = (n_local_steps, *batch, n_clients, dim)."""

    noise: SignNoise
    seed: int
    round_index: int
    shape: tuple[int, ...]

    def draw(self) -> Draws:
        """The noise itself."""
        return self.noise.draw(self.seed, self.round_index, self.shape)


def shaken(
    bits: SignBits, library: Library, spectrum: Float, basis: Float, etas: Float, weights: Float, count: int
) -> Float:
    """−Σₖ aₖ Σₑ ηₑ Π_{f>e}(1 − η_f Aₖ) nₖₑ, (d, replicas) like `weights` (n, replicas); `count` count."""
    n, d = spectrum.shape
    n_steps = len(etas)
    left = 1 - etas[:0:-1, None, None] * spectrum  # of the last step first
    later = np.concatenate([np.ones((1, n, d)), np.cumprod(left, axis=0)])[::-1]
    rate = (etas[:, None, None] * later).transpose(1, 0, 2) * (np.asarray(bits.noise.sigma) / d**0.5)[:, None, None]
    wide = -(-d // library.width) * library.width
    columns = np.zeros((n, n_steps * d, wide))
    turned = (basis[:, None] * rate[:, :, None, :]).reshape(n, n_steps * d, d)
    columns[:, :, :d] = turned @ basis.swapaxes(-1, -2)
    # Rows that begin in the middle of a cache line would be read twice.
    total, table = padded(count, wide, 1), padded(-(-n_steps * d // 4) * 16, wide, 1)
    total[:] = 0
    n_bytes = -(-count * n_steps * d // 8)
    for k in range(n):
        drawn = stream(bits.seed, "noise", bits.round_index, k).bytes(n_bytes) + bytes(8)
        packed = np.frombuffer(drawn, dtype=np.uint8)
        library.kernels["signs"](
            count, n_steps * d, wide, address(columns[k]), packed.__array_interface__["data"][0], address(weights[k]),
            address(total), address(table),
        )  # fmt: skip
    out = np.zeros((d, weights.shape[1]))
    out[:, :count] = total[:, :d].T
    return out
