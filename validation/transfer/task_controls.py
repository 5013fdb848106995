"""Controls of a study over tasks: what can be seen at all (wrong labels), and what weights that are blind come to.

Positive: three of ten clients train on wrong labels. Weights that exclude them are set against data shares, on test
samples with true labels: a study whose measures do not show this difference shows nothing. Negative: each rule with its
weights permuted among clients in every round (`Permuted`). χ²(p‖a) and other predictors that know the weights alone
are hardly changed by that, so what an order of theory has beyond them there is not owed to whom a rule favours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar

import numpy as np

from deep import RunConfig
from deep.partition import Flipped
from deep.partition.registry import make_partition, partition_text
from deep.runs.fleet import Member, run_fleet
from theory.base.arrays import device_of, namespace
from theory.rules.by_share.proportional import Proportional
from theory.rules.protocol import normalised
from theory.rules.stats import RoundStats
from validation.recipe.statistics.contrast import direction_p
from validation.recipe.statistics.intervals import mean_of
from validation.transfer.answer import grouped
from validation.transfer.prediction import last
from validation.transfer.setting import Setting

__all__ = ["Excluding", "corrupted_config", "gained", "labels_seen", "seen_by_labels"]

CORRUPTED = 0.3  # of the clients
Json = dict[str, Any]


@dataclass(frozen=True)
class Excluding:
    """aₖ = pₖ of the clients that are not in `excluded`, renormalised: no server knows whose labels are wrong."""

    needs: ClassVar[tuple[str, ...]] = ()

    excluded: tuple[int, ...]

    def __call__(self, stats: RoundStats) -> Any:
        """Weights of shape (*batch, n_clients)."""
        xp = namespace(stats.share)
        kept = np.ones(stats.n_clients, dtype=bool)
        kept[list(self.excluded)] = False
        mask = xp.asarray(kept, device=device_of(stats.share)) & stats.present
        return normalised(xp.where(mask, stats.share, xp.zeros_like(stats.share)), "Excluding")


def corrupted_config(task: Setting, seed: int) -> tuple[RunConfig, tuple[int, ...]]:
    """The task's network run with wrong labels at three of ten clients, and who they are."""
    config = task.config("network", seed, task.beta)
    flips = Flipped(make_partition(config.partition), corruption=CORRUPTED, exact=True)
    bad = flips.corrupted(config.n_clients, config.seed_of("data"))
    return replace(config, partition=partition_text(flips), evaluate_every=config.n_rounds), tuple(
        int(k) for k in np.flatnonzero(bad)
    )


def seen_by_labels(task: Setting, data_root: Path | str | None, references: Path) -> Json:
    """By measure the last value with data shares and with the corrupted clients excluded, of every seed."""
    members = []
    for seed in range(task.n_seeds):
        config, bad = corrupted_config(task, seed)
        members += [Member(config, Proportional()), Member(config, Excluding(bad))]
    results = run_fleet(members, data_root=data_root, references=references)
    found: Json = {"shares": {"test_loss": [], "error": []}, "excluding": {"test_loss": [], "error": []}}
    for place, one in enumerate(results):
        of = found["excluding" if place % 2 else "shares"]
        of["test_loss"].append(last({"test_loss": [r.test_loss for r in one.history]}, "test_loss"))
        of["error"].append(1 - last({"accuracy": [r.test_accuracy for r in one.history]}, "accuracy"))
    return found


def labels_seen(by_task: Mapping[str, Json], groups: Sequence[str]) -> Json:
    """By measure: excluding less shares task by task, its mean over `groups` of tasks with interval and p, and the mean
    of shares.
    """
    found: Json = {}
    for measure in ("test_loss", "error"):
        pairs = [(fmean(one["excluding"][measure]), fmean(one["shares"][measure])) for one in by_task.values()]
        found[measure] = _gain([a - b for a, b in pairs], fmean(b for _, b in pairs), groups)
    return found


def gained(each: Sequence[float], rows: Sequence[Json], groups: Sequence[str]) -> Json:
    """`labels_seen` of a measure for the tasks of several studies: `each` of all tasks, and the studies' own rows."""
    shares = sum(row["shares"] * len(row["each"]) for row in rows) / len(each)
    return _gain(each, shares, groups)


def _gain(each: Sequence[float], shares: float, groups: Sequence[str]) -> Json:
    of_groups = grouped(each, groups)
    return {"each": list(each), **asdict(mean_of(of_groups)), "p": direction_p(of_groups), "shares": shares}
