"""What only a local step would refuse, refused before a run begins: losses of clients' own, trainers, lone samples."""

from __future__ import annotations

import numpy as np
import torch

from deep.features.optimised import OptimiserStep
from deep.features.seam import LossStep
from deep.local import walk_in_turn
from deep.local.batches import LocalBatches, fewest_samples
from deep.local.trainers.together import uses_batch_statistics
from deep.models import training_logits
from deep.task.algorithm import first_steps
from deep.task.setup import Setup
from deep.task.task import Task, round_cohort
from theory.algorithms import Stepwise

__all__ = ["check_cohorts", "check_first_steps"]

_LOOKED_AT = 10_000  # clients of rounds; a run whose first lone sample, or failing law, comes later says so then


def check_first_steps(setup: Setup, task: Task) -> None:
    """`ValueError`, naming the cure, for local steps that a run would fail in.

    A model that draws at random, trained together or compiled; a step that is not affine under trainer "together"; a
    loss of the client's own that the model, its targets or `compiled` do not go with, found by one step on two samples
    that nobody keeps; and a batch of one sample where the model normalises by the statistics of the batch, in any round
    of a fixed population, in the first of another.
    """
    config = setup.config
    if getattr(task.model, "draws", False) and (config.trainer == "together" or config.compiled):
        raise ValueError(
            f"run(model={config.model!r}, trainer={config.trainer!r}, compiled={config.compiled}): its layers draw at"
            " random, for each client by itself; expected trainer='in-turn' or 'auto', and compiled=False"
        )
    for place, steps in enumerate(first_steps(setup.client, task.start)):
        if isinstance(steps, Stepwise):
            if config.trainer == "together" and place == 0:
                raise ValueError(
                    f"run(client={config.client!r}, trainer='together'): its local step is not affine; expected"
                    " 'in-turn' or 'auto'"
                )
            if isinstance(steps.step, LossStep | OptimiserStep):
                _rehearse(setup, task, steps)
    _check_batches(setup, task)


def check_cohorts(setup: Setup, task: Task) -> None:
    """`ValueError` for a round of a fixed population whose law of the cohort raises, with the round and what it says.

    A run says so in that round, and keeps the rounds before.
    """
    if task.population is None:
        return
    config, looked_at = setup.config, 0
    for r in range(config.n_rounds):
        try:
            looked_at += len(round_cohort(setup, task, r).slots)
        except ValueError as error:
            raise ValueError(
                f"run(participation={config.participation!r}): the cohort of round {r} cannot be drawn: {error}"
            ) from error
        if looked_at >= _LOOKED_AT:
            return


def _rehearse(setup: Setup, task: Task, steps: Stepwise) -> None:
    """One step of the first client."""
    config, client = setup.config, round_cohort(setup, task, 0).clients[0]
    n = min(2, len(client))
    batch = LocalBatches(np.arange(n)[None], np.array([n]))
    work = (task.model, task.start[None], task.buffers[None], task.pool, [client], [batch], config.local_lr, config.l2)
    try:
        walk_in_turn(*work, setup.momentum, steps, config.compiled)
    except ValueError as error:
        raise ValueError(
            f"run(client={config.client!r}, model={config.model!r}, compiled={config.compiled}): {error}"
        ) from error


def _check_batches(setup: Setup, task: Task) -> None:
    """`ValueError` for the first batch of one sample that a model cannot normalise."""
    config = setup.config
    if config.trains == "weighted" or not _needs_two(task):  # who trains is known after the losses of the round
        return
    everyone = task.population
    if everyone is not None and setup.work is None:
        fewest = (fewest_samples(setup, len(client), client.number) for client in everyone.clients)
        if min(fewest) > 1:
            return
    looked_at = 0
    for r in range(config.n_rounds if everyone is not None else 1):
        try:
            cohort = round_cohort(setup, task, r)
        except Exception:  # whatever somebody's law raises, it raises again in its own round; see `check_cohorts`
            return
        for slot in cohort.slots:
            client = cohort.clients[slot]
            if fewest_samples(setup, len(client), client.number, r, int(cohort.steps[slot])) == 1:
                raise ValueError(
                    f"run(model={config.model!r}, batch_size={config.batch_size}): client {client.number} of"
                    f" {len(client)} samples has a batch of one in round {r}, and the model normalises by the batch's"
                    " statistics, where one value has no variance; expected another batch_size, n_local_steps in place"
                    " of n_local_epochs, clients with more samples, or a model with norm='group'"
                )
        looked_at += len(cohort.slots)
        if looked_at >= _LOOKED_AT:
            return


def _needs_two(task: Task) -> bool:
    """Whether the model takes a batch of two samples in training, but not one of one."""
    if not uses_batch_statistics(task.model):
        return False

    def takes(n: int) -> bool:
        try:
            with torch.no_grad():
                rows = torch.arange(n, device=task.start.device)
                training_logits(task.model, task.start, task.pool.take(rows, None), task.buffers)
        except ValueError:
            return False
        return True

    return len(task.pool) > 1 and takes(2) and not takes(1)
