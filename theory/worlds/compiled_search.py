"""Batches of different small federations for the kernel: federations innermost, padded with copies of the last."""

from __future__ import annotations

import numpy as np

from theory.compiled.library import Float, Library, address
from theory.compiled.packing import lanes_of, padded

__all__ = ["search"]


def search(
    library: Library,
    spectrum: Float,
    basis: Float,
    centers: Float,
    share: Float,
    weights: Float,
    start: Float,
    etas: Float,
    n_local_steps: int,
) -> tuple[Float, Float, Float, Float]:
    """(Γ, Ω, G, largest |w|), each (n,); shapes as in `theory.worlds.sides.both_sides`, eigenvectors (n, n_clients, d,
    d).
    """
    n, n_clients, d = spectrum.shape
    width = library.width
    given = [lanes_of(part.reshape(n, -1), width) for part in (spectrum, basis, centers, share)]
    by_round = padded((len(weights), n_clients), n, width)
    by_round[:, :, :n] = weights.swapaxes(1, 2)
    by_round[:, :, n:] = by_round[:, :, n - 1 : n]
    begun, steps = lanes_of(start, width), np.ascontiguousarray(etas)
    count = begun.shape[1]
    out = padded(4, count, width)
    work = padded(n_clients * (d * d + 4 * d + 3) + d * d + 4 * d, width, width)
    library.kernels["search"](
        count, n_clients, d, n_local_steps, len(weights), *(address(part) for part in given), address(by_round),
        address(steps), address(begun), *(address(row) for row in out), address(work),
    )  # fmt: skip
    gamma, omega, bound, size = out[:, :n]
    return gamma, omega, bound, size
