"""A run under way: where it stands, what it keeps on disk after each round, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from deep.aware_memory.mapped_file import NAME, MappedRows, RowFile, reopened
from deep.round.play_round import first_state
from deep.round.workload import maps_rows
from deep.runs.identity import run_files, run_identity
from deep.runs.outcome import write_outcome
from deep.storage.checkpoint import ServerState
from deep.storage.folder import RunFolder
from deep.storage.record import DeepRun, Json, RoundRecord, Status, describe_rule
from deep.task.setup import Setup
from deep.task.task import Task

__all__ = ["Course", "advanced", "begun", "ended", "left", "run_files", "run_identity"]


@dataclass(frozen=True, eq=False)
class Course:
    """A run of `setup` on `task` after `state.round` rounds; `folder` is where it is kept, if anywhere.

    `history`: the records of a run without a folder; those of others are in its files alone.
    `status`: "completed" as long as nothing has diverged.
    """

    setup: Setup
    task: Task
    folder: RunFolder | None
    provenance: Json
    state: ServerState
    history: list[RoundRecord]
    status: Status = "completed"

    @property
    def records(self) -> Sequence[RoundRecord]:
        """Those of all rounds played, of a run with a folder read back from it."""
        return tuple(self.history) if self.folder is None else self.folder.history()

    @property
    def over(self) -> bool:
        """Whether no round is left to be played."""
        return self.status == "diverged" or self.state.round >= self.setup.config.n_rounds


def begun(setup: Setup, task: Task, folder: RunFolder | None, origin: Json) -> Course:
    """The run before its first round, or as its folder has it; `ValueError` for one that holds more rounds."""
    config, state = setup.config, first_state(setup, task)
    if folder is None:
        return Course(setup, task, None, origin, state, [])
    folder, state = folder.resume(state)
    place = folder.path / NAME
    if state.rule_state is None and maps_rows(setup, task):
        state = replace(state, rule_state={"memory": MappedRows(RowFile(place, len(task.start), task.start.dtype))})
    elif state.rule_state is not None:
        state = replace(state, rule_state=reopened(state.rule_state, place, task.start.dtype))
    if state.round > config.n_rounds:
        raise ValueError(
            f"run(out={str(folder.path)!r}, n_rounds={config.n_rounds}): the folder holds {state.round} rounds;"
            " expected as many or more, or another folder"
        )
    for name, text in run_files(config, setup.rule, task).items():
        folder.put(name, text)
    return Course(setup, task, folder, folder.provenance, state, [])


def advanced(course: Course, played: tuple[ServerState, RoundRecord] | None) -> Course:
    """The run after a round, which is on disk then or soon (`deep.storage.folder`); a round that came to None ends
    it.
    """
    if played is None:
        return replace(course, status="diverged")
    state, record = played
    folder = course.folder
    if folder is None:
        course.history.append(record)
    else:
        folder.check(state)
        folder = folder.append(record)
        if state.round % course.setup.config.checkpoint_every == 0:
            folder = folder.save(state)
    return replace(course, state=state, folder=folder)


def ended(course: Course) -> DeepRun:
    """What the run came to; its folder then holds the last checkpoint, the result and the tables."""
    if course.folder is not None:
        course = replace(course, folder=course.folder.save(course.state))
    described, settings = describe_rule(course.setup.rule)
    result = DeepRun(
        config=course.setup.config,
        rule=described,
        rule_settings=settings,
        partition_counts=course.task.partition_counts,
        history=course.records,
        status=course.status,
        floor=course.task.floor,
        model=course.state.model.cpu(),
        buffers=course.state.buffers.cpu(),
        provenance=course.provenance,
    )
    if course.folder is not None:
        course.folder.finish(result)
        write_outcome(result, course.folder.path)
    return result


def left(courses: Iterable[Course]) -> None:
    """Leaves runs that something stops: what was played is written, though nothing counts on it."""
    for course in courses:
        if course.folder is not None:
            with suppress(OSError):
                course.folder.written()
