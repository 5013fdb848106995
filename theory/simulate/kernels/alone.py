"""Few replicas, no noise, everybody present: whole runs compiled, or compiled halves of rounds about a Python rule.

Here a round is a few microseconds of arithmetic, so what counts is how little Python stands between two rounds.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod

import numpy as np

from theory.compiled.library import Float, Library, address
from theory.federations.federation import QuadraticFederation
from theory.rules.protocol import Rule
from theory.rules.stats import RoundStats
from theory.simulate.kernels.rules import softmax_of
from theory.simulate.kernels.work import fits

__all__ = ["FEW", "READS", "Ran", "run_alone"]

FEW = 16  # replicas that run faster one after another than in lanes

READS = frozenset({"share", "loss_before", "loss_after", "loss_best", "local_steps"})


@dataclass(frozen=True, eq=False)
class Ran:
    """What a run leaves: the last model (*batch, d), models (n_rounds + 1, *batch, d), weights, losses before and after
    (n_rounds, *batch, n_clients); None where nobody asked.
    """

    final: Float
    models: Float | None
    weights: Float | None
    before: Float | None
    after: Float | None


@dataclass(frozen=True, eq=False)
class _Rows:
    """The same while it is made; for one replica (n_rounds, …)."""

    models: Float
    weights: Float
    before: Float
    after: Float

    def ran(self, record: frozenset[str]) -> Ran:
        kept, lost = self.weights if "weights" in record else None, "losses" in record
        models = self.models if "models" in record else None
        return Ran(self.models[-1], models, kept, self.before if lost else None, self.after if lost else None)


@dataclass(frozen=True, eq=False)
class _Flat:
    """A federation with clients and coordinates on one axis of length S, zeros behind: (d, S) and (S,)."""

    forward: Float
    turned: Float
    spectrum: Float
    half: Float
    floor: Float
    centers: Float


def run_alone(
    federation: QuadraticFederation,
    library: Library,
    rule: Rule,
    start: Float,
    etas: Float,
    n_local_steps: int,
    record: frozenset[str],
) -> Ran | None:
    """All rounds from `start` (d,), or None where the kernels do not take the federation or the run diverges.

    A rule may read `READS` and has no memory; one with a kernel takes up to `FEW` replicas, `start` (*batch, d), whose
    axes then stand behind the rounds.
    """
    batch, found = start.shape[:-1], softmax_of(rule, np.ascontiguousarray(federation.share))
    count = prod(batch)
    if not fits(federation) or not 0 < count <= (1 if found is None else FEW) or (batch and found is None):
        return None
    n, d = federation.n_clients, federation.dim
    n_rounds = len(etas) // n_local_steps
    flat, etas = _flat(federation, library), np.ascontiguousarray(etas)
    models, rest = np.empty((count, n_rounds + 1, d)), [np.empty((count, n_rounds, n)) for _ in range(3)]
    models[:, 0] = start.reshape(count, d)
    out = _Rows(*(_rounds_first(part, batch) for part in (models, *rest)))
    size = len(flat.turned)
    if found is None:
        return out.ran(record) if _between(federation, library, rule, flat, etas, n_local_steps, out) else None
    factor, slope, high, _ = found
    work = np.empty(2 * size)
    for i in range(count):
        done = library.kernels["alone"](
            n_rounds, n, d, n_local_steps, size, address(flat.forward), address(flat.turned), address(flat.spectrum),
            address(flat.half), address(flat.floor), address(flat.centers), address(factor), slope,
            high == "loss_after", address(etas), address(models[i]), *(address(part[i]) for part in rest),
            address(work),
        )  # fmt: skip
        if done < n_rounds:
            return None
    return out.ran(record)


def _rounds_first(array: Float, batch: tuple[int, ...]) -> Float:
    """(replicas, rounds, …) as (rounds, *batch, …), a view."""
    return np.moveaxis(array, 0, 1).reshape(array.shape[1], *batch, array.shape[2])


def _between(
    federation: QuadraticFederation,
    library: Library,
    rule: Rule,
    flat: _Flat,
    etas: Float,
    n_local_steps: int,
    out: _Rows,
) -> bool:
    """The rounds of a rule in Python; whether all of them were sound."""
    n, d = federation.n_clients, federation.dim
    front, back = library.kernels["front"], library.kernels["back"]
    size, work = len(flat.turned), np.empty((2, len(flat.turned)))
    share, present = np.ascontiguousarray(federation.share), np.ones(n, dtype=bool)
    best, steps = flat.floor.copy(), np.full(n, float(n_local_steps))
    forward, centers, z, f = (address(x) for x in (flat.forward, flat.centers, work[0], work[1]))
    fixed = (n, d, n_local_steps, size, forward, *(address(x) for x in (flat.turned, flat.spectrum, flat.half)))
    floor, eta, model = address(flat.floor), address(etas), address(out.models)
    before, after = address(out.before), address(out.after)
    for r in range(len(out.weights)):
        front(*fixed, floor, eta, model, z, f, before, after)
        stats = RoundStats.unchecked(
            share=share,
            present=present,
            loss_before=out.before[r],
            loss_after=out.after[r],
            loss_best=best,
            local_steps=steps,
            round=r,
            observed_at=_OBSERVED,
        )
        weights = out.weights[r]
        weights[:] = rule(stats)
        if not back(n, d, size, forward, centers, address(weights), model, f, z, model + 8 * d):
            return False
        eta, model, before, after = eta + 8 * n_local_steps, model + 8 * d, before + 8 * n, after + 8 * n
    return True


_OBSERVED = {"loss_before": "broadcast"}


def _flat(federation: QuadraticFederation, library: Library) -> _Flat:
    spectrum, basis = (np.asarray(part) for part in federation.eigen())
    centers, floor = np.asarray(federation.centers), np.asarray(federation.floor)
    n, d = spectrum.shape
    block = 4 * library.width
    size = -(-n * d // block) * block
    forward = np.zeros((d, size))
    forward[:, : n * d] = basis.transpose(1, 0, 2).reshape(d, n * d)
    turned, wide, half = np.zeros(size), np.zeros(size), np.zeros(size)
    turned[: n * d] = (centers[:, None, :] @ basis).reshape(-1)
    wide[: n * d] = spectrum.reshape(-1)
    half[: n * d] = 0.5 * spectrum.reshape(-1)
    return _Flat(forward, turned, wide, half, np.ascontiguousarray(floor), np.ascontiguousarray(centers))
