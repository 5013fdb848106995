"""One replica, no noise, everybody present, many clients: compiled halves of rounds about a rule.

The matrices of many clients do not fit the processor's caches, so each is read once a round: losses and the end of the
local steps come from one pass, and what is left for after the rule is a weighted sum of N models.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from theory.compiled.library import Float, Library, address
from theory.compiled.packing import padded
from theory.federations.federation import QuadraticFederation
from theory.rules.protocol import Rule
from theory.rules.stats import RoundStats
from theory.simulate.kernels.alone import Ran
from theory.simulate.kernels.work import is_plain

__all__ = ["MANY", "run_many"]

MANY = 1 << 19  # numbers in the matrices of a federation, from which on they leave a core's own cache


@dataclass(frozen=True, eq=False)
class _Lanes:
    """A federation with clients innermost, as many as a vector has lanes; those behind the last one are all zeros.

    `basis` (n_blocks, d, d, width), its rows those of Q; the others (n_blocks, d, width), `floor` (n_blocks, width).
    """

    basis: Float
    turned: Float
    spectrum: Float
    centers: Float
    floor: Float


def run_many(
    federation: QuadraticFederation,
    library: Library,
    rule: Rule,
    start: Float,
    etas: Float,
    n_local_steps: int,
    record: frozenset[str],
) -> Ran | None:
    """All rounds from `start` (d,), with what `record` names of models, weights and losses, and the last model.

    None where there are several replicas or too few clients, the kernels do not take the federation, or the run
    diverges. A rule may read `theory.simulate.kernels.alone.READS` and has no memory.
    """
    n, d = federation.n_clients, federation.dim
    if start.ndim != 1 or not is_plain(federation) or n * d * d < MANY:
        return None
    n_rounds, width = len(etas) // n_local_steps, library.width
    lanes, etas = _lanes(federation, width), np.ascontiguousarray(etas)
    n_blocks = len(lanes.floor)
    ends, work = padded((n_blocks, d), width, width), padded(d, width, width)
    models = np.empty((n_rounds + 1 if "models" in record else 2, d))
    weights = np.zeros((n_rounds if "weights" in record else 1, n_blocks * width))
    before, after = (np.empty((n_rounds if "losses" in record else 1, n_blocks * width)) for _ in range(2))
    share, present = np.ascontiguousarray(federation.share), np.ones(n, dtype=bool)
    best, steps = np.array(federation.floor), np.full(n, float(n_local_steps))
    parts = (lanes.basis, lanes.turned, lanes.spectrum, lanes.centers, lanes.floor)
    fixed = (n_blocks, d, n_local_steps, *(address(part) for part in parts))
    models[0] = start
    for r in range(n_rounds):
        now, then, row = models[r % len(models)], models[(r + 1) % len(models)], r % len(weights)
        high, low = before[r % len(before)], after[r % len(after)]
        library.kernels["ends"](
            *fixed, address(etas) + 8 * r * n_local_steps, address(now), address(ends), address(high), address(low),
            address(work),
        )  # fmt: skip
        weights[row, :n] = rule(
            RoundStats.unchecked(
                share=share,
                present=present,
                loss_before=high[:n],
                loss_after=low[:n],
                loss_best=best,
                local_steps=steps,
                round=r,
                observed_at={"loss_before": "broadcast"},
            )
        )
        sound = library.kernels["weighed"](
            n_blocks, d, address(ends), address(weights[row]), address(now), address(then), address(work)
        )
        if not sound:
            return None
    lost = "losses" in record
    return Ran(
        models[n_rounds % len(models)],
        models if "models" in record else None,
        weights[:, :n] if "weights" in record else None,
        before[:, :n] if lost else None,
        after[:, :n] if lost else None,
    )


def _lanes(federation: QuadraticFederation, width: int) -> _Lanes:
    spectrum, basis = (np.asarray(part) for part in federation.eigen())
    centers, floor = np.asarray(federation.centers), np.asarray(federation.floor)
    turned = (centers[:, None, :] @ basis)[:, 0]
    return _Lanes(*(_innermost(part, width) for part in (basis, turned, spectrum, centers, floor)))


def _innermost(array: Float, width: int) -> Float:
    """(n_clients, …) as (n_blocks, …, width), zeros behind the last client."""
    n, shape = len(array), array.shape[1:]
    out = padded((-(-n // width), *shape), width, width)
    whole = n - n % width
    out[: whole // width] = np.moveaxis(array[:whole].reshape(-1, width, *shape), 1, -1)
    if whole < n:
        out[-1] = 0.0
        out[-1, ..., : n - whole] = np.moveaxis(array[whole:], 0, -1)
    return out
