"""The learning task of a config: model, start, clients with their shares, and the server's own data."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from deep.config import RunConfig
from deep.data import Dataset, make_dataset, moved, split, subset
from deep.models import Model, make_model
from deep.partition import dirichlet_partition, partition_counts

__all__ = ["Task", "make_task"]


@dataclass(frozen=True, eq=False)
class Task:
    """What stays the same from round to round, and is the same for every rule.

    `start`: the initial model, float32 (n_parameters,). `share` pₖ = nₖ/n: float64 (n_clients,).
    `partition_counts`: training samples per client and class.
    """

    model: Model
    start: Tensor
    clients: tuple[Dataset, ...]
    share: Tensor
    partition_counts: list[list[int]]
    validation: Dataset
    test: Dataset


def make_task(config: RunConfig, device: torch.device) -> Task:
    """The task of `config` on `device`; data set, split, partition and start follow from the config alone.

    Raises `ValueError` when `n_clients · min_size` exceeds the training samples.
    """
    dataset = make_dataset(config.dataset)
    data = split(dataset, config.seed)
    labels = data.train.labels.numpy()
    parts = dirichlet_partition(labels, config.n_clients, config.beta, config.seed, config.min_size)
    model, start = make_model(config.model, dataset, config.seed)
    return Task(
        model=model,
        start=start.to(device),
        clients=tuple(moved(subset(data.train, torch.from_numpy(part)), device) for part in parts),
        share=torch.tensor([len(part) / len(labels) for part in parts], dtype=torch.float64, device=device),
        partition_counts=partition_counts(labels, parts, dataset.n_classes).tolist(),
        validation=moved(data.validation, device),
        test=moved(data.test, device),
    )
