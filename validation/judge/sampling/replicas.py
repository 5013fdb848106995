"""Replicas of a statement in expectation: a search that ends in candidates, and candidates on fresh random streams.

The largest of many Monte-Carlo ratios proves nothing, so what a search finds is a candidate only. Each candidate is
then drawn again, independently of why it was chosen, until a confidence sequence decides or the budget is spent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from theory.base.streams import stream
from validation.judge.sampling.intervals import ConfidenceSequence, confidence_sequence, difference_support
from validation.search.scores import TOLERANCE
from validation.statement.forms.expectation import Expectation, SampledCase
from validation.statement.instances.draw import Instance, take
from validation.statement.letters import Letter

__all__ = ["CHEAP", "Budget", "Candidate", "Found", "Point", "Replicas", "Status", "decided", "replicas", "searched"]

Float = NDArray[np.float64]
Status: TypeAlias = Literal["above", "below", "open"]

CHEAP = 64  # replicas of an instance at its first look
_FRESH = 256  # replicas of a candidate before its first doubling
_CHUNK = 1 << 14  # replicas drawn at once, so that memory stays bounded
_CANDIDATES = 8  # or one a case, if there are more cases


@dataclass
class Budget:
    """Replicas left, what they went to, and whom to tell."""

    left: float
    tick: Callable[[int], None] | None = None
    stages: dict[str, int] = field(default_factory=dict)

    def spend(self, case: SampledCase, n: int, stage: str) -> None:
        """Book n replicas of a case."""
        self.left -= n * case.cost
        self.stages[stage] = self.stages.get(stage, 0) + n
        if self.tick is not None:
            self.tick(n)


@dataclass(frozen=True, eq=False)
class Replicas:
    """Both sides of n replicas, and Σ|terms| of the right side, each (n,)."""

    lhs: Float
    rhs: Float
    scale: Float


def replicas(test: Expectation, case: SampledCase, instance: Instance, rng: np.random.Generator, n: int) -> Replicas:
    """n replicas of one instance, each checked against what the case promises; `ValueError` where it breaks that."""
    known, drawn = case.constants(instance), case.sample(instance, rng, n)
    random = set(drawn) & set(test.bound.names)
    place = f"SampledCase({case.name!r})"
    if missing := ({"lhs"} - set(drawn)) | (set(test.bound.names) - set(known) - set(drawn)):
        raise ValueError(f"{place}: neither sample() nor constants() gives {', '.join(sorted(missing))}")
    if twice := random & set(known):
        raise ValueError(f"{place}: sample() and constants() both give {', '.join(sorted(twice))}")
    if random and test.random_rhs == "none":
        raise ValueError(f"{place}: sample() draws {', '.join(sorted(random))} of the bound, but random_rhs is 'none'")
    if not random and test.random_rhs != "none":
        raise ValueError(f"{place}: random_rhs is {test.random_rhs!r}, but sample() draws nothing of the bound")
    values = {name: np.asarray(value, dtype=np.float64) for name, value in {**known, **drawn}.items()}
    for name in {"lhs"} | random:
        if values[name].shape != (n,) or not np.isfinite(values[name]).all():
            raise ValueError(f"{place}: sample() gave {name} of shape {values[name].shape}; expected {n} finite values")
    rhs, scale = (np.broadcast_to(side, (n,)) for side in test.bound(values))
    _as_declared(place, test.bound.letters, values, float(np.max(np.abs(values["lhs"]) + scale)))
    _inside(place, "the left side", values["lhs"], case.support(instance))
    if random and case.rhs_support is not None:
        _inside(place, "the right side", rhs, case.rhs_support(instance))
    return Replicas(values["lhs"], rhs, scale)


def _as_declared(place: str, letters: tuple[Letter, ...], values: Mapping[str, Float], size: float) -> None:
    """Raise `ValueError` for a letter that breaks what is declared of it by more than the rounding of the sides."""
    for letter in letters:
        own = values.get(letter.name)
        if own is not None:
            broken = own[letter.broken(own) & (np.abs(own) > TOLERANCE * size)]
            if broken.size:
                raise ValueError(f"{place}: {letter.words(float(broken.min()))}")


def _inside(place: str, what: str, values: Float, support: tuple[float, float]) -> None:
    low, high = support
    slack = TOLERANCE * max(abs(low), abs(high))
    outside = (values < low - slack) | (values > high + slack)
    if outside.any():
        raise ValueError(
            f"{place}: a replica of {what} is {float(values[outside][0]):g}, outside its support [{low:g}, {high:g}];"
            " an interval for its mean would mean nothing; state a support that sample() keeps by construction"
        )


@dataclass(frozen=True, eq=False)
class Point:
    """One instance as the search knows it: the estimated gap over the size of both sides, and over its own error."""

    case: SampledCase
    cube: Float
    excess: float = -np.inf
    evidence: float = -np.inf

    @property
    def instance(self) -> dict[str, Float]:
        """The instance itself."""
        return take(self.case.space.decode(self.cube[None]), 0)


@dataclass(frozen=True, eq=False)
class Found:
    """The candidates of a search, its admissible first looks in the order drawn, and how many draws it looked at."""

    candidates: list[Point]
    first: list[Point]
    looked: int
    admissible: int


def searched(test: Expectation, purse: Budget, rng: np.random.Generator) -> Found:
    """The candidates of the search, and what it saw on the way.

    Cheap looks at corners and random draws take a quarter. Then successive halving: the best eighth goes on with twice
    the replicas, drawn anew so that luck does not carry over, and with it as many of its offspring. What is left goes
    to further generations of the last few, many and cheap rather than few and sure: fresh streams judge them anyway.
    """
    total, n, wanted = purse.left / 4, CHEAP, max(_CANDIDATES, len(test.cases))
    points: list[Point] = []
    for case in test.cases:
        share = max(2, int(total / len(test.cases) / n / case.cost))
        cube = np.concatenate([case.space.corners(rng, share // 2), case.space.random(rng, share - share // 2)])
        points += [_looked(test, Point(case, row), rng, n, purse, "first looks") for row in cube]
    first = [p for p in points if p.excess > -np.inf]
    looked = admissible = 0
    while True:
        looked += len(points)
        points = [p for p in points if p.excess > -np.inf]
        admissible += len(points)
        few = len(points) <= 2 * wanted
        if not points or (few and purse.left < 4 * CHEAP * wanted * max(p.case.cost for p in points)):
            return Found(_leading(points, wanted), first, looked, admissible)
        n = 2 * CHEAP if few else 2 * n
        alive = _leading(points, max(wanted, len(points) // 8))
        alive += [Point(p.case, _child(p, alive, rng)) for p in alive]
        points = [_looked(test, p, rng, n, purse, "climbing" if few else "halving") for p in alive]


def _looked(test: Expectation, point: Point, rng: np.random.Generator, n: int, purse: Budget, stage: str) -> Point:
    """The point with fresh scores; −∞ where a hypothesis is missed or a side is undefined."""
    instance = point.instance
    if not bool(np.all(point.case.constants(instance).get("admissible", True))):
        return Point(point.case, point.cube)
    seen = replicas(test, point.case, instance, rng, n)
    purse.spend(point.case, n, stage)
    gaps = seen.lhs - seen.rhs
    size = float(np.abs(seen.lhs).mean() + seen.scale.mean())
    if not np.isfinite(size) or not np.isfinite(gaps).all():
        return Point(point.case, point.cube)
    gap = float(gaps.mean())
    if test.random_rhs == "pathwise":
        gap = float(gaps.max())
    elif test.random_rhs == "essential supremum":
        gap = float(seen.lhs.mean() - seen.rhs.max())
    error = float(gaps.std()) / n**0.5 + TOLERANCE * size
    return Point(point.case, point.cube, gap / size if size > 0 else 0.0, gap / error if size > 0 else 0.0)


def _leading(points: list[Point], wanted: int) -> list[Point]:
    """The best of each case, then the best by excess and by evidence in turn."""
    ranked = [sorted(points, key=lambda p: -p.excess), sorted(points, key=lambda p: -p.evidence)]
    heads = {id(p.case): p for p in reversed(ranked[0])}
    turns = [p for pair in zip(*ranked, strict=True) for p in pair]
    return list({id(p): p for p in (*heads.values(), *turns)}.values())[:wanted]


def _child(parent: Point, alive: list[Point], rng: np.random.Generator) -> Float:
    """The parent perturbed at a random scale; some numbers come from another survivor or from a corner."""
    cube = parent.cube
    mates = [p.cube for p in alive if p.case is parent.case]
    mate, corner = mates[int(rng.integers(len(mates)))], parent.case.space.corners(rng, 1)[0]
    moved = cube + rng.normal(size=cube.shape) * 0.3 * rng.random() ** 2
    moved = np.where(rng.random(cube.shape) < 0.1, mate, moved)
    return np.asarray(np.where(rng.random(cube.shape) < 0.05, corner, moved).clip(0.0, 1.0))


@dataclass(eq=False)
class Candidate:
    """One candidate on fresh streams: what was seen of it, and the interval of left minus right side.

    `lhs`, `rhs` and `scale` are means over its `count` replicas, `top` the largest right side; `violating` counts the
    paths with left above right side, and `worst` is the path where it is so most: (gap, left, right).
    Pathwise the interval is that of the chance that a path violates.
    """

    point: Point
    position: int
    sequence: ConfidenceSequence
    count: int = 0
    lhs: float = 0.0
    rhs: float = 0.0
    scale: float = 0.0
    top: float = -np.inf
    violating: int = 0
    worst: tuple[float, float, float] = (-np.inf, 0.0, 0.0)
    lower: float = -np.inf
    upper: float = np.inf
    status: Status = "open"

    def see(self, seen: Replicas, reading: str) -> None:
        """Book more replicas."""
        gaps = seen.lhs - seen.rhs
        violating = gaps > TOLERANCE * (np.abs(seen.lhs) + seen.scale)
        observed = {"pathwise": violating.astype(np.float64), "essential supremum": seen.lhs}.get(reading, gaps)
        self.sequence = self.sequence.after(observed)
        n, before = len(gaps), self.count
        self.count = before + n
        self.lhs = (self.lhs * before + float(seen.lhs.sum())) / self.count
        self.rhs = (self.rhs * before + float(seen.rhs.sum())) / self.count
        self.scale = (self.scale * before + float(seen.scale.sum())) / self.count
        self.top = max(self.top, float(seen.rhs.max()))
        self.violating += int(violating.sum())
        k = int(np.argmax(gaps))
        self.worst = max(self.worst, (float(gaps[k]), float(seen.lhs[k]), float(seen.rhs[k])))

    def place(self, test: Expectation) -> None:
        """Whether the interval lies above the bound, below it, or across."""
        self.lower, self.upper = float(self.sequence.lower), float(self.sequence.upper)
        rounding = TOLERANCE * (abs(self.lhs) + self.scale)
        if test.random_rhs == "pathwise":
            self.status = "above" if self.violating else "open"
            return
        case = self.point.case
        if test.random_rhs == "essential supremum" and case.rhs_support is not None:
            # The essential supremum lies between the largest right side seen and the top of its support.
            self.lower, self.upper = self.lower - case.rhs_support(self.point.instance)[1], self.upper - self.top
        if self.lower > rounding:
            self.status = "above"
        elif self.upper <= test.margin * self.scale + rounding:
            self.status = "below"

    def sides(self, reading: str) -> tuple[float, float]:
        """The estimates of both sides under a reading; pathwise, those of the worst path."""
        if reading == "pathwise":
            return self.worst[1:]
        return self.lhs, self.top if reading == "essential supremum" else self.rhs


def decided(
    test: Expectation, points: list[Point], purse: Budget, seed: int, label: str, *, stop_at_witness: bool
) -> list[Candidate]:
    """The candidates on fresh streams of (seed, label, candidate, count), doubled until decided or out of budget."""
    level = test.miscoverage / len(points)  # union bound: the points depend on the search's streams only
    candidates = [_candidate(test, point, i, level) for i, point in enumerate(points)]
    while still := [c for c in candidates if c.status == "open"]:
        wanted = [max(_FRESH, c.count) for c in still]
        cost = sum(n * c.point.case.cost for n, c in zip(wanted, still, strict=True))
        wanted = [int(n * min(1.0, max(0.0, purse.left) / cost)) for n in wanted]
        if max(wanted) == 0:
            break
        for c, n in zip(still, wanted, strict=True):
            for start in range(0, n, _CHUNK):
                rng, more = stream(seed, f"fresh/{label}", c.position, c.count), min(_CHUNK, n - start)
                c.see(replicas(test, c.point.case, c.point.instance, rng, more), test.random_rhs)
                purse.spend(c.point.case, more, "fresh streams")
            if n:
                c.place(test)
            if stop_at_witness and c.status == "above" and c.point.case.exact is not None:
                return candidates
    for c in candidates:
        if test.random_rhs == "pathwise" and c.count and not c.violating:
            c.status = "below"
    return candidates


def _candidate(test: Expectation, point: Point, position: int, level: float) -> Candidate:
    case, instance = point.case, point.instance
    low, high = case.support(instance)
    if test.random_rhs == "pathwise":
        low, high = 0.0, 1.0
    elif test.random_rhs == "expectation" and case.rhs_support is not None:
        low, high = difference_support((low, high), case.rhs_support(instance))
    elif test.random_rhs == "none":
        values: Mapping[str, Float] = {k: np.asarray(v, dtype=np.float64) for k, v in case.constants(instance).items()}
        rhs = float(test.bound(values)[0])
        low, high = difference_support((low, high), (rhs, rhs))
    return Candidate(point, position, confidence_sequence(low, high, miscoverage=level))
