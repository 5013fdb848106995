"""The diagonal of each client's Fisher information at its own network, sample by sample or in one product a layer."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.func import grad, vmap

from deep.local.pool import Client, Pool
from deep.local.trainers.dense import DenseModel, is_dense, squared_gradients
from deep.models import Model, sample_losses
from theory.algorithms.fisher import Fisher, fisher_draws

__all__ = ["fisher_diagonals"]

Floats = NDArray[np.float64]
_ENTRIES = 1 << 22  # of sample gradients held at once


def fisher_diagonals(
    model: Model,
    vectors: Tensor,
    buffers: Tensor,
    pool: Pool,
    clients: Sequence[Client],
    fisher: Fisher,
    seed: int,
    round_index: int,
) -> Tensor:
    """diag Iₖ(wₖ), (m, n_parameters), at the rows of `vectors`, in evaluation mode; see `theory.algorithms.fisher`.

    Labels are drawn as theory draws them. Stacks of linear layers take one product of squares a layer, other networks
    a gradient a sample, and so do without `n_samples` what a pass over all samples, gradient by gradient, costs.
    Raises `ValueError` where targets are not one class a sample.
    """
    rows = []
    for vector, running, client in zip(vectors, buffers, clients, strict=True):
        if client.targets.is_floating_point() or client.targets.ndim != 1:
            raise ValueError("fisher_diagonals: expected one class a sample; other targets have no labels to draw")
        positions, uniform = fisher_draws(fisher, seed, round_index, client.number, len(client))
        here = torch.from_numpy(np.array(positions)).to(client.index.device)
        inputs, own = pool.inputs[client.index[here]], client.targets[here]

        def labels(logits: Tensor, own: Tensor = own, uniform: Floats = uniform) -> list[tuple[Tensor, Tensor]]:
            return _labels(logits, own, fisher, uniform)

        if is_dense(model):
            dense: DenseModel = model
            rows.append(squared_gradients(dense, vector, inputs, labels))
            continue
        with torch.no_grad():
            logits = model.logits(vector, inputs, running if len(running) else None)
        parts = [_squares(model, vector, running, inputs, *pair) for pair in labels(logits)]
        rows.append(torch.stack(parts).sum(0))
    return torch.stack(rows)


def _labels(logits: Tensor, own: Tensor, fisher: Fisher, uniform: Floats) -> list[tuple[Tensor, Tensor]]:
    """Labels and weights of the samples, once for each class where it is the expectation."""
    n, n_classes = logits.shape
    equal = logits.new_full((n,), 1 / n)
    if fisher.labels == "data":
        return [(own, equal)]
    odds = torch.softmax(logits, dim=1)
    if fisher.labels == "expected":
        return [(torch.full_like(own, label), odds[:, label] / n) for label in range(n_classes)]
    below = odds.double().cumsum(dim=1)[:, :-1]
    drawn = (below <= torch.from_numpy(uniform).to(below.device)[:, None]).sum(dim=1)
    return [(drawn, equal)]


def _squares(model: Model, vector: Tensor, running: Tensor, inputs: Tensor, targets: Tensor, weight: Tensor) -> Tensor:
    """Σ weight·(∇ℓ)² over samples, gradient by gradient."""

    def loss(own: Tensor, x: Tensor, y: Tensor) -> Tensor:
        logits = model.logits(own, x[None], running if len(running) else None)
        return sample_losses(model.loss, logits, y[None]).sum()

    gradients, total = vmap(grad(loss), in_dims=(None, 0, 0)), torch.zeros_like(vector)
    at_once = max(1, _ENTRIES // len(vector))
    for x, y, w in zip(*(torch.split(part, at_once) for part in (inputs, targets, weight)), strict=True):
        total += w @ gradients(vector, x, y).square()
    return total
