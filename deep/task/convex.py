"""A convex deep task as theory sees it: the same samples as a federation, and one map between the two weight layouts.

Deep: the weight (n_outputs, n_features) row by row, then the bias (n_outputs,). Theory: W of (n_features + 1) ×
n_outputs row by row, so that classes are fastest; the last row of W is the bias, whose feature is 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from deep.local.pool import Client, Pool
from deep.models import LinearRegression, Model, SoftmaxRegression
from theory.federations.empirical import LogisticFederation

__all__ = ["Convex", "client_data", "draft_federation", "is_convex", "to_deep", "to_theory"]

Floats = NDArray[np.float64]
Convex = SoftmaxRegression | LinearRegression


def is_convex(model: Model) -> bool:
    """Whether losses of `model` are convex in its vector, and theory knows them: softmax and linear regression."""
    return type(model) in {SoftmaxRegression, LinearRegression}


def to_theory(vectors: Floats, n_features: int, n_outputs: int) -> Floats:
    """Deep vectors (*batch, dim) in theory's layout, the same shape; `ValueError` for another dim.

    >>> to_theory(np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]), 2, 2).tolist()  # rows (1, 2), (3, 4), biases 5, 6
    [1.0, 3.0, 2.0, 4.0, 5.0, 6.0]
    """
    batch = _checked("to_theory", vectors, n_features, n_outputs)
    weight, bias = vectors[..., : n_features * n_outputs], vectors[..., n_features * n_outputs :]
    turned = weight.reshape(*batch, n_outputs, n_features).swapaxes(-1, -2)
    return np.concatenate([turned.reshape(*batch, -1), bias], axis=-1)


def to_deep(weights: Floats, n_features: int, n_outputs: int) -> Floats:
    """Theory's vectors (*batch, dim) in the layout of deep models: the inverse of `to_theory`."""
    batch = _checked("to_deep", weights, n_features, n_outputs)
    weight, bias = weights[..., : n_features * n_outputs], weights[..., n_features * n_outputs :]
    turned = weight.reshape(*batch, n_features, n_outputs).swapaxes(-1, -2)
    return np.concatenate([turned.reshape(*batch, -1), bias], axis=-1)


def client_data(pool: Pool, client: Client) -> tuple[Floats, NDArray[np.generic]]:
    """(Features with a last column of ones, (n, n_features + 1) float64; targets as they are) of one client."""
    features = _numbers(pool.inputs[client.index].flatten(1))
    ones = np.ones((len(features), 1))
    return np.concatenate([features, ones], axis=1), client.targets.cpu().numpy()


def draft_federation(
    features: Floats, labels: NDArray[np.int64], weight: Floats, share: Floats, n_classes: int, l2: float
) -> LogisticFederation:
    """Theory's logistic regression over padded samples, before anything is solved: floors and optima are NaN.

    `features` (n_clients, n_max, d), `labels` and `weight` (n_clients, n_max): a sample counts weight/Σ weight.
    """
    targets = (labels[..., None] == np.arange(n_classes)) * (weight > 0)[..., None]
    nothing = np.full((len(features), features.shape[-1] * n_classes), np.nan)
    return LogisticFederation(
        features, targets.astype(np.float64), weight, l2, share, nothing[:, 0], nothing, nothing[0]
    )


def _checked(call: str, vectors: Floats, n_features: int, n_outputs: int) -> tuple[int, ...]:
    dim = (n_features + 1) * n_outputs
    if vectors.ndim == 0 or vectors.shape[-1] != dim:
        raise ValueError(f"{call}: vectors of shape {vectors.shape}; expected (*batch, {dim})")
    return vectors.shape[:-1]


def _numbers(values: Tensor) -> Floats:
    return np.asarray(values.detach().cpu().double().numpy())
