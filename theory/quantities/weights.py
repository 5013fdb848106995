"""How far weights are from the shares, and how evenly they are spread."""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace

__all__ = ["chi_square", "weight_entropy"]


def chi_square(weights: Array, share: Array) -> Any:
    """χ²(λ‖λ̃) = Σ(λᵢ − λ̃ᵢ)²/λᵢ with λ the shares and λ̃ the weights, no unit.

    Source: fedaware §4.2 (FA-CHI). A client with share 0 counts 0 if its weight is 0 too, else the value is infinite.
    """
    xp = namespace(weights, share)
    positive = share > 0
    safe = xp.where(positive, share, xp.ones_like(share))
    term = (share - weights) ** 2 / safe
    outside = xp.where(weights > 0, xp.full_like(term, xp.inf), xp.zeros_like(term))
    return xp.sum(xp.where(positive, term, outside), axis=-1)


def weight_entropy(weights: Array) -> Any:
    """H(a) = −Σ aₖ log aₖ with 0 log 0 = 0, in nats, (*batch,); in [0, log n_clients] on the simplex.

    Source: exp_alpha §3.4 (EA-R7) and, with the opposite sign, fedssa eq. (7). NaN where a weight is negative.
    """
    xp = namespace(weights)
    positive = weights > 0
    term = -weights * xp.log(xp.where(positive, weights, xp.ones_like(weights)))
    outside = xp.where(weights < 0, xp.full_like(term, xp.nan), xp.zeros_like(term))
    return xp.sum(xp.where(positive, term, outside), axis=-1)
