"""The adversary: evolution strategies that climb in lock step, all their points evaluated together.

Each restart adapts a transformation of its own (matrix adaptation: Beyer and Sendhoff, «Simplify your covariance matrix
adaptation evolution strategy», 2017, without eigendecompositions); beyond some dimension only scales are adapted. A
batch costs an evaluation little more than a single point does, so populations grow with the dimension.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["GENERATIONS", "Start", "ascend", "population"]

Float = NDArray[np.float64]
Score = Callable[[Float], tuple[Mapping[str, Float], bool]]

GENERATIONS = 150  # a restart should last at least
_FULL = 60  # beyond this many coordinates only the diagonal is adapted
_WIDEST = 0.5  # of the cube's side: steps that are wider only end on its faces
_PLATEAU = 2  # generations whose best quarter is all alike
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
    return int(np.clip(min(max(24, 2 * n), budget / GENERATIONS), min(least, 96), 128))


class _Strategy:
    """The constants of the strategy in `n` coordinates with `size` points a generation (names as in the paper)."""

    def __init__(self, n: int, size: int) -> None:
        self.n, self.size, self.parents = n, size, size // 2
        weights = np.log(size / 2 + 0.5) - np.log(np.arange(1, self.parents + 1))
        self.weights: Float = weights / weights.sum()
        mu = float(1 / (self.weights**2).sum())
        self.mu = mu
        self.diagonal = n > _FULL
        self.c_path = (mu + 2) / (n + mu + 5)
        c_one = 2 / ((n + 1.3) ** 2 + mu)
        c_mu = min(1 - c_one, 2 * (mu - 2 + 1 / mu) / ((n + 2) ** 2 + mu))
        faster = (n + 2) / 3 if self.diagonal else 1.0
        self.c_one, self.c_mu = min(0.5, c_one * faster), min(0.5, c_mu * faster)
        self.damping = 1 + self.c_path + 2 * max(0.0, np.sqrt((mu - 1) / (n + 1)) - 1)
        self.expected = np.sqrt(n) * (1 - 1 / (4 * n) + 1 / (21 * n * n))  # length of a standard normal vector
        self.patience = 12 + round(20 * (n + 10) / size)  # generations without a rise


def ascend(score: Score, starts: Sequence[Start], *, size: int, budget: int, rng: np.random.Generator) -> int:
    """Climb from all `starts` at once with at most `budget` evaluations, one generation at least; how many were used.

    `size`: points a restart draws in a generation. `score(cube)` gives the scores of many points by name, (m,) each,
    and whether to stop at once. A restart ends when it no longer rises or its steps vanish. Points outside the cube are
    judged at the nearest point inside, so maxima on its faces are reachable.
    """
    n = starts[0].point.size
    strategy = _Strategy(n, size)
    restarts = _Restarts(strategy, starts)
    used = 0
    while len(restarts.alive) and (used == 0 or used + len(restarts.alive) * strategy.size <= budget):
        normal = rng.standard_normal((len(restarts.alive), strategy.size, n))
        asked = restarts.asked(normal)
        inside = asked.clip(0.0, 1.0)
        scores, stop = score(inside.reshape(-1, n))
        used += inside.shape[0] * strategy.size
        if stop:
            break
        rows = [scores[starts[int(k)].score].reshape(-1, strategy.size)[i] for i, k in enumerate(restarts.alive)]
        restarts.told(normal, np.asarray(rows), ((asked - inside) ** 2).sum(axis=-1))
    return used


class _Restarts:
    """The state of all restarts; those in `alive` go on."""

    def __init__(self, strategy: _Strategy, starts: Sequence[Start]) -> None:
        k, n = len(starts), strategy.n
        self.of = strategy
        self.mean: Float = np.asarray([s.point for s in starts], dtype=np.float64)
        self.sigma: Float = np.asarray([s.sigma for s in starts], dtype=np.float64)
        self.path: Float = np.zeros((k, n))
        self.shape: Float = np.ones((k, n)) if strategy.diagonal else np.tile(np.eye(n), (k, 1, 1))
        self.best: Float = np.full(k, -np.inf)
        self.stale = np.zeros(k, dtype=np.int64)
        self.flat = np.zeros(k, dtype=np.int64)
        self.alive = np.arange(k)

    def asked(self, normal: Float) -> Float:
        """The points of a generation, (alive, size, n), from standard normal ones."""
        now = self.alive
        return self.mean[now][:, None, :] + self.sigma[now][:, None, None] * self._turned(normal)

    def _turned(self, normal: Float) -> Float:
        shape = self.shape[self.alive]
        return normal * shape[:, None, :] if self.of.diagonal else normal @ shape.transpose(0, 2, 1)

    def told(self, normal: Float, values: Float, outside: Float) -> None:
        """Move every restart by the values of its points, (alive, size); `outside`: squared distances to the cube."""
        of, now = self.of, self.alive
        loss = np.where(np.isfinite(values), -values, np.where(values > 0, -1e300, 1e300))
        loss = loss + 1e-6 * outside * (1 + np.abs(loss))
        ranked = np.argsort(loss, axis=1, kind="stable")
        chosen = ranked[:, : of.parents, None]
        parents = np.take_along_axis(normal, chosen, axis=1)
        steps = np.einsum("m,kmn->kn", of.weights, np.take_along_axis(self._turned(normal), chosen, axis=1))
        mean = np.einsum("m,kmn->kn", of.weights, parents)
        self.mean[now] = (self.mean[now] + self.sigma[now][:, None] * steps).clip(0.0, 1.0)
        path = (1 - of.c_path) * self.path[now] + np.sqrt(of.c_path * (2 - of.c_path) * of.mu) * mean
        self.path[now] = path
        self.shape[now] = self._adapted(path, parents)
        length = np.sqrt((path**2).sum(axis=1))
        grown = self.sigma[now] * np.exp(np.minimum(1.0, of.c_path / of.damping * (length / of.expected - 1)))
        self.sigma[now] = np.minimum(grown, _WIDEST / self._widest())
        # Many points outside are judged at one corner: only with what they pay for that do they show a plateau.
        ends = np.take_along_axis(loss, ranked[:, [0, of.size // 4]], axis=1)
        self._end(values.max(axis=1), ends[:, 0] == ends[:, 1])

    def _adapted(self, path: Float, parents: Float) -> Float:
        of, shape = self.of, self.shape[self.alive]
        if of.diagonal:
            squares = np.einsum("m,kmn->kn", of.weights, parents**2)
            factor = 1 + of.c_one * (path**2 - 1) + of.c_mu * (squares - 1)
            return np.asarray(shape * np.sqrt(np.maximum(factor, 1e-8)))
        unit = np.eye(of.n)
        spread = (parents * of.weights[:, None]).transpose(0, 2, 1) @ parents
        change = of.c_one * (path[:, :, None] * path[:, None, :] - unit) + of.c_mu * (spread - unit)
        return np.asarray(shape + 0.5 * shape @ change)

    def _widest(self) -> Float:
        """The largest entry of each restart's transformation: steps of `sigma` 1 are about as wide."""
        return np.asarray(np.abs(self.shape[self.alive]).reshape(len(self.alive), -1).max(axis=1))

    def _end(self, top: Float, flat: NDArray[np.bool_]) -> None:
        """Let those go on that still rise, off a plateau, with steps that still mean something."""
        now = self.alive
        self.flat[now] += flat
        before = self.best[now]
        with np.errstate(invalid="ignore"):
            rose = (top > before) & ~(top - before <= _RISE * (1 + np.abs(before)))
        self.best[now] = np.maximum(before, top)
        self.stale[now] = np.where(rose, 0, self.stale[now] + 1)
        widest = self.sigma[now] * self._widest()
        known = np.isfinite(widest) & (widest > _SMALLEST_STEP)
        self.alive = now[known & (self.stale[now] <= self.of.patience) & (self.flat[now] < _PLATEAU)]
