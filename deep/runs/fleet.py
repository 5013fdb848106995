"""A fleet: runs of several rules and seeds, round by round in one process, what they have in common done once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from torch import Tensor

from deep.base.device import usable_device
from deep.base.team import team
from deep.config.config import RunConfig
from deep.data import read_parts
from deep.round.first_steps import check_first_steps
from deep.round.play_round import round_work
from deep.round.work import Packs, in_lock_step
from deep.round.workload import check_memory
from deep.runs.course import Course, advanced, begun, ended, left
from deep.runs.identity import run_identity
from deep.storage.folder import open_folder
from deep.storage.record import DeepRun, Json, RoundRecord, provenance
from deep.task.evaluation import Sampled
from deep.task.reference import floor_of, reference_for
from deep.task.setup import Setup, setup_on
from deep.task.task import Task, make_task
from theory.rules.protocol import MemoryRule, Rule

__all__ = ["Member", "run_fleet"]


@dataclass(frozen=True)
class Member:
    """One run of a fleet: its configuration, its rule, and its folder if it has one."""

    config: RunConfig
    rule: Rule | MemoryRule
    out: Path | None = None


def run_fleet(
    members: Sequence[Member],
    *,
    device: str | torch.device = "cpu",
    data_root: Path | str | None = None,
    references: Path | str | None = None,
    on_round: Callable[[int, RoundRecord], None] | None = None,
) -> list[DeepRun]:
    """What `deep.run` makes of each member, in their order; every folder holds what it would hold of a run by itself.

    Members of equal configurations share the task: data, partition, references, and each round's cohort, batches and
    samples; inputs that are equal lie on the device once for all members. Where the model is a stack of linear layers
    their clients train as one batch, and their losses and evaluations take one pass. Where clients of a network train
    together (on a GPU, or by `trainer`), those of all members with the same training samples do, whatever their rules,
    seeds and client algorithms, if the local steps are affine at one rate; a pack that memory does not hold is halved,
    and "packs_of_at_most" in the provenance says so. All else is done one after the other. Numbers agree with single
    runs to float tolerance, because batched products may sum in another order; where they are done one after the other,
    bit for bit.
    Members are resumed as single runs are, whichever of the two began them; those behind the others catch up first. One
    that diverges ends, and the others go on. `on_round` is told the member's place.

    A fleet holds the data once for each configuration. Raises `ValueError` as `deep.run`, and for two members of one
    folder, before any round is played.
    """
    where = usable_device(device)
    if team(where).size > 1:
        raise ValueError("run_fleet: torchrun shares out the clients of one run; start a fleet without it")
    if not members:
        raise ValueError("run_fleet(0 members): expected at least one")
    _check_folders(members)
    setups = [setup_on(member.config, member.rule, where, kept=member.out is not None) for member in members]
    tasks = _tasks(setups, where, data_root, references)
    origins = {config: provenance(config, where) for config in tasks}
    with ExitStack() as open_folders:
        courses = []
        for member, setup in zip(members, setups, strict=True):
            task, folder = tasks[member.config], None
            check_memory(setup, task)
            check_first_steps(setup, task)
            if member.out is not None:
                identity = run_identity(setup, where)
                details: Json = {"note": task.note, "partition_counts": task.partition_counts}
                kept = open_folder(member.out, identity, origins[member.config], details)
                folder = open_folders.enter_context(kept)
            courses.append(begun(setup, task, folder, origins[member.config]))
        packed = Packs()
        courses = _played(courses, packed, on_round)
        return [ended(_with_packs(course, packed)) for course in courses]


def _check_folders(members: Sequence[Member]) -> None:
    """`ValueError` for two members of one folder, with their rules."""
    first: dict[Path, Member] = {}
    for member in members:
        if member.out is None:
            continue
        other = first.setdefault(member.out.resolve(), member)
        if other is not member:
            two = " and ".join(f"{one.rule!r} in seed {one.config.seed}" for one in (other, member))
            raise ValueError(
                f"run_fleet({len(members)} members): {two} are both to be in {member.out}; expected each with a folder"
                " of its own"
            )


def _tasks(
    setups: Sequence[Setup], device: torch.device, data_root: Path | str | None, references: Path | str | None
) -> dict[RunConfig, Task]:
    """The task of each configuration, made for what any of its rules asks for; each data set is read once."""
    parts = {name: read_parts(name, data_root) for name in {setup.config.dataset for setup in setups}}
    tasks: dict[RunConfig, Task] = {}
    for config in dict.fromkeys(setup.config for setup in setups):
        alike = [setup for setup in setups if setup.config == config]
        signals = frozenset[str]().union(*(setup.asked for setup in alike))
        task = make_task(alike[0], device, data_root, signals, parts[config.dataset])
        task = _sharing(task, tasks.values())
        tasks[config] = replace(task, floor=floor_of(config, reference_for(config, task, references)))
    return tasks


def _sharing(task: Task, others: Iterable[Task]) -> Task:
    """The task with the inputs of another one, where they are equal."""
    for other in others:
        one, same = task.pool, other.pool
        if one is not same and _equal(one.inputs, same.inputs) and _equal(one.fill, same.fill):
            task = replace(task, pool=same)
        task = replace(task, test=_with_inputs(task.test, other.test))
        if task.validation is not None and other.validation is not None:
            task = replace(task, validation=_with_inputs(task.validation, other.validation))
    return task


def _with_inputs(one: Sampled, other: Sampled) -> Sampled:
    """The samples with the inputs of others, where they are equal."""
    same = one.inputs is other.inputs or not _equal(one.inputs, other.inputs)
    return one if same else replace(one, inputs=other.inputs)


def _equal(one: Tensor | None, other: Tensor | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and one.dtype == other.dtype and torch.equal(one, other)


def _with_packs(course: Course, packed: Packs) -> Course:
    """With how many members were done together in its provenance, where memory set the number."""
    if packed.most is None:
        return course
    return replace(course, provenance={**course.provenance, "packs_of_at_most": packed.most})


def _played(courses: list[Course], packed: Packs, on_round: Callable[[int, RoundRecord], None] | None) -> list[Course]:
    """The runs at their ends, those that are furthest behind advanced together."""
    courses = list(courses)
    try:
        while any(not course.over for course in courses):
            behind = min(course.state.round for course in courses if not course.over)
            places = [p for p, course in enumerate(courses) if not course.over and course.state.round == behind]
            works = [round_work(c.setup, c.task, c.state) for c in (courses[place] for place in places)]
            for place, played in zip(places, in_lock_step(works, packed), strict=True):
                courses[place] = advanced(courses[place], played)
                if played is not None and on_round is not None:
                    on_round(place, played[1])
    except BaseException:
        left(courses)
        raise
    return courses
