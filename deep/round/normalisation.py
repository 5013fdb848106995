"""What clients start a round from when normalisation layers stay with them (FedBN), and what they keep after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from deep.config.config import RunConfig
from deep.models import averaged_buffers, norm_mask
from deep.storage.checkpoint import ServerState
from deep.task.evaluated import Evaluated
from deep.task.evaluation import Sampled, Score, client_scores, own_scores, score
from deep.task.setup import Setup
from deep.task.task import Task

__all__ = ["Starts", "broadcast_accuracy", "evaluate", "first_own", "kept", "starts"]


@dataclass(frozen=True, eq=False)
class Starts:
    """Models that clients start from: `vectors` (m, n_parameters), `buffers` (m, n_buffers).

    `local`: whether parameters at `mask`, bool (n_parameters,), are the clients' own; `n_shared` are not. `moved`:
    whether clients start from base models that are not the server's.
    """

    vectors: Tensor
    buffers: Tensor
    local: bool
    mask: Tensor
    n_shared: int
    moved: bool = False

    @property
    def differ(self) -> bool:
        """Whether clients start from models of their own."""
        return self.local or self.moved

    def based(self, bases: Tensor) -> Starts:
        """The same from `bases` (m, n_parameters), what clients keep as their own staying."""
        if torch.equal(bases, self.vectors):
            return self
        return replace(self, vectors=torch.where(self.mask, self.vectors, bases), moved=True)


Rows = Callable[[list[int]], Tensor]


def first_own(config: RunConfig, task: Task) -> tuple[Tensor, Tensor]:
    """Before the first round: the parameters each client keeps, (n_clients, n_own), and the running statistics.

    The statistics are (n_buffers,), or (n_clients, n_buffers) where they stay with the clients.
    """
    if config.buffers == "averaged" or task.population is None:
        return task.start.new_zeros(0, 0), task.buffers
    n_clients = len(task.population.clients)
    mask = norm_mask(task.model).to(task.start.device)
    return task.start[mask].repeat(n_clients, 1), task.buffers.repeat(n_clients, 1)


def starts(config: RunConfig, task: Task, state: ServerState, slots: list[int]) -> Starts:
    """The broadcast model at the clients in `slots`, with what they keep in place of its normalisation layers.

    Source: Li et al. 2021 (FedBN); exp_alpha, Section 4.3.
    """
    m, n_parameters = len(slots), len(state.model)
    if config.buffers == "averaged":
        vectors, buffers = state.model.expand(m, -1), state.buffers.expand(m, -1)
        return Starts(vectors, buffers, False, task.nobodys, n_parameters)
    mask = norm_mask(task.model).to(state.model.device)
    vectors = state.model.repeat(m, 1)
    vectors[:, mask] = state.own[slots]
    return Starts(vectors, state.buffers[slots], True, mask, n_parameters - int(mask.sum()))


def kept(
    config: RunConfig,
    task: Task,
    state: ServerState,
    slots: list[int],
    weights: Tensor,
    vectors: Tensor,
    buffers: Tensor,
) -> tuple[Tensor, Tensor]:
    """After a round: (running statistics, the parameters clients keep).

    Averaged statistics are those of the clients with a weight, absent ones counting with the broadcast ones; see
    `averaged_buffers`. Where nobody has a weight the broadcast ones stay, as the model does. `vectors`, `buffers`: of
    the clients in `slots` after local training.
    """
    if config.buffers == "averaged":
        if not len(task.buffers) or not bool((weights != 0).any()):
            return state.buffers, state.own
        everyone = state.buffers.repeat(len(weights), 1)
        everyone[slots] = buffers
        return averaged_buffers(weights, everyone), state.own
    mask = norm_mask(task.model).to(state.model.device)
    new_buffers, own = state.buffers.clone(), state.own.clone()
    new_buffers[slots] = buffers
    own[slots] = vectors[:, mask]
    return new_buffers, own


def evaluate(
    setup: Setup,
    task: Task,
    state: ServerState,
    judged: Rows | None = None,
    scored: Callable[[Sampled], Score] | None = None,
) -> Evaluated:
    """The model of `state` on validation and test samples, if its last round was one that is evaluated; on the former
    as `RunConfig.validation` says.

    With local normalisation, and where each client is judged by a model of its own, there is no one model: every
    client's is judged on the samples of its own group (that most of its training samples belong to), or on all where no
    sample of its group counts, and the mean over clients; a group's accuracy is the mean over the clients of that
    group. `judged` gives the models that the clients in some slots are judged by, None for the server's.
    `scored` does the server's samples in place of `score`.
    """
    config = setup.config
    if not config.evaluates(state.round):
        return Evaluated(None, None)
    rows = judged or (_with_own_layers(config, task, state) if config.buffers == "local" else None)

    def score_of(samples: Sampled) -> Score:
        if scored is not None:
            return scored(samples)
        if rows is None:
            return score(task.model, state.model, state.buffers, samples)
        return _mean_score(config, task, state, rows, samples)

    unread = config.validation == "read" and state.round != config.n_rounds
    validation = None if task.validation is None or unread else score_of(task.validation)
    held_out = _client_test(config, task, state, rows)
    if judged is None:
        return Evaluated(validation, score_of(task.test), *held_out)
    common = score(task.model, state.model, state.buffers, task.test)
    return Evaluated(validation, score_of(task.test), *held_out, setup.client.judges, common.accuracy)


def _with_own_layers(config: RunConfig, task: Task, state: ServerState) -> Rows:
    """slots → the model of `state` with what these clients keep in place of its normalisation layers."""
    return lambda slots: starts(config, task, state, slots).vectors


def _client_test(
    config: RunConfig, task: Task, state: ServerState, rows: Rows | None
) -> tuple[list[float | None], list[float | None]]:
    """Loss and accuracy of the model of `state`, or of those that `rows` gives, on what each client held out."""
    losses: list[float | None] = [None] * len(task.client_test)
    accuracies: list[float | None] = [None] * len(task.client_test)
    places = [place for place, client in enumerate(task.client_test) if client is not None]
    clients = [client for client in task.client_test if client is not None]
    if not clients:
        return losses, accuracies
    if rows is None:
        found, right = client_scores(task.model, state.model, state.buffers, task.pool, clients)
    else:
        running = starts(config, task, state, places).buffers
        found, right = own_scores(task.model, rows(places), running, task.pool, clients)
    for place, loss, accuracy in zip(places, found.tolist(), right, strict=True):
        losses[place], accuracies[place] = loss, accuracy
    return losses, accuracies


def broadcast_accuracy(config: RunConfig, task: Task, state: ServerState) -> float:
    """Validation accuracy of the model of `state`, where targets are classes."""
    if state.accuracy is not None:
        return state.accuracy
    assert task.validation is not None  # make_task refuses a rule that reads one without such samples
    accuracy = _score(config, task, state, task.validation).accuracy
    assert accuracy is not None  # and where targets are real-valued
    return accuracy


def _score(config: RunConfig, task: Task, state: ServerState, samples: Sampled) -> Score:
    if config.buffers == "averaged":
        return score(task.model, state.model, state.buffers, samples)
    return _mean_score(config, task, state, _with_own_layers(config, task, state), samples)


def _mean_score(config: RunConfig, task: Task, state: ServerState, rows: Rows, samples: Sampled) -> Score:
    assert task.population is not None  # make_task refuses local normalisation without one
    clients = task.population.clients
    everyone = list(range(len(clients)))
    vectors, running = rows(everyone), starts(config, task, state, everyone).buffers
    found: list[Score] = []
    by_group: dict[str, list[float]] = {}
    for place, client in enumerate(clients):
        name, part = None, samples
        if task.groups is not None and samples.group is not None:
            number = int(torch.from_numpy(task.groups)[client.index.cpu()].mode().values)
            mine = samples.group == number
            if bool((mine if samples.weight is None else mine & (samples.weight > 0)).any()):
                name, part = samples.group_names[number], samples.only(mine)
        seen = score(task.model, vectors[place], running[place], part)
        found.append(seen)
        if name is not None and seen.accuracy is not None:
            by_group.setdefault(name, []).append(seen.accuracy)
    n = len(found)
    accuracies = [seen.accuracy for seen in found if seen.accuracy is not None]
    return Score(
        sum(seen.loss for seen in found) / n,
        sum(accuracies) / n if accuracies else None,
        {name: sum(values) / len(values) for name, values in by_group.items()},
    )
