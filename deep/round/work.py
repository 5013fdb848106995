"""What a round asks to be computed, as values: done alone in a single run, or together with those of other runs.

The rounds of a fleet (`deep.runs.fleet`) ask for the same things at the same time: local training, losses of the
broadcast model and of the clients' own, evaluation. For stacks of linear layers all runs of one task share the batches
drawn, the samples gathered and one batched product. Other networks that train all clients of a round together train
those of all runs on one axis, if their local steps are affine. All else is done alone.
"""

from __future__ import annotations

from collections.abc import Generator, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any, Protocol, TypeVar, cast

import torch
from torch import Tensor

from deep.local import draw_batches, train_dense, train_together, trainer_for, walk_in_turn
from deep.local.affine_rows import stacked
from deep.local.batches import LocalBatches
from deep.local.choose import packs
from deep.local.pool import Client
from deep.local.products import products
from deep.local.trainers.dense import is_dense
from deep.models import Network
from deep.round.normalisation import Rows, Starts, evaluate
from deep.storage.checkpoint import ServerState
from deep.task.cohort import Cohort
from deep.task.evaluated import Evaluated
from deep.task.evaluation import client_scores, own_scores, scores_of, shared_scores
from deep.task.setup import Setup
from deep.task.task import Task
from theory.algorithms import Affine, Stepwise

__all__ = [
    "Asked",
    "BroadcastLosses",
    "Evaluation",
    "OwnLosses",
    "Packs",
    "Trained",
    "Training",
    "Work",
    "alone",
    "in_lock_step",
]

T = TypeVar("T")
Scores = tuple[Tensor, list[float | None]]


class Work(Protocol):
    """Something to be computed. `rank`: where in a round it comes; works with one `key` can be done together."""

    @property
    def rank(self) -> int: ...

    @property
    def key(self) -> object: ...

    def alone(self) -> Any: ...

    def together(self, works: Sequence[Any]) -> list[Any]: ...


# What a round yields, what it is sent (the result, and the seconds it took), and what it comes to.
Asked = Generator[Work, tuple[Any, float], T]


@dataclass(frozen=True, eq=False)
class Trained:
    """What local training left, a row per client present: models, updates without what stays local, statistics.

    `left`: what the local step says it leaves, by name.
    """

    vectors: Tensor
    updates: Tensor
    buffers: Tensor
    left: dict[str, Tensor]


@dataclass(frozen=True, eq=False)
class Training:
    """The local steps of every client present, and the walk beside them."""

    setup: Setup
    task: Task
    round: int
    cohort: Cohort
    at: Starts
    steps: Affine | Stepwise
    beside: Stepwise | None
    rank = 0

    @property
    def key(self) -> object:
        """One task and cohort, plain steps of a stack of linear layers; one network, pool and rate, affine steps of a
        model that `packs`; else by itself.
        """
        config, task = self.setup.config, self.task
        if not isinstance(self.steps, Affine) or self.beside is not None:
            return self
        if packs(config.trainer, task.model, task.start.device, compiled=config.compiled):
            numbers = task.start.dtype, config.products, config.rate(self.round), config.l2, self.setup.momentum
            return type(self), id(task.pool), config.augment, _network_of(config.model, task), *numbers
        plain = self.steps.plain and config.products != "bf16" and not config.compiled
        if not (plain and is_dense(task.model) and config.trainer != "in-turn"):
            return self
        return type(self), id(task), config, self.round, self.cohort.steps.tobytes()

    def alone(self) -> Trained:
        """By the trainer that the config asks for."""
        with products(self.setup.config.products, self.task.start.device):
            return self._alone()

    def _alone(self) -> Trained:
        config, task, at, steps = self.setup.config, self.task, self.at, self.steps
        clients, batches = self._drawn()
        affine = isinstance(steps, Affine)
        device, compiled = task.start.device, config.compiled
        trainer = trainer_for(config.trainer, task.model, device, clients, batches, affine=affine, compiled=compiled)
        rate, l2, momentum = config.rate(self.round), config.l2, self.setup.momentum
        work = (task.model, at.vectors, at.buffers, task.pool, clients, batches, rate, l2, momentum)
        left: dict[str, Tensor] = {}
        if isinstance(steps, Stepwise) and steps.leaves:
            vectors, buffers, left = walk_in_turn(*work, steps, compiled)
        else:
            vectors, buffers = trainer(*work, None if isinstance(steps, Affine) and steps.plain else steps)
        if self.beside is not None:
            left |= walk_in_turn(*work, self.beside, compiled)[2]
        return self._trained(vectors, buffers, left)

    def together(self, works: Sequence[Training]) -> list[Trained]:
        """The clients of all runs as one batch axis; batches of one task are drawn once."""
        if not is_dense(self.task.model):
            return self._packed(works)
        config, task = self.setup.config, self.task
        clients, batches = self._drawn()
        with products(config.products, task.start.device):
            vectors, buffers = train_dense(
                task.model,
                torch.cat([work.at.vectors for work in works]),
                torch.cat([work.at.buffers for work in works]),
                task.pool,
                clients * len(works),
                batches * len(works),
                config.rate(self.round),
                config.l2,
                self.setup.momentum,
            )
        m = len(clients)
        parts = zip(works, torch.split(vectors, m), torch.split(buffers, m), strict=True)
        return [work._trained(own, running, {}) for work, own, running in parts]

    def _packed(self, works: Sequence[Training]) -> list[Trained]:
        """The clients of several tasks with one pool, each run with its own affine step."""
        config, task = self.setup.config, self.task
        shared: dict[object, tuple[list[Client], list[LocalBatches]]] = {}
        drawn = [shared.get(work._draws) or shared.setdefault(work._draws, work._drawn()) for work in works]
        sizes = [len(clients) for clients, _ in drawn]
        start = torch.cat([work.at.vectors for work in works])
        with products(config.products, task.start.device):
            vectors, buffers = train_together(
                task.model,
                start,
                torch.cat([work.at.buffers for work in works]),
                task.pool,
                [client for clients, _ in drawn for client in clients],
                [batch for _, batches in drawn for batch in batches],
                config.rate(self.round),
                config.l2,
                self.setup.momentum,
                stacked([cast("Affine", work.steps) for work in works], sizes, start),
            )
        parts = zip(works, torch.split(vectors, sizes), torch.split(buffers, sizes), strict=True)
        return [work._trained(own, running, {}) for work, own, running in parts]

    @property
    def _draws(self) -> object:
        """What decides the batches."""
        return id(self.task), self.round, tuple(self.cohort.slots), self.cohort.steps.tobytes()

    def _drawn(self) -> tuple[list[Client], list[LocalBatches]]:
        clients = [self.cohort.clients[slot] for slot in self.cohort.slots]
        steps: list[int] = self.cohort.steps[self.cohort.slots].tolist()
        draw = partial(draw_batches, self.setup, self.round)
        drawn = [draw(client.number, len(client)) for client in clients]
        return clients, [one if n >= one.n_steps else one.first(n) for one, n in zip(drawn, steps, strict=True)]

    def _trained(self, vectors: Tensor, buffers: Tensor, left: dict[str, Tensor]) -> Trained:
        updates = vectors - self.at.vectors
        if self.at.local:
            updates = torch.where(self.at.mask, torch.zeros((), device=updates.device), updates)
        return Trained(vectors, updates, buffers, left)


def _network_of(name: str, task: Task) -> object:
    """Equal for tasks whose models are the same function: built from one text, or equal themselves."""
    if isinstance(task.model, Network):
        return name, len(task.start)
    return task.model if isinstance(task.model, Hashable) else id(task.model)


@dataclass(frozen=True, eq=False)
class BroadcastLosses:
    """Fₖ(w) of the server's model at `clients`, and its accuracy there."""

    task: Task
    state: ServerState
    clients: Sequence[Client]
    rank = 1

    @property
    def key(self) -> object:
        """One task and the same clients, a stack of linear layers; else by itself."""
        if not is_dense(self.task.model):
            return self
        return type(self), id(self.task), tuple(client.number for client in self.clients)

    def alone(self) -> Scores:
        """See `client_scores`."""
        with products("full", self.task.start.device):
            return client_scores(self.task.model, self.state.model, self.state.buffers, self.task.pool, self.clients)

    def together(self, works: Sequence[BroadcastLosses]) -> list[Scores]:
        """All models on samples that are gathered once."""
        assert is_dense(self.task.model)
        vectors = torch.stack([work.state.model for work in works])
        return shared_scores(self.task.model, vectors, self.task.pool, self.clients)


@dataclass(frozen=True, eq=False)
class OwnLosses:
    """Fₖ(wₖ) of each client's own model, and its accuracy there."""

    task: Task
    vectors: Tensor
    buffers: Tensor
    clients: Sequence[Client]
    rank = 2

    @property
    def key(self) -> object:
        """One task, a stack of linear layers; else by itself."""
        return (type(self), id(self.task)) if is_dense(self.task.model) else self

    def alone(self) -> Scores:
        """See `own_scores`."""
        with products("full", self.task.start.device):
            return own_scores(self.task.model, self.vectors, self.buffers, self.task.pool, self.clients)

    def together(self, works: Sequence[OwnLosses]) -> list[Scores]:
        """The clients of all runs as one batch axis."""
        sizes = [len(work.clients) for work in works]
        vectors = torch.cat([work.vectors for work in works])
        buffers = torch.cat([work.buffers for work in works])
        clients = [client for work in works for client in work.clients]
        losses, hits = own_scores(self.task.model, vectors, buffers, self.task.pool, clients)
        each = iter(hits)
        return [(part, [next(each) for _ in part]) for part in torch.split(losses, sizes)]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """The new model on the server's samples, and on what clients held out."""

    setup: Setup
    task: Task
    state: ServerState
    judged: Rows | None
    rank = 3

    @property
    def key(self) -> object:
        """One task and round, one model a run, a stack of linear layers; else by itself."""
        if self.judged is not None or self.setup.config.buffers != "averaged" or not is_dense(self.task.model):
            return self
        return type(self), id(self.task), self.setup.config, self.state.round

    def alone(self) -> Evaluated:
        """See `evaluate`."""
        with products("full", self.task.start.device):
            return evaluate(self.setup, self.task, self.state, self.judged)

    def together(self, works: Sequence[Evaluation]) -> list[Evaluated]:
        """All models on the server's samples in one pass each."""
        assert is_dense(self.task.model)
        vectors = torch.stack([work.state.model for work in works])
        found = {}

        def scored(place: int, samples: Any) -> Any:
            if id(samples) not in found:
                found[id(samples)] = scores_of(self.task.model, vectors, samples)  # type: ignore[arg-type]
            return found[id(samples)][place]

        return [
            evaluate(work.setup, work.task, work.state, scored=partial(scored, place))
            for place, work in enumerate(works)
        ]


def alone(asked: Asked[T]) -> T:
    """What a round comes to when each work is done by itself."""
    try:
        work = next(asked)
        while True:
            began = perf_counter()
            done = work.alone()
            work = asked.send((done, perf_counter() - began))
    except StopIteration as end:
        return cast("T", end.value)


class Packs:
    """How many runs are done together: all, until memory does not hold them; from then on at most `most`."""

    def __init__(self) -> None:
        self.most: int | None = None

    def together(self, works: Sequence[Work]) -> list[Any]:
        """What works of one key come to, in packs of at most `most`.

        A pack that does not fit into the device's memory is halved, and so are those to come; a single work that does
        not fit raises, as does any other error.
        """
        size = len(works) if self.most is None else min(self.most, len(works))
        if size < len(works):
            return [one for at in range(0, len(works), size) for one in self.together(works[at : at + size])]
        try:
            return [works[0].alone()] if size == 1 else works[0].together(works)
        except torch.OutOfMemoryError:
            if size == 1:
                raise
        self.most = (size + 1) // 2
        if torch.cuda.is_available():
            torch.cuda.empty_cache()
        return self.together(works)


def in_lock_step(rounds: Iterable[Asked[T]], packed: Packs | None = None) -> list[T]:
    """What the rounds come to, in order, works with one key done together; its seconds are shared among them.

    `packed`: how many at a time, kept by whoever plays many rounds.
    """
    packed = packed or Packs()
    asked = list(rounds)
    results: dict[int, T] = {}
    waiting: dict[int, Work] = {}

    def go_on(place: int, answer: tuple[Any, float] | None) -> None:
        try:
            waiting[place] = next(asked[place]) if answer is None else asked[place].send(answer)
        except StopIteration as end:
            results[place] = end.value

    for place in range(len(asked)):
        go_on(place, None)
    while waiting:
        rank = min(work.rank for work in waiting.values())
        groups: dict[object, list[int]] = {}
        for place, work in waiting.items():
            if work.rank == rank:
                groups.setdefault(work.key, []).append(place)
        for places in groups.values():
            works = [waiting.pop(place) for place in places]
            began = perf_counter()
            done = packed.together(works)
            seconds = (perf_counter() - began) / len(works)
            for place, one in zip(places, done, strict=True):
                go_on(place, (one, seconds))
    return [results[place] for place in range(len(asked))]
