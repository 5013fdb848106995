"""Local SGD over federations: rounds of local steps, any rule, any participation, any batch of federations at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from theory.algorithms.client import Client
from theory.algorithms.clients.sgd import SGD
from theory.algorithms.method import Method
from theory.algorithms.round import finish_round, first_memory
from theory.algorithms.server import Server
from theory.algorithms.servers.rate import Rate
from theory.base.arrays import Array, device_of, long_layout, namespace, one_blas_thread, to_host
from theory.base.momentum import Momentum
from theory.federations.federation import Federation
from theory.noise.laws import Noise
from theory.noise.minibatch import ModelNoise
from theory.participation.sampling import FullParticipation, Participation, RoundContext
from theory.rules.protocol import MemoryRule, Rule, aggregate
from theory.simulate.checks import _check, _check_method, _check_planned, _check_virtual
from theory.simulate.compiled import _compiled
from theory.simulate.conventions import Conventions
from theory.simulate.job import RoundSeen, _Job, _More
from theory.simulate.local import _bits, _drawn, _laid_out, _lengths, _quick, _worker
from theory.simulate.local_steps.work import LocalRound, StepwiseWork
from theory.simulate.method import _left, _received, _trained, _travelled
from theory.simulate.recorded import _judged, _log_messages, _log_steps
from theory.simulate.seen import _best, _combined, _needs, _over_cohort, _stats
from theory.simulate.trajectory import Trajectory, _Log, _trajectory

__all__ = ["simulate"]

_DEFAULT = ("models", "weights", "losses")


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
    `noise`: additive, drawn for a whole round, or depending on the local models (`theory.noise.minibatch`).
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
