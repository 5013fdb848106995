"""Local SGD over federations: rounds of local steps, any rule, any participation, any batch of federations at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.algorithms.client import Client, heard
from theory.algorithms.clients.sgd import SGD
from theory.algorithms.local_step import Affine, Stepwise, Vectors
from theory.algorithms.method import Method
from theory.algorithms.round import Memory, Trained, finish_round, first_memory
from theory.algorithms.server import Server
from theory.algorithms.servers.rate import Rate
from theory.arrays import (
    Array,
    check_simplex,
    device_of,
    long_layout,
    namespace,
    one_blas_thread,
    stacked_rows,
    to_host,
)
from theory.conventions import Conventions
from theory.federation import Federation, QuadraticFederation, global_loss
from theory.fisher import fisher_diagonal
from theory.local_work import LocalRound, LocalWork, StepwiseRound, StepwiseWork, local_work
from theory.minibatch import EpochNoise, MinibatchNoise, ModelNoise
from theory.momentum import Momentum
from theory.noise import Noise, SignNoise
from theory.participation import FullParticipation, Participation, Plan, RoundContext
from theory.rules.protocol import MemoryRule, Rule, aggregate, needs_of
from theory.stats import RoundStats

__all__ = ["RECORDS", "RoundSeen", "Trajectory", "simulate"]

RECORDS = (
    "models",
    "weights",
    "losses",
    "updates",
    "virtual",
    "step_losses",
    "gradients",
    "judged",
    "traffic",
    "drift",
)
_DEFAULT = ("models", "weights", "losses")


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What a run leaves behind; rounds or steps on the first axis, then the batch axes. Not recorded: None.

    `final` w after the last step: (*batch, dim); `diverged` the first round whose result was not finite or beyond
    1e100, −1 if none: (*batch,); such an element is frozen at its last finite model.
    "models": `models` w at the start of each round and after the last, (n_rounds + 1, *batch, dim).
    "weights": `weights`, `present` and `share`, (n_rounds, *batch, n_clients).
    "losses": `loss_before`, `loss_after`, (n_rounds, *batch, n_clients), as the rule saw them.
    "updates": `updates` wₖ − w, (n_rounds, *batch, n_clients, dim).
    "virtual": `virtual` w̄ₜ = Σ aₖ wₖ,ₜ at every step, (n_steps + 1, *batch, dim); `spread` Σ aₖ‖wₖ,ₜ − w̄ₜ‖² before
    each step, (n_steps, *batch).
    "traffic": `bits_down`, `bits_up` of each client, what goes beside model and update included, 0 for absent ones,
    (n_rounds, *batch, n_clients); of runs with a client or server algorithm.
    "drift": `drift` max |wₖ − w| of the models that clients start from and the server's, 0 for absent clients,
    (n_rounds, *batch, n_clients).
    `memory`: what the method carries after the last round, None without a client or server algorithm.
    "step_losses": `step_losses` Fₖ(w̄ₜ) at every step, (n_steps + 1, *batch, n_clients).
    "gradients": `gradients` ‖∇Fₖ(wₖ,ₜ)‖² before each step, (n_steps, *batch, n_clients), 0 for absent clients.
    "judged": `judged`, the model each client is judged by after each round, the server's unless `Client.judges` says
    otherwise, (n_rounds, *batch, n_clients, dim), and `judged_losses`, Fₖ of it, (n_rounds, *batch, n_clients).
    """

    final: Any
    diverged: Any
    models: Any = None
    weights: Any = None
    present: Any = None
    share: Any = None
    loss_before: Any = None
    loss_after: Any = None
    updates: Any = None
    virtual: Any = None
    spread: Any = None
    step_losses: Any = None
    gradients: Any = None
    judged: Any = None
    judged_losses: Any = None
    bits_down: Any = None
    bits_up: Any = None
    drift: Any = None
    memory: Memory | None = None


@dataclass
class _Log:
    """Columns that grow by one row a round (or a step); turned into a Trajectory at the end, or shown and forgotten."""

    record: frozenset[str]
    observe: Callable[[int, Mapping[str, Any]], None] | None = None
    columns: dict[str, list[Any]] = field(default_factory=dict)
    current: dict[str, Any] = field(default_factory=dict)

    def add(self, kind: str, **values: Any) -> None:
        if kind not in self.record:
            return
        if self.observe is not None:
            self.current.update(values)
            return
        for name, value in values.items():
            self.columns.setdefault(name, []).append(value)

    def close_round(self, r: int) -> None:
        if self.observe is not None:
            self.observe(r, self.current)
            self.current = {}


def simulate(
    federation: Federation | Callable[[int], Federation],
    rule: Rule | MemoryRule,
    *,
    start: Array,
    step_sizes: Array,
    n_local_steps: int,
    noise: Noise | ModelNoise | None = None,
    participation: Participation | None = None,
    seed: int = 0,
    conventions: Conventions | None = None,
    record: tuple[str, ...] = _DEFAULT,
    observe: Callable[[int, Mapping[str, Any]], None] | None = None,
    virtual_weights: Array | None = None,
    momentum: Momentum | None = None,
    planned_steps: tuple[int, ...] | None = None,
    signals: Callable[[RoundSeen], Mapping[str, Any]] | None = None,
    client: Client | None = None,
    server: Server | None = None,
) -> Trajectory:
    """Run local SGD: broadcast w, E local steps wₖ ← wₖ − ηₜ(∇Fₖ(wₖ) + nₖ), then w ← w + Σ aₖ(wₖ − w).

    Source: exp_alpha EA-D3, EA-D4; robust_aggregation RA-ALG1; `conventions` names what the papers leave open.
    `federation`: one, a batch of different ones, or a callable round → federation (fresh clients every round).
    `start` (*batch, dim), batch axes in front of the federation's own for replicas; `step_sizes` ηₜ > 0, (n_steps,) or
    that with the batch axes behind; n_steps a multiple of `n_local_steps`.
    `noise`: additive, drawn for a whole round, or depending on the local models (`theory.minibatch`).
    `record`: which of `RECORDS` to keep; "virtual", "step_losses" and "gradients" cost a pass over every local step,
    "updates" are n_clients models a round.
    `observe`: called as observe(round, values) with what `record` names for that round (steps on the first axis), which
    is then not stored: for minima and maxima over long runs of many replicas.
    `virtual_weights`: weights of w̄ₜ at every step, (n_steps, *batch, n_clients), for the reading in which they change
    inside a round (exp_alpha EA-D3 with ρᵗ at every t); they weight the virtual sequence only, the rule aggregates.
    `momentum` of the local steps. `planned_steps`: local steps each client plans, at most `n_local_steps`, in place of
    that for all; a law of the cohort says how many it finishes. `signals`: what a rule reads besides the round's losses
    and updates, by name, called once a round.
    `client`, `server`: a client algorithm and a server optimiser in place of plain SGD and w + d; the order of a round
    is in `theory.algorithms`.
    Raises `ValueError` for shapes that do not fit, steps that are not positive, an unknown record, or a rule, client
    and server that do not go together or with the federation.
    """
    with one_blas_thread():
        law, words = participation or FullParticipation(), conventions or Conventions()
        log = _Log(frozenset(record), observe)
        method = None if client is None and server is None else Method(rule, client or SGD(), server or Rate())
        if method is not None:
            _check_method(method, words, fresh=callable(federation))
        more = _More(momentum or Momentum(), planned_steps, signals, method)
        usual = noise is None and virtual_weights is None and more == _More(Momentum(), None, None, None)
        if usual and isinstance(law, FullParticipation) and words == Conventions() and observe is None:
            found = _compiled(federation, rule, start, step_sizes, n_local_steps, log.record)
            if found is not None:
                return found
        return _run(
            federation, rule, start, step_sizes, n_local_steps, noise, law, seed, words, log, virtual_weights, more
        )


def _compiled(
    federation: Federation | Callable[[int], Federation],
    rule: Rule | MemoryRule,
    start: Array,
    step_sizes: Array,
    n_local_steps: int,
    record: frozenset[str],
) -> Trajectory | None:
    """A run without anything unusual by the compiled kernels; None where they do not take it."""
    from theory.compiled.alone import READS, run_alone
    from theory.compiled.crowd import run_crowd
    from theory.compiled.library import library

    kernels, needs = library(), getattr(rule, "needs", None)
    plain = all(type(x) is np.ndarray and x.dtype == np.float64 for x in (start, step_sizes))
    if (
        kernels is None
        or not plain
        or step_sizes.ndim != 1
        or start.ndim == 0
        or not isinstance(federation, QuadraticFederation)
        or hasattr(rule, "step")
    ):
        return None
    if needs is None or not set(needs) <= READS or not record <= {"models", "weights", "losses"}:
        return None
    _check(federation, start, step_sizes, n_local_steps, record)
    given = (federation, kernels, rule, np.asarray(start), np.asarray(step_sizes), n_local_steps, record)
    run = run_alone(*given) or run_crowd(*given)
    if run is None:
        return None
    shape = None if run.weights is None else run.weights.shape
    return Trajectory(
        final=run.final,
        diverged=np.full(start.shape[:-1], -1),
        models=run.models,
        weights=run.weights,
        present=None if shape is None else np.ones(shape, dtype=bool),
        share=None if shape is None else np.broadcast_to(np.asarray(federation.share), shape).copy(),
        loss_before=run.before,
        loss_after=run.after,
    )


def _run(
    federation: Federation | Callable[[int], Federation],
    rule: Rule | MemoryRule,
    start: Array,
    step_sizes: Array,
    n_local_steps: int,
    noise: Noise | ModelNoise | None,
    participation: Participation,
    seed: int,
    conventions: Conventions,
    log: _Log,
    virtual_weights: Array | None,
    more: _More,
) -> Trajectory:
    first: Federation = federation(0) if callable(federation) else federation
    n_steps = _check(first, start, step_sizes, n_local_steps, log.record)
    _check_planned(more.planned_steps, first.n_clients, n_local_steps, conventions)
    if virtual_weights is not None:
        _check_virtual(virtual_weights, (n_steps, *start.shape[:-1], first.n_clients))
    xp = namespace(first.local_optima, start, step_sizes)
    at_model = getattr(noise, "gradient_noise", None)  # noise that depends on the local models, such as minibatches
    own_starts = more.method is not None and more.method.client.own_starts
    work, base = _worker(first, at_model, more.momentum, own_starts), first
    job = _Job(xp, rule, conventions, log, isinstance(rule, MemoryRule), _needs(rule, more.method), more)
    like = long_layout(xp.zeros((*start.shape[:-1], first.n_clients), dtype=start.dtype, device=device_of(start)))
    full = isinstance(participation, FullParticipation) and more.planned_steps is None
    planned = None if more.planned_steps is None else np.asarray(more.planned_steps, dtype=np.int64)
    present, active, steps, share = like == 0, None, like + n_local_steps, first.share + like
    keep_path = bool(log.record & {"virtual", "step_losses", "gradients"})
    model, state, lost = start, None, False
    method = more.method
    weigh, best = _quick(rule, work, conventions, everybody=full), _best(job, base, like)
    memory = None if method is None else first_memory(method.client, start[..., None, :] + like[..., None], start)
    diverged = xp.full(start.shape[:-1], -1, dtype=xp.int64, device=device_of(start))
    done = 0
    for r, length in enumerate(_lengths(n_steps, n_local_steps, conventions)):
        if callable(federation) and r:
            base = federation(r)
            if base.n_clients != first.n_clients or base.dim != first.dim:
                raise ValueError(
                    f"simulate(federation=…): round {r} has {base.n_clients} clients in dimension {base.dim}; expected"
                    f" {first.n_clients} in {first.dim}, as in round 0"
                )
            work, share = _worker(base, at_model, more.momentum, own_starts), base.share + like
            best = _best(job, base, like)
        if not full or length != n_local_steps:
            shares = to_host(base.share) if base.share.ndim == 1 else None
            plan = participation.plan(seed, r, tuple(like.shape), RoundContext(model, work, length, shares, planned))
            present, active, steps = _laid_out(xp, plan, like, length, planned)
            given = (
                base.share if plan.share is None else xp.asarray(plan.share, dtype=start.dtype, device=device_of(start))
            )
            share = given + like
        drawn = _bits(work, noise, seed, r, (length, *like.shape, base.dim)) if active is None else None
        if drawn is None:
            drawn = _drawn(xp, noise, seed, r, (length, *like.shape, base.dim), start)
        rates = step_sizes[done : done + length]
        own, starts, local = _received(method, memory, model, present)
        if own_starts and isinstance(work, StepwiseWork):
            result: LocalRound = work.run(model, rates, drawn, active, path=keep_path, steps=local, starts=starts)
        else:
            result = work.run(model, rates, drawn, active, path=keep_path, steps=local)
        stats = _stats(job, work, best, model, starts, result, share, present, steps, r, length)
        if method is not None and memory is not None:
            travelled = _travelled(xp, rates, active, like, more.momentum)
            left = _left(method, memory, own, starts, base, model, rates, drawn, active, more.momentum, result)
            trained = _trained(base, method.client, model, stats, travelled, own, starts, left, seed, r)
            _log_messages(job, method.client, memory, trained, model, present)
            memory, new, stats, weights = finish_round(method, memory, model, trained)
        elif conventions.aggregation == "algorithm" or done + length < n_steps or length == n_local_steps:
            state, weights, vectors = aggregate(weigh, state, stats)
            new = _combined(job, model, result, weights, vectors)
        else:
            weights = _over_cohort(xp, share, present)
            new = result.combine(weights)
        log.add("models", models=model)
        log.add("weights", weights=weights, present=present, share=share)
        log.add("losses", loss_before=stats.loss_before, loss_after=stats.loss_after)
        log.add("updates", updates=stats.updates)
        given_here = None if virtual_weights is None else virtual_weights[done : done + length]
        _log_steps(job, result, weights, share, present, given_here)
        if "judged" in log.record:
            judged = _judged(method, memory, new, like)
            log.add("judged", judged=judged, judged_losses=base.losses(judged))
        log.close_round(r)
        if lost or not (bool(xp.max(new) < 1e100) and bool(xp.min(new) > -1e100)):  # NaN is neither
            sound = xp.all(xp.abs(new) < 1e100, axis=-1)
            lost = True
            diverged = xp.where(~sound & (diverged < 0), xp.full_like(diverged, r), diverged)
            new = xp.where((diverged < 0)[..., None], new, model)
        model, done = new, done + length
    return _trajectory(xp, log, work, model, diverged, memory)


@dataclass(frozen=True, eq=False)
class RoundSeen:
    """A round after local steps, for signals: its number, the broadcast model w (*batch, dim), each client's update,
    presence, and the models that clients started from, (*batch, n_clients or 1, dim): w, unless they have their own.
    """

    round: int
    model: Any
    updates: Any
    present: Any
    starts: Any


@dataclass(frozen=True)
class _More:
    """What only some runs ask for."""

    momentum: Momentum
    planned_steps: tuple[int, ...] | None
    signals: Callable[[RoundSeen], Mapping[str, Any]] | None
    method: Method | None


@dataclass(frozen=True, eq=False)
class _Job:
    """What stays the same over a run."""

    xp: Any
    rule: Rule | MemoryRule
    conventions: Conventions
    log: _Log
    memory: bool
    needs: tuple[str, ...] | None
    more: _More

    def wants(self, name: str, record: str) -> bool:
        """Whether the rule reads a field (all, if it does not say) or the log keeps it."""
        return record in self.log.record or self.needs is None or name in self.needs


def _combined(job: _Job, model: Any, result: LocalRound, weights: Any, vectors: Any) -> Any:
    """w + Σ aₖ vₖ; for a rule without memory the vectors are wₖ − w, and Σ aₖ wₖ is had without forming them."""
    if job.memory:
        return model + job.xp.sum(weights[..., None] * vectors, axis=-2)
    return result.merge(weights)


def _lengths(n_steps: int, n_local_steps: int, conventions: Conventions) -> list[int]:
    """Local steps of each round; the equation's reading starts with one step and ends with E − 1 not aggregated."""
    n_rounds = n_steps // n_local_steps
    if conventions.aggregation == "algorithm" or n_local_steps == 1:
        return [n_local_steps] * n_rounds
    return [1] + [n_local_steps] * (n_rounds - 1) + [n_local_steps - 1]


def _laid_out(
    xp: Any, plan: Plan, like: Any, length: int, planned: NDArray[np.int64] | None
) -> tuple[Any, list[Any] | None, Any]:
    """The plan as arrays of the run: presence, which clients are active at each step, and finished steps."""
    present = xp.asarray(plan.present, device=device_of(like)) & (like == 0)
    given = planned if plan.steps is None else plan.steps
    if given is None:
        return present, None, length * xp.astype(present, like.dtype)
    steps = xp.asarray(given, dtype=like.dtype, device=device_of(like)) + like
    return (
        present & (steps > 0),
        [(steps > e) & present for e in range(length)],
        steps * xp.astype(present, like.dtype),
    )


def _worker(federation: Federation, at_model: Any, momentum: Momentum, own_starts: bool) -> LocalWork:
    plain = at_model is None and momentum.beta == 0 and not own_starts
    return local_work(federation) if plain else StepwiseWork(federation, momentum)


def _quick(rule: Rule | MemoryRule, work: LocalWork, conventions: Conventions, *, everybody: bool) -> Rule | MemoryRule:
    """The rule by a kernel where the work is compiled, the rule has one and nobody is ever absent."""
    from theory.compiled.rules import compiled_rule
    from theory.compiled.work import CompiledWork

    if not everybody or not isinstance(work, CompiledWork):
        return rule
    best = work.floor if conventions.best_loss != "global" else None
    return compiled_rule(rule, work.library, np.asarray(work.federation.share), best)


def _bits(work: LocalWork, noise: Any, seed: int, r: int, shape: tuple[int, ...]) -> Any:
    """Sign noise that compiled work draws itself, None for any other noise or work."""
    from theory.compiled.signs import SignBits
    from theory.compiled.work import CompiledWork

    if type(noise) is not SignNoise or not isinstance(work, CompiledWork) or len(noise.sigma) != shape[-2]:
        return None
    return SignBits(noise, seed, r, shape)


def _drawn(xp: Any, noise: Noise | ModelNoise | None, seed: int, r: int, shape: tuple[int, ...], start: Array) -> Any:
    """The round's noise, (E, *batch, n_clients, dim), or a function of (local models, step)."""
    if noise is None:
        return None
    if isinstance(noise, MinibatchNoise | EpochNoise):
        return noise.drawn(seed, r, shape[1:-1], shape[0])
    if isinstance(noise, ModelNoise):
        chosen = noise
        return lambda models, e: chosen.gradient_noise(models, seed, r, e)
    return xp.asarray(noise.draw(seed, r, shape), dtype=start.dtype, device=device_of(start))


def _needs(rule: Rule | MemoryRule, method: Method | None) -> tuple[str, ...] | None:
    """Fields of `RoundStats` that somebody reads, None for all; a method always works on the updates."""
    if method is None:
        return getattr(rule, "needs", None)
    return needs_of(rule, also=("updates", *method.server.needs))


def _received(
    method: Method | None, memory: Memory | None, model: Any, present: Any
) -> tuple[Vectors, Any, Affine | Stepwise | None]:
    """What clients keep once they heard the server, the models they start from (absent ones count with the server's),
    and the round's local step, None where it is plain SGD, which has faster forms.
    """
    if method is None or memory is None:
        return {}, None, None
    own, starts = method.client.receive(memory.own, memory.log, model)
    if method.client.own_starts:
        starts = namespace(model).where(present[..., None], starts, model[..., None, :])
    steps = method.client.steps({**own, "start": starts}, heard(memory.broadcast, model))
    return own, starts, None if isinstance(steps, Affine) and steps.plain else steps


def _travelled(xp: Any, rates: Any, active: list[Any] | None, like: Any, momentum: Momentum) -> Any:
    """How far gradients of 1 take each client, (*batch, n_clients): Σ η over its steps, with momentum ητ of FedNova."""
    if active is None and momentum.beta == 0:
        return xp.sum(rates, axis=0)[..., None] + like
    total, velocity, ones = like, None, xp.ones_like(like)
    for e in range(rates.shape[0]):
        velocity, along = momentum.along(velocity, ones)
        moved = rates[e][..., None] * along
        total = total + (moved if active is None else moved * xp.astype(active[e], like.dtype))
    return total


def _left(
    method: Method,
    memory: Memory,
    own: Vectors,
    starts: Any,
    federation: Federation,
    model: Any,
    rates: Any,
    drawn: Any,
    active: list[Any] | None,
    momentum: Momentum,
    result: LocalRound,
) -> Vectors:
    """What local steps leave, and the walk beside them, (*batch, n_clients, dim) each."""
    from theory.compiled.signs import SignBits

    left = result.left if isinstance(result, StepwiseRound) else {}
    beside = method.client.beside(own, heard(memory.broadcast, model))
    if beside is None:
        return left
    noise = drawn.draw() if isinstance(drawn, SignBits) else drawn
    worker, base = StepwiseWork(federation, momentum), starts if method.client.own_starts else None
    walk = worker.run(model, rates, noise, active, path=False, steps=beside, starts=base)
    return {**left, **walk.left}


def _judged(method: Method | None, memory: Memory | None, model: Any, like: Any) -> Any:
    """The model each client is judged by, (*batch, n_clients, dim)."""
    if method is None or memory is None:
        return model[..., None, :] + like[..., None]
    return method.client.judged(memory.own, heard(memory.broadcast, model)) + like[..., None]


def _trained(
    federation: Federation,
    client: Client,
    model: Any,
    stats: RoundStats,
    travelled: Any,
    own: Vectors,
    starts: Any,
    left: Vectors,
    seed: int,
    r: int,
) -> Trained:
    """What the end of a round needs of the local steps."""

    def start_gradient() -> Any:
        optima = federation.local_optima
        return federation.gradients(model[..., None, :] + namespace(optima).zeros_like(optima))  # they may be NaN

    def seen(received: Any) -> RoundStats:
        return RoundStats.unchecked(**{**stats.__dict__, "updates": received})

    def fisher(models: Any) -> Any:
        if client.fisher is None:
            raise ValueError(f"{type(client).__name__}: asks for a Fisher information that it does not name")
        return fisher_diagonal(federation, client.fisher, models, seed, r)

    updates = stats.need("updates", "a client or server algorithm")
    return Trained(updates, travelled, seen, start_gradient, own, starts, fisher, left)


def _log_messages(job: _Job, client: Client, memory: Memory, trained: Trained, model: Any, present: Any) -> None:
    """Bits down and up of each client present, what goes beside model and update included; how far bases are off."""
    xp = job.xp
    if "drift" in job.log.record:
        off = xp.max(xp.abs(trained.starts - model[..., None, :]), axis=-1)
        job.log.add("drift", drift=xp.where(present, off, xp.zeros_like(off)))
    if "traffic" not in job.log.record:
        return
    rows, here = to_host(trained.updates), to_host(present)
    number = 8 * rows.dtype.itemsize
    _, received = client.message(trained.own, trained.updates)
    beside_down, beside_up = (n * rows.shape[-1] * number for n in client.traffic)
    here = here & client.exchanges
    down = np.where(here, client.heard_bits(memory.own, memory.log, trained.updates, number) + beside_down, 0)
    up = np.where(here, client.sent_bits(received, number) + beside_up, 0)
    job.log.add("traffic", bits_down=down, bits_up=up)


def _check_method(method: Method, conventions: Conventions, *, fresh: bool) -> None:
    if fresh and method.remembers_clients:
        raise ValueError(
            f"simulate(federation=<made every round>): {method.remembers_clients}, and clients made anew are never the"
            " same; expected one federation"
        )
    if conventions.aggregation != "algorithm":
        raise ValueError(
            f"simulate(conventions=Conventions(aggregation={conventions.aggregation!r})): client and server algorithms"
            " aggregate every round; expected 'algorithm'"
        )


def _over_cohort(xp: Any, share: Any, present: Any) -> Any:
    masked = xp.where(present, share, xp.zeros_like(share))
    return masked / xp.sum(masked, axis=-1, keepdims=True)


def _stats(
    job: _Job,
    work: LocalWork,
    best: Any,
    model: Any,
    starts: Any,
    result: LocalRound,
    share: Any,
    present: Any,
    steps: Any,
    r: int,
    length: int,
) -> RoundStats:
    before = after = None
    signals: Mapping[str, Any] = {}
    if job.more.signals is not None:
        bases = model[..., None, :] if starts is None else starts
        signals = job.more.signals(RoundSeen(r, model, result.updates(), present, bases))
    if job.wants("loss_before", "losses"):
        before = result.loss_before()
        if job.conventions.losses == "current":
            before = work.losses_at(result.combine(_over_cohort(job.xp, share, present)))
    if job.wants("loss_after", "losses"):
        after = result.loss_after()
    return RoundStats.unchecked(
        share=share,
        present=present,
        loss_before=before,
        loss_after=after,
        loss_best=best,
        local_steps=steps,
        updates=result.updates() if job.wants("updates", "updates") else None,
        round=r,
        planned_steps=_planned(job, share, length) if job.wants("planned_steps", "") else None,
        effective_steps=_effective(job, steps) if job.wants("effective_steps", "") else None,
        signals=signals,
        observed_at={"loss_before": job.conventions.losses},
    )


def _best(job: _Job, federation: Federation, like: Any) -> Any:
    """Fₖ* of every client, (*batch, n_clients), None where nobody reads it."""
    if not job.wants("loss_best", ""):
        return None
    if job.conventions.best_loss != "global":
        return federation.floor + like
    optima = federation.local_optima
    each = [global_loss(federation, optima[..., k, :]) for k in range(federation.n_clients)]
    return job.xp.stack(each, axis=-1) + like


def _planned(job: _Job, like: Any, length: int) -> Any:
    """Local steps that each client plans, (*batch, n_clients)."""
    if job.more.planned_steps is None:
        return job.xp.full_like(like, length)
    return job.xp.zeros_like(like) + job.xp.asarray(job.more.planned_steps, dtype=like.dtype, device=device_of(like))


def _effective(job: _Job, steps: Any) -> Any:
    """τₖ of the steps each client finished, (*batch, n_clients)."""
    if job.more.momentum.beta == 0:
        return steps
    found = job.more.momentum.effective_steps(to_host(steps))
    return job.xp.asarray(found, dtype=steps.dtype, device=device_of(steps))


def _log_steps(job: _Job, result: LocalRound, weights: Any, share: Any, present: Any, by_step: Any | None) -> None:
    record, xp = job.log.record, job.xp
    if "gradients" in record:
        squares = result.squares()
        everybody = bool(xp.all(present))
        job.log.add("gradients", gradients=squares if everybody else xp.where(present, squares, xp.zeros_like(squares)))
    if record & {"virtual", "step_losses"}:
        if by_step is not None:
            mean, losses, spread = result.steps_by_step(by_step)
        else:
            virtual = weights if job.conventions.virtual == "round" else _over_cohort(xp, share, present)
            mean, losses, spread = result.steps(virtual, spread="virtual" in record)
        job.log.add("virtual", virtual=mean, spread=spread)
        job.log.add("step_losses", step_losses=losses)


def _trajectory(xp: Any, log: _Log, work: LocalWork, model: Any, diverged: Any, memory: Memory | None) -> Trajectory:
    if log.observe is not None:
        return Trajectory(final=model, diverged=diverged, memory=memory)
    log.add("models", models=model)
    log.add("virtual", virtual=model[None])
    if "step_losses" in log.record:
        log.add("step_losses", step_losses=work.losses_at(model)[None])
    by_step = {"virtual", "spread", "step_losses", "gradients"}
    stacked = {n: xp.concat(values) if n in by_step else stacked_rows(values) for n, values in log.columns.items()}
    return Trajectory(final=model, diverged=diverged, memory=memory, **stacked)


def _check(federation: Federation, start: Array, step_sizes: Array, n_local_steps: int, record: frozenset[str]) -> int:
    xp = namespace(step_sizes)
    own = tuple(federation.local_optima.shape[:-2])
    batch = tuple(start.shape[:-1])
    if start.ndim == 0 or start.shape[-1] != federation.dim or (own and batch[len(batch) - len(own) :] != own):
        expected = ("*replicas", *own, federation.dim)
        raise ValueError(f"simulate(start=…): shape {tuple(start.shape)}; expected ({', '.join(map(str, expected))})")
    if n_local_steps < 1 or step_sizes.shape[0] == 0 or step_sizes.shape[0] % n_local_steps:
        raise ValueError(
            f"simulate(n_local_steps={n_local_steps}): must be >= 1 and divide the {step_sizes.shape[0]} step sizes"
        )
    if tuple(step_sizes.shape[1:]) not in {(), batch}:
        raise ValueError(
            f"simulate(step_sizes=…): shape {tuple(step_sizes.shape)}; expected (n_steps,) or (n_steps, *{batch})"
        )
    if not bool(xp.all(xp.isfinite(step_sizes) & (step_sizes > 0))):
        raise ValueError(f"simulate(step_sizes=…): smallest {float(xp.min(step_sizes)):g}; must be finite and > 0")
    unknown = sorted(record - set(RECORDS))
    if unknown:
        raise ValueError(f"simulate(record=…): unknown {unknown}; expected any of {', '.join(RECORDS)}")
    return int(step_sizes.shape[0])


def _check_planned(
    planned: tuple[int, ...] | None, n_clients: int, n_local_steps: int, conventions: Conventions
) -> None:
    if planned is None:
        return
    if len(planned) != n_clients or not all(0 < steps <= n_local_steps for steps in planned):
        raise ValueError(
            f"simulate(planned_steps={planned}): expected {n_clients} whole numbers in 1 … {n_local_steps}, the local"
            " steps of a round"
        )
    if conventions.aggregation != "algorithm":
        raise ValueError("simulate(planned_steps=…): rounds of the equation's reading have one length for all clients")


def _check_virtual(weights: Array, expected: tuple[int, ...]) -> None:
    if tuple(weights.shape) != expected:
        raise ValueError(f"simulate(virtual_weights=…): shape {tuple(weights.shape)}; expected {expected}")
    check_simplex(weights, "simulate(virtual_weights=…)")
