"""Federated rounds over a real data set with any aggregation rule of `theory`."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

import torch

from deep.aware_memory.mapped_file import in_memory
from deep.base.device import usable_device
from deep.base.team import Parcel, Team, team
from deep.config.config import RunConfig
from deep.round.first_steps import check_first_steps
from deep.round.play_round import play_round, round_work
from deep.round.share_out import shared_out
from deep.round.workload import check_memory
from deep.runs.course import Course, advanced, begun, ended, left
from deep.runs.identity import run_identity
from deep.runs.prefix import Prefix, with_prefix
from deep.storage.checkpoint import from_bytes, to_bytes
from deep.storage.folder import open_folder
from deep.storage.record import DeepRun, Json, RoundRecord, provenance
from deep.task.reference import floor_of, reference_for
from deep.task.setup import setup_on
from deep.task.task import make_task
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
    until: Callable[[RoundRecord], bool] | None = None,
    after: Prefix | None = None,
    overwrite: bool = False,
) -> DeepRun:
    """w ← w + server_lr · Σ aₖ(wₖ − w), n_rounds times; wₖ is w after local SGD, the weights aₖ come from `rule`.

    Source: exp_alpha, Algorithm 1; robust_aggregation RA-ALG1; with `Proportional` and everyone present, FedAvg. What
    one round does, and what the rule sees of it, is in `deep.round.play_round` and `deep.round.seen`.

    With `out`, the folder holds what `deep.storage.folder` lists; calling again with the same config, rule and device
    resumes from its last checkpoint, to the same numbers as an undisturbed run, bit for bit with the same versions and
    number of threads; where these changed, the provenance says so. With more rounds than before a run that has ended is
    continued; the round that was its last keeps its evaluation. `on_round` is called after each round. A loss or a
    model that is not finite ends the run with status "diverged". One process at a time works on a folder.

    `until`: the run ends after a round of which it is true; called again without it, the run goes on. `after`: the
    first rounds of a run in a folder, which this one begins with if it has none of its own (`deep.runs.prefix`).
    `overwrite`: what an earlier run, of any configuration, left in the folder is deleted once this one can begin.

    `references`: the folder where references are kept (`deep.task.reference`); a floor that is solved is solved there,
    or for this run alone without one, and a floor that was reached is read from it.
    `data_root`: the folder of data files, for data sets that are not bundled; where it lies changes no number.

    Started by torchrun in several processes, these share out the clients' training and the samples that are judged
    (`deep.round.share_out`), each gets the same result, and the first alone has the folder; a run may change between
    one process and several when it is resumed.

    Raises `ValueError` for an unknown device, data files that are missing or damaged, a folder that belongs to
    another run, is in use or damaged, a partition or cohort that cannot be made, a rule that needs what the config does
    not measure, or weights that are not finite; with `out`, also for a rule that is not a dataclass.
    """
    where = usable_device(device)
    setup = setup_on(config, rule, where, kept=out is not None)
    together = team(where)
    with ExitStack() as held:
        with together.leader_first():
            task = make_task(setup, where, data_root)
            check_memory(setup, task)
            check_first_steps(setup, task)
            task = replace(task, floor=floor_of(config, reference_for(config, task, references)))
            origin, folder = provenance(config, where), None
            if together.size > 1:
                origin["processes"] = together.size
            if out is not None and together.leads:
                details: Json = {"note": task.note, "partition_counts": task.partition_counts}
                folder = held.enter_context(
                    open_folder(Path(out), run_identity(setup, where), origin, details, overwrite)
                )
            course = begun(setup, task, folder, origin)
            if after is not None:
                course = with_prefix(course, after, where)
        return _played(_where_the_leader_is(course, together), together, on_round, until)


def _where_the_leader_is(course: Course, together: Team) -> Course:
    """The run as the leader resumes it, state and records, for those who have no folder."""
    if together.size == 1:
        return course

    def make() -> Parcel:
        if not together.leads:
            return {}, {}
        whole = replace(course.state, rule_state=in_memory(course.state.rule_state))
        state = torch.frombuffer(bytearray(to_bytes(whole, {}, "")), dtype=torch.uint8)
        return {"state": state}, {"history": json.dumps([record.to_dict() for record in course.records])}

    tensors, texts = together.exchanged(make)[0]
    if together.leads:
        return course
    state, _ = from_bytes(tensors["state"].numpy().tobytes(), {}, course.state, course.state.model.device)
    return replace(course, state=state, history=[RoundRecord.from_dict(one) for one in json.loads(texts["history"])])


def _played(
    course: Course,
    together: Team,
    on_round: Callable[[RoundRecord], None] | None,
    until: Callable[[RoundRecord], bool] | None,
) -> DeepRun:
    """The rounds of a run that are missing, and what it came to."""
    enough = until is not None and any(until(record) for record in course.records)
    try:
        while not course.over and not enough:
            if together.size == 1:
                played = play_round(course.setup, course.task, course.state)
            else:
                played = shared_out(round_work(course.setup, course.task, course.state), together)
                together.check_same(course.state.model if played is None else played[0].model, course.state.round)
            course = advanced(course, played)
            if played is not None:
                enough = until is not None and until(played[1])
                if on_round is not None:
                    on_round(played[1])
    except BaseException:
        left([course])
        raise
    return ended(course)
