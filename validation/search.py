"""How a statement is attacked: corner battery, random draws, then climbing from the best, on several scores at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from theory.streams import stream
from validation.bound import Bound
from validation.claim import Case, Inequality
from validation.draw import Space

__all__ = ["Search", "evaluate", "search"]

Float = NDArray[np.float64]

TOLERANCE = 1e-9  # relative to Σ|terms|: a run of a few hundred float64 operations stays well inside
EDGES: Float = np.concatenate([[0.0], np.logspace(-6, 0, 25), np.logspace(0, 3, 7)[1:], [np.inf]])
_ELITES = 24
_CHUNK = 4096


@dataclass
class Search:
    """What the search of one reading has seen; `witnesses` are candidates only, (case, cube point, excess)."""

    instances: int = 0
    admissible: int = 0
    worst_ratio: float = 0.0
    worst: tuple[Case, Float] | None = None
    histogram: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(EDGES) - 1, dtype=np.int64))
    growth: list[tuple[int, float]] = field(default_factory=list)
    stages: dict[str, int] = field(default_factory=dict)
    witnesses: list[tuple[Case, Float, float, str]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class _Scores:
    ratio: Float  # lhs/rhs where rhs > 0
    excess: Float  # (lhs − rhs)/(|lhs| + Σ|terms|): finds cancellation and sign failures
    sinking: Float  # −rhs/Σ|terms|: drives the right side to 0 and below
    admissible: NDArray[np.bool_]


def evaluate(bound: Bound, case: Case, cube: Float) -> _Scores:
    """The scores of points of the cube; inadmissible draws and undefined sides score −inf."""
    with np.errstate(all="ignore"):
        constants = case.measure(case.space.decode(cube))
        lhs = np.asarray(constants["lhs"], dtype=np.float64)
        rhs, scale = bound(constants)
        rhs, scale = np.broadcast_to(rhs, lhs.shape), np.broadcast_to(scale, lhs.shape)
        admissible = np.isfinite(lhs) & np.isfinite(rhs) & np.isfinite(scale)
        if "admissible" in constants:
            admissible = admissible & np.asarray(constants["admissible"], dtype=bool)
        magnitude = np.broadcast_to(np.asarray(constants.get("magnitude", 0.0)), lhs.shape)
        # What is smaller than 1e-13 of the quantities it was computed from is rounding, on either side.
        size = np.abs(lhs) + scale + 1e-4 * magnitude
        visible = np.maximum(np.abs(lhs), np.abs(rhs)) > 1e-13 * magnitude
        excess = np.where(size > 0, (lhs - rhs) / size, 0.0)
        ratio = np.where(rhs > 0, lhs / rhs, np.where(lhs > rhs, np.inf, 0.0))
        ratio = np.where(visible, ratio, 0.0)
        sinking = np.where(size > 0, -rhs / size, -np.inf)
    out = [np.where(admissible, s, -np.inf) for s in (ratio, excess, sinking)]
    return _Scores(out[0], out[1], out[2], admissible)


def search(
    test: Inequality,
    *,
    budget: int,
    seed: int,
    label: str,
    stop: Callable[[Search], bool] | None = None,
    tick: Callable[[int], None] | None = None,
) -> Search:
    """Attack `test` with `budget` evaluations, split evenly over its cases; everything derives from (seed, label).

    Each case gets a quarter for the corner battery, a quarter for random draws and half for climbing. Whenever new
    candidates turn up, `stop` is asked whether that is enough.
    """
    found = Search()
    for index, case in enumerate(test.cases):
        share = budget // len(test.cases)
        rng = stream(seed, f"search/{label}", index)
        elites: dict[str, tuple[Float, Float]] = {}
        plan = (("corners", share // 4, case.space.corners), ("random", share // 4, case.space.random))
        for stage, size, draw in plan:
            for start in range(0, size, _CHUNK):
                cube = draw(rng, min(_CHUNK, size - start))
                fresh = _absorb(found, test.bound, case, cube, stage, elites, tick)
                if fresh and stop is not None and stop(found):
                    return found
        if _climb(found, test, case, share // 2, rng, elites, stop, tick):
            return found
    return found


def _absorb(
    found: Search,
    bound: Bound,
    case: Case,
    cube: Float,
    stage: str,
    elites: dict[str, tuple[Float, Float]],
    tick: Callable[[int], None] | None,
) -> bool:
    """Book one batch of evaluations; whether it brought candidates."""
    scores = evaluate(bound, case, cube)
    n = len(cube)
    found.instances += n
    found.admissible += int(scores.admissible.sum())
    found.stages[stage] = found.stages.get(stage, 0) + n
    ratios = scores.ratio[scores.admissible]
    found.histogram += np.histogram(ratios.clip(0.0, 1e300), EDGES)[0]
    if ratios.size:
        best = int(np.argmax(scores.ratio))
        if scores.ratio[best] > found.worst_ratio or found.worst is None:
            found.worst_ratio = float(scores.ratio[best])
            found.worst = (case, cube[best].copy())
        found.growth.append((found.instances, found.worst_ratio))
    for name in ("ratio", "excess", "sinking"):
        values = getattr(scores, name)
        points = cube
        if name in elites:
            points, values = np.concatenate([elites[name][0], points]), np.concatenate([elites[name][1], values])
        order = np.argsort(-values, kind="stable")[:_ELITES]
        elites[name] = (points[order], values[order])
    violating = np.flatnonzero(scores.excess > TOLERANCE)
    ranked = violating[np.argsort(-scores.excess[violating], kind="stable")]
    # The strongest, and some from all over the rest: strong rounding errors must not crowd out a weak true violation.
    rest = ranked[8:]
    spread = rest[np.linspace(0, rest.size - 1, min(8, rest.size)).astype(int)] if rest.size else rest
    for i in (*ranked[:8], *spread):
        found.witnesses.append((case, cube[i].copy(), float(scores.excess[i]), stage))
    if tick is not None:
        tick(n)
    return bool(violating.size)


def _climb(
    found: Search,
    test: Inequality,
    case: Case,
    budget: int,
    rng: np.random.Generator,
    elites: dict[str, tuple[Float, Float]],
    stop: Callable[[Search], bool] | None,
    tick: Callable[[int], None] | None,
) -> bool:
    """Climbing on every score in turn: perturb the elites at random scales, cross them, snap to corners."""
    spent, scale = 0, 0.25
    while spent < budget and elites:
        for name in list(elites):
            if spent >= budget:
                break
            n = min(budget - spent, _CHUNK // 4)
            cube = _offspring(case.space, elites[name][0], rng, n, scale)
            fresh = _absorb(found, test.bound, case, cube, "climb", elites, tick)
            spent += n
            if fresh and stop is not None and stop(found):
                return True
        scale = scale * 0.8 if scale > 1e-5 else 0.25
    return False


def _offspring(space: Space, parents: Float, rng: np.random.Generator, n: int, scale: float) -> Float:
    chosen = parents[rng.integers(0, len(parents), n)]
    other = parents[rng.integers(0, len(parents), n)]
    crossed = np.where(rng.random(chosen.shape) < 0.2, other, chosen)
    child = np.where((rng.random(n) < 0.3)[:, None], crossed, chosen)
    touched = rng.random(child.shape) < rng.choice([0.1, 0.3, 1.0], size=(n, 1))
    child = child + touched * rng.normal(size=child.shape) * scale * rng.random((n, 1)) ** 2
    snapped = np.where(rng.random(child.shape) < 0.02, space.corners(rng, n), child)
    return np.asarray(np.where((rng.random(n) < 0.2)[:, None], snapped, child).clip(0.0, 1.0), dtype=np.float64)
