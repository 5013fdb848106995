"""One federated round: broadcast, local training, what the rule sees, aggregation, evaluation."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any, cast

import torch
from torch import Tensor

from deep.clock import Clock
from deep.config import RunConfig
from deep.evaluation import client_scores, own_scores
from deep.folder import ServerState
from deep.local import draw_batches, trainer_for
from deep.normalisation import Starts, broadcast_accuracy, evaluate, first_own, kept, starts
from deep.record import RoundRecord
from deep.rule_checks import check_vectors, check_weights, is_finite
from deep.signals import measure, wanted
from deep.task import Cohort, Task, round_cohort
from theory.rules.protocol import MemoryRule, Rule, aggregate, needs_of, remembers
from theory.stats import RoundStats

__all__ = ["GRAM_COLUMNS", "first_state", "play_round"]

_OBSERVED_AT = {
    "loss_after": "own model after local training; the broadcast model for absent clients",
    "loss_best": "lowest loss of the client at any broadcast or own model so far; biased upwards",
}
GRAM_COLUMNS = 2**20  # columns of the updates that are turned into float64 at once


@dataclass(frozen=True, eq=False)
class _Trained:
    """What local training left, a row per client present: models, updates without what stays local, statistics."""

    vectors: Tensor
    updates: Tensor
    buffers: Tensor
    steps: list[int]


def first_state(config: RunConfig, task: Task) -> ServerState:
    """The state before the first round."""
    n_slots = 0 if task.population is None else len(task.population.clients)
    best = torch.full((n_slots,), torch.inf, dtype=torch.float64, device=task.start.device)
    own, buffers = first_own(config, task)
    return ServerState(0, task.start, buffers, own, None, best)


def play_round(
    config: RunConfig, rule: Rule | MemoryRule, task: Task, state: ServerState
) -> tuple[ServerState, RoundRecord] | None:
    """One round; None when something is no longer finite.

    The rule sees a validated `RoundStats` of torch tensors, one entry per client slot: shares, losses and local steps
    float64, updates float32 (zero rows for absent clients), and the signals it says it reads. A rule that keeps no
    memory and says that it does not read the updates is not shown them, which saves their zero rows. `loss_best` is
    the lowest loss of a client at any model seen up to and including this round: an estimate of Fₖ*, from above; of a
    client made anew, in this round alone. Σ aₖuₖ is taken in float64, the model is kept in float32.
    """
    clock = Clock(state.model.device)
    cohort = round_cohort(config, task, state.round)
    slots = cohort.slots
    at = starts(config, task, state, slots)
    clock.stop("cohort")
    trained = _train(config, task, state.round, cohort, at)
    clock.stop("training")
    losses, accuracy = _losses(config, task, state, cohort, at, trained)
    clock.stop("losses")
    seen = torch.ones_like(cohort.present) if config.losses == "all" else cohort.present
    if not is_finite(trained.vectors, trained.updates, *(loss[seen] for loss in losses.values())):
        return None
    stats = _stats(config, rule, task, state, cohort, at, trained, losses)
    clock.stop("signals")
    rule_state, weights, vectors = aggregate(rule, state.rule_state, stats)
    check_weights(weights, rule, stats)
    check_vectors(vectors, rule, stats, trained.updates.shape[1])
    step = config.server_lr * _combined(weights, trained.updates, slots, vectors)
    model = (state.model.double() + step).float()
    buffers, own = kept(config, task, state, slots, weights, trained.vectors, trained.buffers)
    gram = _gram(trained.updates)
    clock.stop("aggregation")
    if not is_finite(model, buffers):
        return None
    best = losses.get("loss_best", state.loss_best) if task.population is not None else state.loss_best
    new = ServerState(state.round + 1, model, buffers, own, rule_state, best)
    found = evaluate(config, task, new)
    clock.stop("evaluation")
    if not all(isfinite(part.loss) for part in (found.validation, found.test) if part is not None):
        return None
    n_bytes = len(slots) * state.model.element_size() * (at.n_shared + task.buffers.numel() * (not at.local))
    before = losses.get("loss_before")
    record = RoundRecord(
        round=state.round,
        clients=[client.number for client in cohort.clients],
        kinds=[client.kind for client in cohort.clients],
        share=cohort.share.tolist(),
        present=cohort.present.tolist(),
        weights=weights.tolist(),
        local_steps=_placed(trained.steps, slots, len(cohort.clients)),
        loss_before=_known(before, len(cohort.clients)),
        loss_after=_known(losses.get("loss_after"), len(cohort.clients)),
        loss_best=_known(losses.get("loss_best"), len(cohort.clients)),
        client_accuracy=accuracy,
        gram=gram,
        train_loss=None if before is None or not is_finite(before) else float(cohort.share @ before),
        validation_loss=None if found.validation is None else found.validation.loss,
        validation_accuracy=None if found.validation is None else found.validation.accuracy,
        test_loss=None if found.test is None else found.test.loss,
        test_accuracy=None if found.test is None else found.test.accuracy,
        group_accuracy={} if found.test is None else found.test.group_accuracy,
        update_norm=float(step.norm()),
        bytes_down=n_bytes,
        bytes_up=n_bytes,
        seconds=clock.total,
        seconds_of=clock.seconds,
    )
    return new, record


def _train(config: RunConfig, task: Task, round_index: int, cohort: Cohort, at: Starts) -> _Trained:
    """Local SGD of every client present."""
    clients = [cohort.clients[slot] for slot in cohort.slots]
    batches = [draw_batches(config, round_index, client.number, len(client)) for client in clients]
    trainer = trainer_for(config.trainer, task.model, task.start.device, clients, batches)
    rate = config.local_lr * config.lr_decay**round_index
    vectors, buffers = trainer(task.model, at.vectors, at.buffers, task.pool, clients, batches, rate)
    updates = vectors - at.vectors
    if at.local:
        updates = torch.where(at.mask, torch.zeros((), device=updates.device), updates)
    return _Trained(vectors, updates, buffers, [batch.n_steps for batch in batches])


def _losses(
    config: RunConfig, task: Task, state: ServerState, cohort: Cohort, at: Starts, trained: _Trained
) -> tuple[dict[str, Tensor], list[float | None]]:
    """Fₖ(w), Fₖ(wₖ) and Fₖ* by slot, NaN where not measured, and the accuracy of the broadcast model by slot."""
    n, slots = len(cohort.clients), cohort.slots
    accuracy: list[float | None] = [None] * n
    if config.losses == "none":
        return {}, accuracy
    asked = list(range(n)) if config.losses == "all" else slots
    clients = [cohort.clients[slot] for slot in asked]
    here = at if asked == slots else starts(config, task, state, asked)
    if here.local:
        found, hits = own_scores(task.model, here.vectors, here.buffers, task.pool, clients)
    else:
        found, hits = client_scores(task.model, state.model, state.buffers, task.pool, clients)
    before = cohort.share.new_full((n,), torch.nan)
    before[asked] = found
    for slot, hit in zip(asked, hits, strict=True):
        accuracy[slot] = hit
    after = before.clone()
    present = [cohort.clients[slot] for slot in slots]
    after[slots], _ = own_scores(task.model, trained.vectors, trained.buffers, task.pool, present)
    best = torch.fmin(before, after)
    if task.population is not None:
        best = torch.fmin(state.loss_best, best)
    return {"loss_before": before, "loss_after": after, "loss_best": best}, accuracy


def _stats(
    config: RunConfig,
    rule: Rule | MemoryRule,
    task: Task,
    state: ServerState,
    cohort: Cohort,
    at: Starts,
    trained: _Trained,
    losses: dict[str, Tensor],
) -> RoundStats:
    """What the rule sees."""
    slots = cohort.slots
    needs = needs_of(rule)
    updates = None
    if needs is None or "updates" in needs or remembers(rule):
        updates = trained.updates.new_zeros(len(cohort.clients), trained.updates.shape[1])
        updates[slots] = trained.updates
    steps = torch.tensor(_placed(trained.steps, slots, len(cohort.clients)), device=cohort.share.device).double()
    signals = measure(
        wanted(rule),
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
        accuracy=lambda: broadcast_accuracy(config, task, state),
        seed=config.seed,
        round_index=state.round,
    )
    return RoundStats(
        share=cohort.share,
        present=cohort.present,
        **losses,
        local_steps=steps,
        updates=updates,
        round=state.round,
        signals=signals,
        observed_at=_OBSERVED_AT,
    )


def _combined(weights: Tensor, updates: Tensor, slots: list[int], vectors: Any) -> Tensor:
    """Σ aₖvₖ in float64, (n_parameters,); `vectors` None means the updates of the clients present."""
    rows = zip(weights[slots].tolist(), updates, strict=True)
    if vectors is not None:
        rows = zip(weights.tolist(), vectors, strict=True)
    total = torch.zeros(updates.shape[1], dtype=torch.float64, device=updates.device)
    for weight, row in rows:
        if weight != 0.0:
            total.add_(row.double(), alpha=weight)
    return total


def _gram(updates: Tensor) -> list[list[float]]:
    """⟨uᵢ, uⱼ⟩ in float64."""
    inner = torch.zeros(len(updates), len(updates), dtype=torch.float64, device=updates.device)
    for part in torch.split(updates, GRAM_COLUMNS, dim=1):
        wide = part.double()
        inner += wide @ wide.T
    return cast("list[list[float]]", inner.tolist())


def _placed(values: list[int], slots: list[int], n_slots: int) -> list[int]:
    """`values` at their slots, 0 elsewhere."""
    found = dict(zip(slots, values, strict=True))
    return [found.get(slot, 0) for slot in range(n_slots)]


def _known(values: Tensor | None, n_slots: int) -> list[float | None]:
    """Plain numbers, None where nothing was measured."""
    if values is None:
        return [None] * n_slots
    return [value if value == value and abs(value) != float("inf") else None for value in values.tolist()]
