"""What aggregators share: values of the clients present in order, means of some ranks, lengths, squared distances."""

from __future__ import annotations

from typing import Any

from theory.base.arrays import Array, device_of, namespace

__all__ = [
    "ascending",
    "clipping",
    "count",
    "lengths",
    "mean_nearest_median",
    "mean_of_ranks",
    "median_of",
    "ranks_of",
    "squared_distances",
    "weighted_sum",
]


def count(present: Array) -> Any:
    """How many clients are present, (*batch,) int64."""
    xp = namespace(present)
    return xp.sum(xp.astype(present, xp.int64), axis=-1)


def ascending(rows: Array, present: Array) -> Any:
    """Every coordinate's values in order, those of absent clients last as inf, (*batch, n_clients, dim)."""
    xp = namespace(rows)
    return xp.sort(xp.where(present[..., None], rows, xp.full_like(rows, xp.inf)), axis=-2)


def mean_of_ranks(ordered: Array, low: Array, high: Array) -> Any:
    """The mean of ranks low, …, high − 1 in every coordinate, (*batch, dim); `low`, `high` (*batch,)."""
    xp = namespace(ordered)
    places = xp.arange(ordered.shape[-2], device=device_of(ordered))
    chosen = (places >= low[..., None]) & (places < high[..., None])
    total = xp.sum(xp.where(chosen[..., None], ordered, xp.zeros_like(ordered)), axis=-2)
    return total / xp.astype(high - low, ordered.dtype)[..., None]


def median_of(ordered: Array, n_present: Any) -> Any:
    """The median of the first `n_present` (*batch,) ranks, of an even number the mean of the middle two, (*batch, dim).

    Halves are added, so that it overflows nowhere.
    """
    low, high = (n_present - 1) // 2, n_present // 2
    return 0.5 * mean_of_ranks(ordered, low, low + 1) + 0.5 * mean_of_ranks(ordered, high, high + 1)


def mean_nearest_median(ordered: Array, n_present: Array, n_kept: Array) -> Any:
    """The mean of the `n_kept` (*batch,) values nearest to the median, coordinate by coordinate, (*batch, dim).

    Of two values at one distance the smaller counts as nearer, whoever sent it.
    """
    xp = namespace(ordered)
    middle = median_of(ordered, n_present)
    near = ranks_of(xp.abs(ordered - middle[..., None, :]), axis=-2) < n_kept[..., None, None]
    total = xp.sum(xp.where(near, ordered, xp.zeros_like(ordered)), axis=-2)
    return total / xp.astype(n_kept, ordered.dtype)[..., None]


def ranks_of(values: Array, axis: int) -> Any:
    """The rank of each value along `axis`, from 0; of equals the first comes first."""
    xp = namespace(values)
    return xp.argsort(xp.argsort(values, axis=axis, stable=True), axis=axis, stable=True)


def squared_distances(rows: Array, present: Array) -> Any:
    """‖uᵢ − uⱼ‖², (*batch, n_clients, n_clients), symmetric to the last bit; inf on the diagonal and to absent clients.

    By inner products around the median, so that a common part of all updates takes no digits away. Entries that far
    out that their squares would overflow count as the largest whose do not.
    """
    xp = namespace(rows)
    around = rows - median_of(ascending(rows, present), count(present))[..., None, :]
    most = float(xp.finfo(rows.dtype).max) ** 0.5 / (8 * rows.shape[-1])
    around = xp.clip(around, -most, most)
    gram = around @ xp.matrix_transpose(around)
    squares = xp.linalg.diagonal(gram)
    apart = squares[..., :, None] + squares[..., None, :] - (gram + xp.matrix_transpose(gram))
    both = present[..., :, None] & present[..., None, :]
    both = both & ~xp.eye(rows.shape[-2], dtype=xp.bool, device=device_of(rows))
    return xp.where(both, xp.where(apart > 0, apart, xp.zeros_like(apart)), xp.full_like(apart, xp.inf))


def lengths(rows: Array) -> Any:
    """‖uₖ‖, (*batch, n_clients), without overflow of the squares."""
    xp = namespace(rows)
    largest = xp.max(xp.abs(rows), axis=-1)
    scale = xp.where(largest > 0, largest, xp.ones_like(largest))
    return scale * xp.sqrt(xp.sum((rows / scale[..., None]) ** 2, axis=-1))


def clipping(rows: Array, radius: float) -> Any:
    """min(1, radius/‖uₖ‖), (*batch, n_clients): what takes each row to a length of at most `radius`."""
    xp = namespace(rows)
    long = lengths(rows)
    beyond = long > radius
    return xp.where(beyond, radius / xp.where(beyond, long, xp.ones_like(long)), xp.ones_like(long))


def weighted_sum(weights: Array, rows: Array) -> Any:
    """Σ wₖuₖ, (*batch, dim), in the precision of `rows`."""
    xp = namespace(weights, rows)
    return (xp.astype(weights, rows.dtype)[..., None, :] @ rows)[..., 0, :]
