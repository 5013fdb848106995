"""Federated rounds over a real data set with any aggregation rule of `theory`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import is_dataclass, replace
from pathlib import Path

import torch

from deep.algorithm import check_method, method_signals
from deep.config import RunConfig
from deep.course import Course, advanced, begun, ended, run_identity
from deep.device import usable_device
from deep.folder import open_folder
from deep.record import DeepRun, RoundRecord, describe_rule, provenance
from deep.reference import floor_of, reference_for
from deep.round import play_round
from deep.rule_checks import check_rule
from deep.task import make_task
from deep.workload import check_memory
from theory.rules.protocol import MemoryRule, Rule

__all__ = ["run"]


def run(
    config: RunConfig,
    rule: Rule | MemoryRule,
    *,
    out: Path | str | None = None,
    device: str | torch.device = "cpu",
    data_root: Path | str | None = None,
    references: Path | str | None = None,
    on_round: Callable[[RoundRecord], None] | None = None,
) -> DeepRun:
    """w ← w + server_lr · Σ aₖ(wₖ − w), n_rounds times; wₖ is w after local SGD, the weights aₖ come from `rule`.

    Source: exp_alpha, Algorithm 1; robust_aggregation RA-ALG1; with `Proportional` and everyone present, FedAvg. What
    one round does, and what the rule sees of it, is in `deep.round`.

    With `out`, the folder holds what `deep.folder` lists; calling again with the same config, rule and device resumes
    from its last checkpoint, to the same numbers as an undisturbed run, bit for bit with the same versions and number
    of threads; where these changed, the provenance says so. With more rounds than before a run that has ended is
    continued; the round that was its last keeps its evaluation. `on_round` is called after each round, once it is on
    disk. A loss or a model that is not finite ends the run with status "diverged". One process at a time works on a
    folder.

    `references`: the folder where references are kept (`deep.reference`); a floor that is solved is solved there, or
    for this run alone without one, and a floor that was reached is read from it.
    `data_root`: the folder of data files, for data sets that are not bundled; where it lies changes no number.

    Raises `ValueError` for an unknown device, data files that are missing or damaged, a folder that belongs to
    another run, is in use or damaged, a partition or cohort that cannot be made, a rule that needs what the config does
    not measure, or weights that are not finite; with `out`, also for a rule that is not a dataclass.
    """
    where = usable_device(device)
    check_rule(config, rule)
    check_method(config, rule)
    if out is not None and not is_dataclass(rule):
        raise ValueError(f"run(rule={describe_rule(rule)[0]}, out=…): a rule that is to be resumed must be a dataclass")
    task = make_task(config, where, data_root, method_signals(config, rule))
    check_memory(config, rule, task)
    task = replace(task, floor=floor_of(config, reference_for(config, task, references)))
    origin = provenance(config, where)
    if out is None:
        return _played(begun(config, rule, task, None, origin), on_round)
    details = {"note": task.note, "partition_counts": task.partition_counts}
    with open_folder(Path(out), run_identity(config, rule, where), origin, details) as folder:
        return _played(begun(config, rule, task, folder, origin), on_round)


def _played(course: Course, on_round: Callable[[RoundRecord], None] | None) -> DeepRun:
    """The rounds of a run that are missing, and what it came to."""
    while not course.over:
        played = play_round(course.config, course.rule, course.task, course.state)
        course = advanced(course, played)
        if played is not None and on_round is not None:
            on_round(played[1])
    return ended(course)
