"""What the rule sees of a round, each field only where somebody reads it, and what its weights make of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from theory.algorithms.method import Method
from theory.base.arrays import Array, device_of, to_host
from theory.federations.federation import Federation, global_loss
from theory.rules.protocol import MemoryRule, Rule, needs_of
from theory.rules.stats import RoundStats
from theory.simulate.job import RoundSeen, _Job
from theory.simulate.local_steps.work import LocalRound, LocalWork


def _needs(rule: Rule | MemoryRule, method: Method | None) -> tuple[str, ...] | None:
    """Fields of `RoundStats` that somebody reads, None for all; a method always works on the updates."""
    if method is None:
        return getattr(rule, "needs", None)
    return needs_of(rule, also=("updates", *method.server.needs))


def _best(job: _Job, federation: Federation, like: Array) -> Any:
    """Fₖ* of every client, (*batch, n_clients), None where nobody reads it."""
    if not job.wants("loss_best", ""):
        return None
    if job.conventions.best_loss != "global":
        return federation.floor + like
    optima = federation.local_optima
    each = [global_loss(federation, optima[..., k, :]) for k in range(federation.n_clients)]
    return job.xp.stack(each, axis=-1) + like


def _stats(
    job: _Job,
    work: LocalWork,
    best: Array | None,
    model: Array,
    starts: Array | None,
    result: LocalRound,
    share: Array,
    present: Array,
    steps: Array,
    r: int,
    length: int,
) -> RoundStats:
    """The round's `RoundStats`; with "current" losses those before are taken at the mean of the cohort's new models."""
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


def _planned(job: _Job, like: Array, length: int) -> Any:
    """Local steps that each client plans, (*batch, n_clients)."""
    if job.more.planned_steps is None:
        return job.xp.full_like(like, length)
    return job.xp.zeros_like(like) + job.xp.asarray(job.more.planned_steps, dtype=like.dtype, device=device_of(like))


def _effective(job: _Job, steps: Array) -> Any:
    """τₖ of the steps each client finished, (*batch, n_clients)."""
    if job.more.momentum.beta == 0:
        return steps
    found = job.more.momentum.effective_steps(to_host(steps))
    return job.xp.asarray(found, dtype=steps.dtype, device=device_of(steps))


def _over_cohort(xp: Any, share: Array, present: Array) -> Any:
    """pₖ of the clients present, divided by their sum, (*batch, n_clients); 0 for absent ones."""
    masked = xp.where(present, share, xp.zeros_like(share))
    return masked / xp.sum(masked, axis=-1, keepdims=True)


def _combined(job: _Job, model: Array, result: LocalRound, weights: Array, vectors: Array) -> Any:
    """w + Σ aₖ vₖ; for a rule without memory the vectors are wₖ − w, and Σ aₖ wₖ is had without forming them."""
    if job.memory:
        return model + job.xp.sum(weights[..., None] * vectors, axis=-2)
    return result.merge(weights)
