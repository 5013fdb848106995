"""Which draws of a search exact arithmetic looks at again: leaders, ties, zeros on the left, beyond floats, outside.

All counted by class; of the classes that floating point cannot decide a few are kept, spread over the cases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from validation.search.scores import Draw, Scores
from validation.statement.claim import Case

__all__ = ["BEYOND", "LEADERS", "NEAREST", "TIES", "Counts", "Kept", "Sampled", "effort", "leading", "spread"]

Float = NDArray[np.float64]

TIES = 8  # the best and as many at random
BEYOND = 64
LEADERS = 24
OUTSIDE = 32
NEAREST = 3
_HIGHER, _RECORDS = 1.05, 40  # by how much a ratio has to rise for the one before to be kept, and how many are
_LED_BY = ("ratio", "excess", "toward")
_A_CASE = 16  # random draws kept of each class and case


@dataclass(frozen=True, eq=False)
class Kept:
    """One draw for exact arithmetic: its case, its point of the cube, and its float scores, as in `Scores`."""

    case: Case
    cube: Float
    ratio: float = -np.inf
    excess: float = -np.inf
    toward: float = -np.inf


@dataclass
class Counts:
    """How many draws fell into each class of `Draw`, and what they exercised.

    `idle`: the left side 0 against a positive right one; `trivial`: the right side no better than the trivial bound;
    `member`: (least, largest) value that both members of an identity took, where the case measures it. `on`: by
    mechanism how many of the draws that floats decide had it on. `random`, `random_beyond`: of the random draws alone,
    the admissible ones and those beyond floats; climbs crowd where a side grows.
    """

    outside: int = 0
    decided: int = 0
    tie: int = 0
    beyond: int = 0
    idle: int = 0
    trivial: int = 0
    member: tuple[float, float] | None = None
    on: dict[str, int] = field(default_factory=dict)
    random: int = 0
    random_beyond: int = 0

    @property
    def admissible(self) -> int:
        """Draws that meet the hypotheses."""
        return self.decided + self.tie + self.beyond

    @property
    def instances(self) -> int:
        """All draws."""
        return self.outside + self.admissible

    def add(self, scores: Scores) -> None:
        """Count a batch."""
        outside, decided, tie, beyond = (int(n) for n in np.bincount(scores.kind, minlength=len(Draw)))
        self.outside += outside
        self.decided += decided
        self.tie += tie
        self.beyond += beyond
        self.idle += int(np.count_nonzero(scores.idle))
        self.trivial += int(np.count_nonzero(scores.trivial))
        for name, on in scores.on.items():
            self.on[name] = self.on.get(name, 0) + int(np.count_nonzero(on & scores.known))
        if scores.member is not None and scores.member.size:
            low, high = float(scores.member.min()), float(scores.member.max())
            known = self.member or (low, high)
            self.member = (min(low, known[0]), max(high, known[1]))

    def add_random(self, kind: NDArray[np.int8]) -> None:
        """Count the classes of random draws, beside `add`."""
        self.random += int(np.count_nonzero(kind != Draw.OUTSIDE))
        self.random_beyond += int(np.count_nonzero(kind == Draw.BEYOND))


@dataclass(eq=False)
class _Reservoir:
    """Rows drawn uniformly from all that were offered: those with the smallest random keys."""

    case: Case
    keys: Float = field(default_factory=lambda: np.empty(0))
    rows: list[Kept] = field(default_factory=list)

    def offer(self, cube: Float, scores: Scores, chosen: NDArray[np.int64], rng: np.random.Generator) -> None:
        keys = rng.random(len(chosen))
        if len(self.rows) == _A_CASE:
            near = keys < self.keys.max()
            keys, chosen = keys[near], chosen[near]
        if not keys.size:
            return
        known = len(self.rows)
        keys = np.concatenate([self.keys, keys])
        order = np.argsort(keys, kind="stable")[:_A_CASE]
        self.keys, self.rows = (
            keys[order],
            [
                self.rows[i] if i < known else _kept(self.case, cube, scores, int(chosen[i - known]))
                for i in order.tolist()
            ],
        )


class Sampled:
    """The draws kept of one search, fed batch by batch; everything random comes from `rng`, which is its own.

    Draws outside the hypotheses are sampled by a generator that it spawns.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng, self._rng_outside = rng, rng.spawn(1)[0]
        self.best_ties: list[Kept] = []
        self.best_on: dict[str, Kept] = {}
        self.records: dict[str, list[Kept]] = {}
        self._random: dict[tuple[str, str], _Reservoir] = {}

    def offer(self, case: Case, cube: Float, scores: Scores) -> None:
        """Keep what is worth keeping of a batch of one case."""
        tie = np.flatnonzero(scores.kind == Draw.TIE)
        if tie.size:
            leading = tie[np.argsort(-scores.excess[tie], kind="stable")[:TIES]]
            self.best_ties += [_kept(case, cube, scores, int(i)) for i in leading]
            self.best_ties = sorted(self.best_ties, key=lambda k: -k.excess)[:TIES]
        for name, on in scores.on.items():
            value = np.where(on & scores.known, scores.ratio, -np.inf)
            top = int(np.argmax(value))
            if value[top] > self.best_on[name].ratio if name in self.best_on else value[top] > -np.inf:
                self.best_on[name] = _kept(case, cube, scores, top)
        below = np.where((scores.kind == Draw.DECIDED) & (scores.ratio <= 1), scores.ratio, -np.inf)
        top = int(np.argmax(below))
        known = self.records.get(case.name)
        if below[top] > (known[-1].ratio if known else -np.inf):
            lower = [] if known is None else known if below[top] > _HIGHER * known[-1].ratio else known[:-1]
            self.records[case.name] = [*lower, _kept(case, cube, scores, top)][-_RECORDS:]
        beyond = np.flatnonzero(scores.kind == Draw.BEYOND)
        for name, chosen in (("tie", tie), ("beyond", beyond), ("idle", np.flatnonzero(scores.idle))):
            if chosen.size:
                self._random.setdefault((name, case.name), _Reservoir(case)).offer(cube, scores, chosen, self.rng)
        outside = np.flatnonzero(scores.kind == Draw.OUTSIDE)
        if outside.size:
            kept = self._random.setdefault(("outside", case.name), _Reservoir(case))
            kept.offer(cube, scores, outside, self._rng_outside)

    def nearest(self) -> list[list[Kept]]:
        """Of the cases that lead by the ratio of draws that floats decide, up to 1, all draws that led, best first.

        A search that climbs comes to where a hypothesis just holds, or the numbers are long: the draws before may tell.
        """
        leading = sorted(self.records.values(), key=lambda rows: -rows[-1].ratio)[:NEAREST]
        return [rows[::-1] for rows in leading]

    def head(self, case: Case) -> Kept | None:
        """The best draw of a case: by ratio where floats decide any, else any that was kept; None without one."""
        if case.name in self.records:
            return self.records[case.name][-1]
        known = (self._random.get((kind, case.name)) for kind in ("tie", "idle", "beyond"))
        return next((r.rows[0] for r in known if r is not None and r.rows), None)

    def random_ties(self) -> list[Kept]:
        """Ties at random, spread over the cases."""
        return self._of("tie", TIES)

    def idle(self) -> list[Kept]:
        """Draws whose left side is 0 against a positive right one, spread over the cases: underflow looks like that."""
        return self._of("idle", TIES)

    def beyond(self) -> list[Kept]:
        """Draws beyond floats, spread over the cases."""
        return self._of("beyond", BEYOND)

    def outside(self) -> list[Kept]:
        """Draws that the measure leaves out, spread over the cases."""
        return self._of("outside", OUTSIDE)

    def _of(self, kind: str, most: int) -> list[Kept]:
        return spread([r.rows for (name, _), r in self._random.items() if name == kind], most)


def spread(rows: Iterable[list[Kept]], most: int) -> list[Kept]:
    """At most `most` draws, cases in turn, cheap cases first."""
    lists = sorted((r for r in rows if r), key=lambda r: effort(r[0].case))
    longest = max((len(r) for r in lists), default=0)
    return [r[i] for i in range(longest) for r in lists if i < len(r)][:most]


def effort(case: Case) -> float:
    """How dear an exact recheck of a case is, relative to others: numbers of an instance times what it costs to run."""
    return case.space.n_cube * case.cost


def leading(elites: Mapping[str, tuple[Case, Mapping[str, tuple[Float, Float]]]]) -> tuple[list[Kept], int]:
    """(At most `LEADERS` draws, how many more led): best by each of `_LED_BY` overall, then the best of each case.

    `elites`: by case name its case and, for these scores, its best points with their values, best first.
    """
    found: dict[tuple[str, bytes], Kept] = {}
    rows = [
        (score, float(value), case, point)
        for case, known in elites.values()
        for score in _LED_BY
        if score in known
        for point, value in zip(*known[score], strict=True)
        if value > -np.inf
    ]

    def add(score: str, value: float, case: Case, point: Float) -> None:
        key, known = (case.name, point.tobytes()), dict[str, Any]({score: value})
        found[key] = replace(found.get(key) or Kept(case, point), **known)

    for score in _LED_BY:
        for row in sorted((r for r in rows if r[0] == score), key=lambda r: -r[1])[:4]:
            add(*row)
    heads: dict[tuple[str, str], tuple[str, float, Case, Float]] = {}
    for row in sorted(rows, key=lambda r: -r[1]):
        heads.setdefault((row[0], row[2].name), row)
    before = len(found)
    for row in sorted(heads.values(), key=lambda r: effort(r[2])):
        add(*row)
    kept = list(found.values())
    return [*kept[:before], *kept[before:]][:LEADERS], max(0, len(kept) - LEADERS)


def _kept(case: Case, cube: Float, scores: Scores, i: int) -> Kept:
    return Kept(case, cube[i].copy(), float(scores.ratio[i]), float(scores.excess[i]))
