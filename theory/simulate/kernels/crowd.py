"""Many replicas, no noise, everybody present, a rule with a kernel: whole runs compiled, replicas in the lanes."""

from __future__ import annotations

import numpy as np

from theory.compiled.library import Float, Library, address
from theory.compiled.packing import lanes_of, padded, unlaned
from theory.federations.federation import QuadraticFederation
from theory.rules.protocol import Rule
from theory.simulate.kernels.alone import Ran
from theory.simulate.kernels.rules import softmax_of
from theory.simulate.kernels.work import CompiledWork, fits

__all__ = ["run_crowd"]


def run_crowd(
    federation: QuadraticFederation,
    library: Library,
    rule: Rule,
    start: Float,
    etas: Float,
    n_local_steps: int,
    record: frozenset[str],
) -> Ran | None:
    """All rounds from `start` (*batch, d), with what `record` names of models, weights and losses, and the last model.

    None where the kernels do not take the federation, the rule has none, or the run diverges.
    """
    found, batch = softmax_of(rule, np.ascontiguousarray(federation.share)), start.shape[:-1]
    if found is None or not np.isfinite(found[1]) or not fits(federation) or not start.size:
        return None
    work = CompiledWork(federation, library)
    if not work.pays(start):
        return None
    factor, slope, high, _ = found
    n, d, block = work.n, work.d, library.lanes
    first, n_rounds, path = lanes_of(start, block), len(etas) // n_local_steps, "models" in record
    width = first.shape[1]
    models = padded((n_rounds + 1 if path else 2, d), width, block)
    models[0] = first
    weights = padded((n_rounds, n), width, block) if "weights" in record else None
    before, after = (padded((n_rounds, n), width, block) if "losses" in record else None for _ in range(2))
    wide, tall, etas = work.eigenvectors.shape[-1], d + library.tile, np.ascontiguousarray(etas)
    packed = np.empty(work.n_tiles * n * library.tile)
    scratch = np.empty((2 * tall + 3 * n) * block + 2 * n * d + wide + n * tall)
    done = library.kernels["crowd"](
        n_rounds, width, n, d, n_local_steps, wide, *work.at_losses, work.at_forward, work.at_vectors,
        work.at_spectrum, *work.at_affine, address(factor), slope, high == "loss_after", path, address(etas),
        address(models), *(None if part is None else address(part) for part in (weights, before, after)),
        address(packed), address(scratch),
    )  # fmt: skip
    if done < n_rounds:
        return None
    shown = (None if part is None else unlaned(part, batch) for part in (weights, before, after))
    ended = unlaned(models[n_rounds if path else n_rounds & 1], batch)
    return Ran(ended, unlaned(models, batch) if path else None, *shown)
