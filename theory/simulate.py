"""Local SGD over quadratic federations: rounds of E local steps, any rule, any batch of federations at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from theory.arrays import Array, device_of, namespace
from theory.federation import QuadraticFederation
from theory.noise import SignNoise
from theory.participation import FullParticipation, Participation
from theory.rules.protocol import MemoryRule, Rule, aggregate
from theory.stats import RoundStats

__all__ = ["Trajectory", "simulate"]


@dataclass(frozen=True, eq=False)
class Trajectory:
    """What a run leaves behind; rounds on the first axis, then the batch axes.

    `models` w at the start of each round and after the last: (n_rounds + 1, *batch, dim).
    `weights`, `present`, `loss_before`, `loss_after`: (n_rounds, *batch, n_clients).
    `updates` wₖ − w: (n_rounds, *batch, n_clients, dim).
    `virtual` w̄ₜ = Σ aₖ wₖ,ₜ with the round's own weights, at every step: (n_steps + 1, *batch, dim).
    `gradient_square` largest ‖∇Fₖ(wₖ,ₜ)‖² met by a client that was present: (*batch,).
    `diverged` the first round whose result was not finite or beyond 1e100, −1 if none: (*batch,); that element is
    frozen at its last finite model.
    """

    models: Any
    weights: Any
    present: Any
    loss_before: Any
    loss_after: Any
    updates: Any
    virtual: Any
    gradient_square: Any
    diverged: Any


def simulate(
    federation: QuadraticFederation,
    rule: Rule | MemoryRule,
    *,
    start: Array,
    step_sizes: Array,
    n_local_steps: int,
    noise: SignNoise | None = None,
    participation: Participation | None = None,
    seed: int = 0,
) -> Trajectory:
    """Run local SGD: broadcast w, E local steps wₖ ← wₖ − ηₜ(∇Fₖ(wₖ) + nₖ), then w ← w + Σ aₖ(wₖ − w).

    Source: exp_alpha EA-D3, EA-D4; robust_aggregation RA-ALG1 (index reading `alg1`).
    `start` (*batch, dim); `step_sizes` ηₜ > 0, (n_rounds·n_local_steps,) or that with the batch axes behind;
    losses in the rounds' stats are those of the broadcast model and of the local model, Fₖ* is exact.
    Raises `ValueError` for shapes that do not fit, steps that are not positive, or n_local_steps < 1.
    """
    xp = namespace(federation.centers, start, step_sizes)
    n_rounds = _check(federation, start, step_sizes, n_local_steps)
    participation = participation or FullParticipation()
    model, state = start, None
    tiny = xp.zeros_like(federation.share)
    ones = xp.ones_like(federation.share)
    diverged = xp.full(start.shape[:-1], -1, dtype=xp.int64, device=device_of(start))
    square = tiny[..., 0]
    rows: list[tuple[Any, ...]] = []
    virtual = [start]
    for r in range(n_rounds):
        cohort = participation.cohort(seed, r, federation.n_clients)
        present = (ones > 0) & xp.asarray(cohort, device=device_of(start))
        shape = (n_local_steps, *federation.centers.shape)
        drawn = (
            None
            if noise is None
            else xp.asarray(noise.draw(seed, r, shape), dtype=start.dtype, device=device_of(start))
        )
        local = model[..., None, :] + xp.zeros_like(federation.centers)
        path = []
        for e in range(n_local_steps):
            gradient = federation.gradients(local)
            norms = xp.where(present, xp.sum(gradient**2, axis=-1), tiny)
            square = xp.maximum(square, xp.max(norms, axis=-1))
            if drawn is not None:
                gradient = gradient + drawn[e]
            eta = step_sizes[r * n_local_steps + e]
            local = local - (eta if eta.ndim == 0 else eta[..., None, None]) * gradient
            path.append(local)
        stats = RoundStats.unchecked(
            share=federation.share,
            present=present,
            loss_before=federation.losses(model[..., None, :]),
            loss_after=federation.losses(local),
            loss_best=federation.floor,
            local_steps=n_local_steps * xp.astype(present, start.dtype),
            updates=local - model[..., None, :],
            round=r,
        )
        state, weights, vectors = aggregate(rule, state, stats)
        new = model + xp.sum(weights[..., None] * vectors, axis=-2)
        sound = xp.all(xp.abs(new) < 1e100, axis=-1)
        rows.append((model, weights, present, stats.loss_before, stats.loss_after, stats.updates))
        virtual += [model + xp.sum(weights[..., None] * (local - model[..., None, :]), axis=-2) for local in path[:-1]]
        diverged = xp.where(~sound & (diverged < 0), xp.full_like(diverged, r), diverged)
        model = xp.where((diverged < 0)[..., None], new, model)
        virtual.append(model)
    models, weights, present, before, after, updates = (xp.stack(list(column)) for column in zip(*rows, strict=True))
    models = xp.concat([models, model[None]])
    return Trajectory(models, weights, present, before, after, updates, xp.stack(virtual), square, diverged)


def _check(federation: QuadraticFederation, start: Array, step_sizes: Array, n_local_steps: int) -> int:
    xp = namespace(step_sizes)
    batch = tuple(federation.centers.shape[:-2])
    if tuple(start.shape) != (*batch, federation.dim):
        raise ValueError(f"simulate(start=…): shape {tuple(start.shape)}; expected {(*batch, federation.dim)}")
    if n_local_steps < 1 or step_sizes.shape[0] == 0 or step_sizes.shape[0] % n_local_steps:
        raise ValueError(
            f"simulate(n_local_steps={n_local_steps}): must be >= 1 and divide the {step_sizes.shape[0]} step sizes"
        )
    if tuple(step_sizes.shape[1:]) not in {(), batch}:
        raise ValueError(
            f"simulate(step_sizes=…): shape {tuple(step_sizes.shape)}; expected (n_steps,) or with {batch}"
        )
    if not bool(xp.all(xp.isfinite(step_sizes) & (step_sizes > 0))):
        raise ValueError(f"simulate(step_sizes=…): smallest {float(np.min(np.asarray(step_sizes))):g}; must be > 0")
    return int(step_sizes.shape[0] // n_local_steps)
