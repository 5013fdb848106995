"""One federated round: broadcast, local training, what the rule sees, aggregation, evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, cast

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from deep.algorithm import finish, first_vectors, gathered, judged_rows, log_of, method_of, plain_traffic, traffic_of
from deep.checkpoint import ServerState
from deep.clock import Clock
from deep.config import RunConfig
from deep.evaluation import penalty
from deep.features import Refining, client_of
from deep.local.fisher import fisher_diagonals
from deep.local.full_gradient import full_gradients
from deep.local_models import Keep, LocalModels
from deep.normalisation import Evaluated, Starts, broadcast_accuracy, first_own, kept, starts
from deep.record import RoundRecord
from deep.remembered import CohortRows, Remembered, by_rows, reads_rows
from deep.rule_checks import LOSSES, check_vectors, check_weights, is_finite, losses_of, reads_loss_after
from deep.signals import measure, wanted
from deep.slots import of_array, of_some
from deep.task import Cohort, Task, listed, round_cohort
from deep.weighted_first import only_weighted
from deep.work import Asked, BroadcastLosses, Evaluation, OwnLosses, Trained, Training, alone
from theory.algorithms import Method, Played, Received, heard
from theory.arrays import Array
from theory.rules.protocol import MemoryRule, Rule, aggregate, needs_of, remembers
from theory.stats import RoundStats

__all__ = ["GRAM_COLUMNS", "first_state", "play_round", "round_work"]

_LOSS_AFTER = "own model after local training; the broadcast model for absent clients"
GRAM_COLUMNS = 2**20  # columns of the updates that are turned into float64 at once


def first_state(config: RunConfig, task: Task) -> ServerState:
    """The state before the first round."""
    client = client_of(config.client)
    if client.judges and len(task.buffers):
        raise ValueError(
            f"run(client={config.client!r}, model={config.model!r}): clients are judged by {client.judges}, which has"
            " no running statistics of its own; take norm='group' or 'batch'"
        )
    n_slots = 0 if task.population is None else len(task.population.clients)
    best = torch.full((n_slots,), torch.inf, dtype=torch.float64, device=task.start.device)
    own, buffers = first_own(config, task)
    kept, broadcast = first_vectors(client, task.start, n_slots)
    return ServerState(0, task.start, buffers, own, None, best, None, kept, broadcast)


def play_round(
    config: RunConfig, rule: Rule | MemoryRule, task: Task, state: ServerState, keep: Keep | None = None
) -> tuple[ServerState, RoundRecord] | None:
    """One round, its work done at once as `round_work` asks for it; None when something is no longer finite."""
    return alone(round_work(config, rule, task, state, keep))


def round_work(
    config: RunConfig, rule: Rule | MemoryRule, task: Task, state: ServerState, keep: Keep | None = None
) -> Asked[tuple[ServerState, RoundRecord] | None]:
    """One round, which yields what is to be computed (`deep.work`); it comes to None when something is not finite.

    The rule sees a validated `RoundStats` of torch tensors, one entry per client slot: shares, losses and local steps
    float64, updates in the run's precision (zero rows for absent clients), and the signals it says it reads. A rule
    that keeps no memory and says that it does not read the updates is not shown them, which saves their zero rows.
    `loss_best` is the floor of the task (`deep.floor`). Σ aₖuₖ is taken in float64, the model is kept in the run's
    precision. Client algorithm and server come in the order that `theory.algorithms` gives. `keep` is shown the
    clients' models.
    """
    clock, method = Clock(state.model.device), by_rows(method_of(config, rule))
    cohort = round_cohort(config, task, state.round)
    slots = cohort.slots
    at = starts(config, task, state, slots)
    clock.stop("cohort")
    asked_for = config.evaluates(state.round + 1) or any(name in LOSSES for name in method.server.needs)
    whose = losses_of(config, rule, len(task.pool), task.floor, asked_for)
    first = config.trains == "weighted"
    if first:
        losses, accuracy = yield from _losses(clock, config, whose, task, state, cohort, at)
        clock.stop("losses")
        if not is_finite(*(loss[_seen(whose, cohort)] for loss in losses.values())):
            return None
        cohort = only_weighted(cohort, cast("Rule", rule), losses, state.round)
    kept_before, log = gathered(state.kept, slots), log_of(state)
    own, bases = method.client.receive(kept_before, log, cast("Array", state.model))
    if method.client.own_starts:
        at = at.based(cast("Tensor", bases))
    heard_of = heard(state.broadcast, cast("Array", state.model))
    steps = method.client.steps({**own, "start": cast("Array", at.vectors)}, heard_of)
    beside = method.client.beside(own, heard_of)
    training = Training(config, task, state.round, cohort, at, steps, beside)
    trained: Trained = yield from clock.waited(training)
    clock.stop("training")
    effective = config.local_momentum.effective_steps(cohort.steps) if config.momentum else cohort.finished
    if not first:
        losses, accuracy = yield from _losses(clock, config, whose, task, state, cohort, at)
    if losses and reads_loss_after(config, rule, len(task.pool), task.floor):
        losses["loss_after"] = yield from _loss_after(clock, config, task, cohort, trained, losses["loss_before"])
    clock.stop("losses")
    products = _Products.of(trained.updates)
    moved = [trained.vectors] if at.local else []  # of which updates are differences
    if not products.finite:
        moved.append(trained.updates)
    seen = _seen(whose, cohort) if losses else None
    if not is_finite(*moved, *trained.left.values(), *(loss[seen] for loss in losses.values())):
        return None
    after_messages, sent = method.client.message(own, cast("Array", trained.updates))
    received = cast("Tensor", sent)
    stats = _stats(config, method, task, state, cohort, effective, at, trained, received, losses)
    clock.stop("signals")
    of_rule, of_server = (_by_rows(stats, cohort, received, part) for part in (method.rule, method.server))
    rule_state, weights, vectors = aggregate(method.rule, state.rule_state, of_rule)
    check_weights(weights, rule, stats)
    if not isinstance(vectors, Remembered):
        check_vectors(vectors, rule, stats, received.shape[1])
    if keep is not None:
        seen_by = cohort.share, cohort.present, weights
        keep(LocalModels(state.round, tuple(slots), *seen_by, trained.vectors, trained.buffers))
    if received is not trained.updates:
        products = _Products.of(received)
    arrived = _arrived(method, weights, products, cohort.places, vectors, of_server, task.layer_sizes)

    def played(mean_weights: Tensor) -> Played:
        return _played(config, task, state, cohort, effective, at, trained, received, mean_weights, arrived.direction)

    finished = finish(method, state, slots, after_messages, played, arrived, weights)
    step = finished.step
    model = finished.added_to(state.model)
    buffers, own_layers = kept(config, task, state, slots, weights, trained.vectors, trained.buffers)
    if task.target_inputs is not None and isinstance(method.server, Refining):
        shown = task.scaling(task.target_inputs)
        model = method.server.refine(task.model, model, buffers, trained.vectors, trained.buffers, shown)
    clock.stop("aggregation")
    if isinstance(vectors, Remembered):
        clock.part("minimum norm", vectors.solving, of="aggregation")
    if not is_finite(model, buffers):
        return None
    best = state.loss_best
    if losses and task.population is not None:
        best = torch.fmin(best, torch.fmin(losses["loss_before"], losses.get("loss_after", losses["loss_before"])))
    new = ServerState(
        state.round + 1,
        model,
        buffers,
        own_layers,
        rule_state,
        best,
        finished.server,
        finished.kept,
        finished.broadcast,
        finished.log,
    )
    judged = judged_rows(method.client, new)
    found: Evaluated = yield from clock.waited(Evaluation(config, task, new, judged))
    if found.validation is not None and judged is None:
        new = replace(new, accuracy=found.validation.accuracy)
    clock.stop("evaluation")
    if not all(isfinite(part.loss) for part in (found.validation, found.test) if part is not None):
        return None
    n_buffers = 0 if at.local else task.buffers.numel()
    size = state.model.element_size()
    traffic = None if first else plain_traffic(method.client, len(slots), at.n_shared, n_buffers, size)
    if traffic is None:
        shared, arriving = trained.updates[:, : at.n_shared], received if not at.local else received[:, ~at.mask]
        heard_bits = method.client.heard_bits(kept_before, log, cast("Array", shared), 8 * size)
        sent_bits = method.client.sent_bits(cast("Array", arriving), 8 * size)
        if first:
            sent_bits = np.where(cohort.steps[slots] > 0, sent_bits, 0)
        traffic = traffic_of(method.client, heard_bits, sent_bits, at.n_shared, n_buffers, size)
    before, known, n = losses.get("loss_before"), listed(cohort, task), len(cohort.clients)
    record = RoundRecord(
        round=state.round,
        clients=known.clients,
        kinds=known.kinds,
        share=known.share,
        present=of_some(n, False, slots, [True] * len(slots)),
        weights=of_array(weights.cpu().numpy(), slots),
        local_steps=of_some(n, 0, slots, cohort.steps[slots].tolist()),
        loss_before=_known(before, n),
        loss_after=_known(losses.get("loss_after"), n),
        loss_best=_known(losses.get("loss_best"), n),
        client_accuracy=accuracy,
        gram=products.plain,
        train_loss=None if before is None or not is_finite(before) else float(cohort.share @ before),
        validation_loss=None if found.validation is None else found.validation.loss,
        validation_accuracy=None if found.validation is None else found.validation.accuracy,
        test_loss=None if found.test is None else found.test.loss,
        test_accuracy=None if found.test is None else found.test.accuracy,
        group_accuracy={} if found.test is None else found.test.group_accuracy,
        update_norm=float(torch.linalg.vector_norm(step)),
        bytes_down=traffic.down,
        bytes_up=traffic.up,
        bytes_beside_down=traffic.beside_down,
        bytes_beside_up=traffic.beside_up,
        seconds=clock.total,
        seconds_of=clock.seconds,
        planned_steps=known.planned_steps,
        effective_steps=of_some(n, 0.0, slots, effective[slots].tolist()),
        target_loss={} if found.test is None else found.test.target_loss,
        target_accuracy={} if found.test is None else found.test.target_accuracy,
        client_test_loss=found.client_loss,
        client_test_accuracy=found.client_accuracy,
        judged=found.judged,
        server_test_accuracy=found.server_accuracy,
        reported=dict(method.server.report(finished.server)),
    )
    return new, record


def _losses(
    clock: Clock,
    config: RunConfig,
    whose: str,
    task: Task,
    state: ServerState,
    cohort: Cohort,
    at: Starts,
) -> Asked[tuple[dict[str, Tensor], Sequence[float | None]]]:
    """Fₖ(w) and Fₖ* by slot, NaN where not measured, and the accuracy of the broadcast model by slot."""
    n, slots = len(cohort.clients), cohort.slots
    if whose == "none":
        return {}, of_some(n, None, [], [])
    asked = list(range(n)) if whose == "all" else slots
    clients = [cohort.clients[slot] for slot in asked]
    here = _asked(config, task, state, at, slots, asked)
    if here.differ:
        found, hits = yield from clock.waited(OwnLosses(task, here.vectors, here.buffers, clients))
    else:
        found, hits = yield from clock.waited(BroadcastLosses(task, state, clients))
    before = cohort.share.new_full((n,), torch.nan)
    before[asked] = found + penalty(config.l2, here.vectors if here.differ else state.model)
    return {"loss_before": before, "loss_best": _floor(task, state, before)}, of_some(n, None, asked, hits)


def _loss_after(
    clock: Clock, config: RunConfig, task: Task, cohort: Cohort, trained: Trained, before: Tensor
) -> Asked[Tensor]:
    """Fₖ(wₖ) by slot, of absent clients Fₖ(w)."""
    after, present = before.clone(), [cohort.clients[slot] for slot in cohort.slots]
    own, _ = yield from clock.waited(OwnLosses(task, trained.vectors, trained.buffers, present))
    after[cohort.slots] = own + penalty(config.l2, trained.vectors)
    return after


def _seen(whose: str, cohort: Cohort) -> Tensor:
    """By slot, whether losses are measured there where any are."""
    return torch.ones_like(cohort.present) if whose == "all" else cohort.present


def _asked(config: RunConfig, task: Task, state: ServerState, at: Starts, slots: list[int], asked: list[int]) -> Starts:
    """Models that the clients in `asked` are measured at: where they started, absent ones the server's."""
    if asked == slots:
        return at
    everyone = starts(config, task, state, asked)
    if not at.moved:
        return everyone
    vectors = everyone.vectors.clone()
    vectors[[asked.index(slot) for slot in slots]] = at.vectors
    return replace(everyone, vectors=vectors, moved=True)


def _floor(task: Task, state: ServerState, before: Tensor) -> Tensor:
    """What stands for Fₖ* by slot; of clients that are not measured it is known all the same, except best-seen."""
    if task.floor.losses is None:
        return torch.fmin(state.loss_best, before)
    return before.new_tensor(task.floor.losses).expand_as(before)


def _stats(
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


@dataclass(frozen=True, eq=False)
class _Products:
    """Inner products of updates (m, n_parameters): `gram` (m, m) float64, `plain` the same as numbers; `updates` are in
    float64 where they are few.
    """

    updates: Tensor
    gram: Tensor
    plain: list[list[float]]

    @classmethod
    def of(cls, updates: Tensor) -> _Products:
        """Those of these updates."""
        wide = updates.double() if updates.numel() <= GRAM_COLUMNS else updates
        gram = _gram(wide)
        return cls(wide, gram, gram.tolist())

    @property
    def finite(self) -> bool:
        """Whether the squared norms say that all updates are finite; those of finite float64 numbers may overflow."""
        return all(isfinite(row[place]) for place, row in enumerate(self.plain))


def _by_rows(stats: RoundStats, cohort: Cohort, received: Tensor, part: object) -> RoundStats:
    """`stats` as `part`, the rule or the server, reads its updates: all of them, or those of clients present alone."""
    if not reads_rows(part):
        return stats
    updates = CohortRows(received, tuple(cohort.slots), len(cohort.clients))
    return RoundStats.unchecked(**{**stats.__dict__, "updates": updates})


def _combined(weights: Tensor, updates: Tensor, vectors: Any) -> Tensor:
    """Σ aₖvₖ in float64, (n_parameters,); `vectors` None means the `updates`, with a weight for each."""
    if isinstance(vectors, Remembered):
        return vectors.combined(weights)
    if vectors is None and updates.dtype == torch.float64 and updates.numel() <= GRAM_COLUMNS:
        return weights.to(updates) @ updates
    rows = zip(weights.tolist(), updates if vectors is None else vectors, strict=True)
    total = torch.zeros(updates.shape[1], dtype=torch.float64, device=updates.device)
    for weight, row in rows:
        if weight != 0.0:
            total.add_(row if row.dtype == torch.float64 else row.double(), alpha=weight)
    return total


def _arrived(
    method: Method,
    weights: Tensor,
    products: _Products,
    places: Tensor,
    vectors: Any,
    stats: RoundStats,
    layers: tuple[int, ...],
) -> Received:
    """What reaches the server: d, and the Gram matrix of the vectors combined where it is asked for."""
    if not remembers(method.rule):
        present = weights[places]  # those of the updates, which `vectors` has with zeros between them
        return Received(_combined(present, products.updates, None), present, products.gram, stats, layers=layers)
    direction = _combined(weights[places] if vectors is None else weights, products.updates, vectors)
    own = None
    if "gram" in method.server.needs:
        own = vectors.full_gram() if isinstance(vectors, Remembered) else _gram(vectors)
    return Received(direction, weights, own, stats, layers=layers)


def _played(
    config: RunConfig,
    task: Task,
    state: ServerState,
    cohort: Cohort,
    effective: NDArray[np.float64],
    at: Starts,
    trained: Trained,
    received: Tensor,
    mean_weights: Tensor,
    direction: Array,
) -> Played:
    """What the clients present are told after the round, for what they keep."""
    travelled = torch.from_numpy(config.rate(state.round) * effective[cohort.slots]).to(trained.updates)
    clients = [cohort.clients[slot] for slot in cohort.slots]

    def start_gradient() -> Tensor:
        found = full_gradients(task.model, at.vectors, at.buffers, task.pool, clients, config.l2)
        return torch.where(at.mask, torch.zeros((), device=found.device), found) if at.local else found

    def fisher(models: Array) -> Tensor:
        asked = client_of(config.client).fisher
        if asked is None:
            raise ValueError(f"{config.client}: asks for a Fisher information that it does not name")
        found = fisher_diagonals(
            task.model,
            cast("Tensor", models),
            at.buffers,
            task.pool,
            clients,
            asked,
            config.seed_of("training"),
            state.round,
        )
        return torch.where(at.mask, torch.zeros((), device=found.device), found) if at.local else found

    updates, everyone = cast("Array", trained.updates), torch.ones(len(clients), dtype=torch.bool)
    return Played(
        updates,
        cast("Array", received),
        travelled,
        mean_weights,
        direction,
        start_gradient,
        cast("Array", at.vectors),
        cast("Array", everyone.to(trained.updates.device)),
        fisher,
        cast("dict[str, Array]", trained.left),
    )


def _gram(updates: Tensor) -> Tensor:
    """⟨uᵢ, uⱼ⟩ in float64."""
    if updates.shape[1] <= GRAM_COLUMNS:
        wide = updates.double()
        return (wide @ wide.T).add_(0.0)  # as a sum that begins at 0, which has no −0.0
    inner = torch.zeros(len(updates), len(updates), dtype=torch.float64, device=updates.device)
    for part in torch.split(updates, GRAM_COLUMNS, dim=1):
        wide = part.double()
        inner += wide @ wide.T
    return inner


def _planner(task: Task, cohort: Cohort) -> Cohort:
    """Whose plans the round's are: those of the fixed population, whose tensor is made once, or its own."""
    everyone = task.population
    return everyone if everyone is not None and everyone.planned is cohort.planned else cohort


def _doubles(values: NDArray[Any], like: Tensor) -> Tensor:
    """A copy in float64 on the device of `like`."""
    return torch.from_numpy(values.astype(np.float64)).to(like.device)


def _known(values: Tensor | None, n_slots: int) -> Sequence[float | None]:
    """Plain numbers, None where nothing was measured."""
    return of_some(n_slots, None, [], []) if values is None else of_array(values.cpu().numpy())
