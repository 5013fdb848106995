"""A run's history as arrays: rounds on the first axis, clients on the last; NaN where nothing was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from deep.base.floor import BEST_SEEN, Floor
from deep.storage.record import RoundRecord

__all__ = [
    "Bools",
    "Floats",
    "Rounds",
    "Slots",
    "check_order",
    "cohorts",
    "coordinates",
    "fixed_population",
    "rounds_of",
]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Slots = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Rounds:
    """What the quantities of theory are computed from: float64, NaN where not measured.

    `share` pₖ, `weights` aₖ, `loss_before` Fₖ(w), `loss_best` Fₖ* and `loss_at_optimum` Fₖ(w*), the last two
    the same in all rounds of a fixed population, `local_steps`: (n_rounds, n_clients); so is `present`, of booleans.
    `cohort`: the slot of the client in each place of `gram`, −1 where there is none: (n_rounds, n_cohort). From a
    history n_cohort is the most clients of a round: a thousand absent ones would have a million inner products, all 0.
    `gram` ⟨uᵢ, uⱼ⟩ of their updates, 0 where `cohort` is −1: (n_rounds, n_cohort, n_cohort). `updates`: of the same
    shape, vectors with that Gram matrix (see `coordinates`). `local_lr`: the rate of every round, where all rounds
    have one.
    """

    share: Floats
    present: Bools
    weights: Floats
    loss_before: Floats
    loss_best: Floats
    loss_at_optimum: Floats
    cohort: Slots
    gram: Floats
    updates: Floats | None = None
    local_steps: Floats | None = None
    local_lr: float | None = None

    @property
    def cohort_present(self) -> Bools:
        """Which entries of `cohort` are clients, (n_rounds, n_cohort)."""
        return self.cohort >= 0

    @property
    def cohort_weights(self) -> Floats:
        """`weights` of the clients of `cohort`, 0 where there is none, (n_rounds, n_cohort)."""
        return np.where(self.cohort_present, np.take_along_axis(self.weights, np.maximum(self.cohort, 0), axis=1), 0.0)


def rounds_of(history: Sequence[RoundRecord], *, local_lr: float | None = None, floor: Floor = BEST_SEEN) -> Rounds:
    """The arrays of a history, with Fₖ* and Fₖ(w*) as the run's `floor` has them.

    Where it has none, Fₖ(w*) are the losses at the broadcast model with the lowest `train_loss` of the run, the first
    of equals, and Fₖ* the lowest loss of client k seen in the run, before or after local training.
    These follow a client through the rounds: NaN when the clients are made anew, the first also when no round knows
    its `train_loss`; the floor's Fₖ(w*) belong to one objective: NaN when shares change.
    `local_lr`: the constant learning rate of local steps, None when it decays.
    Raises `ValueError` for an empty history, rounds out of order, or another number of clients in some round.
    """
    check_order(history, "rounds_of")
    if not history:
        raise ValueError("rounds_of(history=…): no round; expected at least one")
    widths = {len(record.clients) for record in history}
    if len(widths) > 1:
        raise ValueError(f"rounds_of(history=…): {sorted(widths)} clients in a round; expected as many in every round")
    before = _floats([record.loss_before for record in history])
    optimum = best = np.full(before.shape, np.nan)
    if fixed_population(history):
        after = _floats([r.loss_after for r in history])
        best = np.broadcast_to(np.fmin.reduce(np.fmin(before, after), axis=0), before.shape)
        train = {index: record.train_loss for index, record in enumerate(history) if record.train_loss is not None}
        if train:
            optimum = np.broadcast_to(before[min(train, key=train.__getitem__)], before.shape)
    if floor.losses is not None:
        best = np.broadcast_to(np.asarray(floor.losses), before.shape)
    if floor.at_optimum is not None:
        first = history[0].share
        one_objective = all(record.share is first or record.share == first for record in history)
        optimum = (
            np.broadcast_to(np.asarray(floor.at_optimum), before.shape)
            if one_objective
            else np.full_like(before, np.nan)
        )
    present = np.asarray([record.present for record in history], dtype=np.bool_)
    cohort, gram = cohorts(present, [record.gram for record in history])
    return Rounds(
        share=_floats([record.share for record in history]),
        present=present,
        weights=_floats([record.weights for record in history]),
        loss_before=before,
        loss_best=best,
        loss_at_optimum=optimum,
        cohort=cohort,
        gram=gram,
        updates=coordinates(gram),
        local_steps=_floats([record.local_steps for record in history]),
        local_lr=local_lr,
    )


def cohorts(present: Bools, grams: Sequence[Sequence[Sequence[float]]]) -> tuple[Slots, Floats]:
    """`Rounds.cohort`, clients first, and `Rounds.gram` of the rounds' own Gram matrices.

    `present`: (n_rounds, n_clients); `grams`: one a round, of its clients present in the order of their slots.
    Raises `ValueError` where a matrix is not of the clients present.
    """
    counts = present.sum(axis=1)
    cohort = np.full((len(present), counts.max()), -1, dtype=np.intp)
    gram = np.zeros((*cohort.shape, cohort.shape[1]))
    for index, (here, count, inner) in enumerate(zip(present, counts, grams, strict=True)):
        cohort[index, :count] = np.flatnonzero(here)
        gram[index, :count, :count] = inner
    return cohort, gram


def coordinates(gram: Floats) -> Floats:
    """Vectors with this Gram matrix: U with UUᵀ = `gram`, both (*batch, n_cohort, n_cohort).

    What depends on the updates through their inner products alone is the same for the rows of U. Negative eigenvalues,
    which a Gram matrix has by rounding only, count 0.
    """
    values, vectors = np.linalg.eigh(gram)
    return np.asarray(vectors * np.sqrt(np.maximum(values, 0))[..., None, :], dtype=np.float64)


def fixed_population(history: Sequence[RoundRecord]) -> bool:
    """Whether the same clients stand in the slots of all rounds."""
    first = history[0].clients if history else []
    return all(record.clients is first or record.clients == first for record in history)


def check_order(history: Sequence[RoundRecord], by: str) -> None:
    """`ValueError` naming `by` unless the history is rounds 0, 1, 2, …, as a run leaves it."""
    for index, record in enumerate(history):
        if record.round != index:
            raise ValueError(f"{by}(history=…): round {record.round} in place {index}; expected rounds 0, 1, 2, …")


def _floats(values: object) -> Floats:
    """Nested lists as float64, None as NaN."""
    return np.asarray(values, dtype=np.float64)
