"""What happens at a client: evaluate a model, draw batches, take local steps of SGD."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deep.config import RunConfig
from deep.models import Model, sample_losses
from deep.task import Labelled
from theory.streams import stream

__all__ = ["accuracy", "draw_batches", "local_sgd", "mean_loss"]

_AT_ONCE = 4096  # samples of one forward pass, so that large data sets fit into memory


@torch.no_grad()
def mean_loss(model: Model, vector: Tensor, dataset: Labelled) -> Tensor:
    """Fₖ(w): mean loss over all samples, a float64 scalar (float32 outputs, float64 from there on)."""
    total = torch.zeros((), dtype=torch.float64, device=vector.device)
    for inputs, labels in _pieces(dataset):
        total += sample_losses(model.loss, model.logits(vector, inputs).double(), labels).sum()
    return total / len(dataset)


@torch.no_grad()
def accuracy(model: Model, vector: Tensor, dataset: Labelled) -> float:
    """Share of samples whose largest logit is that of their label."""
    right = sum(int((model.logits(vector, inputs).argmax(-1) == labels).sum()) for inputs, labels in _pieces(dataset))
    return right / len(dataset)


def _pieces(dataset: Labelled) -> Iterator[tuple[Tensor, Tensor]]:
    return zip(torch.split(dataset.inputs, _AT_ONCE), torch.split(dataset.labels, _AT_ONCE), strict=True)


def draw_batches(config: RunConfig, round_index: int, client: int, n_samples: int) -> NDArray[np.int64]:
    """Indices into a client's samples, (n_local_steps, min(batch_size, n_samples)).

    Every local step draws afresh and uniformly, without replacement inside a batch, so a step's gradient is an
    unbiased estimate of ∇Fₖ. The stream is (seed, "batch", round, client): rules being compared see the same batches.
    """
    rng = stream(config.seed, "batch", round_index, client)
    size = min(config.batch_size, n_samples)
    return np.stack([rng.choice(n_samples, size, replace=False) for _ in range(config.n_local_steps)])


def local_sgd(model: Model, start: Tensor, dataset: Labelled, batches: Tensor, local_lr: float) -> Tensor:
    """wₖ ← wₖ − η ∇(mean loss on the batch), once per row of `batches`, from the broadcast model `start`.

    `batches`: int64 (n_local_steps, batch_size); the new vector is float32, (n_parameters,).
    """
    vector = start
    for batch in batches:
        vector = vector.detach().requires_grad_()
        loss = sample_losses(model.loss, model.logits(vector, dataset.inputs[batch]), dataset.labels[batch]).mean()
        (gradient,) = torch.autograd.grad(loss, vector)
        vector = vector.detach() - local_lr * gradient
    return vector
