"""One l2-regularised softmax regression on digits, made once: the deep run, theory's, and its batches one by one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from deep.config.config import RunConfig
from deep.local import LocalBatches, draw_batches
from deep.round.play_round import first_state, play_round
from deep.runs.worlds import federation_of, simulate_task
from deep.storage.record import RoundRecord
from deep.task.convex import to_theory
from deep.task.reference import floor_of, reference_for
from deep.task.setup import Setup
from deep.task.task import Task, make_task
from theory.federations.empirical import LogisticFederation

Floats = NDArray[np.float64]
CONFIG = RunConfig(
    n_clients=6,
    n_sampled=4,
    n_rounds=5,
    n_local_steps=4,
    batch_size=16,
    local_lr=0.05,
    lr_decay=0.9,
    l2=0.01,
    dtype="float64",
    floor="solved",
    evaluate_every=100,
)


@cache
def world_of(config: RunConfig) -> tuple[Task, LogisticFederation]:
    """The task with its floors, and its clients as theory sees them, the same for every method."""
    return _made(replace(config, client="sgd", server="rate", server_lr=1.0))


@cache
def _made(config: RunConfig) -> tuple[Task, LogisticFederation]:
    task = make_task(Setup.of(config), torch.device("cpu"))
    reference = reference_for(config, task, None)
    assert reference is not None
    return replace(task, floor=floor_of(config, reference)), federation_of(config, task, reference)


def deep_run(config: RunConfig, rule: Any) -> tuple[Floats, Floats, list[RoundRecord]]:
    """(models in theory's layout, weights, records) of a deep run."""
    return played(config, rule, world_of(config)[0], 64)


def played(config: RunConfig, rule: Any, task: Task, n_features: int) -> tuple[Floats, Floats, list[RoundRecord]]:
    """The same on a task of softmax regression at hand, with ten classes."""
    state, models, records = first_state(Setup.of(config), task), [task.start], []
    for _ in range(config.n_rounds):
        done = play_round(Setup.of(config, rule), task, state)
        assert done is not None
        state, record = done
        models.append(state.model)
        records.append(record)
    flat = torch.stack(models).double().numpy()
    return to_theory(flat, n_features, 10), np.array([record.weights for record in records]), records


def convex_run(config: RunConfig, rule: Any) -> tuple[Floats, Floats]:
    """(models, weights) of theory's simulator on the same task."""
    run = simulate_task(Setup.of(config, rule), *world_of(config))
    return np.asarray(run.models), np.asarray(run.weights)


def batch_gradient(config: RunConfig, k: int, model: Floats, r: int, step: int) -> Floats:
    """∇Fₖ on the batch of a local step, written out."""
    task, federation = world_of(config)
    assert task.population is not None
    client = task.population.clients[k]
    drawn = _drawn(config, r, client.number, len(client))
    return _gradient(federation, k, model, drawn.index[step, : drawn.count[step]])


@cache
def _drawn(config: RunConfig, r: int, number: int, n: int) -> LocalBatches:
    return draw_batches(Setup.of(config), r, number, n)


def full_gradient(config: RunConfig, k: int, model: Floats) -> Floats:
    """∇Fₖ over all samples of client k, written out."""
    _, federation = world_of(config)
    return _gradient(federation, k, model, np.arange(int(np.asarray(federation.mask)[k].sum())))


def _gradient(federation: LogisticFederation, k: int, model: Floats, rows: NDArray[np.int64]) -> Floats:
    x, y = np.asarray(federation.features)[k, rows], np.asarray(federation.targets)[k, rows]
    logits = x @ model.reshape(x.shape[1], -1)
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    data = x.T @ (odds / odds.sum(axis=1, keepdims=True) - y) / len(rows)
    return np.asarray(data).ravel() + federation.l2 * model
