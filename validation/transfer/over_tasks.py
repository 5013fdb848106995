"""Does theory's order of rules hold in networks, over tasks? Predictions of all tasks first, then the networks.

A task is a data set, a partition and a network. Theory predicts from the solved task on the same data (`predicted`);
trivial predictors know only the weights: how far they are from data shares and from even ones, and how few clients they
come to. The measures favour no rule by construction: the loss on test samples, that of the client which is worst off,
and accuracy. What is compared are rules that are disputed. Networks of one data set and partition share clients and
predictions, so intervals are over these pairs, each a mean over its networks. Controls are in
`validation.transfer.task_controls`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from math import sqrt
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np

from theory.base.files import replace_file
from validation.recipe.statistics.contrast import direction_p
from validation.recipe.statistics.intervals import mean_of, quantile
from validation.transfer.answer import grouped, kendall
from validation.transfer.columns import Data, Job, Played, solved, trained
from validation.transfer.prediction import Order, digest, last, predicted
from validation.transfer.setting import RULES, Setting
from validation.transfer.task_controls import labels_seen, seen_by_labels

__all__ = [
    "DISPUTED",
    "MEASURES",
    "PREDICTIONS",
    "RESULT",
    "TRIVIAL",
    "over_tasks",
    "predictions_of",
    "rounded",
    "tasks_like",
    "taus",
    "taus_told",
]

DISPUTED = (*(rule for rule in RULES if "better" not in rule), "uniform")
"""Rules that favour the clients with the least loss are left out: that they lose is no prediction."""
TRIVIAL = ("chi_square", "uneven", "few_clients")
MEASURES = ("test_loss", "worst", "error")  # less is better
PREDICTIONS, RESULT = "predictions.json", "over_tasks.json"
_POWER = 0.8
_DIGITS = 5
Json = dict[str, Any]
Tick = Callable[[str], None]

DATASETS, BETAS = ("mnist", "fashion-mnist"), (0.1, 0.3, 1.0)
MODELS = ("softmax-regression", "mlp(hidden=[32])", "robust-cnn-flattened")


def tasks_like(
    setting: Setting,
    datasets: Sequence[str] = DATASETS,
    betas: Sequence[float] = BETAS,
    models: Sequence[str] = MODELS,
) -> tuple[Setting, ...]:
    """The setting on each data set, partition and network, by default eighteen tasks."""
    return tuple(
        replace(setting, dataset=dataset, beta=beta, betas=(beta,), model=model)
        for dataset, beta, model in product(datasets, betas, models)
    )


@dataclass(frozen=True)
class _Place:
    """Where tasks are kept; `data` reads a data set when the first run needs it."""

    folder: Path
    data_root: Path | str | None

    def data(self, setting: Setting) -> Data:
        return Data.of(setting, self.data_root, self.folder / "references")


def name_of(task: Setting) -> str:
    """Data set, partition and network."""
    return f"{_solved_as(task)}, {task.model}"


def _solved_as(task: Setting) -> str:
    """Data set and partition: tasks of one such pair share clients and predictions."""
    return f"{task.dataset}, beta = {task.beta:g}"


def predictions_of(runs: Mapping[str, Sequence[Played]]) -> dict[str, Order]:
    """Every order of the rules from their solved runs: theory's two, and the trivial ones from weights alone."""
    found = predicted({rule: [one.series for one in of] for rule, of in runs.items()})
    for rule, of in runs.items():
        weights = [np.asarray(record.weights) for one in of if one.run is not None for record in one.run.history]
        rounds = [v for one in of for v in one.series["chi_square"] if v is not None]
        n = len(weights[0])
        found.setdefault("chi_square", {})[rule] = fmean(rounds)
        found.setdefault("uneven", {})[rule] = fmean(float(((a - 1 / n) ** 2).sum()) for a in weights)
        found.setdefault("few_clients", {})[rule] = fmean(-1 / float((a**2).sum()) for a in weights)
    return found


def over_tasks(
    tasks: Sequence[Setting], folder: Path, *, data_root: Path | str | None = None, tick: Tick = lambda _: None
) -> Json:
    """The study, kept in `folder`; called again it goes on. Predictions of all tasks are written before any network.

    Raises `ValueError` where predictions that stand there are not what the solved tasks say, and for fewer than two
    pairs of data set and partition.
    """
    if len({_solved_as(task) for task in tasks}) < 2:
        raise ValueError(
            f"over_tasks: {len(tasks)} tasks of one data set and partition; expected at least 2 such pairs, since"
            " intervals are over them"
        )
    folder.mkdir(parents=True, exist_ok=True)
    place = _Place(folder, data_root)
    made = rounded({name_of(task): _predicted(task, place, tick) for task in tasks})
    file = folder / PREDICTIONS
    if not file.exists():
        replace_file(file, _text(made))
    if json.loads(file.read_text(encoding="utf-8")) != made:
        raise ValueError(f"{file}: differs from what the solved tasks give now; predictions are never changed")
    ended = {name_of(task): _network(task, place, tick) for task in tasks}
    blind = {name_of(task): _network(task, place, tick, "permuted") for task in tasks}
    labels = {name_of(task): _labels(task, place, tick) for task in tasks}
    pairs = [_solved_as(task) for task in tasks]
    document = {
        "tasks": [task.to_dict() for task in tasks],
        "digest": digest(made),
        "network": ended,
        "tau": {measure: taus(made, ended, measure, pairs) for measure in MEASURES},
        "controls": {
            "labels": labels_seen(labels, pairs),
            "permuted": {measure: taus(made, blind, measure, pairs) for measure in MEASURES},
        },
    }
    kept: Json = rounded(document)
    replace_file(folder / RESULT, _text(kept))
    return kept


def _predicted(task: Setting, place: _Place, tick: Tick) -> Json:
    name = _solved_as(task)
    return _kept(place.folder / f"solved {name}.json", lambda: _solve(task, place, tick, name))


def _solve(task: Setting, place: _Place, tick: Tick, name: str) -> Json:
    data, runs = place.data(task), {}
    for rule in task.rules:
        tick(f"solved: {name}, {rule}")
        runs[rule] = [solved(task, rule, seed, task.beta, data) for seed in range(task.n_seeds)]
    return dict(predictions_of(runs))


def _network(task: Setting, place: _Place, tick: Tick, control: str = "") -> Json:
    """Rule ↦ measure ↦ its last value of every seed."""
    column = control or "network"
    return _kept(place.folder / f"{column} {name_of(task)}.json", lambda: _train(task, place, tick, control))


def _labels(task: Setting, place: _Place, tick: Tick) -> Json:
    """See `seen_by_labels`."""

    def make() -> Json:
        tick(f"labels: {name_of(task)}")
        return seen_by_labels(task, place.data_root, place.folder / "references")

    return _kept(place.folder / f"labels {name_of(task)}.json", make)


def _train(task: Setting, place: _Place, tick: Tick, control: str) -> Json:
    tick(f"{control or 'network'}: {name_of(task)}")
    jobs = [Job(rule, seed, task.beta, control) for rule in task.rules for seed in range(task.n_seeds)]
    found: Json = {rule: {measure: [] for measure in MEASURES} for rule in task.rules}
    for job, played in zip(jobs, trained(task, "network", jobs, place.data(task), every=task.n_rounds), strict=True):
        of = found[job.rule]
        of["worst"].append(last(played.series, "worst"))
        of["error"].append(1 - last(played.series, "accuracy"))
        losses = [] if played.run is None else [record.test_loss for record in played.run.history]
        of["test_loss"].append(last({"test_loss": losses}, "test_loss"))
    return found


def taus(predictions: Mapping[str, Json], ended: Mapping[str, Json], measure: str, groups: Sequence[str]) -> Json:
    """Of each predictor τ with the networks' means, task by task; then as `taus_told`."""
    each: dict[str, list[float]] = {}
    for task, orders in predictions.items():
        means = {rule: fmean(of[measure]) for rule, of in ended[task].items()}
        for name, order in orders.items():
            rules = list(order)
            each.setdefault(name, []).append(kendall([order[r] for r in rules], [means[r] for r in rules]))
    return taus_told(each, groups)


def taus_told(each: Mapping[str, Sequence[float]], groups: Sequence[str]) -> Json:
    """τ task by task, its mean over `groups` of tasks, and what it has beyond the best trivial predictor (paired)."""
    best = max(TRIVIAL, key=lambda name: fmean(each[name]))
    return {
        name: {
            "each": list(values),
            "mean": asdict(mean_of(grouped(values, groups))),
            "beyond": _beyond([a - b for a, b in zip(values, each[best], strict=True)], best, groups),
        }
        for name, values in each.items()
    }


def _beyond(apart: Sequence[float], best: str, groups: Sequence[str]) -> Json:
    """The mean of the differences, its interval and p, and the mean that so many groups find in 80 % of all cases."""
    differences = grouped(apart, groups)
    n = len(differences)
    detected = (quantile(n) + quantile(n, 2 * _POWER - 1)) * stdev(differences) / sqrt(n)
    return {"than": best, **asdict(mean_of(differences)), "p": direction_p(differences), "detectable": detected}


def _kept(file: Path, make: Callable[[], Json]) -> Json:
    """What a file holds, made and written where there is none."""
    if not file.exists():
        replace_file(file, _text(rounded(make())))
    found: Json = json.loads(file.read_text(encoding="utf-8"))
    return found


def _text(value: Json) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n").encode()


def rounded(value: Any) -> Any:
    """The same with numbers of `_DIGITS` significant digits."""
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}")
    if isinstance(value, Mapping):
        return {key: rounded(part) for key, part in value.items()}
    return [rounded(part) for part in value] if isinstance(value, list | tuple) else value
