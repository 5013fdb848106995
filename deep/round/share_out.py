"""A round's work shared out over a team: clients to be trained, samples to be judged; every process gets all of it.

What comes back is put together in the order that one process has, so a round is the same whoever did which part:

- clients trained in turn, and losses of the broadcast model: bit for bit, as samples go through it in the same portions
- stacks of linear layers and clients trained together: batched products of fewer clients may sum in another order
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from time import perf_counter
from typing import Any, TypeVar, cast

import torch
from torch import Tensor

from deep.base.team import Team
from deep.local.trainer import rows_of
from deep.round.normalisation import evaluate
from deep.round.work import Asked, BroadcastLosses, Evaluation, OwnLosses, Trained, Training, Work
from deep.task.evaluation import Sampled, Score, means_by_client, passed_at_once, pool_scores, sample_scores, scored
from theory.algorithms import Stepwise

__all__ = ["even_parts", "shared_out"]

T = TypeVar("T")


def shared_out(asked: Asked[T], team: Team) -> T:
    """What a round comes to when each work is shared out over the `team`."""
    try:
        work = next(asked)
        while True:
            began = perf_counter()
            done = _done(work, team)
            work = asked.send((done, perf_counter() - began))
    except StopIteration as end:
        return cast("T", end.value)


def even_parts(costs: Sequence[float], n: int) -> list[range]:
    """Places 0, 1, … cut into n ranges of about equal cost; some are empty where there are fewer places than n.

    >>> even_parts([1, 1, 1, 1, 4], 2)
    [range(0, 4), range(4, 5)]
    """
    total = sum(costs)
    ends, passed = [0], 0.0
    for part in range(1, n):
        end = ends[-1]
        while end < len(costs) and passed + costs[end] / 2 <= total * part / n:
            passed += costs[end]
            end += 1
        ends.append(end)
    return [range(*both) for both in zip(ends, [*ends[1:], len(costs)], strict=True)]


def _done(work: Work, team: Team) -> Any:
    if isinstance(work, Training):
        return _trained(work, team)
    if isinstance(work, OwnLosses):
        return _own_losses(work, team)
    if isinstance(work, BroadcastLosses):
        return _broadcast_losses(work, team)
    if isinstance(work, Evaluation) and work.judged is None and work.setup.config.buffers == "averaged":
        return _evaluated(work, team)
    return work.alone()


def _trained(work: Training, team: Team) -> Trained:
    """Clients in blocks of about equal numbers of local steps."""
    slots = work.cohort.slots
    part = even_parts(work.cohort.steps[slots].tolist(), team.size)[team.rank]

    def make() -> tuple[dict[str, Tensor], dict[str, str]]:
        if not part:
            return {}, {}
        mine = _clients(work, slots, part).alone()
        left = {f"left {name}": rows for name, rows in mine.left.items()}
        return {"vectors": mine.vectors, "updates": mine.updates, "buffers": mine.buffers, **left}, {}

    rows = _joined([tensors for tensors, _ in team.exchanged(make)])
    left = {name.removeprefix("left "): rows[name] for name in rows if name.startswith("left ")}
    return Trained(rows["vectors"], rows["updates"], rows["buffers"], left)


def _clients(work: Training, slots: list[int], part: range) -> Training:
    """The training of the clients at some places of the cohort alone."""
    chosen, at = slice(part.start, part.stop), work.at
    present = torch.zeros_like(work.cohort.present)
    present[[slots[place] for place in part]] = True
    beside = rows_of(work.beside, at.vectors, chosen)
    steps = rows_of(work.steps, at.vectors, chosen)
    return replace(
        work,
        cohort=replace(work.cohort, present=present),
        at=replace(at, vectors=at.vectors[chosen], buffers=at.buffers[chosen]),
        steps=work.steps if steps is None else steps,
        beside=cast("Stepwise | None", beside),
    )


def _own_losses(work: OwnLosses, team: Team) -> tuple[Tensor, list[float | None]]:
    part = even_parts([len(client) for client in work.clients], team.size)[team.rank]
    chosen = slice(part.start, part.stop)

    def make() -> tuple[dict[str, Tensor], dict[str, str]]:
        if not part:
            return {}, {}
        own = OwnLosses(work.task, work.vectors[chosen], work.buffers[chosen], work.clients[chosen])
        losses, hits = own.alone()
        return {"losses": losses, "hits": _numbers(hits)}, {}

    rows = _joined([tensors for tensors, _ in team.exchanged(make)])
    return rows["losses"], _known(rows["hits"])


def _broadcast_losses(work: BroadcastLosses, team: Team) -> tuple[Tensor, list[float | None]]:
    task, state = work.task, work.state
    index = torch.cat([client.index for client in work.clients])
    targets = torch.cat([client.targets for client in work.clients])

    def scores(some: slice) -> tuple[Tensor, Tensor | None]:
        return pool_scores(task.model, state.model, state.buffers, task.pool, index[some], targets[some])

    losses, right = _in_portions(scores, len(index), passed_at_once(task.model, task.pool.inputs), team)
    return means_by_client(work.clients, losses, right)


def _evaluated(work: Evaluation, team: Team) -> Any:
    task, state = work.task, work.state

    def score_of(samples: Sampled) -> Score:
        def scores(some: slice) -> tuple[Tensor, Tensor | None]:
            return sample_scores(task.model, state.model, state.buffers, samples.inputs[some], samples.targets[some])

        size = passed_at_once(task.model, samples.inputs)
        return scored(samples, *_in_portions(scores, len(samples), size, team))

    return evaluate(work.setup, task, state, scored=score_of)


def _in_portions(scores: Any, n: int, size: int, team: Team) -> tuple[Tensor, Tensor | None]:
    """Losses of n samples and which are right, whole portions of `size` samples for each process."""
    part = even_parts([min(size, n - first) for first in range(0, n, size)], team.size)[team.rank]

    def make() -> tuple[dict[str, Tensor], dict[str, str]]:
        if not part:
            return {}, {}
        losses, right = scores(slice(part.start * size, min(part.stop * size, n)))
        return {"losses": losses} if right is None else {"losses": losses, "right": right}, {}

    rows = _joined([tensors for tensors, _ in team.exchanged(make)])
    return rows["losses"], rows.get("right")


def _joined(parts: Sequence[Any]) -> dict[str, Tensor]:
    """Rows of all processes one after the other; those without a part sent nothing."""
    filled = [part for part in parts if part]
    return {name: torch.cat([part[name] for part in filled]) for name in filled[0]}


def _numbers(hits: Sequence[float | None]) -> Tensor:
    return torch.tensor([torch.nan if hit is None else hit for hit in hits], dtype=torch.float64)


def _known(hits: Tensor) -> list[float | None]:
    return [None if hit != hit else hit for hit in hits.tolist()]
