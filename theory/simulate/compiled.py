"""Runs without anything unusual, by the compiled kernels."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from theory.base.arrays import Array
from theory.federations.federation import Federation, QuadraticFederation
from theory.rules.protocol import MemoryRule, Rule
from theory.simulate.checks import _check
from theory.simulate.trajectory import Trajectory


def _compiled(
    federation: Federation | Callable[[int], Federation],
    rule: Rule | MemoryRule,
    start: Array,
    step_sizes: Array,
    n_local_steps: int,
    record: frozenset[str],
) -> Trajectory | None:
    """A run without anything unusual by the compiled kernels; None where they do not take it."""
    from theory.compiled.library import library
    from theory.simulate.kernels.alone import READS, run_alone
    from theory.simulate.kernels.crowd import run_crowd
    from theory.simulate.kernels.many import run_many

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
    run = run_many(*given) or run_alone(*given) or run_crowd(*given)
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
