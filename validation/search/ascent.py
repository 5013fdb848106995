"""The adversary: evolution strategies that climb in lock step, all their points evaluated together.

Each restart adapts a transformation of its own (matrix adaptation: Beyer and Sendhoff, «Simplify your covariance matrix
adaptation evolution strategy», 2017, without eigendecompositions); beyond some dimension only scales are adapted. A
batch costs an evaluation little more than a single point does, so populations grow with the dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Start", "ascend", "population"]

__judges__ = "search"

Float = NDArray[np.float64]
Score = Callable[[Float], tuple[Mapping[str, Float], bool]]

_GENERATIONS = 80  # one restart alone should last at least
_FULL = 60  # beyond this many coordinates only the diagonal is adapted
_WIDEST = 0.5  # of the cube's side: steps that are wider only end on its faces
_PLATEAU = 2  # generations whose best quarter is all alike
_FEW = 12  # generations that are worth a new restart
_SMALLEST_STEP, _RISE = 1e-11, 1e-13


@dataclass(frozen=True, eq=False)
class Start:
    """Where a restart begins: a point of the unit cube (n,), the name of the score it climbs, and its step size."""

    point: Float
    score: str
    sigma: float


def population(n: int, budget: float) -> int:
    """How many points a restart in `n` coordinates draws at once, so that `budget` evaluations give generations enough.

    From what the strategy needs (12 and more) to twice the dimension, up to which generations save what they cost.
    """
    least = max(12, 4 + int(3 * np.log(n)) + n // 4)
    return int(np.clip(min(max(24, 2 * n), budget / _GENERATIONS), min(least, 96), 128))


class _Strategy:
    """The constants of the strategy in `n` coordinates with `size` points a generation (names as in the paper)."""

    def __init__(self, n: int, size: int) -> None:
        self.n, self.size, self.parents = n, size, size // 2
        weights = np.log(size / 2 + 0.5) - np.log(np.arange(1, self.parents + 1))
        self.weights: Float = weights / weights.sum()
        mu = float(1 / (self.weights**2).sum())
        self.mu = mu
        self.roots: Float = np.sqrt(self.weights)[:, None]
        self.diagonal = n > _FULL
        self.c_path = (mu + 2) / (n + mu + 5)
        self.along = float(np.sqrt(self.c_path * (2 - self.c_path) * mu))
        c_one = 2 / ((n + 1.3) ** 2 + mu)
        c_mu = min(1 - c_one, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
        faster = (n + 2) / 3 if self.diagonal else 1.0
        self.c_one, self.c_mu = min(0.5, c_one * faster), min(0.5, c_mu * faster)
        self.damping = 1 + self.c_path + 2 * max(0.0, np.sqrt((mu - 1) / (n + 1)) - 1)
        self.expected = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # length of a standard normal vector
        self.patience = 12 + round(20 * (n + 10) / size)  # generations without a rise


def ascend(
    score: Score,
    starts: Sequence[Start],
    *,
    size: int,
    budget: int,
    rng: np.random.Generator,
    more: Callable[[str], Start] | None = None,
) -> int:
    """Climb from all `starts` at once with at most `budget` evaluations, one generation at least; how many were used.

    `size`: points a restart draws in a generation. `score(cube)` gives the scores of many points by name, (m,) each,
    and whether to stop at once. A restart ends when it no longer rises or its steps vanish; while the budget allows
    another some generations, the start that `more(its score)` gives takes its place, so that batches stay wide. Points
    outside the cube are judged at the nearest point inside, so maxima on its faces are reachable.
    """
    n = starts[0].point.size
    strategy = _Strategy(n, size)
    restarts = _Restarts(strategy, starts)
    used = 0
    while restarts.names and (used == 0 or used + len(restarts.names) * size <= budget):
        normal = rng.standard_normal((len(restarts.names), size, n))
        asked = restarts.asked(normal)
        inside = np.minimum(np.maximum(asked, 0.0), 1.0)
        scores, stop = score(inside.reshape(-1, n))
        used += len(normal) * size
        if stop:
            break
        rows = [scores[name].reshape(-1, size)[i] for i, name in enumerate(restarts.names)]
        ended = restarts.told(normal, np.asarray(rows), ((asked - inside) ** 2).sum(axis=-1))
        if ended.any():
            again = more is not None and used + _FEW * len(normal) * size <= budget
            restarts.follow(ended, more if again else None)
    return used


class _Restarts:
    """The state of the restarts that go on, one a row; `names` are the scores they climb."""

    def __init__(self, strategy: _Strategy, starts: Sequence[Start]) -> None:
        k, n = len(starts), strategy.n
        self.of = strategy
        self.names = [s.score for s in starts]
        self.mean: Float = np.asarray([s.point for s in starts], dtype=np.float64)
        self.sigma: Float = np.asarray([s.sigma for s in starts], dtype=np.float64)
        self.path: Float = np.zeros((k, n))
        self.shape: Float = np.ones((k, n)) if strategy.diagonal else np.tile(np.eye(n), (k, 1, 1))
        self.best: Float = np.full(k, -np.inf)
        self.stale = np.zeros(k, dtype=np.int64)
        self.flat = np.zeros(k, dtype=np.int64)
        self.turned: Float = np.zeros(0)

    def asked(self, normal: Float) -> Float:
        """The points of a generation, (k, size, n), from standard normal ones."""
        shape = self.shape
        self.turned = normal * shape[:, None, :] if self.of.diagonal else normal @ shape.transpose(0, 2, 1)
        return self.mean[:, None, :] + self.sigma[:, None, None] * self.turned

    def told(self, normal: Float, values: Float, outside: Float) -> NDArray[np.bool_]:
        """Move every restart by the values of its points, (k, size); `outside`: squared distances to the cube.

        Which restarts end by that.
        """
        of, row = self.of, np.arange(len(values))[:, None]
        loss = np.where(np.isfinite(values), -values, np.where(values > 0, -1e300, 1e300))
        loss = loss + 1e-6 * outside * (1 + np.abs(loss))
        ranked = np.argsort(loss, axis=1, kind="stable")
        chosen = ranked[:, : of.parents]
        parents = normal[row, chosen]
        steps, mean = of.weights @ self.turned[row, chosen], of.weights @ parents
        self.mean = np.minimum(np.maximum(self.mean + self.sigma[:, None] * steps, 0.0), 1.0)
        path = (1 - of.c_path) * self.path + of.along * mean
        self.path, self.shape = path, self._adapted(path, parents)
        squares = (path**2).sum(axis=1)
        grown = self.sigma * np.exp(np.minimum(1.0, of.c_path / of.damping * (np.sqrt(squares) / of.expected - 1)))
        # The largest entry of a transformation: steps of `sigma` 1 are about as wide.
        widest = np.abs(self.shape.reshape(len(row), -1)).max(axis=1)
        self.sigma = np.minimum(grown, _WIDEST / widest)
        # Many points outside are judged at one corner: only with what they pay for that do they show a plateau.
        flat = loss[row[:, 0], ranked[:, 0]] == loss[row[:, 0], ranked[:, of.size // 4]]
        return self._ended(values.max(axis=1), flat, self.sigma * widest)

    def _adapted(self, path: Float, parents: Float) -> Float:
        of, shape = self.of, self.shape
        if of.diagonal:
            factor = 1 + of.c_one * (path**2 - 1) + of.c_mu * (of.weights @ parents**2 - 1)
            return np.asarray(shape * np.sqrt(np.maximum(factor, 1e-8)))
        scaled = parents * of.roots
        change = of.c_one * (path[:, :, None] * path[:, None, :]) + of.c_mu * (scaled.transpose(0, 2, 1) @ scaled)
        return np.asarray((1 - 0.5 * (of.c_one + of.c_mu)) * shape + 0.5 * (shape @ change))

    def _ended(self, top: Float, flat: NDArray[np.bool_], widest: Float) -> NDArray[np.bool_]:
        """Which restarts no longer rise, lie on a plateau, or take steps that mean nothing."""
        self.flat += flat
        before = self.best
        with np.errstate(invalid="ignore"):
            rose = (top > before) & ~(top - before <= _RISE * (1 + np.abs(before)))
        self.best = np.maximum(before, top)
        self.stale = np.where(rose, 0, self.stale + 1)
        known = np.isfinite(widest) & (widest > _SMALLEST_STEP)
        return ~known | (self.stale > self.of.patience) | (self.flat >= _PLATEAU)

    def follow(self, ended: NDArray[np.bool_], more: Callable[[str], Start] | None) -> None:
        """Put new restarts in the place of those that ended, or let these go."""
        if more is not None:
            fresh = _Restarts(self.of, [more(self.names[i]) for i in np.flatnonzero(ended)])
            for i, name in zip(np.flatnonzero(ended), fresh.names, strict=True):
                self.names[i] = name
            for own, new in zip(self._state(), fresh._state(), strict=True):
                own[ended] = new
            return
        self.names = [name for name, over in zip(self.names, ended, strict=True) if not over]
        self.mean, self.sigma, self.path, self.shape, self.best, self.stale, self.flat = (
            own[~ended] for own in self._state()
        )

    def _state(self) -> tuple[NDArray[Any], ...]:
        return self.mean, self.sigma, self.path, self.shape, self.best, self.stale, self.flat
