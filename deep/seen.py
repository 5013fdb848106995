"""What the rule and the server see of a round."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deep.checkpoint import ServerState
from deep.cohort import Cohort
from deep.config import RunConfig
from deep.normalisation import Starts, broadcast_accuracy
from deep.remembered import CohortRows, reads_rows
from deep.signals import measure, wanted
from deep.task import Task
from deep.work import Trained
from theory.algorithms import Method
from theory.rules.protocol import needs_of, remembers
from theory.stats import RoundStats

__all__ = ["as_read_by", "stats_of"]

_LOSS_AFTER = "own model after local training; the broadcast model for absent clients"


def stats_of(
    config: RunConfig,
    method: Method,
    task: Task,
    state: ServerState,
    cohort: Cohort,
    effective: NDArray[np.float64],
    at: Starts,
    trained: Trained,
    received: Tensor,
    losses: dict[str, Tensor],
) -> RoundStats:
    """What the rule sees."""
    slots, rule = cohort.slots, method.rule
    needs = needs_of(rule)
    whole = not reads_rows(rule) and (needs is None or "updates" in needs or remembers(rule))
    updates = None
    if whole or ("updates" in method.server.needs and not reads_rows(method.server)):
        updates = received.new_zeros(len(cohort.clients), received.shape[1])
        updates[slots] = received
    names = wanted(rule)
    signals = (
        {}
        if not names
        else measure(
            names,
            model=task.model,
            start=at.vectors,
            start_buffers=at.buffers,
            vectors=trained.vectors,
            buffers=trained.buffers,
            slots=slots,
            n_slots=len(cohort.clients),
            clients=[cohort.clients[slot] for slot in slots],
            pool=task.pool,
            target_inputs=task.target_inputs,
            views=task.views,
            scaling=task.scaling,
            accuracy=lambda: broadcast_accuracy(config, task, state),
            seed=config.seed_of("training"),
            round_index=state.round,
        )
    )
    # What comes from this engine is known to fit; shares and messages may be somebody else's.
    fixed = task.population is not None and cohort.share is task.population.share
    trusted = fixed and bool(slots) and received is trained.updates
    return (RoundStats.unchecked if trusted else RoundStats)(
        share=cohort.share,
        present=cohort.present,
        **losses,
        local_steps=cohort.finished_steps,
        planned_steps=_planner(task, cohort).planned_steps,
        effective_steps=cohort.finished_steps if effective is cohort.finished else _doubles(effective, cohort.share),
        updates=updates,
        round=state.round,
        signals=signals,
        observed_at={"loss_after": _LOSS_AFTER, "loss_best": task.floor.says},
    )


def as_read_by(stats: RoundStats, cohort: Cohort, received: Tensor, part: object) -> RoundStats:
    """`stats` as `part`, the rule or the server, reads its updates: all of them, or those of clients present alone."""
    if not reads_rows(part):
        return stats
    updates = CohortRows(received, tuple(cohort.slots), len(cohort.clients))
    return RoundStats.unchecked(**{**stats.__dict__, "updates": updates})


def _planner(task: Task, cohort: Cohort) -> Cohort:
    """Whose plans the round's are: those of the fixed population, whose tensor is made once, or its own."""
    everyone = task.population
    return everyone if everyone is not None and everyone.planned is cohort.planned else cohort


def _doubles(values: NDArray[Any], like: Tensor) -> Tensor:
    """A copy in float64 on the device of `like`."""
    return torch.from_numpy(values.astype(np.float64)).to(like.device)
