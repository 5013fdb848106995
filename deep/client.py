"""What happens at a client: evaluate a model, draw batches, take local steps of SGD."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn.functional import cross_entropy

from deep.config import RunConfig
from deep.data import Dataset
from deep.models import Model
from theory.streams import stream

__all__ = ["accuracy", "draw_batches", "local_sgd", "mean_loss"]


@torch.no_grad()
def mean_loss(model: Model, vector: Tensor, dataset: Dataset) -> Tensor:
    """Fₖ(w): mean cross-entropy over all samples, a float64 scalar (float32 logits, float64 from there on)."""
    return cross_entropy(model.logits(vector, dataset.images).double(), dataset.labels)


@torch.no_grad()
def accuracy(model: Model, vector: Tensor, dataset: Dataset) -> float:
    """Share of samples whose largest logit is that of their label."""
    predicted = model.logits(vector, dataset.images).argmax(dim=1)
    return float((predicted == dataset.labels).double().mean())


def draw_batches(config: RunConfig, round_index: int, client: int, n_samples: int) -> NDArray[np.int64]:
    """Indices into a client's samples, (n_local_steps, min(batch_size, n_samples)).

    Every local step draws afresh and uniformly, without replacement inside a batch, so a step's gradient is an
    unbiased estimate of ∇Fₖ. The stream is (seed, "batch", round, client): rules being compared see the same batches.
    """
    rng = stream(config.seed, "batch", round_index, client)
    size = min(config.batch_size, n_samples)
    return np.stack([rng.choice(n_samples, size, replace=False) for _ in range(config.n_local_steps)])


def local_sgd(model: Model, start: Tensor, dataset: Dataset, batches: Tensor, local_lr: float) -> Tensor:
    """wₖ ← wₖ − η ∇(mean cross-entropy on the batch), once per row of `batches`, from the broadcast model `start`.

    `batches`: int64 (n_local_steps, batch_size); the new vector is float32, (n_parameters,).
    """
    vector = start
    for batch in batches:
        vector = vector.detach().requires_grad_()
        loss = cross_entropy(model.logits(vector, dataset.images[batch]), dataset.labels[batch])
        (gradient,) = torch.autograd.grad(loss, vector)
        vector = vector.detach() - local_lr * gradient
    return vector
