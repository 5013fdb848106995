"""A run under way: where it stands, what it keeps on disk after each round, and what it comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace

import torch

from deep.checkpoint import ServerState
from deep.config import RunConfig
from deep.folder import RunFolder
from deep.mapped_rows import NAME, MappedRows, RowFile, reopened
from deep.outcome import write_outcome
from deep.own import own_origins
from deep.partition import division_svg
from deep.record import DeepRun, Json, RoundRecord, Status, describe_rule
from deep.round import first_state
from deep.settings import to_toml
from deep.setup import Setup
from deep.task import Task
from deep.workload import maps_rows
from theory.rules.protocol import MemoryRule, Rule

__all__ = ["Course", "advanced", "begun", "ended", "left", "run_files", "run_identity"]


_LATER = {("products", "full"), ("compiled", False)}  # what runs begun before there was such a field did


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
    """The run after a round, which is on disk then or soon (`deep.folder`); a round that came to None ends it."""
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


def run_identity(setup: Setup, device: torch.device) -> Json:
    """What a resumed run has to repeat: everything but how many rounds are played, so that a run can be continued.

    A field that came later counts where it is not at its default, so that folders begun before go on. Parts of one's
    own (`theory.parts`) are in it with a digest of their source: changed code is another run.
    """
    name, settings = describe_rule(setup.rule)
    repeated = {field: value for field, value in asdict(setup.config).items() if field != "n_rounds"}
    repeated = {field: value for field, value in repeated.items() if (field, value) not in _LATER}
    identity: Json = {"config": repeated, "rule": name, "rule_settings": settings, "device": str(device)}
    own = own_origins(setup)
    return identity | ({"own_parts": own} if own else {})


def run_files(config: RunConfig, rule: Rule | MemoryRule, task: Task | None) -> dict[str, str]:
    """What a folder holds for readers from the start, by name: the configuration, and the partition of a task."""
    files = {"config.toml": _as_toml(config, rule)}
    if task is not None:
        files["partition.svg"] = division_svg(task.division, f"{config.dataset}: {config.cohort or config.partition}")
    return files


def _as_toml(config: RunConfig, rule: Rule | MemoryRule) -> str:
    """The run as `deep.settings` reads it; a rule that no text names, such as one of the caller's, is a comment."""
    try:
        return to_toml(config, rule)
    except ValueError:
        return "".join(f"# {line}\n" for line in f"rule: {rule!r}".splitlines()) + to_toml(config)
