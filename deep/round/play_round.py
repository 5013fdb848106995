"""One federated round: broadcast, local training, what the rule sees, aggregation, evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import cast

import torch
from torch import Tensor

from deep.aware_memory.rows import Remembered
from deep.base.clock import Clock
from deep.base.slots import of_some
from deep.config.config import RunConfig
from deep.features import Refining
from deep.local.fisher import fisher_diagonals
from deep.local.full_gradient import full_gradients
from deep.round.combined import Products, received_of
from deep.round.local_models import Keep, LocalModels
from deep.round.normalisation import Starts, first_own, kept, starts
from deep.round.record import record_of, traffic_in
from deep.round.seen import Arrived, as_read_by, stats_of
from deep.round.work import Asked, BroadcastLosses, Evaluation, OwnLosses, Trained, Training, alone
from deep.storage.checkpoint import ServerState
from deep.storage.record import RoundRecord
from deep.task.algorithm import finish, first_vectors, gathered, judged_rows, log_of
from deep.task.cohort import Cohort
from deep.task.evaluated import Evaluated
from deep.task.evaluation import penalty
from deep.task.rule_checks import LOSSES, check_vectors, check_weights, is_finite, losses_of, reads_loss_after
from deep.task.setup import Setup
from deep.task.task import Task, round_cohort
from deep.task.weighted_first import only_weighted
from theory.algorithms import Played, heard
from theory.base.arrays import Array
from theory.rules.protocol import Rule, aggregate

__all__ = ["first_state", "play_round", "round_work"]


def first_state(setup: Setup, task: Task) -> ServerState:
    """The state before the first round."""
    config, client = setup.config, setup.client
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
    setup: Setup, task: Task, state: ServerState, keep: Keep | None = None
) -> tuple[ServerState, RoundRecord] | None:
    """One round, its work done at once as `round_work` asks for it; None when something is no longer finite."""
    return alone(round_work(setup, task, state, keep))


def round_work(
    setup: Setup, task: Task, state: ServerState, keep: Keep | None = None
) -> Asked[tuple[ServerState, RoundRecord] | None]:
    """One round, which yields what is to be computed (`deep.round.work`); it comes to None when something is not
    finite.

    The rule sees a validated `RoundStats` of torch tensors, one entry per client slot: shares, losses and local steps
    float64, updates in the run's precision (zero rows for absent clients), and the signals it says it reads. A rule
    that keeps no memory and says that it does not read the updates is not shown them, which saves their zero rows.
    `loss_best` is the floor of the task (`deep.base.floor`). Σ aₖuₖ is taken in float64, the model is kept in the run's
    precision. Client algorithm and server come in the order that `theory.algorithms` gives. `keep` is shown the
    clients' models.
    """
    config, rule, method = setup.config, setup.rule, setup.rowwise
    clock = Clock(state.model.device)
    cohort = round_cohort(setup, task, state.round)
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
    training = Training(setup, task, state.round, cohort, at, steps, beside)
    trained: Trained = yield from clock.waited(training)
    clock.stop("training")
    effective = setup.momentum.effective_steps(cohort.steps) if config.momentum else cohort.finished
    if not first:
        losses, accuracy = yield from _losses(clock, config, whose, task, state, cohort, at)
    if losses and reads_loss_after(config, rule, len(task.pool), task.floor):
        losses["loss_after"] = yield from _loss_after(clock, config, task, cohort, trained, losses["loss_before"])
    clock.stop("losses")
    products = Products.of(trained.updates)
    moved = [trained.vectors] if at.local else []  # of which updates are differences
    if not products.finite:
        moved.append(trained.updates)
    seen = _seen(whose, cohort) if losses else None
    if not is_finite(*moved, *trained.left.values(), *(loss[seen] for loss in losses.values())):
        return None
    after_messages, sent = method.client.message(own, cast("Array", trained.updates))
    received = cast("Tensor", sent)
    there = Arrived(setup, task, state, cohort, effective, at, trained, received)
    stats = stats_of(method, there, losses)
    clock.stop("signals")
    of_rule, of_server = (as_read_by(stats, cohort, received, part) for part in (method.rule, method.server))
    rule_state, weights, vectors = aggregate(method.rule, state.rule_state, of_rule)
    check_weights(weights, rule, stats)
    if not isinstance(vectors, Remembered):
        check_vectors(vectors, rule, stats, received.shape[1])
    if keep is not None:
        seen_by = cohort.share, cohort.present, weights
        keep(LocalModels(state.round, tuple(slots), *seen_by, trained.vectors, trained.buffers))
    if received is not trained.updates:
        products = Products.of(received)
    others = None if vectors is of_rule.updates else vectors
    arrived = received_of(method, weights, products, cohort.places, others, of_server, task.layer_sizes)

    def played(mean_weights: Tensor) -> Played:
        return _played(there, mean_weights, arrived.direction)

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
    found: Evaluated = yield from clock.waited(Evaluation(setup, task, new, judged))
    if found.validation is not None and judged is None:
        new = replace(new, accuracy=found.validation.accuracy)
    clock.stop("evaluation")
    if not all(isfinite(part.loss) for part in (found.validation, found.test) if part is not None):
        return None
    traffic = traffic_in(there, method.client, kept_before, log)
    reported = dict(method.server.report(finished.server))
    return new, record_of(there, losses, accuracy, weights, products, step, found, traffic, clock, reported)


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


def _played(there: Arrived, mean_weights: Tensor, direction: Array) -> Played:
    """What the clients present are told after the round, for what they keep."""
    config, task, state, cohort = there.setup.config, there.task, there.state, there.cohort
    at, trained = there.at, there.trained
    travelled = torch.from_numpy(config.rate(state.round) * there.effective[cohort.slots]).to(trained.updates)
    clients = [cohort.clients[slot] for slot in cohort.slots]

    def start_gradient() -> Tensor:
        found = full_gradients(task.model, at.vectors, at.buffers, task.pool, clients, config.l2)
        return torch.where(at.mask, torch.zeros((), device=found.device), found) if at.local else found

    def fisher(models: Array) -> Tensor:
        asked = there.setup.client.fisher
        if asked is None:
            raise ValueError(f"{config.client}: asks for a Fisher information that it does not name")
        vectors, running = cast("Tensor", models), at.buffers
        if not torch.equal(vectors, at.vectors):  # after local training, with the statistics and layers it came to
            vectors = torch.where(at.mask, trained.vectors, vectors) if at.local else vectors
            running = trained.buffers
        found = fisher_diagonals(
            task.model,
            vectors,
            running,
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
        cast("Array", there.received),
        travelled,
        mean_weights,
        direction,
        start_gradient,
        cast("Array", at.vectors),
        cast("Array", everyone.to(trained.updates.device)),
        fisher,
        cast("dict[str, Array]", trained.left),
    )
