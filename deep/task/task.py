"""The learning task of a config: model, start, who holds which samples, and the server's own samples."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from deep.base.floor import ZERO, Floor
from deep.config.config import RunConfig
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
from deep.local.pool import Client, Pool
from deep.models import Model, Network, initial_buffers, make_model
from deep.partition import (
    CohortSource,
    DivisionReport,
    Flipped,
    FlippedCohorts,
    Index,
    Population,
    describe,
    partition_counts,
    target_weights,
)
from deep.partition.sizes import Shares
from deep.task.cohort import Ahead, Cohort, Listed, cohort_of, drawn, held_out, judged_clients, planning
from deep.task.evaluation import Sampled, in_precision, sample_scores
from deep.task.setup import Setup
from deep.task.signals import check_sample_gradients, target_samples
from deep.task.wanted import OUTPUTS

__all__ = ["DTYPES", "Task", "listed", "make_task", "round_cohort"]

_AHEAD, _ENTRIES = 16, 2**20  # rounds whose cohorts are drawn at a time, and slots in all of them
DTYPES = {"float32": torch.float32, "float64": torch.float64}


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
    setup: Setup,
    device: torch.device,
    data_root: Path | str | None = None,
    signals: Collection[str] | None = None,
    parts: AnyParts | None = None,
) -> Task:
    """The task of `setup` on `device`; data set, split, partition and start follow from its configuration alone.

    `data_root`: where the files of a data set lie that is not bundled (or the folder that FEDVERDICT_DATA names).
    `parts`: the data set, where it was read before. `signals`: what rules will ask for, in place of
    `Setup.asked`; unlabelled target samples are set apart when they look at outputs.
    Raises `ValueError` for missing or damaged files, a split, partition or cohort that this data does not admit, a
    target distribution without classes to weight, wrong labels of real-valued targets, a model whose outputs do not
    fit the targets, too few validation samples to show, views of what is no image, and normalisation that stays with
    clients who do not stay.
    """
    config, source, signals = setup.config, setup.source, setup.asked if signals is None else signals
    fixed = isinstance(source, Population)
    if config.buffers == "local" and not fixed:
        raise ValueError(
            f"run(buffers='local', cohort={config.cohort!r}): resampled clients keep nothing; expected a"
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
    held, judged = (None, None) if held is None else held_out(held, config.client_test, seed)
    first = held or source.cohort(0, seed, labels, groups)
    _check_flips(config, source, train)
    counts = partition_counts(labels, first.parts, n_labels)
    scaling = make_scaling(config.scaling, train)
    pool = Pool(scaling(train.inputs, dtype).to(device), _black(train, scaling, dtype, device))
    targets = in_precision(train.outputs, dtype).to(device)
    views = make_views(config.views, config.dataset) if {"view_1", "view_2"} & set(signals) else None
    shown, judged_samples = _unlabelled(setup, data.validation, data.test, counts, signals)
    validation, test = (
        _sampled(setup, name, part, counts, scaling, device, kept)
        for name, part, kept in (("validation", data.validation, None), ("test", data.test, judged_samples))
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
        population=None if held is None else cohort_of(setup, held, labels, targets),
        partition_counts=counts.tolist(),
        division=describe(first, labels, n_labels),
        validation=validation,
        test=test,
        client_test=judged_clients(judged, labels, targets),
        scaling=scaling,
        target_inputs=None if shown is None else in_precision(shown, dtype).to(device),
        views=views,
        note=_note(config, train, shown),
    )


def round_cohort(setup: Setup, task: Task, round_index: int) -> Cohort:
    """Who takes part in a round; `ValueError` when a cohort made anew needs more samples than there are."""
    config, law = setup.config, setup.law
    if law is None or task.population is None:
        held = task.source.cohort(round_index, config.seed_of("data"), task.labels, task.groups)
        return cohort_of(setup, held, task.labels, task.targets, round_index)
    if setup.work is not None:
        return drawn(law, config.seed_of("cohort"), planning(setup, task.population, round_index), round_index)
    seed, ahead = config.seed_of("cohort"), task.ahead
    if ahead.seed != seed or (ahead.law is not law and ahead.law != law):
        ahead.law, ahead.seed, ahead.cohorts = law, seed, {}
    if round_index not in ahead.cohorts:
        n = max(1, min(_AHEAD, _ENTRIES // len(task.population.clients)))
        ahead.cohorts = {round_index: drawn(law, seed, task.population, round_index)}
        for later in range(round_index + 1, min(round_index + n, config.n_rounds)):
            try:
                ahead.cohorts[later] = drawn(law, seed, task.population, later)
            except Exception:  # whatever somebody's law raises, it raises again in its own round
                break
    return ahead.cohorts[round_index]


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


def _labels(train: Samples) -> tuple[Index, int]:
    """Classes to divide by, and how many there are; data with real targets is divided by group."""
    if train.outputs.dtype == torch.int64:
        return train.outputs.numpy(), int(getattr(train, "n_classes", 0))
    if train.groups is not None:
        return train.groups.index.numpy(), len(train.groups.names)
    return np.zeros(len(train), dtype=np.int64), 1


def _black(train: Samples, scaling: Scaling, dtype: torch.dtype, device: torch.device) -> Tensor | None:
    """What black becomes in each channel, for images."""
    if train.inputs.ndim != 4:
        return None
    return scaling(torch.zeros_like(train.inputs[:1, :, :1, :1]), dtype).flatten().to(device)


def _note(config: RunConfig, train: Samples, shown: Tensor | None) -> str:
    notes = [train.note] if train.note else []
    if overlapping(train, config.split):
        notes.append(
            f"split={config.split!r} cuts windows that overlap: characters to predict in test samples also occur in"
            " training inputs; split='text-order' keeps them apart"
        )
    if shown is not None and config.target_source == "test":
        notes.append(
            f"transductive: the {len(shown)} unlabelled samples that weights are learned on are test samples, and are"
            " judged on, too"
        )
    return "; ".join(notes)


def _sampled(
    setup: Setup,
    name: str,
    part: Samples | None,
    counts: Index,
    scaling: Scaling,
    device: torch.device,
    kept: Tensor | None = None,
) -> Sampled | None:
    """The part called `name` on the device, weighted to the first target, and by the weights of all of several.

    `kept`: which of its samples it comes down to, bool (n,); None for all.
    """
    if part is None:
        return None
    weights = {text: _target_weights(setup, text, name, part, counts, kept) for text in setup.targets}
    found: dict[str, list[float]] = {text: (w if kept is None else w[kept]).tolist() for text, w in weights.items()}
    if kept is not None:
        part = subset(part, kept.nonzero().flatten())
    own = next(iter(found.values()), None)
    others = found if len(found) > 1 else {}
    return Sampled.of(part, own, device, DTYPES[setup.config.dtype], scaling, others)


def _target_weights(setup: Setup, target: str, name: str, part: Samples, counts: Index, kept: Tensor | None) -> Tensor:
    """A weight for each sample of the part called `name`, float64 (n,): 0 for those that are not `kept`.

    Of several targets with separate draws, 0 for this one's draw, too: what a run on it alone would not be judged on.
    """
    config = setup.config
    if part.outputs.dtype != torch.int64:
        raise ValueError(f"run(target={target!r}, dataset={config.dataset!r}): real-valued targets, no classes")
    shares = setup.targets[target].shares(counts)
    judged = torch.ones(len(part), dtype=torch.bool) if kept is None else kept
    if kept is not None and len(setup.targets) > 1:
        judged = _judged(config, _shown(config, part, shares, name), judged)
    weights = torch.zeros(len(part), dtype=torch.float64)
    try:
        weights[judged] = torch.from_numpy(target_weights(part.outputs[judged].numpy(), shares))
    except ValueError as error:
        raise ValueError(f"run(target={target!r}): the {name} part cannot be weighted to it: {error}") from error
    return weights


def _unlabelled(
    setup: Setup, validation: Samples | None, test: Samples, counts: Index, signals: Collection[str]
) -> tuple[Tensor | None, Tensor | None]:
    """(The server's unlabelled samples, when a rule looks at outputs; which test samples are judged, None for all).

    A separate draw, which of several targets is the first one's, is left out of the latter whether or not this rule
    looks at it, so that rules are judged alike.
    """
    config, source = setup.config, setup.config.target_source
    part = validation if source == "validation" else test
    asked = OUTPUTS & set(signals)
    if part is None or (not asked and source != "separate"):
        return None, None
    first = next(iter(setup.targets.values()), None)
    shares = None if first is None else first.shares(counts)
    name = "validation" if source == "validation" else "test"
    places = _shown(config, part, shares, name)
    judged = _judged(config, places, torch.ones(len(test), dtype=torch.bool)) if source == "separate" else None
    return (part.inputs[places] if asked else None), judged


def _shown(config: RunConfig, part: Samples, shares: Shares | None, name: str) -> Tensor:
    """Places of the samples that are shown of the part called `name` under these shares of a target."""
    return target_samples(part.outputs, shares, config.n_target_samples, config.seed_of("data"), name)


def _judged(config: RunConfig, shown: Tensor, among: Tensor) -> Tensor:
    """Which of the test samples `among`, bool (n,), are left once those at the places `shown` are set apart."""
    judged = among.clone()
    judged[shown] = False
    if not bool(judged.any()):
        raise ValueError(
            f"run(target_source='separate', n_target_samples={config.n_target_samples}): no test sample is left to"
            " judge; lower it"
        )
    return judged


def _check_outputs(config: RunConfig, model: Model, start: Tensor, train: Samples) -> None:
    """`ValueError` when the model's outputs do not fit the targets, such as scores at every position one label."""
    inputs, targets = train.inputs[:2], train.outputs[:2]
    buffers = initial_buffers(model)
    with torch.no_grad():
        outputs = model.logits(start, inputs, buffers if len(buffers) else None)
    wanted = getattr(train, "n_classes", 0)
    if not targets.is_floating_point() and (outputs.ndim < 2 or outputs.shape[-1] < wanted):
        raise ValueError(
            f"run(model={config.model!r}, dataset={config.dataset!r}): its outputs for {len(inputs)} samples have shape"
            f" {tuple(outputs.shape)}; expected {wanted} on the last axis, one for each class"
        )
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
