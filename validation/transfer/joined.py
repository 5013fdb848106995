"""A study over tasks from studies of some of them each, as when a network is added later."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from validation.transfer.over_tasks import MEASURES, rounded, taus, taus_told
from validation.transfer.prediction import digest
from validation.transfer.task_controls import gained

__all__ = ["joined"]

Json = dict[str, Any]


def joined(documents: Sequence[Json], predictions: Mapping[str, Json]) -> Json:
    """The document that `over_tasks` of all tasks would write.

    `documents`: of studies with other tasks each. `predictions` of all tasks, in their order. Raises `ValueError` for a
    task that is not in just one of the studies.
    """
    names = [name for one in documents for name in one["network"]]
    if sorted(names) != sorted(predictions):
        raise ValueError(f"joined: studies of {sorted(names)}; expected each of {sorted(predictions)} once")

    def each(pick: Callable[[Json], Sequence[Any]]) -> list[Any]:
        """What all studies have by task, in the order of the predictions."""
        by_task = dict(zip(names, (value for one in documents for value in pick(one)), strict=True))
        return [by_task[name] for name in predictions]

    def blind(measure: str, predictor: str) -> list[Any]:
        return each(lambda one: one["controls"]["permuted"][measure][predictor]["each"])

    def seen(measure: str) -> Json:
        rows = [one["controls"]["labels"][measure] for one in documents]
        return gained(each(lambda one: one["controls"]["labels"][measure]["each"]), rows, pairs)

    tasks = each(lambda one: one["tasks"])
    pairs = [f"{task['dataset']}, {task['beta']}" for task in tasks]
    network = dict(zip(predictions, each(lambda one: list(one["network"].values())), strict=True))
    predictors = next(iter(predictions.values()))
    found: Json = rounded(
        {
            "tasks": tasks,
            "digest": digest(predictions),
            "network": network,
            "tau": {measure: taus(predictions, network, measure, pairs) for measure in MEASURES},
            "controls": {
                "labels": {measure: seen(measure) for measure in documents[0]["controls"]["labels"]},
                "permuted": {m: taus_told({p: blind(m, p) for p in predictors}, pairs) for m in MEASURES},
            },
        }
    )
    return found
