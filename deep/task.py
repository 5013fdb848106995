"""The learning task of a config: model, start, who holds which samples, and the server's own samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from deep.config import RunConfig
from deep.data import Samples, Views, make_split, read_parts, views_for
from deep.evaluation import Sampled, sample_scores
from deep.local.pool import Client, Pool
from deep.models import Model, initial_buffers, make_model
from deep.partition import (
    CohortSource,
    DivisionReport,
    Flipped,
    FlippedCohorts,
    Holdings,
    Index,
    Population,
    describe,
    make_cohort,
    make_partition,
    make_target,
    partition_counts,
    target_weights,
)
from deep.signals import check_sample_gradients, target_samples

__all__ = ["Cohort", "Task", "make_task", "round_cohort"]


@dataclass(frozen=True, eq=False)
class Cohort:
    """The client slots of a round: all of a fixed population, or those made for the round.

    `present`: bool (n_slots,), who takes part; `share` pₖ = nₖ/n over the slots, float64 (n_slots,).
    """

    clients: tuple[Client, ...]
    present: Tensor
    share: Tensor

    @property
    def slots(self) -> list[int]:
        """Places of the clients present, increasing."""
        return [place for place, here in enumerate(self.present.tolist()) if here]


@dataclass(frozen=True, eq=False)
class Task:
    """What stays the same from round to round, and is the same for every rule.

    `start`: the initial model, float32 (n_parameters,); `buffers`: its running statistics (n_buffers,).
    `source` of the cohorts; `population`: all of its clients, if they are fixed, else None.
    `labels`, int64 (n,), are the classes of the pool's samples (groups where targets are real-valued), and `groups`
    whose each is: what cohorts are drawn by.
    `partition_counts`: training samples per client and true class, of the first round where clients are made anew;
    `division`: the same as they are trained on, with sizes and shares. The target "skew" is a row of these counts.
    `target_inputs`: unlabelled samples the server shows to rules that look at outputs, (n_target_samples, …);
    `views`: how two transformations of them are drawn.
    `note`: what a reader must know about the data.
    """

    model: Model
    start: Tensor
    buffers: Tensor
    pool: Pool
    targets: Tensor
    labels: Index
    groups: Index | None
    n_labels: int
    source: CohortSource
    population: Cohort | None
    partition_counts: list[list[int]]
    division: DivisionReport
    validation: Sampled
    test: Sampled
    target_inputs: Tensor | None = None
    views: Views | None = None
    note: str = ""


def make_task(
    config: RunConfig,
    device: torch.device,
    data_root: Path | str | None = None,
    signals: Collection[str] = (),
) -> Task:
    """The task of `config` on `device`; data set, split, partition and start follow from the config alone.

    `data_root`: where the files of a data set lie that is not bundled (or the folder that FEDVERDICT_DATA names).
    `signals`: what the rule will ask for; unlabelled target samples are set apart when it looks at outputs.
    Raises `ValueError` for missing or damaged files, a split, partition or cohort that this data does not admit, a
    target distribution without classes to weight, wrong labels of real-valued targets, a model whose outputs do not
    fit the targets, too few validation samples to show, views of what is no image, and normalisation that stays with
    clients who do not stay.
    """
    source = _source(config)
    fixed = isinstance(source, Population)
    if config.buffers == "local" and not fixed:
        raise ValueError(
            f"run(buffers='local', cohort={config.cohort!r}): clients made anew every round keep nothing; expected a"
            " fixed population"
        )
    data = make_split(read_parts(config.dataset, data_root), config.split, config.seed)
    train = data.train
    model, start = make_model(config.model, train, config.seed)
    _check_outputs(config, model, start, train)
    _check_signals(config, model, train, signals)
    labels, n_labels = _labels(train)
    groups = None if train.groups is None else train.groups.index.numpy()
    held = source.everyone(config.seed, labels, groups) if isinstance(source, Population) else None
    first = held or source.cohort(0, config.seed, labels, groups)
    _check_flips(config, source, train)
    counts = partition_counts(labels, first.parts, n_labels)
    pool = Pool(train.inputs.to(device))
    targets = train.outputs.to(device)
    weights = [_target_weights(config, name, getattr(data, name), counts) for name in ("validation", "test")]
    views = views_for(config.dataset) if {"view_1", "view_2"} & set(signals) else None
    shown = _target_inputs(config, data.validation, counts, signals)
    return Task(
        model=model.to(device) if hasattr(model, "to") else model,
        start=start.to(device),
        buffers=initial_buffers(model).to(device),
        pool=pool,
        targets=targets,
        labels=labels,
        groups=groups,
        n_labels=n_labels,
        source=source,
        population=None if held is None else _cohort(held, labels, targets),
        partition_counts=counts.tolist(),
        division=describe(first, labels, n_labels),
        validation=Sampled.of(data.validation, weights[0], device),
        test=Sampled.of(data.test, weights[1], device),
        target_inputs=None if shown is None else shown.to(device),
        views=views,
        note=train.note,
    )


def round_cohort(config: RunConfig, task: Task, round_index: int) -> Cohort:
    """Who takes part in a round; `ValueError` when a cohort made anew needs more samples than there are."""
    if task.population is None:
        held = task.source.cohort(round_index, config.seed, task.labels, task.groups)
        return _cohort(held, task.labels, task.targets)
    assert isinstance(task.source, Population)  # only a population has fixed clients
    present = torch.zeros_like(task.population.present)
    present[torch.from_numpy(task.source.present(round_index, config.seed))] = True
    return Cohort(task.population.clients, present, task.population.share)


def _source(config: RunConfig) -> CohortSource:
    if config.cohort:
        return make_cohort(config.cohort)
    return Population(make_partition(config.partition), config.n_clients, config.n_sampled)


def _labels(train: Samples) -> tuple[Index, int]:
    """Classes to divide by, and how many there are; data with real targets is divided by group."""
    if train.outputs.dtype == torch.int64:
        return train.outputs.numpy(), int(getattr(train, "n_classes", 0))
    if train.groups is not None:
        return train.groups.index.numpy(), len(train.groups.names)
    return np.zeros(len(train), dtype=np.int64), 1


def _cohort(held: Holdings, labels: Index, targets: Tensor) -> Cohort:
    """Clients on the device of `targets`; their own labels count where they are not the true ones."""
    device = targets.device
    clients = []
    for number, part, own, kind in zip(held.clients, held.parts, held.labels, held.kinds, strict=True):
        index = torch.from_numpy(np.asarray(part, dtype=np.int64)).to(device)
        real = targets.is_floating_point() or np.array_equal(own, labels[part])
        wanted = targets[index] if real else torch.from_numpy(own.astype(np.int64)).to(device)
        clients.append(Client(number, index, wanted, kind))
    n_held = sum(map(len, clients))
    share = torch.tensor([len(client) / n_held for client in clients], dtype=torch.float64, device=device)
    return Cohort(tuple(clients), torch.ones(len(clients), dtype=torch.bool, device=device), share)


def _target_weights(config: RunConfig, name: str, part: Samples, counts: Index) -> Sequence[float] | None:
    """A weight for each sample of the part called `name`, or None where all count alike."""
    if not config.target:
        return None
    if part.outputs.dtype != torch.int64:
        raise ValueError(f"run(target={config.target!r}, dataset={config.dataset!r}): real-valued targets, no classes")
    shares = make_target(config.target).shares(counts)
    try:
        weights: list[float] = target_weights(part.outputs.numpy(), shares).tolist()
    except ValueError as error:
        raise ValueError(f"run(target={config.target!r}): the {name} part cannot be weighted to it: {error}") from error
    return weights


def _target_inputs(config: RunConfig, part: Samples, counts: Index, signals: Collection[str]) -> Tensor | None:
    """The server's unlabelled samples, when a rule looks at outputs."""
    if not {"logits", "view_1", "view_2"} & set(signals):
        return None
    shares = make_target(config.target).shares(counts) if config.target else None
    return target_samples(part.inputs, part.outputs, shares, config.n_target_samples, config.seed)


def _check_outputs(config: RunConfig, model: Model, start: Tensor, train: Samples) -> None:
    """`ValueError` when the model's outputs do not fit the targets, such as scores at every position one label."""
    inputs, targets = train.inputs[:2], train.outputs[:2]
    try:
        sample_scores(model, start, initial_buffers(model), inputs, targets)
    except ValueError as error:
        raise ValueError(
            f"run(model={config.model!r}, dataset={config.dataset!r}): outputs do not fit the targets: {error}"
        ) from error


def _check_flips(config: RunConfig, source: CohortSource, train: Samples) -> None:
    """`ValueError` for wrong labels where there are none."""
    flips = isinstance(source, FlippedCohorts) or isinstance(getattr(source, "partition", None), Flipped)
    if flips and train.outputs.is_floating_point():
        raise ValueError(
            f"run(dataset={config.dataset!r}): targets are real-valued, so that"
            f" {config.cohort or config.partition!r} has no labels to flip"
        )


def _check_signals(config: RunConfig, model: Model, train: Samples, signals: Collection[str]) -> None:
    """`ValueError` for signals that this data or model cannot give."""
    if "accuracy" in signals and train.outputs.is_floating_point():
        raise ValueError(f"run(dataset={config.dataset!r}): the rule reads an accuracy, and targets are real-valued")
    if "gradient_variance" in signals:
        check_sample_gradients(model)
