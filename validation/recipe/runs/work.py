"""What a round of a unit comes to in floating-point operations, from its configuration alone: no data are read."""

from __future__ import annotations

from dataclasses import fields
from functools import cache
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING

from validation.recipe.unit import Unit, seedless

if TYPE_CHECKING:
    from collections.abc import Mapping

    from deep.config.config import RunConfig

__all__ = ["Shape", "at_hand", "chance_of", "method_of", "round_flops", "same_work"]

Shape = tuple[tuple[int, int, int], int, int, int]
"""Shape of an image, classes, samples of the official training and test part (all of them where there is none)."""

_SHAPES: Mapping[str, Shape] = MappingProxyType(
    {
        "digits": ((1, 8, 8), 10, 1797, 0),
        "mnist": ((1, 28, 28), 10, 60_000, 10_000),
        "fashion-mnist": ((1, 28, 28), 10, 60_000, 10_000),
        "emnist-balanced": ((1, 28, 28), 47, 112_800, 18_800),
        "cifar-10": ((3, 32, 32), 10, 50_000, 10_000),
        "cifar-100": ((3, 32, 32), 100, 50_000, 10_000),
        "cinic-10": ((3, 32, 32), 10, 90_000, 90_000),
    }
)
_NO_TIME = {"seed", "data_seed", "n_rounds", "local_lr", "lr_decay", "server_lr", "l2", "scaling", "floor"}
_BACKWARD = 3  # a step of training in forward passes
_BESIDE = 1e8  # operations in whose time a client's round does all else: messages, records, the loop; 2 ms, measured


def same_work(unit: Unit) -> tuple[object, ...]:
    """What decides how long a round takes: settings that only change numbers are left out."""
    settings = seedless(unit)
    told = (getattr(settings.config, f.name) for f in fields(settings.config) if f.name not in _NO_TIME)
    return type(settings.rule), *told


def method_of(unit: Unit) -> tuple[str, str, str]:
    """Rule, client and server by name, without their numbers."""
    settings = seedless(unit)
    config = settings.config
    return type(settings.rule).__name__, config.client.partition("(")[0], config.server.partition("(")[0]


def at_hand(dataset: str, root: Path | None) -> bool:
    """Whether a data set can be looked for: it is bundled or one's own, or the first folder of its files is there."""
    from deep.data.catalogue import DATASETS

    reader = DATASETS.get(dataset)
    return reader is None or reader.bundled or (root is not None and (root / reader.files.partition("/")[0]).is_dir())


def chance_of(unit: Unit) -> float:
    """The accuracy of guessing, one over the classes; 0 for data of unknown size."""
    shape = _SHAPES.get(seedless(unit).config.dataset)
    return 0.0 if shape is None else 1 / shape[1]


def round_flops(unit: Unit) -> float | None:
    """Operations of a mean round: training, losses of those present, evaluations; None for data of unknown size.

    A step of training counts three forward passes, or as often as a client's method descends inside of it, whatever
    else that or a server's rule adds. Clients that are judged by a model of their own are each judged on all samples.
    What a client's round takes beside is counted as operations, too: of small models it is most.
    """
    from deep.features import client_of
    from deep.task.rule_checks import losses_of
    from deep.task.weighted_first import trained_share

    settings = seedless(unit)
    config = settings.config
    shape = _SHAPES.get(config.dataset)
    if shape is None:
        return None
    train, judged = _parts(config, shape)
    slots, present, size = _slots(config)
    train = train if size is None else slots * size
    if config.n_local_steps:
        trained = float(present * config.n_local_steps * min(config.batch_size, max(1, train // slots)))
    else:
        trained = config.n_local_epochs * train * present / slots
    trained *= trained_share(config, settings.rule, slots, present)
    read = losses_of(config, settings.rule, train)
    measured = {"all": train, "present": train * present / slots, "none": 0.0}[read]
    client = client_of(config.client)
    trained *= int(getattr(client, "n_inner", 1))
    judged *= 1 + slots if client.judges else 1
    passes = _BACKWARD * trained + measured + judged / config.evaluate_every
    return passes * _model_flops(config.model, config.dataset) + _BESIDE * present


def _parts(config: RunConfig, shape: Shape) -> tuple[int, int]:
    """Samples trained on, and those judged on."""
    _, _, train, test = shape
    if not test or config.split == "fractions":
        return round(0.7 * (train + test)), round(0.3 * (train + test))
    if config.split == "efl":
        return round(0.8 * (train + test)), round(0.2 * (train + test))
    if config.split == "official":
        return round(0.7 * train), round(0.3 * train) + test
    return train, test


def _slots(config: RunConfig) -> tuple[int, int, int | None]:
    """Clients, those present in a round, and samples of each where clients are made anew, all of which are present."""
    from deep.partition import Population, make_cohort

    if config.cohort:
        source = make_cohort(config.cohort)
        if not isinstance(source, Population):
            n = int(getattr(source, "n_clients", config.n_clients))
            return n, n, getattr(source, "size", None)
    return *config.population_size, None


@cache
def _model_flops(model: str, dataset: str) -> int:
    """Of a forward pass on one sample, counted on shapes."""
    from deep.models import cost, make_model

    image, n_classes, _, _ = _SHAPES[dataset]
    made, _ = make_model(model, SimpleNamespace(image_shape=image, n_classes=n_classes, name=dataset), 0)
    return cost(made).flops
