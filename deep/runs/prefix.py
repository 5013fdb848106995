"""First rounds that two runs share: played once, and taken over by the other one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from deep.base.slots import of_some
from deep.runs.course import Course
from deep.runs.identity import run_identity
from deep.storage.checkpoint import differences, from_bytes, identity_of
from deep.storage.folder import CHECKPOINT
from deep.storage.record import RoundRecord

__all__ = ["Prefix", "with_prefix"]


@dataclass(frozen=True)
class Prefix:
    """The rounds of a run that has ended in `folder`, `records` of all of them; its rule has no memory."""

    folder: Path
    records: Sequence[RoundRecord]


def with_prefix(course: Course, prefix: Prefix, device: torch.device) -> Course:
    """The run with the rounds of another one that differs by its rule alone, where it has no round of its own.

    The caller answers for it that both rules do the same in these rounds and that this one then needs no memory of
    them. Losses that the other run measured are left out where this one measures none. Without a folder there is
    nothing to go on from, and rounds are played. Raises `ValueError` for a prefix of another configuration, of a rule
    with memory, with more rounds than this run, or damaged.
    """
    if course.folder is None or course.state.round:
        return course
    path = prefix.folder / CHECKPOINT
    try:
        content = path.read_bytes()
        stored = identity_of(content)
        state, _ = from_bytes(content, stored, course.state, device)
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: no checkpoint to begin with: {error}") from error
    mine, config = run_identity(course.setup, device), stored.get("config")
    unmeasured = course.setup.config.losses == "none"
    if unmeasured and isinstance(config, dict):
        config = {**config, "losses": "none"}
        state = replace(state, loss_best=course.state.loss_best)
    differs = differences(config, mine["config"]) or differences(stored.get("device"), mine["device"])
    n = len(prefix.records)
    if differs or state.rule_state is not None or state.round != n or n > course.setup.config.n_rounds:
        why = differs or f"it has {state.round} rounds of {n}, or a rule with memory"
        raise ValueError(f"{path}: cannot begin this run; {why}")
    folder = course.folder
    for record in prefix.records:
        folder = folder.append(_without_losses(record) if unmeasured else record)
    return replace(course, state=state, folder=folder.save(state))


def _without_losses(record: RoundRecord) -> RoundRecord:
    """The record of a round as it is where no losses are measured."""
    nobody = of_some(len(record.clients), None, [], [])
    return replace(
        record, loss_before=nobody, loss_after=nobody, loss_best=nobody, client_accuracy=nobody, train_loss=None
    )
