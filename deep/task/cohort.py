"""The client slots of a round: clients made of what they hold, and who of them takes part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deep.local.batches import planned_steps
from deep.local.pool import Client
from deep.partition import Holdings, Index
from theory.base.streams import stream
from theory.participation.sampling import Participation, RoundContext

if TYPE_CHECKING:
    from deep.task.setup import Setup

__all__ = ["Ahead", "Cohort", "Listed", "cohort_of", "drawn", "held_out", "judged_clients", "planning"]


@dataclass(frozen=True)
class Listed:
    """Of every slot: the number of its client, its kind in a word, pₖ, and the local steps it plans."""

    clients: list[int]
    kinds: list[str]
    share: list[float]
    planned_steps: list[int]


@dataclass(frozen=True, eq=False)
class Cohort:
    """The client slots of a round: all of a fixed population, or those made for the round.

    `present`: bool (n_slots,), who takes part; `share` pₖ over the slots, float64 (n_slots,): nₖ/n, or what
    participation says of this round's objective. `planned`: local steps each client plans; `steps`: those it finishes,
    0 for absent ones; both of one entry a slot, as arrays: of Python's integers beyond 64 bits, which are refused in
    words later.
    """

    clients: tuple[Client, ...]
    present: Tensor
    share: Tensor
    planned: Index
    steps: Index

    @cached_property
    def slots(self) -> list[int]:
        """Places of the clients present, increasing."""
        found: list[int] = np.flatnonzero(self.present.cpu().numpy()).tolist()
        return found

    @cached_property
    def places(self) -> Tensor:
        """`slots` as an index, on the device of `share`."""
        return torch.tensor(self.slots, dtype=torch.int64, device=self.share.device)

    @cached_property
    def finished(self) -> NDArray[np.float64]:
        """`steps` in float64."""
        return self.steps.astype(np.float64)

    @cached_property
    def finished_steps(self) -> Tensor:
        """`finished` on the device of `share`."""
        return torch.from_numpy(self.finished).to(self.share.device)

    @cached_property
    def most_steps(self) -> int:
        """The most that anyone plans."""
        return int(self.planned.max())

    @cached_property
    def planned_steps(self) -> Tensor:
        """`planned` in float64, on the device of `share`."""
        return torch.from_numpy(self.planned.astype(np.float64)).to(self.share.device)

    @cached_property
    def listed(self) -> Listed:
        """What records say of every slot."""
        return Listed(
            clients=[client.number for client in self.clients],
            kinds=[client.kind for client in self.clients],
            share=self.share.tolist(),
            planned_steps=self.planned.tolist(),
        )


@dataclass(eq=False)
class Ahead:
    """Cohorts by round, of one law and seed. A law is a function of seed and round, so some are drawn at a time: done
    one after the other they take a fraction of what each takes between two rounds' training.
    """

    law: Participation | None = None
    seed: int = -1
    cohorts: dict[int, Cohort] = field(default_factory=dict)


def cohort_of(setup: Setup, held: Holdings, labels: Index, targets: Tensor, round_index: int = 0) -> Cohort:
    """All clients of the holdings, present, on the device of `targets`, with shares nₖ/n.

    `labels` and `targets` (n_samples,): of all samples; a client's own labels count where they are not the true ones.
    """
    device = targets.device
    clients = [_client(held, place, labels, targets) for place in range(len(held.clients))]
    n_held = sum(map(len, clients))
    share = torch.tensor([len(client) / n_held for client in clients], dtype=torch.float64, device=device)
    planned = _plans(setup, clients, round_index)
    present = torch.ones(len(clients), dtype=torch.bool, device=device)
    return Cohort(tuple(clients), present, share, planned, planned)


def _plans(setup: Setup, clients: Sequence[Client], round_index: int) -> Index:
    return np.asarray([planned_steps(setup, len(client), round_index, client.number) for client in clients])


def _client(held: Holdings, place: int, labels: Index, targets: Tensor) -> Client:
    part, own = held.parts[place], held.labels[place]
    index = torch.from_numpy(np.asarray(part, dtype=np.int64)).to(targets.device)
    real = targets.is_floating_point() or np.array_equal(own, labels[part])
    wanted = targets[index] if real else torch.from_numpy(own.astype(np.int64)).to(targets.device)
    return Client(held.clients[place], index, wanted, held.kinds[place])


def judged_clients(judged: Holdings | None, labels: Index, targets: Tensor) -> tuple[Client | None, ...]:
    """What each client is judged on; None for one that holds nothing out, () where nobody does."""
    if judged is None:
        return ()
    return tuple(
        _client(judged, place, labels, targets) if len(part) else None for place, part in enumerate(judged.parts)
    )


def held_out(held: Holdings, fraction: float, seed: int) -> tuple[Holdings, Holdings | None]:
    """What clients train on, and ⌊fraction · n⌋ samples of each that they are judged on.

    Stream (seed, "client test", client).
    """
    if not fraction:
        return held, None
    kept, judged = [], []
    for number, part in zip(held.clients, held.parts, strict=True):
        order = stream(seed, "client test", number).permutation(len(part))
        n = int(fraction * len(part))
        judged.append(np.sort(order[:n]))
        kept.append(np.sort(order[n:]))
    return _at(held, kept), _at(held, judged)


def _at(held: Holdings, places: list[Index]) -> Holdings:
    """The holdings with each client's samples at its `places` alone."""
    parts = tuple(part[own] for part, own in zip(held.parts, places, strict=True))
    labels = tuple(mine[own] for mine, own in zip(held.labels, places, strict=True))
    return Holdings(held.clients, parts, labels, held.kinds)


def planning(setup: Setup, everyone: Cohort, round_index: int) -> Cohort:
    """A fixed population that plans anew what it does in a round."""
    planned = _plans(setup, everyone.clients, round_index)
    return replace(everyone, planned=planned, steps=planned)


def drawn(law: Participation, seed: int, everyone: Cohort, round_index: int) -> Cohort:
    """Who of a fixed population takes part in a round: present as the law says and with a step to finish.

    Raises what the law raises.
    """
    planned = everyone.planned
    context = RoundContext(None, None, everyone.most_steps, everyone.share.cpu().numpy(), planned)
    plan = law.plan(seed, round_index, planned.shape, context)
    finished = planned if plan.steps is None else np.broadcast_to(plan.steps, planned.shape)
    here = plan.present & (finished > 0)
    share = everyone.share
    if plan.share is not None:
        share = torch.from_numpy(np.array(plan.share, dtype=np.float64)).to(share.device)
    present = torch.from_numpy(here).to(share.device)
    cohort = Cohort(everyone.clients, present, share, planned, np.where(here, finished, 0))
    if cohort.steps.dtype == np.int64:
        _ = cohort.places, cohort.finished_steps  # worked out here, a moment after those of another round
    return cohort
