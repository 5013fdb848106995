"""The local steps of a round: how many, by whom, on which noise, and by which worker."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from theory.base.arrays import Array, device_of
from theory.base.momentum import Momentum
from theory.federations.federation import Federation, QuadraticFederation
from theory.noise.laws import Noise, SignNoise
from theory.noise.minibatch import EpochNoise, MinibatchNoise, ModelNoise
from theory.participation.sampling import Plan
from theory.rules.protocol import MemoryRule, Rule
from theory.simulate.conventions import Conventions
from theory.simulate.local_steps.work import LocalWork, StepwiseWork

__all__ = ["local_work"]


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


def local_work(federation: Federation) -> LocalWork:
    """The fastest worker for a federation: quadratics in their eigenbases, anything else step by step."""
    if not isinstance(federation, QuadraticFederation):
        return StepwiseWork(federation)
    from theory.compiled.library import library
    from theory.simulate.kernels.work import CompiledWork, fits
    from theory.simulate.local_steps.eigen_work import OwnEigenbases, SharedEigenbasis

    if federation.curvature.ndim != 3:
        return OwnEigenbases(federation)
    kernels = library()
    if kernels is None or not fits(federation):
        return SharedEigenbasis(federation)
    return CompiledWork(federation, kernels)


def _worker(federation: Federation, at_model: Any, momentum: Momentum, own_starts: bool) -> LocalWork:
    """The fastest worker; step by step for noise that depends on the models, momentum, and models of clients' own."""
    plain = at_model is None and momentum.beta == 0 and not own_starts
    return local_work(federation) if plain else StepwiseWork(federation, momentum)


def _quick(rule: Rule | MemoryRule, work: LocalWork, conventions: Conventions, *, everybody: bool) -> Rule | MemoryRule:
    """The rule by a kernel where the work is compiled, the rule has one and nobody is ever absent."""
    from theory.simulate.kernels.rules import compiled_rule
    from theory.simulate.kernels.work import CompiledWork

    if not everybody or not isinstance(work, CompiledWork):
        return rule
    best = work.floor if conventions.best_loss != "global" else None
    return compiled_rule(rule, work.library, np.asarray(work.federation.share), best)


def _bits(work: LocalWork, noise: Any, seed: int, r: int, shape: tuple[int, ...]) -> Any:
    """Sign noise that compiled work draws itself, None for any other noise or work."""
    from theory.simulate.kernels.signs import SignBits
    from theory.simulate.kernels.work import CompiledWork

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
