"""The learning task of a config: model, start, who holds which samples, and the server's own samples."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deep.config import RunConfig
from deep.data import (
    AnyParts,
    Samples,
    Scaling,
    Views,
    make_scaling,
    make_split,
    make_views,
    overlapping,
    read_parts,
    subset,
)
from deep.evaluation import Sampled, in_precision, sample_scores
from deep.floor import ZERO, Floor
from deep.local.batches import planned_steps
from deep.local.pool import Client, Pool
from deep.models import Model, Network, initial_buffers, make_model
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
from theory.participation import Participation, RoundContext
from theory.streams import stream

__all__ = ["DTYPES", "Cohort", "Listed", "Task", "listed", "make_task", "round_cohort"]

_AHEAD, _ENTRIES = 16, 2**20  # rounds whose cohorts are drawn at a time, and slots in all of them
DTYPES = {"float32": torch.float32, "float64": torch.float64}


@dataclass(frozen=True)
class Listed:
    """Of every slot: the number of its client, its kind in a word, pₖ, and the local steps it plans."""

    clients: list[int]
    kinds: list[str]
    share: list[float]
    planned_steps: list[int]


@dataclass(frozen=True, eq=False)
class Cohort:
    """The client slots of a round: all of a fixed population, or those made for the round.

    `present`: bool (n_slots,), who takes part; `share` pₖ over the slots, float64 (n_slots,): nₖ/n, or what
    participation says of this round's objective. `planned`: local steps each client plans; `steps`: those it finishes,
    0 for absent ones; both of one entry a slot, as arrays: of Python's integers beyond 64 bits, which are refused in
    words later.
    """

    clients: tuple[Client, ...]
    present: Tensor
    share: Tensor
    planned: Index
    steps: Index

    @cached_property
    def slots(self) -> list[int]:
        """Places of the clients present, increasing."""
        found: list[int] = np.flatnonzero(self.present.cpu().numpy()).tolist()
        return found

    @cached_property
    def places(self) -> Tensor:
        """`slots` as an index, on the device of `share`."""
        return torch.tensor(self.slots, dtype=torch.int64, device=self.share.device)

    @cached_property
    def finished(self) -> NDArray[np.float64]:
        """`steps` in float64."""
        return self.steps.astype(np.float64)

    @cached_property
    def finished_steps(self) -> Tensor:
        """`finished` on the device of `share`."""
        return torch.from_numpy(self.finished).to(self.share.device)

    @cached_property
    def most_steps(self) -> int:
        """The most that anyone plans."""
        return int(self.planned.max())

    @cached_property
    def planned_steps(self) -> Tensor:
        """`planned` in float64, on the device of `share`."""
        return torch.from_numpy(self.planned.astype(np.float64)).to(self.share.device)

    @cached_property
    def listed(self) -> Listed:
        """What records say of every slot."""
        return Listed(
            clients=[client.number for client in self.clients],
            kinds=[client.kind for client in self.clients],
            share=self.share.tolist(),
            planned_steps=self.planned.tolist(),
        )


@dataclass(eq=False)
class Ahead:
    """Cohorts by round, of one law and seed. A law is a function of seed and round, so some are drawn at a time: done
    one after the other they take a fraction of what each takes between two rounds' training.
    """

    law: Participation | None = None
    seed: int = -1
    cohorts: dict[int, Cohort] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Task:
    """What stays the same from round to round, and is the same for every rule.

    `start`: the initial model, (n_parameters,), drawn in float32 and kept in the run's precision; `buffers`: its
    running statistics (n_buffers,). `source` of the cohorts; `population`: all of its clients, if they are fixed, else
    None. `labels`, int64 (n,), are the classes of the pool's samples (groups where targets are real-valued), and
    `groups` whose each is: what cohorts are drawn by.
    `partition_counts`: training samples per client and true class, of the first round where clients are made anew;
    `division`: the same as they are trained on, with sizes and shares. The target "skew" is a row of these counts.
    `target_inputs`: unlabelled samples the server shows to rules that look at outputs, (n_target_samples, …);
    `views`: how two transformations of them are drawn.
    `validation`: None where all of the training part is trained on. `client_test`: what each client of the population
    is judged on, None for one that holds too little; empty where nothing is held out.
    `scaling` of all inputs but `target_inputs`, which views want as pixels.
    `floor`: what stands for Fₖ*, 0 until the run says otherwise.
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
    validation: Sampled | None
    test: Sampled
    client_test: tuple[Client | None, ...] = ()
    scaling: Scaling = field(default_factory=Scaling)
    target_inputs: Tensor | None = None
    views: Views | None = None
    floor: Floor = ZERO
    note: str = ""

    @cached_property
    def ahead(self) -> Ahead:
        """Cohorts of this round and the next ones, once for all runs of the task."""
        return Ahead()

    @cached_property
    def nobodys(self) -> Tensor:
        """Which parameters stay with their client where none do: bool (n_parameters,), all false."""
        return torch.zeros((), dtype=torch.bool, device=self.start.device).expand(len(self.start))

    @cached_property
    def layer_sizes(self) -> tuple[int, ...]:
        """Entries of the model's vector that each layer has, in order."""
        return tuple(layer.size for layer in self.model.layers)


def make_task(
    config: RunConfig,
    device: torch.device,
    data_root: Path | str | None = None,
    signals: Collection[str] = (),
    parts: AnyParts | None = None,
) -> Task:
    """The task of `config` on `device`; data set, split, partition and start follow from the config alone.

    `data_root`: where the files of a data set lie that is not bundled (or the folder that FEDVERDICT_DATA names).
    `parts`: the data set, where it was read before. `signals`: what the rule will ask for; unlabelled target samples
    are set apart when it looks at outputs.
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
    seed, dtype = config.seed_of("data"), DTYPES[config.dtype]
    data = make_split(parts or read_parts(config.dataset, data_root), config.split, seed)
    train = data.train
    model, start = make_model(config.model, train, config.seed_of("training"))
    _check_outputs(config, model, start, train)
    start = start.to(dtype)
    _check_signals(config, model, train, data.validation, signals)
    labels, n_labels = _labels(train)
    groups = None if train.groups is None else train.groups.index.numpy()
    held = source.everyone(seed, labels, groups) if isinstance(source, Population) else None
    held, judged = (None, None) if held is None else _held_out(held, config.client_test, seed)
    first = held or source.cohort(0, seed, labels, groups)
    _check_flips(config, source, train)
    counts = partition_counts(labels, first.parts, n_labels)
    scaling = make_scaling(config.scaling, train)
    pool = Pool(scaling(train.inputs, dtype).to(device), _black(train, scaling, dtype, device))
    targets = in_precision(train.outputs, dtype).to(device)
    views = make_views(config.views, config.dataset) if {"view_1", "view_2"} & set(signals) else None
    shown, tested = _unlabelled(config, data.validation, data.test, counts, signals)
    validation, test = (
        _sampled(config, name, part, counts, scaling, device)
        for name, part in (("validation", data.validation), ("test", tested))
    )
    assert test is not None  # every split has one
    return Task(
        model=model.to(device, dtype) if isinstance(model, Network) else model,
        start=start.to(device),
        buffers=initial_buffers(model).to(device, dtype),
        pool=pool,
        targets=targets,
        labels=labels,
        groups=groups,
        n_labels=n_labels,
        source=source,
        population=None if held is None else _cohort(config, held, labels, targets),
        partition_counts=counts.tolist(),
        division=describe(first, labels, n_labels),
        validation=validation,
        test=test,
        client_test=_clients_of(judged, labels, targets),
        scaling=scaling,
        target_inputs=None if shown is None else in_precision(shown, dtype).to(device),
        views=views,
        note=_note(config, train, shown),
    )


def round_cohort(config: RunConfig, task: Task, round_index: int) -> Cohort:
    """Who takes part in a round; `ValueError` when a cohort made anew needs more samples than there are."""
    if task.population is None:
        held = task.source.cohort(round_index, config.seed_of("data"), task.labels, task.groups)
        return _cohort(config, held, task.labels, task.targets, round_index)
    if config.work is not None:
        return _drawn(
            config.law, config.seed_of("cohort"), _planning(config, task.population, round_index), round_index
        )
    law, seed, ahead = config.law, config.seed_of("cohort"), task.ahead
    if ahead.seed != seed or (ahead.law is not law and ahead.law != law):
        ahead.law, ahead.seed, ahead.cohorts = law, seed, {}
    if round_index not in ahead.cohorts:
        n = max(1, min(_AHEAD, _ENTRIES // len(task.population.clients)))
        ahead.cohorts = {round_index: _drawn(law, seed, task.population, round_index)}
        for later in range(round_index + 1, min(round_index + n, config.n_rounds)):
            try:
                ahead.cohorts[later] = _drawn(law, seed, task.population, later)
            except Exception:  # whatever somebody's law raises, it raises again in its own round
                break
    return ahead.cohorts[round_index]


def _planning(config: RunConfig, everyone: Cohort, round_index: int) -> Cohort:
    """A fixed population that plans anew what it does in a round."""
    clients = everyone.clients
    planned = np.asarray([planned_steps(config, len(client), round_index, client.number) for client in clients])
    return replace(everyone, planned=planned, steps=planned)


def _drawn(law: Participation, seed: int, everyone: Cohort, round_index: int) -> Cohort:
    """Who of a fixed population takes part in a round."""
    planned = everyone.planned
    context = RoundContext(None, None, everyone.most_steps, everyone.share.cpu().numpy(), planned)
    plan = law.plan(seed, round_index, planned.shape, context)
    finished = planned if plan.steps is None else np.broadcast_to(plan.steps, planned.shape)
    here = plan.present & (finished > 0)
    share = everyone.share
    if plan.share is not None:
        share = torch.from_numpy(np.array(plan.share, dtype=np.float64)).to(share.device)
    present = torch.from_numpy(here).to(share.device)
    cohort = Cohort(everyone.clients, present, share, planned, np.where(here, finished, 0))
    if cohort.steps.dtype == np.int64:
        _ = cohort.places, cohort.finished_steps  # worked out here, a moment after those of another round
    return cohort


def listed(cohort: Cohort, task: Task) -> Listed:
    """`cohort.listed`; that of a fixed population is made once and shared by all rounds."""
    everyone = task.population
    if everyone is None or cohort is everyone:
        return cohort.listed
    if cohort.planned is not everyone.planned:
        return cohort.listed
    if cohort.share is everyone.share:
        return everyone.listed
    return replace(everyone.listed, share=cohort.share.tolist())


def _source(config: RunConfig) -> CohortSource:
    if config.cohort:
        return make_cohort(config.cohort)
    n_sampled = config.n_clients if config.participation else config.n_sampled
    return Population(make_partition(config.partition), config.n_clients, n_sampled)


def _labels(train: Samples) -> tuple[Index, int]:
    """Classes to divide by, and how many there are; data with real targets is divided by group."""
    if train.outputs.dtype == torch.int64:
        return train.outputs.numpy(), int(getattr(train, "n_classes", 0))
    if train.groups is not None:
        return train.groups.index.numpy(), len(train.groups.names)
    return np.zeros(len(train), dtype=np.int64), 1


def _cohort(config: RunConfig, held: Holdings, labels: Index, targets: Tensor, round_index: int = 0) -> Cohort:
    """Clients on the device of `targets`; their own labels count where they are not the true ones."""
    device = targets.device
    clients = [_client(held, place, labels, targets) for place in range(len(held.clients))]
    n_held = sum(map(len, clients))
    share = torch.tensor([len(client) / n_held for client in clients], dtype=torch.float64, device=device)
    planned = np.asarray([planned_steps(config, len(client), round_index, client.number) for client in clients])
    present = torch.ones(len(clients), dtype=torch.bool, device=device)
    return Cohort(tuple(clients), present, share, planned, planned)


def _client(held: Holdings, place: int, labels: Index, targets: Tensor) -> Client:
    part, own = held.parts[place], held.labels[place]
    index = torch.from_numpy(np.asarray(part, dtype=np.int64)).to(targets.device)
    real = targets.is_floating_point() or np.array_equal(own, labels[part])
    wanted = targets[index] if real else torch.from_numpy(own.astype(np.int64)).to(targets.device)
    return Client(held.clients[place], index, wanted, held.kinds[place])


def _clients_of(judged: Holdings | None, labels: Index, targets: Tensor) -> tuple[Client | None, ...]:
    """What each client is judged on; None for one that holds nothing out."""
    if judged is None:
        return ()
    return tuple(
        _client(judged, place, labels, targets) if len(part) else None for place, part in enumerate(judged.parts)
    )


def _held_out(held: Holdings, fraction: float, seed: int) -> tuple[Holdings, Holdings | None]:
    """What clients train on, and ⌊fraction · n⌋ samples of each that they are judged on.

    Stream (seed, "client test", client).
    """
    if not fraction:
        return held, None
    kept, judged = [], []
    for number, part in zip(held.clients, held.parts, strict=True):
        order = stream(seed, "client test", number).permutation(len(part))
        n = int(fraction * len(part))
        judged.append(np.sort(order[:n]))
        kept.append(np.sort(order[n:]))
    return _at(held, kept), _at(held, judged)


def _at(held: Holdings, places: list[Index]) -> Holdings:
    """The holdings with each client's samples at its `places` alone."""
    parts = tuple(part[own] for part, own in zip(held.parts, places, strict=True))
    labels = tuple(mine[own] for mine, own in zip(held.labels, places, strict=True))
    return Holdings(held.clients, parts, labels, held.kinds)


def _black(train: Samples, scaling: Scaling, dtype: torch.dtype, device: torch.device) -> Tensor | None:
    """What black becomes in each channel, for images."""
    if train.inputs.ndim != 4:
        return None
    return scaling(torch.zeros_like(train.inputs[:1, :, :1, :1]), dtype).flatten().to(device)


def _note(config: RunConfig, train: Samples, shown: Tensor | None) -> str:
    notes = [train.note] if train.note else []
    if overlapping(train, config.split):
        notes.append(
            f"split={config.split!r} cuts windows that overlap: characters that test samples are asked for stand in"
            " training inputs; split='text-order' keeps them apart"
        )
    if shown is not None and config.target_source == "test":
        notes.append(
            f"transductive: the {len(shown)} unlabelled samples that weights are learned on are test samples, and are"
            " judged on, too"
        )
    return "; ".join(notes)


def _sampled(
    config: RunConfig, name: str, part: Samples | None, counts: Index, scaling: Scaling, device: torch.device
) -> Sampled | None:
    """The part called `name` on the device, weighted to the first target, and by the weights of all of several."""
    if part is None:
        return None
    found = {text: _target_weights(config, text, name, part, counts) for text in config.targets}
    own = next(iter(found.values()), None)
    others = found if len(found) > 1 else {}
    return Sampled.of(part, own, device, DTYPES[config.dtype], scaling, others)


def _target_weights(config: RunConfig, target: str, name: str, part: Samples, counts: Index) -> Sequence[float]:
    """A weight for each sample of the part called `name`."""
    if part.outputs.dtype != torch.int64:
        raise ValueError(f"run(target={target!r}, dataset={config.dataset!r}): real-valued targets, no classes")
    shares = make_target(target).shares(counts)
    try:
        weights: list[float] = target_weights(part.outputs.numpy(), shares).tolist()
    except ValueError as error:
        raise ValueError(f"run(target={target!r}): the {name} part cannot be weighted to it: {error}") from error
    return weights


def _unlabelled(
    config: RunConfig, validation: Samples | None, test: Samples, counts: Index, signals: Collection[str]
) -> tuple[Tensor | None, Samples]:
    """(The server's unlabelled samples, when a rule looks at outputs; the test samples that are judged).

    A separate draw is left out of the latter whether or not this rule looks at it, so that rules are judged alike.
    """
    source = config.target_source
    part = validation if source == "validation" else test
    asked = {"logits", "view_1", "view_2"} & set(signals)
    if part is None or (not asked and source != "separate"):
        return None, test
    shares = make_target(config.targets[0]).shares(counts) if config.targets else None
    name = "validation" if source == "validation" else "test"
    places = target_samples(part.outputs, shares, config.n_target_samples, config.seed_of("data"), name)
    if source == "separate":
        judged = torch.ones(len(test), dtype=torch.bool)
        judged[places] = False
        if not bool(judged.any()):
            raise ValueError(
                f"run(target_source='separate', n_target_samples={config.n_target_samples}): no test sample is left to"
                " judge; lower it"
            )
        test = subset(test, judged.nonzero().flatten())
    return (part.inputs[places] if asked else None), test


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


def _check_signals(
    config: RunConfig, model: Model, train: Samples, validation: Samples | None, signals: Collection[str]
) -> None:
    """`ValueError` for signals that this data or model cannot give."""
    if "accuracy" in signals and train.outputs.is_floating_point():
        raise ValueError(f"run(dataset={config.dataset!r}): the rule reads an accuracy, and targets are real-valued")
    needed = {"accuracy", *(("logits", "view_1", "view_2") if config.target_source == "validation" else ())}
    lacking = sorted(needed & set(signals)) if validation is None else []
    if lacking:
        raise ValueError(
            f"run(split={config.split!r}): the rule reads {', '.join(lacking)} on validation samples, and all are"
            " trained on; expected a split with a validation part"
        )
    if "gradient_variance" in signals:
        check_sample_gradients(model)
