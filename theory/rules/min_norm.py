"""MinNorm: the weights whose combined update has the least norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from theory.arrays import Array, device_of, namespace, to_host
from theory.minnorm import min_norm_point
from theory.stats import RoundStats

__all__ = ["MinNorm"]


@dataclass(frozen=True)
class MinNorm:
    """a = argmin over the simplex of ‖Σ aₖ uₖ‖², uₖ this round's updates of the clients present.

    Source: fedaware, eq. (2) (FA-E2), without the moving average of eq. (3).
    Needs `updates`. The quadratic program is solved on the host in float64 (cvxpy); a solve whose certificate fails
    raises `RuntimeError` with its residual.
    """

    needs: ClassVar[tuple[str, ...]] = ("updates",)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        stats.need("updates", "MinNorm")
        xp = namespace(stats.share)
        gram, present = to_host(stats.gram()), to_host(stats.present)
        weights = np.zeros(present.shape)
        for index in np.ndindex(*present.shape[:-1]):
            here = np.flatnonzero(present[index])
            point = min_norm_point(gram[index][np.ix_(here, here)])
            if point.kkt_residual > 1e-6:
                raise RuntimeError(
                    f"MinNorm: round {stats.round}, batch element {index}: relative KKT residual"
                    f" {point.kkt_residual:.1e} (allowed 1e-6), solver status {point.solver_status!r}"
                )
            weights[(*index, here)] = point.weights
        answer: Array = xp.asarray(weights, dtype=stats.share.dtype, device=device_of(stats.share))
        return answer
