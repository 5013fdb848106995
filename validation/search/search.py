"""How a statement is attacked: corners, random draws, ladders of horizons, climbing and an adversary, on many scores.

One budget, counted in evaluations, is handed out to the arms (each case at each of its sizes) by what they return.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from theory.base.streams import stream
from validation.cost.limits import foresee
from validation.search.arms import Arm, arms, sizes_tried
from validation.search.ascent import Start, ascend, population
from validation.search.edges import edge_points
from validation.search.near import EQUAL, Near, is_past, is_pooled
from validation.search.patterns import has_patterns, patterned
from validation.search.points import corners, mixed_sizes, offspring, sizes_between
from validation.search.sample import Sampled, effort, leading
from validation.search.scores import TOLERANCE, Draw, evaluate
from validation.search.seen import Search
from validation.statement.claim import Case, Inequality

__all__ = ["VERSION", "search"]

__judges__ = "search"

Float = NDArray[np.float64]

VERSION = 2
"""Raised whenever a search tries other instances than before: counts of two searches compare within one version."""

_SHARES = {"corners": 0.2, "random": 0.2, "ladder": 0.1, "climb": 0.1, "adversary": 0.2, "near": 0.2}
_TOGETHER = 256  # points, at least, that restarts in lock step evaluate at once: fewer cost hardly less
_GENERATIONS = 40  # that restarts begun together should last
_OF_DEAR = 8  # the same where a point costs more than 1: few restarts of few points get stuck there
_MOST_AT_EDGES, _AT_EDGES = 4, 64  # arms, and points of each, on the edge of the hypotheses of a strict inequality
_FEW = 12  # generations that a turn on a dear arm has at least
_OF_NEAR = 12  # and from the pool, where several arms share it: wide batches cost hardly more
_POOLED = 0.5  # of the restarts begin from the pool of nearly active points
_OF_FAMILIES = 0.02  # of the budget, at each scale, for first climbs of families that ask for a least effort
_FIRST_SCALES = (0.25, 0.1, 0.03)
_SOON = 128  # fresh points of an arm at first, then twice as many, where the first witness ends the search


def search(
    test: Inequality,
    *,
    budget: int,
    seed: int,
    label: str,
    warm: Mapping[str, Float] | None = None,
    stop: Callable[[Search], bool] | None = None,
    tick: Callable[[int], None] | None = None,
) -> Search:
    """Attack `test` with about `budget` evaluations; everything random derives from (seed, label).

    First come the points `warm` of a related search, by case name. Then a fifth of the budget goes to the corner
    battery, evenly, but to no arm less than its family asks for, in which arrays follow patterns on every fourth point;
    a fifth to random draws, by successive quartering of the arms; a tenth up the ladders of horizons, half of it before
    and half after the rest. That goes to climbing and to the adversary, shared out by a bandit over (arm, score), and
    to the adversary from the pool of nearly active instances. A family that asks for a least effort is climbed first.
    Whenever new candidates turn up, `stop` is asked whether that is enough. Raises `ValueError` for a budget below 1.
    """
    if budget < 1:
        raise ValueError(f"search(budget={budget}): expected at least 1 evaluation")
    attack = _Attack(test, budget, seed, stream(seed, f"search/{label}"), stop, tick)
    foresee(*((test.bound, arm.case.exact) for arm in attack.arms))  # for whoever rechecks what is found
    attack.sampled = Sampled(stream(seed, f"sample/{label}"))
    attack.warm = dict(warm or {})
    at_edges = partial(attack.edges, stream(seed, f"edges/{label}"))
    first = (attack.start, attack.battery, attack.families, at_edges, attack.ladder, attack.gradient)
    for stage in (*first, attack.climb_and_ascend, attack.ladder):
        if stage():
            break
    found, sampled = attack.found, attack.sampled
    found.best = attack.leaders()
    spoke = {arm.position for arm in attack.arms if arm.admissible}
    found.silent = [item.name for position, item in enumerate(test.cases) if position not in spoke]
    found.leaders, found.more_leaders = leading({a.case.name: (a.case, a.elites) for a in attack.arms})
    # Cheap cases first: one long recheck that ends undecided must not use up what would decide all others.
    found.ties = sorted([*sampled.best_ties, *sampled.random_ties()], key=lambda k: effort(k.case))
    found.idle, found.beyond, found.best_on = sampled.idle(), sampled.beyond(), sampled.best_on
    found.outside = sampled.outside()
    found.nearest = sampled.nearest()
    heads = [sampled.head(arm.case) for arm in attack.arms if arm.admissible]
    found.heads = [head for head in heads if head is not None]
    found.sizes = sizes_tried(test, attack.arms)
    return found


def _is_strict(case: Case) -> bool:
    return case.exact is not None and getattr(case.exact.function, "below", None) is not None


class _Attack:
    """The state of one search, and its stages; each stage says whether to stop."""

    def __init__(
        self,
        test: Inequality,
        budget: int,
        seed: int,
        rng: np.random.Generator,
        stop: Callable[[Search], bool] | None,
        tick: Callable[[int], None] | None,
    ) -> None:
        self.test, self.budget, self.rng, self.stop, self.tick = test, budget, rng, stop, tick
        self.found = Search()
        self.arms = arms(test, mixed_sizes(test, rng), sizes_between(test, seed))
        self.gains: dict[tuple[Arm, str], list[float]] = {}
        self.near = Near(self.arms)
        self.warm: dict[str, Float] = {}
        self.sampled = Sampled(rng)
        self.saved = 0.0  # of random draws, for climbs from the pool

    def try_points(
        self, arm: Arm, cube: Float, stage: str, then: tuple[int, str] | None = None
    ) -> tuple[dict[str, Float], set[str], bool]:
        """Evaluate points of an arm and book them: their scores, the scores whose best rose, and whether to stop.

        `then`: from which row on they are of another stage, and of which.
        """
        scores = evaluate(self.test.bound, arm.case, cube, self.test.known)
        arm.admissible += int(np.count_nonzero(scores.admissible))
        rose = {name for name, values in scores.rising.items() if self.keep(arm, name, cube, values)}
        decided = np.equal(scores.kind, Draw.DECIDED)  # equality is no near miss
        points = cube if decided.all() else cube[decided]
        for name in filter(is_pooled, scores.rising):
            values = scores.rising[name]
            arm.pool(name, points, values if points is cube else values[decided])
        self.sampled.offer(arm.case, cube, scores)
        fresh = self.found.book(arm.case, cube, scores, (len(cube), stage) if then is None else then, stage)
        if self.tick is not None:
            self.tick(len(cube))
        return dict(scores.rising), rose, bool(fresh and self.stop is not None and self.stop(self.found))

    @staticmethod
    def keep(arm: Arm, score: str, cube: Float, values: Float) -> bool:
        """Keep the best points of a score; whether its best rose by more than rounding."""
        before = arm.best(score)
        return arm.keep(score, cube, values) and not arm.best(score) - before <= TOLERANCE * (1 + abs(before))

    def draw(self, arm: Arm, of_corners: float, of_random: float) -> bool:
        """Spend evaluations of the budget on fresh points of an arm: corners first, then random ones, in one go."""
        least = arm.least if of_corners > 0 else 1
        n_corners, n_random = (
            max(least, round(share / arm.case.cost)) if share > 0 else 0 for share in (of_corners, of_random)
        )
        left, most = n_corners + n_random, np.inf if self.stop is None else _SOON
        while left > 0:
            n = int(min(arm.batch(left), most))
            first = min(n, n_corners)
            space = arm.case.space
            apart = first // 4
            following = (
                apart if has_patterns(space) and arm.ladder is None else 0
            )  # of horizons they hide late violations
            parts = (
                space.corners(self.rng, first - apart - following),
                corners(space, self.rng, apart),
                patterned(space, self.rng, following),
            )
            cube = np.concatenate([*parts, space.random(self.rng, n - first)])
            n_corners, left, most = n_corners - first, left - n, 2 * most
            if self.try_points(arm, cube, "corners", (first, "random"))[2]:
                return True
        return False

    def start(self) -> bool:
        """The leaders of a related search, where this one has the same case, or another of that name."""
        for arm in self.arms:
            for name in arm.names:
                cube = self.warm.get(name)
                fits = cube is not None and cube.shape[1] == arm.case.space.n_cube
                if cube is not None and fits and self.try_points(arm, cube, "start")[2]:
                    return True
        return False

    def leaders(self, most: int = 8) -> dict[str, Float]:
        """By case name the points that lead on ratio or excess, for the arms that lead at all, and their pool."""
        rank = self.ranks(self.arms)
        chosen = [arm for arm, r in zip(self.arms, rank, strict=True) if r < 12 and arm.elites]
        rows = {a.case.name: [*(a.elites[s] for s in ("ratio", "excess")), a.near["ratio"]] for a in chosen}
        return {name: np.concatenate([points[:most] for points, _ in of]) for name, of in rows.items()}

    def battery(self) -> bool:
        """The corner battery, the same effort for every arm, and random draws by successive quartering.

        After each round the quarter of the arms that lead on any score go on; the first round comes with the corners.
        Where that shows equality, and there are no horizons, the rest is saved for climbs beside it.
        """
        rounds = max(1, int(np.ceil(np.log(len(self.arms)) / np.log(4))))
        alive = list(self.arms)
        for i in range(rounds):
            of_corners = self.budget * _SHARES["corners"] / len(self.arms) if i == 0 else 0.0
            if i > 0 and self.is_tight() and all(arm.ladder is None for arm in self.arms):  # late horizons need draws
                self.saved = self.budget * _SHARES["random"] * (rounds - i) / rounds
                break
            of_random = self.budget * _SHARES["random"] / rounds / len(alive)
            if any(self.draw(arm, of_corners, of_random) for arm in alive):
                return True
            rank = self.ranks(alive)
            alive = [arm for arm, r in zip(alive, rank, strict=True) if r < max(1, len(alive) // 4)]
        return False

    def families(self) -> bool:
        """A first climb from the best arm of every family that asks for a least effort, whichever family leads."""
        for position in sorted({arm.position for arm in self.arms if arm.least > 1 and arm.elites}):
            own = [arm for arm in self.arms if arm.position == position and arm.elites]
            rank = self.ranks(own)
            arm = own[rank.index(min(rank))]
            for scale in _FIRST_SCALES:
                parents = np.concatenate([points for points, _ in arm.elites.values()])
                n = max(arm.least, round(self.budget * _OF_FAMILIES / len(self.test.cases) / arm.case.cost))
                if self.try_points(arm, offspring(arm.case.space, parents, self.rng, n, scale), "climb")[2]:
                    return True
        return False

    def edges(self, rng: np.random.Generator) -> bool:
        """Of a strict inequality under hypotheses that draws miss: points where one of these holds with equality."""
        strict = [arm for arm in self.arms if arm.admissible and _is_strict(arm.case)]
        rank = self.ranks(strict)
        for arm in (arm for arm, r in zip(strict, rank, strict=True) if r < _MOST_AT_EDGES):

            def admissible(cube: Float, case: Case = arm.case) -> NDArray[np.bool_]:
                return evaluate(self.test.bound, case, cube, self.test.known).admissible

            cube = arm.case.space.random(rng, arm.batch(4 * _AT_EDGES))
            met = admissible(cube)
            inside, outside = cube[met][:_AT_EDGES], cube[~met][:_AT_EDGES]
            pairs = min(len(inside), len(outside))
            if pairs and self.try_points(arm, edge_points(admissible, inside[:pairs], outside[:pairs]), "edges")[2]:
                return True
        return False

    def is_tight(self) -> bool:
        """Whether both sides were equal somewhere, and what is left below a violation can be climbed beside it."""
        tops = self.tops()
        return abs(tops.get("ratio", 0.0) - 1) <= EQUAL and any(map(is_past, tops))

    def ranks(self, chosen: list[Arm]) -> list[int]:
        """Each arm's best rank over all scores, 0 for a leader."""
        best = [len(chosen)] * len(chosen)
        for score in sorted({s for arm in chosen for s in arm.elites}):
            order = sorted(range(len(chosen)), key=lambda i: -chosen[i].best(score))
            for position, i in enumerate(order):
                best[i] = min(best[i], position)
        return best

    def ladder(self) -> bool:
        """The best points of short horizons tried on ever longer ones, and what that gives on longer ones still."""
        climbing = sorted((a for a in self.arms if a.ladder is not None), key=lambda a: (str(a.ladder), a.rung))
        groups = [list(g) for _, g in groupby(climbing, key=lambda a: a.ladder)]
        for group in (g for g in groups if len(g) > 1):
            share = self.budget * _SHARES["ladder"] / 2 / len(groups) / len(group)
            carried: dict[str, tuple[Float, Float]] = {}
            for arm in group:
                # Every rung is asked at least a little, however dear: this is what the short horizons were for.
                points = _leading(carried, max(12, round(share / arm.case.cost)))
                if len(points) and self.try_points(arm, points, "ladder")[2]:
                    return True
                carried = {**carried, **{s: _carried(carried.get(s), own) for s, own in arm.elites.items()}}
        return False

    def gradient(self) -> bool:
        """Autograd from the best points of every case that is differentiable, with a third of the adversary's share."""
        open_to_it = [arm for arm in self.arms if arm.case.differentiable and "excess" in arm.elites]
        if not open_to_it:
            return False
        from validation.search.gradient import gradient_ascent

        leading = sorted(open_to_it, key=lambda a: -a.best("excess"))[:4]
        for arm in leading:
            rows = np.concatenate([arm.elites["excess"][0], arm.case.space.random(self.rng, 40)])
            share = self.budget * _SHARES["adversary"] / 3 / len(leading) / arm.case.cost
            halted = False

            def book(cube: Float, arm: Arm = arm) -> bool:
                nonlocal halted
                halted = self.try_points(arm, cube, "gradient")[2]
                return halted

            steps = min(200, max(8, round(share / len(rows))))
            gradient_ascent(self.test.bound, arm.case, rows, steps=steps, book=book)
            if halted:
                return True
        return False

    def climb_and_ascend(self) -> bool:
        """In turn climbing, the adversary on the (arm, score) that promises most, and the adversary from the pool."""
        climb, adversary, near = (self.budget * _SHARES[s] for s in ("climb", "adversary", "near"))
        adversary *= 2 / 3 if "gradient" in self.found.stages else 1.0
        if "ladder" not in self.found.stages:
            adversary += self.budget * _SHARES["ladder"]
        near += self.saved
        tight = self.is_tight()
        if tight:  # no climb of the ratio gets past that: of the excess against one term it may
            adversary, near = adversary / 4, near + 3 * adversary / 4
        whole = near
        scale, turn = 0.25, 0
        while climb > 0 or adversary > 0 or near > 0:
            done = False
            if turn % 3 == 0 and climb > 0:
                arm, score = ((tight or turn % 2) and self.near.choose()) or self.choose()
                n = max(8, min(arm.batch(512), round(climb / arm.case.cost)))
                parents = [rows[score][0] for rows in (arm.elites, arm.near) if score in rows]
                cube = offspring(arm.case.space, np.concatenate(parents), self.rng, n, scale)
                _, rose, done = self.try_points(arm, cube, "climb")
                climb -= n * arm.case.cost
                scale = scale * 0.8 if scale > 1e-5 else 0.25
                self.gains.setdefault((arm, score), []).append(float(score in rose))
            elif turn % 3 == 2 and near > 0:
                active = self.near.choose()
                if active is None:
                    adversary, near = adversary + near, 0.0
                else:
                    cost = active[0].case.cost
                    used, done = self.ascend_near(*active, whole / cost, near / cost)
                    near -= used * cost
            elif turn % 3 == 1 and adversary > 0:
                arm, score = self.choose()
                used, done = self.ascend_from(arm, score, adversary / arm.case.cost)
                adversary -= used * arm.case.cost
            turn += 1
            if done:
                return True
        return False

    def ascend_from(self, arm: Arm, score: str, budget: float) -> tuple[int, bool]:
        """Restarts of the adversary on an arm, in lock step: on the score asked for and on those that come next.

        The evaluations used, and whether to stop.
        """
        n = arm.case.space.n_cube
        whole = self.budget * _SHARES["adversary"] / arm.case.cost
        size = population(n, whole)
        shared = arm.case.cost > 1 and len(self.arms) > 1  # a dear arm of several must not have all of it
        turn = min(budget, max(whole / 2, _FEW * size)) if shared else budget
        at_once = int(max(1, min(-(-_TOGETHER // size), turn / _lasting(arm) / size, arm.batch(4096) / size)))
        rose: set[str] = set()
        done = False

        def values_of(cube: Float) -> tuple[Mapping[str, Float], bool]:
            nonlocal done
            scores, higher, halt = self.try_points(arm, cube, "adversary")
            rose.update(higher)
            done = done or halt
            return scores, halt

        def tried(scores: Iterable[str]) -> None:
            for name in scores:
                self.gains.setdefault((arm, name), []).append(float(name in rose))

        def after(ended: str) -> Start:
            tried([ended])
            return self.start_of(arm, self.by_worth(arm)[0])

        others = [s for s in self.by_worth(arm) if s != score]
        asked = [score, *others[: max(0, at_once // 2)]]
        starts = [self.start_of(arm, asked[k % len(asked)]) for k in range(at_once)]
        each = max(self.budget / 20, 40.0 * (n + 10))
        most = int(min(turn, each * (1 + at_once) / 2))
        used = ascend(values_of, starts, size=size, budget=most, rng=self.rng, more=after)
        tried(dict.fromkeys(s.score for s in starts))
        return used, done

    def ascend_near(self, arm: Arm, score: str, share: float, left: float) -> tuple[int, bool]:
        """Restarts in lock step from the pool of an arm, on one score; the evaluations used, and whether to stop."""
        size = population(arm.case.space.n_cube, share)
        budget = int(min(left, self.near.turn(arm, share)))
        lasting = _OF_NEAR if budget < share else _lasting(arm)
        at_once = int(max(1, min(-(-_TOGETHER // size), budget / lasting / size, arm.batch(4096) / size)))
        before, done = arm.best(score), False

        def values_of(cube: Float) -> tuple[Mapping[str, Float], bool]:
            nonlocal done
            scores, _, done = self.try_points(arm, cube, "near")
            return scores, done

        def start(_: str) -> Start:
            points = arm.near[score][0]
            return Start(points[self.rng.integers(len(points))], score, float(self.rng.choice([0.3, 0.1, 0.03])))

        starts = [start(score) for _ in range(at_once)]
        used = ascend(values_of, starts, size=size, budget=budget, rng=self.rng, more=start)
        self.near.book(arm, score, before)
        return used, done

    def by_worth(self, arm: Arm) -> list[str]:
        """The scores of an arm that are known on it, the one that promises most first."""
        tops, total = self.tops(), math.log(1 + sum(len(g) for g in self.gains.values()))
        known = sorted(s for s in arm.elites if arm.best(s) > -np.inf and not is_past(s))
        return sorted(known, key=lambda s: -self.worth(arm, s, tops[s], total)) or ["excess"]

    def start_of(self, arm: Arm, score: str) -> Start:
        """A restart from one of the elites of a score, with a step size by chance."""
        points, near = arm.elites[score][0], arm.near.get(score)
        sigma = float(self.rng.choice([0.3, 0.1, 0.03, 0.003]))
        at, pooled = self.rng.random(2)
        if near is not None and len(near[0]) and pooled < _POOLED:
            return Start(near[0][int(len(near[0]) * at)], score, sigma)
        return Start(points[int(len(points) * at**2)], score, sigma)

    def tops(self) -> dict[str, float]:
        """The best value of each score over all arms."""
        tops: dict[str, float] = {}
        for arm in self.arms:
            for score in arm.elites:
                tops[score] = max(tops.get(score, -np.inf), arm.best(score))
        return tops

    def choose(self) -> tuple[Arm, str]:
        """The (arm, score) with the highest upper confidence; any arm where nothing is admissible yet."""
        tops, total = self.tops(), math.log(1 + sum(len(g) for g in self.gains.values()))
        worth = {
            (i, score): self.worth(arm, score, tops[score], total)
            for i, arm in enumerate(self.arms)
            for score in sorted(arm.elites)
            if arm.best(score) > -np.inf and not is_past(score)
        }
        if not worth:
            return self.arms[int(self.rng.integers(len(self.arms)))], "excess"
        i, score = max(worth, key=lambda key: worth[key])
        return self.arms[i], score

    def worth(self, arm: Arm, score: str, top: float, total: float) -> float:
        """How near an arm is to the lead on a score, how often it still rose, and how little it was tried.

        `total`: the logarithm of how often any was.
        """
        seen = self.gains.get((arm, score), ())
        last = seen[-8:]
        recent = sum(last) / len(last) if last else 1.0
        bonus = math.sqrt(2 * total / (1 + len(seen)))
        # Among the rungs of a ladder the cheap ones are climbed; what they find is carried up afterwards.
        dear = 0.3 * math.log10(arm.case.cost) if arm.ladder is not None and arm.case.cost > 1 else 0.0
        return float(_nearness(score, arm.best(score), top) + 0.3 * recent + 0.3 * bonus - dear)


def _lasting(arm: Arm) -> int:
    return _GENERATIONS if arm.case.cost <= 1 else _OF_DEAR


def _carried(known: tuple[Float, Float] | None, own: tuple[Float, Float]) -> tuple[Float, Float]:
    """The points that go up to the next rung: this rung's own, unless they fell below half of what came up."""
    return own if known is None or own[1][0] >= 0.5 * known[1][0] else known


def _leading(elites: dict[str, tuple[Float, Float]], most: int) -> Float:
    """The best points of every score, the scores in turn, ratio and excess first, `most` altogether."""
    order = sorted(elites, key=lambda s: ({"ratio": 0, "excess": 1}.get(s, 2), s))
    longest = max((len(elites[s][0]) for s in order), default=0)
    rows = [elites[s][0][i] for i in range(longest) for s in order if i < len(elites[s][0])]
    return np.asarray(rows[:most], dtype=np.float64)


def _nearness(score: str, value: float, top: float) -> float:
    """How near a score is to the best of all arms, 0 to 1; scores that cannot pass 0 are worth little."""
    if score == "ratio":
        return 1.0 if value >= top else max(0.0, value / top) if np.isfinite(top) and top > 0 else 0.0
    # From −1 to 1; a term or a denominator that no draw could move from −1 will hardly sink.
    lead = (1 + value) / (1 + top) if top > -1 else 0.0
    return lead * (0.9 if top > -0.999 else 0.2)
