"""The diagonal of each client's Fisher information at its own model: labels drawn from the model, or its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import Array, device_of, namespace
from theory.base.checks import check_whole, check_word
from theory.base.streams import stream
from theory.federations.empirical import LogisticFederation
from theory.federations.federation import Federation, QuadraticFederation

__all__ = ["FISHER_LABELS", "Fisher", "FisherLabels", "fisher_diagonal", "fisher_draws"]

FisherLabels: TypeAlias = Literal["sampled", "expected", "data"]
FISHER_LABELS: tuple[FisherLabels, ...] = get_args(FisherLabels)


@dataclass(frozen=True)
class Fisher:
    """diag Iₖ(w) = mean over samples x of E_y[(∂ log p(y | x, w)/∂w)²], entry by entry; the objective's l2 is no part.

    Source: efl §3.1, "the negative expected Hessian of the log-likelihood". `labels`: y is one draw from the model for
    each sample ("sampled"), averaged over all classes ("expected"), or the sample's own label ("data": the so-called
    empirical Fisher, which is not the Fisher information). `n_samples`: of each client, drawn anew every round; 0: all.
    """

    labels: FisherLabels = "sampled"
    n_samples: int = 0

    def __post_init__(self) -> None:
        check_word("Fisher", "labels", self.labels, FISHER_LABELS)
        check_whole("Fisher", "n_samples", self.n_samples, low=0, hint="0 is all samples")


def fisher_draws(
    fisher: Fisher, seed: int, round_index: int, client: int, n: int, batch: tuple[int, ...] = ()
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """(positions of the samples, a uniform number for each to draw its label by), (*batch, m) each, of n samples.

    Stream (seed, "fisher", round, client), so that both worlds draw the same.
    """
    rng = stream(seed, "fisher", round_index, client)
    uniform, m = rng.random((*batch, n)), fisher.n_samples
    if not m or m >= n:
        return np.broadcast_to(np.arange(n), (*batch, n)), uniform
    positions = np.sort(rng.random((*batch, n)).argsort(axis=-1)[..., :m], axis=-1)
    return positions, uniform[..., :m]


def fisher_diagonal(federation: Federation, fisher: Fisher, models: Array, seed: int, round_index: int) -> Any:
    """diag Iₖ(wₖ), (*batch, n_clients, dim), at one model per client.

    A `QuadraticFederation` is least squares with unit noise: its Fisher information is Aₖ, whatever the labels. Raises
    `ValueError` for a federation without a likelihood: neither that nor logistic.
    """
    xp = namespace(models)
    if isinstance(federation, QuadraticFederation):
        diagonal = xp.sum(federation.curvature * xp.eye(federation.dim, dtype=models.dtype), axis=-1)
        return diagonal + xp.zeros_like(models)
    if not isinstance(federation, LogisticFederation):
        raise ValueError(
            f"fisher_diagonal(federation={type(federation).__name__}): expected a quadratic or logistic one"
        )
    mask, batch = np.asarray(federation.mask), tuple(models.shape[:-2])
    counts = [int(row.sum()) for row in mask]
    draws = [fisher_draws(fisher, seed, round_index, k, n, batch) for k, n in enumerate(counts)]
    found = [_logistic(federation, fisher.labels, models, k, *draw) for k, draw in enumerate(draws)]
    return xp.stack(found, axis=-2)


def _logistic(
    federation: LogisticFederation,
    labels: FisherLabels,
    models: Array,
    k: int,
    positions: NDArray[np.int64],
    uniform: NDArray[np.float64],
) -> Any:
    """Client k: mean of x² ⊗ (p − y)², (*batch, dim)."""
    xp = namespace(models)
    rows = xp.asarray(positions, device=device_of(models))
    X, Y = federation.features[k][rows], federation.targets[k][rows]
    W = xp.reshape(models[..., k, :], (*models.shape[:-2], X.shape[-1], Y.shape[-1]))
    logits = X @ W
    odds = xp.exp(logits - xp.max(logits, axis=-1, keepdims=True))
    p = odds / xp.sum(odds, axis=-1, keepdims=True)
    if labels == "expected":
        squares = p * (1 - p)
    else:
        y = Y if labels == "data" else _drawn(p, xp.asarray(uniform, device=device_of(models)))
        squares = (p - y) ** 2
    mean = xp.matrix_transpose(X**2) @ squares / positions.shape[-1]
    return xp.reshape(mean, (*mean.shape[:-2], -1))


def _drawn(p: Array, uniform: Array) -> Any:
    """The class whose stretch of the cumulative probabilities holds the uniform number, one-hot."""
    xp = namespace(p)
    above = xp.astype(xp.cumulative_sum(p, axis=-1)[..., :-1] <= uniform[..., None], xp.int64)
    label = xp.sum(above, axis=-1)
    return xp.astype(label[..., None] == xp.arange(p.shape[-1]), p.dtype)
