"""How much the clients' updates disagree: diversity ratios and cosines.

`gram` holds the inner products ⟨gᵢ, gⱼ⟩, (*batch, n_clients, n_clients), and `present` booleans (*batch, n_clients);
`updates` are (*batch, n_clients, dim). Every number here has no unit.
"""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, namespace
from theory.quantities.consensus import pseudo_gradient, replica_mean
from theory.quantities.quotient import quotient

__all__ = [
    "client_coherence",
    "coherence_sum",
    "local_update_diversity",
    "mean_pairwise_cosine",
    "mean_update_diversity",
    "realised_gamma",
    "update_diversity",
]


def update_diversity(gram: Array, present: Array) -> Any:
    """e-LUD δ̃ = √(mean over the cohort of ‖gᵢ‖² / ‖mean over the cohort of gᵢ‖²), no unit, >= 1.

    Source: fedaware §5 (FA-D4.1e). `gram` (*batch, n_clients, n_clients) of this round's updates; infinite where the
    mean update vanishes, NaN where all updates do.
    """
    xp = namespace(gram, present)
    here = xp.astype(present, gram.dtype)
    size = xp.sum(here, axis=-1)
    mean_square = xp.sum(xp.linalg.diagonal(gram) * here, axis=-1) / size
    square_mean = xp.sum(gram * here[..., :, None] * here[..., None, :], axis=(-2, -1)) / size**2
    return xp.sqrt(quotient(mean_square, square_mean))


def mean_update_diversity(gram: Array, present: Array) -> Any:
    """e-LUDD = (1/T) Σₜ δ̃ₜ, the mean of e-LUD over the rounds on the first axis, (*batch,).

    Source: fedaware §5 (FA-D4.1e). Infinite or NaN as soon as one round's e-LUD is.
    """
    return namespace(gram).mean(update_diversity(gram, present), axis=0)


def local_update_diversity(updates: Array, weights: Array, *, replica_axis: int | None = None) -> Any:
    """LUD δ = √(Σ λᵢ 𝔼‖gᵢ‖² / 𝔼‖G‖²), G = Σ λᵢgᵢ, no unit, >= 1 for weights on the simplex; (*batch,).

    Source: fedaware Definition 4.1, eq. (5). 𝔼 is the mean over `replica_axis`; without one, the updates stand for
    themselves. Infinite where only 𝔼‖G‖² is 0, NaN where all updates vanish.
    """
    xp = namespace(updates, weights)
    norms = xp.sum(weights * xp.sum(updates**2, axis=-1), axis=-1)
    combined = xp.sum(pseudo_gradient(updates, weights) ** 2, axis=-1)
    return xp.sqrt(quotient(*(_expected(x, updates, replica_axis, n_trailing=0) for x in (norms, combined))))


def realised_gamma(updates: Array, weights: Array, *, replica_axis: int | None = None) -> Any:
    """γₜ = maxᵢ 𝔼‖gᵢ‖² / 𝔼‖Σ λᵢgᵢ‖², the least constant of Assumption A.1 for this round and these weights; (*batch,).

    Source: fedaware A.2, Assumption A.1 (FA-AA.1), for one λ; there it is asked of every λ of the simplex. The maximum
    runs over all clients, those of weight 0 too. 𝔼, infinities and NaN as in `local_update_diversity`.
    """
    xp = namespace(updates, weights)
    norms = _expected(xp.sum(updates**2, axis=-1), updates, replica_axis, n_trailing=1)
    combined = xp.sum(pseudo_gradient(updates, weights) ** 2, axis=-1)
    expected = _expected(combined, updates, replica_axis, n_trailing=0)
    return quotient(xp.max(norms, axis=-1), expected)


def _expected(values: Array, updates: Array, replica_axis: int | None, *, n_trailing: int) -> Any:
    if replica_axis is None:
        return values
    mean, axis = replica_mean(values, updates, replica_axis, n_trailing=n_trailing)
    return namespace(values).squeeze(mean, axis=axis)


def coherence_sum(gram: Array, present: Array) -> Any:
    """Σ_{i<j} cos(gᵢ, gⱼ) over the pairs of distinct clients present, (*batch,).

    Source: fedaware §4.3, «client coherence (…) defined as the sum of cosine similarities between the local updates of
    distinct clients», each pair counted once. 0 for a lone client; NaN where an update present is zero.
    """
    xp = namespace(gram, present)
    here = xp.astype(present, gram.dtype)
    length = xp.where(present, xp.sqrt(xp.linalg.diagonal(gram)), xp.ones_like(here))
    defined = xp.all(length > 0, axis=-1)
    length = xp.where(length > 0, length, xp.ones_like(length))
    unit = here / length
    cosines = gram * unit[..., :, None] * unit[..., None, :]
    both = xp.sum(cosines, axis=(-2, -1)) - xp.sum(xp.linalg.diagonal(cosines), axis=-1)
    return xp.where(defined, both / 2, xp.full_like(both, xp.nan))


def mean_pairwise_cosine(gram: Array, present: Array) -> Any:
    """Mean of cos(gᵢ, gⱼ) over the pairs of distinct clients present, in [−1/(n−1), 1]; (*batch,).

    Source: fedaware §4.3, B.2: `coherence_sum` divided by the number of pairs. NaN for a lone client, and where an
    update present is zero.
    """
    xp = namespace(gram, present)
    size = xp.sum(xp.astype(present, gram.dtype), axis=-1)
    several = size > 1
    pairs = xp.where(several, size * (size - 1) / 2, xp.ones_like(size))
    total = coherence_sum(gram, present)
    return xp.where(several, total / pairs, xp.full_like(total, xp.nan))


def client_coherence(gram: Array, weights: Array) -> Any:
    """cos(gᵢ, G), G = Σ aₖgₖ the weighted mean update, for each client; (*batch, n_clients).

    Source: none of the five papers; fedaware §4.3 calls the sum of pairwise cosines client coherence (`coherence_sum`).
    *Differs:* a number per client says who pulls against the mean. NaN where gᵢ or G is zero, absent clients included.
    """
    xp = namespace(gram, weights)
    inner = (gram @ weights[..., None])[..., 0]
    square = xp.sum(inner * weights, axis=-1)[..., None]
    # Two roots, not the root of a product, which leaves the floats for small and for large updates.
    length = xp.sqrt(xp.where(square > 0, square, xp.zeros_like(square))) * xp.sqrt(xp.linalg.diagonal(gram))
    defined = length > 0
    cosine = inner / xp.where(defined, length, xp.ones_like(length))
    return xp.where(defined, cosine, xp.full_like(cosine, xp.nan))
