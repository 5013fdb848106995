"""The learning task of a config: model, start, clients with their shares, and the server's own data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import torch
from torch import Tensor

from deep.config import RunConfig
from deep.data import Dataset, RegressionDataset, TokenDataset, make_split, moved, read_parts, subset
from deep.models import Model, initial_buffers, make_model
from deep.partition import Holdings, divide, make_partition, partition_counts

__all__ = ["Labelled", "Task", "make_task"]

Labelled: TypeAlias = Dataset | TokenDataset


@dataclass(frozen=True, eq=False)
class Task:
    """What stays the same from round to round, and is the same for every rule.

    `start`: the initial model, float32 (n_parameters,). `share` pₖ = nₖ/n over the clients: float64 (n_clients,).
    `partition_counts`: training samples per client and true class. `note`: what a reader must know about the data.
    """

    model: Model
    start: Tensor
    clients: tuple[Labelled, ...]
    share: Tensor
    partition_counts: list[list[int]]
    validation: Labelled
    test: Labelled
    note: str = ""


def make_task(config: RunConfig, device: torch.device, data_root: Path | str | None = None) -> Task:
    """The task of `config` on `device`; data set, split, partition and start follow from the config alone.

    `data_root`: where the files of a data set lie that is not bundled (or the folder that FEDVERDICT_DATA names).
    Raises `ValueError` for missing or damaged files, a split or partition that this data does not admit, real-valued
    targets, and models that carry running statistics: rounds do not average those yet.
    """
    parts = read_parts(config.dataset, data_root)
    if isinstance(parts.train, RegressionDataset):
        raise ValueError(f"run(dataset={config.dataset!r}): has real-valued targets; rounds need classes")
    data = make_split(parts, config.split, config.seed)
    train, validation, test = _labelled(data.train), _labelled(data.validation), _labelled(data.test)
    model, start = make_model(config.model, train, config.seed)
    if len(initial_buffers(model)):
        raise ValueError(
            f"run(model={config.model!r}): carries running statistics, which rounds do not average yet; take a model"
            " without them, such as resnet-18-group"
        )
    labels = train.labels.numpy()
    groups = None if train.groups is None else train.groups.index.numpy()
    held = divide(make_partition(config.partition), labels, config.n_clients, config.seed, groups)
    n_held = sum(len(part) for part in held.parts)
    return Task(
        model=model,
        start=start.to(device),
        clients=_clients(train, held, device),
        share=torch.tensor([len(part) / n_held for part in held.parts], dtype=torch.float64, device=device),
        partition_counts=partition_counts(labels, held.parts, train.n_classes).tolist(),
        validation=moved(validation, device),
        test=moved(test, device),
        note=train.note,
    )


def _labelled(samples: object) -> Labelled:
    assert isinstance(samples, Dataset | TokenDataset)  # parts are of one kind
    return samples


def _clients(train: Labelled, held: Holdings, device: torch.device) -> tuple[Labelled, ...]:
    """Each client's samples under the labels it trains on, which label noise may have changed."""
    found = []
    for part, labels in zip(held.parts, held.labels, strict=True):
        own = subset(train, torch.from_numpy(part))
        found.append(moved(replace(own, labels=torch.from_numpy(labels.copy())), device))
    return tuple(found)
