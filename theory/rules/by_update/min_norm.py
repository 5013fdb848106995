"""MinNorm: the weights whose combined update has the least norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from theory.base.arrays import Array, device_of, namespace, to_host
from theory.minnorm.faces import MOST_CLIENTS, enumerate_faces
from theory.minnorm.frank_wolfe import frank_wolfe
from theory.minnorm.lockstep import MANY_CLIENTS, lockstep
from theory.minnorm.point import MinNormPoint
from theory.minnorm.settings import LOST_DIGITS, TOLERANCE, check_settings
from theory.rules.entry import RuleEntry
from theory.rules.stats import RoundStats

__all__ = ["ENTRY", "MinNorm"]

# From so many problems on a batch is faster in lock step, whatever its updates.
SEVERAL = 16
# Above this residual a problem of the batch is solved again by itself, where more methods stand by.
AS_GOOD = 1e-14
EPS = float(np.finfo(np.float64).eps)
# The longest update squared: below it, or above its inverse, products of shorter ones lose digits or overflow.
LEAST_SQUARE = 1e-240


@dataclass(frozen=True)
class MinNorm:
    """a = argmin over the simplex of ‖Σ aₖ uₖ‖², uₖ this round's updates of the clients present.

    Source: fedaware, eq. (2) (FA-E2), without the moving average of eq. (3); λ there is our weights. The paper solves
    it with Frank–Wolfe.
    `solver`: "active-set" (exact; for at most 5 clients every face of the hull, in batch, for at most 32 a batch of 16
    problems or more in lock step), "cvxpy" (the quadratic program as it stands) or "frank-wolfe" (line search, in
    batch). Clients of equal updates get equal weights (not from "frank-wolfe"); where several weights give
    the one d for another reason, which of them come out may depend on how they were found.
    `tolerance`, relative, and `max_iterations` are those of `theory.minnorm.min_norm_point`, None for its defaults. A
    solve of the first two whose certificate fails raises `RuntimeError` with its residual; Frank–Wolfe gives what it
    has reached, as papers run it.
    Needs `updates`, whose Gram matrix is formed in float64, of updates brought to size one where their squares do not
    fit. With more than 5 clients, where ‖d‖² < 1e-6·(Σaₖ‖uₖ‖)² the active set goes back to the updates. Raises
    `ValueError` for a setting out of range or updates not finite.
    """

    solver: str = "active-set"
    tolerance: float | None = None
    max_iterations: int | None = None

    needs: ClassVar[tuple[str, ...]] = ("updates",)

    def __post_init__(self) -> None:
        check_settings("MinNorm", self.solver, self.tolerance, self.max_iterations)

    def __call__(self, stats: RoundStats) -> Array:
        """Weights on the simplex, shape (*batch, n_clients)."""
        stats.need("updates", "MinNorm")
        answer: Array
        xp = namespace(stats.share)
        stats, gram = _in_range(stats)
        present = stats.present
        if not bool(xp.all(xp.isfinite(gram))):
            raise ValueError(f"MinNorm: round {stats.round}: an update is NaN or infinite; did a client diverge?")
        allowed = TOLERANCE[self.solver] if self.tolerance is None else self.tolerance
        if self.solver == "frank-wolfe":
            answer, _ = frank_wolfe(gram, present, tolerance=allowed, max_iterations=self.max_iterations or 1000)
            answer = xp.astype(answer, stats.share.dtype)
            return answer
        if self.solver == "active-set" and stats.n_clients <= MOST_CLIENTS:
            answer, residual = enumerate_faces(gram, present)
            if bool(xp.all(residual <= allowed)):
                answer = xp.astype(_evened(answer, gram, present), stats.share.dtype)
                return answer
        answer = xp.asarray(self._on_host(stats, gram), dtype=stats.share.dtype, device=device_of(stats.share))
        answer = _evened(answer, gram, present)
        return answer

    def _on_host(self, stats: RoundStats, gram: Any) -> Any:
        """The batch on the host: many problems of few clients in lock step, the others one by one."""
        host, present = to_host(gram), to_host(stats.present)
        weights, alone = np.zeros(present.shape), np.ones(present.shape[:-1], dtype=bool)
        plain = self.solver == "active-set" and self.max_iterations is None
        if plain and stats.n_clients <= MANY_CLIENTS and alone.size >= SEVERAL:
            weights, alone = self._together(stats, host, present)
        for place in np.argwhere(alone):
            index: tuple[Any, ...] = tuple(int(k) for k in place)
            here = np.flatnonzero(present[index])
            inner = host[index] if here.size == stats.n_clients else host[index][np.ix_(here, here)]
            point = self._solve(inner)
            if self.solver == "active-set" and _digits_lost(inner, point):
                point = self._solve(inner, to_host(stats.need("updates", "MinNorm")[index])[here])
            if point.status != "optimal":
                raise RuntimeError(
                    f"MinNorm(solver={self.solver!r}): round {stats.round}, batch element {index}: {point.status},"
                    f" relative KKT residual {point.kkt_residual:.1e}, violation {point.violation:.1e}; solver status"
                    f" {point.solver_status!r}. Allow more by a larger tolerance"
                )
            weights[(*index, here)] = point.weights
        return weights

    def _together(self, stats: RoundStats, gram: Any, present: Any) -> tuple[Any, Any]:
        """(weights, which problems are better solved by themselves) of a batch in lock step."""
        weights, residual = lockstep(gram, present)
        alone = ~(residual <= min(AS_GOOD, self.tolerance or AS_GOOD))
        size = (weights * np.sqrt(np.diagonal(gram, axis1=-2, axis2=-1))).sum(axis=-1)
        squared = (weights[..., None, :] @ gram @ weights[..., None])[..., 0, 0]
        lost = ~alone & (squared < LOST_DIGITS * size * size)
        if lost.any():  # where d is 0 but for rounding, the updates have nothing to add
            chosen = to_host(stats.need("updates", "MinNorm"))[lost].astype(np.float64, copy=False)
            d = (weights[lost][:, None, :] @ chosen)[:, 0, :]
            alone[lost] = np.linalg.norm(d, axis=-1) > 4 * stats.n_clients * EPS * size[lost]
        return weights, alone

    def _solve(self, gram: Any, updates: Any = None) -> MinNormPoint:
        from theory.minnorm.solve import min_norm_point  # SciPy's solvers take long to import

        return min_norm_point(
            gram, updates, solver=self.solver, tolerance=self.tolerance, max_iterations=self.max_iterations
        )


def _in_range(stats: RoundStats) -> tuple[RoundStats, Any]:
    """The round and its Gram matrix, of updates divided by their largest entry where squares leave float64's range.

    The weights do not hang on the unit of the updates. Rows of absent clients, whatever they hold, become 0 then.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        gram = stats.gram()
    xp = namespace(gram)
    largest = xp.max(xp.linalg.diagonal(gram), axis=-1)  # NaN where an update or a square is not finite
    fits = (largest > LEAST_SQUARE) & (largest < 1 / LEAST_SQUARE)
    updates: Any = stats.updates
    if bool(xp.all(fits)) or not hasattr(updates, "__abs__"):  # rows that are kept elsewhere come with their products
        return stats, gram
    rows = xp.astype(updates, xp.float64)
    rows = xp.where(stats.present[..., None], rows, xp.zeros_like(rows))
    size = xp.max(xp.abs(rows), axis=(-2, -1), keepdims=True)
    size = xp.where(fits[..., None, None] | (size == 0), xp.ones_like(size), size)
    stats = RoundStats.unchecked(**{**stats.__dict__, "updates": rows / size})
    return stats, stats.gram()


def _evened(weights: Any, gram: Any, present: Any) -> Any:
    """The weights with those of equal updates, ⟨u, v⟩ = ‖u‖² = ‖v‖², replaced by their mean; others bit for bit."""
    xp = namespace(gram)
    square = xp.linalg.diagonal(gram)
    same = (gram == square[..., :, None]) & (gram == square[..., None, :])
    same = xp.astype(same & present[..., :, None] & present[..., None, :], weights.dtype)
    count = xp.sum(same, axis=-1)
    mean = (same @ weights[..., None])[..., 0] / xp.where(count > 0, count, xp.ones_like(count))
    return xp.where(count > 1, mean, weights)


def _digits_lost(gram: Any, point: MinNormPoint) -> bool:
    """Whether the Gram matrix holds fewer than ten digits of ‖d‖²; a d of 0 with room to spare counts too."""
    size = float(point.weights @ np.sqrt(gram.diagonal()))
    return bool(size > 0.0 and point.squared_norm < LOST_DIGITS * size * size)


ENTRY = RuleEntry("min-norm", MinNorm, "fedaware", "eq. (2)", "argmin ‖Σ aₖuₖ‖²")
