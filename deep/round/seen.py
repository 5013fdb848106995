"""What the rule and the server see of a round."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deep.aware_memory.rows import CohortRows, reads_rows
from deep.local.pool import Client
from deep.round.normalisation import Starts, broadcast_accuracy
from deep.round.work import Trained
from deep.storage.checkpoint import ServerState
from deep.task.cohort import Cohort
from deep.task.setup import Setup
from deep.task.signals import measure
from deep.task.task import Task
from deep.task.wanted import HANDED
from theory.algorithms import Method
from theory.rules.protocol import needs_of, remembers
from theory.rules.stats import RoundStats

__all__ = ["Arrived", "as_read_by", "signals_of", "stats_of"]

_LOSS_AFTER = "own model after local training; the broadcast model for absent clients"


@dataclass(frozen=True, eq=False)
class Arrived:
    """A round of `state` once its m messages are there.

    `effective` (n_slots,): steps as the server counts them; `at`: the models each client present began at; `received`
    (m, n_parameters): the updates as the server has them, which are those of `trained` unless messages change them.
    """

    setup: Setup
    task: Task
    state: ServerState
    cohort: Cohort
    effective: NDArray[np.float64]
    at: Starts
    trained: Trained
    received: Tensor


def stats_of(method: Method, arrived: Arrived, losses: dict[str, Tensor]) -> RoundStats:
    """What the rule sees: float64 of (n_slots,), updates (n_slots, n_parameters) with zero rows for absent clients, or
    None where nobody reads them, and the signals that the rule asks for. `losses` (n_slots,) by name.

    Raises `ValueError` for shares, losses or messages that do not fit.
    """
    config, task, state, cohort = arrived.setup.config, arrived.task, arrived.state, arrived.cohort
    at, trained, received, effective = arrived.at, arrived.trained, arrived.received, arrived.effective
    slots, rule = cohort.slots, method.rule
    needs = needs_of(rule)
    whole = not reads_rows(rule) and (needs is None or "updates" in needs or remembers(rule))
    updates = None
    if whole or ("updates" in method.server.needs and not reads_rows(method.server)):
        updates = received.new_zeros(len(cohort.clients), received.shape[1])
        updates[slots] = received
    signals = signals_of(
        task,
        arrived.setup.signals,
        starts=(at.vectors, at.buffers),
        ends=(trained.vectors, trained.buffers),
        slots=slots,
        everyone=cohort.clients,
        accuracy=lambda: broadcast_accuracy(config, task, state),
        seed=config.seed_of("training"),
        round_index=state.round,
        step_size=config.rate(state.round),
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


def signals_of(
    task: Task,
    names: Collection[str],
    *,
    starts: tuple[Tensor, Tensor],
    ends: tuple[Tensor, Tensor],
    slots: Sequence[int],
    everyone: Sequence[Client],
    accuracy: Callable[[], float],
    seed: int,
    round_index: int,
    step_size: float,
) -> dict[str, Tensor]:
    """`deep.task.signals.measure` on the model, samples and views of a task, and the `step_size` of all clients;
    nothing for no names.

    `starts` and `ends`: vectors (m, n_parameters) and buffers (m, n_buffers) of the clients at `slots`, before and
    after local training; `everyone`: the clients of all slots. Raises `ValueError` as `measure`.
    """
    measured = set(names) - {HANDED}
    known = {HANDED: torch.full((len(everyone),), step_size, dtype=torch.float64, device=starts[0].device)}
    given = known if HANDED in names else {}
    if not measured:
        return given
    return given | measure(
        measured,
        model=task.model,
        start=starts[0],
        start_buffers=starts[1],
        vectors=ends[0],
        buffers=ends[1],
        slots=slots,
        n_slots=len(everyone),
        clients=[everyone[slot] for slot in slots],
        pool=task.pool,
        target_inputs=task.target_inputs,
        views=task.views,
        scaling=task.scaling,
        accuracy=accuracy,
        seed=seed,
        round_index=round_index,
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
