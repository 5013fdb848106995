"""What the search of one reading has seen: counts of its draws, the largest ratio, and the candidates."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

import numpy as np
from numpy.typing import NDArray

from validation.search.distinct import Distinct
from validation.search.sample import Counts, Kept
from validation.search.scores import TOLERANCE, Broken, Scores
from validation.statement.claim import Case
from validation.statement.letters import Letter

__all__ = ["EDGES", "Search"]

__judges__ = "search"

Float = NDArray[np.float64]

# Powers of ten in quarters up to 1, then in halves; correctly rounded, because NumPy's own differ between processors.
_POWERS = [float(Decimal(10) ** (Decimal(quarters) / 4)) for quarters in (*range(-24, 1), *range(2, 13, 2))]
EDGES: Float = np.array([0.0, *_POWERS, np.inf])


@dataclass
class Search:
    """What the search of one reading has seen; `witnesses` are candidates only, (case, cube point, excess, stage).

    `best`: by case name the points of the cube that led on any score, from which a related search may start. `counts`
    of every class of draw; `leaders`, `ties`, `idle` and `beyond`: the draws that exact arithmetic is to look at again,
    `more_leaders` how many led beyond those; `best_on`: by mechanism the draw with the largest ratio that has it on.
    `silent`: the cases and families of which no draw met the hypotheses. `broken`: of each letter whose declaration
    draws break, the first that does and the one that does most, as (case, cube point, how). `outside`: draws that the
    measure leaves out, for exact arithmetic, too; `distinct`: how many different instances were tried. `nearest`: of
    the cases that lead by the ratio of draws that floats decide, the draws that led one after the other, the best
    first; `heads`: the best draw of every case that has one. `sizes`: of the families that have one, the sizes tried,
    by name.
    """

    counts: Counts = field(default_factory=Counts)
    worst_ratio: float = 0.0
    worst: tuple[Case, Float] | None = None
    histogram: NDArray[np.int64] = field(default_factory=lambda: np.zeros(len(EDGES) - 1, dtype=np.int64))
    growth: list[tuple[int, float]] = field(default_factory=list)
    stages: dict[str, int] = field(default_factory=dict)
    witnesses: list[tuple[Case, Float, float, str]] = field(default_factory=list)
    best: dict[str, Float] = field(default_factory=dict)
    leaders: list[Kept] = field(default_factory=list)
    more_leaders: int = 0
    ties: list[Kept] = field(default_factory=list)
    idle: list[Kept] = field(default_factory=list)
    beyond: list[Kept] = field(default_factory=list)
    best_on: dict[str, Kept] = field(default_factory=dict)
    silent: list[str] = field(default_factory=list)
    broken: dict[Letter, list[tuple[Case, Float, Broken]]] = field(default_factory=dict)
    outside: list[Kept] = field(default_factory=list)
    distinct: Distinct = field(default_factory=Distinct)
    nearest: list[list[Kept]] = field(default_factory=list)
    heads: list[Kept] = field(default_factory=list)
    sizes: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)

    @property
    def instances(self) -> int:
        """All draws."""
        return self.counts.instances

    @property
    def admissible(self) -> int:
        """Draws that meet the hypotheses."""
        return self.counts.admissible

    def book(self, case: Case, cube: Float, scores: Scores, then: tuple[int, str], stage: str) -> bool:
        """Book one batch, whose rows from `then[0]` on are of the stage `then[1]`; whether it brought candidates."""
        ratio, excess = scores.ratio, scores.excess
        self.counts.add(scores)
        for letter, how in scores.broken.items():
            known = self.broken.setdefault(letter, [])
            if not known or how.depth > known[-1][2].depth:
                self.broken[letter] = [*known[:1], (case, cube[how.place].copy(), how)]
        first, later = then
        self.distinct.add(case, cube, scores.kind, slice(first if later == "random" else len(cube), None))
        for name, rows in ((stage, slice(first)), (later, slice(first, None))):
            n = len(cube[rows])
            if n > 0:
                self.stages[name] = self.stages.get(name, 0) + n
            if name == "random":
                self.counts.add_random(scores.kind[rows])
        ratios = ratio[ratio > -np.inf]
        if ratios.size:
            places = np.searchsorted(EDGES, ratios.clip(0.0, 1e300), side="right") - 1
            self.histogram += np.bincount(places.clip(0, len(EDGES) - 2), minlength=len(EDGES) - 1)
            best = int(np.argmax(ratio))
            if ratio[best] > self.worst_ratio or self.worst is None:
                self.worst_ratio = float(ratio[best])
                self.worst = (case, cube[best].copy())
                self.growth.append((self.instances, self.worst_ratio))
        violating = np.flatnonzero(excess > TOLERANCE)
        if not violating.size:
            return False
        ranked = violating[np.argsort(-excess[violating], kind="stable")]
        # The strongest, and some from all over the rest: strong rounding errors must not crowd out a weak true one.
        most = min(8, max(2, len(cube) // 64))
        rest = ranked[most:]
        spread = rest[np.linspace(0, rest.size - 1, min(most, rest.size)).astype(int)] if rest.size else rest
        for i in (*ranked[:most], *spread):
            self.witnesses.append((case, cube[i].copy(), float(excess[i]), stage if i < first else later))
        return True
